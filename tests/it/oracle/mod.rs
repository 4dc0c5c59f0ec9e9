//! A naive evaluator, written from the language's contract alone: no index, no compiled form, no
//! cleverness. It shares the parser and the derivation of effects with the engine, and nothing of
//! `compile/` or `decide/`. Where the two disagree, one of them has a bug.

mod command;
mod condition;
mod facts;
mod fields;
mod json;
mod judge;
mod modify;
mod paths;
mod policy;

pub use facts::derive as effects;
pub use judge::{EffectOutcome, Outcome};
pub use policy::Policy;

use tollgate::effects::World;
use tollgate::model::Call;

/// What the contract says about a call.
pub fn judge(policy: &Policy, call: &Call, world: &dyn World) -> Outcome {
    modify::judge(policy, call, world)
}
