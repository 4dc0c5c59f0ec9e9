//! Verdicts: a lattice of four levels, with everything that explains one.

use crate::base::Digest;
use serde_json::{Map, Value};

/// The levels, from soft to strict. The strictest wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Let through.
    Allow,
    /// Let through with a warning.
    Warn,
    /// Let through once a person approves.
    Ask,
    /// Stopped.
    Block,
}

impl Level {
    /// The word of the language.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Ask => "ask",
            Self::Block => "block",
        }
    }
}

/// The pseudo-rules that stand where no rule gave a verdict.
pub mod pseudo {
    /// Nothing let the effect through.
    pub const DEFAULT: &str = "default";
    /// Nothing declares the tool.
    pub const UNKNOWN_TOOL: &str = "unknown-tool";
    /// The arguments do not fit the schema or the declaration.
    pub const INVALID_ARGUMENTS: &str = "invalid-arguments";
    /// The mode is not one of the policy's.
    pub const UNKNOWN_MODE: &str = "unknown-mode";
    /// A bound of the program was passed.
    pub const LIMIT: &str = "limit";
    /// The gate protects itself.
    pub const GATE_SELF: &str = "gate/self";
    /// The input is no call.
    pub const INVALID_CALL: &str = "invalid-call";
}

/// What the engine says about a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The call's id.
    pub call_id: String,
    /// The call's tool.
    pub tool: String,
    /// The strictest level over all effects and all calls judged on the way.
    pub level: Level,
    /// The determining rules by full name, sorted.
    pub rules: Vec<String>,
    /// The effects of the last call, in the order of the line.
    pub effects: Vec<EffectVerdict>,
    /// Why, for each rule that counted with `warn`, `ask` or `block`; deduplicated, in the order of
    /// level (strictest first), then rule.
    pub reasons: Vec<Reason>,
    /// What `modify` rules changed.
    pub modified: Option<Modified>,
    /// Duties attached to letting it through.
    pub obligations: Obligations,
    /// What a person would approve, where the level is `ask`.
    pub approval: Option<Approval>,
    /// The revision of the program.
    pub policy: Digest,
}

/// Why a rule that asks blocks: whoever reads it has to find out which of the two to change.
const UNATTENDED: &str = "the rule asks, and this session never asks: nobody is there to approve";

impl Verdict {
    /// The verdict where nobody can be asked: every `ask` is a `block`.
    #[must_use]
    pub fn unattended(mut self) -> Self {
        let stricter = |level: Level| if level == Level::Ask { Level::Block } else { level };
        // Rules that asked beside rules that blocked now give the verdict with them.
        if self.level == Level::Block {
            let asking = self.effects.iter().filter(|effect| effect.level == Level::Ask);
            self.rules.extend(asking.flat_map(|effect| effect.rules.iter().cloned()));
            self.rules.sort();
            self.rules.dedup();
        }
        self.level = stricter(self.level);
        self.effects.iter_mut().for_each(|effect| effect.level = stricter(effect.level));
        for reason in self.reasons.iter_mut().filter(|reason| reason.level == Level::Ask) {
            reason.level = Level::Block;
            reason.because = Some(match reason.because.take() {
                Some(because) => format!("{because} ({UNATTENDED})"),
                None => UNATTENDED.to_owned(),
            });
        }
        self.reasons.sort_by(|a, b| b.level.cmp(&a.level).then_with(|| a.rule.cmp(&b.rule)));
        self.approval = None;
        self
    }
}

/// The verdict on one effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectVerdict {
    /// The word of the capability.
    pub capability: super::Capability,
    /// The resource for people: workspace-relative where it can be.
    pub resource: Option<String>,
    /// Its level.
    pub level: Level,
    /// The rules that gave it, sorted.
    pub rules: Vec<String>,
    /// Whether the level rests on a condition that could not be known.
    pub unknown: bool,
    /// Where the effect comes from.
    pub from: Option<String>,
}

/// Why a rule counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reason {
    /// Full name of the rule, or a pseudo-rule.
    pub rule: String,
    /// What it added.
    pub level: Level,
    /// Its `because`, filled in; or what the pseudo-rule means.
    pub because: Option<String>,
    /// Its `fix`.
    pub fix: Option<String>,
    /// `FILE:LINE:COLUMN`.
    pub at: Option<String>,
    /// What could not be known, where the rule counted as unknown.
    pub unknown: Option<String>,
}

/// What `modify` rules changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Modified {
    /// Full names of the rules, sorted.
    pub by: Vec<String>,
    /// The arguments of the last call.
    pub args: Map<String, Value>,
}

/// Duties of the executor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Obligations {
    /// The smallest `limit time`, milliseconds.
    pub time_ms: Option<u64>,
    /// The smallest `limit output`, bytes.
    pub output_bytes: Option<u64>,
    /// Every `limit calls`.
    pub calls: Vec<CallLimit>,
    /// The strictest `limit grade`.
    pub grade: Option<Grade>,
    /// Labels that the session carries from then on.
    pub mark: Vec<String>,
    /// Redact rules (full names) whose scope the call is in.
    pub redact: Vec<String>,
    /// Result rules other than `redact … secrets` (full names) whose scope the call is in.
    pub result_rules: Vec<String>,
}

impl Obligations {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One `limit calls`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CallLimit {
    /// Full name of the rule.
    pub rule: String,
    /// How many.
    pub max: u64,
    /// In how many milliseconds; `None` is a session.
    pub per_ms: Option<u64>,
}

/// How sure it is that what was judged is what is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grade {
    /// The verdict is a prediction.
    Advised,
    /// The program is confined to the verdict.
    Confined,
    /// What was judged is held open.
    Held,
}

impl Grade {
    /// The word of the language.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Advised => "advised",
            Self::Confined => "confined",
            Self::Held => "held",
        }
    }
}

/// What a person would approve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Of tool, arguments, effects, policy, tool definition and working directory.
    pub digest: Digest,
    /// How far each asking rule lets an approval reach.
    pub reach: Vec<Reach>,
}

/// How far an approval reaches for one rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reach {
    /// Full name of the rule.
    pub rule: String,
    /// How long.
    pub per: crate::syntax::ast::ApproveReach,
    /// For alike calls too.
    pub alike: bool,
}
