//! Snapshots of verdicts, in the file format of insta, so that its reviewer works on them: a header
//! between two lines of `---`, then one entry for each check, in the order of the test file.
//!
//! An entry is YAML whose values are JSON. It holds the whole verdict but what changes without a change
//! of its meaning: the call's id, digests, and lines of policy files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::decide::json::verdict_to_json;
use crate::model::Verdict;

/// What is remembered of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name of the check.
    pub name: String,
    /// What came of it: the lines below the name.
    pub text: String,
}

/// How a stored snapshot differs from what came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// Not at all.
    Same,
    /// There is none.
    Missing,
    /// It is no snapshot; why.
    Unreadable(String),
    /// So.
    Stale(Vec<Difference>),
}

/// One difference between a snapshot and what came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The snapshot does not know the check.
    New(Entry),
    /// The test file does not have the check any more.
    Gone(Entry),
    /// The check has another verdict.
    Changed {
        /// The name of the check.
        name: String,
        /// What the snapshot says.
        old: String,
        /// What came out.
        new: String,
    },
    /// The checks are the same, in another order.
    Order,
}

impl Difference {
    /// The name of the check that it is about.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::New(entry) | Self::Gone(entry) => Some(&entry.name),
            Self::Changed { name, .. } => Some(name),
            Self::Order => None,
        }
    }

    /// `new`, `gone`, `changed` or `order`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::New(_) => "new",
            Self::Gone(_) => "gone",
            Self::Changed { .. } => "changed",
            Self::Order => "order",
        }
    }
}

const RULER: &str = "---";
const NAME: &str = "- name: ";

/// The entry of a check.
pub(super) fn entry(name: &str, verdict: &Verdict, result: Option<&Value>) -> Entry {
    let mut text = String::new();
    let json = verdict_to_json(verdict);
    let _ = writeln!(text, "  verdict: {}", verdict.level.as_str());
    let _ = writeln!(text, "  rules: {}", json!(verdict.rules));
    let list = |key: &str| json.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    lines(&mut text, "effects", list("effects"));
    let reasons = list("reasons").into_iter().map(|mut reason| {
        // A line that moves is no change of the verdict.
        reason.as_object_mut().map(|reason| reason.shift_remove("at"));
        reason
    });
    lines(&mut text, "reasons", reasons.collect());
    for key in ["modified", "obligations"] {
        if let Some(value) = json.get(key) {
            let _ = writeln!(text, "  {key}: {value}");
        }
    }
    if let Some(reach) = json.get("approval").and_then(|approval| approval.get("reach")) {
        let mut approval = Map::new();
        approval.insert("reach".to_owned(), reach.clone());
        let _ = writeln!(text, "  approval: {}", Value::Object(approval));
    }
    if let Some(result) = result {
        let _ = writeln!(text, "  result: {result}");
    }
    Entry { name: name.to_owned(), text }
}

fn lines(text: &mut String, key: &str, list: Vec<Value>) {
    if list.is_empty() {
        return;
    }
    let _ = writeln!(text, "  {key}:");
    for item in list {
        let _ = writeln!(text, "    - {item}");
    }
}

/// The text of a snapshot file. `source` is the name of the test file.
#[must_use]
pub fn write(source: &str, entries: &[Entry]) -> String {
    let mut out = format!("{RULER}\nsource: {}\nexpression: verdicts\n{RULER}\n", json!(source));
    for entry in entries {
        // A quote in single quotes is written twice; nothing else is special in them.
        let _ = write!(out, "{NAME}'{}'\n{}", entry.name.replace('\'', "''"), entry.text);
    }
    out
}

/// Reads the entries of a snapshot file.
///
/// # Errors
/// What makes it none.
pub fn read(text: &str) -> Result<Vec<Entry>, String> {
    let text = text.replace("\r\n", "\n");
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, line)| line.trim_end() != RULER) {
        return Err("it does not begin with a line of `---`".to_owned());
    }
    if !lines.by_ref().any(|(_, line)| line.trim_end() == RULER) {
        return Err("its header does not end with a line of `---`".to_owned());
    }
    let mut entries: Vec<Entry> = Vec::new();
    for (at, line) in lines {
        if let Some(name) = line.strip_prefix(NAME) {
            let quoted = name.strip_prefix('\'').and_then(|name| name.strip_suffix('\''));
            let name = quoted.ok_or_else(|| format!("line {} names no check", at + 1))?;
            entries.push(Entry { name: name.replace("''", "'"), text: String::new() });
        } else if let Some(entry) = entries.last_mut().filter(|_| line.starts_with(' ')) {
            entry.text.push_str(line);
            entry.text.push('\n');
        } else if !line.is_empty() {
            return Err(format!("line {} belongs to no check", at + 1));
        }
    }
    Ok(entries)
}

/// Compares a stored snapshot with what came out. Where not all checks were run, only those that were
/// are compared.
#[must_use]
pub fn compare(stored: Option<&str>, fresh: &[Entry], all: bool) -> Comparison {
    let Some(stored) = stored else {
        return if fresh.is_empty() { Comparison::Same } else { Comparison::Missing };
    };
    let stored = match read(stored) {
        Ok(stored) => stored,
        Err(why) => return Comparison::Unreadable(why),
    };
    let known: BTreeMap<&str, &Entry> = stored.iter().map(|entry| (entry.name.as_str(), entry)).collect();
    let mut found: Vec<Difference> = Vec::new();
    for entry in fresh {
        match known.get(entry.name.as_str()) {
            None => found.push(Difference::New(entry.clone())),
            Some(old) if old.text != entry.text => found.push(Difference::Changed {
                name: entry.name.clone(),
                old: old.text.clone(),
                new: entry.text.clone(),
            }),
            Some(_) => {}
        }
    }
    if all {
        let names: BTreeSet<&str> = fresh.iter().map(|entry| entry.name.as_str()).collect();
        let gone = stored.iter().filter(|old| !names.contains(old.name.as_str()));
        found.extend(gone.cloned().map(Difference::Gone));
        let same_names = || stored.iter().map(|e| &e.name).eq(fresh.iter().map(|e| &e.name));
        if found.is_empty() && !same_names() {
            found.push(Difference::Order);
        }
    }
    if found.is_empty() { Comparison::Same } else { Comparison::Stale(found) }
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Difference, Entry, compare, read, write};

    fn entry(name: &str, text: &str) -> Entry {
        Entry { name: name.to_owned(), text: format!("  verdict: {text}\n") }
    }

    #[test]
    fn what_is_written_is_read() {
        let entries = [entry("it's a case", "allow"), entry("m: t {\"a\":\"b: 'c'\"}", "block")];
        let text = write("x.test.yaml", &entries);
        assert_eq!(read(&text), Ok(entries.to_vec()));
        assert_eq!(read(&text.replace('\n', "\r\n")), Ok(entries.to_vec()));
        assert_eq!(read(&format!("{text}\n\n")), Ok(entries.to_vec()));
        assert_eq!(compare(Some(&text), &entries, true), Comparison::Same);
        for bad in ["", "x", "---\nsource: x\n", "---\n---\n  verdict: allow\n", "---\n---\n- name: x\n"] {
            assert!(read(bad).is_err(), "{bad}");
            assert!(matches!(compare(Some(bad), &entries, true), Comparison::Unreadable(_)), "{bad}");
        }
    }

    #[test]
    fn every_kind_of_difference_is_seen() {
        let (a, b, c) = (entry("a", "allow"), entry("b", "allow"), entry("c", "allow"));
        let stored = write("x", &[a.clone(), b.clone()]);
        let names = |fresh: &[Entry], all| match compare(Some(&stored), fresh, all) {
            Comparison::Stale(found) => {
                found.iter().map(|d| format!("{} {}", d.as_str(), d.name().unwrap_or(""))).collect()
            }
            other => vec![format!("{other:?}")],
        };
        assert_eq!(names(&[b.clone(), a.clone()], true), ["order "]);
        assert_eq!(names(&[a.clone(), c.clone()], true), ["new c", "gone b"]);
        assert_eq!(names(std::slice::from_ref(&a), false), ["Same"], "a filter left the other one out");
        assert_eq!(names(&[a.clone(), entry("b", "block")], true), ["changed b"]);
        assert_eq!(compare(None, &[a], true), Comparison::Missing);
        assert_eq!(compare(None, &[], true), Comparison::Same, "a file that checks nothing needs none");
        assert_eq!(Difference::Order.name(), None);
    }
}
