//! The port to file system, names and environment.

use std::net::IpAddr;

use crate::model::path::Folding;
use crate::syntax::ast::Date;

/// What a host lets the engine look at. Nothing behind it changes anything. The real one is
/// `host::fs::RealWorld`, the virtual one [`super::virtual_world::VirtualWorld`] (made from YAML or JSON).
///
/// Paths are absolute, `/`-separated (`C:/…` on Windows), and their directories canonical: resolve a path
/// ([`super::path::resolve`]) before asking about it. An implementation answers in bounded time.
pub trait World: Send + Sync {
    /// The workspace root, absolute, as given.
    fn workspace(&self) -> &str;
    /// The user's home directory.
    fn home(&self) -> Option<&str>;
    /// The home directory of a named user.
    fn home_of(&self, user: &str) -> Option<String>;
    /// The directory for temporary files.
    fn temp(&self) -> Option<&str>;
    /// The working directory of calls that name none; `None` is the workspace.
    fn cwd(&self) -> Option<&str>;
    /// Whose path rules hold.
    fn platform(&self) -> Platform;
    /// How names compare in the file system that holds `path`.
    fn folding(&self, path: &str) -> Folding;
    /// What stands at a path, links not followed (lstat(2)).
    ///
    /// # Errors
    /// What could not be looked at is not the same as what is missing.
    fn inspect(&self, path: &str) -> Result<Node, WorldError>;
    /// The names in a directory, sorted by bytes; at most `max` (one more than that is an error).
    ///
    /// # Errors
    /// As `inspect`, and `TooMany`.
    fn list(&self, directory: &str, max: usize) -> Result<Vec<String>, WorldError>;
    /// The addresses of a host name.
    ///
    /// # Errors
    /// `Missing` where it has none.
    fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, WorldError>;
    /// A variable of the environment that commands will run in.
    fn variable(&self, name: &str) -> Option<String>;
    /// The day.
    fn today(&self) -> Option<Date>;
    /// Labels that every session of this world begins with (tests set them).
    fn labels(&self) -> Vec<String>;
    /// What the gate loads or keeps, canonical: a write at or below one of these is `gate/self`.
    fn protected(&self) -> Vec<String>;
}

/// Whose path rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Platform {
    /// `/` separates, anything but `/` and NUL is a name.
    #[default]
    Posix,
    /// Drives, `\` and `/`, device names, streams.
    Windows,
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// Nothing.
    Missing,
    /// A plain file.
    File {
        /// How many names it has.
        hard_links: u64,
    },
    /// A directory.
    Dir,
    /// A symbolic link (or a junction) with its text.
    Link(String),
    /// Anything else.
    Other,
}

/// Why the world could not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorldError {
    /// There is no such thing.
    #[error("not found")]
    Missing,
    /// The system refused.
    #[error("permission denied")]
    Denied,
    /// More than the bound.
    #[error("more than {0} entries")]
    TooMany(usize),
    /// A name or a link's text is not UTF-8.
    #[error("a name is not UTF-8")]
    NotUtf8,
    /// Anything else, in the system's words.
    #[error("{0}")]
    Other(String),
}
