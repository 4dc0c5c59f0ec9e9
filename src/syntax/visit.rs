//! One walk over the conditions and values of a file, for whoever asks something of all of them.

use super::ast::{
    Clause, ClauseKind, Comparison, Condition, ConditionKind, File, Item, ItemKind, LetValue, Name, Set,
    Value, ValueKind,
};

/// Told of every node below; each method walks on by itself, and an override that wants to see
/// what is inside calls the `walk_…` function of the same name.
pub trait Visit {
    /// An item.
    fn item(&mut self, item: &Item) {
        walk_item(self, item);
    }

    /// A clause of a rule.
    fn clause(&mut self, clause: &Clause) {
        walk_clause(self, clause);
    }

    /// A condition, or a part of one.
    fn condition(&mut self, condition: &Condition) {
        walk_condition(self, condition);
    }

    /// A comparison.
    fn comparison(&mut self, comparison: &Comparison) {
        walk_comparison(self, comparison);
    }

    /// A set.
    fn set(&mut self, set: &Set) {
        walk_set(self, set);
    }

    /// An operand on the right, or an element.
    fn value(&mut self, value: &Value) {
        walk_value(self, value);
    }

    /// A label that is asked for.
    fn label(&mut self, _label: &Name) {}
}

/// All items of a file.
pub fn walk_file<V: Visit + ?Sized>(visit: &mut V, file: &File) {
    for item in &file.items {
        visit.item(item);
    }
}

/// The clauses, conditions and sets of an item.
pub fn walk_item<V: Visit + ?Sized>(visit: &mut V, item: &Item) {
    match &item.kind {
        ItemKind::Let(item) => match &item.value {
            LetValue::Set(set) => visit.set(set),
            LetValue::Condition(condition) => visit.condition(condition),
        },
        ItemKind::Invariant(invariant) => {
            if let Some(condition) = &invariant.when {
                visit.condition(condition);
            }
        }
        ItemKind::Rule(rule) => {
            for clause in &rule.clauses {
                visit.clause(clause);
            }
        }
        _ => {}
    }
}

/// The condition of a clause.
pub fn walk_clause<V: Visit + ?Sized>(visit: &mut V, clause: &Clause) {
    if let ClauseKind::When(condition) | ClauseKind::Unless(condition) = &clause.kind {
        visit.condition(condition);
    }
}

/// The parts of a condition.
pub fn walk_condition<V: Visit + ?Sized>(visit: &mut V, condition: &Condition) {
    match &condition.kind {
        ConditionKind::Or(parts) | ConditionKind::And(parts) => {
            for part in parts {
                visit.condition(part);
            }
        }
        ConditionKind::Not(inner) => visit.condition(inner),
        ConditionKind::Compare(comparison) => visit.comparison(comparison),
        ConditionKind::SessionHas(label) => visit.label(label),
        ConditionKind::Name(_) | ConditionKind::Bool(_) => {}
    }
}

/// The right side of a comparison.
pub fn walk_comparison<V: Visit + ?Sized>(visit: &mut V, comparison: &Comparison) {
    if let Some(value) = &comparison.right {
        visit.value(value);
    }
}

/// The elements of a set.
pub fn walk_set<V: Visit + ?Sized>(visit: &mut V, set: &Set) {
    for element in &set.elements {
        visit.value(element);
    }
}

/// The set that a value is, where it is one.
pub fn walk_value<V: Visit + ?Sized>(visit: &mut V, value: &Value) {
    if let ValueKind::Set(set) = &value.kind {
        visit.set(set);
    }
}
