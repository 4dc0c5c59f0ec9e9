//! Which tools there are, and where each comes from.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::base::limits;
use crate::model::ToolDeclaration;

use super::tool::{Definition, Tool};

/// The tools of a gate by name.
#[derive(Default)]
pub struct Registry {
    tools: BTreeMap<String, Registered>,
    shadowed: Vec<(String, String)>,
}

/// A tool and its source.
#[derive(Clone)]
pub(super) struct Registered {
    pub(super) tool: Arc<dyn Tool>,
    pub(super) source: String,
    pub(super) slots: Arc<Semaphore>,
}

/// Why a tool was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The name is taken, and nothing says that it may be taken over.
    #[error("the tool `{name}` is already registered by {held_by}")]
    Duplicate {
        /// The name.
        name: String,
        /// Who has it.
        held_by: String,
    },
    /// The definition cannot be used.
    #[error("the tool `{name}` cannot be used: {reason}")]
    Invalid {
        /// The name.
        name: String,
        /// Why.
        reason: String,
    },
}

/// The source of the tools that ship with the program.
pub const BUILTIN: &str = "builtin";

impl Registry {
    /// No tools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool of a source (`builtin`, `project:PATH`, `user:PATH`, `mcp:SERVER`, or the host
    /// program's own word).
    ///
    /// # Errors
    /// The name is taken (the loser is listed as `shadowed`), or the definition cannot be used.
    pub fn add(&mut self, source: &str, tool: Arc<dyn Tool>) -> Result<(), RegistryError> {
        let definition = tool.definition();
        let name = definition.name.clone();
        let invalid = |reason: &str| RegistryError::Invalid { name: name.clone(), reason: reason.to_owned() };
        if name.is_empty() || name.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(invalid("its name is empty or holds a space or a control character"));
        }
        if definition.time_limit_ms == 0 {
            return Err(invalid("its time limit is zero"));
        }
        if definition.declaration.schema.is_none() {
            return Err(invalid("it has no schema"));
        }
        if !definition.declaration.pattern.matches(&name) {
            return Err(invalid("its effects are declared for another name"));
        }
        if let Some(held) = self.tools.get(&name) {
            self.shadowed.push((name.clone(), source.to_owned()));
            return Err(RegistryError::Duplicate { name, held_by: held.source.clone() });
        }
        let slots = Semaphore::new(definition.concurrency.clamp(1, limits::CONCURRENT_CALLS_MAX));
        let entry = Registered { tool, source: source.to_owned(), slots: Arc::new(slots) };
        self.tools.insert(name, entry);
        Ok(())
    }

    pub(super) fn get(&self, name: &str) -> Option<&Registered> {
        self.tools.get(name)
    }

    /// The definitions with their sources, by name.
    pub fn definitions(&self) -> impl Iterator<Item = (&str, &Definition)> {
        self.tools.values().map(|entry| (entry.source.as_str(), entry.tool.definition()))
    }

    /// What the compiler has to know about these tools.
    #[must_use]
    pub fn declarations(&self) -> Vec<ToolDeclaration> {
        self.tools.values().map(|entry| (*entry.tool.definition().declaration).clone()).collect()
    }

    /// The start-up summary, one line a tool: `read_file -> builtin (active)`.
    #[must_use]
    pub fn summary(&self) -> Vec<String> {
        let active = self.tools.iter().map(|(name, entry)| format!("{name} -> {} (active)", entry.source));
        let shadowed = self.shadowed.iter().map(|(name, source)| format!("{name} -> {source} (shadowed)"));
        let mut lines: Vec<_> = active.chain(shadowed).collect();
        lines.sort();
        lines
    }
}
