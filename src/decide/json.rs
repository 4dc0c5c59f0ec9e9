//! A verdict as the JSON of `json.md`: built by hand, so that core types stay free of wire formats.

use serde_json::{Map, Value, json};

use crate::model::Verdict;
use crate::model::verdict::{Approval, EffectVerdict, Obligations, Reason};
use crate::syntax::ast::ApproveReach;

/// The verdict as one JSON object, keys in the order of the documentation.
#[must_use]
pub fn verdict_to_json(verdict: &Verdict) -> Value {
    let mut object = Map::new();
    object.insert("v".to_owned(), json!(1));
    object.insert("callId".to_owned(), json!(verdict.call_id));
    object.insert("tool".to_owned(), json!(verdict.tool));
    object.insert("verdict".to_owned(), json!(verdict.level.as_str()));
    object.insert("rules".to_owned(), json!(verdict.rules));
    object.insert("effects".to_owned(), verdict.effects.iter().map(effect).collect());
    object.insert("reasons".to_owned(), verdict.reasons.iter().map(reason).collect());
    object.insert("policy".to_owned(), json!(verdict.policy.to_string()));
    if let Some(modified) = &verdict.modified {
        object.insert("modified".to_owned(), json!({"by": modified.by, "args": modified.args}));
    }
    if !verdict.obligations.is_empty() {
        object.insert("obligations".to_owned(), obligations(&verdict.obligations));
    }
    if let Some(found) = &verdict.approval {
        object.insert("approval".to_owned(), approval(found));
    }
    Value::Object(object)
}

fn effect(effect: &EffectVerdict) -> Value {
    let mut object = Map::new();
    object.insert("capability".to_owned(), json!(effect.capability.as_str()));
    if let Some(resource) = &effect.resource {
        object.insert("resource".to_owned(), json!(resource));
    }
    object.insert("verdict".to_owned(), json!(effect.level.as_str()));
    object.insert("rules".to_owned(), json!(effect.rules));
    object.insert("unknown".to_owned(), json!(effect.unknown));
    if let Some(from) = &effect.from {
        object.insert("from".to_owned(), json!(from));
    }
    Value::Object(object)
}

fn reason(reason: &Reason) -> Value {
    let mut object = Map::new();
    object.insert("rule".to_owned(), json!(reason.rule));
    object.insert("verdict".to_owned(), json!(reason.level.as_str()));
    let optional = [
        ("because", &reason.because),
        ("fix", &reason.fix),
        ("at", &reason.at),
        ("unknown", &reason.unknown),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            object.insert(name.to_owned(), json!(value));
        }
    }
    Value::Object(object)
}

fn obligations(duties: &Obligations) -> Value {
    let mut object = Map::new();
    if let Some(ms) = duties.time_ms {
        object.insert("timeMs".to_owned(), json!(ms));
    }
    if let Some(bytes) = duties.output_bytes {
        object.insert("outputBytes".to_owned(), json!(bytes));
    }
    if !duties.calls.is_empty() {
        let calls = duties.calls.iter().map(|limit| match limit.per_ms {
            Some(ms) => json!({"rule": limit.rule, "max": limit.max, "perMs": ms}),
            None => json!({"rule": limit.rule, "max": limit.max, "per": "session"}),
        });
        object.insert("calls".to_owned(), calls.collect());
    }
    if let Some(grade) = duties.grade {
        object.insert("grade".to_owned(), json!(grade.as_str()));
    }
    for (name, list) in
        [("mark", &duties.mark), ("redact", &duties.redact), ("resultRules", &duties.result_rules)]
    {
        if !list.is_empty() {
            object.insert(name.to_owned(), json!(list));
        }
    }
    Value::Object(object)
}

fn approval(approval: &Approval) -> Value {
    let reach = approval.reach.iter().map(|reach| {
        let per = match reach.per {
            ApproveReach::Call => json!("call"),
            ApproveReach::Session => json!("session"),
            ApproveReach::Ms(ms) => json!({"ms": ms}),
        };
        json!({"rule": reach.rule, "per": per, "alike": reach.alike})
    });
    json!({"digest": approval.digest.to_string(), "reach": reach.collect::<Vec<_>>()})
}
