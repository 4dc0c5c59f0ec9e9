//! All integration tests in one binary.

mod gate;
mod lang;
