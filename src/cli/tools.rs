//! The tools that ship with the program, as the verbs see them.

use std::collections::BTreeMap;

use crate::gate::Registry;
use crate::tools;

use super::exit::Failure;

/// The built-in tools.
///
/// # Errors
/// None in a correct build.
pub fn builtin() -> Result<Registry, Failure> {
    tools::builtin().map_err(|error| Failure::internal(error.to_string()))
}

/// Where each tool comes from, by its name.
#[must_use]
pub fn sources(registry: &Registry) -> BTreeMap<String, String> {
    registry.definitions().map(|(source, tool)| (tool.name.clone(), source.to_owned())).collect()
}
