//! Words: quoting and what stands between.

use super::super::ast::{Parsed, Part, RawWord, Unparsed};
use super::{Parser, is_meta};

/// Adds text to the last part, where it is of the same kind.
pub(in super::super) fn push_text(parts: &mut Vec<Part>, text: &str, quoted: bool) {
    match parts.last_mut() {
        Some(Part::Bare(last)) if !quoted => last.push_str(text),
        Some(Part::Quoted(last)) if quoted => last.push_str(text),
        _ if quoted => parts.push(Part::Quoted(text.to_owned())),
        _ => parts.push(Part::Bare(text.to_owned())),
    }
}

/// Where an unquoted word ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Until {
    /// At any operator.
    Meta,
    /// Inside `[[ … ]]` behind `=~`, `==`, `!=`: parentheses belong to the word.
    Pattern,
    /// At `}` (the word of `${x:-word}`).
    Brace {
        /// In double quotes.
        quoted: bool,
    },
    /// At `]` (a subscript).
    Bracket,
}

impl Parser<'_> {
    /// Reads a word; `None` where none begins here.
    pub(in super::super) fn word(&mut self, until: Until) -> Parsed<Option<RawWord>> {
        let parts = self.parts(until)?;
        if parts.is_empty() {
            return Ok(None);
        }
        self.budget.node()?;
        Ok(Some(RawWord { parts, end: self.pos }))
    }

    /// Reads parts up to the end that `until` names; the closing byte is not gone over.
    pub(super) fn parts(&mut self, until: Until) -> Parsed<Vec<Part>> {
        let mut parts = Vec::new();
        let mut parens = 0_usize;
        while let Some(byte) = self.peek() {
            if self.ends_here(byte, until, &mut parens) {
                break;
            }
            self.part(byte, until, &mut parts)?;
        }
        if parens > 0 {
            return Err(Unparsed::new("a `(` is not closed"));
        }
        Ok(parts)
    }

    fn ends_here(&self, byte: u8, until: Until, parens: &mut usize) -> bool {
        match until {
            Until::Meta => {
                let process = matches!(byte, b'<' | b'>') && self.peek_at(1) == Some(b'(');
                is_meta(byte) && !process
            }
            Until::Pattern => match byte {
                b'(' => {
                    *parens += 1;
                    false
                }
                b')' if *parens == 0 => true,
                b')' => {
                    *parens -= 1;
                    false
                }
                b' ' | b'\t' | b'\n' => *parens == 0,
                b';' | b'&' | b'<' | b'>' => *parens == 0,
                b'|' => *parens == 0 && self.peek_at(1) == Some(b'|'),
                _ => false,
            },
            Until::Brace { .. } => byte == b'}',
            Until::Bracket => byte == b']',
        }
    }

    fn part(&mut self, byte: u8, until: Until, parts: &mut Vec<Part>) -> Parsed<()> {
        let in_quotes = matches!(until, Until::Brace { quoted: true });
        match byte {
            b'\\' if self.peek_at(1) == Some(b'\n') => self.bump(2),
            b'\\' => {
                self.bump(1)?;
                match self.next_char()? {
                    Some(c) => push_text(parts, c.encode_utf8(&mut [0; 4]), true),
                    None => push_text(parts, "\\", true),
                }
                Ok(())
            }
            b'\'' if in_quotes => {
                Err(Unparsed::new("a quote inside `\"${…}\"` is read differently by shells"))
            }
            b'\'' => self.single(parts),
            b'"' => self.double(parts),
            b'$' => self.dollar(in_quotes, parts),
            b'`' => self.backtick(in_quotes, parts),
            b'<' | b'>' if !in_quotes && self.peek_at(1) == Some(b'(') => self.process(parts),
            _ => {
                let start = self.pos;
                self.next_char()?;
                while let Some(next) = self.peek() {
                    if matches!(next, b'\\' | b'\'' | b'"' | b'$' | b'`' | b'}' | b']') || is_meta(next) {
                        break;
                    }
                    self.next_char()?;
                }
                let text = self.slice(start, self.pos);
                push_text(parts, text, in_quotes);
                Ok(())
            }
        }
    }

    fn single(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.bump(1)?;
        let Some(length) = self.rest().find('\'') else {
            return Err(Unparsed::new("a `'` is not closed"));
        };
        let text = self.slice(self.pos, self.pos + length);
        push_text(parts, text, true);
        self.bump(length + 1)
    }

    pub(super) fn double(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.bump(1)?;
        self.budget.enter()?;
        let inner = self.quoted_text(Some(b'"'))?;
        self.budget.leave();
        if inner.is_empty() {
            push_text(parts, "", true);
        }
        for part in inner {
            match part {
                Part::Quoted(text) => push_text(parts, &text, true),
                other => parts.push(other),
            }
        }
        Ok(())
    }

    /// Reads text as in double quotes up to a closing byte (gone over), or to the end.
    pub(super) fn quoted_text(&mut self, close: Option<u8>) -> Parsed<Vec<Part>> {
        let mut parts = Vec::new();
        let escapable: &[u8] = if close.is_some() { b"$`\"\\" } else { b"$`\\" };
        while let Some(byte) = self.peek() {
            if Some(byte) == close {
                self.bump(1)?;
                return Ok(parts);
            }
            match byte {
                b'\\' => match self.peek_at(1) {
                    Some(b'\n') => self.bump(2)?,
                    Some(next) if escapable.contains(&next) => {
                        let text = self.slice(self.pos + 1, self.pos + 2);
                        push_text(&mut parts, text, true);
                        self.bump(2)?;
                    }
                    _ => {
                        push_text(&mut parts, "\\", true);
                        self.bump(1)?;
                    }
                },
                b'$' => self.dollar(true, &mut parts)?,
                b'`' => self.backtick(true, &mut parts)?,
                _ => {
                    let stop = |c: char| matches!(c, '\\' | '$' | '`') || (close.is_some() && c == '"');
                    let length = self.rest().find(stop).unwrap_or(self.rest().len()).max(1);
                    let text = self.slice(self.pos, self.pos + length);
                    push_text(&mut parts, text, true);
                    self.bump(length)?;
                }
            }
        }
        match close {
            Some(_) => Err(Unparsed::new("a `\"` is not closed")),
            None => Ok(parts),
        }
    }

    /// `$'…'`, the `$` gone over.
    pub(super) fn ansi(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.bump(1)?;
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            match self.next_char()? {
                None => return Err(Unparsed::new("a `$'` is not closed")),
                Some('\'') => break,
                Some('\\') => self.ansi_escape(&mut bytes)?,
                Some(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        if bytes == [0] {
            // The text ends at the NUL: it is empty.
            push_text(parts, "", true);
            return Ok(());
        }
        if bytes.contains(&0) {
            return Err(Unparsed::new("a NUL in `$'…'`"));
        }
        match String::from_utf8(bytes) {
            Ok(text) => {
                push_text(parts, &text, true);
                Ok(())
            }
            Err(_) => Err(Unparsed::new("`$'…'` is not UTF-8")),
        }
    }

    fn ansi_escape(&mut self, bytes: &mut Vec<u8>) -> Parsed<()> {
        let Some(c) = self.next_char()? else { return Err(Unparsed::new("a `$'` is not closed")) };
        match c {
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'v' => bytes.push(11),
            '\\' | '\'' | '"' | '?' => bytes.push(c as u8),
            '0'..='7' => {
                let mut value = c.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(digit) = self.peek().and_then(|b| char::from(b).to_digit(8)) else { break };
                    value = value * 8 + digit;
                    self.bump(1)?;
                }
                bytes.push((value & 0xff) as u8);
            }
            'x' => match self.hex(2)? {
                Some(value) => bytes.push((value & 0xff) as u8),
                None => bytes.extend_from_slice(b"\\x"),
            },
            'u' | 'U' => match self.hex(if c == 'u' { 4 } else { 8 })?.map(char::from_u32) {
                Some(Some(c)) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                _ => return Err(Unparsed::new("an escape in `$'…'` names no character")),
            },
            'c' => return Err(Unparsed::new("a control escape in `$'…'`")),
            other => {
                bytes.push(b'\\');
                bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        Ok(())
    }

    fn hex(&mut self, max: usize) -> Parsed<Option<u32>> {
        let mut value = None;
        for _ in 0..max {
            let Some(digit) = self.peek().and_then(|b| char::from(b).to_digit(16)) else { break };
            value = Some(value.unwrap_or(0_u32).wrapping_mul(16).wrapping_add(digit));
            self.bump(1)?;
        }
        Ok(value)
    }
}
