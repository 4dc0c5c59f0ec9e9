//! All integration tests in one binary.

mod check;
mod lang;
