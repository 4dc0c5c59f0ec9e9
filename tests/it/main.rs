//! All integration tests in one binary.

mod effects;
mod gate;
mod lang;
