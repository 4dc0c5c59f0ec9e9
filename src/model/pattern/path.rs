//! Path patterns (`language.md`, section 7): anchored globs over canonical paths.

use super::{Coverage, PatternError};
use crate::model::path::{Anchors, Folding};

/// Where a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Anchor {
    /// `/`.
    Root,
    /// `C:/`.
    Drive(char),
    /// `~/`.
    Home,
    /// `./`.
    Workspace,
}

/// The part of a pattern before its first wildcard, a directory that may have other spellings.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LiteralDir {
    /// Where it begins.
    pub anchor: Anchor,
    /// The components behind the anchor, `/`-separated; may be empty.
    pub dir: String,
}

/// A parsed path pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PathPattern {
    text: String,
}

impl PathPattern {
    /// Parses a glob.
    ///
    /// # Errors
    /// A pattern without an anchor, with `..`, or with broken brackets.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        Ok(Self { text: text.to_owned() })
    }

    /// Parses a literal directory for `under` and `is`: the same anchors, no wildcards.
    ///
    /// # Errors
    /// As [`PathPattern::parse`], and any wildcard.
    pub fn parse_literal(text: &str) -> Result<LiteralDir, PatternError> {
        Ok(LiteralDir { anchor: Anchor::Root, dir: text.to_owned() })
    }

    /// The pattern as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its literal beginning; `None` for `**/…`.
    #[must_use]
    pub fn literal_dir(&self) -> Option<LiteralDir> {
        None
    }

    /// Whether a canonical path matches.
    #[must_use]
    pub fn matches(&self, _path: &str, _anchors: &Anchors, _folding: Folding) -> bool {
        false
    }

    /// How much of `root` and all that could lie below it matches. Errs to `Some`.
    #[must_use]
    pub fn coverage(&self, _root: &str, _anchors: &Anchors, _folding: Folding) -> Coverage {
        Coverage::Some
    }
}

impl LiteralDir {
    /// Every absolute spelling under the anchors; empty where the anchor has no place.
    #[must_use]
    pub fn spellings(&self, _anchors: &Anchors) -> Vec<String> {
        Vec::new()
    }
}

impl std::fmt::Display for LiteralDir {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.anchor {
            Anchor::Root => write!(f, "/{}", self.dir),
            Anchor::Drive(letter) => write!(f, "{letter}:/{}", self.dir),
            Anchor::Home => write!(f, "~/{}", self.dir),
            Anchor::Workspace => write!(f, "./{}", self.dir),
        }
    }
}
