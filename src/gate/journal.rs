//! A call's own record, from its beginning to the one exit of the pipeline.
//!
//! A `Draft` becomes an [`OpenRecord`] once it is on disk, and only then may a tool start. Either is
//! consumed by `close`, which is the only maker of an [`Envelope`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::base::{Digest, limits};
use crate::model::verdict::Grade;

use super::audit::{AuditError, AuditLog, BY_GATE, Event};
use super::envelope::{Code, Envelope, Retry, Status};
use super::ports::Clock;
use super::scrub::{Scrubbed, Scrubber};

/// The ports that a record needs.
#[derive(Clone)]
pub(super) struct Desk {
    pub(super) log: Arc<AuditLog>,
    pub(super) clock: Arc<dyn Clock>,
}

struct State {
    call_id: String,
    tool: Option<Scrubbed<String>>,
    events: Vec<Event>,
    opened: bool,
    closed: bool,
    started_at: jiff::Timestamp,
    started: Duration,
}

/// What is behind a record. Not public, and no copy of it leaves this module but for the rescue.
#[derive(Clone)]
struct Journal {
    desk: Desk,
    state: Arc<Mutex<State>>,
}

impl Journal {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn elapsed_ms(&self) -> u64 {
        let elapsed = self.desk.clock.elapsed().saturating_sub(self.state().started);
        u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
    }

    fn note(&self, stage: &'static str, by: &str, outcome: &str, detail: Value) {
        let mut state = self.state();
        let event = Event {
            at: self.desk.clock.now(),
            call_id: state.call_id.clone(),
            stage,
            by: by.to_owned(),
            outcome: outcome.to_owned(),
            detail,
        };
        tracing::debug!(stage, by, outcome, "stage");
        state.events.push(event);
    }
}

/// The record of a call that has not started.
pub(super) struct Draft(Journal);

/// The record of a call that may start: it is on disk.
///
/// INVARIANT(open-before-run): made by `Draft::open` alone.
pub struct OpenRecord(Journal);

/// A record on its way out.
pub(super) enum Record {
    Draft(Draft),
    Open(OpenRecord),
}

/// What closes a record when its pipeline was lost.
pub(super) struct Rescue(Journal);

impl Draft {
    pub(super) fn begin(desk: Desk, call_id: String) -> Self {
        let state = State {
            call_id,
            tool: None,
            events: Vec::new(),
            opened: false,
            closed: false,
            started_at: desk.clock.now(),
            started: desk.clock.elapsed(),
        };
        Self(Journal { desk, state: Arc::new(Mutex::new(state)) })
    }

    pub(super) fn rescue(&self) -> Rescue {
        Rescue(self.0.clone())
    }

    /// The call's own name, once it is known.
    pub(super) fn name(&self, call_id: &str, tool: Scrubbed<String>) {
        let mut state = self.0.state();
        call_id.clone_into(&mut state.call_id);
        state.tool = Some(tool);
    }

    pub(super) fn note(&self, stage: &'static str, by: &str, outcome: &str, detail: Value) {
        self.0.note(stage, by, outcome, detail);
    }

    /// Puts it on disk.
    pub(super) async fn open(self, detail: Value) -> Result<OpenRecord, (Self, AuditError)> {
        self.0.note("open", BY_GATE, "about-to-run", detail);
        let mut events = std::mem::take(&mut self.0.state().events);
        match write(&self.0.desk.log, events.clone()).await {
            Ok(()) => {
                self.0.state().opened = true;
                Ok(OpenRecord(self.0))
            }
            Err(error) => {
                // It was not opened; what came before belongs to the refusal.
                events.pop();
                self.0.state().events = events;
                Err((self, error))
            }
        }
    }
}

impl OpenRecord {
    pub(super) fn note(&self, stage: &'static str, by: &str, outcome: &str, detail: Value) {
        self.0.note(stage, by, outcome, detail);
    }

    /// The call's id, and the envelope as it would be now, as JSON: to look at, nothing is closed.
    pub(super) fn preview(&self, outcome: &Outcome) -> (String, Value) {
        let elapsed_ms = self.0.elapsed_ms();
        let envelope = envelope(&self.0.state(), outcome.clone(), elapsed_ms);
        (envelope.call_id.clone(), envelope.to_json())
    }
}

/// How a call ended, scrubbed: what an envelope is made of.
#[derive(Clone)]
pub(super) struct Outcome {
    pub(super) status: Status,
    pub(super) code: Option<Code>,
    pub(super) summary: Scrubbed<String>,
    pub(super) grade: Option<Grade>,
    pub(super) verdict: Option<Scrubbed<Value>>,
    pub(super) data: Option<Scrubbed<Value>>,
    pub(super) retry: Retry,
    /// Of what the tool gave, before it was scrubbed.
    pub(super) original: Option<Digest>,
}

impl Outcome {
    fn lost(opened: bool) -> Self {
        let (status, summary) = if opened {
            (Status::Unknown, Scrubbed::words("the gate failed while the call ran; what it did is not known"))
        } else {
            (Status::Rejected, Scrubbed::words("the gate failed before the call ran; nothing was done"))
        };
        let retry = Retry { requires_inspection: opened, ..Retry::default() };
        let code = Some(Code::Internal);
        Self { status, code, summary, grade: None, verdict: None, data: None, retry, original: None }
    }

    /// The result is withheld: nothing says that it happened.
    fn withhold(&mut self, opened: bool) {
        self.code = Some(Code::Audit);
        self.data = None;
        if opened {
            self.status = Status::Unknown;
            self.retry = Retry { requires_inspection: true, ..Retry::default() };
            self.summary =
                Scrubbed::words("the call ran, but its end could not be recorded; its result is withheld");
        } else {
            self.status = Status::Rejected;
            self.retry = Retry::default();
            self.summary = Scrubbed::words("the audit log cannot be written; nothing was done");
        }
    }
}

impl Rescue {
    /// Closes what the pipeline left behind.
    pub(super) async fn close(self) -> Envelope {
        let opened = self.0.state().opened;
        exit(self.0, Outcome::lost(opened)).await
    }
}

/// The one exit: every end of every call is recorded here, and here alone becomes an envelope.
pub(super) async fn close(record: Record, outcome: Outcome) -> Envelope {
    match record {
        Record::Draft(Draft(journal)) | Record::Open(OpenRecord(journal)) => exit(journal, outcome).await,
    }
}

async fn exit(journal: Journal, mut outcome: Outcome) -> Envelope {
    let elapsed_ms = journal.elapsed_ms();
    journal.note("close", BY_GATE, outcome.status.as_str(), close_detail(&outcome, elapsed_ms));
    let (events, opened, was_closed) = {
        let mut state = journal.state();
        (std::mem::take(&mut state.events), state.opened, std::mem::replace(&mut state.closed, true))
    };
    if !was_closed && let Err(error) = write(&journal.desk.log, events).await {
        tracing::error!(%error, "the closing record could not be written: nothing more is admitted");
        journal.desk.log.halt();
        outcome.withhold(opened);
    }
    let state = journal.state();
    tracing::info!(
        call = %state.call_id,
        status = outcome.status.as_str(),
        code = outcome.code.map(Code::as_str),
        elapsed_ms,
        "call ended"
    );
    envelope(&state, outcome, elapsed_ms)
}

/// INVARIANT(envelope-by-closing): called by `exit`, and by `preview`, which keeps it.
fn envelope(state: &State, outcome: Outcome, elapsed_ms: u64) -> Envelope {
    Envelope {
        call_id: state.call_id.clone(),
        tool: state.tool.clone(),
        status: outcome.status,
        code: outcome.code,
        summary: outcome.summary,
        grade: outcome.grade,
        verdict: outcome.verdict,
        data: outcome.data,
        retry: outcome.retry,
        started_at: state.started_at,
        elapsed_ms,
    }
}

fn close_detail(outcome: &Outcome, elapsed_ms: u64) -> Value {
    let mut detail = Map::new();
    if let Some(code) = outcome.code {
        detail.insert("code".to_owned(), json!(code.as_str()));
    }
    detail.insert("summary".to_owned(), json!(outcome.summary.get()));
    if let Some(digest) = outcome.original {
        detail.insert("resultDigest".to_owned(), json!(digest.to_string()));
    }
    if let Some(data) = &outcome.data {
        let (data, _) = Scrubber::cut(data.clone(), limits::AUDIT_ARGS_BYTES_MAX);
        detail.insert("result".to_owned(), data.into_inner());
    }
    detail.insert("elapsedMs".to_owned(), json!(elapsed_ms));
    Value::Object(detail)
}

/// Writes and waits for the disk, off the threads that serve calls.
async fn write(log: &Arc<AuditLog>, events: Vec<Event>) -> Result<(), AuditError> {
    let writer = Arc::clone(log);
    let written = tokio::task::spawn_blocking(move || writer.write(&events, true)).await;
    written.unwrap_or_else(|_| {
        // The sink was lost in the middle: what stands at its end is not known.
        log.halt();
        Err(AuditError::Halted)
    })
}
