//! Tollgate: a policy engine and gate for the tool calls of AI agents.

pub mod base;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compile;
pub mod decide;
pub mod effects;
pub mod format;
#[cfg(feature = "gate")]
pub mod gate;
#[cfg(feature = "gate")]
pub mod host;
pub mod lint;
pub mod model;
pub mod syntax;
#[cfg(feature = "gate")]
pub mod tools;
