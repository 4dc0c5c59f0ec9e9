//! Fields of a call and an effect, as values to compare.

use std::net::IpAddr;

use serde_json::Value;

use crate::compile::expr::{CommandPart, Subject};
use crate::effects::shell::matching;
use crate::model::call::{self, Place};
use crate::model::command::{Flag, Reading, Word};
use crate::model::effect::{Address, NetworkFact, Resource};
use crate::model::path::{PathFact, PathVariant, VariantRole, ext_of, name_of};
use crate::model::{Call, Command, Effect, Number};
use crate::syntax::ast::Step;

/// What a comparison sees.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub call: &'a Call,
    pub mode: Option<&'a str>,
    pub effect: &'a Effect,
    /// The spelling or tree member that is judged, for paths that are known.
    pub variant: Option<&'a PathVariant>,
    /// The text of the result, once there is one.
    pub result: Option<&'a str>,
}

/// The value of a field.
#[derive(Debug)]
pub(super) enum Datum<'a> {
    /// The effect has no such resource: every comparison is false.
    NoResource,
    /// It could not be known, and why.
    Unknown(String),
    /// Not given: positive comparisons are false, negated ones unknown.
    Absent,
    /// An argument.
    Json(&'a Value),
    /// A string that is always a string.
    Text(&'a str),
    /// A computed string.
    Owned(String),
    /// A number.
    Number(Number),
    /// A number under each reading of a command.
    Numbers(Vec<Number>),
    /// A path with the variant to judge.
    Path(&'a PathFact, &'a PathVariant),
    /// A path judged over all its spellings at once (`command.cwd`).
    Directory(&'a PathFact),
    /// A command.
    Command(&'a Command),
    /// A connection, for URL patterns.
    Connection(&'a NetworkFact),
    /// A host in canonical form.
    Host(&'a str),
    /// An address.
    Ip(IpAddr),
    /// A list under both readings of a command: equal unless the program is unknown.
    Lists(Vec<Vec<Element<'a>>>),
}

/// An element of a list field.
#[derive(Debug, Clone)]
pub(super) enum Element<'a> {
    Json(&'a Value),
    /// The element lacks the place (`args.list[*].name`).
    Absent,
    /// The place lies in a value of another type.
    WrongType,
    Text(&'a str),
    Word(&'a Word),
    Flag(&'a Flag),
}

pub(super) fn read<'a>(subject: &Subject, view: View<'a>) -> Datum<'a> {
    let context = &view.call.context;
    let given = |text: &'a Option<String>| text.as_deref().map_or(Datum::Absent, Datum::Text);
    match subject {
        Subject::Tool => Datum::Text(&view.call.tool),
        Subject::Capability => Datum::Text(view.effect.capability.as_str()),
        Subject::Mode => view.mode.map_or(Datum::Absent, Datum::Text),
        Subject::Source => given(&context.source),
        Subject::Agent => given(&context.agent),
        Subject::User => given(&context.user),
        Subject::Arg(steps) => argument(steps, view.call),
        Subject::Path => path(view, Datum::Path),
        Subject::PathName => named(view, |path| Datum::Text(name_of(path))),
        Subject::PathExt => named(view, |path| Datum::Text(ext_of(path))),
        Subject::PathKind => path(view, |_, variant| match variant.role {
            VariantRole::Itself => Datum::Text(variant.kind.as_str()),
            VariantRole::Region { .. } => Datum::Unknown("what lies in the tree is not known".to_owned()),
        }),
        Subject::Action => {
            view.effect.action.map_or(Datum::NoResource, |action| Datum::Text(action.as_str()))
        }
        Subject::Command(part) => match &view.effect.resource {
            Resource::Command(command) => command_part(command, *part),
            _ => Datum::NoResource,
        },
        Subject::Via(part) => match &view.effect.via {
            Some(command) => command_part(command, *part),
            None => Datum::NoResource,
        },
        Subject::Url
        | Subject::UrlScheme
        | Subject::UrlPath
        | Subject::UrlQuery
        | Subject::UrlUserinfo
        | Subject::Host
        | Subject::Port
        | Subject::Ip
        | Subject::Method => network(subject, view),
        Subject::Target => match &view.effect.resource {
            Resource::Target(target) => Datum::Text(target),
            _ => Datum::NoResource,
        },
        Subject::ResultText | Subject::ResultSize => match (view.result, subject) {
            (None, _) => Datum::Unknown("the result is not known before the call has run".to_owned()),
            (Some(text), Subject::ResultSize) => Datum::Number(Number::from_u64(text.len() as u64)),
            (Some(text), _) => Datum::Text(text),
        },
        Subject::Size(inner) => size(read(inner, view)),
        Subject::Count(inner) => count(read(inner, view)),
        Subject::Lower(inner) => lower(read(inner, view)),
    }
}

fn path<'a>(view: View<'a>, known: impl Fn(&'a PathFact, &'a PathVariant) -> Datum<'a>) -> Datum<'a> {
    match (&view.effect.resource, view.variant) {
        (Resource::Path(fact), Some(variant)) => known(fact, variant),
        (Resource::Path(fact), None) => Datum::Unknown(why_unresolved(fact)),
        _ => Datum::NoResource,
    }
}

fn why_unresolved(fact: &PathFact) -> String {
    let why = fact.unresolved.as_deref().unwrap_or("it has no known spelling");
    format!("the path could not be resolved: {why}")
}

fn named<'a>(view: View<'a>, of: impl Fn(&'a str) -> Datum<'a>) -> Datum<'a> {
    path(view, |_, variant| match variant.role {
        VariantRole::Itself => of(&variant.path),
        VariantRole::Region { .. } => Datum::Unknown("what lies in the tree is not known".to_owned()),
    })
}

fn command_part(command: &Command, part: CommandPart) -> Datum<'_> {
    if let Some(why) = &command.opaque {
        return match part {
            CommandPart::Whole => Datum::Command(command),
            _ => Datum::Unknown(format!("the command is opaque: {why}")),
        };
    }
    match part {
        CommandPart::Whole | CommandPart::Program => Datum::Command(command),
        CommandPart::Cwd => Datum::Directory(&command.cwd),
        CommandPart::Flags => Datum::Lists(
            command
                .readings
                .iter()
                .map(|r| r.flags.iter().map(Element::Flag).chain(hidden(r, command)).collect())
                .collect(),
        ),
        CommandPart::Operands => Datum::Lists(
            command
                .readings
                .iter()
                .map(|r| r.operands.iter().map(Element::Word).chain(hidden(r, command)).collect())
                .collect(),
        ),
        CommandPart::Words => Datum::Lists(vec![command.words.iter().map(Element::Word).collect()]),
        CommandPart::Wrappers => {
            Datum::Lists(vec![command.wrappers.iter().map(|w| Element::Text(w)).collect()])
        }
        CommandPart::Env => {
            let names = command.env.iter().chain(&command.harmless_env);
            Datum::Lists(vec![names.map(|name| Element::Text(name)).collect()])
        }
    }
}

/// Stands in a list for the elements that it may have besides.
static HIDDEN: Word = Word { pieces: Vec::new(), splits: true, never_flag: false, one_head: false };

/// A word that may turn out to be a flag may be one more flag, and one operand less.
fn hidden<'a>(reading: &Reading, command: &Command) -> Option<Element<'a>> {
    matching::may_have_flags(reading, command).then_some(Element::Word(&HIDDEN))
}

fn network<'a>(subject: &Subject, view: View<'a>) -> Datum<'a> {
    let Resource::Network(fact) = &view.effect.resource else { return Datum::NoResource };
    if let Some(why) = &fact.unresolved {
        return Datum::Unknown(format!("the address could not be read: {why}"));
    }
    let text = |value: &'a Option<String>| value.as_deref().map_or(Datum::Absent, Datum::Text);
    match subject {
        Subject::Url => fact.url.as_ref().map_or(Datum::Absent, |_| Datum::Connection(fact)),
        Subject::UrlScheme => text(&fact.scheme),
        Subject::UrlPath => text(&fact.path),
        Subject::UrlQuery => text(&fact.query),
        Subject::UrlUserinfo => text(&fact.userinfo),
        Subject::Method => text(&fact.method),
        Subject::Host => match fact.host.as_deref() {
            Some(host) => Datum::Host(host),
            None => Datum::Unknown("the address names no host".to_owned()),
        },
        Subject::Port => fact.port.map_or(Datum::Absent, |port| Datum::Number(Number::from_u64(port.into()))),
        Subject::Ip => match fact.ip {
            Address::Known(ip) => Datum::Ip(ip),
            Address::NotAsked | Address::Unresolved => {
                Datum::Unknown("the host has no known address".to_owned())
            }
        },
        // No other field is read here; if one ever were, it would not be "false".
        _ => Datum::Unknown("the field is no part of an address".to_owned()),
    }
}

/// Walks into the arguments. At most one step is `[*]`, and then the datum is a list.
fn argument<'a>(steps: &[Step], call: &'a Call) -> Datum<'a> {
    let Some((Step::Name(first), rest)) = steps.split_first() else { return Datum::Absent };
    let Some(root) = call.args.get(first) else { return Datum::Absent };
    let Some(each) = rest.iter().position(|step| *step == Step::Each) else { return place(root, rest) };
    let (before, after) = rest.split_at(each);
    match place(root, before) {
        Datum::Json(Value::Array(elements)) => {
            let after = after.get(1..).unwrap_or(&[]);
            let element = |value| match place(value, after) {
                Datum::Json(found) => Element::Json(found),
                Datum::Absent => Element::Absent,
                _ => Element::WrongType,
            };
            Datum::Lists(vec![elements.iter().map(element).collect()])
        }
        Datum::Absent => Datum::Absent,
        _ => Datum::Unknown("the argument is not a list".to_owned()),
    }
}

/// A place below a value: absent where it is not there, unknown where a step does not fit.
fn place<'a>(root: &'a Value, steps: &[Step]) -> Datum<'a> {
    match call::place(root, steps) {
        Place::Value(value) => Datum::Json(value),
        Place::Absent => Datum::Absent,
        Place::Misfit => Datum::Unknown("a part of the argument has another type".to_owned()),
    }
}

fn wrong_type<'a>(expected: &str) -> Datum<'a> {
    Datum::Unknown(format!("the value is not {expected}"))
}

fn size(datum: Datum<'_>) -> Datum<'_> {
    let bytes = match datum {
        Datum::Text(text) | Datum::Host(text) => text.len(),
        Datum::Owned(text) => text.len(),
        Datum::Json(Value::String(text)) => text.len(),
        Datum::Path(_, variant) => match variant.role {
            VariantRole::Itself => variant.path.len(),
            VariantRole::Region { .. } => return wrong_type("one path"),
        },
        Datum::Json(_) | Datum::Number(_) | Datum::Numbers(_) | Datum::Ip(_) | Datum::Lists(_) => {
            return wrong_type("a string");
        }
        Datum::Directory(_) | Datum::Command(_) | Datum::Connection(_) => return wrong_type("a string"),
        Datum::NoResource => return Datum::NoResource,
        Datum::Absent => return Datum::Absent,
        Datum::Unknown(why) => return Datum::Unknown(why),
    };
    Datum::Number(Number::from_u64(bytes as u64))
}

fn count(datum: Datum<'_>) -> Datum<'_> {
    let elements = match datum {
        Datum::Json(Value::Array(elements)) => elements.len(),
        Datum::Lists(lists) => {
            let splits = |e: &Element<'_>| matches!(e, Element::Word(word) if word.splits);
            if lists.iter().flatten().any(splits) {
                return Datum::Unknown("a word may turn into several".to_owned());
            }
            return Datum::Numbers(lists.iter().map(|l| Number::from_u64(l.len() as u64)).collect());
        }
        Datum::NoResource => return Datum::NoResource,
        Datum::Absent => return Datum::Absent,
        Datum::Unknown(why) => return Datum::Unknown(why),
        _ => return wrong_type("a list"),
    };
    Datum::Number(Number::from_u64(elements as u64))
}

fn lower(datum: Datum<'_>) -> Datum<'_> {
    match datum {
        Datum::Text(text) | Datum::Host(text) => Datum::Owned(text.to_ascii_lowercase()),
        Datum::Json(Value::String(text)) => Datum::Owned(text.to_ascii_lowercase()),
        Datum::Owned(text) => Datum::Owned(text.to_ascii_lowercase()),
        Datum::Command(command) => match command.program() {
            Some(program) => Datum::Owned(program.to_ascii_lowercase()),
            None => Datum::Unknown("the program is not known".to_owned()),
        },
        Datum::NoResource => Datum::NoResource,
        Datum::Absent => Datum::Absent,
        Datum::Unknown(why) => Datum::Unknown(why),
        _ => wrong_type("a string"),
    }
}
