//! The reverse test: with one hook that always blocks, the same calls from every entry are refused in
//! the same words, and nothing runs. An entry is a line of the table.

use std::path::Path;

use serde_json::{Value, json};
use tollgate::gate::{Answer, HookSpec, HookStage};

use super::hook_failures::{answering, program_hook, put_program};
use super::support::*;
use crate::cli;

const WORDS: &str = "blocked by hook:wall: nothing runs here";
const ANSWER: &str = r#"{"v":1,"callId":"ID","outcome":"block","reason":"nothing runs here"}"#;

/// Calls that would show: each would touch the canary, look at it, or start something.
fn calls() -> Vec<Value> {
    [
        ("edit_file", json!({"path": "canary", "old": "alive", "new": "dead"})),
        ("write_file", json!({"path": "canary", "content": "dead"})),
        ("shell", json!({"command": "echo dead > canary"})),
        ("shell", json!({"command": "rm -f canary"})),
        ("read_file", json!({"path": "canary"})),
        ("read_text", json!({"path": "canary"})),
        ("list_dir", json!({})),
    ]
    .into_iter()
    .map(|(tool, args)| json!({"tool": tool, "args": args}))
    .collect()
}

/// Drives the calls through an entry; gives what the caller of each sees, and the folder they were
/// about.
type Entry = fn() -> (Vec<Value>, Canary);

/// A folder with a canary, and what keeps it alive.
struct Canary {
    file: std::path::PathBuf,
    _keep: Box<dyn std::any::Any>,
}

const ENTRIES: &[(&str, Entry)] = &[
    ("library, hook in process", library_in_process),
    ("library, hook program", library_program),
    ("command line", command_line),
];

fn library(setting: Setting) -> (Vec<Value>, Canary) {
    setting.place.put("canary", "alive");
    let (gate, place, _) = setting.gate();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let seen = runtime.block_on(async {
        let mut seen = Vec::new();
        for call in calls() {
            seen.push(line(&gate, &call).await);
        }
        seen
    });
    (seen, Canary { file: place.workspace.join("canary"), _keep: Box::new(place) })
}

fn library_in_process() -> (Vec<Value>, Canary) {
    library(Setting::new().hook("wall", HookStage::Pre, |_| Answer::block("nothing runs here")))
}

fn library_program() -> (Vec<Value>, Canary) {
    let setting = Setting::new();
    let path = setting.place.root.join("hooks/wall");
    put_program(&path, &answering(ANSWER));
    library(setting.hook_of(HookSpec::new("wall", HookStage::Pre), program_hook(&path)))
}

fn command_line() -> (Vec<Value>, Canary) {
    let place = cli::Place::new();
    let policy = OPEN_POLICY.replace("tollgate 1\n", "tollgate 1\n\n");
    place.file("canary", "alive").file("../etc/p.toll", policy).file(
        "../etc/tollgate.yaml",
        "layers:\n  - name: policy\n    path: p.toll\n\
             hooks:\n  - name: wall\n    stage: pre\n    command: [./wall]\n",
    );
    put_program(&place.root().join("etc/wall"), &answering(ANSWER));
    let input: String = calls().iter().map(|call| format!("{call}\n")).collect();
    let ended = place.run_with(&["run", "--config", "../etc/tollgate.yaml"], input.as_bytes());
    let seen = ended.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    (seen, Canary { file: place.work().join("canary"), _keep: Box::new(place) })
}

#[test]
fn every_entry_refuses_in_the_same_words_and_nothing_runs() {
    for (name, entry) in ENTRIES {
        let (seen, canary) = entry();
        assert_eq!(seen.len(), calls().len(), "{name}");
        for (envelope, call) in seen.iter().zip(calls()) {
            let place = format!("{name}: {call}: {envelope:#}");
            assert_eq!(end(envelope), "rejected/hook", "{place}");
            assert_eq!(envelope["summary"], WORDS, "{place}");
            assert_eq!(envelope["verdict"]["rules"], json!(["hook:wall"]), "{place}");
            assert!(envelope["data"].is_null(), "{place}");
        }
        assert_eq!(alive(&canary.file), "alive", "{name}");
    }
}

fn alive(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

/// The table is not vacuous: without the hook the same calls run.
#[test]
fn without_the_hook_the_same_calls_run() {
    let (seen, canary) = library(Setting::new());
    for (envelope, call) in seen.iter().zip(calls()).take(4) {
        assert_eq!(end(envelope), "ok", "{call}: {envelope:#}");
    }
    assert!(!canary.file.exists());
}

/// Every built-in tool stands in the table.
#[test]
fn every_tool_is_called() {
    let registry = tollgate::tools::builtin().unwrap();
    for (_, tool) in registry.definitions() {
        assert!(calls().iter().any(|call| call["tool"] == tool.name.as_str()), "{}", tool.name);
    }
}
