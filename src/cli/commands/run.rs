//! `tollgate run`.

use crate::cli::args::RunArgs;
use crate::cli::exit::{Exit, Failure};

/// Runs.
///
/// # Errors
/// The input cannot be used.
pub fn run(_args: &RunArgs) -> Result<Exit, Failure> {
    Err(Failure::internal("not there yet"))
}
