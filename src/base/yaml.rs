//! YAML in: strict options, set once. Nothing else in the program calls the YAML library.

use serde::de::DeserializeOwned;
use serde_yaml as yaml;

use super::limits::{CONFIG_FILE_BYTES_MAX, NESTING_LEVELS_MAX};
use super::suggest::nearest;

/// Anchors and aliases of one file: people who write configuration need a few.
const ALIASES_MAX: usize = 100;
/// Nodes of one file, aliases expanded: a file of the largest size has fewer.
const NODES_MAX: usize = 200_000;

/// Why a YAML text was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct YamlError {
    /// What is wrong.
    pub message: String,
    /// The line, from 1, where it is known.
    pub line: Option<u32>,
    /// The column in characters, from 1.
    pub column: Option<u32>,
}

impl YamlError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), line: None, column: None }
    }
}

/// Reads one document of at most [`CONFIG_FILE_BYTES_MAX`] bytes. `yes` and `no` are words, keys are
/// unique, there are no merge keys, and only the tags of the core schema.
///
/// # Errors
/// Anything else, and an empty document.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    if text.len() > CONFIG_FILE_BYTES_MAX {
        return Err(YamlError::new(format!("the file is larger than {CONFIG_FILE_BYTES_MAX} bytes")));
    }
    if is_empty(text) {
        return Err(YamlError::new("the file is empty"));
    }
    yaml::from_str_with_options(text, options()).map_err(|error| {
        let place = error.location();
        let clip = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        YamlError {
            message: message(error.without_snippet()),
            line: place.as_ref().map(|at| clip(at.line())),
            column: place.as_ref().map(|at| clip(at.column())),
        }
    })
}

/// The library's messages in words for people: without names of types and options, and without the
/// place, which stands beside them.
fn message(error: &yaml::Error) -> String {
    use yaml::Error;
    use yaml::budget::BudgetBreach;
    match error {
        Error::AliasError { error, .. } | Error::WithSnippet { error, .. } => message(error),
        Error::DuplicateMappingKey { key: Some(key), .. } => format!("the key `{key}` stands here twice"),
        Error::DuplicateMappingKey { .. } => "a key stands here twice".to_owned(),
        Error::SerdeUnknownField { field, expected, .. } => {
            let near = nearest(field, expected.iter().copied());
            let hint = near.map(|near| format!(", did you mean `{near}`?"));
            let known = expected.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            format!(
                "there is no key `{field}` here{}",
                hint.unwrap_or_else(|| format!("; the keys are {known}"))
            )
        }
        Error::SerdeUnknownVariant { variant, expected, .. } => {
            let known = expected.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
            format!("`{variant}` is none of {known}")
        }
        Error::SerdeMissingField { field, .. } => format!("the key `{field}` is missing here"),
        Error::InvalidBooleanStrict { .. } => "this must be `true` or `false`".to_owned(),
        Error::NullIntoString { .. } => "this must be a text, there is nothing".to_owned(),
        Error::MergeKeyNotAllowed { .. } => "the merge key `<<` is not read here".to_owned(),
        Error::MultipleDocuments { .. } => "a second document begins here; there can be one".to_owned(),
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => {
            format!("it is nested deeper than {NESTING_LEVELS_MAX} levels")
        }
        Error::Budget { .. } => {
            "it has more nodes, anchors or aliases than a file of this kind can have".to_owned()
        }
        other => {
            let text = other.to_string();
            if text.contains("recursion limit") {
                return format!("it is nested deeper than {NESTING_LEVELS_MAX} levels");
            }
            let place =
                text.rfind(" at line ").filter(|at| text.get(*at..).is_some_and(|end| !end.contains('\n')));
            place.and_then(|at| text.get(..at)).unwrap_or(&text).to_owned()
        }
    }
}

fn options() -> yaml::Options {
    yaml::options! {
        strict_booleans: true,
        reject_unsupported_tags: true,
        reject_tagged_field_names: true,
        duplicate_keys: yaml::DuplicateKeyPolicy::Error,
        merge_keys: yaml::MergeKeyPolicy::Error,
        with_snippet: false,
        budget: yaml::budget! {
            max_depth: NESTING_LEVELS_MAX,
            flow_nesting_limit: NESTING_LEVELS_MAX,
            max_nodes: NODES_MAX,
            max_aliases: ALIASES_MAX,
            max_anchors: ALIASES_MAX,
            max_documents: 1,
            max_merge_keys: 0,
        },
    }
}

/// Whether there is nothing but blank lines, comments and markers.
fn is_empty(text: &str) -> bool {
    text.trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with('#') || line == "---" || line == "...")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::parse;

    #[test]
    fn reads_plain_documents() {
        let value: Value = parse("a: no\nb: true\nc: [1, x]\nd: 2026-12-01\n").expect("yaml");
        assert_eq!(value, json!({"a": "no", "b": true, "c": [1, "x"], "d": "2026-12-01"}));
    }

    #[test]
    fn refuses_what_hides() {
        let deep = "[".repeat(100);
        for text in [
            "",
            "# only\n---\n",
            "a: 1\na: 2",
            "b: &x {c: 1}\na:\n  <<: *x",
            "a: !secret x",
            "a: 1\n---\nb: 2",
            deep.as_str(),
        ] {
            let error = parse::<Value>(text).expect_err(text);
            assert!(!error.message.is_empty());
        }
        let error = parse::<Value>("a: 1\nb: 2\na: 3\n").expect_err("duplicate");
        assert_eq!(error.line, Some(3), "{error:?}");
        let bomb = format!(
            "a0: &a0 [x]\n{}",
            (1..12)
                .map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(",")))
                .collect::<String>()
        );
        assert!(parse::<Value>(&bomb).is_err());
    }
}
