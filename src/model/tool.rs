//! What a tool's arguments are: the lines of `tool NAME { … }`, host code's facts included.

use std::sync::Arc;

use crate::syntax::ast::Step;

use super::schema::Schema;
use super::{Action, Capability};

/// A tool's name, or a prefix of names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToolPattern {
    /// One tool.
    Exact(String),
    /// Every tool whose name begins so (`mcp:tickets/*` without the star).
    Prefix(String),
}

impl ToolPattern {
    /// Reads `NAME` or `PREFIX*`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match text.strip_suffix('*') {
            Some(prefix) => Self::Prefix(prefix.to_owned()),
            None => Self::Exact(text.to_owned()),
        }
    }

    /// Whether it names this tool.
    #[must_use]
    pub fn matches(&self, tool: &str) -> bool {
        match self {
            Self::Exact(name) => name == tool,
            Self::Prefix(prefix) => tool.starts_with(prefix.as_str()),
        }
    }
}

/// One declaration: which arguments are which resources.
#[derive(Debug, Clone)]
pub struct ToolDeclaration {
    /// Which tools it is about.
    pub pattern: ToolPattern,
    /// Its lines in order.
    pub lines: Vec<EffectLine>,
    /// Its schema, where it has one.
    pub schema: Option<Arc<Schema>>,
}

/// One line of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EffectLine {
    /// `reads`, `lists`, `writes`, `creates`, `deletes`.
    Path {
        /// Read or write.
        capability: Capability,
        /// What happens; `writes` is `Change`, which becomes `Create` where the path is missing.
        action: Action,
        /// The argument.
        arg: Argument,
        /// The path is a tree.
        recursively: bool,
        /// The text is a pattern of paths.
        as_glob: bool,
    },
    /// `connects`.
    Connect {
        /// The argument.
        arg: Argument,
    },
    /// `runs`.
    Run {
        /// The command line, or its words.
        arg: Argument,
        /// The working directory.
        cwd: Option<Argument>,
        /// How the line is read.
        dialect: Dialect,
    },
    /// `CAP on ARG`.
    Target {
        /// The capability.
        capability: Capability,
        /// The argument.
        arg: Argument,
    },
    /// `CAP` alone, `nothing` included.
    Bare(Capability),
}

/// How a command line is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialect {
    /// As bash.
    Bash,
    /// A list is the words of one command.
    Words,
    /// A language that is not understood: opaque.
    Other(String),
}

/// Where a tool's resource stands in its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// The steps behind `args`.
    pub path: Vec<Step>,
    /// Absence or `null` means no effect.
    pub optional: bool,
    /// What absence means.
    pub or: Option<String>,
}
