//! What an author is told about a source text: data only, rendering lives in `cli/render`.

use super::{FileId, Fix, Span};

/// How grave a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Worth knowing; nothing to do.
    Note,
    /// Probably a mistake; the policy still loads.
    Warning,
    /// The policy does not load.
    Error,
}

impl Level {
    /// `error`, `warning` or `note`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A second place that explains the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The text it points into.
    pub file: FileId,
    /// Where.
    pub span: Span,
    /// What is to be seen there.
    pub text: String,
}

/// One finding about a text: place, what is wrong, what was expected, the smallest mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable kebab-case code, such as `unknown-name`.
    pub code: &'static str,
    /// How grave it is.
    pub level: Level,
    /// One sentence, lower case, no final stop, user's words in backticks.
    pub message: String,
    /// The text it is about.
    pub file: FileId,
    /// Where.
    pub span: Span,
    /// What would be right here.
    pub expected: Option<String>,
    /// What to do, such as "did you mean `x`?".
    pub help: Option<String>,
    /// Other places that explain this one.
    pub labels: Vec<Label>,
    /// The mend as edits.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, file: FileId, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            level: Level::Error,
            message: message.into(),
            file,
            span,
            expected: None,
            help: None,
            labels: Vec::new(),
            fix: None,
        }
    }

    /// A warning.
    pub fn warning(code: &'static str, file: FileId, span: Span, message: impl Into<String>) -> Self {
        Self { level: Level::Warning, ..Self::error(code, file, span, message) }
    }

    /// Says what would be right here.
    #[must_use]
    pub fn expected(mut self, text: impl Into<String>) -> Self {
        self.expected = Some(text.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn label(mut self, file: FileId, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { file, span, text: text.into() });
        self
    }

    /// Adds the mend.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }
}
