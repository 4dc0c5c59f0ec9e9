//! Examples of rules, each judged in a virtual world.

use crate::base::Diagnostic;
use crate::compile::Program;

/// The examples that do not hold.
#[must_use]
pub fn check(_program: &Program) -> Vec<Diagnostic> {
    Vec::new()
}
