//! Hooks that are programs: a question as JSON on standard input, an answer as JSON on standard output.

use crate::gate::Cancel;
use crate::gate::hook::{Answer, Hook, HookFailure, Question, parse_answer, question_to_json};
use crate::gate::tool::BoxFuture;

use super::pinned::{Pinned, PinnedError};

/// A hook that is a program, started anew for every question.
#[derive(Debug, Clone)]
pub struct CommandHook {
    program: Pinned,
}

impl CommandHook {
    /// A hook of a pinned program.
    #[must_use]
    pub fn new(program: Pinned) -> Self {
        Self { program }
    }
}

impl Hook for CommandHook {
    fn answer<'a>(
        &'a self,
        question: &'a Question,
        cancel: &'a Cancel,
    ) -> BoxFuture<'a, Result<Answer, HookFailure>> {
        Box::pin(async move {
            let input = format!("{}\n", question_to_json(question));
            let text = self.program.converse(input, cancel).await.map_err(failure)?;
            parse_answer(&text, question)
        })
    }
}

fn failure(error: PinnedError) -> HookFailure {
    match error {
        PinnedError::Missing => HookFailure::Missing,
        PinnedError::Changed => HookFailure::Changed,
        PinnedError::NotStarted(why) => HookFailure::NotStarted(why),
        PinnedError::Signal(signal) => HookFailure::Signal(signal),
        PinnedError::ExitCode(code) => HookFailure::ExitCode(code),
        PinnedError::TooMuchOutput => HookFailure::TooMuchOutput,
        PinnedError::NotText => HookFailure::BadJson("it is not UTF-8".to_owned()),
        PinnedError::Stopped => HookFailure::Cancelled,
        PinnedError::Lost => HookFailure::Lost,
    }
}
