//! The scrubber: no credential passes it, whole or in part.
//!
//! All keywords of all formats are looked for at once; only the formats whose keyword stands in the
//! text have their regular expression run. Every string leaf and every key of a value is scrubbed on
//! its own, so JSON stays valid.

mod cut;
mod detectors;
mod paths;
mod rules;
#[cfg(test)]
mod tests;

use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::Regex;
use serde_json::{Map, Value};

use super::tool::Head;
use detectors::{DETECTORS, Detector, NAME_REGEX};

pub use paths::Places;
pub use rules::rewriting;

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
    keywords: AhoCorasick,
    /// The format that each keyword belongs to.
    owners: Vec<usize>,
}

/// One find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Secret {
    /// First byte.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
    /// Its format.
    pub format: &'static str,
}

struct Span<'a> {
    start: usize,
    end: usize,
    with: std::borrow::Cow<'a, str>,
}

static COMPILED: [OnceLock<Option<Regex>>; DETECTORS.len()] = [const { OnceLock::new() }; DETECTORS.len()];
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(NAME_REGEX).ok());
static SHARED: LazyLock<Option<Scrubber>> = LazyLock::new(Scrubber::build);

/// Characters of a member's value that make it a credential under a telling name.
const NAMED_SECRET_CHARS_MIN: usize = 6;
/// Bits a character of the same.
const NAMED_SECRET_ENTROPY_MIN: f64 = 2.3;

fn regex_of(index: usize, detector: &Detector) -> Option<&'static Regex> {
    COMPILED.get(index)?.get_or_init(|| Regex::new(detector.regex).ok()).as_ref()
}

impl Scrubber {
    /// The scrubber of this program. `None` only if its own table does not compile, which a test
    /// rules out; the gate then admits nothing.
    #[must_use]
    pub fn shared() -> Option<&'static Self> {
        SHARED.as_ref()
    }

    fn build() -> Option<Self> {
        let words = DETECTORS.iter().enumerate().flat_map(|(i, d)| d.keywords.iter().map(move |k| (i, *k)));
        let (owners, keywords): (Vec<_>, Vec<_>) = words.unzip();
        let keywords = AhoCorasick::builder().ascii_case_insensitive(true).build(keywords).ok()?;
        Some(Self { keywords, owners })
    }

    /// The credentials in a text, in order, without overlap.
    #[must_use]
    pub fn secrets(&self, text: &str) -> Vec<Secret> {
        let mut candidates = vec![false; DETECTORS.len()];
        for found in self.keywords.find_overlapping_iter(text) {
            let owner = self.owners.get(found.pattern().as_usize());
            if let Some(slot) = owner.and_then(|owner| candidates.get_mut(*owner)) {
                *slot = true;
            }
        }
        let mut found = Vec::new();
        for (index, detector) in DETECTORS.iter().enumerate() {
            if candidates.get(index) == Some(&true)
                && let Some(regex) = regex_of(index, detector)
            {
                found.extend(finds(regex, detector, text));
            }
        }
        found.sort_by_key(|secret| (secret.start, std::cmp::Reverse(secret.end)));
        found.dedup_by(|next, kept| {
            let overlaps = next.start < kept.end;
            if overlaps {
                kept.end = kept.end.max(next.end);
            }
            overlaps
        });
        found
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
        Scrubbed(places.hide(&self.rewrite(text, None, &Rewriting::default())))
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
                if before == after && is_named_secret(key, before) =>
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

fn replacement<'a>(format: &str, rules: &'a Rewriting) -> std::borrow::Cow<'a, str> {
    match &rules.secrets_with {
        Some(text) => text.as_str().into(),
        None => format!("[REDACTED:{format}]").into(),
    }
}

fn finds<'t>(
    regex: &'t Regex,
    detector: &'static Detector,
    text: &'t str,
) -> impl Iterator<Item = Secret> + 't {
    regex.captures_iter(text).filter_map(move |captures| {
        let credential = captures.get(1).or_else(|| captures.get(0))?;
        if credential.is_empty() || entropy(credential.as_str()) < detector.entropy {
            return None;
        }
        // The whole run of characters that could belong to it goes with it.
        let rest = text.get(credential.end()..).unwrap_or("");
        let more = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        Some(Secret { start: credential.start(), end: credential.end() + more, format: detector.id })
    })
}

/// Shannon entropy in bits a character.
fn entropy(text: &str) -> f64 {
    let mut counts = std::collections::BTreeMap::new();
    let mut total = 0_u32;
    for c in text.chars() {
        *counts.entry(c).or_insert(0_u32) += 1;
        total += 1;
    }
    counts.values().map(|count| f64::from(*count) / f64::from(total)).map(|p| -p * p.log2()).sum()
}

fn is_named_secret(key: &str, value: &str) -> bool {
    NAME.as_ref().is_some_and(|name| name.is_match(key))
        && value.chars().count() >= NAMED_SECRET_CHARS_MIN
        && !value.contains(char::is_whitespace)
        && !value.starts_with(['[', '$', '<', '{'])
        && entropy(value) >= NAMED_SECRET_ENTROPY_MIN
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
