//! What is known about a path: canonical spellings, kinds, trees.

/// What stands at a path (`path.kind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathKind {
    /// A plain file with one hard link.
    File,
    /// A directory.
    Dir,
    /// The root of a recursive operand.
    Tree,
    /// Nothing yet.
    Missing,
    /// A file with more than one hard link.
    Shared,
    /// A device, a socket, a pipe, anything else.
    Other,
}

impl PathKind {
    /// The word of the language.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Dir => "dir",
            Self::Tree => "tree",
            Self::Missing => "missing",
            Self::Shared => "shared",
            Self::Other => "other",
        }
    }
}

/// How names are compared in a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Folding {
    /// Upper and lower case are one.
    pub case: bool,
    /// Names are compared in Unicode NFC.
    pub unicode: bool,
}

/// One path on which a condition is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathVariant {
    /// Absolute, `/`-separated, without `.` and `..`; `C:/…` on Windows, drive in upper case.
    pub path: String,
    /// What stands there.
    pub kind: PathKind,
    /// Where it stands in the judgement.
    pub role: VariantRole,
}

/// Why a variant is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VariantRole {
    /// The path itself in one of its spellings, or an existing path in a tree: a grant must hold
    /// for it, and any other rule counts when it matches.
    Itself,
    /// Anything that could lie at or below it: judged as a whole region (a pattern holds for it only
    /// if it holds for every path in it, fails only if it fails for every path in it).
    /// `grants_only` regions (what a command could create) are judged for `allow` and the
    /// letting-through of `ask`; others (a walk beyond its bound) for every rule.
    Region {
        /// Whether only grants are judged on it.
        grants_only: bool,
    },
}

/// The path of a read or write effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathFact {
    /// What the argument or word said.
    pub given: String,
    /// Every path to judge. The last `Itself` of the given path's own spellings (index
    /// `canonical`) is the canonical one. Empty where the path is unresolved.
    pub variants: Vec<PathVariant>,
    /// Index into `variants` of the canonical spelling.
    pub canonical: usize,
    /// How names compare there.
    pub folding: Folding,
    /// Why it could not be known, where it could not.
    pub unresolved: Option<String>,
}

impl PathFact {
    /// A path that could not be known.
    #[must_use]
    pub fn unresolved(given: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            given: given.into(),
            variants: Vec::new(),
            canonical: 0,
            folding: Folding::default(),
            unresolved: Some(why.into()),
        }
    }

    /// The canonical path, where it is known.
    #[must_use]
    pub fn canonical(&self) -> Option<&str> {
        self.variants.get(self.canonical).map(|v| v.path.as_str())
    }
}

/// The places that patterns are anchored to, each with every spelling of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Anchors {
    /// The workspace root: canonical first, other spellings behind it.
    pub workspace: Vec<String>,
    /// The home directory; empty where there is none.
    pub home: Vec<String>,
    /// The directory for temporary files; empty where there is none.
    pub temp: Vec<String>,
    /// Literal directories of patterns (as [`crate::model::pattern::LiteralDir`] shows them:
    /// `/abs`, `~/x`, `./x`, `C:/x`) that have other spellings, with all of them. A directory that
    /// is not listed is its own only spelling.
    pub literals: std::collections::HashMap<String, Vec<String>>,
}

/// The last component of a path; empty for a root.
#[must_use]
pub fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or("")
}

/// The extension of a path's name without its dot: what follows the last dot, where something other
/// than dots stands before it; empty otherwise (`.env` has none).
#[must_use]
pub fn ext_of(path: &str) -> &str {
    let name = name_of(path);
    match name.rsplit_once('.') {
        Some((stem, ext)) if !stem.is_empty() && stem.bytes().any(|b| b != b'.') => ext,
        _ => "",
    }
}

/// Whether `path` is `dir` or lies below it, by whole components. Both canonical, `/`-separated.
#[must_use]
pub fn is_under(path: &str, dir: &str) -> bool {
    let dir = dir.strip_suffix('/').unwrap_or(dir);
    match path.strip_prefix(dir) {
        Some(rest) => rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}
