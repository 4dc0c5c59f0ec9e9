//! The scrubber: no credential passes it, whole or in part.
//!
//! All keywords of all formats are looked for at once; a format's regular expression runs near its own
//! keywords only. Every string leaf and every key of a value is scrubbed on its own, so JSON stays valid.
//! What is found goes whole, and before anything is cut.

mod cut;
mod encoded;
mod find;
mod keyblock;
mod paths;
mod rules;
mod stream;
mod table;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
mod value;

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::tool::Head;
use find::{Depth, Finder};
use table::Table;

pub use paths::Places;
pub use rules::{ResultRules, Ruled};
pub use stream::Stream;

/// Something that went through the scrubber.
///
/// INVARIANT(scrubbed-by-scrubber): only this module makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scrubbed<T>(T);

impl<T> Scrubbed<T> {
    /// What it holds.
    #[must_use]
    pub fn get(&self) -> &T {
        &self.0
    }

    /// What it holds.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl Scrubbed<String> {
    /// The program's own words: nothing in them came from a caller or a tool.
    #[must_use]
    pub(super) fn words(text: &'static str) -> Self {
        Self(text.to_owned())
    }
}

/// What `redact` rules add to the scrubber.
#[derive(Debug, Clone, Default)]
pub struct Rewriting {
    /// What stands where a secret stood, instead of `[REDACTED:format]`.
    pub secrets_with: Option<String>,
    /// What else is replaced, and by what.
    pub matches: Vec<(Regex, String)>,
}

/// Finds credentials by the formats of their issuers.
#[derive(Debug)]
pub struct Scrubber {
    finder: Finder,
}

/// One find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Secret<'s> {
    /// First byte.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
    /// Its format.
    pub format: &'s str,
}

struct Span<'a> {
    start: usize,
    end: usize,
    with: Cow<'a, str>,
}

static SHARED: LazyLock<Option<Scrubber>> = LazyLock::new(Scrubber::build);

impl Scrubber {
    /// The scrubber of this program. `None` only if its own table does not compile, which a test
    /// rules out; the gate then admits nothing.
    #[must_use]
    pub fn shared() -> Option<&'static Self> {
        SHARED.as_ref()
    }

    fn build() -> Option<Self> {
        Finder::new(Table::embedded().ok()?).map(|finder| Self { finder })
    }

    /// The credentials in a text, in order, without overlap; they begin and end at characters.
    #[must_use]
    pub fn secrets<'s>(&'s self, text: &str) -> Vec<Secret<'s>> {
        let found = self.finder.find(text.as_bytes(), Depth::Decode).into_iter();
        let found = found.filter(|found| found.start < found.end).map(|found| Secret {
            start: text.floor_char_boundary(found.start),
            end: text.ceil_char_boundary(found.end),
            format: found.id,
        });
        found.collect()
    }

    /// Scrubs what comes in pieces, in bounded memory.
    #[must_use]
    pub fn stream(&self, rules: &Rewriting) -> Stream<'_> {
        Stream::new(&self.finder, rules)
    }

    /// A text without its credentials.
    #[must_use]
    pub fn text(&self, text: &str, rules: &Rewriting) -> Scrubbed<String> {
        Scrubbed(self.rewrite(text, None, rules))
    }

    /// The first bytes of a text, cut at a character, without credentials: one that lies on the cut is
    /// replaced whole, so the text has to go on behind the cut.
    #[must_use]
    pub fn head(&self, text: &str, bytes: usize, rules: &Rewriting) -> Scrubbed<String> {
        Scrubbed(self.rewrite(text, Some(bytes), rules))
    }

    /// A value without credentials in its string leaves and keys.
    #[must_use]
    pub fn value(&self, value: Value, rules: &Rewriting) -> Scrubbed<Value> {
        Scrubbed(self.walk(value, rules))
    }

    /// A tool's result without credentials, its heads cut.
    #[must_use]
    pub fn result(&self, data: Map<String, Value>, heads: &[Head], rules: &Rewriting) -> Scrubbed<Value> {
        let mut out = Map::new();
        for (key, value) in data {
            let head = heads.iter().find(|head| head.field == key);
            let value = match (value, head) {
                (Value::String(text), Some(head)) => {
                    Value::String(self.rewrite(&text, Some(head.bytes), rules))
                }
                (value, _) => self.member(&key, value, rules),
            };
            insert_apart(&mut out, self.rewrite(&key, None, rules), value);
        }
        Scrubbed(Value::Object(out))
    }

    /// A message of a call that gives no result: without credentials, and without absolute paths
    /// outside the workspace.
    #[must_use]
    pub fn message(&self, text: &str, places: &Places) -> Scrubbed<String> {
        self.message_by(text, places, &Rewriting::default())
    }

    /// The same, under the rules that hold for the result that it is about.
    #[must_use]
    pub fn message_by(&self, text: &str, places: &Places, rules: &Rewriting) -> Scrubbed<String> {
        Scrubbed(places.hide(&self.rewrite(text, None, rules)))
    }

    /// The same for a value.
    #[must_use]
    pub fn message_value(&self, value: Value, places: &Places) -> Scrubbed<Value> {
        Scrubbed(places.hide_value(self.walk(value, &Rewriting::default())))
    }

    /// Cuts the longest texts of a value until all its texts fit. Says whether anything was cut.
    #[must_use]
    pub fn cut(value: Scrubbed<Value>, bytes: u64) -> (Scrubbed<Value>, bool) {
        let (value, was_cut) = cut::cut(value.0, usize::try_from(bytes).unwrap_or(usize::MAX));
        (Scrubbed(value), was_cut)
    }

    fn walk(&self, value: Value, rules: &Rewriting) -> Value {
        match value {
            Value::String(text) => Value::String(self.rewrite(&text, None, rules)),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.walk(item, rules)).collect())
            }
            Value::Object(members) => {
                let mut out = Map::new();
                for (key, value) in members {
                    let value = self.member(&key, value, rules);
                    insert_apart(&mut out, self.rewrite(&key, None, rules), value);
                }
                Value::Object(out)
            }
            other => other,
        }
    }

    /// A member of an object: its name may tell that its value is a credential.
    fn member(&self, key: &str, value: Value, rules: &Rewriting) -> Value {
        let scrubbed = self.walk(value.clone(), rules);
        match (&value, &scrubbed) {
            (Value::String(before), Value::String(after))
                if before == after && value::name_tells(key) && value::is_named(key, before) =>
            {
                Value::String(replacement("secret", rules).into_owned())
            }
            _ => scrubbed,
        }
    }

    fn rewrite(&self, text: &str, head: Option<usize>, rules: &Rewriting) -> String {
        let end = head.map_or(text.len(), |bytes| text.floor_char_boundary(bytes));
        let spans = self.spans(text, rules);
        let mut out = String::with_capacity(end);
        let mut at = 0;
        for span in spans.iter().take_while(|span| span.start < end) {
            out.push_str(text.get(at..span.start).unwrap_or(""));
            out.push_str(&span.with);
            at = span.end;
        }
        out.push_str(text.get(at..end).unwrap_or(""));
        out
    }

    /// Everything to replace, in order, without overlap.
    fn spans<'a>(&self, text: &str, rules: &'a Rewriting) -> Vec<Span<'a>> {
        let secrets = self.secrets(text).into_iter().map(|secret| Span {
            start: secret.start,
            end: secret.end,
            with: replacement(secret.format, rules),
        });
        let mut spans: Vec<Span<'a>> = secrets.collect();
        for (regex, with) in &rules.matches {
            let finds = regex.find_iter(text).filter(|find| !find.is_empty());
            spans.extend(finds.map(|f| Span { start: f.start(), end: f.end(), with: with.as_str().into() }));
        }
        spans.sort_by_key(|span| span.start);
        spans.dedup_by(|next, kept| {
            let overlaps = next.start < kept.end;
            if overlaps {
                kept.end = kept.end.max(next.end);
            }
            overlaps
        });
        spans
    }
}

fn replacement<'a>(format: &str, rules: &'a Rewriting) -> Cow<'a, str> {
    match &rules.secrets_with {
        Some(text) => text.as_str().into(),
        None => format!("[REDACTED:{format}]").into(),
    }
}

/// Two keys may be one after scrubbing; neither value gets lost.
fn insert_apart(out: &mut Map<String, Value>, key: String, value: Value) {
    if !out.contains_key(&key) {
        out.insert(key, value);
        return;
    }
    let free = (2_u32..).map(|n| format!("{key}#{n}")).find(|name| !out.contains_key(name));
    if let Some(name) = free {
        out.insert(name, value);
    }
}
