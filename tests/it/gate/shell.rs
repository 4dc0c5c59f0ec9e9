//! The shell tool through the gate.

use serde_json::json;
use tollgate::host::fs::{RealWorld, Setup};

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
    let command = json!({"command": "sleep 8881 & sleep 8882"});
    let envelope = line(&gate, &json!({"tool": "shell", "args": command, "timeoutMs": 300})).await;
    // Beside other tests that run programs, an orphan could be anybody's: then it is not certain.
    assert!(["failed/time-limit", "unknown/time-limit"].contains(&end(&envelope).as_str()), "{envelope:#}");
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        assert!(!line.contains("\u{0}8881") && !line.contains("\u{0}8882"), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn relative_paths_begin_where_they_were_judged_to_begin() {
    let mut setting = Setting::new();
    let sub = setting.place.workspace.join("sub");
    std::fs::create_dir(&sub).unwrap();
    setting.place.put("sub/a.txt", "below");
    setting.place.put("a.txt", "above");
    setting.world = Some(std::sync::Arc::new(RealWorld::new(Setup {
        workspace: setting.place.workspace.to_str().unwrap().to_owned(),
        cwd: Some(sub.to_str().unwrap().to_owned()),
        environment: tollgate::host::process::environment(),
        ..Setup::default()
    })));
    let (gate, _place, _) = setting.gate();
    let read = call(&gate, "read_text", json!({"path": "a.txt"})).await;
    assert_eq!(read["data"]["text"], "below", "{read:#}");
    assert_eq!(call(&gate, "read_text", json!({"path": "../a.txt"})).await["status"], "rejected");
    let shell = call(&gate, "shell", json!({"command": "cat a.txt"})).await;
    assert_eq!(shell["data"]["stdout"], "below", "{shell:#}");
    let tilde = call(&gate, "shell", json!({"command": "cat a.txt", "cwd": "~/x"})).await;
    assert_eq!(tilde["status"], "rejected", "{tilde:#}");
}
