//! Scopes: capabilities, tools, and whether every field is carried by all of them.

use crate::base::{Diagnostic, Fix, Span, Spanned};
use crate::compile::program::Scope;
use crate::model::{Capability, CapabilitySet, ToolPattern};
use crate::syntax::ast::{CapabilityWord, Name};

use super::{Checker, Use};

/// A scope with the place of its capabilities.
pub(in crate::compile) struct WrittenScope {
    pub(in crate::compile) scope: Scope,
    /// From the first to the last capability.
    pub(in crate::compile) capabilities: Span,
}

/// The set of a capability's word; `any` is all.
pub(super) fn capability_set(word: CapabilityWord) -> CapabilitySet {
    match capability(word) {
        Some(capability) => CapabilitySet::EMPTY.with(capability),
        None => CapabilitySet::ANY,
    }
}

/// The capability of a word; `any` is none.
pub(super) fn capability(word: CapabilityWord) -> Option<Capability> {
    Some(match word {
        CapabilityWord::Read => Capability::Read,
        CapabilityWord::Write => Capability::Write,
        CapabilityWord::Exec => Capability::Exec,
        CapabilityWord::Network => Capability::Network,
        CapabilityWord::Nothing => Capability::Nothing,
        CapabilityWord::Any => return None,
    })
}

/// `read, write`; `any` where it is all of them.
pub(super) fn spell(set: CapabilitySet) -> String {
    if set == CapabilitySet::ANY {
        return "any".to_owned();
    }
    set.iter().map(Capability::as_str).collect::<Vec<_>>().join(", ")
}

impl Checker<'_> {
    /// The scope that an `on` or a `never` writes.
    pub(in crate::compile) fn scope(
        &mut self,
        result: bool,
        capabilities: &[Spanned<CapabilityWord>],
        by: &[Name],
    ) -> WrittenScope {
        let set =
            capabilities.iter().fold(CapabilitySet::EMPTY, |set, word| set.union(capability_set(word.node)));
        let mut seen: Vec<CapabilityWord> = Vec::new();
        for word in capabilities {
            if seen.contains(&word.node) {
                let message = format!("`{}` stands twice", self.text(word.span));
                let diagnostic =
                    self.error("duplicate-capability", word.span, message).help("remove the second one");
                self.report.push(diagnostic);
            }
            seen.push(word.node);
        }
        let span = match (capabilities.first(), capabilities.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => Span::default(),
        };
        let tools = by
            .iter()
            .filter(|name| {
                let fine = self.tool_name(name);
                if fine {
                    self.unknown_tool(name.span, &name.node);
                }
                fine
            })
            .map(|name| ToolPattern::parse(&name.node))
            .collect();
        WrittenScope { scope: Scope { capabilities: set, tools, result }, capabilities: span }
    }

    /// Whether a tool's name has `*` at its end only.
    pub(super) fn tool_name(&mut self, name: &Name) -> bool {
        let star = name.node.find('*');
        let fine = star.is_none_or(|at| at + 1 == name.node.len());
        if !fine {
            let message = format!("`{}` has a `*` before its end", name.node);
            let diagnostic = self
                .error("star-in-name", name.span, message)
                .expected("a name, or a prefix with `*` behind it");
            self.report.push(diagnostic);
        }
        fine
    }

    /// Checks that every capability in scope carries every field that is used.
    pub(in crate::compile) fn carried(&mut self, written: &WrittenScope, uses: &[Use], word: &str) {
        let in_scope = written.scope.capabilities;
        let all =
            uses.iter().fold(CapabilitySet::ANY, |set, used| set.intersection(used.subject.carried_by().0));
        for used in uses {
            let (carriers, result) = used.subject.carried_by();
            let field = super::sets::short(self.text_in(used.field.0, used.field.1));
            let (file, span) = used.at;
            let labelled = |diagnostic: Diagnostic| {
                if used.at == used.field {
                    diagnostic
                } else {
                    diagnostic.label(used.field.0, used.field.1, "the field is used here")
                }
            };
            if result && !written.scope.result {
                let message = format!("`{field}` is seen by rules on results only");
                self.report.push(labelled(
                    Diagnostic::error("result-field", file, span, message)
                        .expected(format!("`on result of {}`", spell(in_scope)))
                        .help("write `on result of` in a `block` or `redact` rule"),
                ));
            }
            if in_scope.is_subset(carriers) || in_scope.is_empty() {
                continue;
            }
            let outside: Vec<_> =
                in_scope.iter().filter(|c| !carriers.contains(*c)).map(Capability::as_str).collect();
            let message = format!("`{field}` is not a field of {} effects", super::join_or(&outside));
            let narrowed = all.intersection(in_scope);
            let mut diagnostic = Diagnostic::error("field-outside-scope", file, span, message);
            diagnostic = if all.is_empty() {
                diagnostic
                    .expected(format!("`{word} {}` for `{field}`", spell(carriers)))
                    .help("split the rule: no effect carries all the fields that it uses")
            } else if narrowed.is_empty() {
                diagnostic
                    .expected(format!("`{word} {}`", spell(all)))
                    .help(format!("a rule that uses `{field}` is written `{word} {}`", spell(all)))
            } else {
                diagnostic
                    .expected(format!("`{word} {}`", spell(narrowed)))
                    .help(format!("write `{word} {}`, and another rule for the rest", spell(narrowed)))
            };
            if !narrowed.is_empty() && file == self.file {
                diagnostic = diagnostic.fix(Fix::suggest(written.capabilities, spell(narrowed)));
            }
            self.report.push(labelled(diagnostic));
        }
    }
}
