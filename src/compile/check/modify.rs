//! `modify` clauses, and modify rules that always collide.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::base::{FileId, Span, Spanned};
use crate::compile::expr::Expr;
use crate::compile::program::{ArgEdit, Redaction, Scope};
use crate::model::pattern::CommandPattern;
use crate::model::value::values_equal;
use crate::model::{Capability, CapabilitySet, Number};
use crate::syntax::ast::{ArgPlace, ModifyClause, Name, Regex, Step};

use super::Checker;

/// An edit with its place, for the search of collisions.
pub(in crate::compile) struct PlacedEdit {
    pub(in crate::compile) rule: String,
    pub(in crate::compile) file: FileId,
    pub(in crate::compile) span: Span,
    pub(in crate::compile) edit: ArgEdit,
    pub(in crate::compile) scope: Scope,
    /// The condition as text; equal texts are equal conditions in one layer.
    pub(in crate::compile) condition: String,
}

/// The condition as a text that is equal where the condition is.
pub(in crate::compile) fn condition_key(expr: &Expr) -> String {
    let join = |word: &str, parts: &[Expr]| {
        let mut keys: Vec<String> = parts.iter().map(condition_key).collect();
        keys.sort();
        format!("{word}({})", keys.join(","))
    };
    match expr {
        Expr::All(parts) => join("all", parts),
        Expr::Any(parts) => join("any", parts),
        Expr::Atom(atom) => format!("{}{:?}", if atom.negated { "!" } else { "" }, atom.text),
    }
}

impl Checker<'_> {
    /// Understands a rewriting clause.
    pub(in crate::compile) fn edit(
        &mut self,
        clause: &ModifyClause,
        scope: Option<CapabilitySet>,
        span: Span,
    ) -> Option<ArgEdit> {
        match clause {
            ModifyClause::Set(place, value) => {
                let (path, value) = (self.place(place), self.json(value));
                Some(ArgEdit::Set(path?, value?))
            }
            ModifyClause::Fill(place, value) => {
                let (path, value) = (self.place(place), self.json(value));
                Some(ArgEdit::Fill(path?, value?))
            }
            ModifyClause::Append(place, value) => {
                let (path, value) = (self.place(place), self.json(value));
                Some(ArgEdit::Append(path?, value?))
            }
            ModifyClause::Remove(place) => self.place(place).map(ArgEdit::Remove),
            ModifyClause::Clamp(place, low, high) => {
                let path = self.place(place);
                let (low_at, high_at) = (low.span, high.span);
                let (low, high) = (self.bound(low), self.bound(high));
                let (path, low, high) = (path?, low?, high?);
                if low.0 > high.0 {
                    let diagnostic = self
                        .error("clamp-order", low_at.to(high_at), "no number lies between these bounds")
                        .expected("the smaller bound first");
                    return self.refuse(diagnostic);
                }
                Some(ArgEdit::Clamp(path, low, high))
            }
            ModifyClause::Replace(place, regex, with) => {
                let path = self.place(place);
                let pattern = self.regex(regex.span, &regex.node);
                Some(ArgEdit::Replace(path?, pattern?, with.node.clone()))
            }
            ModifyClause::AppendCommand(words) => {
                let exec = CapabilitySet::EMPTY.with(Capability::Exec);
                if scope.is_some_and(|scope| scope != exec) {
                    let diagnostic = self
                        .error(
                            "append-scope",
                            span,
                            "`append command` is about commands, and the rule is not `on exec` alone",
                        )
                        .expected("`on exec`");
                    self.report.push(diagnostic);
                }
                self.appended(words)
            }
        }
    }

    /// Literal words, no patterns and no shell syntax.
    fn appended(&mut self, words: &Spanned<String>) -> Option<ArgEdit> {
        let expected = "literal words, such as `` `--locked` ``";
        if words.node.trim().is_empty() {
            let diagnostic =
                self.error("bad-append", words.span, "there are no words to append").expected(expected);
            return self.refuse(diagnostic);
        }
        let why = match CommandPattern::parse(&format!("x {}", words.node)) {
            Err(error) => error.message,
            Ok(pattern) => {
                let literal = pattern.words.iter().all(|word| {
                    word.alternatives.len() == 1 && word.alternatives.iter().all(|pieces| pieces.len() == 1)
                });
                let expands = ['*', '?', '[', '~', '!', '#', '{'].iter().any(|c| words.node.contains(*c))
                    && !words.node.contains(['\'', '"', '\\']);
                if literal && !pattern.open && !expands {
                    return Some(ArgEdit::AppendCommand(words.node.clone()));
                }
                "what is appended is no pattern".to_owned()
            }
        };
        let diagnostic = self.error("bad-append", words.span, why).expected(expected);
        self.refuse(diagnostic)
    }

    fn place(&mut self, place: &ArgPlace) -> Option<Vec<Step>> {
        self.argument_path(&place.path, place.span)?;
        Some(place.path.clone())
    }

    fn bound(&mut self, text: &Spanned<String>) -> Option<(Number, Value)> {
        let number = self.number(&text.node, text.span)?;
        let value = self.json(text)?;
        Some((number, value))
    }

    /// Understands a clause of a `redact` rule.
    pub(in crate::compile) fn redaction(
        &mut self,
        pattern: Option<&Spanned<Regex>>,
        with: &Name,
    ) -> Option<Redaction> {
        let Some(regex) = pattern else { return Some(Redaction::Secrets(with.node.clone())) };
        let pattern = self.regex(regex.span, &regex.node)?;
        if pattern.is_match("") {
            let diagnostic = self
                .error("matches-nothing", regex.span, "the regular expression matches the empty string")
                .expected("a regular expression that needs at least one character")
                .help("use `+` in place of `*`");
            return self.refuse(diagnostic);
        }
        Some(Redaction::Matches(pattern, with.node.clone()))
    }

    /// Reports pairs of edits that can only collide.
    pub(in crate::compile) fn collisions(&mut self, edits: &[PlacedEdit]) {
        let mut by_place: BTreeMap<String, Vec<&PlacedEdit>> = BTreeMap::new();
        for edit in edits {
            if let Some((path, _)) = constant(&edit.edit) {
                by_place.entry(format!("{path:?}")).or_default().push(edit);
            }
        }
        for group in by_place.values() {
            for (at, second) in group.iter().enumerate() {
                if let Some(first) = group.iter().take(at).find(|first| collide(first, second)) {
                    self.collision(first, second);
                }
            }
        }
    }

    fn collision(&mut self, first: &PlacedEdit, second: &PlacedEdit) {
        let message = if first.rule == second.rule {
            "the rule writes the same place twice, with different values".to_owned()
        } else {
            format!(
                "`{}` and `{}` always write the same place, with different values",
                first.rule, second.rule
            )
        };
        let diagnostic =
            crate::base::Diagnostic::error("modify-collision", second.file, second.span, message)
                .help("keep one of them, or give them conditions that exclude each other")
                .label(first.file, first.span, "the other write");
        self.report.push(diagnostic);
    }
}

/// The place of a write whose value does not depend on what is there, and the value (`None`: it is
/// removed); `fill` stands apart.
fn constant(edit: &ArgEdit) -> Option<(&[Step], Option<&Value>)> {
    match edit {
        ArgEdit::Set(path, value) | ArgEdit::Fill(path, value) => Some((path, Some(value))),
        ArgEdit::Remove(path) => Some((path, None)),
        _ => None,
    }
}

fn collide(first: &PlacedEdit, second: &PlacedEdit) -> bool {
    let fills = |edit: &PlacedEdit| matches!(edit.edit, ArgEdit::Fill(..));
    if fills(first) != fills(second) || first.condition != second.condition {
        return false;
    }
    let within = |a: &Scope, b: &Scope| {
        a.capabilities.is_subset(b.capabilities) && (b.tools.is_empty() || a.tools == b.tools)
    };
    if !within(&first.scope, &second.scope) && !within(&second.scope, &first.scope) {
        return false;
    }
    match (constant(&first.edit), constant(&second.edit)) {
        (Some((_, Some(a))), Some((_, Some(b)))) => !values_equal(a, b),
        (Some((_, a)), Some((_, b))) => a.is_some() != b.is_some(),
        _ => false,
    }
}
