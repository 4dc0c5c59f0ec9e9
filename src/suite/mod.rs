//! Rank 6: tests of policies. A test file becomes a [`Suite`]: cases and the cells of matrices, each a
//! call in a virtual world with what has to come of it. A [`Runner`] judges them under a program. No
//! disk, no clock, no thread: whoever runs a suite reads its policy and decides how many checks run at
//! once.

mod case;
mod expect;
mod matrix;
mod names;
mod reader;
pub mod report;
mod runner;
pub mod snapshot;
mod why;

pub use case::{Check, Kind, PolicySource, Suite, parse};
pub use expect::Expectation;
pub use reader::SuiteError;
pub use report::{CheckReport, Failure, Report};
pub use runner::{Host, Runner, run};
