//! How a call ends: from what happened to what is said about it.

use serde_json::Value;

use crate::base::Digest;
use crate::decide::json::verdict_to_json;
use crate::model::Verdict;
use crate::model::schema::SchemaViolation;
use crate::model::verdict::{Grade, Reason, pseudo};

use super::super::envelope::{Code, Retry, Status};
use super::super::journal::Outcome;
use super::super::pipeline::Inner;
use super::super::run::Ran;
use super::super::scrub::{Rewriting, Scrubber};
use super::super::tool::{Definition, EffectClass, ToolFailure, ToolOutput};
use super::Terms;

/// Why nothing ran. Raw until [`Inner::rejected`] scrubs it.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) code: Code,
    message: String,
    verdict: Option<Verdict>,
    grade: Option<Grade>,
}

impl Stop {
    pub(super) fn new(code: Code, message: String) -> Self {
        Self { code, message, verdict: None, grade: None }
    }

    pub(super) fn boxed(code: Code, message: impl Into<String>) -> Box<Self> {
        Box::new(Self::new(code, message.into()))
    }

    pub(super) fn with(self, verdict: Option<Verdict>, grade: Option<Grade>) -> Self {
        Self { verdict, grade, ..self }
    }

    pub(super) fn graded(self, grade: Grade) -> Self {
        Self { grade: Some(grade), ..self }
    }

    /// Adds to the message.
    pub(super) fn also(mut self, more: &str) -> Self {
        self.message.push_str(more);
        self
    }
}

/// A violation of a schema, without repeating the value: `args.path: expected a string`.
pub(super) fn violation(violation: &SchemaViolation) -> String {
    let place: String = violation.at.split('/').skip(1).map(|step| format!(".{step}")).collect();
    format!("args{place}: {}", violation.message)
}

/// A blocked call.
pub(super) fn refusal(verdict: Verdict) -> Stop {
    let code = match verdict.rules.first().map(String::as_str) {
        Some(pseudo::INVALID_ARGUMENTS) => Code::InvalidArguments,
        Some(pseudo::UNKNOWN_TOOL) => Code::UnknownTool,
        Some(pseudo::LIMIT) => Code::Limit,
        Some(pseudo::INVALID_CALL) => Code::InvalidCall,
        _ => Code::Policy,
    };
    let message = explain("blocked by", &verdict);
    Stop { code, message, verdict: Some(verdict), grade: None }
}

/// A call that a person would have to approve.
pub(super) fn approval(verdict: Verdict) -> Stop {
    let mut message = explain("approval is asked by", &verdict);
    if let Some(approval) = &verdict.approval {
        message.push_str(&format!(", and nobody can be asked here; to approve: {}", approval.digest));
    }
    Stop { code: Code::Approval, message, verdict: Some(verdict), grade: None }
}

/// Who, why, and what to do instead.
fn explain(lead: &str, verdict: &Verdict) -> String {
    let rules = if verdict.rules.is_empty() { "the policy".to_owned() } else { verdict.rules.join(", ") };
    let mut text = format!("{lead} {rules}");
    let of_level: Vec<_> =
        verdict.reasons.iter().filter(|reason| reason.level == verdict.level).cloned().collect();
    text.push_str(&words_of(&of_level, verdict.rules.len() > 1).unwrap_or_default());
    text
}

/// Why, and what to do instead, by the first reason that says most.
fn words_of(reasons: &[Reason], several: bool) -> Option<String> {
    // What is known comes first: an unknown condition is no fact about the call.
    let reason = reasons.iter().min_by_key(|reason| reason.unknown.is_some())?;
    let mut text = match (&reason.unknown, &reason.because) {
        (Some(why), _) => format!(": {}", not_known(if several { reason.rule.as_str() } else { "it" }, why)),
        (None, Some(because)) => format!(": {because}"),
        (None, None) => String::new(),
    };
    if let Some(fix) = &reason.fix {
        text.push_str(&format!("; instead: {fix}"));
    }
    Some(text)
}

/// What is said in place of a rule's `because` where its condition could not be known.
fn not_known(rule: &str, why: &str) -> String {
    if why.contains("could not be known") {
        why.to_owned()
    } else {
        format!("whether {rule} holds could not be known: {why}")
    }
}

impl Inner {
    /// Nothing ran.
    pub(super) fn rejected(&self, stop: Stop) -> Outcome {
        let verdict = stop.verdict.as_ref().map(verdict_to_json);
        Outcome {
            status: Status::Rejected,
            code: Some(stop.code),
            summary: self.scrubber.message(&stop.message, &self.places),
            grade: stop.grade,
            verdict: verdict.map(|verdict| self.scrubber.message_value(verdict, &self.places)),
            data: None,
            retry: Retry::default(),
            original: None,
        }
    }

    /// It ran and gave a result. Says which rules hold it back.
    pub(super) fn delivered(
        &self,
        output: ToolOutput,
        verdict: Verdict,
        terms: &Terms,
    ) -> (Outcome, Vec<String>) {
        let original = Digest::of(Value::Object(output.data.clone()).to_string().as_bytes());
        let ruled =
            terms.rules.apply(self.scrubber, &terms.program, self.world.as_ref(), output.data, &output.heads);
        if !ruled.blocks.is_empty() {
            let names = ruled.blocks.iter().map(|reason| reason.rule.clone()).collect();
            return (self.held_back(verdict, ruled.blocks, original), names);
        }
        let (data, _) = Scrubber::cut(ruled.data, terms.output_bytes);
        let outcome = Outcome {
            status: Status::Ok,
            code: None,
            summary: self.scrubber.message_by(&output.summary, &self.places, &ruled.rewriting),
            grade: None,
            verdict: Some(self.scrubber.value(verdict_to_json(&verdict), &Rewriting::default())),
            data: Some(data),
            retry: Retry::default(),
            original: Some(original),
        };
        (outcome, Vec::new())
    }

    /// The result stays here. The call did run, so somebody has to look.
    fn held_back(&self, mut verdict: Verdict, blocks: Vec<Reason>, original: Digest) -> Outcome {
        let names: Vec<_> = blocks.iter().map(|reason| reason.rule.as_str()).collect();
        let mut message = format!("the call ran; its result is held back by {}", names.join(", "));
        if let Some(words) = words_of(&blocks, names.len() > 1) {
            message.push_str(&words);
        }
        verdict.reasons.extend(blocks);
        Outcome {
            status: Status::Failed,
            code: Some(Code::ResultRule),
            summary: self.scrubber.message(&message, &self.places),
            grade: None,
            verdict: Some(self.scrubber.message_value(verdict_to_json(&verdict), &self.places)),
            data: None,
            retry: Retry { allowed: false, after_ms: None, requires_inspection: true },
            original: Some(original),
        }
    }

    /// It ran, or was about to, and gave none.
    pub(super) fn ended(&self, ran: Ran, definition: &Definition, verdict: Verdict, time_ms: u64) -> Outcome {
        let looks_only = definition.effect_class == EffectClass::ReadOnly;
        let name = &definition.name;
        let unless_harmless = |certain: bool, status| if certain { status } else { Status::Unknown };
        let (status, code, message) = match ran {
            Ran::Output(_) | Ran::Panicked => {
                let message = format!("{name} failed by a fault of its own");
                (unless_harmless(looks_only, Status::Failed), Code::Internal, message)
            }
            Ran::Stale => {
                let message = "the policy changed before the call began; nothing was done".to_owned();
                (Status::Rejected, Code::Policy, message)
            }
            Ran::Failure(ToolFailure::Failed(message)) => (Status::Failed, Code::ToolError, message),
            Ran::Failure(ToolFailure::Unknown(message)) => (Status::Unknown, Code::ToolError, message),
            Ran::Failure(ToolFailure::Stopped { certain }) => {
                let message = format!("{name} stopped without being told to");
                (unless_harmless(certain, Status::Failed), Code::Internal, message)
            }
            Ran::TimeLimit { certain } => {
                let message = format!("{name} was ended at its time limit of {time_ms} ms{}", doubt(certain));
                (unless_harmless(certain, Status::Failed), Code::TimeLimit, message)
            }
            Ran::Cancelled { certain } => {
                let message = format!("{name} was cancelled{}", doubt(certain));
                (unless_harmless(certain, Status::Cancelled), Code::Cancel, message)
            }
        };
        let retry = Retry {
            allowed: matches!(status, Status::Failed | Status::Cancelled)
                && definition.effect_class != EffectClass::Irreversible,
            after_ms: None,
            requires_inspection: status == Status::Unknown,
        };
        Outcome {
            status,
            code: Some(code),
            summary: self.scrubber.message(&message, &self.places),
            grade: Some(definition.grade),
            verdict: Some(self.scrubber.message_value(verdict_to_json(&verdict), &self.places)),
            data: None,
            retry,
            original: None,
        }
    }
}

fn doubt(certain: bool) -> &'static str {
    if certain { "" } else { "; whether it had an effect, or all of it has ended, is not known" }
}
