//! Time, cancelling, size.

use std::time::{Duration, Instant};

use serde_json::json;
use tollgate::gate::{Cancel, Cancellation, EffectClass, Intent};

use super::support::*;

#[tokio::test(flavor = "multi_thread")]
async fn the_smallest_time_limit_holds() {
    for (policy, timeout) in [("", Some(100)), ("allow slow { on nothing  limit time 1s }", None)] {
        let probe = Probe::new("probe", Body::Sleep, EffectClass::ReadOnly, Cancellation::Immediate);
        let (gate, _place, sink) = Setting::new().policy(policy).tool(probe).gate();
        let envelope = line(&gate, &json!({"tool": "probe", "timeoutMs": timeout.unwrap_or(60_000)})).await;
        assert_eq!(end(&envelope), "failed/time-limit", "{envelope:#}");
        assert_eq!(envelope["retry"]["allowed"], true);
        assert_eq!(sink.stages().last().unwrap(), "close");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn zero_is_no_time_limit() {
    let probe = Probe::new("probe", Body::Answer, EffectClass::ReadOnly, Cancellation::Immediate);
    let ran = std::sync::Arc::clone(&probe.ran);
    let (gate, _place, _) = Setting::new().tool(probe).gate();
    let envelope = line(&gate, &json!({"tool": "probe", "timeoutMs": 0})).await;
    assert_eq!(end(&envelope), "rejected/limit");
    assert_eq!(ran.load(std::sync::atomic::Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_stop_is_unknown() {
    let probe = Probe::new("probe", Body::Deaf, EffectClass::Irreversible, Cancellation::None);
    let (gate, _place, _) = Setting::new().tool(probe).gate();
    let envelope = line(&gate, &json!({"tool": "probe", "timeoutMs": 50})).await;
    assert_eq!(end(&envelope), "unknown/time-limit");
    assert_eq!(envelope["retry"]["requiresInspection"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_and_going_away_both_close_the_record() {
    let probe = || Probe::new("probe", Body::Sleep, EffectClass::ReadOnly, Cancellation::Immediate);
    let (gate, _place, sink) = Setting::new().tool(probe()).gate();
    let cancel = Cancel::new();
    let asked = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        asked.request();
    });
    let intent = || Intent::Line { number: 1, text: "{\"tool\": \"probe\"}".to_owned() };
    let envelope = gate.run_until(intent(), &cancel).await.to_json();
    assert_eq!(end(&envelope), "cancelled/cancel");
    let gone = tokio::time::timeout(Duration::from_millis(200), gate.run(intent())).await;
    assert!(gone.is_err());
    let until = Instant::now() + Duration::from_secs(5);
    while sink.stages().iter().filter(|stage| *stage == "close").count() < 2 && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let last = sink.records().pop().unwrap();
    assert_eq!((&last["stage"], &last["outcome"]), (&json!("close"), &json!("cancelled")));
}

#[tokio::test(flavor = "multi_thread")]
async fn results_are_cut_to_size() {
    let (gate, place, _) = Setting::new().policy("allow small { on read  limit output 1KB }").gate();
    place.put("a", "x".repeat(5_000));
    let envelope = call(&gate, "read_file", json!({"path": "a"})).await;
    assert_eq!(envelope["data"], json!({"text": "x".repeat(1_024), "bytes": 5_000, "truncated": true}));
    let mut setting = Setting::new();
    setting.output_bytes = 1_000;
    let (gate, _place, _) = setting.gate();
    let envelope = call(&gate, "shell", json!({"command": "seq 1 100000"})).await;
    let text = envelope["data"]["stdout"].as_str().unwrap();
    assert!(text.starts_with("1\n2\n") && text.ends_with("100000\n") && text.len() < 1_200, "{text}");
    assert_eq!(envelope["data"]["truncated"], true);
}
