//! Rules on results: what they hold back, what they rewrite, and what nobody sees of it.

use serde_json::{Value, json};
use tollgate::gate::hook::{HookOutcome, HookStage};
use tollgate::gate::{Cancellation, EffectClass};

use super::support::*;

fn asks(data: fn() -> Value) -> Probe {
    Probe::new("inquire", Body::Give(data), EffectClass::ReadOnly, Cancellation::Immediate)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blocked_result_is_withheld_and_said_so() {
    let rules = "block no-customers {\n  on result of read by read_file\n  \
                 when result.text contains /customer-[0-9]+/ and path.ext is \"csv\"\n  \
                 because \"{path} names customers: {result.text}\"\n  fix \"ask for the counts\"\n}\n";
    let (gate, place, sink) = Setting::new().policy(rules).gate();
    place.put("a.csv", "id\ncustomer-1234\n");
    place.put("b.csv", "id\nnobody\n");
    place.put("a.txt", "customer-1234\n");
    let held = call(&gate, "read_file", json!({"path": "a.csv"})).await;
    assert_eq!(end(&held), "failed/result-rule", "{held:#}");
    assert_eq!(held["retry"], json!({"allowed": false, "afterMs": null, "requiresInspection": true}));
    assert_eq!(held["data"], Value::Null);
    let summary = held["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("the call ran; its result is held back by policy/no-customers: a.csv"),
        "{summary}"
    );
    assert!(summary.ends_with("; instead: ask for the counts"), "{summary}");
    assert!(!held.to_string().contains("customer-1234"), "{held:#}");
    assert_eq!(held["verdict"]["verdict"], "allow", "the call itself was let through");
    assert_eq!(held["verdict"]["reasons"][0]["rule"], "policy/no-customers");
    let records = sink.records();
    let record = records.iter().find(|record| record["stage"] == "result-rules").unwrap();
    assert_eq!((&record["by"], &record["outcome"]), (&json!("policy/no-customers"), &json!("block")));
    assert!(!format!("{records:?}").contains("customer-1234"));
    for path in ["b.csv", "a.txt"] {
        assert_eq!(end(&call(&gate, "read_file", json!({"path": path})).await), "ok", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_sees_the_result_as_it_came_and_as_it_is_shown() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    for (condition, content, ended) in [
        ("result.text contains \"ghp_\"", format!("x {token}"), "failed/result-rule"),
        ("result.text contains \"[REDACTED:\"", format!("x {token}"), "failed/result-rule"),
        ("result.text contains \"[REDACTED:\"", "x".to_owned(), "ok"),
        ("result.text matches /(?s).*line 2\\n/", "line 1\nline 2\n".to_owned(), "failed/result-rule"),
        ("result.size > 1KB", "x".repeat(1_025), "failed/result-rule"),
        ("result.size > 1KB", "x".repeat(1_024), "ok"),
        ("not result.text contains \"signed\"", "plain".to_owned(), "failed/result-rule"),
        // What cannot be known counts.
        ("args.limit > 3 and result.text contains \"x\"", "x".to_owned(), "ok"),
        ("args.limit is not 3 and result.text contains \"x\"", "x".to_owned(), "failed/result-rule"),
        ("args.limit is not 3 and result.text contains \"x\"", "y".to_owned(), "ok"),
    ] {
        let rules = format!("block b {{\n  on result of read\n  when {condition}\n}}\n");
        let (gate, place, _) = Setting::new().policy(&rules).gate();
        place.put("a", &content);
        let envelope = call(&gate, "read_file", json!({"path": "a"})).await;
        assert_eq!(end(&envelope), ended, "{condition}: {envelope:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_sees_all_of_a_long_result_that_is_shown_in_part() {
    let rules =
        "block b {\n  on result of nothing by inquire\n  when result.text contains \"in the middle\"\n}\n";
    let data = || json!({"text": format!("{0}in the middle{0}", "x".repeat(100_000))});
    let (gate, _place, _) = Setting::new().tool(asks(data)).policy(rules).gate();
    assert_eq!(end(&call(&gate, "inquire", json!({})).await), "failed/result-rule");
}

#[tokio::test(flavor = "multi_thread")]
async fn redact_rules_rewrite_where_their_condition_holds() {
    let rules = "redact cards {\n  on result of read\n  when path.ext is \"csv\"\n  \
                 replace /(?:[0-9]{4} ?){4}/ with \"[CARD]\"\n}\n\
                 redact names {\n  on result of read\n  unless result.text contains \"public\"\n  \
                 replace /ADA/i with \"A.\"\n}\n";
    let (gate, place, _) = Setting::new().policy(rules).gate();
    place.put("a.csv", "Ada 1234 5678 9012 3456");
    place.put("a.txt", "ada 1234 5678 9012 3456");
    place.put("ada.txt", "Ada is public");
    let text = async |path: &str| {
        let envelope = call(&gate, "read_file", json!({"path": path})).await;
        (
            envelope["data"]["text"].as_str().unwrap().to_owned(),
            envelope["summary"].as_str().unwrap().to_owned(),
        )
    };
    assert_eq!(text("a.csv").await.0, "A. [CARD]");
    assert_eq!(text("a.txt").await.0, "A. 1234 5678 9012 3456");
    let (kept, summary) = text("ada.txt").await;
    assert_eq!(kept, "Ada is public");
    assert!(summary.starts_with("read ada.txt"), "{summary}");
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_and_what_lies_deep_are_rewritten_and_json_stays_json() {
    let rules = "redact ids {\n  on result of nothing by inquire\n  replace /[a-z]+@[a-z.]+/ with \"<mail>\"\n  \
                 replace secrets with \"<gone>\"\n}\n";
    let data = || {
        json!({"a@b.example": [{"to": "c@d.example", "n": 7}], "e@f.example": null,
               "login": {"password": "hunter2!", "url": "https://u:pa55word7@h.example/"}})
    };
    let (gate, _place, _) = Setting::new().tool(asks(data)).policy(rules).gate();
    let envelope = call(&gate, "inquire", json!({})).await;
    let expected = json!({"<mail>": [{"to": "<mail>", "n": 7}], "<mail>#2": null,
                          "login": {"password": "<gone>", "url": "https://u:<gone>@h.example/"}});
    assert_eq!(envelope["data"], expected, "{envelope:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_hook_returns_is_judged_like_a_result() {
    let rules = "block b {\n  on result of read\n  when result.text contains \"forbidden\"\n}\n\
                 redact r {\n  on result of read\n  replace /name-[0-9]+/ with \"name-x\"\n}\n";
    for (returned, ended) in [("name-1", "ok"), ("forbidden", "failed/hook")] {
        let says = move |_: &tollgate::gate::hook::Question| modify(json!({"text": returned}));
        let (gate, place, _) = Setting::new().policy(rules).hook("h", HookStage::Post, says).gate();
        place.put("a", "x");
        let envelope = call(&gate, "read_file", json!({"path": "a"})).await;
        assert_eq!(end(&envelope), ended, "{envelope:#}");
        assert!(!envelope.to_string().contains("name-1"), "{envelope:#}");
        assert!(ended == "ok" || !envelope["data"].is_object());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_hook_sees_a_result_that_is_held_back() {
    let rules = "block b {\n  on result of read\n  when result.text contains \"x\"\n}\n";
    let says = |_: &tollgate::gate::hook::Question| -> tollgate::gate::hook::Answer {
        tollgate::gate::hook::Answer { outcome: HookOutcome::Modify(serde_json::Map::new()), reason: None }
    };
    let (gate, place, sink) = Setting::new().policy(rules).hook("h", HookStage::Post, says).gate();
    place.put("a", "x");
    let envelope = call(&gate, "read_file", json!({"path": "a"})).await;
    assert_eq!(end(&envelope), "failed/result-rule", "{envelope:#}");
    assert!(!sink.stages().iter().any(|stage| stage.contains("hook")), "{:?}", sink.stages());
}
