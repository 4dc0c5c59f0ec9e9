//! Takes the places out of a tree, so that two trees can be compared for what they say.

use crate::base::{Span, Spanned};
use crate::syntax::ast::{
    ArgPlace, Clause, ClauseKind, Comparison, Condition, ConditionKind, Example, File, Item, ItemKind,
    LetValue, LimitClause, ModifyClause, Operand, Set, ToolArg, ToolLine, ToolLineKind, Value, ValueKind,
};

/// Puts every span of a file to nothing.
pub(super) fn spans(file: &mut File) {
    for comment in &mut file.comments {
        one(comment);
    }
    for item in &mut file.items {
        of_item(item);
    }
}

fn one<T>(node: &mut Spanned<T>) {
    node.span = Span::default();
}

fn all<T>(nodes: &mut [Spanned<T>]) {
    for node in nodes {
        one(node);
    }
}

fn maybe<T>(node: &mut Option<Spanned<T>>) {
    if let Some(node) = node {
        one(node);
    }
}

fn of_item(item: &mut Item) {
    item.span = Span::default();
    all(&mut item.docs);
    for attribute in &mut item.attributes {
        attribute.span = Span::default();
        one(&mut attribute.name);
        one(&mut attribute.value);
    }
    match &mut item.kind {
        ItemKind::Edition(number) => one(number),
        ItemKind::Import(name) => one(name),
        ItemKind::Modes(names) | ItemKind::Labels(names) => all(names),
        ItemKind::Default(word) => one(word),
        ItemKind::Unknown(word) => one(word),
        ItemKind::Let(item) => {
            one(&mut item.name);
            match &mut item.value {
                LetValue::Set(set) => of_set(set),
                LetValue::Condition(condition) => of_condition(condition),
            }
        }
        ItemKind::Tool(tool) => {
            one(&mut tool.name);
            tool.lines.iter_mut().for_each(of_line);
        }
        ItemKind::Invariant(invariant) => {
            one(&mut invariant.name);
            all(&mut invariant.never);
            all(&mut invariant.by);
            invariant.when.iter_mut().for_each(of_condition);
        }
        ItemKind::Rule(rule) => {
            one(&mut rule.verb);
            one(&mut rule.name);
            rule.clauses.iter_mut().for_each(of_clause);
        }
    }
}

fn of_line(line: &mut ToolLine) {
    line.span = Span::default();
    match &mut line.kind {
        ToolLineKind::Access { verb, arg, .. } => {
            one(verb);
            of_arg(arg);
        }
        ToolLineKind::Connects(arg) => of_arg(arg),
        ToolLineKind::Runs { arg, cwd, dialect } => {
            of_arg(arg);
            cwd.iter_mut().for_each(of_arg);
            maybe(dialect);
        }
        ToolLineKind::Capability { capability, on } => {
            one(capability);
            on.iter_mut().for_each(of_arg);
        }
        ToolLineKind::SchemaFile(text) | ToolLineKind::SchemaInline(text) => one(text),
    }
}

fn of_arg(arg: &mut ToolArg) {
    arg.span = Span::default();
    maybe(&mut arg.or);
}

fn of_clause(clause: &mut Clause) {
    clause.span = Span::default();
    match &mut clause.kind {
        ClauseKind::On { capabilities, by, .. } => {
            all(capabilities);
            all(by);
        }
        ClauseKind::When(condition) | ClauseKind::Unless(condition) => of_condition(condition),
        ClauseKind::Because(text) | ClauseKind::Fix(text) | ClauseKind::Mark(text) => one(text),
        ClauseKind::Covers(capabilities) => all(capabilities),
        ClauseKind::Limit(limit) => match limit {
            LimitClause::Time(amount) | LimitClause::Output(amount) => one(amount),
            LimitClause::Calls { max, .. } => one(max),
            LimitClause::Grade(grade) => one(grade),
        },
        ClauseKind::Approve { .. } => {}
        ClauseKind::Unknown(word) => one(word),
        ClauseKind::Until(day) => one(day),
        ClauseKind::Modify(modify) => of_modify(modify),
        ClauseKind::Redact { pattern, with } => {
            maybe(pattern);
            one(with);
        }
        ClauseKind::Example(example) => of_example(example),
    }
}

fn of_example(example: &mut Example) {
    one(&mut example.tool);
    one(&mut example.args);
    maybe(&mut example.mode);
    maybe(&mut example.world);
    maybe(&mut example.gives);
}

fn of_place(place: &mut ArgPlace) {
    place.span = Span::default();
}

fn of_modify(modify: &mut ModifyClause) {
    match modify {
        ModifyClause::Set(place, value)
        | ModifyClause::Fill(place, value)
        | ModifyClause::Append(place, value) => {
            of_place(place);
            one(value);
        }
        ModifyClause::Clamp(place, low, high) => {
            of_place(place);
            one(low);
            one(high);
        }
        ModifyClause::Remove(place) => of_place(place),
        ModifyClause::AppendCommand(words) => one(words),
        ModifyClause::Replace(place, pattern, with) => {
            of_place(place);
            one(pattern);
            one(with);
        }
    }
}

fn of_condition(condition: &mut Condition) {
    condition.span = Span::default();
    match &mut condition.kind {
        ConditionKind::Or(parts) | ConditionKind::And(parts) => parts.iter_mut().for_each(of_condition),
        ConditionKind::Not(inner) => of_condition(inner),
        ConditionKind::Compare(comparison) => of_comparison(comparison),
        ConditionKind::SessionHas(label) => one(label),
        ConditionKind::Name(_) | ConditionKind::Bool(_) => {}
    }
}

fn of_comparison(comparison: &mut Comparison) {
    maybe(&mut comparison.quantifier);
    one(&mut comparison.operator);
    of_operand(&mut comparison.left);
    comparison.right.iter_mut().for_each(of_value);
}

fn of_operand(operand: &mut Operand) {
    operand.span = Span::default();
    maybe(&mut operand.function);
    operand.field.span = Span::default();
    one(&mut operand.field.root);
    all(&mut operand.field.steps);
}

fn of_set(set: &mut Set) {
    set.span = Span::default();
    maybe(&mut set.kind);
    set.elements.iter_mut().for_each(of_value);
}

fn of_value(value: &mut Value) {
    value.span = Span::default();
    if let ValueKind::Set(set) = &mut value.kind {
        of_set(set);
    }
}
