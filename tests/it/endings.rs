//! The four endings of a call (ok, bad arguments, refused, time-out), from the library and from the
//! command line: the same codes, the same words, the same events.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tollgate::gate::{Cancellation, EffectClass};

use crate::cli::Place;
use crate::gate::support::{Body, Probe, Setting, line};

const RULES: &str = r#"block secrets { on read  when path in {"**/.env"}  because "{path} holds credentials" }
"#;

fn calls(slow: Value) -> [Value; 4] {
    [
        json!({"id": "ok", "tool": "read_text", "args": {"path": "a.txt"}}),
        json!({"id": "bad-arguments", "tool": "read_text", "args": {"file": "a.txt"}}),
        json!({"id": "refused", "tool": "read_file", "args": {"path": ".env"}}),
        slow,
    ]
}

/// What must not differ between the two ways in: no clock, no digest of the policy.
fn steady(envelope: &Value) -> Value {
    let mut steady = envelope.clone();
    steady["timing"] = json!("…");
    if let Some(verdict) = steady["verdict"].as_object_mut() {
        verdict.insert("policy".to_owned(), json!("…"));
    }
    for reason in steady["verdict"]["reasons"].as_array_mut().into_iter().flatten() {
        reason.as_object_mut().unwrap().remove("at");
    }
    steady
}

fn shown(envelopes: &[Value], records: &[Value]) -> String {
    let mut text = String::new();
    for envelope in envelopes {
        let id = envelope["callId"].as_str().unwrap();
        let word = |key: &str| envelope[key].as_str().unwrap_or("-").to_owned();
        writeln!(text, "{id}: {} {} | {}", word("status"), word("code"), word("summary")).unwrap();
        for record in records.iter().filter(|record| record["callId"] == id) {
            let word = |key: &str| record[key].as_str().unwrap_or("-").to_owned();
            writeln!(text, "    {} {} by {}", word("stage"), word("outcome"), word("by")).unwrap();
        }
    }
    text
}

async fn by_library() -> (Vec<Value>, Vec<Value>) {
    let slow = Probe::new("slow", Body::Sleep, EffectClass::ReadOnly, Cancellation::Immediate);
    let (gate, place, sink) = Setting::new().policy(RULES).tool(slow).gate();
    place.put("a.txt", "hello\n");
    place.put(".env", "TOKEN=x\n");
    let mut envelopes = Vec::new();
    for call in calls(json!({"id": "time-out", "tool": "slow", "timeoutMs": 200})) {
        envelopes.push(line(&gate, &call).await);
    }
    (envelopes, sink.records())
}

fn by_command_line() -> (Vec<Value>, Vec<Value>) {
    let place = Place::new();
    let policy = format!("{}{RULES}", crate::gate::support::OPEN_POLICY);
    place.file("../policy/p.toll", policy).file("a.txt", "hello\n").file(".env", "TOKEN=x\n");
    let slow = json!({"id": "time-out", "tool": "shell", "args": {"command": "sleep 5"}, "timeoutMs": 200});
    let lines: String = calls(slow).iter().map(|call| format!("{call}\n")).collect();
    let arguments = ["run", "--policy", "../policy/p.toll", "--state", "../state"];
    let ended = place.run_with(&arguments, lines.as_bytes());
    let envelopes = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let log = place.text("../state/audit.jsonl");
    (envelopes, log.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_from_library_and_command_line() {
    let (library, library_records) = by_library().await;
    let (command_line, command_line_records) = by_command_line();
    for (a, b) in library.iter().zip(&command_line).take(3) {
        assert_eq!(steady(a), steady(b));
    }
    let word = |envelope: &Value, key: &str| envelope[key].as_str().unwrap().to_owned();
    let (a, b) = (library.last().unwrap(), command_line.last().unwrap());
    assert_eq!(word(a, "code"), word(b, "code"));
    assert_eq!(word(a, "summary").replace("slow", "TOOL"), word(b, "summary").replace("shell", "TOOL"));
    let both = format!(
        "library\n{}\ncommand line\n{}",
        shown(&library, &library_records),
        shown(&command_line, &command_line_records)
    );
    insta::assert_snapshot!(both);
    for envelope in library.iter().chain(&command_line).filter(|envelope| envelope["status"] != "ok") {
        let text = envelope.to_string();
        assert!(!text.contains("hello") && !text.contains("TOKEN"), "raw output: {text}");
        assert!(!text.contains("/tmp"), "a path outside the workspace: {text}");
    }
}
