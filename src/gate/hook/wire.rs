//! Questions and answers as the JSON of hook programs: strict in, whole out.

use serde_json::{Map, Value, json};

use crate::base::suggest::nearest;
use crate::decide::json::verdict_to_json;
use crate::model::Call;
use crate::model::value::{parse_json, type_name};

use super::{About, Answer, HookFailure, HookOutcome, HookStage, Question};

/// The question that a program reads from its standard input.
#[must_use]
pub fn question_to_json(question: &Question) -> Value {
    let mut out = Map::new();
    out.insert("v".to_owned(), json!(1));
    out.insert("callId".to_owned(), json!(question.call_id));
    out.insert("stage".to_owned(), json!(question.stage().as_str()));
    match &question.about {
        About::Call { call, verdict } => {
            out.insert("call".to_owned(), call_to_json(call));
            out.insert("verdict".to_owned(), verdict_to_json(verdict));
        }
        About::Result(envelope) => {
            out.insert("envelope".to_owned(), envelope.clone());
        }
    }
    Value::Object(out)
}

/// A call as it came in, with what the host has filled in.
fn call_to_json(call: &Call) -> Value {
    let mut out = Map::new();
    out.insert("id".to_owned(), json!(call.id));
    out.insert("tool".to_owned(), json!(call.tool));
    out.insert("args".to_owned(), Value::Object(call.args.clone()));
    let context = &call.context;
    for (key, value) in [
        ("mode", &context.mode),
        ("agent", &context.agent),
        ("user", &context.user),
        ("session", &context.session),
        ("cwd", &context.cwd),
    ] {
        if let Some(value) = value {
            out.insert(key.to_owned(), json!(value));
        }
    }
    if call.background {
        out.insert("background".to_owned(), json!(true));
    }
    if let Some(ms) = call.timeout_ms {
        out.insert("timeoutMs".to_owned(), json!(ms));
    }
    Value::Object(out)
}

/// Reads what a program answered to a question.
///
/// # Errors
/// Everything that is not exactly an answer to this question.
pub fn parse_answer(text: &str, question: &Question) -> Result<Answer, HookFailure> {
    if text.trim().is_empty() {
        return Err(HookFailure::BadJson("it is empty".to_owned()));
    }
    let bad = |why: String| HookFailure::BadAnswer(why);
    let mut answer = match parse_json(text).map_err(|error| HookFailure::BadJson(error.to_string()))? {
        Value::Object(answer) => answer,
        other => return Err(bad(format!("an answer is an object, this is {}", type_name(&other)))),
    };
    let (what, keys): (_, &[&str]) = match question.stage() {
        HookStage::Pre => ("args", &["v", "callId", "outcome", "reason", "args"]),
        HookStage::Post => ("data", &["v", "callId", "outcome", "reason", "data"]),
    };
    if let Some(key) = answer.keys().find(|key| !keys.contains(&key.as_str())) {
        let hint = nearest(key, keys.iter().copied()).map(|near| format!(", did you mean `{near}`?"));
        let stage = question.stage().as_str();
        return Err(bad(format!("a {stage}-hook's answer has no key `{key}`{}", hint.unwrap_or_default())));
    }
    if answer.get("v").is_none_or(|v| v.as_u64() != Some(1)) {
        return Err(bad("`v` must be 1".to_owned()));
    }
    match answer.get("callId") {
        Some(Value::String(id)) if *id == question.call_id => {}
        Some(Value::String(_)) => return Err(HookFailure::WrongCall),
        _ => return Err(bad("`callId` must be the id of the call".to_owned())),
    }
    let reason = match answer.shift_remove("reason") {
        None => None,
        Some(Value::String(reason)) => Some(reason),
        Some(_) => return Err(bad("`reason` must be a text".to_owned())),
    };
    let changed = match answer.shift_remove(what) {
        None => None,
        Some(Value::Object(changed)) => Some(changed),
        Some(_) => return Err(bad(format!("`{what}` must be an object"))),
    };
    let outcome = match (answer.get("outcome").and_then(Value::as_str), changed) {
        (Some("modify"), Some(changed)) => HookOutcome::Modify(changed),
        (Some("modify"), None) => return Err(bad(format!("`modify` needs `{what}`"))),
        (Some("continue" | "warn" | "block"), Some(_)) => {
            return Err(bad(format!("`{what}` goes with `modify` only")));
        }
        (Some("continue"), None) => HookOutcome::Continue,
        (Some("warn"), None) => HookOutcome::Warn,
        (Some("block"), None) => HookOutcome::Block,
        (Some(_), _) => return Err(HookFailure::UnknownOutcome),
        (None, _) => return Err(bad("`outcome` must be a word".to_owned())),
    };
    Ok(Answer { outcome, reason })
}
