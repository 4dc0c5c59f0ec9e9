//! From matched text to the syntax tree. What the grammar reads loosely is judged here, so that a
//! slip is named for what it is.
//!
//! Building stops at the first fault of an item: one broken item is one diagnostic.

mod clause;
mod condition;
mod item;
mod name;
mod value;

use super::ast::Item;
use super::grammar::{Node, Rule};
use super::literal::{Fault, Read};
use crate::base::{Diagnostic, FileId, Fix, Span};

/// A part of the tree, or the first thing wrong with it.
pub(super) type Built<T> = Result<T, Box<Diagnostic>>;

/// Builds the tree of one item.
pub(super) struct Tree<'a> {
    /// The file the text is of.
    pub file: FileId,
    /// The text that was parsed.
    pub text: &'a str,
    /// Where it starts in the file.
    pub base: usize,
}

impl<'a> Tree<'a> {
    /// The item that the nodes of one piece make up.
    pub fn build(&self, nodes: Vec<Node<'a>>) -> Built<Item> {
        self.item(nodes)
    }

    fn span(&self, node: &Node<'_>) -> Span {
        Span::new(self.base + node.as_span().start(), self.base + end(node))
    }

    fn error(&self, code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.file, span, message)
    }

    /// What a grammar that disagrees with this module would lead to: never an author's fault.
    fn odd<T>(&self, node: &Node<'_>) -> Built<T> {
        Err(Box::new(self.error("internal-error", self.span(node), "this text was read but not understood")))
    }

    fn child(&self, node: &Node<'a>, rule: Rule) -> Built<Node<'a>> {
        match child(node, rule) {
            Some(found) => Ok(found),
            None => self.odd(node),
        }
    }

    /// Turns what is wrong with a literal into a diagnostic at its place in the file.
    fn literal<T>(&self, node: &Node<'_>, read: Read<T>) -> Built<T> {
        read.map_err(|fault| Box::new(self.fault(self.span(node), *fault)))
    }

    fn fault(&self, literal: Span, fault: Fault) -> Diagnostic {
        let start = literal.start as usize;
        let span = Span::new(start + fault.range.start, start + fault.range.end);
        let mut diagnostic = self.error("bad-literal", span, fault.message);
        diagnostic.expected = fault.expected.map(str::to_owned);
        diagnostic.help = fault.help;
        diagnostic.fix = fault.mend.map(|text| {
            let fix = Fix::replace(span, text);
            Fix { safe: fault.certain, ..fix }
        });
        diagnostic
    }
}

/// The first part of a node that a rule made.
fn child<'a>(node: &Node<'a>, rule: Rule) -> Option<Node<'a>> {
    node.clone().into_inner().find(|part| part.as_rule() == rule)
}

/// All parts of a node that a rule made.
fn children<'a>(node: &Node<'a>, rule: Rule) -> impl Iterator<Item = Node<'a>> + use<'a> {
    node.clone().into_inner().filter(move |part| part.as_rule() == rule)
}

fn has(node: &Node<'_>, rule: Rule) -> bool {
    child(node, rule).is_some()
}

/// Where the last word of a node ends. A rule whose last part is optional takes the blanks before
/// that part along even where the part is missing.
fn end(node: &Node<'_>) -> usize {
    let exact = matches!(node.as_rule(), Rule::field | Rule::step | Rule::attribute);
    let last = if exact { None } else { node.clone().into_inner().next_back() };
    last.map_or_else(|| node.as_span().end(), |last| end(&last))
}
