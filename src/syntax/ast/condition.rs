//! Conditions and what they are made of.

use super::{Name, Step, Value};
use crate::base::{Span, Spanned};

/// A condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// What it is.
    pub kind: ConditionKind,
    /// Where.
    pub span: Span,
}

/// The forms of conditions (`language.md`, section 6).
#[derive(Debug, Clone, PartialEq)]
pub enum ConditionKind {
    /// `A or B or …`, at least two.
    Or(Vec<Condition>),
    /// `A and B and …`, at least two.
    And(Vec<Condition>),
    /// `not A`.
    Not(Box<Condition>),
    /// A named condition.
    Name(String),
    /// `true` or `false`.
    Bool(bool),
    /// `A OP V`.
    Compare(Comparison),
    /// `session has LABEL`.
    SessionHas(Name),
}

/// `[any|all] A [not] OP V`.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// `any` or `all` before it.
    pub quantifier: Option<Spanned<Quantifier>>,
    /// The left side.
    pub left: Operand,
    /// The operator with its `not`.
    pub operator: Spanned<Operator>,
    /// `is not`, `not in`, …
    pub negated: bool,
    /// The right side; absent for `is present` and its kin.
    pub right: Option<Value>,
}

/// `any` or `all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// At least one element.
    Any,
    /// Every element.
    All,
}

/// The left side of a comparison: a field, or a function of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand {
    /// `size`, `count` or `lower` around the field.
    pub function: Option<Spanned<Function>>,
    /// The field.
    pub field: Field,
    /// Where, the function's parentheses included.
    pub span: Span,
}

/// The functions of operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    /// Bytes of a string.
    Size,
    /// Elements of a list.
    Count,
    /// ASCII lower case.
    Lower,
}

/// A field as written: `path.name` is `["path", "name"]`, `args.list[0]` is `args` and its steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The first word: `path`, `command`, `args`, …
    pub root: Name,
    /// What follows it.
    pub steps: Vec<Spanned<Step>>,
    /// Where.
    pub span: Span,
}

/// The operators. `not` is kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `is`.
    Is,
    /// `in`.
    In,
    /// `under`.
    Under,
    /// `matches`.
    Matches,
    /// `contains`.
    Contains,
    /// `starts with`.
    StartsWith,
    /// `ends with`.
    EndsWith,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
    /// `is present`.
    IsPresent,
    /// `is absent`.
    IsAbsent,
    /// `is null`.
    IsNull,
    /// `is opaque`.
    IsOpaque,
    /// `is unresolved`.
    IsUnresolved,
}
