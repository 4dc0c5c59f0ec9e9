//! `decide`: verdicts for lines.

use super::{POLICY, Place};

const WORLD: &str = "files: {README.md: '', .env: ''}\n";

fn decide(place: &Place, more: &[&str], calls: &[u8]) -> super::Ended {
    place.file("p.toll", POLICY).file("world.yaml", WORLD);
    let arguments = [&["decide", "--policy", "p.toll", "--world", "world.yaml"], more].concat();
    place.run_with(&arguments, calls)
}

#[test]
fn one_verdict_a_line() {
    let place = Place::new();
    let calls = br#"{"id": "c1", "tool": "read_file", "args": {"path": "README.md"}}

{"tool": "read_file", "args": {"path": ".env"}}
{"tool": "shell", "args": {"command": "cat README.md .env"}}
{"tool": "shell", "args": {"command": "git push origin main"}}
"#;
    insta::assert_snapshot!(decide(&place, &[], calls));
}

#[test]
fn nobody_to_ask() {
    let place = Place::new();
    let calls = br#"{"tool": "shell", "args": {"command": "git push origin main"}}"#;
    insta::assert_snapshot!(decide(&place, &["--unattended"], calls));
}

#[test]
fn strict_verdicts_fail_where_told_to() {
    let place = Place::new();
    let ask = br#"{"tool": "shell", "args": {"command": "git push"}}"#;
    assert_eq!(decide(&place, &["--fail-on", "block"], ask).status, Some(0));
    assert_eq!(decide(&place, &["--fail-on", "ask"], ask).status, Some(1));
    assert_eq!(decide(&place, &["--fail-on", "warn"], ask).status, Some(1));
    assert_eq!(decide(&place, &["--fail-on", "ask"], b"no call\n").status, Some(2));
}

#[test]
fn lines_that_are_no_calls_are_named_and_the_next_goes_on() {
    let place = Place::new();
    let mut calls = b"not json\n{\"tool\": 1}\n{\"tool\": \"read_file\", \"arsg\": {}}\n".to_vec();
    calls.extend_from_slice(
        b"{\"tool\": \"t\", \"tool\": \"u\"}\n\xff\xfe{}\n\xef\xbb\xbf{\"tool\": \"t\"}\n[]\n",
    );
    calls.extend_from_slice(
        b"{\"id\": \"x\", \"tool\": \"read_file\", \"args\": {\"path\": \"README.md\"}}\n",
    );
    calls.extend_from_slice(
        b"{\"id\": \"x\", \"tool\": \"read_file\", \"args\": {\"path\": \"README.md\"}}\n",
    );
    calls.extend_from_slice(
        format!("{{\"tool\": \"t\", \"args\": {{\"x\": {}1{}}}}}\n", "[".repeat(65), "]".repeat(65))
            .as_bytes(),
    );
    calls.extend_from_slice(
        b"{\"tool\": \"a\0b\"}\n{\"tool\": \"read_file\", \"args\": {\"path\": \"README.md\"}}\r\n\n",
    );
    calls.extend_from_slice(b"{\"tool\": \"read_file\", \"args\": {\"path\": \"");
    calls.extend(std::iter::repeat_n(b'x', 3 << 20));
    calls.extend_from_slice(b"\"}}\n{\"tool\": \"read_file\", \"args\": {\"path\": \"README.md\"}}");
    let ended = decide(&place, &[], &calls);
    let digest = regex::Regex::new(r#","policy":"[^"]*""#).unwrap();
    insta::assert_snapshot!(digest.replace_all(&ended.to_string(), ""));
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let place = Place::new();
    let work = place.work();
    place.file("p.toll", POLICY).file("world.yaml", WORLD);
    let mut child =
        place.command(&work, &["decide", "--policy", "p.toll", "--world", "world.yaml"]).spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    for _ in 0..1_000 {
        let line = b"{\"tool\": \"read_file\", \"args\": {\"path\": \"README.md\"}}\n";
        if std::io::Write::write_all(&mut input, line).is_err() {
            break;
        }
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stderr, b"");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_verdict_never_shows_where_a_layer_lies_outside_the_workspace() {
    let place = Place::new();
    place.file("../far/deep/p.toll", POLICY).file("near/p.toll", POLICY).file(".env", "");
    let call = br#"{"tool": "read_file", "args": {"path": ".env"}}"#;
    for (path, at) in
        [("far/deep/p.toll", "p.toll:"), ("far/deep", "p.toll:"), ("work/near/p.toll", "near/p.toll:")]
    {
        let path = place.root().join(path);
        let ended = place.run_with(&["decide", "--policy", path.to_str().unwrap()], call);
        assert!(ended.stdout.contains(&format!("\"at\":\"{at}")), "{ended}");
        assert!(!ended.stdout.contains("[TMP]"), "{ended}");
    }
}

#[test]
fn a_virtual_world_has_its_own_workspace() {
    let ended = decide(&Place::new(), &["--workspace", "."], b"");
    assert_eq!(ended.status, Some(2));
    assert!(ended.stderr.contains("the world says where its workspace is"), "{ended}");
}
