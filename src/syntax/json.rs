//! What is wrong with a piece of JSON (RFC 8259). The grammar reads JSON; this says why it did not.

/// A place in the text and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JsonFault {
    /// Byte offset.
    pub at: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: &'static str,
}

/// The first fault of the value that a text starts with; `None` where it starts with a value.
/// Nesting is bounded before this is called.
pub(super) fn fault(text: &str) -> Option<JsonFault> {
    let mut reader = Reader { text, at: 0 };
    reader.value().err()
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

type Read = Result<(), JsonFault>;

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..).and_then(|rest| rest.chars().next())
    }

    fn gap(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn fail(&self, message: impl Into<String>, help: &'static str) -> Read {
        Err(JsonFault { at: self.at, message: message.into(), help })
    }

    fn value(&mut self) -> Read {
        match self.peek() {
            Some('{') => self.list('}', true),
            Some('[') => self.list(']', false),
            Some('"') => self.string(),
            Some('\'') => self.fail("JSON strings stand in double quotes", "write `\"…\"`"),
            Some(c) if c == '-' || c.is_ascii_digit() => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.word(),
            Some(c) => self.fail(format!("`{c}` starts no JSON value"), "a text stands in double quotes"),
            None => self.fail("a JSON value is missing", "write `null`, a number, a string, `[…]` or `{…}`"),
        }
    }

    fn list(&mut self, close: char, pairs: bool) -> Read {
        self.at += 1;
        self.gap();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(());
        }
        loop {
            if pairs {
                self.key()?;
            }
            self.value()?;
            self.gap();
            match self.peek() {
                Some(',') => {
                    let comma = self.at;
                    self.at += 1;
                    self.gap();
                    if self.peek() == Some(close) {
                        self.at = comma;
                        return self.fail("JSON has no comma after the last element", "remove the comma");
                    }
                }
                Some(c) if c == close => {
                    self.at += 1;
                    return Ok(());
                }
                Some('/') => {
                    return self.fail("JSON has no comments", "move the comment to a line of its own");
                }
                Some(c) => {
                    return self.fail(
                        format!("`{c}` does not fit here in JSON"),
                        "elements are separated by commas",
                    );
                }
                None => return self.fail(format!("this JSON lacks its closing `{close}`"), "close it"),
            }
        }
    }

    fn key(&mut self) -> Read {
        match self.peek() {
            Some('"') => self.string()?,
            Some('\'') => return self.fail("JSON strings stand in double quotes", "write `\"…\"`"),
            Some(c) if c.is_alphanumeric() || c == '_' => {
                return self.fail("JSON keys stand in double quotes", "write `\"key\": value`");
            }
            _ => return self.fail("a JSON key is missing", "write `\"key\": value`"),
        }
        self.gap();
        if self.peek() != Some(':') {
            return self.fail("`:` is missing behind this JSON key", "write `\"key\": value`");
        }
        self.at += 1;
        self.gap();
        Ok(())
    }

    fn string(&mut self) -> Read {
        let open = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some('"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some('\\') => {
                    let rest = self.text.get(self.at + 1..).unwrap_or("");
                    let known = rest.starts_with(['"', '\\', '/', 'b', 'f', 'n', 'r', 't']);
                    let digits = rest
                        .strip_prefix('u')
                        .map(|r| r.bytes().take(4).filter(u8::is_ascii_hexdigit).count());
                    match (known, digits) {
                        (true, _) => self.at += 2,
                        (false, Some(4)) => self.at += 6,
                        _ => return self.fail("JSON has no such escape", "a backslash is written `\\\\`"),
                    }
                }
                None | Some('\n') => {
                    self.at = open;
                    return self.fail("this JSON string is not closed on its line", "close it with `\"`");
                }
                Some(c) if c < ' ' => {
                    return self.fail("a control character stands in JSON", "write it as an escape");
                }
                Some(c) => self.at += c.len_utf8(),
            }
        }
    }

    fn run(&self) -> &str {
        let rest = self.text.get(self.at..).unwrap_or("");
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.')))
            .unwrap_or(rest.len());
        rest.get(..end).unwrap_or("")
    }

    fn number(&mut self) -> Read {
        let run = self.run();
        if serde_json::from_str::<serde_json::Number>(run).is_err() {
            let message = format!("`{run}` is no JSON number");
            return self.fail(message, "a text stands in double quotes");
        }
        self.at += run.len();
        Ok(())
    }

    fn word(&mut self) -> Read {
        let run = self.run();
        if !matches!(run, "true" | "false" | "null") {
            let message = format!("`{run}` is no JSON value");
            return self.fail(message, "a text stands in double quotes");
        }
        self.at += run.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn names_the_first_fault() {
        assert_eq!(fault(r#"{"a": [1, -2.5e3, true], "b": {}} trailing"#), None);
        for (text, at) in [
            ("{a: 1}", 1),
            ("{'a': 1}", 1),
            ("{\"a\" 1}", 5),
            ("{\"a\": 1,}", 7),
            ("{\"a\": 01}", 6),
            ("{\"a\": yes}", 6),
            ("{\"a\": \"\\d\"}", 7),
            ("{\"a\": 1", 7),
            ("[1 2]", 3),
        ] {
            assert_eq!(fault(text).map(|f| f.at), Some(at), "{text}");
        }
    }
}
