//! Fields: what each word of a rule finds in a call and an effect.

use serde_json::Value as Json;
use tollgate::model::effect::{Address, NetworkFact};
use tollgate::model::path::{PathFact, ext_of, name_of};
use tollgate::model::{Command, Number, Resource, Truth};
use tollgate::syntax::ast::{Comparison, Function, Operator, Step, ValueKind};

use super::condition::{Answer, Scene};
use super::paths::Looked;
use super::{command, json};

/// A list under a quantifier, each element already compared.
pub enum List {
    NoResource,
    Absent,
    Unknown,
    /// `open`: a word among them may turn into none or several.
    Elements {
        answers: Vec<Answer>,
        open: bool,
    },
}

/// A comparison without a quantifier.
pub fn compare(comparison: &Comparison, negated: bool, scene: &Scene<'_>) -> Truth {
    let literals: Vec<&ValueKind> =
        comparison.right.as_ref().map_or(Vec::new(), |right| scene.layer.elements(right));
    if let Some(command) = directory_of(comparison, scene) {
        return directory(command, comparison, &literals, negated, scene);
    }
    let answers = answers(comparison, &literals, scene);
    let mut truths = answers.into_iter().map(|answer| answer.truth(negated));
    let first = truths.next().unwrap_or(Truth::Unknown);
    if truths.all(|truth| truth == first) { first } else { Truth::Unknown }
}

/// The command whose `.cwd` a comparison looks at.
fn directory_of<'a>(comparison: &Comparison, scene: &Scene<'a>) -> Option<&'a Command> {
    let field = &comparison.left.field;
    if !matches!(field.steps.first().map(|s| &s.node), Some(Step::Name(part)) if part == "cwd") {
        return None;
    }
    match (field.root.node.as_str(), &scene.effect.resource) {
        ("command", Resource::Command(command)) => Some(command),
        ("via", _) => scene.effect.via.as_deref(),
        _ => None,
    }
}

/// A directory with several spellings: a grant needs all of them, anything else one.
fn directory(
    command: &Command,
    comparison: &Comparison,
    literals: &[&ValueKind],
    negated: bool,
    scene: &Scene<'_>,
) -> Truth {
    let operator = comparison.operator.node;
    let cwd = &command.cwd;
    if operator == Operator::IsUnresolved {
        return Truth::from((command.opaque.is_some() || cwd.unresolved.is_some()) != negated);
    }
    if command.opaque.is_some() || cwd.unresolved.is_some() {
        return Truth::Unknown;
    }
    let truths = cwd.variants.iter().map(|variant| {
        scene.places.test(Looked::new(variant, cwd.folding), operator, literals).truth(negated)
    });
    if scene.grant { truths.fold(Truth::True, Truth::and) } else { truths.fold(Truth::False, Truth::or) }
}

/// One answer, or one for each reading of a command's words.
fn answers(comparison: &Comparison, literals: &[&ValueKind], scene: &Scene<'_>) -> Vec<Answer> {
    let operator = comparison.operator.node;
    let field = &comparison.left.field;
    let part = match field.steps.first().map(|step| &step.node) {
        Some(Step::Name(name)) => name.as_str(),
        _ => "",
    };
    let effect = scene.effect;
    let text = |text: Option<&str>| text.map_or(Answer::Absent, |t| textual(t, comparison, literals));
    vec![match field.root.node.as_str() {
        "tool" => text(Some(&scene.call.tool)),
        "source" => text(scene.call.context.source.as_deref()),
        "agent" => text(scene.call.context.agent.as_deref()),
        "user" => text(scene.call.context.user.as_deref()),
        "mode" => scene.call.context.mode.as_deref().map_or(Answer::Absent, |mode| word(mode, literals)),
        "capability" => word(effect.capability.as_str(), literals),
        "action" => effect.action.map_or(Answer::NoResource, |action| word(action.as_str(), literals)),
        "args" => {
            let args = Json::Object(scene.call.args.clone());
            let steps: Vec<Step> = field.steps.iter().map(|step| step.node.clone()).collect();
            argument(&args, &steps, comparison, literals)
        }
        "path" => match &effect.resource {
            Resource::Path(fact) => path(fact, part, comparison, literals, scene),
            _ => missing(operator),
        },
        "target" => match &effect.resource {
            Resource::Target(target) => textual(target, comparison, literals),
            _ => missing(operator),
        },
        "url" | "host" | "port" | "ip" | "method" => match &effect.resource {
            Resource::Network(fact) => network(fact, &field.root.node, part, comparison, literals),
            _ => missing(operator),
        },
        "command" => match &effect.resource {
            Resource::Command(command) => return parts(command, part, comparison, literals, scene),
            _ => missing(operator),
        },
        "via" => match &effect.via {
            Some(command) => return parts(command, part, comparison, literals, scene),
            None => missing(operator),
        },
        other => panic!("no field `{other}`"),
    }]
}

/// What an effect without the resource answers.
fn missing(operator: Operator) -> Answer {
    match operator {
        Operator::IsOpaque | Operator::IsUnresolved => Answer::Yes,
        _ => Answer::NoResource,
    }
}

fn word(value: &str, literals: &[&ValueKind]) -> Answer {
    Answer::from(literals.iter().any(|literal| match literal {
        ValueKind::Word(word) | ValueKind::Text(word) => word == value,
        _ => false,
    }))
}

fn textual(text: &str, comparison: &Comparison, literals: &[&ValueKind]) -> Answer {
    let operator = comparison.operator.node;
    match comparison.left.function.as_ref().map(|f| f.node) {
        None => json::string(text, operator, literals),
        Some(Function::Lower) => json::string(&text.to_ascii_lowercase(), operator, literals),
        Some(Function::Size) => json::number(&Number::from_u64(text.len() as u64), operator, literals),
        Some(Function::Count) => panic!("a string has no count"),
    }
}

fn argument(args: &Json, steps: &[Step], comparison: &Comparison, literals: &[&ValueKind]) -> Answer {
    let operator = comparison.operator.node;
    let counted = matches!(comparison.left.function.as_ref().map(|f| f.node), Some(Function::Count));
    if counted && steps.contains(&Step::Each) {
        return match json::elements(args, steps) {
            json::Elements::Some(list) => {
                json::number(&Number::from_u64(list.len() as u64), operator, literals)
            }
            json::Elements::Absent => Answer::Absent,
            json::Elements::WrongType => Answer::Unknown,
        };
    }
    let function = comparison.left.function.as_ref().map(|f| f.node);
    placed(&json::place(args, steps), function, operator, literals)
}

fn placed(
    place: &json::Place<'_>,
    function: Option<Function>,
    operator: Operator,
    literals: &[&ValueKind],
) -> Answer {
    match (operator, place) {
        (_, json::Place::WrongType) => Answer::Unknown,
        (Operator::IsPresent, place) => Answer::from(matches!(place, json::Place::Here(_))),
        (Operator::IsAbsent, place) => Answer::from(!matches!(place, json::Place::Here(_))),
        (Operator::IsNull, json::Place::Here(value)) => Answer::from(value.is_null()),
        (_, json::Place::Absent) => Answer::Absent,
        (_, json::Place::Here(value)) => json::test(value, function, operator, literals),
    }
}

fn path(
    fact: &PathFact,
    part: &str,
    comparison: &Comparison,
    literals: &[&ValueKind],
    scene: &Scene<'_>,
) -> Answer {
    let operator = comparison.operator.node;
    if operator == Operator::IsUnresolved {
        return Answer::from(fact.unresolved.is_some());
    }
    if fact.unresolved.is_some() {
        return Answer::Unknown;
    }
    let variant = &fact.variants[scene.variant];
    let looked = Looked::new(variant, fact.folding);
    match part {
        "" => scene.places.test(looked, operator, literals),
        _ if looked.region => Answer::Unknown,
        "name" => textual(name_of(&variant.path), comparison, literals),
        "ext" => textual(ext_of(&variant.path), comparison, literals),
        "kind" => word(variant.kind.as_str(), literals),
        other => panic!("no part `{other}`"),
    }
}

fn network(
    fact: &NetworkFact,
    root: &str,
    part: &str,
    comparison: &Comparison,
    literals: &[&ValueKind],
) -> Answer {
    let operator = comparison.operator.node;
    let unresolved = fact.unresolved.is_some();
    if operator == Operator::IsUnresolved {
        return Answer::from(match root {
            "host" => unresolved || fact.host.is_none(),
            _ => unresolved || !matches!(fact.ip, Address::Known(_)),
        });
    }
    if unresolved {
        return Answer::Unknown;
    }
    let text = |text: &Option<String>| match text {
        Some(text) => textual(text, comparison, literals),
        None => Answer::Absent,
    };
    match (root, part) {
        ("url", "") => super::command::url(fact, literals),
        ("url", "scheme") => text(&fact.scheme),
        ("url", "path") => text(&fact.path),
        ("url", "query") => text(&fact.query),
        ("url", "userinfo") => text(&fact.userinfo),
        ("method", _) => text(&fact.method),
        ("host", _) => match &fact.host {
            Some(host) => Answer::from(literals.iter().any(|literal| host_matches(literal, host))),
            None => Answer::Unknown,
        },
        ("port", _) => match fact.port {
            Some(port) => json::number(&Number::from_u64(port.into()), operator, literals),
            None => Answer::Absent,
        },
        ("ip", _) => match fact.ip {
            Address::Known(ip) => Answer::from(literals.iter().any(|literal| net_has(literal, ip))),
            _ => Answer::Unknown,
        },
        other => panic!("no field {other:?}"),
    }
}

fn host_matches(literal: &ValueKind, host: &str) -> bool {
    let ValueKind::Text(pattern) = literal else { panic!("no host: {literal:?}") };
    let pattern = pattern.to_ascii_lowercase();
    match pattern.strip_prefix("*.") {
        _ if pattern == "*" => true,
        // One or more labels before the name.
        Some(name) => host.strip_suffix(name).is_some_and(|labels| labels.len() > 1 && labels.ends_with('.')),
        None => host == pattern,
    }
}

/// By arithmetic on the bits.
pub fn net_has(literal: &ValueKind, ip: std::net::IpAddr) -> bool {
    use std::net::IpAddr::{V4, V6};
    let text = match literal {
        ValueKind::Net(text) | ValueKind::Text(text) => text,
        other => panic!("no range: {other:?}"),
    };
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length.parse::<u32>().expect("a prefix length"))),
        None => (text.as_str(), None),
    };
    match (address.parse().expect("an address"), ip) {
        (V4(net), V4(ip)) => {
            let drop = 32 - length.unwrap_or(32);
            u64::from(u32::from(net)) >> drop == u64::from(u32::from(ip)) >> drop
        }
        (V6(net), V6(ip)) => {
            let drop = 128 - length.unwrap_or(128);
            let shift = |bits: u128| if drop == 128 { 0 } else { bits >> drop };
            shift(u128::from(net)) == shift(u128::from(ip))
        }
        _ => false,
    }
}

fn parts(
    command: &Command,
    part: &str,
    comparison: &Comparison,
    literals: &[&ValueKind],
    scene: &Scene<'_>,
) -> Vec<Answer> {
    let operator = comparison.operator.node;
    if operator == Operator::IsOpaque {
        return vec![Answer::from(command.opaque.is_some())];
    }
    if command.opaque.is_some() {
        return vec![Answer::Unknown];
    }
    match part {
        "" => vec![command::matches(command, literals, scene)],
        "program" => vec![command::program(command, comparison, literals)],
        list => command::whole_list(command, list, comparison, literals),
    }
}

/// The list under a quantifier, once for each reading.
pub fn lists(comparison: &Comparison, scene: &Scene<'_>) -> Vec<List> {
    let literals: Vec<&ValueKind> =
        comparison.right.as_ref().map_or(Vec::new(), |right| scene.layer.elements(right));
    let field = &comparison.left.field;
    let command = match field.root.node.as_str() {
        "args" => {
            let args = Json::Object(scene.call.args.clone());
            let steps: Vec<Step> = field.steps.iter().map(|step| step.node.clone()).collect();
            let function = comparison.left.function.as_ref().map(|f| f.node);
            return vec![match json::elements(&args, &steps) {
                json::Elements::Absent => List::Absent,
                json::Elements::WrongType => List::Unknown,
                json::Elements::Some(places) => List::Elements {
                    answers: places
                        .iter()
                        .map(|place| placed(place, function, comparison.operator.node, &literals))
                        .collect(),
                    open: false,
                },
            }];
        }
        "command" => match &scene.effect.resource {
            Resource::Command(command) => Some(command),
            _ => None,
        },
        "via" => scene.effect.via.as_ref(),
        other => panic!("no list `{other}`"),
    };
    let Some(command) = command else { return vec![List::NoResource] };
    let Some(Step::Name(part)) = field.steps.first().map(|step| &step.node) else { panic!("no part") };
    command::lists(command, part, comparison, &literals)
}
