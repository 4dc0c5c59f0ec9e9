use super::*;
use crate::effects::VirtualWorld;

fn world() -> VirtualWorld {
    VirtualWorld::from_yaml(
        "workspace: /ws\nfiles: {/etc/passwd: ''}\nhosts: {two.test: [93.184.216.34, '::ffff:127.0.0.1', 127.0.0.1], good.com: 93.184.216.34}",
    )
    .expect("world")
}

fn facts(given: &str, ip: bool) -> Vec<NetworkFact> {
    connect(&world(), given, None, &Demand { ip, ..Demand::default() })
        .into_iter()
        .map(|effect| match effect.resource {
            Resource::Network(fact) if effect.capability == Capability::Network => *fact,
            other => panic!("{given}: {other:?}"),
        })
        .collect()
}

fn one(given: &str) -> NetworkFact {
    facts(given, false).pop().expect("a fact")
}

#[test]
fn hosts_and_ports() {
    for (given, host, port, written) in [
        ("https://good.com/x", "good.com", Some(443), false),
        ("https://GOOD.com.:443/x", "good.com", Some(443), false),
        ("https://good.com:8443", "good.com", Some(8443), true),
        ("https://good.com:x@evil.com/", "evil.com", Some(443), false),
        ("http://good.com@evil.com#@good.com", "evil.com", Some(80), false),
        ("https://good.com.evil.com", "good.com.evil.com", Some(443), false),
        ("https://g\u{43e}\u{43e}d.com", "xn--gd-fmca.com", Some(443), false),
        ("https://xn--bcher-kva.example", "xn--bcher-kva.example", Some(443), false),
        ("https://bücher.example", "xn--bcher-kva.example", Some(443), false),
        ("ssh://git@Good.com/x", "good.com", Some(22), false),
        ("redis://0x7f.1:6379", "127.0.0.1", Some(6379), false),
        ("custom://good.com/x", "good.com", None, false),
        ("good.com", "good.com", None, false),
        ("good.com:443/x", "good.com", Some(443), true),
        ("localhost:8080", "localhost", Some(8080), true),
        ("[::1]:80", "::1", Some(80), true),
        ("::1", "::1", None, false),
        ("2130706433", "127.0.0.1", None, false),
        ("  https://good.com  ", "good.com", Some(443), false),
    ] {
        let fact = one(given);
        assert_eq!(fact.unresolved, None, "{given}");
        assert_eq!(
            (fact.host.as_deref(), fact.port, fact.port_written),
            (Some(host), port, written),
            "{given}"
        );
    }
    let fact = one("https://u:p%40@good.com/a/../b?q=1#f");
    assert_eq!(fact.userinfo.as_deref(), Some("u:p%40"));
    assert_eq!((fact.path.as_deref(), fact.query.as_deref()), (Some("/b"), Some("q=1")));
    assert_eq!(fact.url.as_deref(), Some("https://u:p%40@good.com/b?q=1"));
    let fact = one("good.com/a/../b?q=1");
    assert_eq!((fact.url, fact.scheme), (None, None));
    assert_eq!((fact.path.as_deref(), fact.query.as_deref()), (Some("/b"), Some("q=1")));
    assert_eq!(one("good.com:80").path, None);
}

#[test]
fn addresses_in_every_spelling() {
    for (given, address) in [
        ("http://127.0.0.1", "127.0.0.1"),
        ("http://0x7f.1", "127.0.0.1"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://017700000001", "127.0.0.1"),
        ("http://127.1:80", "127.0.0.1"),
        ("http://[::ffff:127.0.0.1]", "127.0.0.1"),
        ("http://[::ffff:7f00:1]", "127.0.0.1"),
        ("http://[::1]", "::1"),
        ("http://[::]", "::"),
        ("http://0", "0.0.0.0"),
        ("http://169.254.169.254/latest", "169.254.169.254"),
        ("http://[64:ff9b::a9fe:a9fe]", "169.254.169.254"),
        ("http://[2002:7f00:1::]", "127.0.0.1"),
        ("http://①②⑦.0.0.1", "127.0.0.1"),
        ("127.1:22", "127.0.0.1"),
        ("ssh://[::ffff:10.0.0.1]/x", "10.0.0.1"),
    ] {
        let found = facts(given, false);
        assert_eq!(found.len(), 1, "{given}");
        assert_eq!(found[0].ip, Address::Known(address.parse().expect("address")), "{given}");
    }
    let split: Vec<_> = facts("https://two.test", true).into_iter().map(|fact| fact.ip).collect();
    let known = |text: &str| Address::Known(text.parse().expect("address"));
    assert_eq!(split, [known("93.184.216.34"), known("127.0.0.1")]);
    assert_eq!(facts("https://unknown.test", true)[0].ip, Address::Unresolved);
    assert_eq!(facts("https://two.test", false)[0].ip, Address::NotAsked);
    assert_eq!(facts("two.test:80", true).len(), 2);
}

#[test]
fn read_differently_by_different_clients() {
    for given in [
        "https://evil.com\\@good.com/",
        "https:\\\\evil.com",
        "https://good.com\t.evil.com",
        "https://go\nod.com/",
        "ht\ntps://good.com",
        "https:good.com",
        "https:/good.com",
        "https:///good.com",
        "https://a@b@good.com",
        "https://good.com:99999",
        "https://good.com:x/",
        "//good.com/x",
        "data:text/plain,x",
        "javascript:alert(1)",
        "mailto:a@good.com",
        "jar:https://good.com!/x",
        "blob:https://good.com/x",
        "about:blank",
        "git@github.com:org/repo",
        "user:pw@good.com",
        "",
        " ",
        "http://",
        "http://?x",
        "https://good.com\0.evil.com",
        "https://a..b/",
        "https://good com/",
        "foo:///x",
        "https://[::1",
        "https://256.256.256.256",
        "good.com:",
        "unix:/run/x.sock",
        "https://good.com\u{7f}",
        "http://[fe80::1%25eth0]/",
    ] {
        let fact = one(given);
        assert!(fact.unresolved.is_some(), "{given:?} {fact:?}");
        assert_eq!((fact.host, fact.ip), (None, Address::Unresolved), "{given:?}");
    }
}

#[test]
fn files_are_reads() {
    let read = |given: &str| match connect(&world(), given, None, &Demand::default()).as_slice() {
        [
            Effect {
                resource: Resource::Path(fact),
                capability: Capability::Read,
                action: Some(Action::Read),
                ..
            },
        ] => fact.clone(),
        other => panic!("{given}: {other:?}"),
    };
    for given in
        ["file:///etc/passwd", "FILE:///etc/%70asswd", "file:/etc/passwd", "file://localhost/etc/x/../passwd"]
    {
        assert_eq!(read(given).canonical(), Some("/etc/passwd"), "{given}");
        assert_eq!(read(given).given, given);
    }
    for given in [
        "file://server/share",
        "file:///a%2f..%2fb",
        "file:///a%ff",
        "fi\tle:///etc/passwd",
        "file:\\etc\\passwd",
        "file:///a%00b",
    ] {
        assert!(read(given).unresolved.is_some(), "{given}");
    }
}
