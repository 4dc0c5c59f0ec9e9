//! The table of credentials: one entry of a file in `table/` is one format. `table/README.md` says what
//! an entry may hold.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::base::limits::REGEX_BYTES_MAX;
use crate::base::yaml;

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("table/", $name, ".yaml")))),+]
    };
}

/// The files, embedded: what says more stands first, and gives its name where two find the same.
const FILES: &[(&str, &str)] =
    files!["keys", "clouds", "forges", "messaging", "payments", "models", "tools", "services", "common",];
const PARTS: &str = include_str!("table/parts.yaml");

/// Bytes before a keyword where a match may begin, where an entry says nothing.
const LEAD_BYTES: usize = 96;
/// Bytes behind a keyword in which a match is looked for, where an entry says nothing: tokens are shorter.
const REACH_BYTES: usize = 512;
/// Bits a character of a value that is known by the name of its service.
const SERVICE_BITS: f64 = 2.5;

/// What must hold of a value beside its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Check {
    /// Nothing: the form says enough.
    #[default]
    Always,
    /// It is no mask, no reference, no placeholder.
    Literal,
    /// It is no mask and no reference.
    Userinfo,
    /// The same, in a header.
    Header,
    /// It looks drawn, not written.
    Random,
    /// What its name asks for; the name is the first group.
    Named,
    /// It is a literal under a name in capitals.
    Environment,
    /// It looks drawn, and its name is none of a public or technical key.
    Key,
}

/// One format.
#[derive(Debug)]
pub(super) struct Detector {
    pub(super) id: Box<str>,
    pub(super) check: Check,
    pub(super) bits: f64,
    pub(super) lead: usize,
    pub(super) reach: usize,
    pattern: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Detector {
    /// Compiled when it is needed for the first time: most texts need few. `None` is a fault of the
    /// table, which a test rules out.
    pub(super) fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.pattern).ok()).as_ref()
    }

    /// Whether the first group is a name.
    pub(super) fn has_name(&self) -> bool {
        matches!(self.check, Check::Named | Check::Environment | Check::Key)
    }
}

/// Bytes, not characters: tokens are ASCII, and the tables for other alphabets are large.
fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).unicode(false).size_limit(REGEX_BYTES_MAX).build()
}

/// All formats with their keywords.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) detectors: Vec<Detector>,
    /// A keyword, lower case, and the detector that it belongs to.
    pub(super) keywords: Vec<(String, usize)>,
    /// The examples of each detector, by its position.
    #[cfg(test)]
    pub(super) examples: Vec<Examples>,
}

/// What an entry says about itself.
#[cfg(test)]
#[derive(Debug)]
pub(super) struct Examples {
    pub(super) found: Vec<String>,
    pub(super) kept: Vec<String>,
    /// A service: a word for it and the form of the value.
    pub(super) service: Option<(String, String)>,
}

/// A fault of the table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("table/{file}.yaml: {message}")]
pub(super) struct TableError {
    file: String,
    message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawParts {
    parts: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    detectors: Vec<RawDetector>,
    #[serde(default)]
    services: Vec<RawService>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDetector {
    id: String,
    issuer: String,
    keywords: Vec<String>,
    pattern: String,
    #[serde(default)]
    check: Check,
    #[serde(default)]
    bits: f64,
    #[serde(default = "lead_bytes")]
    lead: usize,
    #[serde(default = "reach_bytes")]
    reach: usize,
    found: Vec<String>,
    kept: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawService {
    id: String,
    words: Vec<String>,
    value: String,
}

fn lead_bytes() -> usize {
    LEAD_BYTES
}

fn reach_bytes() -> usize {
    REACH_BYTES
}

impl Table {
    /// The table of this program.
    pub(super) fn embedded() -> Result<Self, TableError> {
        Self::parse(PARTS, FILES)
    }

    /// Reads the table. A fault of any entry refuses all of it.
    pub(super) fn parse(parts: &str, files: &[(&str, &str)]) -> Result<Self, TableError> {
        let fault = |file: &str, message: String| TableError { file: file.to_owned(), message };
        let parts: RawParts = yaml::parse(parts).map_err(|error| fault("parts", error.to_string()))?;
        let parts = whole(&parts.parts).map_err(|message| fault("parts", message))?;
        let mut table = Self {
            detectors: Vec::new(),
            keywords: Vec::new(),
            #[cfg(test)]
            examples: Vec::new(),
        };
        for (file, text) in files {
            let raw: RawFile = yaml::parse(text).map_err(|error| fault(file, error.to_string()))?;
            for entry in raw.detectors {
                let id = entry.id.clone();
                table.add(entry, &parts).map_err(|why| fault(file, format!("{id}: {why}")))?;
            }
            for entry in raw.services {
                let id = entry.id.clone();
                table.add_service(entry, &parts).map_err(|why| fault(file, format!("{id}: {why}")))?;
            }
        }
        Ok(table)
    }

    fn add(&mut self, entry: RawDetector, parts: &BTreeMap<String, String>) -> Result<(), String> {
        if entry.issuer.is_empty() {
            return Err("`issuer` says nothing".to_owned());
        }
        if entry.found.is_empty() || entry.kept.is_empty() {
            return Err("it needs an example in `found` and one in `kept`".to_owned());
        }
        let detector = Detector {
            id: id(&entry.id)?,
            check: entry.check,
            bits: entry.bits,
            lead: entry.lead,
            reach: entry.reach,
            pattern: filled(&entry.pattern, parts)?,
            compiled: OnceLock::new(),
        };
        self.push(detector, entry.keywords)?;
        #[cfg(test)]
        self.examples.push(Examples { found: entry.found, kept: entry.kept, service: None });
        Ok(())
    }

    /// The name of a service, a sign, the value.
    fn add_service(&mut self, entry: RawService, parts: &BTreeMap<String, String>) -> Result<(), String> {
        let words: Vec<_> = entry.words.iter().map(|word| regex::escape(word)).collect();
        let pattern = format!("(?i:{})@{{leads}}({})(?:[^A-Za-z0-9_]|\\z)", words.join("|"), entry.value);
        let detector = Detector {
            id: id(&entry.id)?,
            check: Check::Always,
            bits: SERVICE_BITS,
            lead: 0,
            reach: REACH_BYTES,
            pattern: filled(&pattern, parts)?,
            compiled: OnceLock::new(),
        };
        #[cfg(test)]
        self.examples.push(Examples {
            found: Vec::new(),
            kept: Vec::new(),
            service: entry.words.first().cloned().map(|word| (word, entry.value)),
        });
        self.push(detector, entry.words)
    }

    fn push(&mut self, detector: Detector, keywords: Vec<String>) -> Result<(), String> {
        if keywords.is_empty() {
            return Err("it has no keyword".to_owned());
        }
        for keyword in keywords {
            // A pattern that runs near every letter runs everywhere.
            if keyword.len() < 2 || keyword.chars().any(|c| c.is_ascii_uppercase()) {
                return Err(format!("the keyword `{keyword}` is not lower case, or too short"));
            }
            self.keywords.push((keyword, self.detectors.len()));
        }
        self.detectors.push(detector);
        Ok(())
    }
}

fn id(text: &str) -> Result<Box<str>, String> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if text.is_empty() || !text.chars().all(fits) {
        return Err("an id is made of lower-case letters, digits and `-`".to_owned());
    }
    Ok(text.into())
}

/// Pieces with the pieces in them filled in. A piece may hold others that stand before it by name.
fn whole(parts: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, String> {
    let mut done = parts.clone();
    for _ in 0..parts.len() {
        let round: Result<BTreeMap<_, _>, String> =
            done.iter().map(|(name, text)| Ok((name.clone(), filled(text, &done)?))).collect();
        let round = round?;
        if round == done {
            return Ok(done);
        }
        done = round;
    }
    Err("a piece holds itself".to_owned())
}

/// A pattern with its pieces.
fn filled(pattern: &str, parts: &BTreeMap<String, String>) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((plain, from)) = rest.split_once("@{") {
        out.push_str(plain);
        let (name, behind) = from.split_once('}').ok_or("`@{` without `}`")?;
        out.push_str(parts.get(name).ok_or_else(|| format!("there is no piece `{name}`"))?);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

/// Whether every pattern compiles: for the test of the table.
#[cfg(test)]
pub(super) fn fault_of(detector: &Detector) -> Option<String> {
    compile(&detector.pattern).err().map(|error| error.to_string())
}
