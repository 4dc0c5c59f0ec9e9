//! Calls as JSON lines: in bounded memory, every bad line named by its number.

#![expect(clippy::disallowed_methods, reason = "the command line opens the calls it is told to read")]

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use crate::base::Digest;
use crate::base::limits::CALL_LINE_BYTES_MAX;
use crate::model::Call;
use crate::model::value::parse_call;

use super::exit::Failure;
use super::files;

/// One line that is not blank.
#[derive(Debug)]
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// Its text without the line end, or why it has none.
    pub text: Result<String, String>,
}

/// The lines of a reader.
pub struct Lines {
    reader: Box<dyn BufRead + Send>,
    number: u64,
}

/// Opens the calls; `-` is standard input.
///
/// # Errors
/// Names the file.
pub fn open(path: &Path) -> Result<Lines, Failure> {
    if path == Path::new("-") {
        return Ok(Lines::new(BufReader::new(io::stdin())));
    }
    let file = File::open(path).map_err(|error| {
        Failure::unusable(format!("the calls `{}` cannot be read: {}", path.display(), files::reason(&error)))
    })?;
    Ok(Lines::new(BufReader::new(file)))
}

/// The next line of the calls.
///
/// # Errors
/// What the system said.
pub fn next(lines: &mut Lines) -> Result<Option<Line>, Failure> {
    lines
        .next_line()
        .map_err(|error| Failure::unusable(format!("the calls cannot be read: {}", files::reason(&error))))
}

impl Lines {
    /// Reads from here.
    pub fn new(reader: impl BufRead + Send + 'static) -> Self {
        Self { reader: Box::new(reader), number: 0 }
    }

    /// The next line that is not blank.
    ///
    /// # Errors
    /// What the system said.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        loop {
            let Some(bytes) = self.next_bytes()? else { return Ok(None) };
            self.number += 1;
            let text = match bytes {
                None => {
                    let most = files::size_text(CALL_LINE_BYTES_MAX);
                    Err(format!("it is longer than {most}; put large arguments into a file"))
                }
                Some(bytes) => String::from_utf8(bytes).map_err(|error| {
                    let at = error.utf8_error().valid_up_to() + 1;
                    format!("it is not UTF-8 text, byte {at} is no part of a character")
                }),
            };
            if text.as_ref().is_ok_and(|text| text.trim_matches([' ', '\t', '\r']).is_empty()) {
                continue;
            }
            return Ok(Some(Line { number: self.number, text }));
        }
    }

    /// The bytes of a line without its end; `Some(None)` is a line that is too long.
    #[expect(clippy::option_option, reason = "the end of the input and an over-long line are two things")]
    fn next_bytes(&mut self) -> io::Result<Option<Option<Vec<u8>>>> {
        let mut line: Option<Vec<u8>> = Some(Vec::new());
        let mut any = false;
        loop {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                return Ok(any.then_some(line));
            }
            any = true;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
            line = line.filter(|line| line.len() + part.len() <= CALL_LINE_BYTES_MAX);
            if let Some(line) = &mut line {
                line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                return Ok(Some(line));
            }
        }
    }
}

/// A line that is no call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoCall {
    /// The id that stands for it.
    pub id: String,
    /// What is wrong, with the line's number.
    pub why: String,
}

/// Turns lines into calls: makes missing ids, refuses ids that were there before in the session.
#[derive(Debug, Default)]
pub struct Intake {
    seen: HashSet<[u8; 32]>,
    mode: Option<String>,
}

impl Intake {
    /// Calls that name no mode get this one.
    #[must_use]
    pub fn new(mode: Option<String>) -> Self {
        Self { seen: HashSet::new(), mode }
    }

    /// Reads one line as a call.
    ///
    /// # Errors
    /// Why it is none.
    pub fn take(&mut self, line: Line) -> Result<Call, NoCall> {
        let number = line.number;
        let id = format!("line-{number}");
        let fail = |why: String| NoCall { id: id.clone(), why: format!("line {number} is no call: {why}") };
        let text = line.text.map_err(&fail)?;
        let mut call = parse_call(text.trim_end_matches('\r')).map_err(|error| fail(error.in_line()))?;
        let session = call.context.session.clone().unwrap_or_default();
        let mut first =
            |id: &str| self.seen.insert(Digest::of_parts([session.as_bytes(), id.as_bytes()]).bytes());
        if call.id.is_empty() {
            call.id = id.clone();
            let mut again = 1;
            while !first(&call.id) {
                again += 1;
                call.id = format!("{id}-{again}");
            }
        } else if !first(&call.id) {
            return Err(fail(format!(
                "the id `{}` was there before; an id is used once in a session",
                call.id
            )));
        }
        if call.context.mode.is_none() {
            call.context.mode.clone_from(&self.mode);
        }
        Ok(call)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::{Intake, Lines};
    use crate::base::limits::CALL_LINE_BYTES_MAX;

    fn lines(text: &'static [u8]) -> Vec<(u64, Result<String, String>)> {
        let mut lines = Lines::new(BufReader::with_capacity(7, text));
        let mut out = Vec::new();
        while let Some(line) = lines.next_line().expect("memory") {
            out.push((line.number, line.text));
        }
        out
    }

    #[test]
    fn counts_every_line_and_gives_those_with_something_on_them() {
        let found = lines(b"\n{}\r\n  \n\xff\nlast");
        assert_eq!(found[0], (2, Ok("{}\r".to_owned())));
        assert!(found[1].0 == 4 && found[1].1.as_ref().is_err_and(|why| why.contains("byte 1")));
        assert_eq!(found[2], (5, Ok("last".to_owned())));
    }

    #[test]
    fn skips_an_endless_line_in_bounded_memory() {
        let most = CALL_LINE_BYTES_MAX as u64;
        let long = std::io::repeat(b'x').take(most * 8).chain(&b"\n{}\n"[..]);
        let mut lines = Lines::new(BufReader::new(long));
        let first = lines.next_line().expect("memory").expect("a line");
        assert!(first.text.is_err_and(|why| why.contains("1 MiB")));
        assert_eq!(lines.next_line().expect("memory").expect("a line").text, Ok("{}".to_owned()));
        assert!(lines.next_line().expect("memory").is_none());
    }

    #[test]
    fn a_line_of_the_largest_size_is_read() {
        let text = "x".repeat(CALL_LINE_BYTES_MAX);
        assert_eq!(lines(text.clone().leak().as_bytes()), vec![(1, Ok(text))]);
    }

    #[test]
    fn ids_are_made_and_used_once() {
        let mut intake = Intake::new(Some("build".to_owned()));
        let mut take = |number, text: &str| intake.take(super::Line { number, text: Ok(text.to_owned()) });
        let made = take(1, r#"{"tool": "t"}"#).expect("call");
        assert_eq!((made.id.as_str(), made.context.mode.as_deref()), ("line-1", Some("build")));
        assert!(take(2, r#"{"id": "a", "tool": "t"}"#).is_ok());
        assert!(take(2, r#"{"id": "line-9", "tool": "t"}"#).is_ok());
        assert_eq!(take(9, r#"{"tool": "t"}"#).expect("call").id, "line-9-2");
        assert!(take(3, r#"{"id": "a", "tool": "t", "session": "s"}"#).is_ok());
        let twice = take(4, r#"{"id": "a", "tool": "t"}"#).expect_err("twice");
        assert!(twice.why.contains("line 4") && twice.why.contains("the id `a`"), "{}", twice.why);
    }
}
