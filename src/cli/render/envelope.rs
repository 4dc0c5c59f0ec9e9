//! An envelope for people: who, how it ended, the first lines of what came out.

use std::fmt::Write as _;

use serde_json::Value;

use crate::cli::output::harmless;
use crate::gate::{Envelope, Status};

/// Lines shown of one text of a result.
const LINES_MAX: usize = 5;
/// Characters shown of one line.
const CHARACTERS_MAX: usize = 400;

const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";
const RED: &str = "\u{1b}[31m";
const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

/// A few lines, the last one ended.
#[must_use]
pub fn envelope(envelope: &Envelope) -> String {
    let colour = match envelope.status() {
        Status::Ok => GREEN,
        Status::Rejected => YELLOW,
        Status::Failed | Status::Cancelled | Status::Unknown => RED,
    };
    let mut out = format!("{BOLD}{}{PLAIN}", harmless(envelope.call_id()));
    if let Some(tool) = envelope.tool() {
        let _ = write!(out, " {}", harmless(tool));
    }
    let _ = write!(out, ": {colour}{}{PLAIN}", envelope.status().as_str());
    if let Some(code) = envelope.code() {
        let _ = write!(out, " ({})", code.as_str());
    }
    out.push('\n');
    let _ = writeln!(out, "  {}", one_line(envelope.summary()));
    if let Some(verdict) = envelope.verdict() {
        notes(&mut out, verdict);
    }
    for name in ["text", "stdout", "stderr"] {
        if let Some(text) = envelope.data().and_then(|data| data.get(name)).and_then(Value::as_str) {
            excerpt(&mut out, name, text);
        }
    }
    out
}

/// What changed, and warnings: what a summary does not say.
fn notes(out: &mut String, verdict: &Value) {
    if let Some(modified) = verdict.get("modified") {
        let by: Vec<&str> = texts(modified.get("by"));
        let args = modified.get("args").map(Value::to_string).unwrap_or_default();
        let _ = writeln!(out, "  changed by {}: {}", harmless(&by.join(", ")), one_line(&args));
    }
    let reasons = verdict.get("reasons").and_then(Value::as_array).into_iter().flatten();
    for reason in reasons.filter(|reason| reason.get("verdict").and_then(Value::as_str) == Some("warn")) {
        let text = |key: &str| reason.get(key).and_then(Value::as_str);
        let rule = text("rule").unwrap_or_default();
        let _ = write!(out, "  warning of {}", harmless(rule));
        // A condition that could not be known makes no fact of the rule's words.
        match (text("unknown"), text("because")) {
            (Some(why), _) if why.contains("could not be known") => {
                let _ = write!(out, ": {}", one_line(why));
            }
            (Some(why), _) => {
                let _ = write!(out, ": whether it holds could not be known: {}", one_line(why));
            }
            (None, Some(because)) => {
                let _ = write!(out, ": {}", one_line(because));
            }
            (None, None) => {}
        }
        out.push('\n');
    }
}

fn texts(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn excerpt(out: &mut String, name: &str, text: &str) {
    let mark = if name == "stderr" { "!" } else { "|" };
    let mut lines = text.lines();
    for line in lines.by_ref().take(LINES_MAX) {
        let _ = writeln!(out, "  {mark} {}", one_line(line));
    }
    match lines.count() {
        0 => {}
        more => {
            let _ = writeln!(out, "  {mark} … {}", super::counted(more, "more line"));
        }
    }
}

/// One line of bounded width.
fn one_line(text: &str) -> String {
    let mut line: String = harmless(text).replace('\n', " ");
    if let Some((cut, _)) = line.char_indices().nth(CHARACTERS_MAX) {
        line.truncate(cut);
        line.push('…');
    }
    line
}
