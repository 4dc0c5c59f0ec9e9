//! Conditions in normal form: negation pushed down to the atoms, names replaced by what they stand
//! for, literals parsed.

use std::collections::HashSet;
use std::sync::Arc;

use super::regex::TextPattern;
use crate::model::pattern::{CommandPattern, HostPattern, LiteralDir, NetSet, PathPattern, UrlPattern};
use crate::model::{Action, Capability, Number};
use crate::syntax::ast::Step;

/// A condition. `All` of nothing is true, `Any` of nothing is false.
#[derive(Debug, Clone)]
pub enum Expr {
    /// Kleene's conjunction.
    All(Vec<Expr>),
    /// Kleene's disjunction.
    Any(Vec<Expr>),
    /// One comparison.
    Atom(Arc<Atom>),
}

/// One comparison on one field.
#[derive(Debug, Clone)]
pub struct Atom {
    /// `is not`, `not in`, or an odd number of `not`s around it.
    pub negated: bool,
    /// What is compared.
    pub kind: AtomKind,
    /// The author's text of the comparison, without outer negation, for `explain`.
    pub text: String,
}

/// The three kinds of atoms.
#[derive(Debug, Clone)]
pub enum AtomKind {
    /// A field and a test.
    Test {
        /// The field.
        subject: Subject,
        /// The test.
        test: Test,
    },
    /// `any A OP V`, `all A OP V`. `negated` of the atom negates the quantifier's result.
    Quantified {
        /// `all`.
        all: bool,
        /// A list field, or `size` or `lower` of each of its elements.
        subject: Subject,
        /// `not` before the operator, inside the quantifier.
        test_negated: bool,
        /// The test of each element.
        test: Test,
    },
    /// `session has LABEL`.
    SessionHas(String),
}

/// A field, or a function of one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// `tool`.
    Tool,
    /// `source`.
    Source,
    /// `capability`.
    Capability,
    /// `mode`.
    Mode,
    /// `agent`.
    Agent,
    /// `user`.
    User,
    /// `args.…`: at most one `[*]`, and then it is a list.
    Arg(Vec<Step>),
    /// `path`.
    Path,
    /// `path.name`.
    PathName,
    /// `path.ext`.
    PathExt,
    /// `path.kind`.
    PathKind,
    /// `action`.
    Action,
    /// `command` and its parts.
    Command(CommandPart),
    /// `via` and its parts.
    Via(CommandPart),
    /// `url`.
    Url,
    /// `url.scheme`.
    UrlScheme,
    /// `url.path`.
    UrlPath,
    /// `url.query`.
    UrlQuery,
    /// `url.userinfo`.
    UrlUserinfo,
    /// `host`.
    Host,
    /// `port`.
    Port,
    /// `ip`.
    Ip,
    /// `method`.
    Method,
    /// `target`.
    Target,
    /// `result.text`.
    ResultText,
    /// `result.size`.
    ResultSize,
    /// `size(A)`.
    Size(Box<Subject>),
    /// `count(A)`.
    Count(Box<Subject>),
    /// `lower(A)`.
    Lower(Box<Subject>),
}

/// The parts of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandPart {
    /// The command itself.
    Whole,
    /// `.program`.
    Program,
    /// `.flags`: a list.
    Flags,
    /// `.operands`: a list.
    Operands,
    /// `.words`: a list.
    Words,
    /// `.wrappers`: a list.
    Wrappers,
    /// `.cwd`: a path.
    Cwd,
    /// `.env`: a list.
    Env,
}

/// What a field is compared with.
#[derive(Debug, Clone)]
pub enum Test {
    /// A path (or `command.cwd`) matches one of the patterns.
    Paths(Vec<PathPattern>),
    /// A path is this directory.
    PathIs(Directory),
    /// A path is this directory or lies below it.
    PathUnder(Directory),
    /// A host matches one of the patterns.
    Hosts(HostSet),
    /// An address is in the set (for `args`: a string that is read as an address).
    Nets(NetSet),
    /// A URL matches one of the patterns.
    Urls(Vec<UrlPattern>),
    /// A command matches one of the patterns.
    Commands(Vec<CommandPattern>),
    /// `command.program` is one of these: a bare name, or an absolute path.
    Programs(Vec<String>),
    /// A scalar equals one of these (for a list field only under a quantifier).
    OneOf(Scalars),
    /// `capability` is one of these.
    Capabilities(Vec<Capability>),
    /// `action` is one of these.
    Actions(Vec<Action>),
    /// `path.kind` is one of these.
    Kinds(Vec<crate::model::path::PathKind>),
    /// The whole string matches (compiled as `\A(?:…)\z`).
    Matches(TextPattern),
    /// The string contains this text; of an `args` value that is a list, it is an element.
    ContainsText(String),
    /// The string contains a match.
    ContainsMatch(TextPattern),
    /// The list contains an equal element (for `.flags`: the flag in any of its spellings).
    ContainsElement(Scalar),
    /// `starts with`.
    StartsWith(String),
    /// `ends with`.
    EndsWith(String),
    /// `<`, `<=`, `>`, `>=`: sizes in bytes, durations in milliseconds.
    Order(OrderOperator, Number),
    /// `is present`.
    Present,
    /// `is absent`.
    Absent,
    /// `is null`.
    Null,
    /// `is opaque`.
    Opaque,
    /// `is unresolved`.
    Unresolved,
}

/// `<` and its kin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderOperator {
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
}

/// The directory behind `under` or `is`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Directory {
    /// `workspace`.
    Workspace,
    /// `home`.
    Home,
    /// `temp`.
    Temp,
    /// A literal.
    Literal(LiteralDir),
}

/// Host patterns, with exact names and suffixes looked up by hash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostSet {
    any: bool,
    exact: HashSet<String>,
    below: HashSet<String>,
}

impl HostSet {
    /// Whether a canonical host matches one of the patterns.
    #[must_use]
    pub fn contains(&self, host: &str) -> bool {
        if self.any || self.exact.contains(host) {
            return true;
        }
        let mut rest = host;
        while let Some((_, parent)) = rest.split_once('.') {
            if self.below.contains(parent) {
                return true;
            }
            rest = parent;
        }
        false
    }

    /// The exact names.
    pub fn exact(&self) -> impl Iterator<Item = &str> {
        self.exact.iter().map(String::as_str)
    }

    /// The names below which every host matches.
    pub fn below(&self) -> impl Iterator<Item = &str> {
        self.below.iter().map(String::as_str)
    }

    /// Whether every host matches.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.any
    }
}

impl FromIterator<HostPattern> for HostSet {
    fn from_iter<I: IntoIterator<Item = HostPattern>>(patterns: I) -> Self {
        let mut set = Self::default();
        for pattern in patterns {
            match pattern {
                HostPattern::Any => set.any = true,
                HostPattern::Exact(name) => drop(set.exact.insert(name)),
                HostPattern::Below(name) => drop(set.below.insert(name)),
            }
        }
        set
    }
}

/// One scalar literal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// A string.
    Text(String),
    /// A number by value.
    Number(Number),
    /// `true`, `false`.
    Bool(bool),
    /// `null`.
    Null,
}

/// Scalars, looked up by hash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scalars(pub HashSet<Scalar>);
