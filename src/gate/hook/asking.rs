//! Asks one hook: in a task of its own, so that a panic stays there, and within its time.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinError;

use crate::base::limits;

use super::{Answer, Cancel, Entry, HookFailure, Question};

/// What came of it.
pub(in crate::gate) enum Asked {
    Answer(Answer),
    Failure(HookFailure),
}

/// Asks a hook.
pub(in crate::gate) async fn ask(entry: &Entry, question: Question, cancel: &Cancel) -> Asked {
    let stop = Cancel::new();
    let (hook, told) = (Arc::clone(&entry.hook), stop.clone());
    let mut task = tokio::spawn(async move { hook.answer(&question, &told).await });
    let failure = tokio::select! {
        biased;
        ended = &mut task => return finished(ended),
        () = cancel.requested() => HookFailure::Cancelled,
        () = tokio::time::sleep(Duration::from_millis(entry.spec.time_limit_ms)) => {
            HookFailure::TimeLimit(entry.spec.time_limit_ms)
        }
    };
    // It has a moment to end what it started; an answer that comes now comes too late.
    stop.request();
    let grace = Duration::from_millis(limits::CANCEL_GRACE_MS);
    if tokio::time::timeout(grace, &mut task).await.is_err() {
        task.abort();
    }
    Asked::Failure(failure)
}

fn finished(ended: Result<Result<Answer, HookFailure>, JoinError>) -> Asked {
    match ended {
        Ok(Ok(answer)) => Asked::Answer(answer),
        Ok(Err(failure)) => Asked::Failure(failure),
        Err(_) => Asked::Failure(HookFailure::Panicked),
    }
}
