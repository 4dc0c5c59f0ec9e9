//! Arguments: reading a place, and comparing a JSON value with literals.

use serde_json::Value as Json;
use tollgate::model::Number;
use tollgate::syntax::ast::{Function, Operator, Step, ValueKind};

use super::condition::Answer;

/// What stands at a place of the arguments.
pub enum Place<'a> {
    Here(&'a Json),
    Absent,
    /// A step that needs an object or a list meets something else.
    WrongType,
}

/// Follows steps without `[*]`.
pub fn place<'a>(mut value: &'a Json, steps: &[Step]) -> Place<'a> {
    for step in steps {
        let next = match (step, value) {
            (Step::Name(name), Json::Object(map)) => map.get(name),
            (Step::Index(index), Json::Array(list)) => list.get(*index as usize),
            (Step::Each, _) => panic!("`[*]` is a list"),
            _ => return Place::WrongType,
        };
        match next {
            Some(next) => value = next,
            None => return Place::Absent,
        }
    }
    Place::Here(value)
}

/// The elements that a field with one `[*]` stands for, each as a place.
pub enum Elements<'a> {
    Some(Vec<Place<'a>>),
    Absent,
    WrongType,
}

/// The elements of `A[*]…`.
pub fn elements<'a>(args: &'a Json, steps: &[Step]) -> Elements<'a> {
    let star = steps.iter().position(|s| *s == Step::Each).expect("a list field has `[*]`");
    match place(args, &steps[..star]) {
        Place::Absent => Elements::Absent,
        Place::Here(Json::Array(list)) => {
            Elements::Some(list.iter().map(|item| place(item, &steps[star + 1..])).collect())
        }
        Place::Here(_) | Place::WrongType => Elements::WrongType,
    }
}

/// One comparison of a value that is present with literals.
pub fn test(value: &Json, function: Option<Function>, operator: Operator, literals: &[&ValueKind]) -> Answer {
    if value.is_null() {
        return Answer::Unknown;
    }
    match function {
        None => plain(value, operator, literals),
        Some(Function::Lower) => match value {
            Json::String(text) => plain(&Json::String(text.to_ascii_lowercase()), operator, literals),
            _ => Answer::Unknown,
        },
        Some(Function::Size) => match value {
            Json::String(text) => number(&Number::from_u64(text.len() as u64), operator, literals),
            _ => Answer::Unknown,
        },
        Some(Function::Count) => match value {
            Json::Array(list) => number(&Number::from_u64(list.len() as u64), operator, literals),
            _ => Answer::Unknown,
        },
    }
}

fn plain(value: &Json, operator: Operator, literals: &[&ValueKind]) -> Answer {
    match (operator, value) {
        (Operator::In, Json::String(text)) if literals.iter().all(|l| matches!(l, ValueKind::Net(_))) => {
            let address = tollgate::model::pattern::net::parse_address(text);
            address.map_or(Answer::Unknown, |ip| {
                Answer::from(literals.iter().any(|literal| super::fields::net_has(literal, ip)))
            })
        }
        (Operator::Is | Operator::In, _) => {
            if !literals.iter().any(|literal| same_type(value, literal)) {
                return Answer::Unknown;
            }
            Answer::from(literals.iter().any(|literal| equal(value, literal)))
        }
        (Operator::Contains, Json::Array(list)) if !matches!(literals[0], ValueKind::Regex(_)) => {
            Answer::from(list.iter().any(|element| equal(element, literals[0])))
        }
        (_, Json::String(text)) => string(text, operator, literals),
        (_, Json::Number(n)) => {
            number(&Number::parse(&n.to_string()).expect("a JSON number"), operator, literals)
        }
        _ => Answer::Unknown,
    }
}

fn same_type(value: &Json, literal: &ValueKind) -> bool {
    match value {
        Json::String(_) => matches!(literal, ValueKind::Text(_)),
        Json::Number(_) => literal_number(literal).is_some(),
        Json::Bool(_) => matches!(literal, ValueKind::Bool(_)),
        Json::Null => matches!(literal, ValueKind::Null),
        Json::Array(_) | Json::Object(_) => false,
    }
}

fn equal(value: &Json, literal: &ValueKind) -> bool {
    match (value, literal) {
        (Json::String(a), ValueKind::Text(b)) => a == b,
        (Json::Bool(a), ValueKind::Bool(b)) => a == b,
        (Json::Null, ValueKind::Null) => true,
        (Json::Number(a), b) => literal_number(b).is_some_and(|b| Number::parse(&a.to_string()) == Some(b)),
        _ => false,
    }
}

pub fn literal_number(literal: &ValueKind) -> Option<Number> {
    match literal {
        ValueKind::Number(text) => Number::parse(text),
        ValueKind::Duration(n) | ValueKind::Size(n) => Some(Number::from_u64(*n)),
        _ => None,
    }
}

/// `is`, `in`, `<` and its kin on a number.
pub fn number(value: &Number, operator: Operator, literals: &[&ValueKind]) -> Answer {
    let numbers: Vec<Number> = literals.iter().filter_map(|l| literal_number(l)).collect();
    let Some(first) = numbers.first() else { return Answer::Unknown };
    Answer::from(match operator {
        Operator::Is | Operator::In => numbers.contains(value),
        Operator::Less => value < first,
        Operator::LessOrEqual => value <= first,
        Operator::Greater => value > first,
        Operator::GreaterOrEqual => value >= first,
        _ => return Answer::Unknown,
    })
}

/// The operators of strings.
pub fn string(text: &str, operator: Operator, literals: &[&ValueKind]) -> Answer {
    let one = || match literals[0] {
        ValueKind::Text(part) => Some(part.as_str()),
        _ => None,
    };
    match operator {
        Operator::Is | Operator::In => {
            Answer::from(literals.iter().any(|l| matches!(l, ValueKind::Text(t) if t == text)))
        }
        Operator::Matches | Operator::Contains if matches!(literals[0], ValueKind::Regex(_)) => {
            let ValueKind::Regex(source) = literals[0] else { return Answer::Unknown };
            let pattern = match operator {
                Operator::Matches => format!(r"\A(?:{})\z", source.pattern),
                _ => source.pattern.clone(),
            };
            let regex = regex::RegexBuilder::new(&pattern).case_insensitive(source.ignore_case).build();
            Answer::from(regex.expect("a checked regex").is_match(text))
        }
        Operator::Contains => one().map_or(Answer::Unknown, |part| Answer::from(text.contains(part))),
        Operator::StartsWith => one().map_or(Answer::Unknown, |part| Answer::from(text.starts_with(part))),
        Operator::EndsWith => one().map_or(Answer::Unknown, |part| Answer::from(text.ends_with(part))),
        _ => Answer::Unknown,
    }
}
