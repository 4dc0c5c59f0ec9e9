//! Conditions.

use super::name::Kind;
use super::{Built, Tree, child, children, has};
use crate::base::{Fix, Span, Spanned};
use crate::syntax::ast::{
    Comparison, Condition, ConditionKind, Field, Function, Operand, Operator, Quantifier, Value,
};
use crate::syntax::grammar::{Node, Rule};
use crate::syntax::words;

/// The right half of a comparison.
struct Half {
    operator: Spanned<Operator>,
    negated: bool,
    right: Option<Value>,
}

impl<'a> Tree<'a> {
    pub(super) fn condition(&self, node: &Node<'a>) -> Built<Condition> {
        self.connected(node, Rule::conjunction, Rule::wrong_or, "or", ConditionKind::Or, |tree, node| {
            tree.connected(node, Rule::negation, Rule::wrong_and, "and", ConditionKind::And, Self::negation)
        })
    }

    /// A chain of `and` or `or`; a chain of one is its only link.
    fn connected(
        &self,
        node: &Node<'a>,
        link: Rule,
        wrong: Rule,
        word: &str,
        make: impl Fn(Vec<Condition>) -> ConditionKind,
        build: impl Fn(&Self, &Node<'a>) -> Built<Condition>,
    ) -> Built<Condition> {
        let mut links = Vec::new();
        for part in node.clone().into_inner() {
            if part.as_rule() == wrong {
                return Err(Box::new(self.wrong_sign(&part, word)));
            }
            if part.as_rule() == link {
                links.push(build(self, &part)?);
            }
        }
        if links.len() == 1
            && let Some(only) = links.pop()
        {
            return Ok(only);
        }
        Ok(Condition { kind: make(links), span: self.span(node) })
    }

    fn wrong_sign(&self, node: &Node<'a>, word: &str) -> crate::base::Diagnostic {
        let span = self.span(node);
        let start = node.as_span().start();
        let before = self.text.get(..start).unwrap_or("");
        let after = self.text.get(node.as_span().end()..).unwrap_or("");
        let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let left = if blank(before.chars().next_back()) || before.ends_with('(') { "" } else { " " };
        let right = if blank(after.chars().next()) { "" } else { " " };
        self.error("wrong-operator", span, format!("there is no `{}` in this language", node.as_str()))
            .expected(format!("`{word}`"))
            .help(format!("write `{word}`"))
            .fix(Fix::replace(span, format!("{left}{word}{right}")))
    }

    fn negation(&self, node: &Node<'a>) -> Built<Condition> {
        let end = self.span(node).end;
        let mut nots = Vec::new();
        for part in node.clone().into_inner() {
            match part.as_rule() {
                Rule::wrong_not => return Err(Box::new(self.wrong_sign(&part, "not"))),
                Rule::kw_not => nots.push(self.span(&part).start),
                _ => {
                    let mut condition = match part.as_rule() {
                        Rule::group => {
                            let inner = self.condition(&self.child(&part, Rule::condition)?)?;
                            Condition { span: self.span(&part), ..inner }
                        }
                        Rule::session => {
                            let label = self.name(&self.child(&part, Rule::name)?, Kind::Label)?;
                            Condition { kind: ConditionKind::SessionHas(label), span: self.span(&part) }
                        }
                        _ => self.comparison(&part)?,
                    };
                    while let Some(start) = nots.pop() {
                        let kind = ConditionKind::Not(Box::new(condition));
                        condition = Condition { kind, span: Span { start, end } };
                    }
                    return Ok(condition);
                }
            }
        }
        self.odd(node)
    }

    fn comparison(&self, node: &Node<'a>) -> Built<Condition> {
        let span = self.span(node);
        let operand = self.child(node, Rule::operand)?;
        let Some(half) = child(node, Rule::comparator) else {
            let kind = self.lone_operand(node, &operand)?;
            return Ok(Condition { kind, span });
        };
        let quantifier = child(node, Rule::quantifier).map(|word| {
            let kind = if word.as_str() == "any" { Quantifier::Any } else { Quantifier::All };
            Spanned::new(kind, self.span(&word))
        });
        let left = self.operand(&operand)?;
        let half = self.comparator(&half)?;
        Ok(Condition {
            kind: ConditionKind::Compare(Comparison {
                quantifier,
                left,
                operator: half.operator,
                negated: half.negated,
                right: half.right,
            }),
            span,
        })
    }

    /// An operand without an operator: a named condition, or a comparison that was not finished.
    fn lone_operand(&self, node: &Node<'a>, operand: &Node<'a>) -> Built<ConditionKind> {
        let (text, span) = (operand.as_str(), self.span(operand));
        let unfinished = has(node, Rule::quantifier) || has(operand, Rule::call) || text.contains(['.', '[']);
        if !unfinished && matches!(text, "true" | "false") {
            return Ok(ConditionKind::Bool(text == "true"));
        }
        if !unfinished && words::is_kebab(text) && !words::is_reserved(text) {
            return Ok(ConditionKind::Name(text.to_owned()));
        }
        let field = text.split(['.', '[']).next().is_some_and(|root| words::FIELDS.contains(&root));
        if unfinished || field {
            let end = Span::new(span.end as usize, span.end as usize);
            return Err(Box::new(
                self.error("missing-operator", span, format!("`{text}` is compared with nothing"))
                    .expected("an operator and a value behind it, such as `is \"…\"`")
                    .help(if text.starts_with("args") {
                        "for a yes-or-no argument write `is true`; to ask whether it was given, `is present`"
                    } else {
                        "write what it has to be: `is`, `in`, `under`, `matches`, `contains`, …"
                    })
                    .label(self.file, end, "the operator belongs here"),
            ));
        }
        if words::is_reserved(text) {
            return Err(Box::new(
                self.error(
                    "reserved-word",
                    span,
                    format!("`{text}` is a word of the language, not a condition"),
                )
                .expected("a condition"),
            ));
        }
        let diagnostic = self
            .error("bad-name", span, format!("`{text}` is no kebab-case name"))
            .expected("the name of a `let`, or a comparison");
        let kebab = words::to_kebab(text);
        Err(Box::new(self.did_you_mean(diagnostic, span, kebab.as_deref())))
    }

    fn operand(&self, node: &Node<'a>) -> Built<Operand> {
        let span = self.span(node);
        let Some(call) = child(node, Rule::call) else {
            return Ok(Operand { function: None, field: self.field(&self.child(node, Rule::field)?)?, span });
        };
        let word = self.child(&call, Rule::function)?;
        let function = match word.as_str() {
            "size" => Function::Size,
            "count" => Function::Count,
            _ => Function::Lower,
        };
        let function = Some(Spanned::new(function, self.span(&word)));
        Ok(Operand { function, field: self.field(&self.child(&call, Rule::field)?)?, span })
    }

    pub(super) fn field(&self, node: &Node<'a>) -> Built<Field> {
        let root = self.child(node, Rule::word)?;
        let steps = children(node, Rule::step).map(|step| self.step(&step)).collect::<Built<_>>()?;
        Ok(Field { root: self.plain_word(&root), steps, span: self.span(node) })
    }

    fn comparator(&self, node: &Node<'a>) -> Built<Half> {
        let Some(inner) = node.clone().into_inner().next() else { return self.odd(node) };
        let negated = has(&inner, Rule::kw_not);
        match inner.as_rule() {
            Rule::compare_wrong => {
                Err(Box::new(self.wrong_operator(&self.child(&inner, Rule::wrong_operator)?)))
            }
            Rule::compare_is => {
                let word = self.child(&inner, Rule::kw_is)?;
                if let Some(state) = child(&inner, Rule::state) {
                    let operator = match state.as_str() {
                        "present" => Operator::IsPresent,
                        "absent" => Operator::IsAbsent,
                        "null" => Operator::IsNull,
                        "opaque" => Operator::IsOpaque,
                        _ => Operator::IsUnresolved,
                    };
                    let span = self.span(&word).to(self.span(&state));
                    return Ok(Half { operator: Spanned::new(operator, span), negated, right: None });
                }
                let not = child(&inner, Rule::kw_not).map_or(self.span(&word), |not| self.span(&not));
                let span = self.span(&word).to(not);
                let right = Some(self.value(&self.child(&inner, Rule::value)?)?);
                Ok(Half { operator: Spanned::new(Operator::Is, span), negated, right })
            }
            Rule::compare_sign | Rule::compare_word => {
                let right = Some(self.value(&self.child(&inner, Rule::value)?)?);
                let sign = child(&inner, Rule::sign_operator).or_else(|| child(&inner, Rule::word_operator));
                let Some(sign) = sign else { return self.odd(node) };
                let operator = operator(sign.as_str());
                let not = child(&inner, Rule::kw_not).map_or(self.span(&sign), |not| self.span(&not));
                let span = not.to(self.span(&sign));
                Ok(Half { operator: Spanned::new(operator, span), negated, right })
            }
            _ => self.odd(node),
        }
    }

    fn wrong_operator(&self, node: &Node<'a>) -> crate::base::Diagnostic {
        self.wrong_sign(
            node,
            match node.as_str() {
                "=~" => "matches",
                "!~" => "not matches",
                "!=" | "!==" | "<>" => "is not",
                "=>" => ">=",
                "=<" => "<=",
                _ => "is",
            },
        )
    }
}

fn operator(text: &str) -> Operator {
    match text {
        "in" => Operator::In,
        "under" => Operator::Under,
        "matches" => Operator::Matches,
        "contains" => Operator::Contains,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        // The two of two words, with any blanks between them.
        other if other.starts_with("starts") => Operator::StartsWith,
        _ => Operator::EndsWith,
    }
}
