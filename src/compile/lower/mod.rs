//! Rules and conditions in the form that the engine reads.

pub(super) mod condition;
pub(super) mod rule;
pub(super) mod text;
