//! The audit log: JSON lines, each bound to the one before by a hash.
//!
//! The hash of a line covers the very bytes of the line up to its last member, `hash`; the member
//! `prev` is among them. So nothing is ever serialised again to be checked.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aho_corasick::AhoCorasick;
use serde_json::{Map, Value, json};

use crate::base::Digest;

use super::ports::{AuditSink, Clock, SinkError};

/// What `prev` is in the first record.
pub const FIRST_PREV: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// Who stands in `by` where no rule, hook or person decided.
pub const BY_GATE: &str = "gate";

const HASH_MEMBER: &str = ",\"hash\":\"";

/// What a record is safe from, once it is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// The death of the machine: the opening record is on disk before the tool starts.
    #[default]
    Sync,
    /// The death of the program.
    Write,
}

impl Durability {
    /// The word of the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Write => "write",
        }
    }
}

/// Why a record could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// The sink.
    #[error("the audit log cannot be written: {0}")]
    Sink(#[from] SinkError),
    /// The last record is not what it should be; `audit verify` says more.
    #[error("the audit log cannot be continued: {0}")]
    Broken(#[from] Flaw),
    /// An earlier failure leaves open what is on disk.
    #[error("the audit log failed before and takes no more records")]
    Halted,
}

/// One event of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When.
    pub at: jiff::Timestamp,
    /// The call.
    pub call_id: String,
    /// The stage of the pipeline.
    pub stage: &'static str,
    /// Who decided: full names of rules, or the gate.
    pub by: String,
    /// What came out.
    pub outcome: String,
    /// The rest, scrubbed.
    pub detail: Value,
}

/// The one writer of a log.
pub struct AuditLog {
    sink: Arc<dyn AuditSink>,
    durability: Durability,
    chain: Mutex<Chain>,
    /// The last record that is known to be on disk; who holds it syncs for all who wait.
    synced: Mutex<u64>,
    halted: AtomicBool,
}

struct Chain {
    next: u64,
    prev: String,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic while the lock is held leaves the chain as it was: it moves on after the write.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl AuditLog {
    /// Continues a log. A torn last line is put aside and reported by a record; calls that were open
    /// when the last writer died are closed as `unknown`.
    ///
    /// # Errors
    /// The log cannot be read or written, or its last record is damaged.
    pub fn open(
        sink: Arc<dyn AuditSink>,
        clock: &dyn Clock,
        durability: Durability,
    ) -> Result<Self, AuditError> {
        let mut tail = Tail::new();
        let torn = sink.load(&mut |line| tail.take(line))?;
        let (chain, open_calls) = tail.finish()?;
        let log = Self {
            sink,
            durability,
            chain: Mutex::new(chain),
            synced: Mutex::new(0),
            halted: AtomicBool::new(false),
        };
        let event = |call_id: &str, stage, outcome: &str, detail| Event {
            at: clock.now(),
            call_id: call_id.to_owned(),
            stage,
            by: BY_GATE.to_owned(),
            outcome: outcome.to_owned(),
            detail,
        };
        let mut events = Vec::new();
        if let Some(torn) = torn {
            tracing::warn!(bytes = torn.bytes, file = %torn.moved_to, "the last line of the audit log was torn");
            let detail = json!({"bytes": torn.bytes, "movedTo": torn.moved_to});
            events.push(event("", "recovered", "torn-line", detail));
        }
        for call in open_calls {
            tracing::warn!(call = %call, "a call was open when the gate ended; what it did is unknown");
            events.push(event(&call, "close", "unknown", json!({"code": "internal", "recovered": true})));
        }
        if !events.is_empty() {
            log.write(&events, true)?;
        }
        Ok(log)
    }

    /// Appends events in one piece. With `settle`, returns once they are as safe as the log's
    /// durability says.
    ///
    /// # Errors
    /// They may not be there; then the chain goes on as if they had not been asked for, unless what is
    /// on disk cannot be known: then nothing more is taken.
    pub fn write(&self, events: &[Event], settle: bool) -> Result<(), AuditError> {
        if self.is_halted() {
            return Err(AuditError::Halted);
        }
        let last = {
            let mut chain = lock(&self.chain);
            let (lines, next) = chain.lines(events);
            self.sink.append(lines.as_bytes())?;
            *chain = next;
            chain.next
        };
        if settle && self.durability == Durability::Sync { self.settle(last) } else { Ok(()) }
    }

    /// Group commit: who gets the lock syncs what all others have appended until then.
    fn settle(&self, seq: u64) -> Result<(), AuditError> {
        let mut synced = lock(&self.synced);
        if *synced >= seq {
            return Ok(());
        }
        let appended = lock(&self.chain).next;
        if let Err(error) = self.sink.sync() {
            // After a failed sync the system may have dropped what it could not write.
            self.halt();
            return Err(error.into());
        }
        *synced = appended;
        Ok(())
    }

    /// Takes no more records.
    pub fn halt(&self) {
        self.halted.store(true, Ordering::SeqCst);
    }

    /// Whether it takes no more records.
    #[must_use]
    pub fn is_halted(&self) -> bool {
        self.halted.load(Ordering::SeqCst)
    }

    /// What it promises.
    #[must_use]
    pub fn durability(&self) -> Durability {
        self.durability
    }
}

impl Chain {
    fn lines(&self, events: &[Event]) -> (String, Self) {
        let mut lines = String::new();
        let mut chain = Self { next: self.next, prev: self.prev.clone() };
        for event in events {
            let mut record = Map::new();
            record.insert("v".to_owned(), json!(1));
            record.insert("seq".to_owned(), json!(chain.next));
            record.insert("at".to_owned(), json!(format!("{:.3}", event.at)));
            record.insert("callId".to_owned(), json!(event.call_id));
            record.insert("stage".to_owned(), json!(event.stage));
            record.insert("by".to_owned(), json!(event.by));
            record.insert("outcome".to_owned(), json!(event.outcome));
            record.insert("detail".to_owned(), event.detail.clone());
            record.insert("prev".to_owned(), json!(chain.prev));
            let mut body = Value::Object(record).to_string();
            body.pop();
            let hash = Digest::of(body.as_bytes()).to_string();
            lines.push_str(&body);
            lines.push_str(HASH_MEMBER);
            lines.push_str(&hash);
            lines.push_str("\"}\n");
            chain = Self { next: chain.next + 1, prev: hash };
        }
        (lines, chain)
    }
}

/// What is wrong with a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct Flaw {
    /// Counted from 1.
    pub line: u64,
    /// What.
    pub kind: FlawKind,
}

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FlawKind {
    /// It is no record.
    #[error("this is no audit record")]
    Unreadable,
    /// A record is missing, doubled or out of order.
    #[error("record {expected} should stand here, this is {found}")]
    Order {
        /// The number it should have.
        expected: u64,
        /// The number it has.
        found: u64,
    },
    /// It does not follow the record before it.
    #[error("it does not continue the record before it")]
    Link,
    /// It was changed.
    #[error("its hash does not fit its content")]
    Hash,
}

/// Checks a log line by line.
#[derive(Debug)]
pub struct Verifier {
    line: u64,
    next: u64,
    prev: String,
}

impl Default for Verifier {
    fn default() -> Self {
        Self::new()
    }
}

impl Verifier {
    /// At the beginning of a log.
    #[must_use]
    pub fn new() -> Self {
        Self { line: 0, next: 1, prev: FIRST_PREV.to_owned() }
    }

    /// Checks the next line, without its line end.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn push(&mut self, line: &[u8]) -> Result<Value, Flaw> {
        self.line += 1;
        let flaw = |kind| Flaw { line: self.line, kind };
        let (record, hash) = read_record(line).map_err(flaw)?;
        let seq = record.get("seq").and_then(Value::as_u64).ok_or_else(|| flaw(FlawKind::Unreadable))?;
        if seq != self.next {
            return Err(flaw(FlawKind::Order { expected: self.next, found: seq }));
        }
        if record.get("prev").and_then(Value::as_str) != Some(self.prev.as_str()) {
            return Err(flaw(FlawKind::Link));
        }
        self.next = seq + 1;
        self.prev = hash;
        Ok(record)
    }

    /// Records that were checked, and the hash of the last one.
    #[must_use]
    pub fn head(&self) -> (u64, &str) {
        (self.next - 1, &self.prev)
    }
}

/// A record and its hash, which fits its content.
fn read_record(line: &[u8]) -> Result<(Value, String), FlawKind> {
    let text = std::str::from_utf8(line).map_err(|_| FlawKind::Unreadable)?;
    let (body, rest) = text.rsplit_once(HASH_MEMBER).ok_or(FlawKind::Unreadable)?;
    let hash = rest.strip_suffix("\"}").ok_or(FlawKind::Unreadable)?;
    let record: Value = serde_json::from_str(text).map_err(|_| FlawKind::Unreadable)?;
    if Digest::of(body.as_bytes()).to_string() != hash {
        return Err(FlawKind::Hash);
    }
    Ok((record, hash.to_owned()))
}

/// What the beginning of a writer needs from what is there: the last record, and the open calls.
struct Tail {
    stages: Option<AhoCorasick>,
    lines: u64,
    last: Vec<u8>,
    open: BTreeSet<String>,
}

impl Tail {
    fn new() -> Self {
        let stages = AhoCorasick::new([r#""stage":"open""#, r#""stage":"close""#]).ok();
        Self { stages, lines: 0, last: Vec::new(), open: BTreeSet::new() }
    }

    fn take(&mut self, line: &[u8]) {
        self.lines += 1;
        self.last.clear();
        self.last.extend_from_slice(line);
        if self.stages.as_ref().is_none_or(|stages| stages.is_match(line))
            && let Ok(record) = serde_json::from_slice::<Value>(line)
            && let Some(call) = record.get("callId").and_then(Value::as_str)
        {
            match record.get("stage").and_then(Value::as_str) {
                Some("open") => {
                    self.open.insert(call.to_owned());
                }
                Some("close") => {
                    self.open.remove(call);
                }
                _ => {}
            }
        }
    }

    fn finish(self) -> Result<(Chain, BTreeSet<String>), Flaw> {
        if self.lines == 0 {
            return Ok((Chain { next: 1, prev: FIRST_PREV.to_owned() }, self.open));
        }
        let flaw = |kind| Flaw { line: self.lines, kind };
        let (record, hash) = read_record(&self.last).map_err(flaw)?;
        let seq = record.get("seq").and_then(Value::as_u64).ok_or_else(|| flaw(FlawKind::Unreadable))?;
        if seq != self.lines {
            return Err(flaw(FlawKind::Order { expected: self.lines, found: seq }));
        }
        Ok((Chain { next: seq + 1, prev: hash }, self.open))
    }
}

#[cfg(test)]
#[path = "audit_tests.rs"]
mod tests;
