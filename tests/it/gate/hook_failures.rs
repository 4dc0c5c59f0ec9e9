//! Every way in which a hook can fail, before and after execution, with either meaning of a failure.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;
use tollgate::gate::tool::BoxFuture;
use tollgate::gate::{
    Answer, Cancel, Cancellation, EffectClass, Hook, HookFailure, HookSpec, HookStage, OnFailure, Question,
};
use tollgate::host::hook::CommandHook;
use tollgate::host::pinned::Pinned;

use super::support::*;

/// What a hook does wrong.
enum Wrong {
    /// A program with this text.
    Script(String),
    /// There is no program.
    Absent,
    /// The program may not be executed.
    NotExecutable,
    /// The program is replaced after it was pinned.
    Replaced,
    /// In process.
    Inside(fn() -> Inside),
}

enum Inside {
    Panics,
    Fails,
    Waits,
}

impl Hook for Inside {
    fn answer<'a>(&'a self, _: &'a Question, _: &'a Cancel) -> BoxFuture<'a, Result<Answer, HookFailure>> {
        Box::pin(async move {
            match self {
                Self::Panics => panic!("a fault of the hook at /root/place"),
                Self::Fails => Err(HookFailure::Failed("the service is away".to_owned())),
                Self::Waits => std::future::pending().await,
            }
        })
    }
}

/// A program that reads the question and writes this answer, `ID` being the call's id.
pub fn answering(answer: &str) -> String {
    let answer = answer.replace("ID", "\\1");
    format!("#!/bin/sh\nsed -n 's/.*\"callId\":\"\\([^\"]*\\)\".*/{answer}/p'\n")
}

pub fn put_program(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

pub fn program_hook(path: &Path) -> Arc<dyn Hook> {
    let words = [path.to_str().unwrap().to_owned()];
    Arc::new(CommandHook::new(Pinned::new(&words, Path::new("/"), None).unwrap()))
}

fn rows() -> Vec<(&'static str, &'static str, Wrong)> {
    let script = |text: &str| Wrong::Script(format!("#!/bin/sh\n{text}\n"));
    let answer = |text: &str| Wrong::Script(answering(text));
    vec![
        ("no program", "missing-program", Wrong::Absent),
        ("no right to execute", "not-started", Wrong::NotExecutable),
        ("another program", "changed-program", Wrong::Replaced),
        ("an interpreter that is missing", "exit-code", Wrong::Script("#!/nowhere/sh\n".to_owned())),
        ("a crash", "signal", script("kill -SEGV $$")),
        ("a signal", "signal", script("kill -TERM $$")),
        ("exit 1", "exit-code", script("exit 1")),
        ("exit 2 and silence", "exit-code", script("exit 2")),
        ("exit 127", "exit-code", script("exit 127")),
        (
            "a good answer, and exit 1",
            "exit-code",
            Wrong::Script(format!(
                "{}exit 1\n",
                answering("{\"v\":1,\"callId\":\"ID\",\"outcome\":\"continue\"}")
            )),
        ),
        ("no end", "time-limit", script("sleep 600")),
        ("no end, politeness ignored", "time-limit", script("trap '' TERM; while :; do sleep 600; done")),
        ("output without end", "too-much-output", script("exec yes")),
        ("errors without end", "too-much-output", script("exec yes >&2")),
        ("silence", "bad-json", script("exit 0")),
        ("prose", "bad-json", script("echo looks fine to me")),
        ("half an answer", "bad-json", answer("{\"v\":1,\"callId\":\"ID\",\"outcome\":")),
        ("two answers", "bad-json", answer("{\"v\":1,\"callId\":\"ID\",\"outcome\":\"continue\"} {}")),
        (
            "a key twice",
            "bad-json",
            answer("{\"v\":1,\"callId\":\"ID\",\"outcome\":\"block\",\"outcome\":\"continue\"}"),
        ),
        ("not UTF-8", "bad-json", script("printf '\\377'")),
        ("a list", "bad-answer", answer("[\"ID\"]")),
        ("another format", "bad-answer", answer("{\"v\":2,\"callId\":\"ID\",\"outcome\":\"continue\"}")),
        (
            "another tool",
            "bad-answer",
            answer("{\"v\":1,\"callId\":\"ID\",\"outcome\":\"modify\",\"args\":{},\"tool\":\"shell\"}"),
        ),
        ("no call", "bad-answer", answer("{\"v\":1,\"outcome\":\"continue\",\"reason\":\"ID\"}")),
        ("no outcome", "bad-answer", answer("{\"v\":1,\"callId\":\"ID\"}")),
        ("a change that is none", "bad-answer", answer("{\"v\":1,\"callId\":\"ID\",\"outcome\":\"modify\"}")),
        (
            "a change beside `continue`",
            "bad-answer",
            answer("{\"v\":1,\"callId\":\"ID\",\"outcome\":\"continue\",\"args\":{}}"),
        ),
        (
            "an outcome of its own",
            "unknown-outcome",
            answer("{\"v\":1,\"callId\":\"ID\",\"outcome\":\"approve\"}"),
        ),
        ("another call", "wrong-call", answer("{\"v\":1,\"callId\":\"not-ID\",\"outcome\":\"continue\"}")),
        ("a panic", "panicked", Wrong::Inside(|| Inside::Panics)),
        ("an error", "failed", Wrong::Inside(|| Inside::Fails)),
        ("an answer that never comes", "time-limit", Wrong::Inside(|| Inside::Waits)),
    ]
}

async fn check(name: &str, word: &str, wrong: &Wrong, stage: HookStage, on_failure: OnFailure) {
    let probe = Probe::new("probe", Body::Answer, EffectClass::Idempotent, Cancellation::Immediate);
    let ran = Arc::clone(&probe.ran);
    let setting = Setting::new().tool(probe);
    let path = setting.place.root.join("hooks/guard");
    let hook: Arc<dyn Hook> = match wrong {
        Wrong::Script(text) => {
            put_program(&path, text);
            program_hook(&path)
        }
        Wrong::Absent => program_hook(&path),
        Wrong::NotExecutable => {
            put_program(&path, "#!/bin/sh\n");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            program_hook(&path)
        }
        Wrong::Replaced => {
            put_program(&path, &answering("{\"v\":1,\"callId\":\"ID\",\"outcome\":\"block\"}"));
            let hook = program_hook(&path);
            put_program(&path, &answering("{\"v\":1,\"callId\":\"ID\",\"outcome\":\"continue\"}"));
            hook
        }
        Wrong::Inside(make) => Arc::new(make()),
    };
    let time_limit_ms = if word == "time-limit" { 200 } else { 60_000 };
    let spec = HookSpec { on_failure, time_limit_ms, ..HookSpec::new("guard", stage) };
    let (gate, _place, sink) = setting.hook_of(spec, hook).gate();
    let envelope = call(&gate, "probe", json!({"a": 1})).await;
    let row = format!("{name}, {stage:?}, {on_failure:?}: {envelope:#}");
    let records = sink.records();
    let stages = sink.stages();
    assert_eq!(stages.iter().filter(|stage| *stage == "close").count(), 1, "{row}");
    let record = records.iter().find(|record| record["by"] == "hook:guard").expect(&row);
    assert_eq!(record["stage"], if stage == HookStage::Pre { "pre-hook" } else { "post-hook" }, "{row}");
    assert_eq!((&record["outcome"], &record["detail"]["failure"]), (&json!("failed"), &json!(word)), "{row}");
    assert_eq!(record["detail"]["onFailure"], on_failure.as_str(), "{row}");
    assert!(!envelope.to_string().contains("/root/place"), "{row}");
    let summary = envelope["summary"].as_str().unwrap();
    let warned = envelope["verdict"]["reasons"].to_string().contains("hook:guard");
    let ran = ran.load(Ordering::SeqCst);
    match (stage, on_failure) {
        (HookStage::Pre, OnFailure::Block) => {
            assert_eq!((end(&envelope).as_str(), ran), ("rejected/hook", 0), "{row}");
            assert!(summary.starts_with("blocked by hook:guard: the hook "), "{row}");
            assert_eq!(envelope["verdict"]["verdict"], "block", "{row}");
            assert!(!stages.contains(&"open".to_owned()), "{row}");
        }
        (HookStage::Post, OnFailure::Block) => {
            assert_eq!((end(&envelope).as_str(), ran), ("failed/hook", 1), "{row}");
            assert!(
                summary.starts_with("the call ran; its result is withheld by hook:guard: the hook "),
                "{row}"
            );
            assert!(envelope["data"].is_null(), "{row}");
            assert_eq!(envelope["retry"]["requiresInspection"], true, "{row}");
        }
        (_, OnFailure::Warn) => {
            assert_eq!((end(&envelope).as_str(), ran, warned), ("ok", 1, true), "{row}");
            assert_eq!(envelope["data"]["echo"], json!({"a": 1}), "{row}");
            assert_eq!(envelope["verdict"]["verdict"], "warn", "{row}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_failure_follows_its_declaration_and_is_named() {
    for (name, word, wrong) in &rows() {
        for stage in [HookStage::Pre, HookStage::Post] {
            for on_failure in [OnFailure::Block, OnFailure::Warn] {
                check(name, word, wrong, stage, on_failure).await;
            }
        }
    }
}

#[test]
fn every_kind_of_failure_has_a_row() {
    let all = [
        HookFailure::Missing,
        HookFailure::Changed,
        HookFailure::NotStarted(String::new()),
        HookFailure::Panicked,
        HookFailure::Signal(9),
        HookFailure::ExitCode(1),
        HookFailure::TimeLimit(1),
        HookFailure::TooMuchOutput,
        HookFailure::BadJson(String::new()),
        HookFailure::BadAnswer(String::new()),
        HookFailure::UnknownOutcome,
        HookFailure::WrongCall,
        HookFailure::Failed(String::new()),
    ];
    let rows = rows();
    for failure in all {
        assert!(rows.iter().any(|(_, word, _)| *word == failure.word()), "{}", failure.word());
    }
}
