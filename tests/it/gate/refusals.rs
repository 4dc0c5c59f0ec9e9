//! What the gate refuses: nothing runs, and it is recorded.

use serde_json::json;
use tollgate::gate::{Cancellation, EffectClass, Intent};

use super::support::*;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_call() {
    let (gate, _place, sink) = Setting::new().gate();
    let bad = gate.run(Intent::Line { number: 7, text: "{\"tool\": 1}".to_owned() }).await.to_json();
    assert_eq!(end(&bad), "rejected/invalid-call");
    assert!(bad["summary"].as_str().unwrap().starts_with("line 7 is no call: "), "{bad:#}");
    let long = Intent::Unreadable { number: 8, reason: "it is longer than 1 MiB".to_owned() };
    assert_eq!(end(&gate.run(long).await.to_json()), "rejected/invalid-call");
    assert_eq!(sink.stages(), ["parse", "close", "parse", "close"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_tools_and_arguments_that_do_not_fit() {
    let (gate, _place, sink) = Setting::new().gate();
    assert_eq!(end(&call(&gate, "no_such_tool", json!({})).await), "rejected/unknown-tool");
    for args in [json!({}), json!({"path": 1}), json!({"path": "a", "mode": "x"})] {
        let envelope = call(&gate, "read_file", args).await;
        assert_eq!(end(&envelope), "rejected/invalid-arguments", "{envelope:#}");
    }
    assert!(!sink.stages().contains(&"open".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_is_a_credential_is_refused_and_shown_nowhere() {
    let (gate, _place, sink) = Setting::new().gate();
    let id = format!("ghp_{}", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX".get(..36).unwrap());
    let envelope = line(&gate, &json!({"id": id, "tool": "list_dir", "args": {}})).await;
    assert_eq!(end(&envelope), "rejected/invalid-call", "{envelope:#}");
    assert!(!envelope.to_string().contains(&id) && !format!("{:?}", sink.records()).contains(&id));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_is_used_once_in_a_session() {
    let (gate, place, _) = Setting::new().gate();
    place.put("a", "x");
    let with =
        |session: &str| json!({"id": "c1", "tool": "read_file", "args": {"path": "a"}, "session": session});
    assert_eq!(end(&line(&gate, &with("s1")).await), "ok");
    assert_eq!(end(&line(&gate, &with("s2")).await), "ok");
    assert_eq!(end(&line(&gate, &with("s1")).await), "rejected/invalid-call");
}

#[tokio::test(flavor = "multi_thread")]
async fn clauses_that_are_not_enforced_refuse() {
    for (rule, clause) in [("allow a { on read  limit calls 3 per session }", "`limit calls` of policy/a")] {
        let (gate, place, sink) = Setting::new().policy(rule).gate();
        place.put("a", "x");
        let envelope = call(&gate, "read_file", json!({"path": "a"})).await;
        assert_eq!(end(&envelope), "rejected/not-enforced", "{envelope:#}");
        assert!(envelope["summary"].as_str().unwrap().contains(clause), "{envelope:#}");
        assert!(!sink.stages().contains(&"open".to_owned()));
    }
    let mut setting = Setting::new();
    setting.policy = "tollgate 1\nlabels seen\ndefault block\nallow a { on read  mark seen }\n".to_owned();
    let (gate, place, _) = setting.gate();
    place.put("a", "x");
    assert_eq!(end(&call(&gate, "read_file", json!({"path": "a"})).await), "rejected/not-enforced");
    let (gate, _place, _) = Setting::new().policy("allow held { on exec  limit grade held }").gate();
    assert_eq!(end(&call(&gate, "shell", json!({"command": "echo x"})).await), "rejected/not-enforced");
    let (gate, _place, _) = Setting::new().gate();
    let background = json!({"tool": "shell", "args": {"command": "echo x"}, "background": true});
    assert_eq!(end(&line(&gate, &background).await), "rejected/not-enforced");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_a_person_does_not_run() {
    for (unattended, expected) in [(false, "rejected/approval"), (true, "rejected/policy")] {
        let mut setting = Setting::new().policy("ask first { on read  because \"reading is asked\" }");
        setting.unattended = unattended;
        let (gate, place, sink) = setting.gate();
        place.put("a", "x");
        let envelope = call(&gate, "read_file", json!({"path": "a"})).await;
        assert_eq!(end(&envelope), expected, "{envelope:#}");
        assert_eq!(envelope["summary"].as_str().unwrap().contains("sha256:"), !unattended);
        assert!(!sink.stages().contains(&"open".to_owned()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_policy_holds_for_the_next_call() {
    let (gate, place, _) = Setting::new().gate();
    place.put("a", "x");
    assert_eq!(end(&call(&gate, "read_file", json!({"path": "a"})).await), "ok");
    gate.replace_program(program("tollgate 1\ndefault block\n", gate.registry()));
    assert_eq!(end(&call(&gate, "read_file", json!({"path": "a"})).await), "rejected/policy");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_of_a_tool_is_contained() {
    for (class, expected) in
        [(EffectClass::ReadOnly, "failed/internal"), (EffectClass::Irreversible, "unknown/internal")]
    {
        let probe = Probe::new("probe", Body::Panic, class, Cancellation::Immediate);
        let (gate, _place, sink) = Setting::new().tool(probe).gate();
        let envelope = call(&gate, "probe", json!({})).await;
        assert_eq!(end(&envelope), expected);
        assert!(!envelope.to_string().contains("a fault of the tool"));
        assert_eq!(sink.stages().iter().filter(|stage| *stage == "close").count(), 1);
        assert_eq!(end(&call(&gate, "probe", json!({})).await), expected, "the gate goes on");
    }
}
