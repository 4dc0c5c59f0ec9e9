//! What came of a suite: plain data for those who show it.

use super::case::Kind;
use super::snapshot::{Comparison, Entry};
use crate::decide::Trace;
use crate::lint::examples;
use crate::model::Level;

/// What came of a test file.
#[derive(Debug)]
pub struct Report {
    /// Of its checks that were run, in the order of the file.
    pub checks: Vec<CheckReport>,
    /// Of the examples of all rules of the policy.
    pub examples: Vec<examples::Outcome>,
    /// How its snapshot differs.
    pub snapshot: Comparison,
}

impl Report {
    /// Whether everything is as expected. A file that checks nothing is not.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.checks.is_empty()
            && self.checks.iter().all(CheckReport::holds)
            && self.examples.iter().all(|example| example.finding.is_none())
            && self.snapshot == Comparison::Same
    }
}

/// What came of one check.
#[derive(Debug)]
pub struct CheckReport {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Line and column in the test file, from 1.
    pub place: Option<(u32, u32)>,
    /// The verdict.
    pub level: Level,
    /// The determining rules.
    pub rules: Vec<String>,
    /// What is wrong; nothing where the check holds.
    pub failures: Vec<Failure>,
    /// Why the verdict came out as it did, where the check fails.
    pub trace: Option<Trace>,
    /// What a snapshot remembers of it.
    pub entry: Entry,
}

impl CheckReport {
    /// Whether everything is as expected.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.failures.is_empty()
    }
}

/// One thing that is not as expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What it is about: a key of `expect` where two things differ, else a whole sentence.
    pub what: String,
    /// What was expected.
    pub expected: Option<String>,
    /// What came out.
    pub found: Option<String>,
    /// What to do, and what was nearly so; one entry a line.
    pub help: Vec<String>,
}

impl Failure {
    pub(super) fn differs(what: &str, expected: impl Into<String>, found: impl Into<String>) -> Self {
        let (expected, found) = (Some(expected.into()), Some(found.into()));
        Self { what: what.to_owned(), expected, found, help: Vec::new() }
    }

    pub(super) fn said(what: impl Into<String>) -> Self {
        Self { what: what.into(), expected: None, found: None, help: Vec::new() }
    }

    pub(super) fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// One sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match (&self.expected, &self.found) {
            (Some(expected), Some(found)) => {
                format!("{}: expected {expected}, found {found}", self.what)
            }
            _ => self.what.clone(),
        }
    }
}
