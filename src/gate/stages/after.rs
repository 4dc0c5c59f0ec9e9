//! The stage `post-hooks`: they see what is scrubbed, and what they return is scrubbed again.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::base::Digest;
use crate::decide::json::verdict_to_json;
use crate::model::{Level, Verdict};

use super::super::cancel::Cancel;
use super::super::envelope::{Code, Retry, Status};
use super::super::hook::{
    About, Answer, Asked, Entry, HookFailure, HookOutcome, HookStage, OnFailure, Question, ask,
};
use super::super::journal::{OpenRecord, Outcome};
use super::super::pipeline::Inner;
use super::super::scrub::{Rewriting, Scrubbed, Scrubber};
use super::Terms;
use super::settle::word;
use super::trail::raise;

impl Inner {
    /// Asks the post-hooks in their order about a call that ran.
    pub(super) async fn after(
        self: &Arc<Self>,
        mut outcome: Outcome,
        mut verdict: Verdict,
        terms: &Arc<Terms>,
        open: &OpenRecord,
        cancel: &Cancel,
    ) -> Outcome {
        // What did not run, or was cancelled, holds nothing that a hook could keep back.
        if matches!(outcome.status, Status::Rejected | Status::Cancelled) {
            return outcome;
        }
        for hook in &self.post_hooks {
            let asked = self.ask_after(hook, &outcome, open, cancel).await;
            let answer = match asked {
                Asked::Answer(answer) => answer,
                Asked::Failure(failure) => {
                    let words = format!("the hook {}", failure.in_words());
                    let outcome = match hook.spec.on_failure {
                        OnFailure::Block => HookOutcome::Block,
                        OnFailure::Warn => HookOutcome::Warn,
                    };
                    Answer { outcome, reason: Some(words) }
                }
            };
            match answer.outcome {
                HookOutcome::Continue => {}
                HookOutcome::Warn => {
                    self.warned_after(hook, answer.reason.as_deref(), &mut outcome, &mut verdict);
                }
                HookOutcome::Block => return self.withheld(hook, answer.reason.as_deref(), outcome),
                HookOutcome::Modify(data) => match self.changed(data, terms).await {
                    Ok(data) => {
                        outcome.data = Some(data);
                        let more = format!(
                            "{}; {} changed the result",
                            outcome.summary.get(),
                            hook.spec.full_name()
                        );
                        outcome.summary = self.scrubber.message(&more, &self.places);
                    }
                    Err(words) => return self.withheld(hook, Some(&words), outcome),
                },
            }
        }
        outcome
    }

    async fn ask_after(&self, hook: &Entry, outcome: &Outcome, open: &OpenRecord, cancel: &Cancel) -> Asked {
        let (call_id, envelope) = open.preview(outcome);
        let mut asked = ask(hook, Question { call_id, about: About::Result(envelope) }, cancel).await;
        if outcome.data.is_none()
            && matches!(&asked, Asked::Answer(Answer { outcome: HookOutcome::Modify(_), .. }))
        {
            let why = "there is no result that it could modify".to_owned();
            asked = Asked::Failure(HookFailure::BadAnswer(why));
        }
        let mut detail = self.hook_detail(hook, &asked);
        if let (Value::Object(detail), Asked::Answer(Answer { outcome: HookOutcome::Modify(data), .. })) =
            (&mut detail, &asked)
        {
            let digest = Digest::of(Value::Object(data.clone()).to_string().as_bytes());
            detail.insert("dataDigest".to_owned(), json!(digest.to_string()));
        }
        open.note(HookStage::Post.audit_stage(), &hook.spec.full_name(), word(&asked), detail);
        asked
    }

    /// What a hook returned, scrubbed, judged and cut like a tool's own result. Else why it
    /// cannot be given out.
    async fn changed(
        self: &Arc<Self>,
        data: Map<String, Value>,
        terms: &Arc<Terms>,
    ) -> Result<Scrubbed<Value>, String> {
        let (inner, terms) = (Arc::clone(self), Arc::clone(terms));
        let scrub = move || {
            let ruled = terms.rules.apply(inner.scrubber, &terms.program, inner.world.as_ref(), data, &[]);
            match ruled.blocks.first() {
                Some(reason) => Err(format!("{} holds back what it returned", reason.rule)),
                None => Ok(Scrubber::cut(ruled.data, terms.output_bytes).0),
            }
        };
        let scrubbed = tokio::task::spawn_blocking(scrub).await;
        scrubbed.unwrap_or_else(|_| Err("what it returned could not be scrubbed".to_owned()))
    }

    fn warned_after(&self, hook: &Entry, words: Option<&str>, outcome: &mut Outcome, verdict: &mut Verdict) {
        let reason = self.reason_of(hook, Level::Warn, words);
        raise(verdict, Level::Warn, vec![reason.rule.clone()]);
        verdict.reasons.push(reason);
        let shown = verdict_to_json(verdict);
        outcome.verdict = Some(if outcome.status == Status::Ok {
            self.scrubber.value(shown, &Rewriting::default())
        } else {
            self.scrubber.message_value(shown, &self.places)
        });
    }

    /// The result stays here. It did run, so somebody has to look.
    fn withheld(&self, hook: &Entry, words: Option<&str>, outcome: Outcome) -> Outcome {
        let reason = self.reason_of(hook, Level::Block, words);
        let because = reason.because.map(|because| format!(": {because}")).unwrap_or_default();
        let message = format!("the call ran; its result is withheld by {}{because}", reason.rule);
        let verdict = outcome.verdict.map(Scrubbed::into_inner);
        Outcome {
            status: if outcome.status == Status::Ok { Status::Failed } else { outcome.status },
            code: Some(Code::Hook),
            summary: self.scrubber.message(&message, &self.places),
            verdict: verdict.map(|verdict| self.scrubber.message_value(verdict, &self.places)),
            data: None,
            retry: Retry { allowed: false, after_ms: None, requires_inspection: true },
            ..outcome
        }
    }
}
