//! YAML in: strict options, set once. Nothing else in the program calls the YAML library.

use serde::de::{self, DeserializeOwned};
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

/// Which part of an entry a place is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Its key.
    Key,
    /// Its value.
    Value,
}

/// Line and column, from 1, of what lies at this path of keys and (in lists) numbers from 0, or of the
/// nearest thing around it that is there. The text is one that [`parse`] takes.
#[must_use]
pub fn place_of(text: &str, path: &[&str], part: Part) -> Option<(u32, u32)> {
    Places::read(text)?.of(path, part)
}

/// The places of everything in a document, for those who ask more than once.
#[derive(Debug, Clone)]
pub struct Places {
    root: yaml::Spanned<Node>,
}

impl Places {
    /// Reads the places of a text that [`parse`] takes; of another there are none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let root = yaml::from_str_with_options(text, options()).ok()?;
        Some(Self { root })
    }

    /// As [`place_of`].
    #[must_use]
    pub fn of(&self, path: &[&str], part: Part) -> Option<(u32, u32)> {
        let (mut place, mut node) = (self.root.referenced, &self.root.value);
        for (at, step) in path.iter().enumerate() {
            match node {
                Node::Map(entries) => {
                    let Some((key, value)) = entries.iter().find(|(key, _)| key.value == *step) else {
                        break;
                    };
                    let is_key = part == Part::Key && at + 1 == path.len();
                    place = if is_key { key.referenced } else { value.referenced };
                    node = &value.value;
                }
                Node::List(items) => {
                    let Some(item) = step.parse().ok().and_then(|at: usize| items.get(at)) else { break };
                    (place, node) = (item.referenced, &item.value);
                }
                Node::Leaf => break,
            }
        }
        let number = |n: u64| u32::try_from(n).ok().filter(|n| *n > 0);
        Some((number(place.line())?, number(place.column())?))
    }
}

/// A document of which only the places count.
#[derive(Debug, Clone)]
enum Node {
    Map(Vec<(yaml::Spanned<String>, yaml::Spanned<Node>)>),
    List(Vec<yaml::Spanned<Node>>),
    Leaf,
}

impl<'de> de::Deserialize<'de> for Node {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> de::Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Map(entries))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_i128<E>(self, _: i128) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_u128<E>(self, _: u128) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_str<E>(self, _: &str) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_some<D: de::Deserializer<'de>>(self, inner: D) -> Result<Node, D::Error> {
        inner.deserialize_any(Self)
    }
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

    use super::{Part, parse, place_of};

    #[test]
    fn reads_plain_documents() {
        let value: Value = parse("a: no\nb: true\nc: [1, x]\nd: 2026-12-01\n").expect("yaml");
        assert_eq!(value, json!({"a": "no", "b": true, "c": [1, "x"], "d": "2026-12-01"}));
    }

    #[test]
    fn places_are_of_keys_and_values() {
        let text = "# x\nlayers:\n  - name: a\n    path: x\n  - {name: b, paths: [1, ~, yes]}\noutput:\n  limit: 0\n";
        let value = |path: &[&str]| place_of(text, path, Part::Value);
        assert_eq!(value(&["layers", "0", "path"]), Some((4, 11)));
        assert_eq!(value(&["layers", "1", "paths", "2"]), Some((5, 29)));
        assert_eq!(value(&["layers", "1", "path"]), Some((5, 5)), "the nearest thing around it");
        assert_eq!(value(&["output", "limit"]), Some((7, 10)));
        assert_eq!(place_of(text, &["output", "limit"], Part::Key), Some((7, 3)));
        assert_eq!(place_of(text, &["colour"], Part::Key), value(&[]));
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
