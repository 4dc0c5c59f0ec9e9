//! A compiled policy set: immutable, shareable between threads, without locks.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use regex::Regex;
use serde_json::Value;

use crate::base::Digest;
use crate::model::demand::Places;
use crate::model::pattern::command::WordPattern;
use crate::model::pattern::{LiteralDir, PathPattern};
use crate::model::verdict::Grade;
use crate::model::{Capability, CapabilitySet, Demand, Number, ToolDeclaration, ToolPattern};
use crate::syntax::ast::{ApproveReach, Date, DefaultWord, Step, UnknownWord};

use super::expr::{Directory, Expr, Subject, Test};
use super::index::Index;
use super::lower::rule::walk;

/// A compiled policy set.
#[derive(Debug)]
pub struct Program {
    parts: Parts,
    /// Positions of declarations in `parts.tools`, by the tool that they name whole.
    by_tool: HashMap<String, Vec<u32>>,
    /// Those that name tools by a prefix.
    by_prefix: Vec<u32>,
    /// The tools in whose network scopes rules and invariants look at `ip`.
    ip_tools: ToolSet,
    places: Places,
}

/// What a program is made of.
#[derive(Debug)]
pub(super) struct Parts {
    pub revision: Digest,
    pub layers: Vec<Layer>,
    pub modes: Option<Vec<String>>,
    pub outermost_has_modes: bool,
    /// The host's first, then outermost layers first.
    pub tools: Vec<DeclaredTool>,
    /// The scopes of rules and invariants that look at `ip`.
    pub ip_scopes: Vec<Scope>,
}

/// The tools of some scopes.
#[derive(Debug, Default)]
struct ToolSet {
    every: bool,
    exact: HashSet<String>,
    prefixes: BTreeSet<String>,
}

impl ToolSet {
    fn add(&mut self, tools: Vec<ToolPattern>) {
        self.every |= tools.is_empty();
        for tool in tools {
            match tool {
                ToolPattern::Exact(name) => drop(self.exact.insert(name)),
                ToolPattern::Prefix(prefix) => drop(self.prefixes.insert(prefix)),
            }
        }
    }

    fn contains(&self, tool: &str) -> bool {
        self.every
            || self.exact.contains(tool)
            || self.prefixes.iter().any(|prefix| tool.starts_with(prefix.as_str()))
    }
}

/// A declaration and where it comes from.
#[derive(Debug)]
pub struct DeclaredTool {
    /// What it says.
    pub declaration: ToolDeclaration,
    /// The layer that holds it; `None` is the host's own code.
    pub layer: Option<usize>,
}

/// One layer.
#[derive(Debug)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// What an effect gets where nothing lets it through.
    pub default: DefaultWord,
    /// All rules, sorted by name. `redact` and result rules are among them.
    pub rules: Vec<Rule>,
    /// The invariants, checked and kept for `lint`.
    pub invariants: Vec<Invariant>,
    index: Index,
}

impl Layer {
    /// A layer with its rules sorted by name and indexed.
    #[must_use]
    pub fn new(name: String, default: DefaultWord, mut rules: Vec<Rule>, invariants: Vec<Invariant>) -> Self {
        rules.sort_by(|a, b| a.full_name.cmp(&b.full_name));
        let index = Index::build(&rules);
        Self { name, default, rules, invariants, index }
    }

    /// Which rules could count on an effect.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The rules at some positions.
    pub fn at<'a>(&'a self, positions: &'a [u32]) -> impl Iterator<Item = &'a Rule> {
        positions.iter().filter_map(|at| self.rules.get(*at as usize))
    }
}

/// A checked claim.
#[derive(Debug)]
pub struct Invariant {
    /// Full name.
    pub name: String,
    /// The effects it is about.
    pub scope: Scope,
    /// The condition.
    pub condition: Expr,
    /// `FILE:LINE:COLUMN`.
    pub at: String,
}

/// What a rule is judged on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The capabilities.
    pub capabilities: CapabilitySet,
    /// The tools; empty is every tool.
    pub tools: Vec<ToolPattern>,
    /// `on result of`.
    pub result: bool,
}

impl Scope {
    /// Whether the scope names or allows this tool.
    #[must_use]
    pub fn has_tool(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.names_tool(tool)
    }

    /// Whether a `by` names this tool.
    #[must_use]
    pub fn names_tool(&self, tool: &str) -> bool {
        self.tools.iter().any(|pattern| pattern.matches(tool))
    }
}

/// The verbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// Lets through.
    Allow,
    /// Adds a warning.
    Warn,
    /// Lets through once approved.
    Ask,
    /// Stops.
    Block,
    /// Rewrites arguments.
    Modify,
    /// Rewrites results.
    Redact,
}

/// One compiled rule.
#[derive(Debug)]
pub struct Rule {
    /// `layer/name`.
    pub full_name: Arc<str>,
    /// What it does.
    pub verb: Verb,
    /// What it is judged on.
    pub scope: Scope,
    /// `when` and not `unless`; true where neither stands.
    pub condition: Expr,
    /// `because`.
    pub because: Option<Template>,
    /// `fix`.
    pub fix: Option<String>,
    /// `covers`.
    pub covers: CapabilitySet,
    /// `limit …`.
    pub limits: Limits,
    /// `approve …`, with `alike`.
    pub approve: Option<(ApproveReach, bool)>,
    /// What an unknown condition adds (for `block` and `modify`); the layer's where it has no own.
    pub unknown: UnknownWord,
    /// `until`.
    pub until: Option<Date>,
    /// `mark`.
    pub marks: Vec<String>,
    /// The rewriting clauses of `modify`, in order.
    pub edits: Vec<ArgEdit>,
    /// The clauses of `redact`, in order.
    pub redactions: Vec<Redaction>,
    /// Whether the condition looks at `command` or `via`.
    pub looks_at_command: bool,
    /// The names that its command patterns set (`` `CI=* npm test` ``).
    pub assigned_names: Vec<String>,
    /// `FILE:LINE:COLUMN` of its first word.
    pub at: String,
    /// Its `///` lines.
    pub docs: Vec<String>,
    /// `@owner`.
    pub owner: Option<String>,
    /// `@severity`.
    pub severity: Option<String>,
    /// Its examples, for `lint` and `test`.
    pub examples: Vec<Example>,
}

/// A checked `example` clause.
#[derive(Debug, Clone)]
pub struct Example {
    /// `not`.
    pub negated: bool,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: serde_json::Map<String, Value>,
    /// `in MODE`, else the first declared mode.
    pub mode: Option<String>,
    /// `with WORLD`.
    pub world: Option<Value>,
    /// `gives JSON`.
    pub gives: Option<serde_json::Map<String, Value>>,
    /// Where it stands, for findings.
    pub file: crate::base::FileId,
    /// Where it stands, for findings.
    pub span: crate::base::Span,
}

/// `because` with its fields.
#[derive(Debug, Clone)]
pub struct Template(pub Vec<TemplatePart>);

/// A piece of a `because` text.
#[derive(Debug, Clone)]
pub enum TemplatePart {
    /// As it stands.
    Text(String),
    /// `{field}`.
    Field(Subject),
}

/// `limit …` clauses of one rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// `limit time`, milliseconds (the smallest).
    pub time_ms: Option<u64>,
    /// `limit output`, bytes (the smallest).
    pub output_bytes: Option<u64>,
    /// `limit calls`: how many, in how many milliseconds (`None`: a session).
    pub calls: Vec<(u64, Option<u64>)>,
    /// `limit grade`.
    pub grade: Option<Grade>,
}

/// One rewriting clause. A place may hold one `[*]`: then every element is written.
#[derive(Debug, Clone)]
pub enum ArgEdit {
    /// `set A = V`.
    Set(Vec<Step>, Value),
    /// `fill A = V`.
    Fill(Vec<Step>, Value),
    /// `clamp A to N..M`: the bounds as numbers and as the JSON that is written.
    Clamp(Vec<Step>, (Number, Value), (Number, Value)),
    /// `remove A`.
    Remove(Vec<Step>),
    /// `append A = V`.
    Append(Vec<Step>, Value),
    /// ``append command `words` ``.
    AppendCommand(String),
    /// `replace A matching /re/ with "text"`.
    Replace(Vec<Step>, Regex, String),
}

/// One clause of a `redact` rule.
#[derive(Debug, Clone)]
pub enum Redaction {
    /// `replace secrets with "text"`.
    Secrets(String),
    /// `replace /re/ with "text"`.
    Matches(Regex, String),
}

impl Program {
    pub(super) fn new(mut parts: Parts) -> Self {
        let mut ip_tools = ToolSet::default();
        for scope in std::mem::take(&mut parts.ip_scopes) {
            if scope.capabilities.contains(Capability::Network) {
                ip_tools.add(scope.tools);
            }
        }
        let (mut by_tool, mut by_prefix) = (HashMap::<String, Vec<u32>>::new(), Vec::new());
        for (at, declared) in parts.tools.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            match &declared.declaration.pattern {
                ToolPattern::Exact(name) => by_tool.entry(name.clone()).or_default().push(at),
                ToolPattern::Prefix(_) => by_prefix.push(at),
            }
        }
        let places = places(&parts.layers);
        Self { parts, by_tool, by_prefix, ip_tools, places }
    }

    /// The digest of everything the program was made of.
    #[must_use]
    pub fn revision(&self) -> Digest {
        self.parts.revision
    }

    /// Gives the files in the places of rules and invariants other names for people: `name` is given
    /// the number of the layer and a file's name. Verdicts stay what they are, but for their `at`.
    pub fn rename_files(&mut self, name: impl Fn(usize, &str) -> String) {
        for (number, layer) in self.parts.layers.iter_mut().enumerate() {
            let rules = layer.rules.iter_mut().map(|rule| &mut rule.at);
            for at in rules.chain(layer.invariants.iter_mut().map(|invariant| &mut invariant.at)) {
                let mut parts = at.rsplitn(3, ':');
                if let (Some(column), Some(line), Some(file)) = (parts.next(), parts.next(), parts.next()) {
                    *at = format!("{}:{line}:{column}", name(number, file));
                }
            }
        }
    }

    /// The layers, outermost first.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.parts.layers
    }

    /// The modes that a call may be in, as far as any layer declares them.
    #[must_use]
    pub fn modes(&self) -> Option<&[String]> {
        self.parts.modes.as_deref()
    }

    /// Whether the outermost layer declares modes: otherwise a call can be in none.
    #[must_use]
    pub fn outermost_has_modes(&self) -> bool {
        self.parts.outermost_has_modes
    }

    /// Whether a call may be in this mode (`language.md`, section 3).
    #[must_use]
    pub fn has_mode(&self, mode: Option<&str>) -> bool {
        match (mode, &self.parts.modes) {
            (None, None) => true,
            (None, Some(_)) | (Some(_), None) => false,
            (Some(mode), Some(modes)) => self.parts.outermost_has_modes && modes.iter().any(|m| m == mode),
        }
    }

    /// Every declaration of a tool, the host's first, then outermost layers first.
    #[must_use]
    pub fn declarations(&self, tool: &str) -> Vec<&ToolDeclaration> {
        self.declared(tool).into_iter().map(|declared| &declared.declaration).collect()
    }

    /// Every declaration of a tool with its layer, in the same order.
    #[must_use]
    pub fn declared(&self, tool: &str) -> Vec<&DeclaredTool> {
        let names = |at: &&u32| {
            let declared = self.parts.tools.get(**at as usize);
            declared.is_some_and(|declared| declared.declaration.pattern.matches(tool))
        };
        let exact = self.by_tool.get(tool).map_or(&[][..], Vec::as_slice);
        let mut found: Vec<u32> = exact.iter().chain(self.by_prefix.iter().filter(names)).copied().collect();
        found.sort_unstable();
        found.into_iter().filter_map(|at| self.parts.tools.get(at as usize)).collect()
    }

    /// Whether a layer knows the tool: the host, the layer itself or an outer one declares it.
    #[must_use]
    pub fn layer_knows(&self, layer: usize, tool: &str) -> bool {
        self.declared(tool).iter().any(|declared| declared.layer.is_none_or(|declaring| declaring <= layer))
    }

    /// All declared tools.
    #[must_use]
    pub fn tools(&self) -> &[DeclaredTool] {
        &self.parts.tools
    }

    /// The facts that rules in scope of this tool could look at.
    #[must_use]
    pub fn demand(&self, tool: &str) -> Demand {
        Demand { ip: self.ip_tools.contains(tool), paths: true }
    }

    /// The places that path patterns begin at.
    #[must_use]
    pub fn places(&self) -> &Places {
        &self.places
    }
}

/// The places of every path that a rule or an invariant names.
fn places(layers: &[Layer]) -> Places {
    let mut found = Places::default();
    // Rules share atoms: each is read once.
    let mut seen: HashSet<*const Test> = HashSet::new();
    let mut add = |expr: &Expr| {
        walk(expr, &mut |_, test| match test {
            test if !seen.insert(std::ptr::from_ref(test)) => {}
            Test::Paths(patterns) => {
                patterns.iter().flat_map(PathPattern::literal_dirs).for_each(|dir| found.add(&dir));
            }
            Test::PathIs(directory) | Test::PathUnder(directory) => match directory {
                Directory::Literal(dir) => found.add(dir),
                Directory::Home => found.home = true,
                Directory::Temp => found.temp = true,
                Directory::Workspace => {}
            },
            Test::Commands(patterns) => {
                let dirs = patterns.iter().flat_map(|pattern| program_dirs(&pattern.program));
                dirs.for_each(|dir| found.add(&dir));
            }
            Test::Programs(programs) => {
                let paths = programs.iter().filter(|program| program.contains('/'));
                paths
                    .filter_map(|path| PathPattern::parse_literal(path).ok())
                    .for_each(|dir| found.add(&dir));
            }
            _ => {}
        });
    };
    for layer in layers {
        layer.rules.iter().for_each(|rule| add(&rule.condition));
        layer.invariants.iter().for_each(|invariant| add(&invariant.condition));
    }
    found
}

/// The paths of programs that are written whole.
fn program_dirs(word: &WordPattern) -> Vec<LiteralDir> {
    word.alternatives
        .iter()
        .filter_map(|pieces| match pieces.as_slice() {
            [text] if text.contains('/') => PathPattern::parse_literal(text).ok(),
            _ => None,
        })
        .collect()
}
