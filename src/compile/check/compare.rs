//! Comparisons: which operator meets which field and which value (`language.md`, section 6).

use crate::base::{Fix, Span};
use crate::compile::expr::{AtomKind, CommandPart, OrderOperator, Scalar, Subject, Test};
use crate::model::Number;
use crate::syntax::ast::{Comparison, Function, Operator, Quantifier, Value, ValueKind};

use super::Checker;
use super::fields::{FieldInfo, Type};
use super::sets::short;
use super::values::describe_value;

impl Checker<'_> {
    /// Understands a comparison: what is tested, whether a `not` stands before its operator, and the
    /// field. The negation of a quantified one stays inside.
    pub(in crate::compile) fn comparison(&mut self, comparison: &Comparison) -> Option<(AtomKind, bool)> {
        let field = self.operand(&comparison.left)?;
        let whole_list = field.list
            && comparison.quantifier.is_none()
            && comparison.operator.node == Operator::Contains
            && !matches!(field.subject.base(), Subject::Arg(_));
        match &comparison.quantifier {
            None if field.list && !whole_list => return self.list_alone(comparison),
            Some(quantifier) if !field.list => {
                return self.quantifier_alone(comparison, &field, quantifier.span);
            }
            _ => {}
        }
        let test = if whole_list {
            self.contains_element(&field, comparison)?
        } else {
            self.test(&field, comparison)?
        };
        Some(match &comparison.quantifier {
            None => (AtomKind::Test { subject: field.subject, test }, comparison.negated),
            Some(quantifier) => {
                let all = quantifier.node == Quantifier::All;
                let test_negated = comparison.negated;
                (AtomKind::Quantified { all, subject: field.subject, test_negated, test }, false)
            }
        })
    }

    fn list_alone<T>(&mut self, comparison: &Comparison) -> Option<T> {
        let span = comparison.left.span;
        let written = self.text(span);
        let start = Span { start: span.start, end: span.start };
        let mut diagnostic = self
            .error("list-without-quantifier", span, format!("`{written}` is a list"))
            .expected(format!("`any {written}` or `all {written}`"));
        let function = comparison.left.function.as_ref().map(|function| function.node);
        diagnostic = if function == Some(Function::Size) {
            let list = self.text(comparison.left.field.span);
            diagnostic.help(format!("the number of elements is `count({list})`"))
        } else if comparison.operator.node == Operator::Contains {
            let list = written.replacen("[*]", "", 1);
            diagnostic.help(format!("for an element of the list write `{list} contains …`"))
        } else {
            diagnostic.help("write `any` before it, or `all`").fix(Fix::suggest(start, "any "))
        };
        self.refuse(diagnostic)
    }

    fn quantifier_alone<T>(&mut self, comparison: &Comparison, field: &FieldInfo, span: Span) -> Option<T> {
        let written = self.text(comparison.left.span);
        let word = self.text(span);
        let mut diagnostic = self.error(
            "quantifier-without-list",
            span,
            format!("`{word}` stands before a list, and `{written}` is none"),
        );
        let end = Span { start: comparison.left.field.span.end, end: comparison.left.field.span.end };
        diagnostic = if matches!(field.subject, Subject::Arg(_)) {
            diagnostic
                .expected(format!("`{word} {written}[*]`"))
                .help("`[*]` says that each element is meant")
                .fix(Fix::suggest(end, "[*]"))
        } else {
            diagnostic
                .expected("a list, such as `command.operands` or `args.to[*]`")
                .help(format!("remove `{word}`"))
        };
        self.refuse(diagnostic)
    }

    /// The test of a field (or of its elements) by one operator.
    fn test(&mut self, field: &FieldInfo, comparison: &Comparison) -> Option<Test> {
        use Operator as O;
        match comparison.operator.node {
            O::IsPresent | O::IsAbsent | O::IsNull => return self.presence(field, comparison),
            O::IsOpaque | O::IsUnresolved => return self.knowable(field, comparison),
            _ => {}
        }
        let Some(right) = &comparison.right else { return self.no_right_side(comparison) };
        match comparison.operator.node {
            O::Is => self.is(field, comparison, right),
            O::In => self.set_operand(field, right, comparison.operator.span),
            O::Under if field.ty == Type::Path => self.directory(right).map(Test::PathUnder),
            O::Matches => {
                self.textual(field, comparison)?;
                match &right.kind {
                    ValueKind::Regex(regex) => self.text_pattern(right.span, regex, true).map(Test::Matches),
                    _ => self.wants_regex(right),
                }
            }
            O::Contains => {
                self.textual(field, comparison)?;
                match &right.kind {
                    ValueKind::Regex(regex) => {
                        self.text_pattern(right.span, regex, false).map(Test::ContainsMatch)
                    }
                    ValueKind::Text(text) => {
                        self.plain_part(field.ty, text, right.span)?;
                        Some(Test::ContainsText(text.clone()))
                    }
                    _ if field.ty == Type::Json => self.element(field.ty, right).map(Test::ContainsElement),
                    _ => self.wants_text(field, comparison, right),
                }
            }
            O::StartsWith | O::EndsWith => {
                self.textual(field, comparison)?;
                let ValueKind::Text(text) = &right.kind else {
                    return self.wants_text(field, comparison, right);
                };
                self.plain_part(field.ty, text, right.span)?;
                let starts = comparison.operator.node == O::StartsWith;
                Some(if starts { Test::StartsWith(text.clone()) } else { Test::EndsWith(text.clone()) })
            }
            O::Less | O::LessOrEqual | O::Greater | O::GreaterOrEqual => self.order(field, comparison, right),
            _ => self.operator_type(field, comparison),
        }
    }

    fn no_right_side<T>(&mut self, comparison: &Comparison) -> Option<T> {
        let diagnostic = self
            .error("missing-value", comparison.operator.span, "nothing stands behind the operator")
            .expected("a value");
        self.refuse(diagnostic)
    }

    fn is(&mut self, field: &FieldInfo, comparison: &Comparison, right: &Value) -> Option<Test> {
        if let ValueKind::Set(_) = &right.kind {
            return self.set_with_is(comparison, right);
        }
        match field.ty {
            Type::Path => match &right.kind {
                ValueKind::Word(word) => match self.look_up(word) {
                    super::Lookup::Missing => self.directory(right).map(Test::PathIs),
                    super::Lookup::Refused => None,
                    super::Lookup::Found(_) => self.set_with_is(comparison, right),
                },
                _ => self.pattern(Type::Path, right),
            },
            Type::Host | Type::Ip | Type::Url | Type::Command => match &right.kind {
                ValueKind::Word(word) => match self.look_up(word) {
                    super::Lookup::Found(super::Meaning::Set(_)) => self.set_with_is(comparison, right),
                    _ => self.bare_word(field.ty, word, right.span),
                },
                _ => self.pattern(field.ty, right),
            },
            Type::Json if matches!(right.kind, ValueKind::Net(_)) => self.pattern(Type::Ip, right),
            ty => {
                let is_set = matches!(&right.kind, ValueKind::Word(word)
                    if !self.is_word_of(&comparison.left.field, word)
                        && matches!(self.look_up(word), super::Lookup::Found(super::Meaning::Set(_))));
                if is_set {
                    return self.set_with_is(comparison, right);
                }
                let literal = super::sets::Literal { value: right.clone(), file: self.file };
                self.scalars(ty, &[literal])
            }
        }
    }

    fn set_with_is<T>(&mut self, comparison: &Comparison, right: &Value) -> Option<T> {
        let written = short(self.text(right.span));
        let mend = if comparison.negated { "not in" } else { "in" };
        let operator = comparison.operator.span;
        let mut diagnostic = self
            .error(
                "set-without-in",
                right.span,
                format!("`is` stands before one value, and `{written}` is a set"),
            )
            .expected("one value")
            .help(format!("write `{mend}` in place of `is`"));
        let text = self.text(operator);
        if text == "is" || text == "is not" {
            diagnostic = diagnostic.fix(Fix::suggest(operator, mend));
        }
        self.refuse(diagnostic)
    }

    fn presence(&mut self, field: &FieldInfo, comparison: &Comparison) -> Option<Test> {
        let element = field.list && comparison.operator.node != Operator::IsNull;
        if matches!(field.subject, Subject::Arg(_)) && !element {
            return Some(match comparison.operator.node {
                Operator::IsPresent => Test::Present,
                Operator::IsAbsent => Test::Absent,
                _ => Test::Null,
            });
        }
        let written = self.text(comparison.left.span);
        let operator = self.text(comparison.operator.span);
        let message = if element {
            format!("an element of `{written}` is always present")
        } else {
            format!("`{operator}` is about arguments, and `{written}` is none")
        };
        let mut diagnostic = self.error("presence", comparison.left.span, message).expected("`args.NAME`");
        if matches!(field.ty, Type::Path | Type::Host | Type::Ip) {
            diagnostic = diagnostic.help("an effect without the resource is `is unresolved`");
        } else if field.ty == Type::Command {
            diagnostic = diagnostic.help("a command that is not known is `is opaque`");
        }
        self.refuse(diagnostic)
    }

    fn knowable(&mut self, field: &FieldInfo, comparison: &Comparison) -> Option<Test> {
        let words =
            matches!(field.subject, Subject::Command(CommandPart::Words) | Subject::Via(CommandPart::Words));
        match (comparison.operator.node, field.ty) {
            (Operator::IsOpaque, Type::Command) => return Some(Test::Opaque),
            (Operator::IsUnresolved, Type::Path | Type::Host | Type::Ip) => return Some(Test::Unresolved),
            (Operator::IsUnresolved, _) if words => return Some(Test::Unresolved),
            _ => {}
        }
        let written = self.text(comparison.left.span);
        let opaque = comparison.operator.node == Operator::IsOpaque;
        let (word, of) = if opaque {
            ("is opaque", "`command` or `via`")
        } else {
            ("is unresolved", "`path`, `host`, `ip`, or an element of `command.words`")
        };
        let mut diagnostic = self
            .error("unresolved-field", comparison.left.span, format!("`{word}` is not about `{written}`"))
            .expected(of);
        diagnostic = match (opaque, field.ty) {
            (false, Type::Command) => diagnostic.help("write `is opaque`"),
            (false, Type::Url) => diagnostic.help("write `host is unresolved`"),
            (true, Type::Path | Type::Host | Type::Ip) => diagnostic.help("write `is unresolved`"),
            _ => diagnostic,
        };
        self.refuse(diagnostic)
    }

    /// `matches`, `contains`, `starts with`, `ends with` read strings.
    fn textual(&mut self, field: &FieldInfo, comparison: &Comparison) -> Option<()> {
        if field.ty.is_textual() { Some(()) } else { self.operator_type(field, comparison) }
    }

    fn operator_type<T>(&mut self, field: &FieldInfo, comparison: &Comparison) -> Option<T> {
        let written = self.text(comparison.left.span);
        let operator = operator_word(comparison.operator.node);
        let message = format!("`{operator}` cannot be said of `{written}`, which is {}", field.ty.describe());
        let (expected, help) = match field.ty {
            Type::Path => ("`is`, `in` or `under`", "write a pattern: `path in {\"**/*.md\"}`"),
            Type::Host => ("`is` or `in`", "write a pattern: `host in {\"*.example.com\"}`"),
            Type::Ip => ("`is` or `in`", "write a range: `ip in {10.0.0.0/8}`"),
            Type::Url => ("`is` or `in`", "test `url.scheme`, `host` or `url.path`, or write a pattern"),
            Type::Command => ("`is` or `in`", "write a pattern: ``command is `git push ...` ``"),
            Type::Word(_) => ("`is` or `in`", "list the words: `in {…}`"),
            Type::Port | Type::Size | Type::Count => {
                ("`is`, `in`, `<`, `<=`, `>` or `>=`", "compare it with a number")
            }
            Type::Text | Type::Program | Type::Flag => (
                "`is`, `in`, `matches`, `contains`, `starts with` or `ends with`",
                "only paths lie under a directory, only numbers have an order",
            ),
            Type::Json => {
                ("another operator", "declare the argument in the tool (`reads args.NAME`) and test `path`")
            }
        };
        let diagnostic =
            self.error("operator-type", comparison.operator.span, message).expected(expected).help(help);
        self.refuse(diagnostic)
    }

    fn wants_regex<T>(&mut self, right: &Value) -> Option<T> {
        let written = short(self.text(right.span));
        let message = format!(
            "`matches` stands before a regular expression, and `{written}` is {}",
            describe_value(&right.kind)
        );
        let mut diagnostic = self.error("type-mismatch", right.span, message).expected("`/…/`");
        if let ValueKind::Text(text) = &right.kind {
            let pattern = regex_syntax::escape(text).replace('/', "\\/");
            diagnostic = diagnostic
                .help("for exactly this string write `is`")
                .fix(Fix::suggest(right.span, format!("/{pattern}/")));
        }
        self.refuse(diagnostic)
    }

    fn wants_text<T>(&mut self, field: &FieldInfo, comparison: &Comparison, right: &Value) -> Option<T> {
        if let ValueKind::Word(word) = &right.kind {
            return self.bare_word(field.ty, word, right.span);
        }
        let written = short(self.text(right.span));
        let operator = operator_word(comparison.operator.node);
        let message = format!(
            "`{operator}` stands before a string, and `{written}` is {}",
            describe_value(&right.kind)
        );
        let mut diagnostic = self.error("type-mismatch", right.span, message).expected("a string in quotes");
        if matches!(right.kind, ValueKind::Regex(_)) {
            diagnostic = diagnostic.help("write `matches` or `contains`");
        }
        self.refuse(diagnostic)
    }

    /// A part of a string: `*` is refused as in the whole.
    fn plain_part(&mut self, ty: Type, text: &str, span: Span) -> Option<()> {
        let ty = if matches!(ty, Type::Program | Type::Flag) { Type::Text } else { ty };
        self.plain_text(ty, text, span)
    }

    fn contains_element(&mut self, field: &FieldInfo, comparison: &Comparison) -> Option<Test> {
        let Some(right) = &comparison.right else { return self.no_right_side(comparison) };
        if matches!(right.kind, ValueKind::Regex(_)) {
            let written = self.text(comparison.left.span);
            let diagnostic = self
                .error(
                    "type-mismatch",
                    right.span,
                    format!("`{written}` is a list, and contains no regular expression"),
                )
                .expected("an element in quotes")
                .help(format!("write `any {written} matches …`"));
            return self.refuse(diagnostic);
        }
        self.element(field.ty, right).map(Test::ContainsElement)
    }

    fn element(&mut self, ty: Type, right: &Value) -> Option<Scalar> {
        let literal = super::sets::Literal { value: right.clone(), file: self.file };
        self.scalar(ty, &literal)
    }

    fn order(&mut self, field: &FieldInfo, comparison: &Comparison, right: &Value) -> Option<Test> {
        let operator = match comparison.operator.node {
            Operator::Less => OrderOperator::Less,
            Operator::LessOrEqual => OrderOperator::LessOrEqual,
            Operator::Greater => OrderOperator::Greater,
            _ => OrderOperator::GreaterOrEqual,
        };
        if !matches!(field.ty, Type::Json | Type::Port | Type::Size | Type::Count) {
            return self.operator_type(field, comparison);
        }
        let number = match (&right.kind, field.ty) {
            (ValueKind::Number(text), _) => self.number(text, right.span)?,
            (ValueKind::Size(n), Type::Json | Type::Size) | (ValueKind::Duration(n), Type::Json) => {
                Number::from_u64(*n)
            }
            _ => {
                let written = short(self.text(right.span));
                let message =
                    format!("`{written}` is {}, which has no order here", describe_value(&right.kind));
                let expected = match field.ty {
                    Type::Json => "a number, a size or a duration",
                    Type::Size => "a size or a number of bytes",
                    _ => "a number",
                };
                let diagnostic = self.error("type-mismatch", right.span, message).expected(expected);
                return self.refuse(diagnostic);
            }
        };
        Some(Test::Order(operator, number))
    }
}

/// The operator as it is written.
pub(super) fn operator_word(operator: Operator) -> &'static str {
    match operator {
        Operator::Is => "is",
        Operator::In => "in",
        Operator::Under => "under",
        Operator::Matches => "matches",
        Operator::Contains => "contains",
        Operator::StartsWith => "starts with",
        Operator::EndsWith => "ends with",
        Operator::Less => "<",
        Operator::LessOrEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterOrEqual => ">=",
        Operator::IsPresent => "is present",
        Operator::IsAbsent => "is absent",
        Operator::IsNull => "is null",
        Operator::IsOpaque => "is opaque",
        Operator::IsUnresolved => "is unresolved",
    }
}
