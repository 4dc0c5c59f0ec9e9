//! Regular expressions of conditions: checked when the policy loads, compiled when a text first has to
//! be compared with one.
//!
//! INVARIANT(loads-then-compiles): whatever was accepted at load compiles later. Small expressions are
//! told by an upper bound of their compiled size (`weight`); any other is compiled once at load, under
//! the same limits.

mod required;
mod weight;

use std::sync::{Arc, OnceLock};

use regex_automata::{meta, util::syntax};
use regex_syntax::hir::Hir;

use crate::base::limits::REGEX_BYTES_MAX;

pub use required::{Required, required};

/// A regular expression that texts are compared with.
#[derive(Debug, Clone)]
pub struct TextPattern {
    /// As written, without slashes.
    pub source: String,
    /// `/…/i`.
    pub ignore_case: bool,
    /// The whole text must match.
    pub whole: bool,
    /// Compiled when it is first needed: one weighs about 40 KB, and most never are. `None` where it
    /// does not compile, which the check at load excludes.
    compiled: Arc<OnceLock<Option<meta::Regex>>>,
}

/// An expression that is too large once compiled ([`REGEX_BYTES_MAX`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

impl TextPattern {
    /// An expression whose syntax tree is known.
    ///
    /// # Errors
    /// Too large.
    pub fn new(source: &str, ignore_case: bool, whole: bool, parsed: &Hir) -> Result<Self, TooLarge> {
        let pattern = Self { source: source.to_owned(), ignore_case, whole, compiled: Arc::default() };
        // Half of the limit, since a reverse automaton may be built differently.
        if weight::weight(parsed) > REGEX_BYTES_MAX / 2 && pattern.compile().is_none() {
            return Err(TooLarge);
        }
        Ok(pattern)
    }

    /// Whether a text matches. `None` where that cannot be known.
    #[must_use]
    pub fn is_match(&self, text: &str) -> Option<bool> {
        let compiled = self.compiled.get_or_init(|| self.compile());
        compiled.as_ref().map(|regex| regex.is_match(text))
    }

    fn compile(&self) -> Option<meta::Regex> {
        let Self { source, ignore_case, .. } = self;
        if !self.whole {
            return compile(source, *ignore_case);
        }
        // A comment in verbose mode runs to the end of its line.
        compile(&format!(r"\A(?:{source})\z"), *ignore_case)
            .or_else(|| compile(&format!("\\A(?:{source}\n)\\z"), *ignore_case))
    }
}

fn compile(text: &str, ignore_case: bool) -> Option<meta::Regex> {
    let config = meta::Config::new()
        .nfa_size_limit(Some(REGEX_BYTES_MAX))
        .hybrid_cache_capacity(REGEX_BYTES_MAX)
        // It finds groups, which nobody asks for, and weighs up to 1 MB.
        .onepass(false);
    let syntax = syntax::Config::new().case_insensitive(ignore_case);
    meta::Regex::builder().configure(config).syntax(syntax).build(text).ok()
}

/// The syntax tree of an expression that was accepted at load.
#[must_use]
pub fn parse(source: &str, ignore_case: bool) -> Option<Hir> {
    regex_syntax::ParserBuilder::new().case_insensitive(ignore_case).build().parse(source).ok()
}

#[cfg(test)]
mod tests;
