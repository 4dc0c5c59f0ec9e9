//! From judgements to one verdict: levels, determining rules, reasons, obligations, approval.

use crate::base::Digest;
use crate::compile::Program;
use crate::compile::program::{Rule, Verb};
use crate::effects::World;
use crate::effects::path::resolve;
use crate::model::verdict::{
    Approval, CallLimit, EffectVerdict, Modified, Obligations, Reach, Reason, pseudo,
};
use crate::model::{Call, Level, Verdict};
use crate::syntax::ast::ApproveReach;

use super::engine::Way;
use super::judge::{CallJudgement, Cause, Contribution, Facts};
use super::text;

/// The verdict over every call judged on the way.
pub(super) fn verdict(facts: &Facts<'_>, way: &Way<'_>) -> Verdict {
    let whole = way.whole.iter().map(|whole| whole.contribution.level);
    let level = way.steps.iter().map(|(_, judged)| judged.level()).chain(whole).max().unwrap_or(Level::Block);
    let (first, last) = (way.steps.first(), way.steps.last());
    let modified = match (first, last) {
        (Some((asked, _)), Some((call, _))) if asked.args != call.args => {
            Some(Modified { by: way.by.clone(), args: call.args.clone() })
        }
        _ => None,
    };
    let effects = last.map(|(_, judged)| effects(facts, judged)).unwrap_or_default();
    let approval = match (level, last) {
        (Level::Ask, Some((call, _))) => Some(approval(facts, way, call, &effects)),
        _ => None,
    };
    Verdict {
        call_id: first.map(|(call, _)| call.id.clone()).unwrap_or_default(),
        tool: first.map(|(call, _)| call.tool.clone()).unwrap_or_default(),
        level,
        rules: determining(way, level),
        effects,
        reasons: reasons(facts, way),
        modified,
        obligations: obligations(way),
        approval,
        policy: facts.program.revision(),
    }
}

fn determining(way: &Way<'_>, level: Level) -> Vec<String> {
    let mut rules = Vec::new();
    for (_, judged) in &way.steps {
        for effect in judged.judged.iter().filter(|effect| effect.level() == level) {
            rules.extend(at_level(&effect.contributions, level));
        }
        rules.extend(at_level(judged.whole.iter().map(|w| &w.contribution), level));
    }
    rules.extend(at_level(way.whole.iter().map(|w| &w.contribution), level));
    sorted(rules)
}

/// Sorted, each once.
fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    names
}

fn at_level<'a>(
    contributions: impl IntoIterator<Item = &'a Contribution<'a>>,
    level: Level,
) -> impl Iterator<Item = String> {
    contributions.into_iter().filter(move |c| c.level == level).map(|c| c.source.name().to_owned())
}

fn effects(facts: &Facts<'_>, judged: &CallJudgement<'_>) -> Vec<EffectVerdict> {
    let pairs = judged.effects.iter().zip(&judged.judged);
    pairs
        .map(|(effect, judgement)| {
            let level = judgement.level();
            let deciding = || judgement.contributions.iter().filter(|c| c.level == level);
            let rules = sorted(deciding().map(|c| c.source.name().to_owned()).collect());
            EffectVerdict {
                capability: effect.capability,
                resource: text::resource(effect, facts),
                level,
                rules,
                unknown: deciding().count() > 0 && deciding().all(|c| c.unknown),
                from: effect.from.clone(),
            }
        })
        .collect()
}

/// One reason for each rule that counted with more than `allow`, the strictest first.
fn reasons(facts: &Facts<'_>, way: &Way<'_>) -> Vec<Reason> {
    let mut found: Vec<Reason> = Vec::new();
    let mut add = |reason: Reason| {
        if !found.contains(&reason) {
            found.push(reason);
        }
    };
    for (call, judged) in &way.steps {
        for (effect, judgement) in judged.effects.iter().zip(&judged.judged) {
            for contribution in judgement.contributions.iter().filter(|c| c.level > Level::Allow) {
                add(text::reason(facts, call, effect, contribution));
            }
        }
        for whole in &judged.whole {
            add(text::whole_reason(whole));
        }
    }
    for whole in &way.whole {
        add(text::whole_reason(whole));
    }
    // A rule says more than a pseudo-rule does.
    let idle = |reason: &Reason| matches!(reason.rule.as_str(), pseudo::DEFAULT | pseudo::UNKNOWN_TOOL);
    found.sort_by(|a, b| {
        b.level.cmp(&a.level).then_with(|| idle(a).cmp(&idle(b))).then_with(|| a.rule.cmp(&b.rule))
    });
    found
}

/// Every rule that counted on some call of the way, with the verbs that carry duties.
fn counted<'p>(way: &Way<'p>) -> Vec<&'p Rule> {
    let mut rules: Vec<&'p Rule> = Vec::new();
    for (_, judged) in &way.steps {
        for contribution in judged.judged.iter().flat_map(|judgement| &judgement.contributions) {
            if let Cause::Rule(rule) = contribution.source {
                rules.push(rule);
            }
        }
    }
    rules.sort_by(|a, b| a.full_name.cmp(&b.full_name));
    rules.dedup_by(|a, b| a.full_name == b.full_name);
    rules
}

fn obligations(way: &Way<'_>) -> Obligations {
    let mut duties = Obligations::default();
    let smaller = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    for rule in counted(way) {
        duties.time_ms = smaller(duties.time_ms, rule.limits.time_ms);
        duties.output_bytes = smaller(duties.output_bytes, rule.limits.output_bytes);
        duties.grade = duties.grade.max(rule.limits.grade);
        let calls = rule.limits.calls.iter().map(|(max, per_ms)| CallLimit {
            rule: rule.full_name.to_string(),
            max: *max,
            per_ms: *per_ms,
        });
        duties.calls.extend(calls);
        duties.mark.extend(rule.marks.iter().cloned());
    }
    duties.mark.sort();
    duties.mark.dedup();
    for (_, judged) in &way.steps {
        for rule in &judged.on_result {
            let names = match rule.verb {
                Verb::Redact => &mut duties.redact,
                Verb::Allow | Verb::Warn | Verb::Ask | Verb::Block | Verb::Modify => &mut duties.result_rules,
            };
            names.push(rule.full_name.to_string());
        }
    }
    for names in [&mut duties.redact, &mut duties.result_rules] {
        names.sort();
        names.dedup();
    }
    duties
}

fn approval(facts: &Facts<'_>, way: &Way<'_>, call: &Call, effects: &[EffectVerdict]) -> Approval {
    let mut reach: Vec<Reach> = Vec::new();
    for (_, judged) in &way.steps {
        for contribution in
            judged.judged.iter().flat_map(|j| &j.contributions).filter(|c| c.level == Level::Ask)
        {
            let (per, alike) = match contribution.source {
                Cause::Rule(rule) => rule.approve.unwrap_or((ApproveReach::Call, false)),
                Cause::Pseudo(_) => (ApproveReach::Call, false),
            };
            reach.push(Reach { rule: contribution.source.name().to_owned(), per, alike });
        }
    }
    for whole in way.whole.iter().filter(|whole| whole.contribution.level == Level::Ask) {
        let rule = whole.contribution.source.name().to_owned();
        reach.push(Reach { rule, per: ApproveReach::Call, alike: false });
    }
    reach.sort_by(|a, b| a.rule.cmp(&b.rule));
    reach.dedup();
    Approval { digest: approval_digest(facts.program, facts.world, call, effects), reach }
}

/// What an approval is bound to (`gate.md`, section 1): tool, arguments, effects, policy, tool
/// definition, canonical working directory. The resources are hashed in full, not as shown.
#[must_use]
pub fn approval_digest(
    program: &Program,
    world: &dyn World,
    call: &Call,
    effects: &[EffectVerdict],
) -> Digest {
    let args = serde_json::Value::Object(call.args.clone()).to_string();
    let policy = program.revision().to_string();
    let definition = format!("{:?}", program.declarations(&call.tool));
    let effects = format!("{effects:?}");
    let given = call.context.cwd.as_deref().or(world.cwd()).unwrap_or(world.workspace());
    let cwd = resolve(world, given, world.workspace());
    let cwd = cwd.canonical().unwrap_or(given);
    let parts = [call.tool.as_str(), &args, &effects, &policy, &definition, cwd, world.workspace()];
    Digest::of_parts(parts.map(str::as_bytes))
}

/// What a pseudo-rule means, for models and people.
pub(super) fn pseudo_because(name: &str) -> &'static str {
    match name {
        pseudo::DEFAULT => "no rule lets this through",
        pseudo::UNKNOWN_TOOL => "the policy does not declare this tool",
        pseudo::GATE_SELF => "the gate protects its own policies, settings and records",
        _ => "the call cannot be judged",
    }
}
