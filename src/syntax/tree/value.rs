//! Values and sets.

use super::{Built, Tree, child, children};
use crate::base::{Fix, Spanned};
use crate::syntax::ast::{Set, SetType, Value, ValueKind};
use crate::syntax::grammar::{Node, Rule};
use crate::syntax::{literal, words};

impl<'a> Tree<'a> {
    pub(super) fn value(&self, node: &Node<'a>) -> Built<Value> {
        let Some(inner) = node.clone().into_inner().next() else { return self.odd(node) };
        let span = self.span(&inner);
        let text = inner.as_str();
        let kind = match inner.as_rule() {
            Rule::set => ValueKind::Set(self.set(&inner)?),
            Rule::string => ValueKind::Text(self.literal(&inner, literal::string(text))?),
            Rule::command => ValueKind::Command(self.literal(&inner, literal::command(text))?),
            Rule::quantity => self.literal(&inner, literal::quantity(text))?,
            Rule::address => ValueKind::Net(text.to_owned()),
            Rule::regex => ValueKind::Regex(self.literal(&inner, literal::regex(text))?),
            Rule::bare_word => self.bare_word(&inner)?,
            _ => return self.odd(node),
        };
        Ok(Value { kind, span })
    }

    pub(super) fn set(&self, node: &Node<'a>) -> Built<Set> {
        let kind = child(node, Rule::set_type).map(|word| {
            let kind = match word.as_str() {
                "path" => SetType::Path,
                "host" => SetType::Host,
                "net" => SetType::Net,
                "url" => SetType::Url,
                _ => SetType::Command,
            };
            Spanned::new(kind, self.span(&word))
        });
        let elements =
            children(node, Rule::set_element).map(|element| self.element(&element)).collect::<Built<_>>()?;
        Ok(Set { kind, elements, span: self.span(node) })
    }

    fn element(&self, node: &Node<'a>) -> Built<Value> {
        let value = self.value(node)?;
        if matches!(value.kind, ValueKind::Regex(_)) {
            return Err(Box::new(
                self.error("bad-element", value.span, "a regex cannot be an element of a set")
                    .expected("strings, names, numbers, addresses or commands")
                    .help("write `FIELD matches /…/`, joined by `or`"),
            ));
        }
        Ok(value)
    }

    fn bare_word(&self, node: &Node<'a>) -> Built<ValueKind> {
        let (word, span) = (node.as_str(), self.span(node));
        match word {
            "true" => return Ok(ValueKind::Bool(true)),
            "false" => return Ok(ValueKind::Bool(false)),
            "null" => return Ok(ValueKind::Null),
            _ => {}
        }
        let root = word.split('.').next().unwrap_or("");
        if words::FIELDS.contains(&root) && (root.len() < word.len() || self.is_operand(node)) {
            return Err(Box::new(
                self.error(
                    "field-on-the-right",
                    span,
                    format!("`{word}` is a field, and fields stand on the left"),
                )
                .expected("a literal, a set or the name of a set")
                .help(format!("for the text itself write `\"{word}\"`")),
            ));
        }
        if !words::is_identifier(word) {
            return Err(Box::new(
                self.error("missing-quotes", span, format!("`{word}` stands in quotes"))
                    .expected("a text in double quotes, or a name")
                    .help(format!("write `\"{word}\"`"))
                    .fix(Fix::suggest(span, format!("\"{word}\""))),
            ));
        }
        if words::is_reserved(word) {
            return Err(Box::new(
                self.error("reserved-word", span, format!("`{word}` is a word of the language, not a value"))
                    .expected("a value")
                    .help(format!("for the text itself write `\"{word}\"`"))
                    .fix(Fix::suggest(span, format!("\"{word}\""))),
            ));
        }
        Ok(ValueKind::Word(word.to_owned()))
    }

    /// Whether a value is the right side of a comparison, not an element.
    fn is_operand(&self, node: &Node<'a>) -> bool {
        let before = self.text.get(..node.as_span().start()).unwrap_or("").trim_end();
        !before.ends_with(['{', ','])
    }
}
