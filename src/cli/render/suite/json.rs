//! What came of tests, as one JSON object.

use serde_json::{Map, Value, json};

use super::{FileReport, Report, SnapshotReport};
use crate::base::Source;
use crate::cli::render::{Findings, json, trace};
use crate::cli::suites::Unusable;
use crate::lint::examples;
use crate::suite::snapshot::Comparison;
use crate::suite::{CheckReport, Failure, Kind};

/// The object.
#[must_use]
pub fn report(report: &Report<'_>) -> Value {
    let counts = report.counts();
    let files: Vec<Value> = report.files.iter().filter(|file| file.is_shown()).map(file).collect();
    let strays = report.strays.iter();
    let strays: Vec<Value> = strays
        .map(|stray| json!({"file": stray.name, "message": stray.message, "help": stray.help}))
        .collect();
    json!({
        "v": 1,
        "files": files,
        "unusable": report.unusable.iter().map(unusable).collect::<Vec<_>>(),
        "strays": strays,
        "summary": {
            "files": counts.files,
            "checks": counts.checks,
            "failed": counts.failed,
            "empty": counts.empty,
            "snapshots": counts.snapshots,
            "strays": counts.strays,
            "unusable": counts.unusable,
        },
    })
}

fn file(report: &FileReport<'_>) -> Value {
    let mut out = Map::new();
    out.insert("file".to_owned(), json!(report.file.name));
    let checks: Vec<Value> = report.checks.iter().map(check).collect();
    out.insert("checks".to_owned(), json!(checks));
    let examples: Vec<Value> = report.examples.iter().map(|one| example(one, report)).collect();
    out.insert("examples".to_owned(), json!(examples));
    if let Some(found) = &report.snapshot {
        out.insert("snapshot".to_owned(), snapshot(found));
    }
    Value::Object(out)
}

fn check(report: &CheckReport) -> Value {
    let mut out = Map::new();
    out.insert("name".to_owned(), json!(report.name));
    out.insert("kind".to_owned(), json!(if report.kind == Kind::Case { "case" } else { "cell" }));
    place(&mut out, report.place);
    out.insert("holds".to_owned(), json!(report.holds()));
    out.insert("verdict".to_owned(), json!(report.level.as_str()));
    out.insert("rules".to_owned(), json!(report.rules));
    if !report.holds() {
        out.insert("failures".to_owned(), report.failures.iter().map(failure).collect());
    }
    if let Some(found) = &report.trace {
        out.insert("trace".to_owned(), trace::to_json(found));
    }
    Value::Object(out)
}

fn failure(failure: &Failure) -> Value {
    let mut out = Map::new();
    out.insert("what".to_owned(), json!(failure.what));
    for (key, text) in [("expected", &failure.expected), ("found", &failure.found)] {
        if let Some(text) = text {
            out.insert(key.to_owned(), json!(text));
        }
    }
    if !failure.help.is_empty() {
        out.insert("help".to_owned(), json!(failure.help));
    }
    Value::Object(out)
}

fn example(outcome: &examples::Outcome, report: &FileReport<'_>) -> Value {
    let mut out = Map::new();
    out.insert("name".to_owned(), json!(outcome.name));
    if let Some(source) = report.file.sources.get(outcome.file) {
        let source: &Source = source;
        let at = source.place(outcome.span.start);
        out.insert("file".to_owned(), json!(source.name));
        place(&mut out, Some((at.line, at.column)));
    }
    out.insert("holds".to_owned(), json!(outcome.finding.is_none()));
    if let Some(finding) = &outcome.finding {
        out.insert("finding".to_owned(), json::finding(finding, report.file.sources.get(finding.file)));
    }
    Value::Object(out)
}

fn snapshot(report: &SnapshotReport) -> Value {
    let mut out = Map::new();
    out.insert("file".to_owned(), json!(report.name));
    let state = match &report.comparison {
        Comparison::Same if report.accepted => "written",
        Comparison::Same => "same",
        Comparison::Missing => "missing",
        Comparison::Unreadable(_) => "unreadable",
        Comparison::Stale(_) => "stale",
    };
    out.insert("state".to_owned(), json!(state));
    if let Comparison::Stale(found) = &report.comparison {
        let differences = found.iter().map(|difference| match difference.name() {
            Some(name) => json!({"change": difference.as_str(), "name": name}),
            None => json!({"change": difference.as_str()}),
        });
        out.insert("differences".to_owned(), differences.collect());
    }
    if report.comparison != Comparison::Same {
        out.insert("message".to_owned(), json!(report.sentence()));
        out.insert("help".to_owned(), json!(report.mend));
    }
    Value::Object(out)
}

fn unusable(file: &Unusable) -> Value {
    let mut out = Map::new();
    out.insert("file".to_owned(), json!(file.name));
    place(&mut out, file.place);
    out.insert("message".to_owned(), json!(file.message));
    if let Some(help) = &file.help {
        out.insert("help".to_owned(), json!(help));
    }
    let Findings { sources, found } = &file.findings;
    if !found.is_empty() {
        let findings = found.iter().map(|finding| json::finding(finding, sources.get(finding.file)));
        out.insert("findings".to_owned(), findings.collect());
    }
    Value::Object(out)
}

fn place(out: &mut Map<String, Value>, place: Option<(u32, u32)>) {
    if let Some((line, column)) = place {
        out.insert("line".to_owned(), json!(line));
        out.insert("column".to_owned(), json!(column));
    }
}
