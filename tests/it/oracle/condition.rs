//! Conditions in three values: negation pushed down, quantifiers, Kleene's tables.

use tollgate::model::{Call, Effect, Truth};
use tollgate::syntax::ast::{Comparison, Condition, ConditionKind, Quantifier};

use super::fields::{self, List};
use super::paths::Places;
use super::policy::Layer;

/// What a comparison without its negation says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// A wrong type, a null, something that cannot be known, a match that is only possible.
    Unknown,
    /// The argument is not there.
    Absent,
    /// The effect has no such resource.
    NoResource,
}

impl From<bool> for Answer {
    fn from(value: bool) -> Self {
        if value { Self::Yes } else { Self::No }
    }
}

impl Answer {
    /// With the negation that stands at the comparison once all others are pushed down to it.
    pub fn truth(self, negated: bool) -> Truth {
        match self {
            Self::Yes => Truth::from(!negated),
            Self::No => Truth::from(negated),
            Self::Unknown => Truth::Unknown,
            Self::Absent if negated => Truth::Unknown,
            Self::Absent | Self::NoResource => Truth::False,
        }
    }
}

/// Everything that a condition can look at.
pub struct Scene<'a> {
    pub layer: &'a Layer,
    pub call: &'a Call,
    pub labels: &'a [String],
    pub effect: &'a Effect,
    pub places: &'a Places<'a>,
    /// Which of the effect's path variants is looked at.
    pub variant: usize,
    /// Judged for letting through, not for tightening.
    pub grant: bool,
}

/// The value of a condition under an even or odd number of `not`s.
pub fn truth(condition: &Condition, negated: bool, scene: &Scene<'_>) -> Truth {
    let all =
        |parts: &[Condition]| parts.iter().fold(Truth::True, |acc, p| acc.and(truth(p, negated, scene)));
    let any =
        |parts: &[Condition]| parts.iter().fold(Truth::False, |acc, p| acc.or(truth(p, negated, scene)));
    match &condition.kind {
        ConditionKind::And(parts) if negated => any(parts),
        ConditionKind::Or(parts) if negated => all(parts),
        ConditionKind::And(parts) => all(parts),
        ConditionKind::Or(parts) => any(parts),
        ConditionKind::Not(inner) => truth(inner, !negated, scene),
        ConditionKind::Name(name) => truth(scene.layer.condition(name), negated, scene),
        ConditionKind::Bool(value) => Truth::from(*value != negated),
        ConditionKind::SessionHas(label) => Truth::from(scene.labels.contains(&label.node) != negated),
        ConditionKind::Compare(comparison) => compare(comparison, negated, scene),
    }
}

fn compare(comparison: &Comparison, negated: bool, scene: &Scene<'_>) -> Truth {
    match &comparison.quantifier {
        None => fields::compare(comparison, comparison.negated != negated, scene),
        Some(quantifier) => {
            // Every reading of the words must agree; there is one reading, or two.
            let mut values = fields::lists(comparison, scene).into_iter().map(|list| {
                quantified(quantifier.node == Quantifier::All, &list, comparison.negated, negated)
            });
            let first = values.next().unwrap_or(Truth::Unknown);
            if values.all(|value| value == first) { first } else { Truth::Unknown }
        }
    }
}

fn quantified(all: bool, list: &List, inner: bool, outer: bool) -> Truth {
    let value = match list {
        List::NoResource => return Truth::False,
        List::Absent | List::Unknown => return Truth::Unknown,
        List::Elements { answers, open } => {
            let elements = answers.iter().map(|answer| answer.truth(inner));
            // A word that may turn into several, or none, hides elements.
            let hidden = if *open {
                Truth::Unknown
            } else if all {
                Truth::True
            } else {
                Truth::False
            };
            if all {
                if answers.is_empty() && !open { Truth::False } else { elements.fold(hidden, Truth::and) }
            } else {
                elements.fold(hidden, Truth::or)
            }
        }
    };
    if outer { !value } else { value }
}
