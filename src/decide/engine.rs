//! From a call to a decision: the call as asked, every rewritten call, and the strictest of all.

use tracing::{debug_span, field};

use crate::compile::Program;
use crate::effects::World;
use crate::model::{Call, Capability, CapabilitySet, Level, Origin};

use super::amend::{Amendment, amend, whole};
use super::combine;
use super::judge::{CallJudgement, Facts, Whole, judge};
use super::permit::{Decision, Judged, Pending, Permit};

/// Every call judged on the way to one verdict.
pub(super) struct Way<'p> {
    /// The call as asked first, the call as it would run last.
    pub steps: Vec<(Call, CallJudgement<'p>)>,
    /// Full names of the modify rules that changed something, sorted.
    pub by: Vec<String>,
    /// What the modify rules add to the call as a whole.
    pub whole: Vec<Whole<'p>>,
}

/// Decides a call: validates it, derives its effects, judges every rule of every layer on them,
/// applies `modify` rules and judges every call on the way. The strictest verdict wins.
///
/// A pure function of program, call and what `world` answers. Never panics; bounded by
/// [`crate::base::limits`].
pub fn decide(program: &Program, call: Call, world: &dyn World) -> Decision {
    let span = debug_span!("decide", call = %call.id, tool = %call.tool, verdict = field::Empty);
    let _entered = span.enter();
    let mut facts = Facts::gather(program, &call, world, true);
    let mut way = travel(&mut facts, call);
    let verdict = combine::verdict(&facts, &way);
    span.record("verdict", verdict.level.as_str());
    let Some((call, judgement)) = way.steps.pop() else { return Decision::Refused(Box::new(verdict)) };
    let level = verdict.level;
    let judged = Judged { call, effects: judgement.effects, verdict };
    match level {
        Level::Allow | Level::Warn => Decision::Permitted(Permit::mint(judged)),
        Level::Ask => Decision::Pending(Pending::new(judged)),
        Level::Block => Decision::Refused(Box::new(judged.verdict)),
    }
}

/// Judges the call as asked and applies the layers' modify rules, outermost first.
pub(super) fn travel<'p>(facts: &mut Facts<'p>, call: Call) -> Way<'p> {
    let first = judge(facts, &call);
    let mut way = Way { steps: vec![(call, first)], by: Vec::new(), whole: Vec::new() };
    for (at, layer) in facts.program.layers().iter().enumerate() {
        let Some((call, judgement)) = way.steps.last() else { break };
        if judgement.is_refused_unread() {
            break;
        }
        match amend(facts, call, &judgement.effects, at, layer) {
            Amendment::Refused(whole) => {
                way.whole.extend(whole);
                return way;
            }
            Amendment::Args { args, by, unwritable } => {
                way.whole.extend(unwritable);
                if let Some(args) = args {
                    way.by.extend(by.iter().map(|rule| rule.full_name.to_string()));
                    let next = Call { args, ..call.clone() };
                    let judgement = judge(facts, &next);
                    way.steps.push((next, judgement));
                }
            }
        }
    }
    way.by.sort();
    way.by.dedup();
    settle(facts, &mut way);
    way
}

/// A modification that has not settled, or that added a capability, is blocked under its name.
fn settle<'p>(facts: &Facts<'p>, way: &mut Way<'p>) {
    let (Some((_, first)), Some((call, last))) = (way.steps.first(), way.steps.last()) else { return };
    if way.steps.len() == 1 || last.is_refused_unread() {
        return;
    }
    let added = !capabilities(last).is_subset(capabilities(first));
    let mut found = Vec::new();
    for (at, layer) in facts.program.layers().iter().enumerate() {
        match amend(facts, call, &last.effects, at, layer) {
            Amendment::Refused(whole) => found.extend(whole),
            Amendment::Args { args, by, unwritable } => {
                found.extend(unwritable);
                if args.is_some() {
                    let why = "its rewriting does not settle: it would change the rewritten call again";
                    found.extend(by.into_iter().map(|rule| whole(rule, Level::Block, false, why)));
                }
            }
        }
        if added {
            let why = "its rewriting adds a capability that the call as asked does not have";
            let own = layer.rules.iter().filter(|rule| way.by.iter().any(|name| **name == *rule.full_name));
            found.extend(own.map(|rule| whole(rule, Level::Block, false, why)));
        }
    }
    way.whole.extend(found);
}

/// What the tool is declared to do; what is feared of an undeclared one does not change.
fn capabilities(judgement: &CallJudgement<'_>) -> CapabilitySet {
    let declared = judgement.effects.iter().filter(|effect| effect.origin != Origin::Undeclared);
    declared.map(|effect| effect.capability).filter(|c| *c != Capability::Nothing).collect()
}
