use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use super::super::ports::{AuditSink, Clock, SinkError, Torn};
use super::{AuditError, AuditLog, Durability, Event, FlawKind, Verifier};
use crate::syntax::ast::Date;

struct Fixed;

impl Clock for Fixed {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::from_second(1_764_583_200).unwrap()
    }
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
    fn today(&self) -> Option<Date> {
        None
    }
}

#[derive(Default)]
struct Memory {
    bytes: Mutex<Vec<u8>>,
    syncs: Mutex<u32>,
    sync_fails: bool,
}

impl AuditSink for Memory {
    fn load(&self, each: &mut dyn FnMut(&[u8])) -> Result<Option<Torn>, SinkError> {
        let bytes = self.bytes.lock().unwrap();
        for line in bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
            each(line);
        }
        Ok(None)
    }
    fn append(&self, lines: &[u8]) -> Result<(), SinkError> {
        self.bytes.lock().unwrap().extend_from_slice(lines);
        Ok(())
    }
    fn sync(&self) -> Result<(), SinkError> {
        *self.syncs.lock().unwrap() += 1;
        if self.sync_fails { Err(SinkError::Failed("no".to_owned())) } else { Ok(()) }
    }
}

fn event(call: &str, stage: &'static str) -> Event {
    Event {
        at: Fixed.now(),
        call_id: call.to_owned(),
        stage,
        by: "gate".to_owned(),
        outcome: "ok".to_owned(),
        detail: json!({"note": "\",\"hash\":\"sha256:no\"}"}),
    }
}

fn verify(bytes: &[u8]) -> Result<u64, super::Flaw> {
    let mut verifier = Verifier::new();
    for line in bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
        verifier.push(line)?;
    }
    Ok(verifier.head().0)
}

fn filled() -> Vec<u8> {
    let sink = Arc::new(Memory::default());
    let log = AuditLog::open(Arc::clone(&sink) as _, &Fixed, Durability::Sync).unwrap();
    for call in ["c1", "c2", "c3"] {
        log.write(&[event(call, "parse"), event(call, "close")], true).unwrap();
    }
    drop(log);
    let bytes = sink.bytes.lock().unwrap();
    bytes.clone()
}

#[test]
fn a_log_verifies_and_has_the_form_of_the_contract() {
    let bytes = filled();
    assert_eq!(verify(&bytes), Ok(6));
    let first = String::from_utf8(bytes).unwrap().lines().next().unwrap().to_owned();
    let record: serde_json::Value = serde_json::from_str(&first).unwrap();
    let keys: Vec<_> = record.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["v", "seq", "at", "callId", "stage", "by", "outcome", "detail", "prev", "hash"]);
    assert_eq!(record["at"], "2025-12-01T10:00:00.000Z");
}

#[test]
fn every_change_of_one_byte_is_found() {
    let bytes = filled();
    for at in 0..bytes.len() {
        if bytes[at] == b'\n' {
            continue;
        }
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(verify(&changed).is_err(), "byte {at}");
    }
}

#[test]
fn every_missing_swapped_or_doubled_line_is_found() {
    let text = String::from_utf8(filled()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let check = |lines: &[&str]| verify(lines.join("\n").as_bytes());
    for at in 0..lines.len() - 1 {
        let mut cut = lines.clone();
        cut.remove(at);
        assert_eq!(check(&cut).unwrap_err().line, u64::try_from(at).unwrap() + 1);
        let mut swapped = lines.clone();
        swapped.swap(at, at + 1);
        assert!(matches!(check(&swapped).unwrap_err().kind, FlawKind::Order { .. }));
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at]);
        assert!(check(&doubled).is_err());
    }
}

#[test]
fn the_chain_goes_on_after_a_restart_and_open_calls_are_closed_as_unknown() {
    let sink = Arc::new(Memory::default());
    let log = AuditLog::open(Arc::clone(&sink) as _, &Fixed, Durability::Sync).unwrap();
    let mut tricky = event("c2", "parse");
    tricky.detail = json!({"stage": "open", "callId": "c9"});
    log.write(&[event("c1", "open"), event("c1", "close"), event("c2", "open"), tricky], true).unwrap();
    drop(log);
    let log = AuditLog::open(Arc::clone(&sink) as _, &Fixed, Durability::Sync).unwrap();
    log.write(&[event("c3", "parse")], false).unwrap();
    let bytes = sink.bytes.lock().unwrap().clone();
    assert_eq!(verify(&bytes), Ok(6));
    let text = String::from_utf8(bytes).unwrap();
    let closing: serde_json::Value = serde_json::from_str(text.lines().nth(4).unwrap()).unwrap();
    assert_eq!((closing["callId"].as_str(), closing["outcome"].as_str()), (Some("c2"), Some("unknown")));
}

#[test]
fn a_damaged_last_record_is_not_continued() {
    let mut bytes = filled();
    let length = bytes.len();
    bytes[length - 20] ^= 1;
    let sink = Arc::new(Memory { bytes: Mutex::new(bytes), ..Memory::default() });
    assert!(matches!(AuditLog::open(sink, &Fixed, Durability::Sync), Err(AuditError::Broken(_))));
}

#[test]
fn a_failed_sync_ends_the_log() {
    let sink = Arc::new(Memory { sync_fails: true, ..Memory::default() });
    let log = AuditLog::open(sink, &Fixed, Durability::Sync).unwrap();
    assert!(matches!(log.write(&[event("c1", "open")], true), Err(AuditError::Sink(_))));
    assert_eq!(log.write(&[event("c1", "close")], true), Err(AuditError::Halted));
}

#[test]
fn durability_write_never_syncs() {
    let sink = Arc::new(Memory::default());
    let log = AuditLog::open(Arc::clone(&sink) as _, &Fixed, Durability::Write).unwrap();
    log.write(&[event("c1", "open")], true).unwrap();
    assert_eq!(*sink.syncs.lock().unwrap(), 0);
}
