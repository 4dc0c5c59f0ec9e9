//! What came of tests; one file a format.

pub mod json;
pub mod junit;
pub mod text;

use crate::cli::suites::{Loaded, Stray, Unusable};
use crate::lint::examples;
use crate::suite::CheckReport;
use crate::suite::snapshot::Comparison;

/// What came of everything.
#[derive(Debug)]
pub struct Report<'a> {
    /// Every file that could be run.
    pub files: Vec<FileReport<'a>>,
    /// Every file that could not.
    pub unusable: Vec<Unusable>,
    /// Files that look like tests and are not run.
    pub strays: Vec<Stray>,
}

/// What came of one file.
#[derive(Debug)]
pub struct FileReport<'a> {
    /// The file.
    pub file: &'a Loaded,
    /// Its checks that were run, in the order of the file.
    pub checks: Vec<CheckReport>,
    /// The examples of its policy that no file before ran.
    pub examples: Vec<examples::Outcome>,
    /// Of a test file, its snapshot.
    pub snapshot: Option<SnapshotReport>,
    /// Whether a filter left checks out.
    pub filtered: bool,
}

/// What came of a snapshot.
#[derive(Debug)]
pub struct SnapshotReport {
    /// The file as it is shown.
    pub name: String,
    /// How it differs.
    pub comparison: Comparison,
    /// Whether it was rewritten.
    pub accepted: bool,
    /// What to do where it differs.
    pub mend: String,
}

/// How many there are of what was run, and of what fails.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Cases, cells and examples.
    pub checks: usize,
    /// Those of them that do not hold.
    pub failed: usize,
    /// Files that check nothing.
    pub empty: usize,
    /// Snapshots that are missing or differ.
    pub snapshots: usize,
    /// Files that look like tests and are not run.
    pub strays: usize,
    /// Files that were run.
    pub files: usize,
    /// Files that cannot be used.
    pub unusable: usize,
}

impl Counts {
    /// Whether anything is not as expected.
    #[must_use]
    pub fn negative(&self) -> bool {
        self.failed + self.empty + self.snapshots + self.strays > 0
    }
}

impl Report<'_> {
    /// The sums over all files.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts =
            Counts { unusable: self.unusable.len(), strays: self.strays.len(), ..Counts::default() };
        for file in &self.files {
            counts.checks += file.count();
            counts.failed += file.failed();
            counts.empty += usize::from(file.is_empty());
            counts.snapshots += usize::from(file.is_stale());
            counts.files += usize::from(file.is_shown());
        }
        counts
    }
}

impl FileReport<'_> {
    fn count(&self) -> usize {
        self.checks.len() + self.examples.len()
    }

    /// Whether it is a test file that tests nothing.
    fn is_empty(&self) -> bool {
        self.file.suite.as_ref().is_some_and(|suite| suite.checks.is_empty())
    }

    /// Whether there is anything to say about it.
    fn is_shown(&self) -> bool {
        self.count() > 0 || (self.file.suite.is_some() && !self.filtered)
    }

    fn is_stale(&self) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| snapshot.comparison != Comparison::Same)
    }

    fn failed(&self) -> usize {
        let checks = self.checks.iter().filter(|check| !check.holds()).count();
        checks + self.examples.iter().filter(|example| example.finding.is_some()).count()
    }
}

impl SnapshotReport {
    /// One sentence about a snapshot that differs.
    #[must_use]
    pub fn sentence(&self) -> String {
        match &self.comparison {
            Comparison::Same => "the snapshot says the same".to_owned(),
            Comparison::Missing => format!("there is no snapshot `{}`", self.name),
            Comparison::Unreadable(why) => format!("the snapshot `{}` cannot be read: {why}", self.name),
            Comparison::Stale(found) => {
                let count = super::counted(found.len(), "difference");
                format!("the snapshot `{}` is stale: {count}", self.name)
            }
        }
    }
}
