//! How findings are shown; one file a format.

pub mod envelope;
pub mod github;
pub mod json;
pub mod suite;
pub mod text;
pub mod trace;

use crate::base::{Diagnostic, Sources};

/// Findings with the texts they point into.
#[derive(Debug, Default)]
pub struct Findings {
    /// The texts.
    pub sources: Sources,
    /// The findings.
    pub found: Vec<Diagnostic>,
}

/// `1 error`, `3 errors`.
#[must_use]
pub fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// `1 error, 2 warnings`; empty where there is nothing.
#[must_use]
pub fn summary(findings: &[&Diagnostic]) -> String {
    use crate::base::Level;
    [Level::Error, Level::Warning, Level::Note]
        .into_iter()
        .map(|level| (findings.iter().filter(|found| found.level == level).count(), level))
        .filter(|(count, _)| *count > 0)
        .map(|(count, level)| counted(count, level.as_str()))
        .collect::<Vec<_>>()
        .join(", ")
}
