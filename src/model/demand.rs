//! What facts a program can look at for a tool: filled by `compile`, taken by `effects`.

use super::pattern::path::LiteralDir;

/// The facts that some rule in scope could ask for. What nothing asks for is not looked up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Demand {
    /// Some rule in a network scope looks at `ip`: resolve names and split by address.
    pub ip: bool,
    /// Some rule in a read or write scope looks at the path: walk trees.
    pub paths: bool,
    /// The literal directories of all path patterns: find their other spellings.
    pub literal_dirs: Vec<LiteralDir>,
}
