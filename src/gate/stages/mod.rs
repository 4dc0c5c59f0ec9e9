//! The stages of the pipeline, each consuming what the one before gave.

mod after;
mod outcome;
mod settle;
mod trail;

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::sync::OwnedSemaphorePermit;

use crate::base::suggest::nearest;
use crate::base::{Digest, limits};
use crate::compile::Program;
use crate::decide::json::verdict_to_json;
use crate::decide::{Decision, Permit, decide};
use crate::effects::path::resolve;
use crate::model::value::parse_call;
use crate::model::{Call, Level, Verdict};

use super::audit::BY_GATE;
use super::cancel::Cancel;
use super::envelope::{Code, Envelope};
use super::journal::{Draft, OpenRecord, Outcome, Record, close};
use super::pipeline::{Inner, Intent};
use super::registry::Registered;
use super::run::{Ran, Start, execute};
use super::scrub::{ResultRules, Rewriting, Scrubber};
use super::tool::{Definition, Judgement, Refusal, ToolOutput};

use outcome::Stop;
use settle::{Leave, Settled};
use trail::Trail;

type Halted = Box<Stop>;

/// A call that may be opened and started.
struct Ready {
    permit: Permit,
    verdict: Verdict,
    entry: Registered,
    /// Held until the call has ended.
    slot: OwnedSemaphorePermit,
    terms: Terms,
    cwd: String,
}

/// What the call's own definition, the policy and the caller ask of its execution.
struct Terms {
    time_ms: u64,
    output_bytes: u64,
    rules: ResultRules,
    /// The policy that the verdict is of.
    program: Arc<Program>,
}

impl Inner {
    /// The pipeline. Every way through it ends in the one `close`.
    #[tracing::instrument(name = "call", skip_all)]
    pub(super) async fn drive(self: Arc<Self>, intent: Intent, draft: Draft, cancel: Cancel) -> Envelope {
        let (record, outcome) = match self.prepare(intent, &draft, &cancel).await {
            Err(stop) => (Record::Draft(draft), self.rejected(*stop)),
            Ok(ready) => {
                let grade = ready.entry.tool.definition().grade;
                let verdict = ready.verdict.clone();
                match draft.open(self.opening(&ready)).await {
                    Err((draft, _)) => {
                        let message = "the audit log cannot be written; nothing was done".to_owned();
                        let stop = Stop::new(Code::Audit, message).with(Some(verdict), Some(grade));
                        (Record::Draft(draft), self.rejected(stop))
                    }
                    Ok(open) => {
                        let outcome = self.carry_out(ready, &open, cancel).await;
                        (Record::Open(open), outcome)
                    }
                }
            }
        };
        close(record, outcome).await
    }

    /// Everything before the record is opened.
    async fn prepare(&self, intent: Intent, draft: &Draft, cancel: &Cancel) -> Result<Ready, Halted> {
        if self.desk.log.is_halted() {
            return Err(Stop::boxed(Code::Audit, "the audit log cannot be written; nothing was done"));
        }
        let (call, entry) = self.read(intent, draft).await?;
        let grade = entry.tool.definition().grade;
        self.ready(&call, &entry, draft, cancel).await.map_err(|stop| Box::new(stop.graded(grade)))
    }

    /// From `decide` to the permit. A difference on the way begins again.
    async fn ready(
        &self,
        call: &Call,
        entry: &Registered,
        draft: &Draft,
        cancel: &Cancel,
    ) -> Result<Ready, Halted> {
        let mut slot = None;
        let mut trail = Trail::default();
        for round in 0..limits::DECIDE_ROUNDS_MAX {
            let settled = self.settle(call, entry, &mut trail, draft, cancel).await?;
            let terms = terms(self.output_bytes, &settled, entry)?;
            let cwd = self.check(&settled, entry, draft).await?;
            settled.needs_nobody()?;
            if slot.is_none() {
                slot = Some(admit(entry, cancel).await?);
            }
            let again = self.derive_again(&settled, &trail, draft).await?;
            if settled.is_same(&again)
                && let Some(slot) = slot.take()
            {
                let (permit, verdict) = again.unasked()?;
                return Ok(Ready { permit, verdict, entry: entry.clone(), slot, terms, cwd });
            }
            tracing::debug!(round, "the facts changed while the call was judged");
            trail.again(again.verdict().clone());
        }
        Err(Stop::boxed(Code::Policy, "what the call would touch kept changing while it was judged"))
    }

    /// The stages `parse` and `schema`.
    async fn read(&self, intent: Intent, draft: &Draft) -> Result<(Call, Registered), Halted> {
        let call = self.parse(intent).inspect_err(|stop| {
            draft.note("parse", BY_GATE, "rejected", json!({"code": stop.code.as_str()}));
        })?;
        let tool = self.scrubber.text(&call.tool, &Rewriting::default());
        draft.name(&call.id, tool);
        draft.note("parse", BY_GATE, "ok", self.call_detail(&call));
        let entry = self.registry.get(&call.tool).cloned();
        let Some(entry) = entry else {
            draft.note("schema", BY_GATE, "unknown-tool", Value::Null);
            let names = self.registry.definitions().map(|(_, tool)| tool.name.as_str());
            let near = nearest(&call.tool, names);
            let hint = near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
            let stop = Stop::new(Code::UnknownTool, format!("there is no tool `{}`{hint}", call.tool));
            let verdict = self.blocking_verdict(&call).await;
            return Err(Box::new(stop.with(verdict, None)));
        };
        let definition = entry.tool.definition();
        let grade = Some(definition.grade);
        let checked = match &definition.declaration.schema {
            Some(schema) => schema.check(&Value::Object(call.args.clone())),
            None => Ok(()),
        };
        if let Err(violations) = checked {
            let text: Vec<_> = violations.iter().map(outcome::violation).collect();
            let message = format!("the arguments of {} do not fit: {}", call.tool, text.join("; "));
            draft.note("schema", BY_GATE, "rejected", json!({"violations": text.len()}));
            let verdict = self.blocking_verdict(&call).await;
            return Err(Box::new(Stop::new(Code::InvalidArguments, message).with(verdict, grade)));
        }
        draft.note("schema", BY_GATE, "ok", Value::Null);
        if call.timeout_ms == Some(0) {
            let stop = Stop::new(Code::Limit, "a time limit of zero lets nothing run".to_owned());
            return Err(Box::new(stop.with(None, grade)));
        }
        if call.background {
            let stop = Stop::new(Code::NotEnforced, "`background` is not supported by this build".to_owned());
            return Err(Box::new(stop.with(None, grade)));
        }
        Ok((call, entry))
    }

    fn parse(&self, intent: Intent) -> Result<Call, Halted> {
        let (mut call, line) = match intent {
            Intent::Call(call) => (*call, None),
            Intent::Line { number, text } => match parse_call(&text) {
                Ok(call) => (call, Some(number)),
                Err(error) => {
                    return Err(Stop::boxed(
                        Code::InvalidCall,
                        format!("line {number} is no call: {}", error.in_line()),
                    ));
                }
            },
            Intent::Unreadable { number, reason } => {
                return Err(Stop::boxed(Code::InvalidCall, format!("line {number} is no call: {reason}")));
            }
        };
        if call.id.is_empty() {
            call.id = self.ids.call_id();
        }
        if call.id.len() > limits::CALL_ID_BYTES_MAX {
            let message = format!("the id is longer than {} bytes", limits::CALL_ID_BYTES_MAX);
            return Err(Stop::boxed(Code::InvalidCall, message));
        }
        // Ids stand in envelopes and records as they are.
        if !self.scrubber.secrets(&call.id).is_empty() {
            return Err(Stop::boxed(Code::InvalidCall, "the id holds a credential; any other text will do"));
        }
        if !self.is_new(&call) {
            let place = line.map(|number| format!("line {number}: ")).unwrap_or_default();
            let message = format!("{place}the id `{}` was used before in this session", call.id);
            return Err(Stop::boxed(Code::InvalidCall, message));
        }
        call.context.mode = call.context.mode.take().or_else(|| self.default_mode.clone());
        call.context.today = self.desk.clock.today();
        call.context.source = self.registry.get(&call.tool).map(|entry| entry.source.clone());
        Ok(call)
    }

    /// The stage that derives facts and decides.
    async fn judge(
        &self,
        call: &Call,
        trail: &Trail,
        stage: &'static str,
        draft: &Draft,
    ) -> Result<(Leave, Arc<Program>), Halted> {
        let program = self.program();
        let decision = self.decide(&program, call).await?;
        let verdict = decision.verdict();
        let by = if verdict.rules.is_empty() { BY_GATE.to_owned() } else { verdict.rules.join(", ") };
        let detail = self.scrubber.value(verdict_to_json(verdict), &Rewriting::default()).into_inner();
        let digest = Digest::of(detail.to_string().as_bytes()).to_string();
        let detail =
            if stage == "decide" { json!({"verdict": detail}) } else { json!({"verdictDigest": digest}) };
        draft.note(stage, &by, verdict.level.as_str(), detail);
        match decision {
            Decision::Permitted(permit) => Ok((Leave::Granted(permit), program)),
            Decision::Pending(pending) if self.unattended => {
                let verdict = pending.verdict().clone().unattended();
                Err(Box::new(self.refused_on_the_way(trail, &verdict, call)))
            }
            Decision::Pending(pending) => Ok((Leave::Asked(pending), program)),
            Decision::Refused(verdict) => Err(Box::new(self.refused_on_the_way(trail, &verdict, call))),
        }
    }

    async fn decide(&self, program: &Arc<Program>, call: &Call) -> Result<Decision, Halted> {
        let (program, world, call) = (Arc::clone(program), Arc::clone(&self.world), call.clone());
        let span = tracing::debug_span!("decide");
        let decided = tokio::task::spawn_blocking(move || span.in_scope(|| decide(&program, call, &*world)));
        decided
            .await
            .map_err(|_| Stop::boxed(Code::Internal, "the call could not be judged; nothing was done"))
    }

    /// The verdict of a call that is refused anyway, where the policy blocks it too.
    async fn blocking_verdict(&self, call: &Call) -> Option<Verdict> {
        let decision = self.decide(&self.program(), call).await.ok()?;
        let verdict = decision.verdict();
        (verdict.level == Level::Block).then(|| verdict.clone())
    }

    /// The tool's own check; it may look at files. Gives the call's working directory.
    async fn check(&self, settled: &Settled, entry: &Registered, draft: &Draft) -> Result<String, Halted> {
        let (call, effects) = (settled.leave().call().clone(), settled.leave().effects().to_vec());
        let (tool, world) = (Arc::clone(&entry.tool), Arc::clone(&self.world));
        let checked = tokio::task::spawn_blocking(move || {
            let given = call.context.cwd.as_deref().or(world.cwd()).unwrap_or(world.workspace());
            let cwd = resolve(world.as_ref(), given, world.workspace());
            let Some(cwd) = cwd.canonical() else {
                return Err(Refusal("the working directory of the call is not known".to_owned()));
            };
            tool.check(&Judgement { call: &call, effects: &effects, cwd })?;
            Ok(cwd.to_owned())
        });
        let verdict = || Some(settled.verdict().clone());
        match checked.await {
            Ok(Ok(cwd)) => Ok(cwd),
            Ok(Err(Refusal(message))) => {
                draft.note("check", BY_GATE, "rejected", Value::Null);
                Err(Box::new(Stop::new(Code::InvalidArguments, message).with(verdict(), None)))
            }
            Err(_) => {
                let message = "the tool failed before it began; nothing was done".to_owned();
                Err(Box::new(Stop::new(Code::Internal, message).with(verdict(), None)))
            }
        }
    }

    /// What the opening record says.
    fn opening(&self, ready: &Ready) -> Value {
        let call = ready.permit.call();
        json!({
            "tool": call.tool,
            "source": call.context.source,
            "args": self.kept_args(&call.args),
            "argsDigest": digest_of(&call.args),
            "policy": ready.permit.revision().to_string(),
            "grade": ready.entry.tool.definition().grade.as_str(),
            "timeMs": ready.terms.time_ms,
            "outputBytes": ready.terms.output_bytes,
            "durability": self.desk.log.durability().as_str(),
        })
    }

    fn call_detail(&self, call: &Call) -> Value {
        json!({
            "tool": self.scrubber.text(&call.tool, &Rewriting::default()).get(),
            "args": self.kept_args(&call.args),
            "argsDigest": digest_of(&call.args),
            "mode": call.context.mode,
            "user": call.context.user,
            "agent": call.context.agent,
            "session": call.context.session,
            "cwd": call.context.cwd,
        })
    }

    fn kept_args(&self, args: &Map<String, Value>) -> Value {
        let scrubbed = self.scrubber.value(Value::Object(args.clone()), &Rewriting::default());
        Scrubber::cut(scrubbed, limits::AUDIT_ARGS_BYTES_MAX).0.into_inner()
    }

    /// The stages `execute`, `scrub`, `result-rules`, `cut` and `post-hooks`.
    async fn carry_out(self: &Arc<Self>, ready: Ready, open: &OpenRecord, cancel: Cancel) -> Outcome {
        let Ready { permit, verdict, entry, slot, terms, cwd } = ready;
        let start = Start {
            tool: Arc::clone(&entry.tool),
            revision: self.program().revision(),
            cwd,
            time_ms: terms.time_ms,
            output_bytes: terms.output_bytes,
            cancel: cancel.clone(),
        };
        let ran = execute(permit, open, start).await;
        drop(slot);
        let definition = entry.tool.definition();
        let terms = Arc::new(terms);
        let outcome = match ran {
            Ran::Output(output) => self.scrubbed(output, &verdict, &terms, definition, open).await,
            ran => self.ended(ran, definition, verdict.clone(), terms.time_ms),
        };
        // What a result rule holds back is no hook's business any more.
        if outcome.code == Some(Code::ResultRule) {
            return outcome;
        }
        self.after(outcome, verdict, &terms, open, &cancel).await
    }

    /// The stages `scrub`, `result-rules` and `cut`.
    async fn scrubbed(
        self: &Arc<Self>,
        output: ToolOutput,
        verdict: &Verdict,
        terms: &Arc<Terms>,
        definition: &Definition,
        open: &OpenRecord,
    ) -> Outcome {
        let (inner, kept, terms) = (Arc::clone(self), verdict.clone(), Arc::clone(terms));
        let span = tracing::debug_span!("scrub");
        let scrub = move || span.in_scope(|| inner.delivered(output, kept, &terms));
        match tokio::task::spawn_blocking(scrub).await {
            Ok((mut outcome, blocked_by)) => {
                outcome.grade = Some(definition.grade);
                open.note("scrub", BY_GATE, "ok", Value::Null);
                if !blocked_by.is_empty() {
                    open.note("result-rules", &blocked_by.join(", "), "block", Value::Null);
                }
                outcome
            }
            Err(_) => self.ended(Ran::Panicked, definition, verdict.clone(), 0),
        }
    }
}

fn digest_of(args: &Map<String, Value>) -> String {
    Digest::of(Value::Object(args.clone()).to_string().as_bytes()).to_string()
}

/// The stage `admit`: a place among the tool's concurrent calls.
async fn admit(entry: &Registered, cancel: &Cancel) -> Result<OwnedSemaphorePermit, Halted> {
    let slot = Arc::clone(&entry.slots).acquire_owned();
    let slot = tokio::select! {
        biased;
        () = cancel.requested() => None,
        slot = slot => slot.ok(),
    };
    slot.ok_or_else(|| Stop::boxed(Code::Cancel, "the call was cancelled before it began; nothing was done"))
}

/// What the verdict asks of the execution. A clause that is not enforced here refuses the call.
fn terms(output_bytes: u64, settled: &Settled, entry: &Registered) -> Result<Terms, Halted> {
    let verdict = settled.verdict();
    let definition = entry.tool.definition();
    let duties = &verdict.obligations;
    let refuse =
        |code, message: String| Err(Box::new(Stop::new(code, message).with(Some(verdict.clone()), None)));
    let not_enforced = |clause: String| {
        refuse(Code::NotEnforced, format!("{clause} is not enforced by this build, so the call is refused"))
    };
    if let Some(limit) = duties.calls.first() {
        return not_enforced(format!("`limit calls` of {}", limit.rule));
    }
    if let Some(grade) = duties.grade.filter(|grade| *grade > definition.grade) {
        return not_enforced(format!("`limit grade {}` for {}", grade.as_str(), definition.name));
    }
    if let Some(label) = duties.mark.first() {
        return not_enforced(format!("`mark {label}`"));
    }
    let limits_ms = [Some(definition.time_limit_ms), duties.time_ms, settled.leave().call().timeout_ms];
    let time_ms = limits_ms.into_iter().flatten().min().unwrap_or(limits::CALL_TIME_MS_DEFAULT);
    if time_ms == 0 {
        return refuse(Code::Limit, "a time limit of zero lets nothing run".to_owned());
    }
    let output_bytes = duties.output_bytes.map_or(output_bytes, |bytes| bytes.min(output_bytes));
    let leave = settled.leave();
    let rules = ResultRules::new(leave.call(), leave.effects(), duties);
    Ok(Terms { time_ms, output_bytes, rules, program: settled.program() })
}
