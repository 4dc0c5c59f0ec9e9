//! What was said on the way to a call's last decision. Nothing on the way is forgotten: the verdict of
//! the whole is the strictest, and every duty holds.

use serde_json::{Map, Value};

use crate::model::verdict::{Approval, Modified, Obligations, Reason};
use crate::model::{Call, Capability, CapabilitySet, Effect, Level, Origin, Verdict};

/// The way of one call.
#[derive(Debug, Clone, Default)]
pub(super) struct Trail {
    /// Verdicts of calls that were decided and are not the last.
    earlier: Vec<Verdict>,
    /// Warnings of hooks.
    warnings: Vec<Reason>,
    /// Full names of the hooks that changed the arguments.
    changed_by: Vec<String>,
    /// The arguments as asked, before the first hook changed them.
    asked: Option<Map<String, Value>>,
    /// What the call was declared to do before the first hook changed it.
    capabilities: Option<CapabilitySet>,
}

impl Trail {
    /// The way begins again with the call as asked; what was decided still counts.
    pub(super) fn again(&mut self, last: Verdict) {
        let mut earlier = std::mem::take(&mut self.earlier);
        earlier.push(last);
        *self = Self { earlier, ..Self::default() };
    }

    /// A hook's warning.
    pub(super) fn warn(&mut self, reason: Reason) {
        if !self.warnings.contains(&reason) {
            self.warnings.push(reason);
        }
    }

    /// A hook has changed the arguments: what was decided before is now earlier.
    pub(super) fn amended(&mut self, hook: &str, asked: &Call, effects: &[Effect], verdict: &Verdict) {
        self.asked.get_or_insert_with(|| asked.args.clone());
        self.capabilities.get_or_insert_with(|| declared(effects));
        self.earlier.push(verdict.clone());
        if !self.changed_by.iter().any(|name| name == hook) {
            self.changed_by.push(hook.to_owned());
        }
    }

    /// Full names of the hooks that changed something.
    pub(super) fn changed_by(&self) -> &[String] {
        &self.changed_by
    }

    /// The first capability that a changed call has and the call as asked did not.
    pub(super) fn added(&self, effects: &[Effect]) -> Option<Capability> {
        let before = self.capabilities?;
        declared(effects).iter().find(|capability| !before.contains(*capability))
    }

    /// The verdict of the whole way, `last` being that of the last call.
    pub(super) fn strictest(&self, last: &Verdict, args: &Map<String, Value>) -> Verdict {
        let mut whole = last.clone();
        let mut by = Vec::new();
        for earlier in &self.earlier {
            add(&mut whole, earlier);
            by.extend(earlier.modified.iter().flat_map(|modified| modified.by.iter().cloned()));
        }
        if !self.warnings.is_empty() {
            raise(&mut whole, Level::Warn, self.warnings.iter().map(|reason| reason.rule.clone()).collect());
            whole.reasons.extend(self.warnings.iter().cloned());
        }
        if let Some(asked) = &self.asked {
            by.extend(whole.modified.take().map(|modified| modified.by).unwrap_or_default());
            by.extend(self.changed_by.iter().cloned());
            by.sort();
            by.dedup();
            whole.modified = (asked != args).then(|| Modified { by, args: args.clone() });
        }
        // What is asked on the way is asked of the last call.
        if whole.level != Level::Ask {
            whole.approval = None;
        }
        tidy(&mut whole);
        whole
    }
}

/// What a call is declared to do; what is feared of an undeclared tool is no declaration.
fn declared(effects: &[Effect]) -> CapabilitySet {
    let known = effects.iter().filter(|effect| effect.origin != Origin::Undeclared);
    known.map(|effect| effect.capability).filter(|capability| *capability != Capability::Nothing).collect()
}

/// The verdict with one more determining rule, at `level` or stricter.
pub(super) fn blocked(verdict: &Verdict, reason: Reason) -> Verdict {
    let mut verdict = verdict.clone();
    raise(&mut verdict, Level::Block, vec![reason.rule.clone()]);
    verdict.reasons.insert(0, reason);
    verdict.approval = None;
    verdict
}

/// Adds what was said at a level: it counts where nothing stricter was said.
pub(super) fn raise(verdict: &mut Verdict, level: Level, rules: Vec<String>) {
    if level > verdict.level {
        verdict.level = level;
        verdict.rules = rules;
    } else if level == verdict.level {
        verdict.rules.extend(rules);
    }
    verdict.rules.sort();
    verdict.rules.dedup();
}

fn add(whole: &mut Verdict, earlier: &Verdict) {
    raise(whole, earlier.level, earlier.rules.clone());
    for reason in &earlier.reasons {
        if !whole.reasons.contains(reason) {
            whole.reasons.push(reason.clone());
        }
    }
    add_duties(&mut whole.obligations, &earlier.obligations);
    match (&mut whole.approval, &earlier.approval) {
        (Some(whole), Some(earlier)) => add_reach(whole, earlier),
        (None, Some(earlier)) => whole.approval = Some(earlier.clone()),
        (_, None) => {}
    }
}

fn add_reach(whole: &mut Approval, earlier: &Approval) {
    for reach in &earlier.reach {
        if !whole.reach.contains(reach) {
            whole.reach.push(reach.clone());
        }
    }
    whole.reach.sort_by(|a, b| a.rule.cmp(&b.rule));
}

fn add_duties(whole: &mut Obligations, earlier: &Obligations) {
    let smaller = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    whole.time_ms = smaller(whole.time_ms, earlier.time_ms);
    whole.output_bytes = smaller(whole.output_bytes, earlier.output_bytes);
    whole.grade = whole.grade.max(earlier.grade);
    for limit in &earlier.calls {
        if !whole.calls.contains(limit) {
            whole.calls.push(limit.clone());
        }
    }
    for (whole, earlier) in [
        (&mut whole.mark, &earlier.mark),
        (&mut whole.redact, &earlier.redact),
        (&mut whole.result_rules, &earlier.result_rules),
    ] {
        whole.extend(earlier.iter().cloned());
        whole.sort();
        whole.dedup();
    }
}

/// The strictest reasons first, as `decide` has them.
fn tidy(verdict: &mut Verdict) {
    verdict.reasons.sort_by_key(|reason| std::cmp::Reverse(reason.level));
}
