//! Hooks of a configuration, through the real program.

use super::Place;
use crate::gate::hook_failures::{answering, put_program};

const POLICY: &str = "tollgate 1\n\nallow everything { on any }\n";
const GO_ON: &str = r#"{"v":1,"callId":"ID","outcome":"continue"}"#;

fn place(more: &str) -> Place {
    let place = Place::new();
    let config = format!(
        "layers:\n  - name: policy\n    path: p.toll\n\
         hooks:\n  - name: guard\n    stage: pre\n    command: [./hooks/guard]\n{more}"
    );
    place.file("../etc/p.toll", POLICY).file("../etc/tollgate.yaml", config);
    put_program(&place.root().join("etc/hooks/guard"), &answering(GO_ON));
    place
}

fn run(place: &Place, calls: &str) -> super::Ended {
    place.run_with(&["run", "--config", "../etc/tollgate.yaml"], calls.as_bytes())
}

#[test]
fn hooks_are_listed_at_the_start() {
    let ended = run(&place(""), "{\"tool\": \"list_dir\"}\n");
    assert!(ended.stdout.contains("\"status\":\"ok\""), "{ended}");
    let line = "hook guard (pre, on failure block) -> [TMP]/etc/./hooks/guard: sha256:[DIGEST]\n";
    assert!(ended.stderr.starts_with(&line.replace("/./", "/")), "{ended}");
}

#[test]
fn a_call_does_not_write_to_the_program_of_a_hook() {
    let place = place("");
    let path = place.root().join("etc/hooks/guard");
    let calls = format!(
        "{{\"tool\": \"shell\", \"args\": {{\"command\": \"echo > {0}\"}}}}\n\
         {{\"tool\": \"shell\", \"args\": {{\"command\": \"rm -r {1}\"}}}}\n",
        path.display(),
        path.parent().unwrap().display()
    );
    let ended = run(&place, &calls);
    let blocked = |line: &str| line.contains("\"status\":\"rejected\"") && line.contains("gate/self");
    assert_eq!(ended.stdout.lines().filter(|line| blocked(line)).count(), 2, "{ended}");
    assert!(path.exists());
}

#[test]
fn a_digest_that_does_not_fit_blocks() {
    let wrong = format!("    digest: sha256:{}\n", "0".repeat(64));
    let ended = run(&place(&wrong), "{\"tool\": \"list_dir\"}\n");
    let words = "blocked by hook:guard: the hook was not asked: its program is not the one that was pinned";
    assert!(ended.stdout.contains(words), "{ended}");
    assert!(ended.stdout.contains("\"code\":\"hook\""), "{ended}");
}

#[test]
fn a_project_brings_no_hooks() {
    let place = Place::new();
    place.file("tollgate.yaml", "hooks:\n  - {name: mine, stage: pre, command: [./mine]}\n");
    let ended = place.run_with(&["run"], b"{\"tool\": \"list_dir\"}\n");
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""), "{ended}");
    assert!(
        ended.stderr.contains("tollgate.yaml:1:1: a project's configuration may not bring `hooks`"),
        "{ended}"
    );
}

#[test]
fn two_files_have_no_hook_of_one_name() {
    let place = place("");
    place.file(
        "../home/.config/tollgate/tollgate.yaml",
        "hooks:\n  - {name: guard, stage: post, command: [/bin/true]}\n",
    );
    let ended = run(&place, "");
    assert!(ended.stderr.contains("another file has a hook `guard` too"), "{ended}");
}
