//! Findings as one JSON object (`json.md`, "Findings").

use serde_json::{Map, Value, json};

use crate::base::{Diagnostic, Fix, Source};

use super::Findings;

/// The object.
#[must_use]
pub fn findings(all: &[Findings]) -> Value {
    let found: Vec<Value> = all
        .iter()
        .flat_map(|findings| {
            findings.found.iter().map(|found| finding(found, findings.sources.get(found.file)))
        })
        .collect();
    json!({"v": 1, "findings": found})
}

/// One finding.
#[must_use]
pub fn finding(found: &Diagnostic, source: Option<&Source>) -> Value {
    let mut object = Map::new();
    object.insert("code".to_owned(), json!(found.code));
    object.insert("level".to_owned(), json!(found.level.as_str()));
    object.insert("message".to_owned(), json!(found.message));
    if let Some(source) = source {
        let (start, end) = source.places(found.span);
        object.insert("file".to_owned(), json!(source.name));
        object.insert("line".to_owned(), json!(start.line));
        object.insert("column".to_owned(), json!(start.column));
        object.insert("endLine".to_owned(), json!(end.line));
        object.insert("endColumn".to_owned(), json!(end.column));
    }
    for (key, text) in [("expected", &found.expected), ("help", &found.help)] {
        if let Some(text) = text {
            object.insert(key.to_owned(), json!(text));
        }
    }
    if let (Some(fix), Some(source)) = (&found.fix, source) {
        object.insert("fix".to_owned(), fix_object(fix, source));
    }
    Value::Object(object)
}

fn fix_object(fix: &Fix, source: &Source) -> Value {
    let edits: Vec<Value> = fix
        .edits
        .iter()
        .map(|edit| {
            let (start, end) = source.places(edit.span);
            let mut object = Map::new();
            object.insert("line".to_owned(), json!(start.line));
            object.insert("column".to_owned(), json!(start.column));
            if end.line != start.line {
                object.insert("endLine".to_owned(), json!(end.line));
            }
            object.insert("endColumn".to_owned(), json!(end.column));
            object.insert("text".to_owned(), json!(edit.text));
            Value::Object(object)
        })
        .collect();
    json!({"edits": edits, "safe": fix.safe})
}
