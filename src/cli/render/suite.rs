//! What came of tests, for people.

use std::fmt::Write as _;

use crate::base::Diagnostic;
use crate::cli::output::harmless;
use crate::cli::suites::{Loaded, Unusable};
use crate::suite::{CheckReport, Failure, Kind};

use super::counted;

const GREEN: &str = "\u{1b}[32m";
const RED: &str = "\u{1b}[31m";
const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

/// What came of everything.
#[derive(Debug)]
pub struct Report<'a> {
    /// Every file that could be run.
    pub files: Vec<FileReport<'a>>,
    /// Every file that could not.
    pub unusable: Vec<Unusable>,
    /// Whether a filter left checks out.
    pub filtered: bool,
}

/// What came of one file.
#[derive(Debug)]
pub struct FileReport<'a> {
    /// The file.
    pub file: &'a Loaded,
    /// Its checks that were run, in the order of the file.
    pub checks: Vec<CheckReport>,
    /// How many examples of rules were run.
    pub examples: usize,
    /// The examples that do not hold.
    pub findings: Vec<Diagnostic>,
}

impl Report<'_> {
    /// How many checks were run.
    #[must_use]
    pub fn checks(&self) -> usize {
        self.files.iter().map(FileReport::count).sum()
    }

    /// How many do not hold.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.files.iter().map(|file| file.failed(self.filtered)).sum()
    }
}

impl FileReport<'_> {
    fn count(&self) -> usize {
        self.checks.len() + self.examples
    }

    /// Whether it is a test file that tests nothing.
    fn is_empty(&self) -> bool {
        self.file.suite.as_ref().is_some_and(|suite| suite.checks.is_empty())
    }

    fn failed(&self, filtered: bool) -> usize {
        let failed = self.checks.iter().filter(|check| !check.holds()).count() + self.findings.len();
        failed + usize::from(self.is_empty() && !filtered)
    }
}

/// One line a file, behind it what fails; the sum at the end.
#[must_use]
pub fn text(report: &Report<'_>) -> String {
    let mut out = String::new();
    for file in report.files.iter().filter(|file| file.count() > 0 || file.is_empty() && !report.filtered) {
        one_file(&mut out, file, report.filtered);
    }
    for file in &report.unusable {
        unusable(&mut out, file);
    }
    summary(&mut out, report);
    out
}

fn one_file(out: &mut String, report: &FileReport<'_>, filtered: bool) {
    let failed = report.failed(filtered);
    let mark = if failed == 0 { format!("{GREEN}ok  {PLAIN}") } else { format!("{RED}FAIL{PLAIN}") };
    let _ = writeln!(out, "{mark} {}  {}", harmless(&report.file.name), counts(report));
    if report.is_empty() && !filtered {
        let _ = writeln!(out, "  the file checks nothing\n  help: add `cases:` or a `matrix:`, or delete it");
    }
    for check in report.checks.iter().filter(|check| !check.holds()) {
        failing(out, report.file, check);
    }
    if !report.findings.is_empty() {
        let _ = writeln!(
            out,
            "\n{}",
            super::text::diagnostics(&report.findings, &report.file.sources).trim_end()
        );
    }
    if failed > 0 {
        out.push('\n');
    }
}

fn counts(report: &FileReport<'_>) -> String {
    let cases = report.checks.iter().filter(|check| check.kind == Kind::Case).count();
    let counts = [(cases, "case"), (report.checks.len() - cases, "cell"), (report.examples, "example")];
    let words: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| counted(count, word))
        .collect();
    if words.is_empty() { "no checks".to_owned() } else { words.join(", ") }
}

fn failing(out: &mut String, file: &Loaded, check: &CheckReport) {
    let place = check.place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
    let _ = writeln!(out, "\n{BOLD}{}{place}: {}{PLAIN}", harmless(&file.name), harmless(&check.name));
    for failure in &check.failures {
        one_failure(out, failure);
    }
    if let Some(trace) = &check.trace {
        out.push('\n');
        for line in super::trace::text(trace, &file.program).lines() {
            let _ = writeln!(out, "  {line}");
        }
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

fn unusable(out: &mut String, file: &Unusable) {
    let place = file.place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
    let (name, message) = (harmless(&file.name), harmless(&file.message));
    let _ = writeln!(out, "{RED}FAIL{PLAIN} {name}{place}  {message}");
    if let Some(help) = &file.help {
        let _ = writeln!(out, "  help: {}", harmless(help));
    }
    if !file.findings.found.is_empty() {
        let shown = super::text::diagnostics(&file.findings.found, &file.findings.sources);
        let _ = writeln!(out, "\n{}", shown.trim_end());
    }
    out.push('\n');
}

fn summary(out: &mut String, report: &Report<'_>) {
    let (checks, failed) = (report.checks(), report.failed());
    let files = report.files.iter().filter(|file| file.count() > 0).count();
    let _ = match failed {
        _ if checks == 0 => Ok(()),
        0 => writeln!(out, "{} in {} hold", counted(checks, "check"), counted(files, "file")),
        _ => writeln!(out, "{failed} of {} in {} fail", counted(checks, "check"), counted(files, "file")),
    };
    if !report.unusable.is_empty() {
        let _ = writeln!(out, "{} cannot be used", counted(report.unusable.len(), "file"));
    }
}
