//! Hooks: policy in code, before or after execution.
//!
//! A hook answers a [`Question`] and decides nothing else. What it returns is as untrusted as the
//! model: new arguments are a new call for `decide`, new results go through the scrubber. Whatever
//! keeps it from answering is a [`HookFailure`], and the hook's own [`OnFailure`] says what follows.

mod asking;
mod wire;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::base::limits;
use crate::model::{Call, Verdict};

use super::cancel::Cancel;
use super::tool::BoxFuture;

pub(super) use asking::{Asked, ask};
pub use wire::{parse_answer, question_to_json};

/// When a hook is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HookStage {
    /// Before a call is approved and run: about the call.
    Pre,
    /// After it ran: about its scrubbed result.
    Post,
}

impl HookStage {
    /// The word of the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pre => "pre",
            Self::Post => "post",
        }
    }

    pub(super) fn audit_stage(self) -> &'static str {
        match self {
            Self::Pre => "pre-hook",
            Self::Post => "post-hook",
        }
    }
}

/// What follows where a hook gives no answer that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OnFailure {
    /// The call is refused, or its result withheld.
    #[default]
    Block,
    /// The call goes on with a warning: for hooks that count and guard nothing.
    Warn,
}

impl OnFailure {
    /// The word of the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Warn => "warn",
        }
    }
}

/// What a hook is declared to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSpec {
    /// Its name: small letters and digits, parts joined by `-`. Verdicts call it `hook:NAME`.
    pub name: String,
    /// When it is asked.
    pub stage: HookStage,
    /// What follows where it gives no answer that counts.
    pub on_failure: OnFailure,
    /// The longest that one answer may take, milliseconds.
    pub time_limit_ms: u64,
}

impl HookSpec {
    /// A hook that blocks where it fails, with the usual time limit.
    #[must_use]
    pub fn new(name: impl Into<String>, stage: HookStage) -> Self {
        let time_limit_ms = limits::HOOK_TIME_MS_DEFAULT;
        Self { name: name.into(), stage, on_failure: OnFailure::Block, time_limit_ms }
    }

    /// As rules are called in verdicts and records. No layer's name holds a colon.
    pub(super) fn full_name(&self) -> String {
        format!("hook:{}", self.name)
    }

    pub(super) fn flaw(&self) -> Option<String> {
        let part = |part: &str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        let named = self.name.starts_with(|c: char| c.is_ascii_lowercase()) && self.name.split('-').all(part);
        if !named {
            return Some(format!("`{}` is no name of a hook: small letters, digits and `-`", self.name));
        }
        if self.time_limit_ms == 0 || self.time_limit_ms > limits::HOOK_TIME_MS_MAX {
            let max = limits::HOOK_TIME_MS_MAX;
            return Some(format!("the time limit of hook `{}` must be between 1 and {max} ms", self.name));
        }
        None
    }
}

/// What a hook is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The call's id; an answer names it.
    pub call_id: String,
    /// What it is about.
    pub about: About,
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq)]
pub enum About {
    /// Before execution.
    Call {
        /// The call, after `modify` rules and earlier hooks. Its `cwd` is always there.
        call: Box<Call>,
        /// What the policy says to it.
        verdict: Box<Verdict>,
    },
    /// After execution: the envelope as it would be given out, as JSON.
    Result(Value),
}

impl Question {
    /// When it is asked.
    #[must_use]
    pub fn stage(&self) -> HookStage {
        match self.about {
            About::Call { .. } => HookStage::Pre,
            About::Result(_) => HookStage::Post,
        }
    }
}

/// What a hook says.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What should follow.
    pub outcome: HookOutcome,
    /// Why, as one sentence for model and person.
    pub reason: Option<String>,
}

impl Answer {
    /// No objection.
    #[must_use]
    pub fn go_on() -> Self {
        Self { outcome: HookOutcome::Continue, reason: None }
    }

    /// Stops the call, or withholds its result.
    #[must_use]
    pub fn block(reason: impl Into<String>) -> Self {
        Self { outcome: HookOutcome::Block, reason: Some(reason.into()) }
    }
}

/// What should follow.
#[derive(Debug, Clone, PartialEq)]
pub enum HookOutcome {
    /// No objection.
    Continue,
    /// Go on, with a warning.
    Warn,
    /// Stop.
    Block,
    /// Go on with these: of a pre-hook all arguments, of a post-hook the whole `data`.
    Modify(Map<String, Value>),
}

impl HookOutcome {
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Warn => "warn",
            Self::Block => "block",
            Self::Modify(_) => "modify",
        }
    }
}

/// Why a hook gave no answer that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookFailure {
    /// Its program is not there.
    Missing,
    /// Its program is not the one that was pinned.
    Changed,
    /// Its program could not be started; why.
    NotStarted(String),
    /// It crashed (in process).
    Panicked,
    /// A signal ended it.
    Signal(i32),
    /// It ended with this exit code, which is not 0.
    ExitCode(i32),
    /// Its time was over.
    TimeLimit(u64),
    /// It wrote more than [`limits::HOOK_OUTPUT_BYTES_MAX`].
    TooMuchOutput,
    /// What it wrote is no JSON; why.
    BadJson(String),
    /// It is JSON, but no answer; why.
    BadAnswer(String),
    /// An outcome that there is none of.
    UnknownOutcome,
    /// It answered for another call.
    WrongCall,
    /// The call was cancelled while it was asked.
    Cancelled,
    /// How it ended is not known.
    Lost,
    /// It says itself that it failed (in process); why.
    Failed(String),
}

impl HookFailure {
    /// The word of the audit record.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Missing => "missing-program",
            Self::Changed => "changed-program",
            Self::NotStarted(_) => "not-started",
            Self::Panicked => "panicked",
            Self::Signal(_) => "signal",
            Self::ExitCode(_) => "exit-code",
            Self::TimeLimit(_) => "time-limit",
            Self::TooMuchOutput => "too-much-output",
            Self::BadJson(_) => "bad-json",
            Self::BadAnswer(_) => "bad-answer",
            Self::UnknownOutcome => "unknown-outcome",
            Self::WrongCall => "wrong-call",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
            Self::Failed(_) => "failed",
        }
    }

    /// As the end of a sentence that begins with the hook's name.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Missing => "gave no answer: its program is missing".to_owned(),
            Self::Changed => "was not asked: its program is not the one that was pinned".to_owned(),
            Self::NotStarted(why) => format!("gave no answer: its program could not be started: {why}"),
            Self::Panicked => "gave no answer: it crashed".to_owned(),
            Self::Signal(signal) => format!("gave no answer: signal {signal} ended it"),
            Self::ExitCode(code) => format!("gave no answer: it ended with exit code {code}"),
            Self::TimeLimit(ms) => format!("gave no answer within {ms} ms"),
            Self::TooMuchOutput => {
                format!("gave no answer: it wrote more than {} bytes", limits::HOOK_OUTPUT_BYTES_MAX)
            }
            Self::BadJson(why) => format!("gave no answer: what it wrote is not JSON: {why}"),
            Self::BadAnswer(why) => format!("gave no answer that can be used: {why}"),
            Self::UnknownOutcome => "gave an outcome that there is none of".to_owned(),
            Self::WrongCall => "answered for another call".to_owned(),
            Self::Cancelled => "gave no answer before the call was cancelled".to_owned(),
            Self::Lost => "gave no answer: how it ended is not known".to_owned(),
            Self::Failed(why) => format!("gave no answer: {why}"),
        }
    }
}

/// A hook. In process: this trait; a program: `host::hook::CommandHook`.
pub trait Hook: Send + Sync {
    /// Answers. The gate bounds the time; `cancel` tells when the answer is no longer wanted.
    fn answer<'a>(
        &'a self,
        question: &'a Question,
        cancel: &'a Cancel,
    ) -> BoxFuture<'a, Result<Answer, HookFailure>>;
}

/// A hook of a gate.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) spec: HookSpec,
    pub(super) hook: Arc<dyn Hook>,
}
