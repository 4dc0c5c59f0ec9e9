use super::*;

const WORLD: &str = "
workspace: /w
home: /h/me
cwd: /w/src
caseFold: true
files: {src/A.rs: 'fn', /etc/hosts: '', empty: null, one: ''}
links: {lib: src, out: /etc}
hardlinks: {two: one}
kinds: {/dev/null: other}
hosts: {Example.com: [93.184.216.34, '::1'], one.test: 10.0.0.1}
env: {PATH: /bin}
today: 2026-12-01
labels: [untrusted]
protected: [policies]
";

#[test]
fn reads_all_keys() {
    let world = VirtualWorld::from_yaml(WORLD).expect("world");
    assert_eq!((world.workspace(), world.home(), world.cwd()), ("/w", Some("/h/me"), Some("/w/src")));
    assert_eq!(world.inspect("/w/SRC/a.RS"), Ok(Node::File { hard_links: 1 }));
    assert_eq!(world.inspect("/w/one"), Ok(Node::File { hard_links: 2 }));
    assert_eq!(world.inspect("/w/out"), Ok(Node::Link("/etc".to_owned())));
    assert_eq!(world.inspect("/dev/null"), Ok(Node::Other));
    assert_eq!(world.inspect("/"), Ok(Node::Dir));
    assert_eq!(world.inspect("/nothing"), Ok(Node::Missing));
    assert_eq!(world.list("/w", 9).expect("list"), ["empty", "lib", "one", "out", "src", "two"]);
    assert_eq!(world.list("/w", 2), Err(WorldError::TooMany(2)));
    assert_eq!(world.list("/", 9).expect("root"), ["dev", "etc", "h", "tmp", "w"]);
    assert_eq!(world.addresses("example.com").expect("host").len(), 2);
    assert_eq!(world.addresses("other.com"), Err(WorldError::Missing));
    assert_eq!(world.variable("HOME").as_deref(), Some("/h/me"));
    assert_eq!(world.today(), Some(Date { year: 2026, month: 12, day: 1 }));
    assert_eq!(world.protected(), ["/w/policies"]);
    assert_eq!(world.text("/etc/hosts"), Some(""));
    assert_eq!(world.home_of("me").as_deref(), Some("/h/me"));
}

#[test]
fn names_what_is_wrong() {
    for (text, message) in [
        ("file: {}", "`file`: a world has no such key, did you mean `files`?"),
        ("files: {a: 1}", "`files.a`: must be a text, or null for a directory"),
        ("files: {a: '', a/b: ''}", "`files.a/b`: lies below `/home/user/project/a`, which is no directory"),
        (
            "links: {l: d}\nfiles: {l/b: ''}",
            "`files.l/b`: lies below the link `/home/user/project/l`; name it by the link's target",
        ),
        ("hardlinks: {a: b}", "`hardlinks.a`: the target is no file of this world"),
        ("today: 2026-02-30", "`today`: must be a day such as `2026-12-01`"),
        ("hosts: {a: [b]}", "`hosts.a`: must be a list of addresses"),
        ("kinds: {a: file}", "`kinds.a`: must be `other`"),
        ("caseFold: no", "`caseFold`: must be true or false, this is a string"),
        ("platform: vms", "`platform`: must be `posix` or `windows`"),
        ("[]", "a world is an object, this is a list"),
    ] {
        assert_eq!(VirtualWorld::from_yaml(text).expect_err(text).to_string(), message);
    }
}

#[test]
fn plain_world_with_files() {
    let world =
        VirtualWorld::plain().with_plain_files(["docs", "docs/a.md", "~/x", "/etc/passwd", "", "../y"]);
    assert_eq!(world.workspace(), "/home/user/project");
    assert_eq!(world.inspect("/home/user/project/docs"), Ok(Node::Dir));
    for file in ["/home/user/project/docs/a.md", "/home/user/x", "/etc/passwd", "/home/user/y"] {
        assert_eq!(world.inspect(file), Ok(Node::File { hard_links: 1 }), "{file}");
    }
}

#[test]
fn windows_paths() {
    let world = VirtualWorld::from_yaml(
        "platform: windows\nworkspace: 'd:\\w'\nfiles: {'src\\a.rs': '', 'C:/x': ''}",
    )
    .expect("world");
    assert_eq!(world.workspace(), "D:/w");
    assert_eq!(world.inspect("D:/W/SRC/A.RS"), Ok(Node::File { hard_links: 1 }));
    assert_eq!(world.inspect("C:/X"), Ok(Node::File { hard_links: 1 }));
    assert_eq!(world.inspect("C:/"), Ok(Node::Dir));
}
