//! `tollgate explain`.

use crate::cli::args::ExplainArgs;
use crate::cli::exit::{Exit, Failure};

/// Runs.
///
/// # Errors
/// The input cannot be used.
pub fn run(_args: &ExplainArgs) -> Result<Exit, Failure> {
    Err(Failure::internal("not there yet"))
}
