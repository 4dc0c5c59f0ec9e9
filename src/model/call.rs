//! A tool call and the context in which the host puts it.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::syntax::ast::{Date, Step};

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

/// What stands at a place in the arguments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place<'a> {
    /// An object lacks the name, or a list the index.
    Absent,
    /// A step does not fit the type of the value that it is taken in (nothing fits `null`).
    Misfit,
    /// This value.
    Value(&'a Value),
}

impl Call {
    /// The argument behind `args`. A `[*]` fits nothing here.
    #[must_use]
    pub fn argument(&self, steps: &[Step]) -> Place<'_> {
        let Some((Step::Name(first), rest)) = steps.split_first() else { return Place::Absent };
        self.args.get(first).map_or(Place::Absent, |root| place(root, rest))
    }
}

/// The place below a value. A `[*]` fits nothing here.
#[must_use]
pub fn place<'a>(root: &'a Value, steps: &[Step]) -> Place<'a> {
    let mut value = root;
    for step in steps {
        let next = match (step, value) {
            (Step::Name(name), Value::Object(members)) => members.get(name),
            (Step::Index(at), Value::Array(elements)) => elements.get(*at as usize),
            _ => return Place::Misfit,
        };
        let Some(next) = next else { return Place::Absent };
        value = next;
    }
    Place::Value(value)
}
