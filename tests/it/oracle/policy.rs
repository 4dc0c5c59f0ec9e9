//! The layers as the parser read them, with names resolved on demand.

use std::collections::HashMap;

use tollgate::model::capability::Action;
use tollgate::model::tool::{Argument, Dialect, EffectLine};
use tollgate::model::{Capability, ToolDeclaration, ToolPattern};
use tollgate::syntax::ast::{
    AccessVerb, CapabilityWord, ClauseKind, Condition, ConditionKind, DefaultWord, File, ItemKind, LetValue,
    ModifyClause, Rule, Set, ToolArg, ToolLineKind, UnknownWord, Value, ValueKind, VerbWord,
};

/// Layers, outermost first.
pub struct Policy {
    pub layers: Vec<Layer>,
}

/// One layer of one file.
pub struct Layer {
    pub name: String,
    pub default: DefaultWord,
    pub unknown: UnknownWord,
    pub modes: Option<Vec<String>>,
    pub lets: HashMap<String, LetValue>,
    pub rules: Vec<Judged>,
    pub tools: Vec<ToolDeclaration>,
}

/// A rule that is judged before the call, with its clauses sorted out.
pub struct Judged {
    pub full_name: String,
    pub verb: VerbWord,
    pub capabilities: Vec<Capability>,
    pub by: Vec<String>,
    pub when: Option<Condition>,
    pub unless: Option<Condition>,
    pub covers: Vec<Capability>,
    pub unknown: Option<UnknownWord>,
    pub until: Option<tollgate::syntax::ast::Date>,
    pub edits: Vec<ModifyClause>,
}

impl Policy {
    /// Sorts out parsed layers.
    pub fn new(layers: Vec<(String, File)>) -> Self {
        Self { layers: layers.into_iter().map(|(name, file)| Layer::new(name, &file)).collect() }
    }

    /// The declarations of a tool over all layers, outermost first.
    pub fn declarations(&self, tool: &str) -> Vec<&ToolDeclaration> {
        self.layers.iter().flat_map(|layer| &layer.tools).filter(|t| t.pattern.matches(tool)).collect()
    }

    /// Whether a layer or one outside it declares the tool.
    pub fn layer_knows(&self, layer: usize, tool: &str) -> bool {
        self.layers[..=layer].iter().flat_map(|l| &l.tools).any(|t| t.pattern.matches(tool))
    }

    /// Whether a call may be in this mode.
    pub fn has_mode(&self, mode: Option<&str>) -> bool {
        let declared = self.layers.iter().any(|layer| layer.modes.is_some());
        match mode {
            None => !declared,
            // The outermost layer's list decides, and every inner list narrows it.
            Some(mode) => {
                self.layers[0].modes.is_some()
                    && self
                        .layers
                        .iter()
                        .filter_map(|l| l.modes.as_ref())
                        .all(|m| m.iter().any(|m| m == mode))
            }
        }
    }
}

impl Layer {
    fn new(name: String, file: &File) -> Self {
        let mut layer = Self {
            name,
            default: DefaultWord::Block,
            unknown: UnknownWord::Block,
            modes: None,
            lets: HashMap::new(),
            rules: Vec::new(),
            tools: Vec::new(),
        };
        for item in &file.items {
            match &item.kind {
                ItemKind::Default(word) => layer.default = word.node,
                ItemKind::Unknown(word) => layer.unknown = word.node,
                ItemKind::Modes(modes) => layer.modes = Some(modes.iter().map(|m| m.node.clone()).collect()),
                ItemKind::Let(item) => drop(layer.lets.insert(item.name.node.clone(), item.value.clone())),
                ItemKind::Tool(tool) => layer.tools.push(declaration(tool)),
                ItemKind::Rule(rule) => layer.rules.extend(judged(&layer.name, rule)),
                ItemKind::Edition(_) | ItemKind::Labels(_) | ItemKind::Invariant(_) => {}
                ItemKind::Import(name) => panic!("the oracle reads no imports: {}", name.node),
            }
        }
        layer
    }

    /// Whether the layer or one outside it declares the tool.
    pub fn knows(&self, policy: &Policy, tool: &str) -> bool {
        policy.layers.iter().position(|l| l.name == self.name).is_some_and(|at| policy.layer_knows(at, tool))
    }

    /// The named condition, aliases followed.
    pub fn condition(&self, name: &str) -> &Condition {
        match self.lets.get(name) {
            Some(LetValue::Condition(condition)) => condition,
            _ => panic!("`{name}` is no condition"),
        }
    }

    /// The literals of a set in place, or of a named one, with those of the sets it names.
    pub fn elements<'a>(&'a self, value: &'a Value) -> Vec<&'a ValueKind> {
        match &value.kind {
            ValueKind::Set(set) => self.set_elements(set),
            ValueKind::Word(name) => self.named_elements(name).unwrap_or_else(|| vec![&value.kind]),
            other => vec![other],
        }
    }

    fn set_elements<'a>(&'a self, set: &'a Set) -> Vec<&'a ValueKind> {
        set.elements.iter().flat_map(|element| self.elements(element)).collect()
    }

    fn named_elements(&self, name: &str) -> Option<Vec<&ValueKind>> {
        match self.lets.get(name)? {
            LetValue::Set(set) => Some(self.set_elements(set)),
            LetValue::Condition(Condition { kind: ConditionKind::Name(other), .. }) => {
                self.named_elements(other)
            }
            LetValue::Condition(_) => None,
        }
    }
}

fn capabilities(words: &[tollgate::base::Spanned<CapabilityWord>]) -> Vec<Capability> {
    words.iter().flat_map(|word| capability(word.node)).collect()
}

fn capability(word: CapabilityWord) -> Vec<Capability> {
    match word {
        CapabilityWord::Read => vec![Capability::Read],
        CapabilityWord::Write => vec![Capability::Write],
        CapabilityWord::Exec => vec![Capability::Exec],
        CapabilityWord::Network => vec![Capability::Network],
        CapabilityWord::Nothing => vec![Capability::Nothing],
        CapabilityWord::Any => Capability::ALL.to_vec(),
    }
}

/// `None` for rules that only see results.
fn judged(layer: &str, rule: &Rule) -> Option<Judged> {
    let mut out = Judged {
        full_name: format!("{layer}/{}", rule.name.node),
        verb: rule.verb.node,
        capabilities: Vec::new(),
        by: Vec::new(),
        when: None,
        unless: None,
        covers: Vec::new(),
        unknown: None,
        until: None,
        edits: Vec::new(),
    };
    for clause in &rule.clauses {
        match &clause.kind {
            ClauseKind::On { result: true, .. } => return None,
            ClauseKind::On { capabilities: on, by, .. } => {
                out.capabilities = capabilities(on);
                out.by = by.iter().map(|b| b.node.clone()).collect();
            }
            ClauseKind::When(condition) => out.when = Some(condition.clone()),
            ClauseKind::Unless(condition) => out.unless = Some(condition.clone()),
            ClauseKind::Covers(covers) => out.covers = capabilities(covers),
            ClauseKind::Unknown(word) => out.unknown = Some(word.node),
            ClauseKind::Until(date) => out.until = Some(date.node),
            ClauseKind::Modify(edit) => out.edits.push(edit.clone()),
            _ => {}
        }
    }
    (rule.verb.node != VerbWord::Redact).then_some(out)
}

impl Judged {
    /// Whether the `by` names the tool.
    pub fn names_tool(&self, tool: &str) -> bool {
        self.by.iter().any(|name| match name.strip_suffix('*') {
            Some(prefix) => tool.starts_with(prefix),
            None => name == tool,
        })
    }

    /// Whether a call of this tool is in the scope.
    pub fn has_tool(&self, tool: &str) -> bool {
        self.by.is_empty() || self.names_tool(tool)
    }
}

fn declaration(tool: &tollgate::syntax::ast::Tool) -> ToolDeclaration {
    let mut lines = Vec::new();
    for line in &tool.lines {
        lines.push(match &line.kind {
            ToolLineKind::Access { verb, arg, recursively, as_glob } => {
                let (capability, action) = match verb.node {
                    AccessVerb::Reads => (Capability::Read, Action::Read),
                    AccessVerb::Lists => (Capability::Read, Action::List),
                    AccessVerb::Writes => (Capability::Write, Action::Change),
                    AccessVerb::Creates => (Capability::Write, Action::Create),
                    AccessVerb::Deletes => (Capability::Write, Action::Delete),
                };
                let (recursively, as_glob) = (*recursively, *as_glob);
                EffectLine::Path { capability, action, arg: argument(arg), recursively, as_glob }
            }
            ToolLineKind::Connects(arg) => EffectLine::Connect { arg: argument(arg) },
            ToolLineKind::Runs { arg, cwd, dialect } => EffectLine::Run {
                arg: argument(arg),
                cwd: cwd.as_ref().map(argument),
                dialect: match dialect.as_ref().map(|d| d.node.as_str()) {
                    None | Some("bash") => Dialect::Bash,
                    Some("words") => Dialect::Words,
                    Some(other) => Dialect::Other(other.to_owned()),
                },
            },
            ToolLineKind::Capability { capability: word, on: Some(arg) } => {
                EffectLine::Target { capability: capability(word.node)[0], arg: argument(arg) }
            }
            ToolLineKind::Capability { capability: word, on: None } => {
                EffectLine::Bare(capability(word.node)[0])
            }
            ToolLineKind::SchemaFile(_) | ToolLineKind::SchemaInline(_) => {
                panic!("the oracle reads no schemas")
            }
        });
    }
    ToolDeclaration { pattern: ToolPattern::parse(&tool.name.node), lines, schema: None }
}

fn argument(arg: &ToolArg) -> Argument {
    Argument { path: arg.path.clone(), optional: arg.optional, or: arg.or.as_ref().map(|or| or.node.clone()) }
}
