//! All integration tests in one binary.

mod format;
mod lang;
