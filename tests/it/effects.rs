//! Effects against the real file system and against corpora of attacks.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "tests make real files, and a failure is a failed test"
)]

mod corpus;
mod real;
