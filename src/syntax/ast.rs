//! The syntax tree of one `.toll` file: what the author wrote, with the place of every word.
//!
//! Names are not resolved and types are not checked here; `compile` does both. Every node keeps its
//! span, so that a diagnostic can underline exactly the words it is about.

mod condition;

pub use condition::{Comparison, Condition, ConditionKind, Field, Function, Operand, Operator, Quantifier};

use crate::base::{Span, Spanned};

/// A name as written, without quotes.
pub type Name = Spanned<String>;

/// One parsed file: the items that could be read, in order. Items that could not are diagnostics.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct File {
    /// The items in the order of the text.
    pub items: Vec<Item>,
    /// Every `//` comment (not `///`) as written, its slashes included, in the order of the text.
    pub comments: Vec<Spanned<String>>,
}

/// One item with what stands before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// From its first to its last character, `///` and `@` lines not included.
    pub span: Span,
    /// The `///` lines before it, without the slashes and one following space.
    pub docs: Vec<Spanned<String>>,
    /// The `@` lines before it.
    pub attributes: Vec<Attribute>,
}

/// `@owner "team"`, `@severity high`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// The word behind the `@`.
    pub name: Name,
    /// The string or bare word behind it.
    pub value: Name,
    /// The whole line.
    pub span: Span,
}

/// The items of the language (`language.md`, section 3).
#[derive(Debug, Clone, PartialEq)]
pub enum ItemKind {
    /// `tollgate 1`.
    Edition(Spanned<u64>),
    /// `import "std:secrets"`.
    Import(Name),
    /// `modes plan, build`.
    Modes(Vec<Name>),
    /// `labels untrusted`.
    Labels(Vec<Name>),
    /// `default block`; the word is checked by the parser.
    Default(Spanned<DefaultWord>),
    /// `unknown ask`.
    Unknown(Spanned<UnknownWord>),
    /// `let NAME = …`.
    Let(Let),
    /// `tool NAME { … }`.
    Tool(Tool),
    /// `invariant NAME { … }`.
    Invariant(Invariant),
    /// `allow NAME { … }` and its kin.
    Rule(Rule),
}

/// The words after `default`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DefaultWord {
    /// What nothing lets through is blocked.
    Block,
    /// It is asked about.
    Ask,
    /// It is let through.
    Allow,
    /// The layer has no opinion.
    Pass,
}

/// The words after `unknown`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnknownWord {
    /// An unknown condition blocks.
    Block,
    /// An unknown condition asks.
    Ask,
}

/// `let NAME = SET` or `let NAME = CONDITION`.
#[derive(Debug, Clone, PartialEq)]
pub struct Let {
    /// The name.
    pub name: Name,
    /// What it stands for.
    pub value: LetValue,
}

/// The right side of a `let`.
#[derive(Debug, Clone, PartialEq)]
pub enum LetValue {
    /// A set, with or without its type word.
    Set(Set),
    /// A condition. A lone name is a `Condition::Name` and may turn out to be an alias of a set.
    Condition(Condition),
}

/// The word before a set's brace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SetType {
    /// `path {…}`.
    Path,
    /// `host {…}`.
    Host,
    /// `net {…}`.
    Net,
    /// `url {…}`.
    Url,
    /// `command {…}`.
    Command,
}

/// `{…}` with its type word where it has one.
#[derive(Debug, Clone, PartialEq)]
pub struct Set {
    /// The type word; without one the set takes its type from the field it stands beside, and a
    /// `let` without one is a set of strings (or numbers, as its elements say).
    pub kind: Option<Spanned<SetType>>,
    /// The elements: literals, or names of sets.
    pub elements: Vec<Value>,
    /// From the type word to the closing brace.
    pub span: Span,
}

/// A literal or a bare word.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// Where.
    pub span: Span,
}

/// The literals of the language (`language.md`, section 6).
#[derive(Debug, Clone, PartialEq)]
pub enum ValueKind {
    /// `"text"`, escapes resolved.
    Text(String),
    /// An integer or a decimal, exactly as written.
    Number(String),
    /// `true`, `false`.
    Bool(bool),
    /// `null`.
    Null,
    /// `30s`, `15m`, `2h`, `7d`: milliseconds.
    Duration(u64),
    /// `20KB`, `2MB`: bytes.
    Size(u64),
    /// `2027-03-31`.
    Date(Date),
    /// `/regex/` or `/regex/i`: the pattern with `\/` already turned into `/`.
    Regex(Regex),
    /// A command pattern, without its backticks.
    Command(String),
    /// `10.0.0.0/8`, `::1`: an address or a range, as written.
    Net(String),
    /// A bare word: an enum word, a mode, or the name of a let.
    Word(String),
    /// `{…}` as an operand.
    Set(Set),
}

/// A regular expression literal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Regex {
    /// The pattern in the syntax of crate `regex`.
    pub pattern: String,
    /// Whether `i` follows the closing slash.
    pub ignore_case: bool,
}

/// A day of the Gregorian calendar; the parser accepts only days that exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Date {
    /// Year, 0 to 9999.
    pub year: u16,
    /// Month, from 1.
    pub month: u8,
    /// Day, from 1.
    pub day: u8,
}

/// `tool NAME { … }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// The name; may end in `*` where it was quoted.
    pub name: Name,
    /// The lines of the body.
    pub lines: Vec<ToolLine>,
}

/// One line of a tool body.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolLine {
    /// What it says.
    pub kind: ToolLineKind,
    /// Where.
    pub span: Span,
}

/// What a tool line says (`language.md`, section 4).
#[derive(Debug, Clone, PartialEq)]
pub enum ToolLineKind {
    /// `reads ARG` and its kin.
    Access {
        /// Which of them.
        verb: Spanned<AccessVerb>,
        /// The argument.
        arg: ToolArg,
        /// `recursively`.
        recursively: bool,
        /// `as glob`.
        as_glob: bool,
    },
    /// `connects ARG`.
    Connects(ToolArg),
    /// `runs ARG [in ARG] [as WORD]`.
    Runs {
        /// The command line.
        arg: ToolArg,
        /// The working directory.
        cwd: Option<ToolArg>,
        /// `bash`, `words`, or any other name.
        dialect: Option<Name>,
    },
    /// `CAP on ARG`, or `CAP` alone; `nothing` is the capability of that name.
    Capability {
        /// The capability.
        capability: Spanned<CapabilityWord>,
        /// The target.
        on: Option<ToolArg>,
    },
    /// `schema "FILE.json"`.
    SchemaFile(Name),
    /// `schema {…}`: one JSON object, as written.
    SchemaInline(Spanned<String>),
}

/// The verbs that take a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessVerb {
    /// Read, action `read`.
    Reads,
    /// Read, action `list`.
    Lists,
    /// Write, action `change`.
    Writes,
    /// Write, action `create`.
    Creates,
    /// Write, action `delete`.
    Deletes,
}

/// `[optional] args.PATH [or "VALUE"]`.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolArg {
    /// `optional` stands before it.
    pub optional: bool,
    /// Which argument; its first step is the argument's name.
    pub path: Vec<Step>,
    /// What absence means.
    pub or: Option<Name>,
    /// Where.
    pub span: Span,
}

/// One step into a JSON value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// `.name` or `["odd name"]`.
    Name(String),
    /// `[0]`.
    Index(u32),
    /// `[*]`.
    Each,
}

/// The words for capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CapabilityWord {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Running programs.
    Exec,
    /// Reaching hosts.
    Network,
    /// A call without any effect.
    Nothing,
    /// All of them (in scopes only).
    Any,
}

/// `invariant NAME { never CAP, … [by TOOL, …] [when COND] }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Invariant {
    /// The name.
    pub name: Name,
    /// The capabilities after `never`.
    pub never: Vec<Spanned<CapabilityWord>>,
    /// The tools after `by`; may end in `*`.
    pub by: Vec<Name>,
    /// The condition.
    pub when: Option<Condition>,
}

/// The verbs of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VerbWord {
    /// Lets through.
    Allow,
    /// Adds a warning.
    Warn,
    /// Lets through once a person approves.
    Ask,
    /// Stops.
    Block,
    /// Rewrites arguments.
    Modify,
    /// Rewrites results.
    Redact,
}

/// `VERB NAME { CLAUSES }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The verb.
    pub verb: Spanned<VerbWord>,
    /// The name.
    pub name: Name,
    /// The clauses in the order of the text, also where one stands twice (checked by `compile`).
    pub clauses: Vec<Clause>,
}

/// One clause.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    /// What it says.
    pub kind: ClauseKind,
    /// Where.
    pub span: Span,
}

/// The clauses (`language.md`, section 5).
#[derive(Debug, Clone, PartialEq)]
pub enum ClauseKind {
    /// `on [result of] CAP, … [by TOOL, …]`.
    On {
        /// `result of`.
        result: bool,
        /// The capabilities.
        capabilities: Vec<Spanned<CapabilityWord>>,
        /// The tools; may end in `*`.
        by: Vec<Name>,
    },
    /// `when COND`.
    When(Condition),
    /// `unless COND`.
    Unless(Condition),
    /// `because "text"`, escapes resolved, braces not.
    Because(Name),
    /// `fix "text"`.
    Fix(Name),
    /// `covers CAP, …`.
    Covers(Vec<Spanned<CapabilityWord>>),
    /// `limit …`.
    Limit(LimitClause),
    /// `approve …`.
    Approve {
        /// `alike`.
        alike: bool,
        /// How long.
        reach: ApproveReach,
    },
    /// `unknown ask|block`.
    Unknown(Spanned<UnknownWord>),
    /// `until DATE`.
    Until(Spanned<Date>),
    /// `mark LABEL`.
    Mark(Name),
    /// `set A = V` and its kin.
    Modify(ModifyClause),
    /// `replace secrets|/re/ with "text"` in a `redact` rule.
    Redact {
        /// What is replaced; `None` is `secrets`.
        pattern: Option<Spanned<Regex>>,
        /// By what.
        with: Name,
    },
    /// `example …`.
    Example(Example),
}

/// `limit …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitClause {
    /// `limit time 30s`: milliseconds.
    Time(Spanned<u64>),
    /// `limit output 20KB`: bytes.
    Output(Spanned<u64>),
    /// `limit calls 20 per 1m`, `limit calls 3 per session`.
    Calls {
        /// How many.
        max: Spanned<u64>,
        /// Milliseconds; `None` is `session`.
        per_ms: Option<u64>,
    },
    /// `limit grade held|confined`.
    Grade(Spanned<GradeWord>),
}

/// The grades that a rule may demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GradeWord {
    /// What was judged is held open.
    Held,
    /// The program is confined.
    Confined,
}

/// How long an approval lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApproveReach {
    /// `per call`.
    Call,
    /// `per session`.
    Session,
    /// `for 15m`: milliseconds.
    Ms(u64),
}

/// The rewriting clauses of `modify`.
#[derive(Debug, Clone, PartialEq)]
pub enum ModifyClause {
    /// `set A = V`.
    Set(ArgPlace, Spanned<String>),
    /// `fill A = V`.
    Fill(ArgPlace, Spanned<String>),
    /// `clamp A to N..M`; the numbers as written.
    Clamp(ArgPlace, Spanned<String>, Spanned<String>),
    /// `remove A`.
    Remove(ArgPlace),
    /// `append A = V`; V is JSON as written, as in `set` and `fill`.
    Append(ArgPlace, Spanned<String>),
    /// ``append command `words` ``.
    AppendCommand(Spanned<String>),
    /// `replace A matching /re/ with "text"`.
    Replace(ArgPlace, Spanned<Regex>, Name),
}

/// `args.NAME…` as the place of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgPlace {
    /// The steps behind `args`.
    pub path: Vec<Step>,
    /// Where.
    pub span: Span,
}

/// `example [not] TOOL JSON [in MODE] [with WORLD] [gives JSON]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// `not`.
    pub negated: bool,
    /// The tool.
    pub tool: Name,
    /// The arguments: JSON as written, on one line.
    pub args: Spanned<String>,
    /// `in MODE`.
    pub mode: Option<Name>,
    /// `with WORLD`: JSON as written.
    pub world: Option<Spanned<String>>,
    /// `gives JSON`.
    pub gives: Option<Spanned<String>>,
}
