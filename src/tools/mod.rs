//! Rank 7: the tools that ship with the program. Their types are private: they are reached through a
//! [`Registry`], and that through the gate.
//!
//! ```
//! let registry = tollgate::tools::builtin()?;
//! assert!(registry.summary().contains(&"read_file -> builtin (active)".to_owned()));
//! # Ok::<(), tollgate::gate::registry::RegistryError>(())
//! ```
//! ```compile_fail,E0603
//! use tollgate::tools::read::ReadFile;
//! ```

mod edit;
mod list;
mod read;
mod read_text;
mod shell;
mod support;
mod write;

use std::sync::Arc;

use crate::gate::registry::{BUILTIN, Registry, RegistryError};
use crate::gate::tool::Tool;

/// The built-in tools. A tool is one file and one line here.
///
/// The shell tool makes this process the parent of orphans among its descendants
/// (`PR_SET_CHILD_SUBREAPER`) when it starts its first program.
///
/// # Errors
/// None in a correct build: a definition that cannot be used.
pub fn builtin() -> Result<Registry, RegistryError> {
    let tools: [Result<Arc<dyn Tool>, RegistryError>; 6] = [
        read_text::ReadText::tool(),
        read::ReadFile::tool(),
        list::ListDir::tool(),
        write::WriteFile::tool(),
        edit::EditFile::tool(),
        shell::Shell::tool(),
    ];
    let mut registry = Registry::new();
    for tool in tools {
        registry.add(BUILTIN, tool?)?;
    }
    Ok(registry)
}
