//! Rank 2: the nouns, each guarding its own invariants. No evaluation, no I/O.

pub mod call;
pub mod capability;
pub mod command;
pub mod demand;
pub mod effect;
pub mod number;
pub mod path;
pub mod pattern;
pub mod schema;
pub mod tool;
pub mod truth;
pub mod value;
pub mod verdict;

pub use call::{Call, Context};
pub use capability::{Action, Capability, CapabilitySet};
pub use command::{Command, Piece, Word};
pub use demand::Demand;
pub use effect::{Effect, Origin, Resource};
pub use number::Number;
pub use tool::{ToolDeclaration, ToolPattern};
pub use truth::Truth;
pub use verdict::{Level, Verdict};
