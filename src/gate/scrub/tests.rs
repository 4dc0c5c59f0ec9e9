//! Samples are made up from repeated letters: none was ever a credential.

use serde_json::{Value, json};

use super::{Places, Rewriting, Scrubber};
use crate::gate::tool::Head;

fn scrubber() -> &'static Scrubber {
    Scrubber::shared().unwrap()
}

fn scrub(text: &str) -> String {
    scrubber().text(text, &Rewriting::default()).into_inner()
}

/// `n` characters, letters and digits in turn.
fn mixed(n: usize) -> String {
    "a1B2c3D4e5F6g7H8".chars().cycle().take(n).collect()
}

#[test]
fn ordinary_text_stays() {
    for text in [
        "fn token(&self) -> Token { self.next_token() }",
        "let password = read_password()?;",
        "password: string;",
        "the secret of success",
        "let api_key = std::env::var(\"API_KEY\")?;",
        "token: CancellationToken,",
        "https://example.com/a/b?c=d",
        "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "export TOKEN=$(cat token)",
        "basket, task-force, disk-usage: sk-",
        "git@github.com:owner/name.git",
        "mailto:someone@example.com",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    ] {
        assert_eq!(scrub(text), text);
    }
}

#[test]
fn leaves_and_keys_are_scrubbed_and_json_stays_json() {
    let token = format!("ghp_{}", mixed(36));
    let other = format!("ghp_{}", mixed(40));
    let value =
        json!({"a": [token, 1, {"b": format!("x \"{token}\" y")}], token.clone(): 1, other.clone(): 2});
    let out = scrubber().value(value, &Rewriting::default()).into_inner();
    let text = out.to_string();
    assert!(!text.contains(&token) && !text.contains(&other));
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), out);
    assert_eq!(out["[REDACTED:github-token]"], 1);
    assert_eq!(out["[REDACTED:github-token]#2"], 2);
}

#[test]
fn the_name_of_a_member_may_tell() {
    let value = json!({"db_password": mixed(12), "token": "none", "count": 12, "name": mixed(12)});
    let out = scrubber().value(value, &Rewriting::default()).into_inner();
    assert_eq!(
        out,
        json!({"db_password": "[REDACTED:secret]", "token": "none", "count": 12, "name": mixed(12)})
    );
}

#[test]
fn large_numbers_keep_their_text() {
    let value: Value = serde_json::from_str("{\"n\":123456789012345678901234567890.10}").unwrap();
    let out = scrubber().value(value, &Rewriting::default()).into_inner();
    assert_eq!(out.to_string(), "{\"n\":123456789012345678901234567890.10}");
}

#[test]
fn redact_rules_have_their_own_words() {
    let rules = Rewriting {
        secrets_with: Some("<gone>".to_owned()),
        matches: vec![(regex::Regex::new("customer-[0-9]+").unwrap(), "customer-x".to_owned())],
    };
    let text = format!("customer-12 has ghp_{}", mixed(36));
    assert_eq!(scrubber().text(&text, &rules).get(), "customer-x has <gone>");
}

#[test]
fn a_credential_on_the_cut_goes_whole() {
    let token = format!("ghp_{}", mixed(36));
    for at in 0..=44 {
        let text = format!("{}{token} and more", "x".repeat(100 - at) + " ");
        let head = scrubber().head(&text, 100, &Rewriting::default()).into_inner();
        let part: String = token.chars().take(8).collect();
        assert!(!head.contains(&part), "{at}: {head}");
    }
    let data = json!({"text": "é".repeat(10)}).as_object().unwrap().clone();
    let heads = [Head { field: "text".to_owned(), bytes: 5 }];
    let out = scrubber().result(data, &heads, &Rewriting::default()).into_inner();
    assert_eq!(out, json!({"text": "éé"}));
}

#[test]
fn cutting_keeps_head_and_tail_and_says_so() {
    let value = json!({"stdout": "a".repeat(5_000) + "END", "stderr": "short"});
    let value = scrubber().value(value, &Rewriting::default());
    let (out, was_cut) = Scrubber::cut(value, 305);
    let out = out.into_inner();
    let text = out["stdout"].as_str().unwrap();
    assert!(was_cut && text.starts_with("aaa") && text.ends_with("END") && text.len() <= 300, "{text}");
    assert_eq!(out["stderr"], "short");
    assert_eq!(out["truncated"], true);
    let small = scrubber().value(json!({"a": "bc"}), &Rewriting::default());
    assert!(!Scrubber::cut(small, 2).1);
}

#[test]
fn what_is_cut_fits_with_its_notes() {
    let texts = json!({"stdout": "あ".repeat(9_000), "stderr": "b".repeat(9_000)});
    let rows: Vec<_> = (0..4_000).map(|n| json!({"id": n, "name": format!("row {n}"), "on": true})).collect();
    let keys: serde_json::Map<_, _> =
        (0..4_000).map(|n| (format!("a rather long key {n}"), json!(n))).collect();
    let deep = json!({"a": [[["x".repeat(50_000)]], {"b": {"c": rows}}]});
    for value in [texts, json!({"rows": rows}), json!(keys), deep, json!({"n": vec![1; 90_000]})] {
        let size = value.to_string().len();
        let before = scrubber().value(value, &Rewriting::default());
        let (out, was_cut) = Scrubber::cut(before, 25_600);
        let (out, text) = (out.get(), out.get().to_string());
        assert!(was_cut && out["truncated"] == true, "{size}");
        assert!(text.len() <= 25_600 + 1_100, "{size}: {}", text.len());
        assert!(text.len() >= 20_000, "{size}: {}", text.len());
        assert_eq!(&serde_json::from_str::<Value>(&text).unwrap(), out);
    }
    let value = json!({"text": "ok\n", "list": [1, 2, {"a": null}]});
    let (out, was_cut) = Scrubber::cut(scrubber().value(value.clone(), &Rewriting::default()), 25_600);
    assert!(!was_cut);
    assert_eq!(out.into_inner(), value);
}

#[test]
fn messages_name_no_path_outside() {
    let places = Places::new(["/home/user/app".to_owned()]);
    let shown = |text: &str| scrubber().message(text, &places).into_inner();
    for (text, expected) in [
        ("cannot read /etc/passwd: denied", "cannot read <outside the workspace>/…/passwd: denied"),
        ("cannot read /home/user/app/src/a.rs", "cannot read src/a.rs"),
        ("in /home/user/app", "in ."),
        ("in /home/user/apple/x", "in <outside the workspace>/…/x"),
        (
            "cat '/root/.ssh/id_x' > \"/tmp/a b\"",
            "cat '<outside the workspace>/…/id_x' > \"<outside the workspace>/…/a b\"",
        ),
        ("file:///etc/shadow", "file:<outside the workspace>/…/shadow"),
        ("see https://example.com/a/b", "see https://example.com/a/b"),
        ("src/a.rs and 1/2 and / stay", "src/a.rs and 1/2 and / stay"),
        ("--file=/opt/x,/opt/y", "--file=<outside the workspace>/…/x,<outside the workspace>/…/y"),
        ("policies/base.toll:14:1", "policies/base.toll:14:1"),
        ("read <outside the workspace>/…/passwd", "read <outside the workspace>/…/passwd"),
    ] {
        assert_eq!(shown(text), expected);
    }
}
