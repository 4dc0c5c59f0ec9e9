//! All integration tests in one binary.

mod check;
mod cli;
mod effects;
mod format;
mod gate;
mod generator;
mod lang;
mod laws;
mod layers;
mod oracle;
mod oracle_agrees;
mod shell;
mod spec;
