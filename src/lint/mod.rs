//! Rank 6a: findings about policies beyond what the compiler refuses.

pub mod examples;

use crate::decide::trace::FailedComparison;
use crate::model::Truth;

/// A comparison that is not true, with the actual value, for people.
#[must_use]
pub fn comparison(failed: &FailedComparison) -> String {
    let not = if failed.negated && !failed.text.contains(" not ") { "not " } else { "" };
    let truth = match failed.truth {
        Truth::True => "true",
        Truth::False => "false",
        Truth::Unknown => "unknown",
    };
    format!("`{not}{}` is {truth}: {}", failed.text, failed.actual)
}
