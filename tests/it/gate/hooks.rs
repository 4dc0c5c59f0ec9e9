//! What hooks can do to a call, and what they cannot.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tollgate::gate::hook::About;
use tollgate::gate::tool::BoxFuture;
use tollgate::gate::{
    Answer, Cancel, Cancellation, EffectClass, Gate, Hook, HookFailure, HookOutcome, HookSpec, HookStage,
    Intent, Question,
};

use super::hook_failures::{answering, program_hook, put_program};
use super::support::*;

fn probe(body: Body) -> Probe {
    Probe::new("probe", body, EffectClass::Idempotent, Cancellation::Immediate)
}

/// The secret outside and the files inside are as they were.
fn untouched(place: &Place) {
    assert_eq!(std::fs::read_to_string(place.outside.join("secret.txt")).unwrap(), "FORBIDDEN");
    assert_eq!(std::fs::read_to_string(place.workspace.join("canary")).unwrap(), "alive");
}

async fn refused(setting: Setting, tool: &str, args: Value, expected: &str, words: &str) {
    setting.place.put("canary", "alive");
    let (gate, place, sink) = setting.gate();
    let envelope = call(&gate, tool, args).await;
    assert_eq!(end(&envelope), expected, "{envelope:#}");
    assert!(envelope["summary"].as_str().unwrap().contains(words), "{words}: {envelope:#}");
    assert!(!sink.stages().contains(&"open".to_owned()), "{envelope:#}");
    untouched(&place);
}

fn rewriting(args: Value) -> Setting {
    Setting::new().hook("rewriter", HookStage::Pre, move |_| modify(args.clone()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewriting_is_judged_like_a_new_call() {
    let outside = rewriting(json!({"path": "../outside/secret.txt", "content": "x"}));
    let asked = json!({"path": "new", "content": "x"});
    refused(outside, "write_file", asked.clone(), "rejected/policy", "hook:rewriter changed").await;
    let widened = rewriting(json!({"path": ".", "pattern": "x"}))
        .policy("block not-all { on read, write  when path is workspace }");
    refused(widened, "list_dir", json!({"path": "sub"}), "rejected/hook", "do not fit list_dir").await;
    let widened = rewriting(json!({"path": "."})).policy("block not-all { on read  when path is workspace }");
    widened.place.put("a", "");
    refused(widened, "list_dir", json!({"path": "a"}), "rejected/policy", "policy/not-all").await;
    for broken in [json!({"path": 1, "content": "x"}), json!({"path": "canary"}), json!({})] {
        refused(rewriting(broken), "write_file", asked.clone(), "rejected/hook", "do not fit write_file")
            .await;
    }
    let adds = rewriting(json!({"command": "echo dead > canary"}));
    refused(adds, "shell", json!({"command": "echo x"}), "rejected/hook", "adds the capability write").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewriting_sets_nothing_that_the_schema_does_not_name() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "integer"},
        "deep": {"type": "array", "items": {"type": "object", "properties": {"b": {}}}},
        "free": {"type": "object"}}});
    let setting = |args: Value| {
        let schema = schema.clone();
        let (class, cancellation) = (EffectClass::Idempotent, Cancellation::Immediate);
        rewriting(args).tool(Probe::with_schema("probe", Body::Answer, class, cancellation, schema))
    };
    for (args, place) in [
        (json!({"a": 1, "sudo": true}), "args.sudo"),
        (json!({"a": 1, "deep": [{"b": 1}, {"b": 1, "c": 1}]}), "args.deep[1].c"),
    ] {
        let words = format!("sets {place}, which the schema of probe does not have");
        refused(setting(args), "probe", json!({"a": 1}), "rejected/hook", &words).await;
    }
    for args in [json!({"a": 2}), json!({"a": 1, "free": {"any": 1}}), json!({"old": 1}), json!({})] {
        let (gate, _place, _) = setting(args.clone()).gate();
        let envelope = call(&gate, "probe", json!({"a": 1, "old": 1})).await;
        assert_eq!((end(&envelope).as_str(), &envelope["data"]["echo"]), ("ok", &args), "{envelope:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_that_never_agree_are_stopped() {
    let ask = |x: i32| move |_: &Question| modify(json!({"x": x}));
    let setting = Setting::new().tool(probe(Body::Answer)).hook("ping", HookStage::Pre, ask(1)).hook(
        "pong",
        HookStage::Pre,
        ask(2),
    );
    refused(setting, "probe", json!({"x": 0}), "rejected/hook", "hook:ping, hook:pong kept changing").await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let setting = Setting::new()
        .tool(probe(Body::Answer))
        .hook("counts", HookStage::Pre, move |_| modify(json!({"n": count.fetch_add(1, Ordering::SeqCst)})))
        .hook("resets", HookStage::Pre, |_| modify(json!({"n": "none"})));
    refused(setting, "probe", json!({}), "rejected/hook", "kept changing").await;
    assert_eq!(asked.load(Ordering::SeqCst), 3, "three rounds, and no more");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_hook_sees_the_arguments_that_run() {
    let seen: Arc<Mutex<Vec<(&str, Value)>>> = Arc::default();
    let watch = |name: &'static str, change: Option<Value>| {
        let seen = Arc::clone(&seen);
        move |question: &Question| {
            seen.lock().unwrap().push((name, Value::Object(args_of(question))));
            change.clone().map_or_else(Answer::go_on, modify)
        }
    };
    let (gate, _place, sink) = Setting::new()
        .tool(probe(Body::Answer))
        .hook("first", HookStage::Pre, watch("first", None))
        .hook("second", HookStage::Pre, watch("second", Some(json!({"x": 2}))))
        .hook("third", HookStage::Pre, watch("third", None))
        .gate();
    let envelope = call(&gate, "probe", json!({"x": 1})).await;
    assert_eq!(end(&envelope), "ok", "{envelope:#}");
    assert_eq!(envelope["modified"], json!({"by": ["hook:second"], "args": {"x": 2}}));
    assert_eq!(envelope["data"]["echo"], json!({"x": 2}));
    let [one, two] = [json!({"x": 1}), json!({"x": 2})];
    let expected = [("first", one.clone()), ("second", one), ("third", two.clone()), ("first", two)];
    assert_eq!(*seen.lock().unwrap(), expected);
    let stages = sink.stages();
    let hooked: Vec<_> = stages.iter().map(String::as_str).collect();
    assert_eq!(
        hooked,
        [
            "parse", "schema", "decide", "pre-hook", "pre-hook", "decide", "pre-hook", "pre-hook", "facts",
            "open", "execute", "scrub", "close"
        ]
    );
    let records = sink.records();
    let changed = records.iter().find(|record| record["outcome"] == "modify").unwrap();
    assert_eq!((&changed["by"], &changed["detail"]["args"]), (&json!("hook:second"), &json!({"x": 2})));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_on_the_way_is_softened() {
    let rules = "ask first { on read  when path is \"./canary\"  because \"it is asked\" }\n\
                 warn look { on read  when path is \"./warned\"  because \"look at it\" }\n\
                 allow short { on read  when path is \"./short\"  limit output 10KB }\n";
    let setting = || rewriting(json!({"path": "free"})).policy(rules);
    let asked = json!({"path": "canary"});
    refused(setting(), "read_file", asked.clone(), "rejected/approval", "it is asked").await;
    let mut unattended = setting();
    unattended.unattended = true;
    refused(unattended, "read_file", asked, "rejected/policy", "policy/first").await;

    let (gate, place, sink) = setting().gate();
    place.put("free", "x");
    let envelope = call(&gate, "read_file", json!({"path": "warned"})).await;
    assert_eq!(
        (end(&envelope).as_str(), &envelope["verdict"]["verdict"]),
        ("ok", &json!("warn")),
        "{envelope:#}"
    );
    assert_eq!(envelope["verdict"]["rules"], json!(["policy/look"]));
    let envelope = call(&gate, "read_file", json!({"path": "short"})).await;
    assert_eq!(end(&envelope), "ok", "{envelope:#}");
    let opened = sink.records().into_iter().rfind(|record| record["stage"] == "open").unwrap();
    assert_eq!(opened["detail"]["outputBytes"], 10_240, "duties of the first call hold");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_digest_shown_for_approval_is_of_the_arguments_that_would_run() {
    let rules = "ask first { on read }";
    let plain = Setting::new().policy(rules).gate();
    let hooked = rewriting(json!({"path": "b"})).policy(rules).gate();
    let digest = |envelope: &Value| envelope["verdict"]["approval"]["digest"].as_str().unwrap().to_owned();
    let of = |gate: Gate, path: &str| {
        let args = json!({"path": path});
        async move { digest(&call(&gate, "read_file", args).await) }
    };
    let (a, b) = (of(plain.0.clone(), "a").await, of(plain.0, "b").await);
    assert_ne!(a, b);
    // Two places are two workspaces: the digest of one call differs between them.
    let (first, second) = (of(hooked.0.clone(), "a").await, of(hooked.0, "b").await);
    assert_eq!(first, second);
}

#[tokio::test(flavor = "multi_thread")]
async fn warnings_reach_the_caller() {
    let warn = |_: &Question| Answer { outcome: HookOutcome::Warn, reason: Some("mind the gap".to_owned()) };
    for stage in [HookStage::Pre, HookStage::Post] {
        let (gate, _place, _) = Setting::new().tool(probe(Body::Answer)).hook("note", stage, warn).gate();
        let envelope = call(&gate, "probe", json!({})).await;
        assert_eq!(end(&envelope), "ok");
        let verdict = &envelope["verdict"];
        assert_eq!((&verdict["verdict"], &verdict["rules"]), (&json!("warn"), &json!(["hook:note"])));
        assert_eq!(verdict["reasons"][0]["because"], "mind the gap", "{envelope:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_are_asked_about_calls_without_arguments_and_about_none_that_is_refused() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let says = move |_: &Question| {
        count.fetch_add(1, Ordering::SeqCst);
        Answer::block("denied")
    };
    let (gate, _place, _) =
        Setting::new().tool(probe(Body::Answer)).hook("guard", HookStage::Pre, says).gate();
    let bare = line(&gate, &json!({"tool": "probe"})).await;
    assert_eq!((end(&bare).as_str(), asked.load(Ordering::SeqCst)), ("rejected/hook", 1), "{bare:#}");
    for (tool, args) in [("read_file", json!({"path": "/etc/passwd"})), ("nothing_there", json!({}))] {
        call(&gate, tool, args).await;
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

const TOKEN_TAIL: &str = "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX";

#[tokio::test(flavor = "multi_thread")]
async fn post_hooks_see_and_give_only_what_is_scrubbed() {
    let token = format!("ghp_{TOKEN_TAIL}");
    let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
    let (watched, planted) = (Arc::clone(&seen), token.clone());
    let mut setting =
        Setting::new().tool(probe(Body::Answer)).hook("watch", HookStage::Post, move |question| {
            let About::Result(envelope) = &question.about else { panic!("{question:?}") };
            watched.lock().unwrap().push(envelope.clone());
            Answer { outcome: HookOutcome::Continue, reason: Some(format!("saw {planted}")) }
        });
    let planted = token.clone();
    setting = setting.hook("plant", HookStage::Post, move |_| {
        let long = "x".repeat(100_000);
        modify(json!({"planted": planted, "long": long, "password": "hunter2hunter2"}))
    });
    let (gate, _place, sink) = setting.gate();
    let envelope = call(&gate, "probe", json!({"a": token})).await;
    assert_eq!(end(&envelope), "ok", "{envelope:#}");
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1);
    assert_eq!((&seen[0]["status"], seen[0]["callId"].is_string()), (&json!("ok"), true));
    for text in [seen[0].to_string(), envelope.to_string(), format!("{:?}", sink.records())] {
        assert!(!text.contains(TOKEN_TAIL) && !text.contains("hunter2"), "{text}");
    }
    assert!(envelope["data"]["long"].as_str().unwrap().len() < 66_000);
    assert!(envelope["summary"].as_str().unwrap().contains("hook:plant changed the result"), "{envelope:#}");
    assert_eq!(envelope["verdict"], seen[0]["verdict"], "a result is no verdict");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_hook_makes_no_content_of_a_failure() {
    let content = |_: &Question| modify(json!({"text": "all is well"}));
    let (gate, _place, sink) =
        Setting::new().tool(probe(Body::Fail)).hook("cheers", HookStage::Post, content).gate();
    let envelope = call(&gate, "probe", json!({})).await;
    assert_eq!(end(&envelope), "failed/hook", "{envelope:#}");
    assert!(envelope["data"].is_null());
    let records = sink.records();
    let record = records.iter().find(|record| record["stage"] == "post-hook").unwrap();
    assert_eq!(record["detail"]["failure"], "bad-answer");
    let refused = call(&gate, "read_file", json!({"path": "/etc/passwd"})).await;
    assert_eq!((end(&refused).as_str(), refused["data"].is_null()), ("rejected/policy", true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_cancelled_while_a_hook_is_asked() {
    struct Waits(Arc<AtomicUsize>);
    impl Hook for Waits {
        fn answer<'a>(
            &'a self,
            _: &'a Question,
            cancel: &'a Cancel,
        ) -> BoxFuture<'a, Result<Answer, HookFailure>> {
            Box::pin(async move {
                self.0.fetch_add(1, Ordering::SeqCst);
                cancel.requested().await;
                self.0.fetch_add(1, Ordering::SeqCst);
                Ok(Answer::go_on())
            })
        }
    }
    let told = Arc::new(AtomicUsize::new(0));
    let spec = HookSpec { time_limit_ms: 600_000, ..HookSpec::new("slow", HookStage::Pre) };
    let (gate, _place, sink) =
        Setting::new().tool(probe(Body::Answer)).hook_of(spec, Arc::new(Waits(Arc::clone(&told)))).gate();
    let cancel = Cancel::new();
    let intent = Intent::Line { number: 1, text: json!({"tool": "probe"}).to_string() };
    let (waiting, asked) = (Arc::clone(&told), cancel.clone());
    tokio::spawn(async move {
        while waiting.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        asked.request();
    });
    let envelope = gate.run_until(intent, &cancel).await.to_json();
    assert_eq!(end(&envelope), "rejected/cancel", "{envelope:#}");
    assert_eq!(told.load(Ordering::SeqCst), 2, "the hook was told");
    assert!(!sink.stages().contains(&"open".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_asked_in_json_and_what_it_leaves_running_is_ended() {
    let setting = Setting::new().tool(probe(Body::Answer));
    let path = setting.place.root.join("hooks/guard");
    let (question, left) = (setting.place.root.join("question"), setting.place.root.join("left"));
    let answer = answering("{\"v\":1,\"callId\":\"ID\",\"outcome\":\"continue\"}");
    let answer = answer.strip_prefix("#!/bin/sh\n").unwrap();
    let text = format!(
        "#!/bin/sh\n(setsid sh -c 'sleep 3; echo late > {}' &)\ntee {} | {answer}",
        left.display(),
        question.display()
    );
    put_program(&path, &text);
    let (gate, place, _) =
        setting.hook_of(HookSpec::new("guard", HookStage::Pre), program_hook(&path)).gate();
    let input = json!({"id": "c7", "tool": "probe", "args": {"big": 1e2, "n": 12345678901234567890_u64},
                       "user": "u1", "session": "s1"});
    let envelope = line(&gate, &input).await;
    assert_eq!(end(&envelope), "ok", "{envelope:#}");
    let asked: Value = serde_json::from_str(&std::fs::read_to_string(&question).unwrap()).unwrap();
    let keys: Vec<_> = asked.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["v", "callId", "stage", "call", "verdict"]);
    assert_eq!((&asked["callId"], &asked["stage"]), (&json!("c7"), &json!("pre")));
    let mut call = input;
    call["cwd"] = json!(place.workspace.to_str().unwrap());
    assert_eq!(asked["call"], call);
    assert_eq!(asked["verdict"]["verdict"], "allow");
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    assert!(!left.exists(), "what the hook left running is ended with it");
}

#[test]
fn hooks_that_cannot_be_asked_are_refused_when_the_gate_is_built() {
    for (name, limit, words) in [
        ("Guard", 1, "is no name of a hook"),
        ("a--b", 1, "is no name of a hook"),
        ("guard", 0, "time limit"),
        ("guard", 3_600_001, "time limit"),
    ] {
        let setting = Setting::new();
        let program = program(OPEN_POLICY, &setting.registry);
        let clock = Arc::new(tollgate::host::clock::SystemClock::new());
        let log = tollgate::gate::AuditLog::open(setting.sink, &*clock, tollgate::gate::Durability::Sync);
        let world = Arc::new(setting.place.world());
        let ids = Arc::new(tollgate::host::clock::UniqueIds);
        let spec = HookSpec { time_limit_ms: limit, ..HookSpec::new(name, HookStage::Pre) };
        let built = Gate::builder(program, world, Arc::new(log.unwrap()), clock, ids)
            .hook(spec, Arc::new(Says(|_: &Question| Answer::go_on())))
            .build();
        assert!(built.err().unwrap().to_string().contains(words), "{name}");
    }
}
