//! What came of tests, for people.

use std::fmt::Write as _;

use similar::TextDiff;

use super::{FileReport, Report, SnapshotReport};
use crate::base::Diagnostic;
use crate::cli::output::harmless;
use crate::cli::render::{counted, text, trace};
use crate::cli::suites::{Loaded, Unusable};
use crate::suite::snapshot::{Comparison, Difference};
use crate::suite::{CheckReport, Failure, Kind};

/// Failing checks of one file that are shown with their trees; of the rest only what differs.
const TREES_MAX: usize = 20;
/// Differences of one snapshot that are shown; the rest is counted.
const DIFFERENCES_MAX: usize = 20;

const GREEN: &str = "\u{1b}[32m";
const RED: &str = "\u{1b}[31m";
const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

/// One line a file, behind it what fails; the sum at the end. Styled: what prints it strips the colours
/// where there is no terminal.
#[must_use]
pub fn report(report: &Report<'_>) -> String {
    let mut out = String::new();
    for file in report.files.iter().filter(|file| file.is_shown()) {
        one_file(&mut out, file);
    }
    for file in &report.unusable {
        unusable(&mut out, file);
    }
    for stray in &report.strays {
        let _ = writeln!(out, "{RED}FAIL{PLAIN} {}  {}", harmless(&stray.name), harmless(&stray.message));
        let _ = writeln!(out, "  help: {}\n", harmless(&stray.help));
    }
    summary(&mut out, report);
    out
}

fn one_file(out: &mut String, report: &FileReport<'_>) {
    let holds = report.failed() == 0 && !report.is_stale() && !report.is_empty();
    let mark = if holds { format!("{GREEN}ok  {PLAIN}") } else { format!("{RED}FAIL{PLAIN}") };
    let _ = writeln!(out, "{mark} {}  {}", harmless(&report.file.name), counts(report));
    if report.is_empty() {
        let _ = writeln!(out, "  the file checks nothing\n  help: add `cases:` or a `matrix:`, or delete it");
    }
    for (at, check) in report.checks.iter().filter(|check| !check.holds()).enumerate() {
        failing(out, report.file, check, at < TREES_MAX);
    }
    let findings: Vec<Diagnostic> =
        report.examples.iter().filter_map(|example| example.finding.clone()).collect();
    if !findings.is_empty() {
        let shown = text::diagnostics(&findings, &report.file.sources);
        let _ = writeln!(out, "\n{}", shown.trim_end());
    }
    if let Some(stale) = report.snapshot.as_ref().filter(|_| report.is_stale()) {
        snapshot(out, stale);
    }
    if !holds {
        out.push('\n');
    }
}

fn counts(report: &FileReport<'_>) -> String {
    let cases = report.checks.iter().filter(|check| check.kind == Kind::Case).count();
    let counts = [(cases, "case"), (report.checks.len() - cases, "cell"), (report.examples.len(), "example")];
    let mut words: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| counted(count, word))
        .collect();
    if words.is_empty() {
        words.push("no checks".to_owned());
    }
    if report.snapshot.as_ref().is_some_and(|snapshot| snapshot.accepted) {
        words.push("snapshot written".to_owned());
    }
    words.join(", ")
}

fn failing(out: &mut String, file: &Loaded, check: &CheckReport, with_tree: bool) {
    let place = check.place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
    let _ = writeln!(out, "\n{BOLD}{}{place}: {}{PLAIN}", harmless(&file.name), harmless(&check.name));
    check.failures.iter().for_each(|failure| one_failure(out, failure));
    if with_tree {
        tree(out, file, check);
    }
}

/// What is wrong with a check, and why its verdict came out as it did.
#[must_use]
pub fn details(file: &Loaded, check: &CheckReport) -> String {
    let mut out = String::new();
    check.failures.iter().for_each(|failure| one_failure(&mut out, failure));
    tree(&mut out, file, check);
    out
}

fn tree(out: &mut String, file: &Loaded, check: &CheckReport) {
    let Some(found) = &check.trace else { return };
    out.push('\n');
    for line in trace::text(found, &file.program).lines() {
        let _ = writeln!(out, "  {line}");
    }
}

fn one_failure(out: &mut String, failure: &Failure) {
    let _ = writeln!(out, "  {RED}{}{PLAIN}", harmless(&failure.what));
    for (word, text) in [("expected", &failure.expected), ("found   ", &failure.found)] {
        if let Some(text) = text {
            let _ = writeln!(out, "    {word} {}", harmless(text));
        }
    }
    for help in &failure.help {
        let _ = writeln!(out, "    help: {}", harmless(help));
    }
}

fn snapshot(out: &mut String, report: &SnapshotReport) {
    let _ = writeln!(out, "\n{BOLD}{}{PLAIN}", harmless(&report.sentence()));
    out.push_str(&differences(report));
    let _ = writeln!(out, "  help: {}", harmless(&report.mend));
}

/// The differences of a snapshot.
#[must_use]
pub fn differences(report: &SnapshotReport) -> String {
    let mut out = String::new();
    let Comparison::Stale(found) = &report.comparison else { return out };
    for difference in found.iter().take(DIFFERENCES_MAX) {
        let (old, new, what) = match difference {
            Difference::New(entry) => ("", entry.text.as_str(), "is not in the snapshot"),
            Difference::Gone(entry) => (entry.text.as_str(), "", "is in the snapshot, but no check any more"),
            Difference::Changed { old, new, .. } => (old.as_str(), new.as_str(), "has another verdict"),
            Difference::Order => {
                let _ = writeln!(out, "  the checks stand in another order");
                continue;
            }
        };
        let _ = writeln!(out, "  {}: {what}", harmless(difference.name().unwrap_or_default()));
        let text = TextDiff::from_lines(old, new).unified_diff().context_radius(1).to_string();
        for line in text.lines().filter(|line| !line.starts_with("@@")) {
            let _ = writeln!(out, "    {}", harmless(line));
        }
    }
    if let Some(rest) = found.len().checked_sub(DIFFERENCES_MAX).filter(|rest| *rest > 0) {
        let _ = writeln!(out, "  … and {}", counted(rest, "more difference"));
    }
    out
}

fn unusable(out: &mut String, file: &Unusable) {
    let place = file.place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
    let (name, message) = (harmless(&file.name), harmless(&file.message));
    let _ = writeln!(out, "{RED}FAIL{PLAIN} {name}{place}  {message}");
    if let Some(help) = &file.help {
        let _ = writeln!(out, "  help: {}", harmless(help));
    }
    if !file.findings.found.is_empty() {
        let shown = text::diagnostics(&file.findings.found, &file.findings.sources);
        let _ = writeln!(out, "\n{}", shown.trim_end());
    }
    out.push('\n');
}

fn summary(out: &mut String, report: &Report<'_>) {
    let counts = report.counts();
    if counts.checks > 0 {
        let (checks, files) = (counted(counts.checks, "check"), counted(counts.files, "file"));
        let _ = match counts.failed {
            0 => writeln!(out, "{checks} in {files} hold"),
            failed => writeln!(out, "{checks} in {files}, {failed} failed"),
        };
    }
    for (count, word, what) in [
        (counts.empty, "file", "without a check"),
        (counts.snapshots, "snapshot", "missing or stale"),
        (counts.strays, "file", "not run"),
        (counts.unusable, "file", "not usable"),
    ] {
        if count > 0 {
            let _ = writeln!(out, "{} {what}", counted(count, word));
        }
    }
}
