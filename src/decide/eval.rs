//! Conditions on one effect, in Kleene's logic (`language.md`, section 6).

use serde_json::Value;

use crate::compile::expr::{
    Atom, AtomKind, CommandPart, Directory, Expr, OrderOperator, Scalar, Scalars, Subject, Test,
};
use crate::effects::shell::matching;
use crate::model::command::Flag;
use crate::model::effect::Resource;
use crate::model::path::{Anchors, Folding, PathFact, PathVariant, VariantRole};
use crate::model::pattern::path::strip_dir;
use crate::model::pattern::{Coverage, HostPattern, net};
use crate::model::{Command, Number, Truth};

use super::datum::{Datum, Element, View, read};
use super::judge::Facts;

/// What stays the same for all comparisons of one judgement.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub facts: &'a Facts<'a>,
    /// Judged as a grant: a doubt about the command's environment or spelling is unknown.
    pub grant: bool,
}

/// The truth of a condition.
pub(super) fn evaluate(expr: &Expr, view: View<'_>, frame: Frame<'_>) -> Truth {
    match expr {
        Expr::All(parts) => {
            let mut truth = Truth::True;
            for part in parts {
                truth = truth.and(evaluate(part, view, frame));
                if truth == Truth::False {
                    break;
                }
            }
            truth
        }
        Expr::Any(parts) => {
            let mut truth = Truth::False;
            for part in parts {
                truth = truth.or(evaluate(part, view, frame));
                if truth == Truth::True {
                    break;
                }
            }
            truth
        }
        Expr::Atom(atom) => comparison(atom, view, frame),
    }
}

/// The truth of one comparison, its negation included.
pub(super) fn comparison(atom: &Atom, view: View<'_>, frame: Frame<'_>) -> Truth {
    match &atom.kind {
        AtomKind::Test { subject, test } => {
            if let (Some(command), Test::ContainsElement(Scalar::Text(flag))) =
                (flags_of(subject, view), test)
            {
                let truth = matching::flag_contained(command, flag);
                return if atom.negated { !truth } else { truth };
            }
            tested(read(subject, view), test, atom.negated, frame)
        }
        AtomKind::Quantified { all, subject, test_negated, test } => {
            let datum = read(subject, view);
            let unresolved = match test {
                Test::Unresolved => unresolved_words(&datum, *all, *test_negated),
                _ => None,
            };
            let truth = match datum {
                // "False, negated or not": the negation outside must not turn it around.
                Datum::NoResource => return Truth::False,
                _ if unresolved.is_some() => unresolved.unwrap_or(Truth::Unknown),
                Datum::Lists(lists) => agreed(lists.iter().map(|list| {
                    quantified(list, *all, |element| element_test(element, test, *test_negated, frame))
                })),
                _ => Truth::Unknown,
            };
            if atom.negated { !truth } else { truth }
        }
        AtomKind::SessionHas(label) => Truth::from(frame.facts.labels.contains(label) != atom.negated),
    }
}

/// The command whose flags are looked at: the catalogue knows more about them than their texts.
fn flags_of<'a>(subject: &Subject, view: View<'a>) -> Option<&'a Command> {
    match (subject, &view.effect.resource) {
        (Subject::Command(CommandPart::Flags), Resource::Command(command)) => Some(command),
        (Subject::Via(CommandPart::Flags), _) => view.effect.via.as_deref(),
        _ => None,
    }
}

/// What both readings of a command agree on.
fn agreed(truths: impl Iterator<Item = Truth>) -> Truth {
    let mut common = None;
    for truth in truths {
        match common {
            None => common = Some(truth),
            Some(other) if other == truth => {}
            Some(_) => return Truth::Unknown,
        }
    }
    common.unwrap_or(Truth::Unknown)
}

fn quantified(list: &[Element<'_>], all: bool, test: impl Fn(&Element<'_>) -> Truth) -> Truth {
    // A word that may turn into none or into several keeps the answer from being certain, unless
    // another element decides it alone.
    let splits = |e: &Element<'_>| matches!(e, Element::Word(word) if word.splits);
    let truths = list.iter().map(|e| if splits(e) { Truth::Unknown } else { test(e) });
    match all {
        // Nothing is said of no element.
        true if list.is_empty() => Truth::False,
        true => truths.fold(Truth::True, Truth::and),
        false => truths.fold(Truth::False, Truth::or),
    }
}

/// `any command.words is unresolved`: never unknown.
fn unresolved_words(datum: &Datum<'_>, all: bool, negated: bool) -> Option<Truth> {
    let holds = |element: &Element<'_>| match element {
        Element::Word(word) => word.text().is_none() != negated,
        _ => negated,
    };
    match datum {
        Datum::Unknown(_) => Some(Truth::from(!negated)),
        Datum::Lists(lists) => {
            let list = lists.first()?;
            Some(Truth::from(if all {
                !list.is_empty() && list.iter().all(holds)
            } else {
                list.iter().any(holds)
            }))
        }
        _ => None,
    }
}

fn element_test(element: &Element<'_>, test: &Test, negated: bool, frame: Frame<'_>) -> Truth {
    let datum = match element {
        Element::Json(value) => Datum::Json(value),
        Element::Absent => Datum::Absent,
        Element::WrongType => Datum::Unknown("a part of the element has another type".to_owned()),
        Element::Text(text) => Datum::Text(text),
        Element::Word(word) => match word.text() {
            Some(text) => Datum::Text(text),
            None => Datum::Unknown("the word is not known".to_owned()),
        },
        Element::Flag(flag) => {
            let any = flag.spellings.iter().map(|s| on_datum(Datum::Text(s), test, frame));
            let truth = any.fold(Truth::False, Truth::or);
            return if negated { !truth } else { truth };
        }
    };
    tested(datum, test, negated, frame)
}

fn tested(datum: Datum<'_>, test: &Test, negated: bool, frame: Frame<'_>) -> Truth {
    let sign = |truth: bool| Truth::from(truth != negated);
    match (&datum, test) {
        (Datum::NoResource, Test::Opaque | Test::Unresolved) => return sign(true),
        (Datum::NoResource, _) => return Truth::False,
        (Datum::Command(command), Test::Opaque) => return sign(command.opaque.is_some()),
        (_, Test::Opaque) => return sign(false),
        (Datum::Unknown(_), Test::Unresolved) => return sign(true),
        (Datum::Directory(fact), Test::Unresolved) => return sign(fact.unresolved.is_some()),
        (_, Test::Unresolved) => return sign(false),
        (Datum::Absent, Test::Absent) => return sign(true),
        (Datum::Absent, Test::Present) => return sign(false),
        (Datum::Json(_) | Datum::Lists(_), Test::Present) => return sign(true),
        (Datum::Json(_) | Datum::Lists(_), Test::Absent) => return sign(false),
        (Datum::Json(value), Test::Null) => return sign(value.is_null()),
        (Datum::Absent, _) => return if negated { Truth::Unknown } else { Truth::False },
        (Datum::Directory(fact), _) => return directory_test(fact, test, negated, frame),
        _ => {}
    }
    let truth = on_datum(datum, test, frame);
    if negated { !truth } else { truth }
}

/// `command.cwd`: a grant must hold for every spelling, anything else for one.
fn directory_test(fact: &PathFact, test: &Test, negated: bool, frame: Frame<'_>) -> Truth {
    if fact.unresolved.is_some() || fact.variants.is_empty() {
        return Truth::Unknown;
    }
    let truths = fact.variants.iter().map(|variant| {
        let truth = path_test(fact, variant, test, frame);
        if negated { !truth } else { truth }
    });
    if frame.grant { truths.fold(Truth::True, Truth::and) } else { truths.fold(Truth::False, Truth::or) }
}

fn on_datum(datum: Datum<'_>, test: &Test, frame: Frame<'_>) -> Truth {
    match datum {
        Datum::NoResource => Truth::False,
        Datum::Unknown(_) | Datum::Absent | Datum::Directory(_) => Truth::Unknown,
        Datum::Json(value) => json_test(value, test),
        Datum::Text(text) => text_test(text, test),
        Datum::Owned(text) => text_test(&text, test),
        Datum::Number(number) => number_test(&number, test),
        Datum::Numbers(numbers) => agreed(numbers.iter().map(|number| number_test(number, test))),
        Datum::Path(fact, variant) => path_test(fact, variant, test, frame),
        Datum::Command(command) => command_test(command, test, frame),
        Datum::Connection(fact) => match test {
            Test::Urls(patterns) => Truth::from(patterns.iter().any(|pattern| pattern.matches(fact))),
            _ => fact.url.as_deref().map_or(Truth::Unknown, |url| text_test(url, test)),
        },
        Datum::Host(host) => match test {
            Test::Hosts(set) => Truth::from(set.contains(host)),
            _ => text_test(host, test),
        },
        Datum::Ip(ip) => match test {
            Test::Nets(set) => Truth::from(set.contains(ip)),
            _ => Truth::Unknown,
        },
        Datum::Lists(lists) => match test {
            Test::ContainsElement(scalar) => agreed(lists.iter().map(|list| contains(list, scalar))),
            _ => Truth::Unknown,
        },
    }
}

fn contains(list: &[Element<'_>], scalar: &Scalar) -> Truth {
    quantified(list, false, |element| match element {
        Element::Json(value) => {
            scalar_of(value).map_or(Truth::Unknown, |found| Truth::from(found == *scalar))
        }
        Element::Absent => Truth::False,
        Element::WrongType => Truth::Unknown,
        Element::Text(text) => Truth::from(is_text(scalar, text)),
        Element::Word(word) => word.text().map_or(Truth::Unknown, |text| Truth::from(is_text(scalar, text))),
        Element::Flag(flag) => match scalar {
            Scalar::Text(text) => flag_is(flag, text),
            Scalar::Number(_) | Scalar::Bool(_) | Scalar::Null => Truth::False,
        },
    })
}

/// A flag in any of its spellings; `--a=b` is the flag `--a` with the value `b`.
fn flag_is(flag: &Flag, text: &str) -> Truth {
    if flag.spellings.iter().any(|spelling| spelling == text) {
        return Truth::True;
    }
    let Some((name, wanted)) = text.split_once('=') else { return Truth::False };
    if !flag.spellings.iter().any(|spelling| spelling == name) {
        return Truth::False;
    }
    match &flag.value {
        None => Truth::False,
        Some(value) => value.text().map_or(Truth::Unknown, |value| Truth::from(value == wanted)),
    }
}

fn is_text(scalar: &Scalar, text: &str) -> bool {
    matches!(scalar, Scalar::Text(wanted) if wanted == text)
}

fn scalar_of(value: &Value) -> Option<Scalar> {
    match value {
        Value::Null => Some(Scalar::Null),
        Value::Bool(flag) => Some(Scalar::Bool(*flag)),
        Value::Number(number) => Number::parse(&number.to_string()).map(Scalar::Number),
        Value::String(text) => Some(Scalar::Text(text.clone())),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// [`one_of`] for a text, which is not copied where the set is small.
fn text_one_of(text: &str, set: &Scalars) -> Truth {
    const SMALL: usize = 8;
    let mut texts = false;
    if set.0.len() > SMALL {
        return one_of(&Scalar::Text(text.to_owned()), set);
    }
    for scalar in &set.0 {
        if let Scalar::Text(other) = scalar {
            if other == text {
                return Truth::True;
            }
            texts = true;
        }
    }
    Truth::from_known(texts || set.0.is_empty(), false)
}

/// A scalar of a type that the set does not hold is a value of the wrong type.
fn one_of(scalar: &Scalar, set: &Scalars) -> Truth {
    if set.0.contains(scalar) {
        return Truth::True;
    }
    let same_type = |other: &Scalar| std::mem::discriminant(other) == std::mem::discriminant(scalar);
    Truth::from_known(set.0.is_empty() || set.0.iter().any(same_type), false)
}

impl Truth {
    fn from_known(known: bool, value: bool) -> Self {
        if known { Self::from(value) } else { Self::Unknown }
    }
}

fn json_test(value: &Value, test: &Test) -> Truth {
    match (value, test) {
        (Value::String(text), Test::OneOf(set)) => text_one_of(text, set),
        (_, Test::OneOf(set)) => scalar_of(value).map_or(Truth::Unknown, |scalar| one_of(&scalar, set)),
        (Value::Array(elements), Test::ContainsElement(scalar)) => {
            let elements: Vec<_> = elements.iter().map(Element::Json).collect();
            contains(&elements, scalar)
        }
        (Value::Array(elements), Test::ContainsText(text)) => {
            let elements: Vec<_> = elements.iter().map(Element::Json).collect();
            contains(&elements, &Scalar::Text(text.clone()))
        }
        (Value::String(text), Test::Nets(set)) => {
            net::parse_address(text).map_or(Truth::Unknown, |ip| Truth::from(set.contains(ip)))
        }
        (Value::String(text), Test::Hosts(set)) => match HostPattern::parse(text) {
            Ok(HostPattern::Exact(host)) => Truth::from(set.contains(&host)),
            Ok(HostPattern::Any | HostPattern::Below(_)) | Err(_) => Truth::Unknown,
        },
        (Value::String(text), _) => text_test(text, test),
        (Value::Number(number), _) => {
            Number::parse(&number.to_string()).map_or(Truth::Unknown, |number| number_test(&number, test))
        }
        _ => Truth::Unknown,
    }
}

fn text_test(text: &str, test: &Test) -> Truth {
    match test {
        Test::OneOf(set) => text_one_of(text, set),
        Test::Capabilities(wanted) => Truth::from(wanted.iter().any(|c| c.as_str() == text)),
        Test::Actions(wanted) => Truth::from(wanted.iter().any(|a| a.as_str() == text)),
        Test::Kinds(wanted) => Truth::from(wanted.iter().any(|k| k.as_str() == text)),
        Test::Matches(pattern) | Test::ContainsMatch(pattern) => {
            pattern.is_match(text).map_or(Truth::Unknown, Truth::from)
        }
        Test::ContainsText(part) => Truth::from(text.contains(part.as_str())),
        Test::ContainsElement(Scalar::Text(part)) => Truth::from(text.contains(part.as_str())),
        Test::StartsWith(start) => Truth::from(text.starts_with(start.as_str())),
        Test::EndsWith(end) => Truth::from(text.ends_with(end.as_str())),
        Test::Null => Truth::False,
        _ => Truth::Unknown,
    }
}

fn number_test(number: &Number, test: &Test) -> Truth {
    match test {
        Test::OneOf(set) => one_of(&Scalar::Number(number.clone()), set),
        Test::Order(operator, bound) => Truth::from(match operator {
            OrderOperator::Less => number < bound,
            OrderOperator::LessOrEqual => number <= bound,
            OrderOperator::Greater => number > bound,
            OrderOperator::GreaterOrEqual => number >= bound,
        }),
        Test::Null => Truth::False,
        _ => Truth::Unknown,
    }
}

fn command_test(command: &Command, test: &Test, frame: Frame<'_>) -> Truth {
    if command.opaque.is_some() {
        return Truth::Unknown;
    }
    match test {
        Test::Commands(patterns) => patterns
            .iter()
            .map(|pattern| matching::matches(pattern, command, frame.grant))
            .fold(Truth::False, Truth::or),
        Test::Programs(programs) => programs
            .iter()
            .map(|program| matching::program_is(program, command))
            .fold(Truth::False, Truth::or),
        // `command.program` as a plain string.
        _ => command.program().map_or(Truth::Unknown, |program| text_test(program, test)),
    }
}

fn path_test(fact: &PathFact, variant: &PathVariant, test: &Test, frame: Frame<'_>) -> Truth {
    let folding = fact.folding;
    match (test, variant.role) {
        (Test::Paths(patterns), VariantRole::Itself) => {
            Truth::from(patterns.iter().any(|p| p.matches(&variant.path, frame.facts.anchors(), folding)))
        }
        (Test::Paths(patterns), VariantRole::Region { .. }) => patterns
            .iter()
            .map(|p| covered(p.coverage(&variant.path, frame.facts.anchors(), folding)))
            .fold(Truth::False, Truth::or),
        (Test::PathIs(directory), role) => {
            on_directory(directory, frame.facts.anchors(), |dir| directory_is(variant, role, dir, folding))
        }
        (Test::PathUnder(directory), role) => {
            on_directory(directory, frame.facts.anchors(), |dir| directory_under(variant, role, dir, folding))
        }
        // A path is also a string for `matches` and `contains`.
        (_, VariantRole::Itself) => text_test(&variant.path, test),
        (_, VariantRole::Region { .. }) => Truth::Unknown,
    }
}

fn covered(coverage: Coverage) -> Truth {
    match coverage {
        Coverage::All => Truth::True,
        Coverage::Some => Truth::Unknown,
        Coverage::None => Truth::False,
    }
}

/// A directory without a place (a user without a home) is one that cannot be known.
fn on_directory(directory: &Directory, anchors: &Anchors, test: impl Fn(&str) -> Truth) -> Truth {
    let owned;
    let spellings = match directory {
        Directory::Workspace => &anchors.workspace,
        Directory::Home => &anchors.home,
        Directory::Temp => &anchors.temp,
        Directory::Literal(literal) => {
            owned = literal.spellings(anchors);
            &owned
        }
    };
    if spellings.is_empty() {
        return Truth::Unknown;
    }
    spellings.iter().map(|dir| test(dir)).fold(Truth::False, Truth::or)
}

fn directory_is(variant: &PathVariant, role: VariantRole, dir: &str, folding: Folding) -> Truth {
    match role {
        VariantRole::Itself => {
            Truth::from(under(&variant.path, dir, folding) && under(dir, &variant.path, folding))
        }
        VariantRole::Region { .. } => Truth::from_known(!under(dir, &variant.path, folding), false),
    }
}

fn directory_under(variant: &PathVariant, role: VariantRole, dir: &str, folding: Folding) -> Truth {
    if under(&variant.path, dir, folding) {
        return Truth::True;
    }
    match role {
        VariantRole::Itself => Truth::False,
        VariantRole::Region { .. } => Truth::from_known(!under(dir, &variant.path, folding), false),
    }
}

/// Whether a path is a directory or lies below it, as the file system compares names.
pub(super) fn under(path: &str, dir: &str, folding: Folding) -> bool {
    strip_dir(path, dir, folding).is_some()
}
