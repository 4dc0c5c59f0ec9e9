//! How a verb ends: the exit code, and what a person is told when it cannot go on.

use std::process::ExitCode;

/// The exit codes of every verb. Of two ends the graver one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All is well.
    Fine,
    /// The answer is negative: findings, a refused call with `--fail-on`, an unformatted file.
    Negative,
    /// The input cannot be used: usage, an unreadable file, a policy error.
    Unusable,
    /// A fault of the program itself.
    Internal,
}

impl Exit {
    /// The number that the system sees.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Negative => 1,
            Self::Unusable => 2,
            Self::Internal => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a verb stopped: place and trouble in one sentence, and the smallest mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What the system sees.
    pub exit: Exit,
    /// What is wrong and where; empty where there is nothing to say.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Failure {
    /// The input cannot be used.
    #[must_use]
    pub fn unusable(message: impl Into<String>) -> Self {
        Self { exit: Exit::Unusable, message: message.into(), help: None }
    }

    /// A fault of the program or of the system under it.
    #[must_use]
    pub fn internal(message: impl Into<String>) -> Self {
        Self { exit: Exit::Internal, message: message.into(), help: None }
    }

    /// Everything worth saying has been said already.
    #[must_use]
    pub fn said(exit: Exit) -> Self {
        Self { exit, message: String::new(), help: None }
    }

    /// Adds a sentence to what is wrong; an empty one adds nothing.
    #[must_use]
    pub fn also(mut self, sentence: &str) -> Self {
        if !sentence.is_empty() {
            self.message = format!("{}; {sentence}", self.message);
        }
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}
