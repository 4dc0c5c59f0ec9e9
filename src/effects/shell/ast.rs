//! What the parser makes of a line: lists of pipelines of commands, words as parts.

use std::cell::OnceCell;
use std::rc::Rc;

/// Why a line was not parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unparsed {
    /// For people, lower case, no final stop.
    pub reason: String,
}

impl Unparsed {
    /// A reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// The result of a parse step.
pub type Parsed<T> = Result<T, Unparsed>;

/// Commands one after the other.
#[derive(Debug, Default)]
pub struct List {
    /// The chains in order.
    pub chains: Vec<Chain>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub struct Chain {
    /// The first pipeline.
    pub first: Pipeline,
    /// The others with the operator before each.
    pub rest: Vec<(Joint, Pipeline)>,
    /// `&` stands behind it.
    pub background: bool,
}

/// What joins two pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// `&&`.
    And,
    /// `||`.
    Or,
}

/// Commands joined by `|`.
#[derive(Debug)]
pub struct Pipeline {
    /// `!` stands before it an odd number of times.
    pub negated: bool,
    /// The reserved word `time` stands before it.
    pub timed: bool,
    /// At least one, unless `!` or `time` stands alone.
    pub stages: Vec<Command>,
}

/// A command with the redirections behind it.
#[derive(Debug)]
pub struct Command {
    /// What it is.
    pub kind: Kind,
    /// In order.
    pub redirects: Vec<Redirect>,
}

/// The kinds of commands.
#[derive(Debug)]
pub enum Kind {
    /// Assignments and words.
    Simple(Simple),
    /// `{ …; }`.
    Group(Rc<List>),
    /// `( … )`.
    Subshell(Rc<List>),
    /// `if`: conditions with bodies, and the `else` body.
    If(Vec<(List, List)>, Option<List>),
    /// `while` and `until`.
    Loop {
        /// The condition.
        condition: List,
        /// The body.
        body: List,
    },
    /// `for NAME in WORDS` and `select`.
    For {
        /// The variable.
        name: String,
        /// `None` stands for `"$@"`.
        words: Option<Vec<RawWord>>,
        /// The body.
        body: List,
        /// It is `select`.
        select: bool,
    },
    /// `for ((…))`.
    ForArith {
        /// The three expressions.
        parts: Vec<Part>,
        /// The body.
        body: List,
    },
    /// `case`.
    Case {
        /// The word, and all patterns.
        words: Vec<RawWord>,
        /// The bodies.
        bodies: Vec<List>,
    },
    /// `((…))`.
    Arith(Vec<Part>),
    /// `[[ … ]]`: its words, and whether one of them compares numbers.
    Test(Vec<RawWord>),
    /// A function definition.
    Function {
        /// Its name.
        name: String,
        /// Its body.
        body: Rc<Command>,
    },
}

/// A simple command.
#[derive(Debug, Default)]
pub struct Simple {
    /// Assignments before the words.
    pub assignments: Vec<Assignment>,
    /// The words.
    pub words: Vec<RawWord>,
}

/// `NAME=value`.
#[derive(Debug)]
pub struct Assignment {
    /// The name.
    pub name: String,
    /// `+=`.
    pub append: bool,
    /// A subscript or a list in parentheses: the value is not followed.
    pub array: bool,
    /// The first of the values is a subscript.
    pub subscript: bool,
    /// The value; for a list, its elements.
    pub values: Vec<RawWord>,
}

/// A word as written.
#[derive(Debug, Clone, Default)]
pub struct RawWord {
    /// Its parts.
    pub parts: Vec<Part>,
    /// The byte behind it in the text that was parsed.
    pub end: usize,
}

impl RawWord {
    /// The text, where it is one unquoted literal.
    pub fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Bare(text)] => Some(text),
            _ => None,
        }
    }

    /// The text without quotes, where nothing is expanded.
    pub fn literal(&self) -> Option<String> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Bare(text) | Part::Quoted(text) => out.push_str(text),
                _ => return None,
            }
        }
        Some(out)
    }

    /// Whether any part of it is quoted.
    pub fn is_quoted(&self) -> bool {
        self.parts.iter().any(|part| !matches!(part, Part::Bare(_)))
    }
}

/// A part of a word.
#[derive(Debug, Clone)]
pub enum Part {
    /// Unquoted text: globs, braces and tildes are live in it.
    Bare(String),
    /// Quoted text (perhaps empty).
    Quoted(String),
    /// `$x`, `${…}`.
    Param(Param),
    /// `$(…)`, backticks.
    Subst {
        /// In double quotes.
        quoted: bool,
        /// The commands.
        body: Rc<List>,
        /// Their words stand in the outer text at their own offsets.
        in_place: bool,
    },
    /// `$((…))`: its text (expansions left out) and the expansions in it.
    Arith {
        /// In double quotes.
        quoted: bool,
        /// The plain text.
        text: String,
        /// Expansions.
        parts: Vec<Part>,
    },
    /// `<(…)`, `>(…)`.
    Process(Rc<List>),
}

/// A parameter expansion.
#[derive(Debug, Clone)]
pub struct Param {
    /// In double quotes.
    pub quoted: bool,
    /// A name, digits, or one special character.
    pub name: String,
    /// What is done to it.
    pub op: ParamOp,
    /// The parts of the operator's word, and of a subscript.
    pub args: Vec<Part>,
}

/// The operators of `${…}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamOp {
    /// None.
    Plain,
    /// `:-` and `-`.
    Default,
    /// `:=` and `=`.
    Assign,
    /// `@…`: may run what the value holds.
    Transform,
    /// `${!x}`: what the value names.
    Indirect,
    /// Arithmetic is done on text in it (`:offset`, `[subscript]`).
    Computed,
    /// `${#x}`.
    Length,
    /// Any other: the value cannot be known.
    Other,
}

/// A redirection.
#[derive(Debug)]
pub struct Redirect {
    /// The file descriptor that is written before it, `{name}` included.
    pub fd: Option<String>,
    /// What it does.
    pub op: RedirectOp,
    /// The word behind it; empty for a here-document.
    pub target: RawWord,
    /// The text of a here-document.
    pub document: Option<Rc<OnceCell<Document>>>,
}

/// The forms of redirections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOp {
    /// `<`.
    Read,
    /// `>`, `>|`, `>>`.
    Write,
    /// `<>`.
    ReadWrite,
    /// `<&`.
    DupIn,
    /// `>&`.
    DupOut,
    /// `&>`, `&>>`.
    Both,
    /// `<<`, `<<-`.
    Document,
    /// `<<<`.
    Text,
}

/// A here-document.
#[derive(Debug, Default)]
pub struct Document {
    /// Its text as parts: one quoted text where the delimiter is quoted.
    pub parts: Vec<Part>,
}
