//! Command patterns (`language.md`, section 7): what stands in backticks. Matching needs the command
//! catalogue and lives in `effects/shell`.

use super::PatternError;

/// A word of a pattern: pieces of text with `*` between, one list for each `{a,b}` alternative.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WordPattern {
    /// At least one alternative; each is texts with a `*` between neighbours (one text: literal).
    pub alternatives: Vec<Vec<String>>,
}

/// A parsed command pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommandPattern {
    /// As written.
    pub text: String,
    /// `NAME=…` before the program.
    pub assignments: Vec<(String, WordPattern)>,
    /// The program word.
    pub program: WordPattern,
    /// The words behind it, `--` and `...` left out.
    pub words: Vec<WordPattern>,
    /// The index in `words` before which `--` stands.
    pub end_of_options: Option<usize>,
    /// `...` stands at the end.
    pub open: bool,
}

impl CommandPattern {
    /// Parses shell words with `*`, `{a,b}`, quotes and a final `...`.
    ///
    /// # Errors
    /// An empty pattern, an unclosed quote or brace, `...` anywhere but at the end, or shell syntax
    /// that is no word (`|`, `;`, `&`, `>`, `<`, `$`, `(`).
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        Err(PatternError::new(format!("`{text}` is not understood"), "a command pattern"))
    }
}
