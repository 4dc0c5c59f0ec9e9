//! All integration tests in one binary.

mod cli;
mod effects;
mod format;
mod lang;
