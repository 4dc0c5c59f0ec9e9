//! All integration tests in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    clippy::too_many_lines,
    reason = "tests may fail loudly and use the real file system"
)]

mod bench;
mod check;
mod cli;
mod docs;
mod effects;
mod endings;
mod first_day;
mod format;
mod gate;
mod generator;
mod lang;
mod laws;
mod layers;
mod oracle;
mod oracle_agrees;
mod public_cases;
mod shell;
mod spec;
mod suite;
