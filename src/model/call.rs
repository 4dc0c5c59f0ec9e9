//! A tool call and the context in which the host puts it.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::syntax::ast::Date;

/// A call as the model asked for it, with the context that the host set. Input in JSON is parsed by
/// [`super::value::parse_call`].
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Unique in a session; made by the host where the input has none.
    pub id: String,
    /// The tool's name.
    pub tool: String,
    /// The arguments; numbers keep their exact text.
    pub args: Map<String, Value>,
    /// What the host says about it.
    pub context: Context,
    /// Whether a job is asked for.
    pub background: bool,
    /// The caller's own time limit in milliseconds.
    pub timeout_ms: Option<u64>,
}

/// What the host says about a call; never taken from arguments, results or model text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Context {
    /// The mode, before the program's list is consulted.
    pub mode: Option<String>,
    /// Who the agent works for.
    pub user: Option<String>,
    /// Which agent asks.
    pub agent: Option<String>,
    /// The session that labels and counters belong to.
    pub session: Option<String>,
    /// The working directory as given; the workspace where absent.
    pub cwd: Option<String>,
    /// Where the tool comes from (`builtin`, `mcp:SERVER`, …); set by the registry, never input.
    pub source: Option<String>,
    /// The labels that the session carries.
    pub labels: BTreeSet<String>,
    /// The day of the call; without one, `until` counts as passed.
    pub today: Option<Date>,
}
