//! Conditions in normal form: names replaced by what they stand for, negation pushed down.

use std::rc::Rc;
use std::sync::Arc;

use crate::base::Span;
use crate::base::limits::{CONDITION_COMPARISONS_MAX, NESTING_LEVELS_MAX};
use crate::compile::check::{Checker, Lookup, Lowered, Meaning, Use};
use crate::compile::expr::{Atom, AtomKind, Expr};
use crate::syntax::ast::{Comparison, Condition, ConditionKind, Let, LetValue};
use crate::syntax::trivia::TokenKind;

impl Lowered {
    /// The condition that holds always.
    pub(in crate::compile) fn truth() -> Self {
        Self { expr: Expr::All(Vec::new()), uses: Vec::new() }
    }

    /// Kleene's conjunction.
    pub(in crate::compile) fn and(self, other: Self) -> Self {
        let mut uses = self.uses;
        uses.extend(other.uses);
        let expr = match (self.expr, other.expr) {
            (Expr::All(a), b) if a.is_empty() => b,
            (Expr::All(mut a), Expr::All(b)) => {
                a.extend(b);
                Expr::All(a)
            }
            (Expr::All(mut a), b) => {
                a.push(b);
                Expr::All(a)
            }
            (a, Expr::All(mut b)) => {
                b.insert(0, a);
                Expr::All(b)
            }
            (a, b) => Expr::All(vec![a, b]),
        };
        Self { expr, uses }
    }

    /// The negation, pushed down to the comparisons.
    pub(in crate::compile) fn negated(self) -> Self {
        Self { expr: negate(&self.expr), uses: self.uses }
    }
}

/// Pushes a negation down: it swaps conjunction and disjunction and stops at an atom, where the
/// negation of a quantifier is that of its result.
#[must_use]
pub(in crate::compile) fn negate(expr: &Expr) -> Expr {
    match expr {
        Expr::All(parts) => Expr::Any(parts.iter().map(negate).collect()),
        Expr::Any(parts) => Expr::All(parts.iter().map(negate).collect()),
        Expr::Atom(atom) => {
            let flipped = Atom { negated: !atom.negated, kind: atom.kind.clone(), text: atom.text.clone() };
            Expr::Atom(Arc::new(flipped))
        }
    }
}

/// Levels of an expression.
fn depth_of(expr: &Expr) -> usize {
    match expr {
        Expr::Atom(_) => 1,
        Expr::All(parts) | Expr::Any(parts) => 1 + parts.iter().map(depth_of).max().unwrap_or(0),
    }
}

impl<'a> Checker<'a> {
    /// Understands a let whose mentions are understood already.
    pub(in crate::compile) fn declare(&mut self, node: &'a Let) {
        let meaning = match &node.value {
            LetValue::Set(set) => self.let_set(set).map(|set| Meaning::Set(Rc::new(set))),
            LetValue::Condition(condition) => match &condition.kind {
                ConditionKind::Name(name) => match self.look_up(name) {
                    Lookup::Found(meaning) => Some(meaning),
                    Lookup::Refused => None,
                    Lookup::Missing => self.unknown_name(condition.span, name, "set or condition", &[]),
                },
                _ => self.condition(condition).map(|lowered| Meaning::Condition(Rc::new(lowered))),
            },
        };
        if let Some(meaning) = meaning {
            self.lets.insert(&node.name.node, meaning);
        }
    }

    /// A condition in normal form; `None` where something in it was refused.
    pub(in crate::compile) fn condition(&mut self, condition: &Condition) -> Option<Lowered> {
        self.spent = 0;
        let lowered = self.lower(condition, 1);
        if self.spent > CONDITION_COMPARISONS_MAX {
            let diagnostic = self
                .error(
                    "too-many-comparisons",
                    condition.span,
                    "the condition stands for too many comparisons",
                )
                .expected(format!("at most {CONDITION_COMPARISONS_MAX}, those behind names included"))
                .help("use sets in place of many comparisons");
            return self.refuse(diagnostic);
        }
        let lowered = lowered?;
        if depth_of(&lowered.expr) > NESTING_LEVELS_MAX {
            return self.too_deep(condition.span);
        }
        Some(lowered)
    }

    fn too_deep<T>(&mut self, span: Span) -> Option<T> {
        let diagnostic = self
            .error("too-deep", span, "the condition is nested too deeply, names included")
            .expected(format!("at most {NESTING_LEVELS_MAX} levels"))
            .help("split it into several rules");
        self.refuse(diagnostic)
    }

    fn lower(&mut self, condition: &Condition, depth: usize) -> Option<Lowered> {
        if depth > NESTING_LEVELS_MAX {
            return self.too_deep(condition.span);
        }
        match &condition.kind {
            ConditionKind::Bool(value) => {
                let expr = if *value { Expr::All(Vec::new()) } else { Expr::Any(Vec::new()) };
                Some(Lowered { expr, uses: Vec::new() })
            }
            ConditionKind::Not(inner) => self.lower(inner, depth + 1).map(Lowered::negated),
            ConditionKind::And(parts) => {
                self.parts(parts, depth).map(|(parts, uses)| Lowered { expr: Expr::All(parts), uses })
            }
            ConditionKind::Or(parts) => {
                self.parts(parts, depth).map(|(parts, uses)| Lowered { expr: Expr::Any(parts), uses })
            }
            ConditionKind::Name(name) => self.named(condition.span, name),
            ConditionKind::SessionHas(label) => {
                let label = self.label(label.span, &label.node)?;
                let text = one_line(self.text(condition.span));
                let atom = Atom { negated: false, kind: AtomKind::SessionHas(label), text };
                Some(Lowered { expr: Expr::Atom(Arc::new(atom)), uses: Vec::new() })
            }
            ConditionKind::Compare(comparison) => {
                self.spend(1)?;
                let atom = self.atom(comparison, condition.span)?;
                let subject = match &atom.kind {
                    AtomKind::Test { subject, .. } | AtomKind::Quantified { subject, .. } => subject.clone(),
                    AtomKind::SessionHas(_) => return None,
                };
                let field = (self.file, comparison.left.span);
                let value = comparison.right.as_ref().map(|right| right.span);
                let used = Use { subject, atom: Some(Arc::clone(&atom)), field, value, at: field };
                Some(Lowered { expr: Expr::Atom(atom), uses: vec![used] })
            }
        }
    }

    /// A comparison; equal texts in one layer mean the same and share one atom, so that a large set
    /// that many rules look at is kept once.
    fn atom(&mut self, comparison: &Comparison, span: Span) -> Option<Arc<Atom>> {
        let text = one_line(self.text(span));
        if let Some(atom) = self.atoms.get(&text) {
            return Some(Arc::clone(atom));
        }
        let (kind, negated) = self.comparison(comparison)?;
        let atom = Arc::new(Atom { negated, kind, text: text.clone() });
        self.atoms.insert(text, Arc::clone(&atom));
        Some(atom)
    }

    /// Counts comparisons; `None` beyond the bound, which `condition` reports.
    fn spend(&mut self, comparisons: usize) -> Option<()> {
        self.spent = self.spent.saturating_add(comparisons);
        (self.spent <= CONDITION_COMPARISONS_MAX).then_some(())
    }

    fn parts(&mut self, parts: &[Condition], depth: usize) -> Option<(Vec<Expr>, Vec<Use>)> {
        let lowered: Vec<Option<Lowered>> = parts.iter().map(|part| self.lower(part, depth + 1)).collect();
        let lowered = lowered.into_iter().collect::<Option<Vec<_>>>()?;
        let mut exprs = Vec::with_capacity(lowered.len());
        let mut uses = Vec::new();
        for part in lowered {
            exprs.push(part.expr);
            uses.extend(part.uses);
        }
        Some((exprs, uses))
    }

    fn named(&mut self, span: Span, name: &str) -> Option<Lowered> {
        match self.look_up(name) {
            Lookup::Found(Meaning::Condition(lowered)) => {
                self.spend(lowered.uses.len())?;
                let mut lowered = (*lowered).clone();
                for used in &mut lowered.uses {
                    used.at = (self.file, span);
                }
                Some(lowered)
            }
            Lookup::Found(Meaning::Set(set)) => {
                let field = match set.word() {
                    "" => "args.NAME",
                    "net" => "ip",
                    word => word,
                };
                let diagnostic = self
                    .error("set-as-condition", span, format!("`{name}` is a set, not a condition"))
                    .expected("a comparison, or the name of a condition")
                    .help(format!("write `{field} in {name}`"));
                self.refuse(diagnostic)
            }
            Lookup::Refused => None,
            Lookup::Missing => self.unknown_name(span, name, "condition", &[]),
        }
    }
}

/// A condition on one line: its tokens with one blank where blanks or comments stood. Two texts
/// that differ in a literal stay different.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut end = 0;
    for token in crate::syntax::trivia::tokens(text) {
        if matches!(token.kind, TokenKind::Comment | TokenKind::Doc) {
            continue;
        }
        if token.span.start > end && !line.is_empty() {
            line.push(' ');
        }
        line.push_str(token.text(text));
        end = token.span.end;
    }
    line
}
