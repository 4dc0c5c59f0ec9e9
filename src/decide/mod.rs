//! Rank 5: program + call → [`Decision`]. Pure but for the [`World`](crate::effects::World) port,
//! bounded, and the only place where a [`Permit`] is made.

mod amend;
mod combine;
mod datum;
mod engine;
mod eval;
pub mod json;
mod judge;
pub mod permit;
pub mod result;
mod text;
pub mod trace;

pub use combine::approval_digest;
pub use engine::decide;
pub use json::verdict_to_json;
pub use judge::rules_read;
pub use permit::{Decision, Pending, Permit};
pub use result::{ResultJudgement, judge_result};
pub use trace::{Trace, explain};
