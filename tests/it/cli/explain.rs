//! `explain`: the tree, the same as JSON, which call is meant.

use super::{Ended, POLICY, Place};

const WORLD: &str = "files: {README.md: '', .env: ''}\nlinks: {out.txt: /etc/passwd}\n";

fn explain(more: &[&str], calls: &[u8]) -> Ended {
    let place = Place::new();
    place.file("p.toll", POLICY).file("world.yaml", WORLD);
    let arguments = [&["explain", "--policy", "p.toll", "--world", "world.yaml"], more].concat();
    place.run_with(&arguments, calls)
}

#[test]
fn every_effect_with_what_counted_and_what_nearly_did() {
    let call = r#"{"tool": "shell", "args": {"command": "cat README.md .env > copy.txt"}}"#;
    insta::assert_snapshot!(explain(&["--call", call], b""));
}

#[test]
fn a_path_out_of_the_workspace() {
    insta::assert_snapshot!(explain(
        &["--call", r#"{"tool": "read_file", "args": {"path": "out.txt"}}"#],
        b""
    ));
}

#[test]
fn calls_without_effects_say_why() {
    let mut out = String::new();
    for call in [
        r#"{"tool": "launch"}"#,
        r#"{"tool": "read_file"}"#,
        r#"{"tool": "read_file", "args": {"path": "a"}, "mode": "plan"}"#,
    ] {
        out += &format!("{call}\n{}\n", explain(&["--call", call], b""));
    }
    insta::assert_snapshot!(out);
}

#[test]
fn a_rewritten_call_is_shown_at_every_step() {
    let place = Place::new();
    let policy = format!(
        "{POLICY}\nmodify short {{\n  on exec\n  when command is `cat ...`\n  append command `--number`\n}}\n"
    );
    place.file("p.toll", policy).file("world.yaml", WORLD);
    let call = r#"{"tool": "shell", "args": {"command": "cat README.md"}}"#;
    insta::assert_snapshot!(place.run(&[
        "explain",
        "--policy",
        "p.toll",
        "--world",
        "world.yaml",
        "--call",
        call
    ]));
}

#[test]
fn as_json() {
    let call = r#"{"tool": "shell", "args": {"command": "git push"}}"#;
    let ended = explain(&["--call", call, "--format", "json"], b"");
    let value: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(ended.status, Some(0));
    insta::assert_snapshot!(serde_json::to_string_pretty(&value).unwrap());
}

#[test]
fn a_line_is_picked_by_its_number() {
    let calls = b"\n{\"tool\": \"read_file\", \"args\": {\"path\": \"README.md\"}}\nno call\n{\"tool\": \"read_file\", \"args\": {\"path\": \".env\"}}\n";
    let first = explain(&[], calls);
    assert!(first.stdout.starts_with("allow read_file"), "{first}");
    let fourth = explain(&["--line", "4"], calls);
    assert!(fourth.stdout.starts_with("block read_file"), "{fourth}");
    insta::assert_snapshot!(format!(
        "{}\n{}",
        explain(&["--line", "3"], calls),
        explain(&["--line", "9"], calls)
    ));
}
