//! The stages `decide` and `pre-hooks`, until every hook has seen the call as it stands.
//!
//! A hook's new arguments destroy the permit: `Leave::revoke` gives the call back, and there is no way
//! from a call to a permit but `decide`.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::base::limits;
use crate::compile::Program;
use crate::decide::{Pending, Permit, approval_digest};
use crate::model::verdict::{Approval, Reason};
use crate::model::{Call, Effect, Level, Verdict};

use super::super::cancel::Cancel;
use super::super::envelope::Code;
use super::super::hook::{
    About, Answer, Asked, Entry, HookFailure, HookOutcome, HookStage, OnFailure, Question, ask,
};
use super::super::journal::Draft;
use super::super::pipeline::Inner;
use super::super::registry::Registered;
use super::super::scrub::Rewriting;
use super::outcome::{self, Stop};
use super::trail::{Trail, blocked};
use super::{Halted, digest_of};

/// A decision that is no refusal.
pub(super) enum Leave {
    Granted(Permit),
    Asked(Pending),
}

impl Leave {
    pub(super) fn call(&self) -> &Call {
        match self {
            Self::Granted(permit) => permit.call(),
            Self::Asked(pending) => pending.call(),
        }
    }

    pub(super) fn effects(&self) -> &[Effect] {
        match self {
            Self::Granted(permit) => permit.effects(),
            Self::Asked(pending) => pending.effects(),
        }
    }

    fn verdict(&self) -> &Verdict {
        match self {
            Self::Granted(permit) => permit.verdict(),
            Self::Asked(pending) => pending.verdict(),
        }
    }

    /// Gives the call back and destroys the leave.
    fn revoke(self) -> Call {
        match self {
            Self::Granted(permit) => permit.revoke(),
            Self::Asked(pending) => pending.revoke(),
        }
    }
}

/// A call that was decided, and that every hook has seen as it stands.
///
/// INVARIANT(hooks-before-approval): made by `Inner::settle` and `Inner::derive_again` alone.
pub(super) struct Settled {
    leave: Leave,
    /// The call as `decide` was given it last.
    given: Call,
    /// The strictest of all that was said on the way.
    verdict: Verdict,
    program: Arc<Program>,
}

impl Settled {
    pub(super) fn leave(&self) -> &Leave {
        &self.leave
    }

    pub(super) fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    pub(super) fn program(&self) -> Arc<Program> {
        Arc::clone(&self.program)
    }

    /// Whether the facts, and all that follows from them, are the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.verdict == other.verdict
            && self.leave.verdict() == other.leave.verdict()
            && self.leave.effects() == other.leave.effects()
            && self.leave.call() == other.leave.call()
    }

    /// Refuses where a person would have to be asked.
    pub(super) fn needs_nobody(&self) -> Result<(), Halted> {
        match self.verdict.level {
            Level::Allow | Level::Warn => Ok(()),
            Level::Ask | Level::Block => Err(Box::new(outcome::approval(self.verdict.clone()))),
        }
    }

    /// The permit, where nobody has to be asked.
    pub(super) fn unasked(self) -> Result<(Permit, Verdict), Halted> {
        match self.leave {
            Leave::Granted(permit) if self.verdict.level < Level::Ask => Ok((permit, self.verdict)),
            _ => Err(Box::new(outcome::approval(self.verdict))),
        }
    }
}

impl Inner {
    /// Decides, and asks the hooks in their order, until a whole round changes nothing.
    pub(super) async fn settle(
        &self,
        call: &Call,
        entry: &Registered,
        trail: &mut Trail,
        draft: &Draft,
        cancel: &Cancel,
    ) -> Result<Settled, Halted> {
        let mut given = call.clone();
        let (mut leave, mut program) = self.judge(&given, trail, "decide", draft).await?;
        let mut seen: Vec<Option<Map<String, Value>>> = vec![None; self.pre_hooks.len()];
        for round in 1..=limits::HOOK_ROUNDS_MAX {
            let mut changed = false;
            for (hook, seen) in self.pre_hooks.iter().zip(&mut seen) {
                if seen.as_ref() == Some(&leave.call().args) {
                    continue;
                }
                let verdict = trail.strictest(leave.verdict(), &leave.call().args);
                let asked = self.ask_before(hook, &leave, &verdict, draft, cancel, round).await;
                let args = match asked {
                    Asked::Failure(HookFailure::Cancelled) => {
                        let message = "the call was cancelled before it began; nothing was done";
                        return Err(Stop::boxed(Code::Cancel, message));
                    }
                    Asked::Failure(failure) => {
                        self.before_failed(hook, &failure, &verdict, trail)?;
                        None
                    }
                    Asked::Answer(answer) => self.before_answered(hook, answer, &verdict, trail)?,
                };
                let Some(args) = args.filter(|args| *args != leave.call().args) else {
                    *seen = Some(leave.call().args.clone());
                    continue;
                };
                changed = true;
                self.fits(hook, entry, &args, leave.call(), &verdict)?;
                trail.amended(&hook.spec.full_name(), call, leave.effects(), leave.verdict());
                given = Call { args, ..leave.revoke() };
                (leave, program) = self.judge(&given, trail, "decide", draft).await?;
                if let Some(capability) = trail.added(leave.effects()) {
                    let why = format!("adds the capability {}", capability.as_str());
                    return Err(self.refused_by(hook, &why, &verdict));
                }
                // What it made itself is what it wants; what `modify` rules make of it, it has to see.
                *seen = Some(given.args.clone());
            }
            if !changed {
                return Ok(self.settled(leave, given, program, trail));
            }
        }
        self.seen_by_all(leave, given, program, trail, &seen)
    }

    /// After the last round: every hook must have seen the call as it stands.
    fn seen_by_all(
        &self,
        leave: Leave,
        given: Call,
        program: Arc<Program>,
        trail: &Trail,
        seen: &[Option<Map<String, Value>>],
    ) -> Result<Settled, Halted> {
        if seen.iter().all(|seen| seen.as_ref() == Some(&leave.call().args)) {
            return Ok(self.settled(leave, given, program, trail));
        }
        let verdict = trail.strictest(leave.verdict(), &leave.call().args);
        let names = trail.changed_by().join(", ");
        let message = format!(
            "blocked: {names} kept changing the arguments; after {} rounds they were not agreed on",
            limits::HOOK_ROUNDS_MAX
        );
        let rule = trail.changed_by().first().cloned().unwrap_or_default();
        let verdict = blocked(&verdict, reason(rule, Level::Block, Some(message.clone())));
        Err(Box::new(Stop::new(Code::Hook, message).with(Some(verdict), None)))
    }

    /// Derives the facts of a settled call once more, right before it runs.
    pub(super) async fn derive_again(
        &self,
        settled: &Settled,
        trail: &Trail,
        draft: &Draft,
    ) -> Result<Settled, Halted> {
        let given = settled.given.clone();
        let (leave, program) = self.judge(&given, trail, "facts", draft).await?;
        Ok(self.settled(leave, given, program, trail))
    }

    /// The verdict of the whole way. What is asked anywhere on it is asked about the last call.
    fn settled(&self, leave: Leave, given: Call, program: Arc<Program>, trail: &Trail) -> Settled {
        let mut verdict = trail.strictest(leave.verdict(), &leave.call().args);
        if verdict.level == Level::Ask && leave.verdict().approval.is_none() {
            let (call, effects) = (leave.call(), &leave.verdict().effects);
            let digest = approval_digest(&program, self.world.as_ref(), call, effects);
            let reach = verdict.approval.take().map(|approval| approval.reach).unwrap_or_default();
            verdict.approval = Some(Approval { digest, reach });
        }
        Settled { leave, given, verdict, program }
    }

    async fn ask_before(
        &self,
        hook: &Entry,
        leave: &Leave,
        verdict: &Verdict,
        draft: &Draft,
        cancel: &Cancel,
        round: usize,
    ) -> Asked {
        let mut call = leave.call().clone();
        let cwd = call.context.cwd.take().or_else(|| self.world.cwd().map(str::to_owned));
        call.context.cwd = Some(cwd.unwrap_or_else(|| self.world.workspace().to_owned()));
        let about = About::Call { call: Box::new(call), verdict: Box::new(verdict.clone()) };
        let asked = ask(hook, Question { call_id: leave.call().id.clone(), about }, cancel).await;
        let mut detail = self.hook_detail(hook, &asked);
        if let Value::Object(detail) = &mut detail {
            detail.insert("round".to_owned(), json!(round));
            if let Asked::Answer(Answer { outcome: HookOutcome::Modify(args), .. }) = &asked {
                detail.insert("args".to_owned(), self.kept_args(args));
                detail.insert("argsDigest".to_owned(), json!(digest_of(args)));
            }
        }
        draft.note(HookStage::Pre.audit_stage(), &hook.spec.full_name(), word(&asked), detail);
        asked
    }

    /// What a record says of an answer.
    pub(super) fn hook_detail(&self, hook: &Entry, asked: &Asked) -> Value {
        let mut detail = Map::new();
        match asked {
            Asked::Answer(answer) => {
                if let Some(reason) = &answer.reason {
                    detail.insert("reason".to_owned(), json!(self.hook_reason(reason)));
                }
            }
            Asked::Failure(failure) => {
                detail.insert("failure".to_owned(), json!(failure.word()));
                detail.insert("onFailure".to_owned(), json!(hook.spec.on_failure.as_str()));
                detail.insert("reason".to_owned(), json!(self.hook_reason(&failure.in_words())));
            }
        }
        Value::Object(detail)
    }

    /// A hook's own words: bounded and scrubbed.
    fn hook_reason(&self, reason: &str) -> String {
        let short: String = reason.chars().take(limits::HOOK_REASON_CHARS_MAX).collect();
        self.scrubber.message(&short, &self.places).into_inner()
    }

    /// The reason that a hook gives, as a verdict holds it.
    pub(super) fn reason_of(&self, hook: &Entry, level: Level, words: Option<&str>) -> Reason {
        reason(hook.spec.full_name(), level, words.map(|words| self.hook_reason(words)))
    }

    fn before_failed(
        &self,
        hook: &Entry,
        failure: &HookFailure,
        verdict: &Verdict,
        trail: &mut Trail,
    ) -> Result<(), Halted> {
        let words = format!("the hook {}", failure.in_words());
        match hook.spec.on_failure {
            OnFailure::Block => Err(self.blocked_by(hook, Some(&words), verdict)),
            OnFailure::Warn => {
                trail.warn(self.reason_of(hook, Level::Warn, Some(&words)));
                Ok(())
            }
        }
    }

    /// The arguments that an answer asks for.
    fn before_answered(
        &self,
        hook: &Entry,
        answer: Answer,
        verdict: &Verdict,
        trail: &mut Trail,
    ) -> Result<Option<Map<String, Value>>, Halted> {
        match answer.outcome {
            HookOutcome::Continue => Ok(None),
            HookOutcome::Warn => {
                trail.warn(self.reason_of(hook, Level::Warn, answer.reason.as_deref()));
                Ok(None)
            }
            HookOutcome::Block => Err(self.blocked_by(hook, answer.reason.as_deref(), verdict)),
            HookOutcome::Modify(args) => Ok(Some(args)),
        }
    }

    /// The stage `schema` for a hook's arguments: the tool must take them, and they may not set what
    /// its schema does not name.
    fn fits(
        &self,
        hook: &Entry,
        entry: &Registered,
        args: &Map<String, Value>,
        before: &Call,
        verdict: &Verdict,
    ) -> Result<(), Halted> {
        let definition = entry.tool.definition();
        let Some(schema) = &definition.declaration.schema else { return Ok(()) };
        let value = Value::Object(args.clone());
        let why = match schema.check(&value) {
            Err(violations) => {
                let text: Vec<_> = violations.iter().map(outcome::violation).collect();
                Some(format!("gave arguments that do not fit {}: {}", definition.name, text.join("; ")))
            }
            Ok(()) => unnamed(schema.source(), &value, &Value::Object(before.args.clone()), "args")
                .map(|place| format!("sets {place}, which the schema of {} does not have", definition.name)),
        };
        match why {
            Some(why) => Err(self.refused_by(hook, &why, verdict)),
            None => Ok(()),
        }
    }

    /// A hook said `block`, or failed.
    fn blocked_by(&self, hook: &Entry, words: Option<&str>, verdict: &Verdict) -> Halted {
        let reason = self.reason_of(hook, Level::Block, words);
        let because = reason.because.as_ref().map(|because| format!(": {because}")).unwrap_or_default();
        let message = format!("blocked by {}{because}", reason.rule);
        Box::new(Stop::new(Code::Hook, message).with(Some(blocked(verdict, reason)), None))
    }

    /// A hook did what no hook may.
    fn refused_by(&self, hook: &Entry, did: &str, verdict: &Verdict) -> Halted {
        self.blocked_by(hook, Some(&format!("the hook {did}")), verdict)
    }

    /// The verdict where a call is refused by a decision on the way.
    pub(super) fn refused_on_the_way(&self, trail: &Trail, last: &Verdict, given: &Call) -> Stop {
        let args = last.modified.as_ref().map_or(&given.args, |modified| &modified.args);
        let verdict = trail.strictest(last, args);
        let rewriting = Rewriting::default();
        let stop = outcome::refusal(verdict);
        if trail.changed_by().is_empty() {
            return stop;
        }
        let names = self.scrubber.text(&trail.changed_by().join(", "), &rewriting).into_inner();
        stop.also(&format!("; this is about the arguments that {names} changed"))
    }
}

/// The word of the record.
pub(super) fn word(asked: &Asked) -> &'static str {
    match asked {
        Asked::Answer(answer) => answer.outcome.as_str(),
        Asked::Failure(_) => "failed",
    }
}

fn reason(rule: String, level: Level, because: Option<String>) -> Reason {
    Reason { rule, level, because, fix: None, at: None, unknown: None }
}

/// The place of the first member that a schema does not name and that was not there before. A schema
/// that names no members says nothing.
fn unnamed(schema: &Value, value: &Value, before: &Value, place: &str) -> Option<String> {
    match value {
        Value::Object(members) => {
            let named = schema.get("properties").and_then(Value::as_object);
            members.iter().find_map(|(key, value)| {
                let place = format!("{place}.{key}");
                let known = named.and_then(|named| named.get(key));
                match (known, before.get(key)) {
                    (None, None) if named.is_some() => Some(place),
                    (known, before) => {
                        let before = before.unwrap_or(&Value::Null);
                        unnamed(known.unwrap_or(&Value::Null), value, before, &place)
                    }
                }
            })
        }
        Value::Array(items) => {
            let of_item = schema.get("items").unwrap_or(&Value::Null);
            items.iter().enumerate().find_map(|(at, item)| {
                unnamed(of_item, item, before.get(at).unwrap_or(&Value::Null), &format!("{place}[{at}]"))
            })
        }
        _ => None,
    }
}
