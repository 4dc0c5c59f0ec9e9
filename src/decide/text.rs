//! What people and models read: resources, filled-in `because` texts, what could not be known.

use crate::base::limits::FILLED_FIELD_CHARS_MAX;
use crate::compile::expr::{AtomKind, Expr, Subject};
use crate::compile::program::{Rule, Template, TemplatePart};
use crate::effects::display_path;
use crate::model::effect::Resource;
use crate::model::path::PathVariant;
use crate::model::verdict::{Reason, pseudo};
use crate::model::{Call, Effect, Origin, Truth};

use super::combine::pseudo_because;
use super::datum::{Datum, View, read};
use super::eval::{Frame, comparison, evaluate};
use super::judge::{Cause, Contribution, Facts, Whole};

/// The resource for people; `None` where the effect has none.
pub(super) fn resource(effect: &Effect, facts: &Facts<'_>) -> Option<String> {
    match &effect.resource {
        Resource::None => None,
        Resource::Path(fact) => Some(match fact.canonical() {
            Some(path) => display_path(path, facts.anchors()),
            None => fact.given.clone(),
        }),
        Resource::Command(command) => Some(command.text.clone()),
        Resource::Network(fact) => Some(match (&fact.url, &fact.host, fact.port) {
            (Some(url), _, _) => url.clone(),
            (None, Some(host), Some(port)) => format!("{host}:{port}"),
            (None, Some(host), None) => host.clone(),
            (None, None, _) => fact.given.clone(),
        }),
        Resource::Target(target) => Some(target.clone()),
    }
}

/// The reason that a contribution gives.
pub(super) fn reason(
    facts: &Facts<'_>,
    call: &Call,
    effect: &Effect,
    contribution: &Contribution<'_>,
) -> Reason {
    match contribution.source {
        Cause::Rule(rule) => Reason {
            rule: rule.full_name.to_string(),
            level: contribution.level,
            because: rule.because.as_ref().map(|template| fill(template, facts, call, effect, rule)),
            fix: rule.fix.clone(),
            at: Some(rule.at.clone()),
            unknown: contribution.unknown.then(|| why_unknown(facts, call, effect, rule)),
        },
        Cause::Pseudo(name) => Reason {
            rule: name.to_owned(),
            level: contribution.level,
            because: Some(pseudo_reason(name, facts, effect)),
            fix: None,
            at: None,
            unknown: contribution.unknown.then(|| "the path could not be resolved".to_owned()),
        },
    }
}

/// What a pseudo-rule says about an effect: which one it is, and what would let it through.
fn pseudo_reason(name: &str, facts: &Facts<'_>, effect: &Effect) -> String {
    let meaning = pseudo_because(name);
    let capability = effect.capability.as_str();
    if name != pseudo::DEFAULT {
        return meaning.to_owned();
    }
    match (resource(effect, facts), &effect.from, effect.origin) {
        (Some(resource), _, _) => format!("{meaning}: {capability} {}", cut(&resource)),
        (None, Some(from), Origin::Implied) => {
            format!(
                "{meaning}: {capability}, {from} (`covers {capability}` in a rule on the command grants it)"
            )
        }
        (None, _, _) => format!("{meaning}: {capability}"),
    }
}

/// The reason of a contribution to the call as a whole.
pub(super) fn whole_reason(whole: &Whole<'_>) -> Reason {
    let (at, fix) = match whole.contribution.source {
        Cause::Rule(rule) => (Some(rule.at.clone()), rule.fix.clone()),
        Cause::Pseudo(_) => (None, None),
    };
    Reason {
        rule: whole.contribution.source.name().to_owned(),
        level: whole.contribution.level,
        because: Some(whole.because.clone()),
        fix,
        at,
        unknown: whole.contribution.unknown.then(|| whole.because.clone()),
    }
}

fn fill(template: &Template, facts: &Facts<'_>, call: &Call, effect: &Effect, rule: &Rule) -> String {
    let variant = matched(facts, call, effect, rule);
    let mut text = String::new();
    for part in &template.0 {
        match part {
            TemplatePart::Text(literal) => text.push_str(literal),
            TemplatePart::Field(subject) => text.push_str(&shown(subject, facts, call, effect, variant)),
        }
    }
    text
}

/// The spelling or tree member that the rule is about: the first on which its condition is true, else
/// the canonical one.
fn matched<'e>(facts: &Facts<'_>, call: &Call, effect: &'e Effect, rule: &Rule) -> Option<&'e PathVariant> {
    let Resource::Path(fact) = &effect.resource else { return None };
    let frame = Frame { facts, grant: false };
    let holds = |variant: &&PathVariant| {
        let view = View {
            call,
            mode: call.context.mode.as_deref(),
            effect,
            variant: Some(variant),
            result: facts.result,
        };
        evaluate(&rule.condition, view, frame) == Truth::True
    };
    let canonical = fact.variants.get(fact.canonical);
    canonical.filter(holds).or_else(|| fact.variants.iter().find(holds)).or(canonical)
}

/// A field's value for people, at most [`FILLED_FIELD_CHARS_MAX`] characters, control and
/// bidirectional characters replaced. Nothing of a result is shown: it may be held back.
pub(super) fn shown(
    subject: &Subject,
    facts: &Facts<'_>,
    call: &Call,
    effect: &Effect,
    variant: Option<&PathVariant>,
) -> String {
    let view = View { call, mode: call.context.mode.as_deref(), effect, variant, result: None };
    let text = match read(subject, view) {
        Datum::NoResource => "(nothing)".to_owned(),
        Datum::Absent => "(absent)".to_owned(),
        Datum::Unknown(_) => resource(effect, facts).unwrap_or_else(|| "(not known)".to_owned()),
        Datum::Json(serde_json::Value::String(text)) => text.clone(),
        Datum::Json(value) => value.to_string(),
        Datum::Text(text) | Datum::Host(text) => text.to_owned(),
        Datum::Owned(text) => text,
        Datum::Number(number) => number.to_string(),
        Datum::Numbers(numbers) => numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or "),
        Datum::Path(_, variant) => display_path(&variant.path, facts.anchors()),
        Datum::Directory(fact) => match fact.canonical() {
            Some(path) => display_path(path, facts.anchors()),
            None => fact.given.clone(),
        },
        Datum::Command(command) => match subject {
            Subject::Command(crate::compile::expr::CommandPart::Program)
            | Subject::Via(crate::compile::expr::CommandPart::Program) => {
                command.program().unwrap_or("(not known)").to_owned()
            }
            _ => command.text.clone(),
        },
        Datum::Connection(fact) => fact.url.clone().unwrap_or_else(|| fact.given.clone()),
        Datum::Ip(ip) => ip.to_string(),
        Datum::Lists(lists) => format!("{} elements", lists.first().map_or(0, Vec::len)),
    };
    cut(&text)
}

fn cut(text: &str) -> String {
    let clean = |c: char| if c.is_control() || is_format_control(c) { '\u{fffd}' } else { c };
    let mut cut: String = text.chars().take(FILLED_FIELD_CHARS_MAX).map(clean).collect();
    if text.chars().nth(FILLED_FIELD_CHARS_MAX).is_some() {
        cut.pop();
        cut.push('…');
    }
    cut
}

/// Characters that reorder or hide text (Unicode TR 36).
fn is_format_control(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The first comparison that could not be known, and why.
pub(super) fn why_unknown(facts: &Facts<'_>, call: &Call, effect: &Effect, rule: &Rule) -> String {
    let mut found = None;
    let variants: Vec<_> = match &effect.resource {
        Resource::Path(fact) if fact.unresolved.is_none() => fact.variants.iter().map(Some).collect(),
        _ => vec![None],
    };
    for variant in variants {
        let view = View { call, mode: call.context.mode.as_deref(), effect, variant, result: facts.result };
        let frame = Frame { facts, grant: false };
        found = found.or_else(|| first_unknown(&rule.condition, view, frame));
    }
    found.unwrap_or_else(|| "the condition could not be known".to_owned())
}

fn first_unknown(expr: &Expr, view: View<'_>, frame: Frame<'_>) -> Option<String> {
    match expr {
        Expr::All(parts) | Expr::Any(parts) => parts.iter().find_map(|part| first_unknown(part, view, frame)),
        Expr::Atom(atom) => {
            if comparison(atom, view, frame) != Truth::Unknown {
                return None;
            }
            let subject = match &atom.kind {
                AtomKind::Test { subject, .. } | AtomKind::Quantified { subject, .. } => subject,
                AtomKind::SessionHas(_) => return None,
            };
            let why = match read(subject, view) {
                Datum::Unknown(why) => why,
                Datum::Absent => "the value is absent".to_owned(),
                Datum::Json(_) => "the value has another type".to_owned(),
                Datum::Command(command) => match &command.opaque {
                    Some(why) => format!("the command is opaque: {why}"),
                    None => "the command matches only possibly".to_owned(),
                },
                _ => "it matches only possibly".to_owned(),
            };
            Some(format!("`{}`: {why}", atom.text))
        }
    }
}
