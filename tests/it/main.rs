//! All integration tests in one binary.

mod check;
mod cli;
mod effects;
mod format;
mod gate;
mod lang;
mod layers;
mod shell;
