//! The gate from outside: what a caller sees, what is recorded, and what never happens.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests make files, take time and fail by panicking"
)]

mod faults;
mod files;
pub mod hook_failures;
mod hooks;
mod limits;
mod race;
mod refusals;
mod results;
mod reverse;
mod secrets_corpus;
mod shell;
pub mod support;
