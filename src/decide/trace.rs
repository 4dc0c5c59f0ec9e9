//! Shim.
use serde_json::{Map, Value};

use crate::compile::Program;
use crate::compile::program::Verb;
use crate::effects::World;
use crate::model::{Call, Capability, Level, Truth, Verdict};

/// The whole explanation.
#[derive(Debug)]
pub struct Trace {
    /// The verdict that is explained.
    pub verdict: Verdict,
    /// Every call judged on the way: as asked first, as it would run last.
    pub calls: Vec<TracedCall>,
}

/// One call on the way.
#[derive(Debug)]
pub struct TracedCall {
    /// Its arguments.
    pub args: Map<String, Value>,
    /// Its effects in order.
    pub effects: Vec<TracedEffect>,
}

/// One effect.
#[derive(Debug)]
pub struct TracedEffect {
    /// What it does.
    pub capability: Capability,
    /// To what, for people.
    pub resource: Option<String>,
    /// Where it comes from.
    pub from: Option<String>,
    /// Its level.
    pub level: Level,
    /// What counted, strictest first.
    pub counted: Vec<CountedRule>,
    /// The nearest of the rules that did not.
    pub nearest: Vec<NearRule>,
}

/// A rule that counted.
#[derive(Debug)]
pub struct CountedRule {
    /// Full name or pseudo-rule.
    pub rule: String,
    /// What it added.
    pub level: Level,
    /// `FILE:LINE:COLUMN`.
    pub at: Option<String>,
    /// Why, filled in.
    pub because: Option<String>,
    /// What could not be known, where it counts as unknown.
    pub unknown: Option<String>,
}

/// A rule that did not count.
#[derive(Debug)]
pub struct NearRule {
    /// Full name.
    pub rule: String,
    /// Its verb.
    pub verb: Verb,
    /// `FILE:LINE:COLUMN`.
    pub at: String,
    /// The comparisons that kept it from counting.
    pub failed: Vec<FailedComparison>,
}

/// A comparison that is not true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedComparison {
    /// As the author wrote it.
    pub text: String,
    /// A `not` stands around it.
    pub negated: bool,
    /// False or unknown.
    pub truth: Truth,
    /// The actual value, for people.
    pub actual: String,
}

/// Shim.
#[must_use]
pub fn explain(program: &Program, call: Call, world: &dyn World) -> Trace {
    let verdict = super::decide(program, call, world).verdict().clone();
    Trace { verdict, calls: Vec::new() }
}
