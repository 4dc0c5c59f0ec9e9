//! JSON Schemas of tools: compiled once, no reference leaves the document.

use std::fmt;

use serde_json::Value;

/// A compiled JSON Schema (drafts 4 to 2020-12) with its source.
pub struct Schema {
    source: Value,
    validator: jsonschema::Validator,
}

/// Why arguments do not fit a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaViolation {
    /// JSON pointer into the arguments.
    pub at: String,
    /// What was expected there; never repeats the value.
    pub message: String,
}

/// Violations reported for one call; the rest adds nothing a caller could use.
const VIOLATIONS_MAX: usize = 8;

impl Schema {
    /// Compiles a schema. Patterns are of crate `regex` (linear time), references stay inside.
    ///
    /// # Errors
    /// What is wrong with the schema, as one sentence.
    pub fn compile(source: Value) -> Result<Self, String> {
        let patterns = jsonschema::PatternOptions::regex().size_limit(crate::base::limits::REGEX_BYTES_MAX);
        let validator = jsonschema::options()
            .with_pattern_options(patterns)
            .should_validate_formats(true)
            .build(&source)
            .map_err(|error| format!("not a valid JSON Schema: {error}"))?;
        Ok(Self { source, validator })
    }

    /// The schema as it was written.
    #[must_use]
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// Checks a value.
    ///
    /// # Errors
    /// The first few violations, in the validator's order.
    pub fn check(&self, value: &Value) -> Result<(), Vec<SchemaViolation>> {
        let violations: Vec<_> = self
            .validator
            .iter_errors(value)
            .take(VIOLATIONS_MAX)
            .map(|error| SchemaViolation {
                at: error.instance_path().to_string(),
                message: error.masked().to_string(),
            })
            .collect();
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({})", self.source)
    }
}
