//! The integration tests, one binary.

mod lang;
