//! What a tool is: a definition, a check of its own, and a body that only the gate can start.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::model::verdict::Grade;
use crate::model::{Call, Effect, ToolDeclaration};

use super::run::Admitted;

/// A boxed future, as trait objects need it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A tool. Its body takes an [`Admitted`] call, which only the gate's execute stage can make.
pub trait Tool: Send + Sync {
    /// What it is; from the implementation, never from the model.
    fn definition(&self) -> &Definition;

    /// The tool's own check of a judged call, before anything happens. It can only refuse.
    ///
    /// # Errors
    /// Why this tool will not do it, whatever the policy says.
    fn check(&self, judged: &Judgement<'_>) -> Result<(), Refusal> {
        let _ = judged;
        Ok(())
    }

    /// The body.
    fn run<'a>(&'a self, admitted: &'a Admitted) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>>;
}

/// A judged call, to look at.
#[derive(Debug, Clone, Copy)]
pub struct Judgement<'a> {
    /// The call, after `modify` rules.
    pub call: &'a Call,
    /// Its effects.
    pub effects: &'a [Effect],
    /// The working directory of the call, canonical: where its relative paths begin.
    pub cwd: &'a str,
}

/// Why a tool will not do what it is asked, as one sentence; nothing ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub String);

/// What a tool is.
#[derive(Debug, Clone)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// One or two sentences for the model.
    pub description: String,
    /// Which arguments are which resources, and the schema of the arguments.
    pub declaration: Arc<ToolDeclaration>,
    /// The longest that one call may take, milliseconds.
    pub time_limit_ms: u64,
    /// Whether a job can be made of it.
    pub background: bool,
    /// What it does to the world.
    pub effect_class: EffectClass,
    /// What happens when it is cancelled.
    pub cancellation: Cancellation,
    /// How sure it is that what was judged is what is used.
    pub grade: Grade,
    /// Calls at a time.
    pub concurrency: usize,
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EffectClass {
    /// Looks only.
    ReadOnly,
    /// Doing it twice is doing it once.
    Idempotent,
    /// Cannot be taken back.
    Irreversible,
}

impl EffectClass {
    /// The word for definitions.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Idempotent => "idempotent",
            Self::Irreversible => "irreversible",
        }
    }
}

/// What a tool promises when it is cancelled or its time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cancellation {
    /// Dropping its future ends it.
    Immediate,
    /// It ends the processes it started, and says whether all are gone.
    ProcessTree,
    /// It tries.
    BestEffort,
    /// It cannot be stopped.
    None,
}

impl Cancellation {
    /// The word for definitions.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::ProcessTree => "process-tree",
            Self::BestEffort => "best-effort",
            Self::None => "none",
        }
    }
}

/// What a tool gives back. It is raw: nobody sees it before the scrubber.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// One sentence.
    pub summary: String,
    /// The tool's own small structured result.
    pub data: Map<String, Value>,
    /// Fields of `data` that hold more than is wanted, so that a credential on the cut is seen whole.
    pub heads: Vec<Head>,
}

impl ToolOutput {
    /// A result with nothing to cut.
    #[must_use]
    pub fn new(summary: impl Into<String>, data: Map<String, Value>) -> Self {
        Self { summary: summary.into(), data, heads: Vec::new() }
    }
}

/// A text of which only the beginning is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The field of `data`.
    pub field: String,
    /// Bytes to keep, cut at a character.
    pub bytes: usize,
}

/// Why a tool did not give a result. Messages are raw until they are scrubbed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolFailure {
    /// It ran and failed.
    Failed(String),
    /// It was told to stop and did.
    Stopped {
        /// Whether nothing of it is left running, for sure.
        certain: bool,
    },
    /// It may have had an effect.
    Unknown(String),
}
