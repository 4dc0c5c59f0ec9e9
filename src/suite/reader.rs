//! Values of a test file with the way to them, so that every complaint has a place.

use serde_json::{Map, Value};

use crate::base::suggest::nearest;
use crate::base::yaml::{Part, Places};
use crate::model::value::type_name;

/// Why a text is no test file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteError {
    /// Line and column, from 1, where they are known.
    pub place: Option<(u32, u32)>,
    /// What is wrong.
    pub message: String,
    /// The smallest mend.
    pub help: Option<String>,
}

impl SuiteError {
    pub(super) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// A value and where it is.
#[derive(Clone)]
pub(super) struct At<'a> {
    pub places: &'a Places,
    pub path: Vec<String>,
    pub value: &'a Value,
}

impl<'a> At<'a> {
    pub fn root(places: &'a Places, value: &'a Value) -> Self {
        Self { places, path: Vec::new(), value }
    }

    fn step(&self, step: impl Into<String>, value: &'a Value) -> Self {
        let mut path = self.path.clone();
        path.push(step.into());
        Self { places: self.places, path, value }
    }

    /// Line and column of the value.
    pub fn place(&self) -> Option<(u32, u32)> {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        self.places.of(&path, Part::Value)
    }

    /// Line and column of something below.
    pub fn place_below(&self, steps: &[&str], part: Part) -> Option<(u32, u32)> {
        let path: Vec<&str> = self.path.iter().map(String::as_str).chain(steps.iter().copied()).collect();
        self.places.of(&path, part)
    }

    pub fn error(&self, message: impl Into<String>) -> SuiteError {
        SuiteError { place: self.place(), message: message.into(), help: None }
    }

    /// An error about a key of this object.
    pub fn key_error(&self, key: &str, message: impl Into<String>) -> SuiteError {
        SuiteError { place: self.place_below(&[key], Part::Key), message: message.into(), help: None }
    }

    /// The last key on the way, for people.
    fn name(&self) -> &str {
        let names = self.path.iter().rev().find(|step| step.parse::<usize>().is_err());
        names.map_or("the file", String::as_str)
    }

    fn wrong(&self, expected: &str) -> SuiteError {
        self.error(format!("`{}` must be {expected}, this is {}", self.name(), type_name(self.value)))
    }

    /// What lies behind a key, if the key is there.
    pub fn key(&self, key: &str) -> Option<At<'a>> {
        self.value.get(key).map(|value| self.step(key, value))
    }

    /// The object, with no keys but these; `of` names it for people, such as `a case`.
    pub fn object(&self, of: &str, known: &[&str]) -> Result<&'a Map<String, Value>, SuiteError> {
        let object = self.map()?;
        for key in object.keys() {
            if known.contains(&key.as_str()) {
                continue;
            }
            let help = match nearest(key, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the keys are {}", listed(known)),
            };
            return Err(self.key_error(key, format!("{of} has no key `{key}`")).help(help));
        }
        Ok(object)
    }

    /// The object, whatever its keys.
    pub fn map(&self) -> Result<&'a Map<String, Value>, SuiteError> {
        self.value.as_object().ok_or_else(|| self.wrong("keys and values"))
    }

    /// The entries of an object whose keys are names.
    pub fn entries(&self) -> Result<Vec<(&'a str, At<'a>)>, SuiteError> {
        let map = self.map()?;
        Ok(map.iter().map(|(key, value)| (key.as_str(), self.step(key.as_str(), value))).collect())
    }

    pub fn items(&self) -> Result<Vec<At<'a>>, SuiteError> {
        let list = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        Ok(list.iter().enumerate().map(|(at, value)| self.step(at.to_string(), value)).collect())
    }

    /// A text that is not empty.
    pub fn text(&self) -> Result<&'a str, SuiteError> {
        match self.value.as_str() {
            Some("") => Err(self.error(format!("`{}` is empty", self.name()))),
            Some(text) => Ok(text),
            None => Err(self.wrong("a text")),
        }
    }

    pub fn flag(&self) -> Result<bool, SuiteError> {
        self.value.as_bool().ok_or_else(|| self.wrong("`true` or `false`"))
    }

    /// One text, or a list of some.
    pub fn texts(&self) -> Result<Vec<String>, SuiteError> {
        if self.value.is_string() {
            return Ok(vec![self.text()?.to_owned()]);
        }
        if !self.value.is_array() {
            return Err(self.wrong("a text or a list of texts"));
        }
        let items = self.items()?;
        if items.is_empty() {
            return Err(self.error(format!("`{}` is empty", self.name())));
        }
        items.iter().map(|item| item.text().map(str::to_owned)).collect()
    }
}

/// `` `a`, `b` ``.
pub(super) fn listed<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().map(|word| format!("`{}`", word.as_ref())).collect::<Vec<_>>().join(", ")
}

/// `did you mean …`, else what there is to choose from.
pub(super) fn hint<S: AsRef<str>>(word: &str, known: &[S]) -> String {
    match nearest(word, known.iter().map(AsRef::as_ref)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there is {}", listed(known)),
    }
}
