//! JSON in: strict, bounded, with the exact text of numbers.

use serde_json::{Map, Number as JsonNumber, Value};

use super::call::{Call, Context};
use super::number::Number;
use crate::base::limits::NESTING_LEVELS_MAX;
use crate::base::suggest::nearest;

/// Why a text is no JSON value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line}, column {column})")]
pub struct JsonError {
    /// What is wrong. Repeats keys of the text, never values.
    pub message: String,
    /// JSON pointer of the value that was being read.
    pub at: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// Why a JSON text is no call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// It is no JSON.
    #[error("{0}")]
    Json(#[from] JsonError),
    /// It is no object.
    #[error("a call is an object, this is {0}")]
    NotAnObject(&'static str),
    /// A key that calls do not have.
    #[error("a call has no key `{key}`{}", hint(*.suggestion))]
    UnknownKey {
        /// The key.
        key: String,
        /// The nearest of the keys that calls have.
        suggestion: Option<&'static str>,
    },
    /// A key with a value of the wrong type.
    #[error("`{key}` must be {expected}, this is {found}")]
    WrongType {
        /// The key.
        key: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A key that must be there.
    #[error("a call must have `{0}`")]
    Missing(&'static str),
}

impl CallError {
    /// The same for a text that is one line of many: the caller names the line, this the column.
    #[must_use]
    pub fn in_line(&self) -> String {
        match self {
            Self::Json(error) => format!("{} (column {})", error.message, error.column),
            other => other.to_string(),
        }
    }
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!(", did you mean `{name}`?")).unwrap_or_default()
}

/// The keys of a call (`json.md`).
const CALL_KEYS: [&str; 10] =
    ["id", "tool", "args", "mode", "agent", "user", "session", "cwd", "background", "timeoutMs"];

/// The beginning of the keys by which the JSON library hides numbers in objects: such a key in a
/// text could turn an object into a number on its way through the library.
const PRIVATE_KEYS: &str = "$serde_json::private::";

/// Reads one JSON value (RFC 8259) of at most [`NESTING_LEVELS_MAX`] levels. Numbers keep their text.
///
/// # Errors
/// Anything that is no JSON, a key twice in an object, a lone surrogate, text behind the value.
pub fn parse_json(text: &str) -> Result<Value, JsonError> {
    let mut reader = Reader { text, at: 0, path: Vec::new() };
    let value = reader.value()?;
    reader.end()?;
    Ok(value)
}

/// Reads one call. A call without an `id` has the empty one: the host makes it.
///
/// # Errors
/// What makes it no call.
pub fn parse_call(text: &str) -> Result<Call, CallError> {
    let mut object = read_members(text)?;
    if let Some((key, _)) = object.iter().find(|(key, _)| !CALL_KEYS.contains(&key.as_str())) {
        return Err(CallError::UnknownKey { key: key.clone(), suggestion: nearest(key, CALL_KEYS) });
    }
    let tool = take_string(&mut object, "tool")?.ok_or(CallError::Missing("tool"))?;
    if tool.is_empty() {
        return Err(CallError::WrongType { key: "tool", expected: "a name", found: "an empty string" });
    }
    let args = match take(&mut object, "args") {
        None => Map::new(),
        Some(Value::Object(args)) => args,
        Some(other) => return Err(wrong("args", "an object", &other)),
    };
    let background = match take(&mut object, "background") {
        None => false,
        Some(Value::Bool(flag)) => flag,
        Some(other) => return Err(wrong("background", "true or false", &other)),
    };
    let timeout_ms = match take(&mut object, "timeoutMs") {
        None => None,
        Some(Value::Number(number)) if number.as_u64().is_some() => number.as_u64(),
        Some(other) => {
            let expected = "a whole number of milliseconds";
            let found = if other.is_number() { not_whole(&other.to_string()) } else { type_name(&other) };
            return Err(CallError::WrongType { key: "timeoutMs", expected, found });
        }
    };
    Ok(Call {
        id: take_string(&mut object, "id")?.unwrap_or_default(),
        tool,
        args,
        context: Context {
            mode: take_string(&mut object, "mode")?,
            user: take_string(&mut object, "user")?,
            agent: take_string(&mut object, "agent")?,
            session: take_string(&mut object, "session")?,
            cwd: take_string(&mut object, "cwd")?,
            ..Context::default()
        },
        background,
        timeout_ms,
    })
}

/// The members of the object that a text is, in their order.
fn read_members(text: &str) -> Result<Members, CallError> {
    let mut reader = Reader { text, at: 0, path: Vec::new() };
    reader.blanks();
    if reader.peek() != Some(b'{') {
        return Err(CallError::NotAnObject(type_name(&parse_json(text)?)));
    }
    let mut members = Members::with_capacity(CALL_KEYS.len());
    reader.members(&mut members)?;
    reader.end()?;
    Ok(members)
}

fn take(object: &mut Members, key: &'static str) -> Option<Value> {
    let at = object.iter().position(|(name, _)| name == key)?;
    Some(object.swap_remove(at).1)
}

fn take_string(object: &mut Members, key: &'static str) -> Result<Option<String>, CallError> {
    match take(object, key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(key, "a string", &other)),
    }
}

fn wrong(key: &'static str, expected: &'static str, found: &Value) -> CallError {
    CallError::WrongType { key, expected, found: type_name(found) }
}

/// What is wrong with a number that should be whole and not negative.
fn not_whole(number: &str) -> &'static str {
    if number.starts_with('-') {
        "a negative number"
    } else if number.contains(['.', 'e', 'E']) {
        "a number with a fraction or an exponent"
    } else {
        "a number that is too large"
    }
}

/// The type of a value, for people.
#[must_use]
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Whether two values are equal: numbers by value (`1e2` is `100`), objects whatever the order of
/// their keys. A number with an absurd exponent equals its own text only.
#[must_use]
pub fn values_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.to_string(), b.to_string());
            a == b || matches!((Number::parse(&a), Number::parse(&b)), (Some(a), Some(b)) if a == b)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| values_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| values_equal(a, b)))
        }
        _ => a == b,
    }
}

/// The few members of a call: quicker to search than to hash.
type Members = Vec<(String, Value)>;

/// What takes the members of an object while they are read.
trait Object {
    /// Whether there is such a member already.
    fn holds(&self, key: &str) -> bool;
    /// Adds one that is not held.
    fn add(&mut self, key: String, value: Value);
}

impl Object for Map<String, Value> {
    fn holds(&self, key: &str) -> bool {
        self.contains_key(key)
    }

    fn add(&mut self, key: String, value: Value) {
        self.insert(key, value);
    }
}

impl Object for Members {
    fn holds(&self, key: &str) -> bool {
        self.iter().any(|(name, _)| name == key)
    }

    fn add(&mut self, key: String, value: Value) {
        self.push((key, value));
    }
}

/// A step of the place that is being read.
#[derive(Clone, Copy)]
enum At {
    /// Where the key's opening quote stands: it is read again where an error names it.
    Key(usize),
    Index(usize),
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    path: Vec<At>,
}

/// How many bytes of a string's text stand for themselves.
fn plain_bytes(text: &[u8]) -> usize {
    let special = |byte: u8| byte == b'"' || byte == b'\\' || byte < b' ';
    // Sixteen at a time without a branch: the compiler makes vector instructions of it.
    let blocks = text.chunks_exact(16);
    let plain = blocks.take_while(|block| !block.iter().fold(false, |any, byte| any | special(*byte)));
    let skipped = 16 * plain.count();
    let rest = text.get(skipped..).unwrap_or(&[]);
    skipped + rest.iter().position(|byte| special(*byte)).unwrap_or(rest.len())
}

impl Reader<'_> {
    fn error(&self, message: impl Into<String>) -> JsonError {
        let before = self.text.get(..self.at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let clip = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut at = String::new();
        for step in &self.path {
            at.push('/');
            match step {
                At::Key(start) => {
                    let key = Reader { text: self.text, at: *start, path: Vec::new() }.string();
                    at.push_str(&key.unwrap_or_default().replace('~', "~0").replace('/', "~1"));
                }
                At::Index(index) => at.push_str(&index.to_string()),
            }
        }
        JsonError {
            message: message.into(),
            at,
            line: clip(before.matches('\n').count() + 1),
            column: clip(before.get(line_start..).unwrap_or("").chars().count() + 1),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.blanks();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self) -> Result<Value, JsonError> {
        self.blanks();
        match self.peek() {
            None => Err(self.error("the text ends where a value should stand")),
            Some(b'{') => {
                let mut object = Map::new();
                self.members(&mut object)?;
                Ok(Value::Object(object))
            }
            Some(b'[') => self.array(),
            Some(b'"') => Ok(Value::String(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => {
                for (word, value) in
                    [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))]
                {
                    let rest = self.text.get(self.at..).and_then(|rest| rest.strip_prefix(word));
                    if rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(self.error("this is no JSON value"))
            }
        }
    }

    fn enter(&mut self, step: At) -> Result<(), JsonError> {
        self.path.push(step);
        if self.path.len() > NESTING_LEVELS_MAX {
            return Err(self.error(format!("nesting deeper than {NESTING_LEVELS_MAX}")));
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), JsonError> {
        self.blanks();
        if self.at < self.text.len() { Err(self.error("text behind the value")) } else { Ok(()) }
    }

    fn members(&mut self, object: &mut impl Object) -> Result<(), JsonError> {
        self.at += 1;
        if self.eat(b'}') {
            return Ok(());
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(self.error("a key in quotes should stand here"));
            }
            let start = self.at;
            let key = self.string()?;
            let twice = object.holds(&key);
            if twice || key.starts_with(PRIVATE_KEYS) {
                self.at = start;
                let what = if twice { "stands twice in one object" } else { "cannot be a key" };
                return Err(self.error(format!("`{key}` {what}")));
            }
            if !self.eat(b':') {
                return Err(self.error("`:` should stand here"));
            }
            self.enter(At::Key(start))?;
            let value = self.value()?;
            self.path.pop();
            object.add(key, value);
            if self.eat(b'}') {
                return Ok(());
            }
            if !self.eat(b',') {
                return Err(self.error("`,` or `}` should stand here"));
            }
        }
    }

    fn array(&mut self) -> Result<Value, JsonError> {
        self.at += 1;
        let mut list = Vec::new();
        if self.eat(b']') {
            return Ok(Value::Array(list));
        }
        loop {
            self.enter(At::Index(list.len()))?;
            list.push(self.value()?);
            self.path.pop();
            if self.eat(b']') {
                return Ok(Value::Array(list));
            }
            if !self.eat(b',') {
                return Err(self.error("`,` or `]` should stand here"));
            }
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Result<Value, JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 || (zero && whole > 1) {
            return Err(self.error("a number begins with one digit, or with digits other than 0"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.error("digits should follow the point"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.error("digits should follow the exponent sign"));
            }
        }
        let text = self.text.get(start..self.at).unwrap_or("");
        // The library's own parser would rewrite `1e2` as `1e+2`.
        Ok(Value::Number(JsonNumber::from_string_unchecked(text.to_owned())))
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or("");
            let plain = plain_bytes(rest.as_bytes());
            out.push_str(rest.get(..plain).unwrap_or(""));
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.error("a control character stands in a string without an escape")),
                None => return Err(self.error("the string is not closed")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        self.at += 1;
        let c = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape();
            }
            _ => return Err(self.error("this is no JSON escape")),
        };
        self.at += 1;
        Ok(c)
    }

    fn hex(&mut self) -> Result<u32, JsonError> {
        let digits = self.text.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.error("four hex digits should follow `\\u`"))?;
        self.at += 4;
        Ok(code)
    }

    fn unicode_escape(&mut self) -> Result<char, JsonError> {
        let high = self.hex()?;
        let mut code = high;
        if (0xD800..0xDC00).contains(&high) {
            let follows = self.text.get(self.at..).is_some_and(|rest| rest.starts_with("\\u"));
            let low = if follows {
                self.at += 2;
                self.hex()?
            } else {
                0
            };
            if !(0xDC00..0xE000).contains(&low) {
                return Err(self.error("half of a surrogate pair"));
            }
            code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        }
        char::from_u32(code).ok_or_else(|| self.error("half of a surrogate pair"))
    }
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
