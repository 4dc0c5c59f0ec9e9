//! Why a verdict came out as it did: for every effect the rules that counted, and for the others the
//! nearest ones with the comparisons that failed and the actual values. Re-evaluates without the
//! index, so that a trace never depends on what was pruned.

use serde_json::{Map, Value};

use crate::compile::Program;
use crate::compile::expr::{Atom, AtomKind, Expr};
use crate::compile::program::{Rule, Verb};
use crate::effects::World;
use crate::model::effect::Resource;
use crate::model::path::PathVariant;
use crate::model::{Call, Capability, Effect, Level, Truth, Verdict};

use super::combine;
use super::datum::View;
use super::engine::travel;
use super::eval::{Frame, comparison, evaluate};
use super::judge::{CallJudgement, Cause, Facts};
use super::text;

/// Rules shown for an effect that did not count on it.
const NEAREST_RULES_MAX: usize = 3;

/// The whole explanation.
#[derive(Debug)]
pub struct Trace {
    /// The verdict that is explained.
    pub verdict: Verdict,
    /// Every call judged on the way: as asked first, as it would run last.
    pub calls: Vec<TracedCall>,
}

/// One call on the way.
#[derive(Debug)]
pub struct TracedCall {
    /// Its arguments.
    pub args: Map<String, Value>,
    /// Its effects in order.
    pub effects: Vec<TracedEffect>,
}

/// One effect.
#[derive(Debug)]
pub struct TracedEffect {
    /// What it does.
    pub capability: Capability,
    /// To what, for people.
    pub resource: Option<String>,
    /// Where it comes from.
    pub from: Option<String>,
    /// Its level.
    pub level: Level,
    /// What counted, strictest first.
    pub counted: Vec<CountedRule>,
    /// The nearest of the rules that did not.
    pub nearest: Vec<NearRule>,
}

/// A rule that counted.
#[derive(Debug)]
pub struct CountedRule {
    /// Full name or pseudo-rule.
    pub rule: String,
    /// What it added.
    pub level: Level,
    /// `FILE:LINE:COLUMN`.
    pub at: Option<String>,
    /// Why, filled in.
    pub because: Option<String>,
    /// What could not be known, where it counts as unknown.
    pub unknown: Option<String>,
}

/// A rule that did not count.
#[derive(Debug)]
pub struct NearRule {
    /// Full name.
    pub rule: String,
    /// Its verb.
    pub verb: Verb,
    /// `FILE:LINE:COLUMN`.
    pub at: String,
    /// The comparisons that kept it from counting.
    pub failed: Vec<FailedComparison>,
    /// How many of its comparisons do hold.
    pub held: usize,
}

/// A comparison that is not true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedComparison {
    /// As the author wrote it.
    pub text: String,
    /// A `not` stands around it.
    pub negated: bool,
    /// False or unknown.
    pub truth: Truth,
    /// The actual value, for people.
    pub actual: String,
}

/// Explains a call: the same verdict as [`super::decide`], with everything that was weighed.
#[must_use]
pub fn explain(program: &Program, call: Call, world: &dyn World) -> Trace {
    explain_about(program, call, world, &[])
}

/// The same, with what kept these rules (full names) from counting, however far they were from it.
#[must_use]
pub fn explain_about(program: &Program, call: Call, world: &dyn World, rules: &[&str]) -> Trace {
    let mut facts = Facts::gather(program, &call, world, false);
    let way = travel(&mut facts, call);
    let verdict = combine::verdict(&facts, &way);
    let calls = way.steps.iter().map(|(call, judged)| traced(&facts, call, judged, rules)).collect();
    Trace { verdict, calls }
}

fn traced(facts: &Facts<'_>, call: &Call, judged: &CallJudgement<'_>, about: &[&str]) -> TracedCall {
    let pairs = judged.effects.iter().zip(&judged.judged);
    let effects = pairs
        .map(|(effect, judgement)| {
            let mut counted: Vec<CountedRule> = judgement
                .contributions
                .iter()
                .map(|contribution| {
                    let reason = text::reason(facts, call, effect, contribution);
                    CountedRule {
                        rule: reason.rule,
                        level: reason.level,
                        at: reason.at,
                        because: reason.because,
                        unknown: reason.unknown,
                    }
                })
                .collect();
            counted.sort_by(|a, b| b.level.cmp(&a.level).then_with(|| a.rule.cmp(&b.rule)));
            let names: Vec<&str> = judgement
                .contributions
                .iter()
                .filter_map(|c| match c.source {
                    Cause::Rule(rule) => Some(&*rule.full_name),
                    Cause::Pseudo(_) => None,
                })
                .collect();
            TracedEffect {
                capability: effect.capability,
                resource: text::resource(effect, facts),
                from: effect.from.clone(),
                level: judgement.level(),
                nearest: nearest(facts, call, effect, &names, about),
                counted,
            }
        })
        .collect();
    TracedCall { args: call.args.clone(), effects }
}

/// The rules in scope that failed in the fewest comparisons, and those that are asked about.
fn nearest(
    facts: &Facts<'_>,
    call: &Call,
    effect: &Effect,
    counted: &[&str],
    about: &[&str],
) -> Vec<NearRule> {
    let mut near: Vec<NearRule> = Vec::new();
    for rule in facts.program.layers().iter().flat_map(|layer| &layer.rules) {
        let in_scope = !rule.scope.result
            && rule.scope.capabilities.contains(effect.capability)
            && rule.scope.has_tool(&call.tool);
        if !in_scope || counted.contains(&&*rule.full_name) {
            continue;
        }
        let failed = failures(facts, call, effect, rule);
        if !failed.is_empty() {
            let held = held(facts, call, effect, rule);
            let (name, at) = (rule.full_name.to_string(), rule.at.clone());
            near.push(NearRule { rule: name, verb: rule.verb, at, failed, held });
        }
    }
    let misses = |rule: &NearRule| rule.failed.len();
    near.sort_by(|a, b| {
        let by_hits = b.held.cmp(&a.held);
        misses(a).cmp(&misses(b)).then(by_hits).then(a.verb.cmp(&b.verb)).then_with(|| a.rule.cmp(&b.rule))
    });
    let mut shown = 0;
    near.retain(|rule| {
        shown += 1;
        shown <= NEAREST_RULES_MAX || about.contains(&rule.rule.as_str())
    });
    near
}

/// How many comparisons of a rule hold on the first spelling.
fn held(facts: &Facts<'_>, call: &Call, effect: &Effect, rule: &Rule) -> usize {
    fn count(expr: &Expr, view: View<'_>, frame: Frame<'_>) -> usize {
        match expr {
            Expr::All(parts) | Expr::Any(parts) => parts.iter().map(|part| count(part, view, frame)).sum(),
            Expr::Atom(atom) => usize::from(comparison(atom, view, frame) == Truth::True),
        }
    }
    let variant = match &effect.resource {
        Resource::Path(fact) => fact.variants.first(),
        Resource::None | Resource::Command(_) | Resource::Network(_) | Resource::Target(_) => None,
    };
    let view = View { call, mode: call.context.mode.as_deref(), effect, variant, result: facts.result };
    count(&rule.condition, view, Frame { facts, grant: false })
}

/// The failed comparisons on the first spelling on which the rule fails.
fn failures(facts: &Facts<'_>, call: &Call, effect: &Effect, rule: &Rule) -> Vec<FailedComparison> {
    let grant = matches!(rule.verb, Verb::Allow);
    let frame = Frame { facts, grant };
    let variants: Vec<Option<&PathVariant>> = match &effect.resource {
        Resource::Path(fact) if !fact.variants.is_empty() => fact.variants.iter().map(Some).collect(),
        _ => vec![None],
    };
    for variant in variants {
        let view = View { call, mode: call.context.mode.as_deref(), effect, variant, result: facts.result };
        if evaluate(&rule.condition, view, frame) != Truth::True {
            return failed_in(&rule.condition, view, frame, facts);
        }
    }
    if rule.until.is_some() {
        let until = FailedComparison {
            text: "until".to_owned(),
            negated: false,
            truth: Truth::False,
            actual: "its last day has passed, or the day is not known".to_owned(),
        };
        return vec![until];
    }
    Vec::new()
}

fn failed_in(expr: &Expr, view: View<'_>, frame: Frame<'_>, facts: &Facts<'_>) -> Vec<FailedComparison> {
    match expr {
        Expr::All(parts) => {
            let untrue = parts.iter().filter(|part| evaluate(part, view, frame) != Truth::True);
            untrue.flat_map(|part| failed_in(part, view, frame, facts)).collect()
        }
        // The branch that is nearest to holding speaks for the others.
        Expr::Any(parts) => {
            let branches = parts.iter().map(|part| failed_in(part, view, frame, facts));
            branches.min_by_key(Vec::len).unwrap_or_default()
        }
        Expr::Atom(atom) => match comparison(atom, view, frame) {
            Truth::True => Vec::new(),
            truth => vec![failed(atom, truth, view, facts)],
        },
    }
}

fn failed(atom: &Atom, truth: Truth, view: View<'_>, facts: &Facts<'_>) -> FailedComparison {
    let actual = match &atom.kind {
        AtomKind::Test { subject, .. } | AtomKind::Quantified { subject, .. } => {
            text::shown(subject, facts, view.call, view.effect, view.variant)
        }
        AtomKind::SessionHas(label) if facts.labels.contains(label) => format!("the session has {label}"),
        AtomKind::SessionHas(_) => {
            let labels: Vec<&str> = facts.labels.iter().map(String::as_str).collect();
            if labels.is_empty() { "the session has no labels".to_owned() } else { labels.join(", ") }
        }
    };
    FailedComparison { text: atom.text.clone(), negated: atom.negated, truth, actual }
}
