//! `run`: envelopes, what is kept, how a run ends.

use super::{Ended, POLICY, Place};

/// What differs from run to run, taken out.
fn steady(text: &str) -> String {
    let patterns = [
        (r#""startedAt":"[^"]*""#, r#""startedAt":"[TIME]""#),
        (r#""elapsedMs":\d+"#, r#""elapsedMs":[MS]"#),
        (r#""callId":"[0-9a-f-]{36}""#, r#""callId":"[ID]""#),
        (r"(?m)^[0-9a-f]{8}-[0-9a-f-]{27}", "[ID]"),
    ];
    patterns.iter().fold(text.to_owned(), |text, (pattern, with)| {
        regex::Regex::new(pattern).unwrap().replace_all(&text, *with).into_owned()
    })
}

fn project() -> Place {
    let place = Place::new();
    place.file("../policy/p.toll", POLICY).file("README.md", "# Hello\n").file(".env", "TOKEN=x\n");
    place
}

fn run(place: &Place, more: &[&str], calls: &[u8]) -> Ended {
    place.run_with(&[&["run", "--policy", "../policy/p.toll"], more].concat(), calls)
}

const CALLS: &[u8] = br#"{"id": "a", "tool": "read_file", "args": {"path": "README.md"}}
{"id": "b", "tool": "read_file", "args": {"path": ".env"}}
{"id": "c", "tool": "shell", "args": {"command": "git push"}}
"#;

#[test]
fn one_envelope_a_call() {
    insta::assert_snapshot!(steady(&run(&project(), &[], CALLS).to_string()));
}

#[test]
fn envelopes_for_people() {
    insta::assert_snapshot!(steady(&run(&project(), &["--format", "text"], CALLS).to_string()));
}

#[test]
fn lines_that_are_no_calls_are_named_and_the_next_goes_on() {
    let mut calls = b"nonsense\n{\"tool\": \"read_file\", \"x\": 1}\n".to_vec();
    calls.extend(std::iter::repeat_n(b'x', 3 << 20));
    calls.extend_from_slice(
        b"\n{\"id\": \"a\", \"tool\": \"read_file\", \"args\": {\"path\": \"README.md\"}}\n",
    );
    let ended = run(&project(), &["--format", "text"], &calls);
    insta::assert_snapshot!(steady(&ended.to_string()));
}

#[test]
fn what_it_refuses_to_begin() {
    let place = project();
    let mut out = String::new();
    for arguments in [
        &["run"][..],
        &["run", "--policy", "../policy/p.toll", "--world", "w.yaml"],
        &["run", "--policy", "../policy/p.toll", "--calls", "nowhere.jsonl"],
        &["run", "--policy", "../policy/p.toll", "--workspace-copy", "nowhere"],
        &["run", "--policy", "../policy/p.toll", "--state", "README.md"],
    ] {
        let ended = place.run_with(arguments, CALLS);
        assert_eq!(ended.status, Some(2), "{arguments:?}: {ended}");
        out += &format!("tollgate {}\n{ended}\n", arguments.join(" "));
    }
    insta::assert_snapshot!(out);
}

#[test]
fn the_state_is_private_and_out_of_reach() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = project();
    place.file("../policy/p.toll", format!("{POLICY}\nallow writes {{ on write }}\n"));
    let call = b"{\"tool\": \"write_file\", \"args\": {\"path\": \"../policy/p.toll\", \"content\": \"\"}}\n{\"tool\": \"write_file\", \"args\": {\"path\": \"tollgate.yaml\", \"content\": \"\"}}\n{\"tool\": \"write_file\", \"args\": {\"path\": \"../state/audit.jsonl\", \"content\": \"\"}}\n{\"tool\": \"write_file\", \"args\": {\"path\": \"free.txt\", \"content\": \"\"}}\n";
    let ended = run(&place, &["--state", "../state"], call);
    let statuses: Vec<&str> = ended
        .stdout
        .lines()
        .map(|line| {
            if line.contains("gate/self") {
                "gate/self"
            } else if line.contains("\"ok\"") {
                "ok"
            } else {
                "?"
            }
        })
        .collect();
    assert_eq!(statuses, ["gate/self", "gate/self", "gate/self", "ok"], "{ended}");
    let state = place.root().join("state");
    assert_eq!(std::fs::metadata(&state).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(std::fs::read_to_string(state.join("audit.jsonl")).unwrap().lines().count() >= 4);
}

#[test]
fn state_lies_below_home_where_nothing_else_is_said() {
    let place = project();
    run(&place, &[], CALLS);
    let folder = place.root().join("home/.local/state/tollgate");
    let inside: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(inside.len(), 1);
    assert_eq!(inside[0].len(), 64);
}

#[test]
fn a_copy_of_the_workspace_leaves_the_original_alone() {
    let place = project();
    place.file("../policy/p.toll", format!("{POLICY}\nallow writes {{ on write }}\n"));
    place.file("app/notes.txt", "old\n");
    let call = b"{\"tool\": \"write_file\", \"args\": {\"path\": \"notes.txt\", \"content\": \"new\\n\"}}\n{\"tool\": \"read_file\", \"args\": {\"path\": \"notes.txt\"}}\n";
    let ended = run(&place, &["--workspace-copy", "app"], call);
    assert!(ended.stdout.lines().all(|line| line.contains("\"status\":\"ok\"")), "{ended}");
    assert!(ended.stdout.contains("new"), "{ended}");
    assert_eq!(place.text("app/notes.txt"), "old\n");
    assert!(!place.root().join("home").exists(), "nothing is kept");
}

#[test]
fn a_request_to_end_stops_the_call_and_the_run() {
    let place = project();
    place.file(
        "../policy/p.toll",
        format!("{POLICY}\nallow sleep {{ on exec  when command is `sleep ...` }}\n"),
    );
    let mut child = place.command(&place.work(), &["run", "--policy", "../policy/p.toll"]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let call = b"{\"tool\": \"shell\", \"args\": {\"command\": \"sleep 60\"}}\n";
    std::io::Write::write_all(&mut input, call).unwrap();
    // The opening record is on disk before the program starts.
    let state = place.root().join("home/.local/state/tollgate");
    let opened = || {
        let folder = std::fs::read_dir(&state).ok()?.next()?.ok()?.path();
        let log = std::fs::read_to_string(folder.join("audit.jsonl")).ok()?;
        log.contains("\"durability\"").then_some(())
    };
    for _ in 0..400 {
        if opened().is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    drop(input);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    assert!(stdout.contains("\"cancelled\""), "{stdout}");
}

#[test]
fn a_run_says_where_its_log_is_and_whether_it_stays() {
    let place = project();
    let kept = run(&place, &["--workspace-copy", ".", "--state", "../kept"], CALLS);
    assert!(kept.stderr.contains("audit log: [TMP]/kept/audit.jsonl: sync, records survive"), "{kept}");
    assert!(place.root().join("kept/audit.jsonl").exists());
    let gone = run(&place, &["--workspace-copy", "."], CALLS);
    assert!(gone.stderr.contains("audit log: removed with the copy of the workspace"), "{gone}");
    assert!(!gone.stderr.contains("survive"), "{gone}");
}

#[test]
fn a_condition_that_could_not_be_known_is_not_stated_as_a_fact() {
    let calls = br#"{"tool": "shell", "args": {"command": "cat \"$X\""}}"#;
    let ended = run(&project(), &["--format", "text"], calls);
    assert!(ended.stdout.contains("could not be known: `path in"), "{ended}");
    assert!(!ended.stdout.contains("holds credentials"), "{ended}");
}

#[test]
fn a_tool_that_is_not_there_is_told_from_a_slip() {
    let ended = run(&project(), &["--format", "text"], br#"{"tool": "raed_file"}"#);
    assert!(ended.stdout.contains("there is no tool `raed_file`, did you mean `read_file`?"), "{ended}");
}
