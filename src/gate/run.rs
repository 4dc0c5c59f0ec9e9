//! The execute stage: spends a permit, under an opened record, within the time that the call has.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::task::{JoinError, JoinHandle};
use tracing::Instrument as _;

use crate::base::{Digest, limits};
use crate::decide::Permit;
use crate::model::{Call, Effect, Verdict};

use super::cancel::Cancel;
use super::journal::OpenRecord;
use super::tool::{Cancellation, EffectClass, Tool, ToolFailure, ToolOutput};

/// A call that may run, once: what a tool's body is given.
///
/// INVARIANT(admitted-by-execute): made in this file alone, from a spent permit and an opened record.
#[derive(Debug)]
pub struct Admitted {
    call: Call,
    effects: Vec<Effect>,
    verdict: Verdict,
    cwd: String,
    output_bytes: u64,
    cancel: Cancel,
}

impl Admitted {
    /// The call, after `modify` rules.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Its arguments.
    #[must_use]
    pub fn args(&self) -> &Map<String, Value> {
        &self.call.args
    }

    /// The effects that were judged.
    #[must_use]
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// An effect's resource for people: relative to the workspace where it can be.
    #[must_use]
    pub fn shown(&self, effect: usize) -> &str {
        self.verdict.effects.get(effect).and_then(|effect| effect.resource.as_deref()).unwrap_or("it")
    }

    /// The working directory of the call, canonical: where its relative paths begin.
    #[must_use]
    pub fn cwd(&self) -> &str {
        &self.cwd
    }

    /// Bytes of text that a result may have; more would be cut.
    #[must_use]
    pub fn output_bytes(&self) -> usize {
        usize::try_from(self.output_bytes).unwrap_or(usize::MAX)
    }

    /// Tells when to stop.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

/// What the execute stage is given beside the permit.
pub(super) struct Start {
    pub(super) tool: Arc<dyn Tool>,
    /// The revision of the policy that holds now.
    pub(super) revision: Digest,
    pub(super) cwd: String,
    pub(super) time_ms: u64,
    pub(super) output_bytes: u64,
    pub(super) cancel: Cancel,
}

/// How the execute stage ended.
pub(super) enum Ran {
    /// The permit is of an older revision: nothing ran.
    Stale,
    Output(ToolOutput),
    Failure(ToolFailure),
    Panicked,
    /// Stopped, and whether nothing of it is left, for sure.
    TimeLimit {
        certain: bool,
    },
    Cancelled {
        certain: bool,
    },
}

/// Runs the tool. There is no other way to it.
pub(super) async fn execute(permit: Permit, record: &OpenRecord, start: Start) -> Ran {
    if permit.revision() != start.revision {
        return Ran::Stale;
    }
    let judged = permit.spend();
    let stop = Cancel::new();
    let admitted = Admitted {
        call: judged.call,
        effects: judged.effects,
        verdict: judged.verdict,
        cwd: start.cwd,
        output_bytes: start.output_bytes,
        cancel: stop.clone(),
    };
    tracing::info!(call = %admitted.call.id, tool = %admitted.call.tool, "call started");
    let tool = Arc::clone(&start.tool);
    let body = async move { tool.run(&admitted).await };
    let mut task = tokio::spawn(body.instrument(tracing::debug_span!("tool")));
    let ran = tokio::select! {
        biased;
        ended = &mut task => finished(ended),
        () = start.cancel.requested() => {
            Ran::Cancelled { certain: end(&mut task, &stop, start.tool.as_ref()).await }
        }
        () = tokio::time::sleep(Duration::from_millis(start.time_ms)) => {
            Ran::TimeLimit { certain: end(&mut task, &stop, start.tool.as_ref()).await }
        }
    };
    record.note("execute", super::audit::BY_GATE, ran.word(), Value::Object(Map::new()));
    ran
}

impl Ran {
    fn word(&self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Output(_) => "ok",
            Self::Failure(ToolFailure::Failed(_)) => "failed",
            Self::Failure(ToolFailure::Stopped { .. } | ToolFailure::Unknown(_)) => "unknown",
            Self::Panicked => "panicked",
            Self::TimeLimit { .. } => "time-limit",
            Self::Cancelled { .. } => "cancelled",
        }
    }
}

fn finished(ended: Result<Result<ToolOutput, ToolFailure>, JoinError>) -> Ran {
    match ended {
        Ok(Ok(output)) => Ran::Output(output),
        Ok(Err(failure)) => Ran::Failure(failure),
        Err(_) => Ran::Panicked,
    }
}

/// Ends a running body by its contract. True where nothing of it is left, for sure.
async fn end(task: &mut JoinHandle<Result<ToolOutput, ToolFailure>>, stop: &Cancel, tool: &dyn Tool) -> bool {
    stop.request();
    let definition = tool.definition();
    // What only looks has left nothing, whether or not it still looks.
    let harmless = definition.effect_class == EffectClass::ReadOnly
        && definition.cancellation != Cancellation::ProcessTree;
    match definition.cancellation {
        Cancellation::Immediate => {
            task.abort();
            let _ = task.await;
            true
        }
        Cancellation::ProcessTree | Cancellation::BestEffort => {
            let grace = Duration::from_millis(limits::CANCEL_GRACE_MS);
            match tokio::time::timeout(grace, &mut *task).await {
                Ok(Ok(Err(ToolFailure::Stopped { certain }))) => certain || harmless,
                Ok(Ok(Ok(_) | Err(ToolFailure::Failed(_)))) => {
                    definition.cancellation == Cancellation::ProcessTree || harmless
                }
                Ok(Ok(Err(ToolFailure::Unknown(_))) | Err(_)) => harmless,
                Err(_) => {
                    task.abort();
                    harmless
                }
            }
        }
        Cancellation::None => harmless,
    }
}
