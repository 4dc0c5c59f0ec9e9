//! The tools that ship with the program, as the compiler takes them.

use crate::model::ToolDeclaration;

/// The declarations of the built-in tools.
#[must_use]
pub fn declarations() -> Vec<ToolDeclaration> {
    Vec::new()
}
