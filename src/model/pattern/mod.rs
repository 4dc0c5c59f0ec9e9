//! Patterns of paths, hosts, addresses, URLs and commands. Parsed once, matched without allocation
//! where that is possible. A pattern that cannot be parsed is an error, never "no match".

pub mod command;
pub(crate) mod glob;
pub mod host;
pub mod net;
pub mod path;
pub mod url;

pub use command::CommandPattern;
pub use host::HostPattern;
pub use net::NetSet;
pub use path::{LiteralDir, PathPattern};
pub use url::UrlPattern;

/// Why a pattern was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    /// What is wrong, lower case, no final stop.
    pub message: String,
    /// What would be right.
    pub expected: String,
    /// The text that would be right, where that is certain enough to offer.
    pub mend: Option<String>,
}

impl PatternError {
    /// An error without a mend.
    pub fn new(message: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { message: message.into(), expected: expected.into(), mend: None }
    }

    /// Adds the text that would be right.
    #[must_use]
    pub fn mend(mut self, text: impl Into<String>) -> Self {
        self.mend = Some(text.into());
        self
    }
}

/// How much of a region of paths a pattern covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coverage {
    /// Every path of the region matches.
    All,
    /// Some may match and some may not.
    Some,
    /// No path of the region matches.
    None,
}
