//! Absolute paths in messages: inside the workspace they become relative, outside only the name stays.

use serde_json::Value;

use crate::model::path::{is_under, name_of};

/// Stands for what lies before a name outside the workspace.
const OUTSIDE: &str = "<outside the workspace>";

/// The places that a message may name.
#[derive(Debug, Clone, Default)]
pub struct Places {
    workspace: Vec<String>,
}

impl Places {
    /// The workspace root in its spellings.
    #[must_use]
    pub fn new(workspace: impl IntoIterator<Item = String>) -> Self {
        let workspace = workspace.into_iter().map(|w| w.trim_end_matches('/').to_owned());
        Self { workspace: workspace.filter(|w| !w.is_empty()).collect() }
    }

    /// A path as people see it.
    #[must_use]
    pub fn show(&self, path: &str) -> String {
        if let Some(root) = self.workspace.iter().find(|root| is_under(path, root)) {
            let rest = path.strip_prefix(root.as_str()).unwrap_or(path).trim_start_matches('/');
            return if rest.is_empty() { ".".to_owned() } else { rest.to_owned() };
        }
        format!("{OUTSIDE}/…/{}", name_of(path.trim_end_matches('/')))
    }

    /// A text with its absolute paths rewritten.
    pub(super) fn hide(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let mut before: Option<char> = None;
        while let Some(at) = rest.find('/') {
            let (plain, from) = rest.split_at(at);
            let previous = plain.chars().next_back().or(before);
            out.push_str(plain);
            let length = if from.starts_with("//") && previous == Some(':') && !ends_in_file_scheme(&out) {
                url_length(from)
            } else {
                token_length(from)
            };
            let (token, behind) = from.split_at(length);
            let starts = previous.is_none_or(starts_a_path);
            let is_url = from.starts_with("//") && previous == Some(':') && !ends_in_file_scheme(&out);
            // What is hidden already stays as it is.
            let hidden = out.ends_with(OUTSIDE);
            if starts && !hidden && !is_url && token.chars().any(|c| c != '/') {
                out.push_str(&self.show(&collapse(token)));
            } else {
                out.push_str(token);
            }
            before = token.chars().next_back();
            rest = behind;
        }
        out.push_str(rest);
        out
    }

    pub(super) fn hide_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.hide(&text)),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.hide_value(item)).collect())
            }
            Value::Object(members) => {
                let mut out = serde_json::Map::new();
                for (key, value) in members {
                    super::insert_apart(&mut out, self.hide(&key), self.hide_value(value));
                }
                Value::Object(out)
            }
            other => other,
        }
    }
}

fn ends_in_file_scheme(text: &str) -> bool {
    let scheme = text.strip_suffix(':').unwrap_or("");
    scheme.get(scheme.len().saturating_sub(4)..).is_some_and(|s| s.eq_ignore_ascii_case("file"))
}

/// Whether a slash behind this character begins an absolute path.
fn starts_a_path(before: char) -> bool {
    before.is_whitespace() || "\"'`=(<>[{,;|&:@!".contains(before)
}

fn ends_a_path(c: char) -> bool {
    c.is_whitespace() || "\"'`<>()[]{},;|&:".contains(c)
}

/// Bytes up to the end of the path that begins here; an escaped space belongs to it.
fn token_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if ends_a_path(c) && !escaped {
            return at;
        }
        escaped = c == '\\';
    }
    text.len()
}

fn url_length(text: &str) -> usize {
    text.find(|c: char| c.is_whitespace() || "\"'`<>".contains(c)).unwrap_or(text.len())
}

/// `//a//b` is `/a/b`.
fn collapse(path: &str) -> String {
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
    format!("/{}", parts.join("/"))
}
