//! The file tools.

use serde_json::{Value, json};

use super::support::*;

#[tokio::test(flavor = "multi_thread")]
async fn read_text_at_its_limits() {
    let (gate, place, sink) = Setting::new().gate();
    place.put("whole.txt", "x".repeat(20_480));
    place.put("more.txt", "x".repeat(20_481));
    place.put("wide.txt", format!("a{}", "é".repeat(20_000)));
    place.put("empty.txt", "");
    let whole = call(&gate, "read_text", json!({"path": "whole.txt"})).await;
    assert_eq!(whole["status"], "ok", "{whole:#}");
    assert_eq!((&whole["data"]["bytes"], &whole["data"]["truncated"]), (&json!(20_480), &json!(false)));
    assert_eq!(whole["data"]["text"].as_str().unwrap().len(), 20_480);
    let more = call(&gate, "read_text", json!({"path": "more.txt"})).await;
    assert_eq!(more["data"], json!({"text": "x".repeat(2_048), "bytes": 20_481, "truncated": true}));
    let wide = call(&gate, "read_text", json!({"path": "wide.txt"})).await;
    assert_eq!(
        wide["data"],
        json!({"text": format!("a{}", "é".repeat(1_023)), "bytes": 40_001, "truncated": true})
    );
    let empty = call(&gate, "read_text", json!({"path": "empty.txt"})).await;
    assert_eq!(empty["data"], json!({"text": "", "bytes": 0, "truncated": false}));
    let stages = ["parse", "schema", "decide", "facts", "open", "execute", "scrub", "close"];
    assert_eq!(sink.stages(), stages.repeat(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn read_text_refuses_what_is_not_its_own_even_where_the_policy_allows() {
    let mut setting = Setting::new();
    setting.policy = "tollgate 1\ndefault allow\n".to_owned();
    let (gate, place, sink) = setting.gate();
    std::fs::write(place.root.join("secret.txt"), "FORBIDDEN").unwrap();
    std::fs::create_dir(place.workspace.join("sub")).unwrap();
    std::fs::create_dir(place.workspace.join("dir.txt")).unwrap();
    for name in ["a.txt", "a.md", "sub/in.txt"] {
        place.put(name, "inside");
    }
    link(place.outside.join("secret.txt"), place.workspace.join("link.txt"));
    link("a.md", place.workspace.join("md.txt"));
    link("a.txt", place.workspace.join("txt.md"));
    link("a.txt", place.workspace.join("fine.txt"));
    let absolute = place.workspace.join("a.txt");
    for path in [
        "../secret.txt",
        "link.txt",
        absolute.to_str().unwrap(),
        "a.md",
        "md.txt",
        "txt.md",
        "dir.txt",
        "../ws/../secret.txt",
        "~/x.txt",
        "a",
        "",
    ] {
        let envelope = call(&gate, "read_text", json!({"path": path})).await;
        assert_eq!(envelope["status"], "rejected", "{path}: {envelope:#}");
        let text = envelope.to_string();
        assert!(!text.contains("FORBIDDEN") && !text.contains(place.root.to_str().unwrap()), "{text}");
    }
    assert!(!sink.stages().contains(&"open".to_owned()), "nothing ran");
    for path in ["a.txt", "fine.txt", "./a.txt", "sub/../a.txt", "sub/in.txt"] {
        assert_eq!(call(&gate, "read_text", json!({"path": path})).await["data"]["text"], "inside", "{path}");
    }
    let below = line(&gate, &json!({"tool": "read_text", "args": {"path": "../a.txt"}, "cwd": "sub"})).await;
    assert_eq!(below["status"], "rejected");
    let missing = call(&gate, "read_text", json!({"path": "none.txt"})).await;
    assert_eq!(end(&missing), "failed/tool-error");
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_writing_editing_listing() {
    let (gate, place, _) = Setting::new().gate();
    let wrote = call(&gate, "write_file", json!({"path": "a.md", "content": "one two\n"})).await;
    assert_eq!(wrote["data"], json!({"bytes": 8, "created": true}), "{wrote:#}");
    assert_eq!(wrote["summary"], "wrote a.md, 8 bytes");
    let edited = call(&gate, "edit_file", json!({"path": "a.md", "old": "two", "new": "three"})).await;
    assert_eq!(edited["status"], "ok", "{edited:#}");
    let read = call(&gate, "read_file", json!({"path": "a.md"})).await;
    assert_eq!(read["data"], json!({"text": "one three\n", "bytes": 10, "truncated": false}));
    assert_eq!(read["summary"], "read a.md, 10 bytes");
    assert_eq!(read["grade"], "held");
    place.put("b", "bb");
    let twice = call(&gate, "edit_file", json!({"path": "b", "old": "b", "new": "c"})).await;
    assert_eq!(end(&twice), "failed/tool-error");
    let never = call(&gate, "edit_file", json!({"path": "b", "old": "x", "new": "c"})).await;
    assert_eq!(end(&never), "failed/tool-error");
    std::fs::create_dir(place.workspace.join("d")).unwrap();
    let listed = call(&gate, "list_dir", json!({})).await;
    let names: Vec<_> =
        listed["data"]["entries"].as_array().unwrap().iter().map(|e| e["name"].clone()).collect();
    assert_eq!(names, ["a.md", "b", "d"]);
    place.put("binary", [0_u8, 159, 146, 150]);
    assert_eq!(end(&call(&gate, "read_file", json!({"path": "binary"})).await), "failed/tool-error");
    assert_eq!(end(&call(&gate, "read_file", json!({"path": "d"})).await), "rejected/invalid-arguments");
    let outside = call(&gate, "read_file", json!({"path": "../outside/secret.txt"})).await;
    assert_eq!(end(&outside), "rejected/policy");
    assert!(!outside.to_string().contains(place.root.to_str().unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_never_reach_envelope_or_log() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let (gate, place, sink) = Setting::new().gate();
    place.put("t.txt", format!("{}{token} more", "x ".repeat(20)));
    let read = call(&gate, "read_file", json!({"path": "t.txt"})).await;
    assert!(read["data"]["text"].as_str().unwrap().ends_with("[REDACTED:github-token] more"));
    call(&gate, "write_file", json!({"path": "u.txt", "content": token})).await;
    assert_eq!(std::fs::read_to_string(place.workspace.join("u.txt")).unwrap(), token);
    call(&gate, "read_file", json!({"path": token})).await;
    call(&gate, &token, json!({"path": {&*token: 1}})).await;
    gate.run(tollgate::gate::Intent::Line { number: 4, text: format!("{{\"{token}\": 1}}") }).await;
    let log = String::from_utf8(sink.bytes.lock().unwrap().clone()).unwrap();
    assert!(!log.contains(&token));
}

#[tokio::test(flavor = "multi_thread")]
async fn redact_rules_rewrite_results() {
    let rules = "redact customers { on result of read  replace /customer-[0-9]+/ with \"a customer\" }\n\
                 redact tokens { on result of read  replace secrets with \"<gone>\" }\n";
    let (gate, place, _) = Setting::new().policy(rules).gate();
    place.put("t.txt", format!("customer-12 ghp_{}", "a1B2".repeat(9)));
    let read = call(&gate, "read_file", json!({"path": "t.txt"})).await;
    assert_eq!(read["data"]["text"], "a customer <gone>", "{read:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_envelope_has_the_form_of_the_contract() {
    let (gate, place, sink) = Setting::new().gate();
    place.put("README.md", "x".repeat(1_204));
    let envelope =
        line(&gate, &json!({"id": "c1", "tool": "read_file", "args": {"path": "README.md"}})).await;
    let keys: Vec<_> = envelope.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "v", "callId", "tool", "status", "code", "summary", "grade", "verdict", "modified", "data",
        "artifact", "retry", "timing",
    ];
    assert_eq!(keys, expected);
    assert_eq!(envelope["callId"], "c1");
    assert_eq!(envelope["summary"], "read README.md, 1,204 bytes");
    assert_eq!(envelope["retry"], json!({"allowed": false, "afterMs": null, "requiresInspection": false}));
    assert_eq!(envelope["code"], Value::Null);
    let records = sink.records();
    assert!(records.iter().all(|record| record["callId"] == "c1" && record["v"] == 1));
}
