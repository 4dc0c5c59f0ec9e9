//! From bytes to words: quotes, escapes, expansions, here-documents. One pass, no backtracking.

mod dollar;
mod words;

pub(super) use words::Until;

use std::cell::OnceCell;
use std::rc::Rc;

use super::ast::{Document, Parsed, Part, Unparsed};
use super::budget::Budget;

/// A here-document whose text has not come yet.
#[derive(Debug)]
pub(super) struct Pending {
    pub delimiter: String,
    pub quoted: bool,
    pub strip_tabs: bool,
    pub slot: Rc<OnceCell<Document>>,
}

/// The state of a parse.
#[derive(Debug)]
pub struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) pos: usize,
    pub(super) budget: &'a mut Budget,
    pub(super) pending: Vec<Pending>,
    /// Offsets are those of the argument.
    pub(super) in_place: bool,
}

/// Whether a byte ends an unquoted word.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

/// Whether a byte may begin a name.
pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether a byte may stand in a name.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'a> Parser<'a> {
    /// A parser at the beginning of a text.
    pub fn new(text: &'a str, budget: &'a mut Budget, in_place: bool) -> Self {
        Self { text, pos: 0, budget, pending: Vec::new(), in_place }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.pos + ahead).copied()
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.pos..).unwrap_or("")
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or("")
    }

    pub(super) fn starts(&self, prefix: &str) -> bool {
        self.rest().starts_with(prefix)
    }

    /// Goes on by some bytes.
    pub(super) fn bump(&mut self, bytes: usize) -> Parsed<()> {
        self.pos += bytes;
        self.budget.step(bytes)
    }

    /// The next character, gone over.
    pub(super) fn next_char(&mut self) -> Parsed<Option<char>> {
        let Some(c) = self.rest().chars().next() else { return Ok(None) };
        self.bump(c.len_utf8())?;
        Ok(Some(c))
    }

    /// Goes over blanks and line continuations, not over newlines.
    pub(super) fn blanks(&mut self) -> Parsed<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.bump(1)?,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.bump(2)?,
                _ => return Ok(()),
            }
        }
    }

    /// Goes over a comment, where one begins here.
    pub(super) fn comment(&mut self) -> Parsed<()> {
        if self.peek() == Some(b'#') {
            let length = self.rest().find('\n').unwrap_or(self.rest().len());
            self.bump(length)?;
        }
        Ok(())
    }

    /// Goes over blanks, comments and newlines; here-documents are read at newlines.
    pub(super) fn lines(&mut self) -> Parsed<()> {
        loop {
            self.blanks()?;
            self.comment()?;
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Goes over one newline and the here-documents behind it.
    pub(super) fn newline(&mut self) -> Parsed<()> {
        self.bump(1)?;
        for pending in std::mem::take(&mut self.pending) {
            self.document(&pending)?;
        }
        Ok(())
    }

    fn document(&mut self, pending: &Pending) -> Parsed<()> {
        self.budget.node()?;
        let mut body = String::new();
        let mut joined = false;
        while self.pos < self.text.len() {
            let rest = self.rest();
            let length = rest.find('\n').unwrap_or(rest.len());
            let line = self.slice(self.pos, self.pos + length);
            self.bump(length)?;
            if self.peek() == Some(b'\n') {
                self.bump(1)?;
            }
            let line = if pending.strip_tabs { line.trim_start_matches('\t') } else { line };
            if !joined && line == pending.delimiter {
                return self.finish(pending, &body);
            }
            body.push_str(line);
            body.push('\n');
            let slashes = line.bytes().rev().take_while(|b| *b == b'\\').count();
            joined = !pending.quoted && slashes % 2 == 1;
        }
        self.finish(pending, &body)
    }

    fn finish(&mut self, pending: &Pending, body: &str) -> Parsed<()> {
        let parts = if pending.quoted {
            vec![Part::Quoted(body.to_owned())]
        } else {
            self.budget.enter()?;
            let mut inner = Parser::new(body, self.budget, false);
            let parts = inner.quoted_text(None)?;
            self.budget.leave();
            parts
        };
        pending.slot.set(Document { parts }).map_err(|_| Unparsed::new("a here-document is read twice"))
    }
}
