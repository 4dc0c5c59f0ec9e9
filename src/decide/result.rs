//! Rules on results: what they say once the call has run and its result is there.
//!
//! A result rule has no default and lets nothing through. Its condition is judged on every effect in its
//! scope, and on the result; an unknown one counts.

use crate::compile::Program;
use crate::compile::program::{Redaction, Rule, Verb};
use crate::effects::World;
use crate::model::verdict::Reason;
use crate::model::{Call, Effect, Level, Truth};

use super::judge::{Cause, Contribution, Facts, count_truth, sees_result};
use super::text::reason;

/// What the result rules say about one result.
#[derive(Debug, Clone, Default)]
pub struct ResultJudgement<'p> {
    /// Why it is held back; empty where it is not.
    pub blocks: Vec<Reason>,
    /// What is replaced in it, by rule, in the order of the rules' names.
    pub redactions: Vec<&'p Redaction>,
}

/// Judges a result by the rules of these full names, which the verdict of its call named. `texts` are the
/// result as it came and as it is shown: what is true of either counts.
///
/// A pure function of what it is given and what `world` answers about its anchors.
pub fn judge_result<'p>(
    program: &'p Program,
    call: &Call,
    effects: &[Effect],
    world: &dyn World,
    names: &[String],
    texts: &[&str],
) -> ResultJudgement<'p> {
    let mut judgement = ResultJudgement::default();
    if names.is_empty() {
        return judgement;
    }
    let mut facts = Facts::gather(program, call, world, true);
    facts.widen(effects);
    let rules = program.layers().iter().flat_map(|layer| &layer.rules);
    let mut rules: Vec<&'p Rule> =
        rules.filter(|rule| names.iter().any(|name| **name == *rule.full_name)).collect();
    rules.sort_by(|a, b| a.full_name.cmp(&b.full_name));
    for rule in rules {
        let mut counted = None;
        for text in texts {
            facts.result = Some(*text);
            // True says more than unknown, and the result as it came more than the shown one.
            match strongest(&facts, call, effects, rule) {
                Some((Truth::True, effect)) => {
                    counted = Some((Truth::True, effect, *text));
                    break;
                }
                Some((truth, effect)) => counted = counted.or(Some((truth, effect, *text))),
                None => {}
            }
        }
        let Some((truth, effect, text)) = counted else { continue };
        if rule.verb == Verb::Redact {
            judgement.redactions.extend(&rule.redactions);
            continue;
        }
        facts.result = Some(text);
        let unknown = truth == Truth::Unknown;
        let contribution = Contribution { source: Cause::Rule(rule), level: Level::Block, unknown };
        judgement.blocks.push(reason(&facts, call, effect, &contribution));
    }
    judgement
}

/// Where a rule counts, and how surely.
fn strongest<'e>(
    facts: &Facts<'_>,
    call: &Call,
    effects: &'e [Effect],
    rule: &Rule,
) -> Option<(Truth, &'e Effect)> {
    let mut found = None;
    for effect in effects.iter().filter(|effect| sees_result(rule, call, effect)) {
        match count_truth(facts, call, effect, rule) {
            Truth::True => return Some((Truth::True, effect)),
            Truth::Unknown => found = found.or(Some((Truth::Unknown, effect))),
            Truth::False => {}
        }
    }
    found
}
