//! A parsed simple command: words with known and unknown pieces, both readings of its flags.

use super::path::PathFact;

/// One piece of a word.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Known text, quotes and escapes resolved.
    Text(String),
    /// Text that cannot be known before the command runs (any string, the empty one included).
    Unknown,
}

/// A shell word after expansion, as far as it can be known.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Word {
    /// Adjacent texts are joined; an empty list is the empty string.
    pub pieces: Vec<Piece>,
    /// The word may also turn into no word or into several (an unquoted expansion).
    pub splits: bool,
    /// It begins with an unknown piece and is certainly no flag (a glob whose matches are known).
    pub never_flag: bool,
    /// Every word that it turns into begins with its first piece (a glob without variables).
    pub one_head: bool,
}

impl Word {
    /// A word that is wholly known.
    #[must_use]
    pub fn known(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { pieces: if text.is_empty() { Vec::new() } else { vec![Piece::Text(text)] }, ..Self::default() }
    }

    /// A word of which nothing is known.
    #[must_use]
    pub fn unknown() -> Self {
        Self { pieces: vec![Piece::Unknown], splits: true, ..Self::default() }
    }

    /// The whole text, where every piece of it is known.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if self.splits {
            return None;
        }
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The known pieces with `…` between, for people.
    #[must_use]
    pub fn display(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.as_str(),
                Piece::Unknown => "…",
            })
            .collect()
    }
}

/// Which program a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// A bare name, or a path into a system program directory: `name` is the bare name.
    Sure(String),
    /// Another path: `resolved` is canonical (each spelling, canonical last), `name` its last part.
    Path {
        /// Canonical spellings; empty where the path could not be resolved.
        resolved: Vec<String>,
        /// The last component as written.
        name: String,
    },
    /// Cannot be known.
    Unknown,
    /// A line that only sets names (`export PATH=…`): no program.
    None,
}

/// A flag with its value, in every spelling that the catalogue knows for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Flag {
    /// All spellings, each with its dashes, as written first.
    pub spellings: Vec<String>,
    /// Which flag of the catalogue it is (`git -p` and `git log -p` are two); `None` where it is in
    /// no table.
    pub group: Option<u32>,
    /// Its value, where it has one in this reading.
    pub value: Option<Word>,
}

/// One way to tell flags from operands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// The flags before `--`.
    pub flags: Vec<Flag>,
    /// The operands in order, the subcommand words included, `--` not.
    pub operands: Vec<Word>,
}

/// One simple command with all that rules can ask about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub identity: Identity,
    /// All words, the program first; a wrapper's end where the inner command begins.
    pub words: Vec<Word>,
    /// One reading where the catalogue knows the program; both, where it does not and they differ.
    pub readings: Vec<Reading>,
    /// Whether the catalogue knows the program for sure.
    pub in_catalogue: bool,
    /// Whether `--` stands among the words.
    pub has_end_of_options: bool,
    /// The wrappers around it, outermost first (`sudo`, `env`, …).
    pub wrappers: Vec<String>,
    /// The directory it runs in.
    pub cwd: PathFact,
    /// Names set for it by the line, harmless ones left out; all of them count for `allow`.
    pub env: Vec<String>,
    /// Names set for it that the catalogue calls harmless.
    pub harmless_env: Vec<String>,
    /// `NAME=value` for each assignment in `env` and `harmless_env`, for patterns that name them.
    pub assignments: Vec<(String, Word)>,
    /// Why it is opaque, where it is.
    pub opaque: Option<String>,
    /// Where `append command` may write: the argument's place and the byte behind the last word in
    /// that string; `None` where the words do not stand there literally.
    pub append_at: Option<AppendPlace>,
    /// The command as a person would write it, at most [`crate::base::limits::COMMAND_BYTES_MAX`].
    pub text: String,
}

/// A place inside a string argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppendPlace {
    /// The steps from `args` to the string.
    pub argument: Vec<crate::syntax::ast::Step>,
    /// The byte offset in that string.
    pub offset: usize,
}

impl Command {
    /// `command.program`: the bare name for a sure program, the whole canonical path for another.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        match &self.identity {
            Identity::Sure(name) => Some(name),
            Identity::Path { resolved, .. } => resolved.last().map(String::as_str),
            Identity::Unknown | Identity::None => None,
        }
    }
}
