//! Command patterns against commands. As long as command lines are opaque, every match is unknown.

use crate::model::pattern::CommandPattern;
use crate::model::{Command, Truth};

/// Whether a command matches a pattern.
#[must_use]
pub fn matches(_pattern: &CommandPattern, _command: &Command, _as_grant: bool) -> Truth {
    Truth::Unknown
}

/// Whether a command runs this program.
#[must_use]
pub fn program_matches(_program: &str, _command: &Command) -> Truth {
    Truth::Unknown
}
