//! The shell tool through the gate.

use std::time::{Duration, Instant};

use serde_json::json;

use super::support::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_command_runs_in_its_directory() {
    let (gate, place, _) = Setting::new().gate();
    std::fs::create_dir(place.workspace.join("sub")).unwrap();
    let envelope =
        call(&gate, "shell", json!({"command": "echo hi; cat none 1>&2; exit 4", "cwd": "sub"})).await;
    assert_eq!(envelope["status"], "ok", "{envelope:#}");
    assert_eq!(envelope["data"]["exitCode"], 4);
    assert_eq!(envelope["data"]["stdout"], "hi\n");
    assert_eq!(envelope["grade"], "advised");
    let envelope = call(&gate, "shell", json!({"command": "echo hi", "cwd": "none"})).await;
    assert_eq!(envelope["status"], "rejected", "{envelope:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_ends_at_its_time_limit_with_all_it_started() {
    let (gate, _place, _) = Setting::new().gate();
    let started = Instant::now();
    let command = json!({"command": "sleep 8881 & sleep 8882"});
    let envelope = line(&gate, &json!({"tool": "shell", "args": command, "timeoutMs": 300})).await;
    // Beside other tests that run programs, an orphan could be anybody's: then it is not certain.
    assert!(["failed/time-limit", "unknown/time-limit"].contains(&end(&envelope).as_str()), "{envelope:#}");
    assert!(started.elapsed() < Duration::from_secs(10));
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        assert!(!line.contains("\u{0}8881") && !line.contains("\u{0}8882"), "{line}");
    }
}
