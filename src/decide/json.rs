//! A verdict as JSON.

use serde_json::{Map, Value, json};

use crate::model::Verdict;

/// The verdict as it is printed and as it stands in an envelope.
#[must_use]
pub fn verdict_to_json(verdict: &Verdict) -> Value {
    let mut out = Map::new();
    out.insert("v".to_owned(), json!(1));
    out.insert("callId".to_owned(), json!(verdict.call_id));
    out.insert("tool".to_owned(), json!(verdict.tool));
    out.insert("verdict".to_owned(), json!(verdict.level.as_str()));
    out.insert("rules".to_owned(), json!(verdict.rules));
    out.insert("policy".to_owned(), json!(verdict.policy.to_string()));
    Value::Object(out)
}
