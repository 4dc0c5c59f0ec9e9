//! Names and types: what a layer's lets, fields and literals mean, and what is refused.

pub(super) mod arguments;
pub(super) mod clauses;
pub(super) mod compare;
pub(super) mod examples;
pub(super) mod fields;
pub(super) mod modify;
pub(super) mod scope;
pub(super) mod sets;
pub(super) mod tools;
pub(super) mod values;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use crate::base::limits::DIAGNOSTICS_MAX;
use crate::base::suggest::nearest;
use crate::base::{Diagnostic, FileId, Fix, Sources, Span};
use crate::model::{Action, Capability};
use crate::syntax::ast::Field;

use super::expr::{Atom, Expr, Subject};
use super::import::quoted_list;
use super::program::DeclaredTool;
use super::resolve::{At, LayerNames};
use fields::Words;
use sets::SetValue;

/// What is known while one layer is checked.
pub(super) struct Checker<'a> {
    pub(super) sources: &'a Sources,
    pub(super) names: &'a LayerNames<'a>,
    /// The index of the layer.
    pub(super) layer: usize,
    /// The modes that this layer may speak of.
    pub(super) modes: Option<&'a [String]>,
    /// The labels of this layer and of those outside it.
    pub(super) labels: &'a BTreeSet<String>,
    /// Every declared tool of the whole set.
    pub(super) tools: &'a [DeclaredTool],
    /// The lets understood so far; one that was refused is missing.
    pub(super) lets: HashMap<&'a str, Meaning>,
    /// The text that spans point into.
    pub(super) file: FileId,
    pub(super) report: Vec<Diagnostic>,
    /// Comparisons that the condition at hand stands for so far.
    pub(super) spent: usize,
    /// Elements that named sets brought into other sets so far.
    pub(super) copied: usize,
    /// The comparisons of this layer by their texts.
    pub(super) atoms: HashMap<String, Arc<Atom>>,
}

/// What a let stands for.
#[derive(Clone)]
pub(super) enum Meaning {
    Set(Rc<SetValue>),
    Condition(Rc<Lowered>),
}

/// A condition in normal form with what it looks at.
#[derive(Debug, Clone)]
pub(super) struct Lowered {
    pub(super) expr: Expr,
    pub(super) uses: Vec<Use>,
}

/// One place where a condition looks at a field.
#[derive(Debug, Clone)]
pub(super) struct Use {
    pub(super) subject: Subject,
    /// The comparison, where it is one.
    pub(super) atom: Option<Arc<Atom>>,
    /// The field.
    pub(super) field: At,
    /// The right side of the comparison, in the field's file.
    pub(super) value: Option<Span>,
    /// Where to complain: the field, or the name of the condition that holds it.
    pub(super) at: At,
}

/// What a name turned out to be.
pub(super) enum Lookup {
    Found(Meaning),
    /// It exists, and what is wrong with it has been said.
    Refused,
    Missing,
}

impl<'a> Checker<'a> {
    /// The text of a place in the current file.
    pub(super) fn text(&self, span: Span) -> &'a str {
        self.text_in(self.file, span)
    }

    pub(super) fn text_in(&self, file: FileId, span: Span) -> &'a str {
        self.sources.get(file).map_or("", |source| span.slice(&source.text))
    }

    /// An error in the current file.
    pub(super) fn error(&self, code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.file, span, message)
    }

    /// Reports and gives nothing, for `return self.refuse(…)`.
    pub(super) fn refuse<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.report.push(diagnostic);
        None
    }

    pub(super) fn look_up(&self, name: &str) -> Lookup {
        match self.lets.get(name) {
            Some(meaning) => Lookup::Found(meaning.clone()),
            None if self.names.lets.contains_key(name) => Lookup::Refused,
            None => Lookup::Missing,
        }
    }

    /// Reports a name that nothing declares; silent where it may stand in what could not be read.
    pub(super) fn unknown_name<T>(
        &mut self,
        span: Span,
        name: &str,
        what: &str,
        others: &[&str],
    ) -> Option<T> {
        if self.names.broken {
            return None;
        }
        let message = format!("there is no {what} `{name}`");
        let mut diagnostic =
            self.error("unknown-name", span, message).expected(format!("the name of a {what}"));
        let lets = self.names.lets.keys().copied();
        // A file with more findings than are shown gets no more suggestions: each reads every name.
        let searched = self.report.len() < DIAGNOSTICS_MAX;
        if let Some(near) = searched.then(|| nearest(name, lets.chain(others.iter().copied()))).flatten() {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?")).fix(Fix::suggest(span, near));
        } else if let Some(pack) = pack_with(name) {
            diagnostic = diagnostic.help(format!("`import \"std:{pack}\"` brings `{name}`"));
        } else if what == "set" {
            diagnostic = diagnostic.help(format!("for the string write `{}`", quote(name)));
        }
        self.refuse(diagnostic)
    }

    /// The words that an enum field may be.
    pub(super) fn words(&self, words: Words) -> Vec<&'a str> {
        match words {
            Words::Mode => self.modes.unwrap_or(&[]).iter().map(String::as_str).collect(),
            Words::Capability => Capability::ALL.iter().map(|c| c.as_str()).collect(),
            Words::Action => Action::ALL.iter().map(|a| a.as_str()).collect(),
            Words::Kind => fields::KINDS.iter().map(|k| k.as_str()).collect(),
        }
    }

    /// Whether a word behind this field is one of its enum words.
    pub(super) fn is_word_of(&self, field: &Field, word: &str) -> bool {
        Words::of_field(field).is_some_and(|words| self.words(words).contains(&word))
    }

    /// Checks a mode's name.
    pub(super) fn mode(&mut self, span: Span, mode: &str) -> Option<String> {
        let modes = self.words(Words::Mode);
        if modes.contains(&mode) {
            return Some(mode.to_owned());
        }
        if self.names.broken && modes.is_empty() {
            return None;
        }
        let message = format!("`{mode}` is not a mode");
        let mut diagnostic = self.error("undeclared-mode", span, message);
        diagnostic = if modes.is_empty() {
            diagnostic
                .expected("a mode that a `modes` item declares")
                .help(format!("add `modes {mode}` at the top"))
        } else {
            diagnostic.expected(one_of(&modes))
        };
        if let Some(near) = nearest(mode, modes) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?")).fix(Fix::suggest(span, near));
        }
        self.refuse(diagnostic)
    }

    /// Checks a label's name.
    pub(super) fn label(&mut self, span: Span, label: &str) -> Option<String> {
        if self.labels.contains(label) {
            return Some(label.to_owned());
        }
        if self.names.broken {
            return None;
        }
        let message = format!("no `labels` item declares `{label}`");
        let mut diagnostic = self
            .error("undeclared-label", span, message)
            .expected("a label of this layer or of one outside it")
            .help(format!("add `labels {label}` at the top"));
        if let Some(near) = nearest(label, self.labels.iter().map(String::as_str)) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?")).fix(Fix::suggest(span, near));
        }
        self.refuse(diagnostic)
    }

    /// Whether somebody declares a tool that the pattern names.
    pub(super) fn tool_is_known(&self, name: &str) -> bool {
        use crate::model::ToolPattern::{Exact, Prefix};
        let asked = crate::model::ToolPattern::parse(name);
        self.tools.iter().any(|tool| match (&asked, &tool.declaration.pattern) {
            (Exact(name), pattern) => pattern.matches(name),
            (Prefix(prefix), Exact(name)) => name.starts_with(prefix.as_str()),
            (Prefix(a), Prefix(b)) => a.starts_with(b.as_str()) || b.starts_with(a.as_str()),
        })
    }

    /// Warns of a tool that nobody declares.
    pub(super) fn unknown_tool(&mut self, span: Span, name: &str) {
        use crate::model::ToolPattern::{Exact, Prefix};
        if self.names.broken || self.tool_is_known(name) {
            return;
        }
        let message = format!("nobody declares a tool `{name}`");
        let mut diagnostic = Diagnostic::warning("unknown-tool", self.file, span, message)
            .help(format!("add `tool {} {{ … }}`, or correct the name", quoted_if_needed(name)));
        let declared: Vec<String> = self
            .tools
            .iter()
            .map(|tool| match &tool.declaration.pattern {
                Exact(name) => name.clone(),
                Prefix(prefix) => format!("{prefix}*"),
            })
            .collect();
        if let Some(near) = nearest(name, declared.iter().map(String::as_str)) {
            diagnostic = diagnostic
                .help(format!("did you mean `{near}`?"))
                .fix(Fix::suggest(span, quoted_if_needed(near)));
        }
        self.report.push(diagnostic);
    }
}

/// A tool's name as it is written.
fn quoted_if_needed(name: &str) -> String {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if plain && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.to_owned()
    } else {
        quote(name)
    }
}

/// `one of `a`, `b``, or just `` `a` ``.
pub(super) fn one_of<S: AsRef<str>>(words: &[S]) -> String {
    match words {
        [word] => format!("`{}`", word.as_ref()),
        words => format!("one of {}", quoted_list(words)),
    }
}

/// `a`, `a or b`, `a, b or c`, each in backticks.
pub(super) fn join_or<S: AsRef<str>>(words: &[S]) -> String {
    match words {
        [] => String::new(),
        [word] => format!("`{}`", word.as_ref()),
        [before @ .., last] => format!("{} or `{}`", quoted_list(before), last.as_ref()),
    }
}

/// A text as a literal of the language.
pub(super) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The pack that brings a let of this name.
fn pack_with(name: &str) -> Option<&'static str> {
    super::packs::names()
        .find(|pack| super::packs::text(pack).is_some_and(|text| text.contains(&format!("\nlet {name} "))))
}
