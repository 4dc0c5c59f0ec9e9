//! The gate from outside: what a caller sees, what is recorded, and what never happens.

mod faults;
mod files;
mod limits;
mod race;
mod refusals;
mod shell;
pub mod support;
