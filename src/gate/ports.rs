//! What the gate needs from its host: a clock, names for calls, a place for the audit log.

use std::time::Duration;

use crate::syntax::ast::Date;

/// The time.
pub trait Clock: Send + Sync {
    /// The wall clock.
    fn now(&self) -> jiff::Timestamp;
    /// Time since some fixed moment; never goes back.
    fn elapsed(&self) -> Duration;
    /// The day where the gate runs.
    fn today(&self) -> Option<Date>;
}

/// Names for calls that come without one.
pub trait Ids: Send + Sync {
    /// A name that was not given before.
    fn call_id(&self) -> String;
}

/// Where the lines of the audit log go. There is one writer.
pub trait AuditSink: Send + Sync {
    /// Reads what is there, line by line (without line ends), and puts a torn last line aside.
    ///
    /// # Errors
    /// The log cannot be read, or another writer holds it.
    fn load(&self, each: &mut dyn FnMut(&[u8])) -> Result<Option<Torn>, SinkError>;
    /// Appends whole lines: all of them or, on failure, none.
    ///
    /// # Errors
    /// They could not be written.
    fn append(&self, lines: &[u8]) -> Result<(), SinkError>;
    /// Returns once everything that was appended before is on disk.
    ///
    /// # Errors
    /// It may not be. What was appended since the last success can be lost.
    fn sync(&self) -> Result<(), SinkError>;
}

/// A last line that a crash cut short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// Its bytes.
    pub bytes: u64,
    /// The name of the file to which they were moved.
    pub moved_to: String,
}

/// Why a sink failed; never names an absolute path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SinkError {
    /// Another writer holds the log.
    #[error("another process is writing this audit log")]
    Locked,
    /// Anything else, in the system's words.
    #[error("{0}")]
    Failed(String),
}
