//! The tools that ship with the program, as the other verbs see them.

use std::collections::BTreeMap;

use crate::gate::Registry;
use crate::model::ToolDeclaration;
use crate::tools;

use super::exit::Failure;

/// The built-in tools.
///
/// # Errors
/// None in a correct build.
pub fn builtin() -> Result<Registry, Failure> {
    tools::builtin().map_err(|error| Failure::internal(error.to_string()))
}

/// What the compiler has to know about them.
///
/// # Errors
/// None in a correct build.
pub fn declarations() -> Result<Vec<ToolDeclaration>, Failure> {
    Ok(builtin()?.declarations())
}

/// Where each tool comes from, by its name.
///
/// # Errors
/// None in a correct build.
pub fn sources() -> Result<BTreeMap<String, String>, Failure> {
    let registry = builtin()?;
    let named = registry.definitions().map(|(source, tool)| (tool.name.clone(), source.to_owned()));
    Ok(named.collect())
}
