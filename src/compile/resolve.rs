//! Names of one layer: who declares what, what stands twice, in which order lets are understood.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{Diagnostic, FileId, Sources, Span};
use crate::syntax::ast::{
    Condition, ConditionKind, DefaultWord, Field, Invariant, Item, ItemKind, Let, LetValue, Name, Operator,
    Rule, Set, Tool, UnknownWord, Value, ValueKind,
};

use super::import::LoadedLayer;

/// A node with the file and the item it stands in.
pub(super) struct Declared<'a, T: ?Sized> {
    pub(super) file: FileId,
    pub(super) item: &'a Item,
    pub(super) node: &'a T,
    /// The layer's folder-relative path of its file; `None` in a pack.
    pub(super) path: Option<&'a str>,
}

/// A place in a text.
pub(super) type At = (FileId, Span);

/// What one layer declares.
pub(super) struct LayerNames<'a> {
    pub(super) name: &'a str,
    /// Names that are missing may stand in what could not be parsed.
    pub(super) broken: bool,
    pub(super) lets: BTreeMap<&'a str, Declared<'a, Let>>,
    pub(super) rules: Vec<Declared<'a, Rule>>,
    pub(super) invariants: Vec<Declared<'a, Invariant>>,
    pub(super) tools: Vec<Declared<'a, Tool>>,
    pub(super) labels: Vec<(FileId, &'a Name)>,
    pub(super) modes: Option<Declared<'a, [Name]>>,
    pub(super) default: Option<(DefaultWord, At)>,
    pub(super) unknown: Option<(UnknownWord, At)>,
}

impl LayerNames<'_> {
    /// The word of the layer, `block` where none is written.
    pub(super) fn default_word(&self) -> DefaultWord {
        self.default.map_or(DefaultWord::Block, |(word, _)| word)
    }

    /// The word of the layer, `block` where none is written.
    pub(super) fn unknown_word(&self) -> UnknownWord {
        self.unknown.map_or(UnknownWord::Block, |(word, _)| word)
    }
}

/// Collects the names of a layer and reports what stands twice or in the wrong place.
pub(super) fn collect<'a>(
    layer: &'a LoadedLayer,
    sources: &Sources,
    report: &mut Vec<Diagnostic>,
) -> LayerNames<'a> {
    let names = LayerNames {
        name: &layer.name,
        broken: layer.broken,
        lets: BTreeMap::new(),
        rules: Vec::new(),
        invariants: Vec::new(),
        tools: Vec::new(),
        labels: Vec::new(),
        modes: None,
        default: None,
        unknown: None,
    };
    let mut collector = Collector { names, seen: BTreeMap::new(), sources, report };
    for file in &layer.files {
        for item in &file.tree.items {
            collector.item(file.id, file.path.as_deref(), file.imported, item);
        }
    }
    collector.names
}

struct Collector<'a, 'r> {
    names: LayerNames<'a>,
    /// First places of names by kind.
    seen: BTreeMap<(&'static str, &'a str), At>,
    sources: &'r Sources,
    report: &'r mut Vec<Diagnostic>,
}

impl<'a> Collector<'a, '_> {
    fn item(&mut self, file: FileId, path: Option<&'a str>, imported: Option<At>, item: &'a Item) {
        let lies = Place { file, path, item };
        if !matches!(item.kind, ItemKind::Rule(_)) {
            for attribute in &item.attributes {
                let message = format!("`@{}` stands before a rule only", attribute.name.node);
                self.report.push(
                    Diagnostic::error("misplaced-attribute", file, attribute.span, message)
                        .help("remove it, or move it to the rule it is about"),
                );
            }
        }
        match &item.kind {
            ItemKind::Edition(_) | ItemKind::Import(_) => {}
            ItemKind::Modes(modes) => self.modes(lies, modes),
            ItemKind::Labels(labels) => {
                for label in labels {
                    if self.first("label", file, label) {
                        self.names.labels.push((file, label));
                    }
                }
            }
            ItemKind::Default(word) => {
                if !self.imported_setting("default", lies, imported) {
                    let first = self.names.default.map(|(_, at)| at);
                    self.second_setting("default", lies, first);
                    self.names.default.get_or_insert((word.node, (file, item.span)));
                }
            }
            ItemKind::Unknown(word) => {
                if !self.imported_setting("unknown", lies, imported) {
                    let first = self.names.unknown.map(|(_, at)| at);
                    self.second_setting("unknown", lies, first);
                    self.names.unknown.get_or_insert((word.node, (file, item.span)));
                }
            }
            ItemKind::Let(node) => {
                if self.first("let", file, &node.name) {
                    self.names.lets.insert(&node.name.node, lies.of(node));
                }
            }
            ItemKind::Tool(node) => {
                if self.first("tool", file, &node.name) {
                    self.names.tools.push(lies.of(node));
                }
            }
            ItemKind::Invariant(node) => {
                if self.first("rule", file, &node.name) {
                    self.names.invariants.push(lies.of(node));
                }
            }
            ItemKind::Rule(node) => {
                if self.first("rule", file, &node.name) {
                    self.names.rules.push(lies.of(node));
                }
            }
        }
    }

    fn modes(&mut self, lies: Place<'a>, modes: &'a [Name]) {
        if let Some(first) = &self.names.modes {
            self.report.push(
                Diagnostic::error(
                    "duplicate-modes",
                    lies.file,
                    lies.item.span,
                    "a layer has one list of modes",
                )
                .help("write all modes in one item")
                .label(first.file, first.item.span, "the first list"),
            );
            return;
        }
        let mut seen = BTreeSet::new();
        for mode in modes {
            if !seen.insert(mode.node.as_str()) {
                self.duplicate("mode", lies.file, mode, None);
            }
        }
        self.names.modes = Some(lies.of(modes));
    }

    /// Whether the name is new in its kind; reports it where it is not.
    fn first(&mut self, kind: &'static str, file: FileId, name: &'a Name) -> bool {
        match self.seen.get(&(kind, name.node.as_str())).copied() {
            None => {
                self.seen.insert((kind, &name.node), (file, name.span));
                true
            }
            Some(first) => {
                self.duplicate(kind, file, name, Some(first));
                false
            }
        }
    }

    fn duplicate(&mut self, kind: &'static str, file: FileId, name: &Name, first: Option<At>) {
        let article = match kind {
            "let" => "a let",
            "tool" => "a tool",
            "label" => "a label",
            "mode" => "a mode",
            _ => "a rule",
        };
        let message = format!("`{}` is already the name of {article} in this layer", name.node);
        let help = match kind {
            "label" | "mode" => "remove the second one",
            "tool" => "put all lines into one body",
            _ => "give one of them another name",
        };
        let mut diagnostic = Diagnostic::error("duplicate-name", file, name.span, message).help(help);
        if let Some((file, span)) = first {
            diagnostic = diagnostic.label(file, span, "the first one");
        }
        self.report.push(diagnostic);
    }

    fn imported_setting(&mut self, word: &str, lies: Place<'_>, imported: Option<At>) -> bool {
        let Some((from, span)) = imported else { return false };
        let code = if word == "default" { "default-in-import" } else { "unknown-in-import" };
        let importer = self.sources.get(from).map_or("another file", |source| source.name.as_str());
        let message = format!("`{word}` cannot stand in a file that `{importer}` imports");
        self.report.push(
            Diagnostic::error(code, lies.file, lies.item.span, message)
                .help(format!("move `{word}` into the file that imports this one"))
                .label(from, span, "the import"),
        );
        true
    }

    fn second_setting(&mut self, word: &str, lies: Place<'_>, first: Option<At>) {
        let Some((file, span)) = first else { return };
        let code = if word == "default" { "duplicate-default" } else { "duplicate-unknown" };
        let message = format!("`{word}` stands twice in this layer");
        self.report.push(
            Diagnostic::error(code, lies.file, lies.item.span, message).help("keep one of them").label(
                file,
                span,
                "the first one",
            ),
        );
    }
}

#[derive(Clone, Copy)]
struct Place<'a> {
    file: FileId,
    path: Option<&'a str>,
    item: &'a Item,
}

impl<'a> Place<'a> {
    fn of<T: ?Sized>(self, node: &'a T) -> Declared<'a, T> {
        Declared { file: self.file, item: self.item, node, path: self.path }
    }
}

/// Orders the lets of a layer so that each stands behind those it mentions; a let that leads back to itself is reported once and left out.
pub(super) fn order<'a>(
    names: &LayerNames<'a>,
    is_word: &dyn Fn(&Field, &str) -> bool,
    report: &mut Vec<Diagnostic>,
) -> Vec<&'a str> {
    let mut state = Ordering { names, is_word, done: BTreeMap::new(), order: Vec::new() };
    for start in names.lets.keys() {
        state.visit(start, report);
    }
    state.order
}

struct Ordering<'a, 'n> {
    names: &'n LayerNames<'a>,
    is_word: &'n dyn Fn(&Field, &str) -> bool,
    /// Visited names; `false` where the name is part of, or leads into, a circle.
    done: BTreeMap<&'a str, bool>,
    order: Vec<&'a str>,
}

struct Step<'a> {
    name: &'a str,
    rest: Vec<(&'a str, Span)>,
    fine: bool,
}

impl<'a> Ordering<'a, '_> {
    fn enter(&self, name: &'a str) -> Option<Step<'a>> {
        let declared = self.names.lets.get(name)?;
        let mut rest = Vec::new();
        mentions(declared.node, self.is_word, &mut rest);
        rest.retain(|(name, _)| self.names.lets.contains_key(name));
        rest.reverse();
        Some(Step { name, rest, fine: true })
    }

    fn visit(&mut self, start: &'a str, report: &mut Vec<Diagnostic>) {
        if self.done.contains_key(start) {
            return;
        }
        let mut way: Vec<Step<'a>> = self.enter(start).into_iter().collect();
        while let Some(step) = way.last_mut() {
            let name = step.name;
            let Some((next, span)) = step.rest.pop() else {
                let fine = step.fine;
                self.done.insert(name, fine);
                if fine {
                    self.order.push(name);
                }
                way.pop();
                if let (false, Some(above)) = (fine, way.last_mut()) {
                    above.fine = false;
                }
                continue;
            };
            match self.done.get(next) {
                Some(fine) => step.fine &= fine,
                None if way.iter().any(|step| step.name == next) => {
                    if let Some(step) = way.last_mut() {
                        step.fine = false;
                    }
                    self.recursive(&way, name, next, span, report);
                }
                None => way.extend(self.enter(next)),
            }
        }
    }

    fn recursive(&self, way: &[Step<'_>], name: &str, next: &str, span: Span, report: &mut Vec<Diagnostic>) {
        let Some(declared) = self.names.lets.get(name) else { return };
        let circle: Vec<&str> =
            way.iter().map(|step| step.name).skip_while(|n| *n != next).chain([next]).collect();
        let message = if circle.len() == 2 {
            format!("`{next}` stands for itself")
        } else {
            format!("`{next}` leads back to itself: {}", circle.join(" → "))
        };
        report.push(
            Diagnostic::error("recursive-let", declared.file, span, message)
                .expected("a name that does not depend on this one"),
        );
    }
}

/// Every word of a let that may be the name of another.
fn mentions<'a>(node: &'a Let, is_word: &dyn Fn(&Field, &str) -> bool, found: &mut Vec<(&'a str, Span)>) {
    match &node.value {
        LetValue::Set(set) => set_mentions(set, &|_| false, found),
        LetValue::Condition(condition) => condition_mentions(condition, is_word, found, 0),
    }
}

fn set_mentions<'a>(set: &'a Set, is_word: &dyn Fn(&str) -> bool, found: &mut Vec<(&'a str, Span)>) {
    for element in &set.elements {
        value_mentions(element, is_word, found);
    }
}

fn value_mentions<'a>(value: &'a Value, is_word: &dyn Fn(&str) -> bool, found: &mut Vec<(&'a str, Span)>) {
    match &value.kind {
        ValueKind::Word(word) if !is_word(word) => found.push((word, value.span)),
        ValueKind::Set(set) => set_mentions(set, is_word, found),
        _ => {}
    }
}

fn condition_mentions<'a>(
    condition: &'a Condition,
    is_word: &dyn Fn(&Field, &str) -> bool,
    found: &mut Vec<(&'a str, Span)>,
    depth: usize,
) {
    if depth > crate::base::limits::NESTING_LEVELS_MAX {
        return;
    }
    match &condition.kind {
        ConditionKind::Or(parts) | ConditionKind::And(parts) => {
            for part in parts {
                condition_mentions(part, is_word, found, depth + 1);
            }
        }
        ConditionKind::Not(part) => condition_mentions(part, is_word, found, depth + 1),
        ConditionKind::Name(name) => found.push((name, condition.span)),
        ConditionKind::Compare(comparison) => {
            let Some(right) = &comparison.right else { return };
            if comparison.operator.node == Operator::In {
                value_mentions(right, &|word| is_word(&comparison.left.field, word), found);
            }
        }
        ConditionKind::Bool(_) | ConditionKind::SessionHas(_) => {}
    }
}
