//! What a check expects, and how it differs from what came out. Everything that is named is compared
//! exactly.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::case::Kind;
use super::names::{Names, UNREAD};
use super::reader::{At, SuiteError, hint};
use super::report::Failure;
use crate::decide::json::verdict_to_json;
use crate::model::value::values_equal;
use crate::model::{Capability, Level, Verdict};

/// The keys of `expect`.
pub const KEYS: &[&str] = &["verdict", "rules", "effects", "args", "obligations", "reasons", "result"];
/// The keys of an effect.
const EFFECT_KEYS: &[&str] = &["capability", "resource", "verdict", "rules", "unknown", "from"];
/// The keys of a reason.
const REASON_KEYS: &[&str] = &["rule", "verdict", "because", "fix", "unknown"];
/// The keys of the obligations.
const OBLIGATION_KEYS: &[&str] =
    &["timeMs", "outputBytes", "calls", "grade", "mark", "redact", "resultRules"];

const LEVELS: [Level; 4] = [Level::Allow, Level::Warn, Level::Ask, Level::Block];

/// What has to come of a call.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// The verdict.
    pub level: Level,
    /// The determining rules, as written.
    pub rules: Option<Vec<String>>,
    /// The effects in order; of each the keys that are written.
    pub effects: Option<Vec<Map<String, Value>>>,
    /// The arguments of the call as it would run.
    pub args: Option<Map<String, Value>>,
    /// All obligations; an empty object is none.
    pub obligations: Option<Map<String, Value>>,
    /// The reasons in order; of each the keys that are written.
    pub reasons: Option<Vec<Map<String, Value>>>,
    /// The result after rules about results.
    pub result: Option<Value>,
}

impl Expectation {
    /// Only a verdict.
    #[must_use]
    pub fn level(level: Level) -> Self {
        Self { level, rules: None, effects: None, args: None, obligations: None, reasons: None, result: None }
    }
}

/// Reads `expect`.
pub(super) fn read(at: &At<'_>) -> Result<Expectation, SuiteError> {
    at.object("`expect`", KEYS)?;
    let verdict = at.key("verdict").ok_or_else(|| {
        at.error("this `expect` has no `verdict`").help("write `verdict: allow`, or another")
    })?;
    let word = verdict.text()?;
    let words: Vec<&str> = LEVELS.iter().map(|level| level.as_str()).collect();
    let level = LEVELS.into_iter().find(|level| level.as_str() == word);
    let level =
        level.ok_or_else(|| verdict.error(format!("`{word}` is no verdict")).help(hint(word, &words)))?;
    let objects = |key: &str, of: &str, known: &[&str]| {
        let Some(list) = at.key(key) else { return Ok(None) };
        let read = |item: At<'_>| item.object(of, known).cloned();
        list.items()?.into_iter().map(read).collect::<Result<Vec<_>, SuiteError>>().map(Some)
    };
    let effects = objects("effects", "an effect", EFFECT_KEYS)?;
    for effect in at.key("effects").map(|list| list.items()).transpose()?.unwrap_or_default() {
        let capability = effect.key("capability").ok_or_else(|| {
            effect.error("this effect has no `capability`").help("write `{capability: read, resource: …}`")
        })?;
        let word = capability.text()?;
        let words: Vec<&str> = Capability::ALL.iter().map(|capability| capability.as_str()).collect();
        if !words.contains(&word) {
            return Err(capability.error(format!("`{word}` is no capability")).help(hint(word, &words)));
        }
    }
    Ok(Expectation {
        level,
        rules: at.key("rules").map(|rules| rules.texts()).transpose()?,
        effects,
        args: at.key("args").map(|args| args.map().cloned()).transpose()?,
        obligations: match at.key("obligations") {
            Some(duties) => Some(duties.object("`obligations`", OBLIGATION_KEYS)?.clone()),
            None => None,
        },
        reasons: objects("reasons", "a reason", REASON_KEYS)?,
        result: at.key("result").map(|result| result.value.clone()),
    })
}

/// What came out of a call.
pub(super) struct Outcome<'a> {
    pub verdict: &'a Verdict,
    /// The arguments of the call as asked.
    pub asked: &'a Map<String, Value>,
    pub result: Option<&'a Value>,
}

/// Every difference.
pub(super) fn compare(
    expect: &Expectation,
    kind: Kind,
    names: &Names<'_>,
    found: &Outcome<'_>,
) -> Vec<Failure> {
    let mut out = Vec::new();
    let verdict = found.verdict;
    if expect.level != verdict.level {
        let differs = Failure::differs("verdict", expect.level.as_str(), verdict.level.as_str());
        out.push(if kind == (Kind::Cell { listed: false }) {
            let list = format!("list the cell under `{}`", verdict.level.as_str());
            differs.help(format!("a cell that no list names is expected to block; if this is meant, {list}"))
        } else {
            differs
        });
    }
    match &expect.rules {
        Some(rules) => compare_rules(rules, names, verdict, &mut out),
        None => never_reached(expect.level, kind, verdict, &mut out),
    }
    let json = verdict_to_json(verdict);
    if let Some(effects) = &expect.effects {
        compare_list("effects", effects, json.get("effects"), names, &mut out);
    }
    if let Some(reasons) = &expect.reasons {
        compare_list("reasons", reasons, json.get("reasons"), names, &mut out);
    }
    if let Some(args) = &expect.args {
        let last = verdict.modified.as_ref().map_or(found.asked, |modified| &modified.args);
        compare_value("args", &Value::Object(args.clone()), &Value::Object(last.clone()), &mut out);
    }
    if let Some(duties) = &expect.obligations {
        let expected = full_names(&Value::Object(duties.clone()), names, &mut out);
        let actual = json.get("obligations").cloned().unwrap_or_else(|| Value::Object(Map::new()));
        compare_value("obligations", &expected, &actual, &mut out);
    }
    if let (Some(expected), Some(actual)) = (&expect.result, found.result) {
        compare_value("result", expected, actual, &mut out);
    }
    out
}

fn compare_rules(written: &[String], names: &Names<'_>, verdict: &Verdict, out: &mut Vec<Failure>) {
    let before = out.len();
    let mut expected = BTreeSet::new();
    for name in written {
        match names.resolve(name) {
            Ok(full) => {
                if !expected.insert(full) {
                    out.push(Failure::said(format!("`{name}` is expected twice")).help("remove one"));
                }
            }
            Err((message, help)) => out.push(Failure::said(message).help(help)),
        }
    }
    let actual: BTreeSet<String> = verdict.rules.iter().cloned().collect();
    if out.len() == before && expected != actual {
        let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
        out.push(Failure::differs("rules", list(&expected), list(&actual)));
    }
}

/// A check that expects `block` and is blocked without any rule checks nothing of the policy.
fn never_reached(expected: Level, kind: Kind, verdict: &Verdict, out: &mut Vec<Failure>) {
    let unread = verdict.rules.iter().all(|rule| UNREAD.contains(&rule.as_str()));
    if expected != Level::Block || verdict.level != Level::Block || !unread {
        return;
    }
    let rule = verdict.rules.first().map_or("", String::as_str);
    let why = verdict.reasons.first().and_then(|reason| reason.because.clone()).unwrap_or_default();
    let mend = match kind {
        Kind::Case => format!("mend the call; if this is what the case is about, expect `rules: [{rule}]`"),
        Kind::Cell { .. } => format!(
            "mend the row, where need be with arguments for each tool, `args: {{TOOL: [{{…}}]}}`; if the \
             refusal is meant, make it a case that expects `rules: [{rule}]`"
        ),
    };
    let what = format!("the call is blocked by `{rule}`, not by a rule of the policy: {why}");
    out.push(Failure::said(what).help(mend));
}

/// Compares element by element; of each only the keys that are written.
fn compare_list(
    what: &str,
    expected: &[Map<String, Value>],
    actual: Option<&Value>,
    names: &Names<'_>,
    out: &mut Vec<Failure>,
) {
    let none = Vec::new();
    let actual = actual.and_then(Value::as_array).unwrap_or(&none);
    if expected.len() != actual.len() {
        let shown = |list: Vec<Value>| Value::Array(list).to_string();
        let expected = expected.iter().cloned().map(Value::Object).collect();
        out.push(Failure::differs(what, shown(expected), shown(actual.clone())));
        return;
    }
    for (number, (expected, actual)) in expected.iter().zip(actual).enumerate() {
        for (key, value) in expected {
            let expected = match key.as_str() {
                "rules" | "rule" => full_names(value, names, out),
                _ => value.clone(),
            };
            let actual = match (key.as_str(), actual.get(key)) {
                (_, Some(actual)) => actual.clone(),
                (_, None) => Value::Null,
            };
            compare_value(&format!("{key} of {what} {}", number + 1), &expected, &actual, out);
        }
    }
}

/// The same with names of rules written whole: lists of them, `rule` keys, and a text alone.
fn full_names(value: &Value, names: &Names<'_>, out: &mut Vec<Failure>) -> Value {
    let mut resolve = |name: &str| match names.resolve(name) {
        Ok(full) => Value::String(full),
        Err((message, help)) => {
            out.push(Failure::said(message).help(help));
            Value::String(name.to_owned())
        }
    };
    match value {
        Value::String(name) => resolve(name),
        Value::Array(list) => {
            let mut full: Vec<Value> =
                list.iter().map(|item| item.as_str().map_or_else(|| item.clone(), &mut resolve)).collect();
            full.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
            Value::Array(full)
        }
        Value::Object(duties) => {
            let mut duties = duties.clone();
            for key in ["redact", "resultRules"] {
                if let Some(list) = duties.get_mut(key) {
                    *list = full_names(list, names, out);
                }
            }
            for limit in duties.get_mut("calls").and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(rule) = limit.get_mut("rule") {
                    *rule = full_names(rule, names, out);
                }
            }
            Value::Object(duties)
        }
        other => other.clone(),
    }
}

fn compare_value(what: &str, expected: &Value, actual: &Value, out: &mut Vec<Failure>) {
    if !values_equal(expected, actual) {
        out.push(Failure::differs(what, shown(expected), shown(actual)));
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if !text.contains('\n') => text.clone(),
        Value::Null => "nothing".to_owned(),
        other => other.to_string(),
    }
}
