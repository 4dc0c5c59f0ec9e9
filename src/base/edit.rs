//! Mends as text edits.

use super::Span;

/// Replace the text of `span` by `text`; an empty span inserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub text: String,
}

/// Edits of one file that mend one diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Disjoint edits of the diagnostic's own file.
    pub edits: Vec<Edit>,
    /// Whether the mend is certain, so that `--fix` may apply it.
    pub safe: bool,
}

impl Fix {
    /// One certain replacement.
    pub fn replace(span: Span, text: impl Into<String>) -> Self {
        Self { edits: vec![Edit { span, text: text.into() }], safe: true }
    }

    /// One likely replacement that a person should look at.
    pub fn suggest(span: Span, text: impl Into<String>) -> Self {
        Self { edits: vec![Edit { span, text: text.into() }], safe: false }
    }
}
