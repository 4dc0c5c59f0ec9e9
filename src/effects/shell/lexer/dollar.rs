//! What begins with `$`, a backtick, or is a process substitution.

use std::rc::Rc;

use super::super::ast::{Param, ParamOp, Parsed, Part, Unparsed};
use super::super::evaluated::EXPANSION;
use super::words::{Until, push_text};
use super::{Parser, is_name_byte, is_name_start};

impl Parser<'_> {
    pub(super) fn dollar(&mut self, quoted: bool, parts: &mut Vec<Part>) -> Parsed<()> {
        self.budget.node()?;
        self.bump(1)?;
        if self.starts("\\\n") {
            return Err(Unparsed::new("a line continuation behind `$`"));
        }
        match self.peek() {
            Some(b'\'') if !quoted => self.ansi(parts),
            Some(b'"') if !quoted => self.double(parts),
            Some(b'(') => self.dollar_paren(quoted, parts),
            Some(b'{') => self.braced(quoted, parts),
            Some(b'[') => {
                self.bump(1)?;
                let (text, inner) = self.arith_until(None)?;
                parts.push(Part::Arith { quoted, text, parts: inner });
                Ok(())
            }
            Some(byte) if is_name_start(byte) => {
                let start = self.pos;
                while self.peek().is_some_and(is_name_byte) {
                    self.bump(1)?;
                }
                if self.starts("\\\n") {
                    return Err(Unparsed::new("a line continuation behind a variable"));
                }
                let name = self.slice(start, self.pos).to_owned();
                parts.push(Part::Param(Param { quoted, name, op: ParamOp::Plain, args: Vec::new() }));
                Ok(())
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-') => {
                let name = self.slice(self.pos, self.pos + 1).to_owned();
                self.bump(1)?;
                parts.push(Part::Param(Param { quoted, name, op: ParamOp::Plain, args: Vec::new() }));
                Ok(())
            }
            _ => {
                push_text(parts, "$", true);
                Ok(())
            }
        }
    }

    fn dollar_paren(&mut self, quoted: bool, parts: &mut Vec<Part>) -> Parsed<()> {
        if self.peek_at(1) == Some(b'(')
            && let Some(end) = self.double_paren_end(self.pos + 2)?
        {
            self.bump(2)?;
            let (text, inner) = self.arith_until(Some(end))?;
            self.bump(2)?;
            parts.push(Part::Arith { quoted, text, parts: inner });
            return Ok(());
        }
        self.bump(1)?;
        let body = Rc::new(self.nested(b')')?);
        parts.push(Part::Subst { quoted, body, in_place: self.in_place });
        Ok(())
    }

    pub(super) fn process(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.budget.node()?;
        self.bump(2)?;
        let body = Rc::new(self.nested(b')')?);
        parts.push(Part::Process(body));
        Ok(())
    }

    /// Decides once whether `((` is closed by `))`: the offset of the first of the two. `from` is
    /// the offset behind `((`. Quotes are gone over as the shell does.
    pub(in super::super) fn double_paren_end(&mut self, from: usize) -> Parsed<Option<usize>> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        let mut open = 1_usize;
        let mut found = None;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\'' | b'"' | b'`' => {
                    let mut end = at + 1;
                    while let Some(next) = bytes.get(end) {
                        if next == byte {
                            break;
                        }
                        end += if *next == b'\\' && *byte != b'\'' { 2 } else { 1 };
                    }
                    at = end;
                }
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        if bytes.get(at + 1) == Some(&b')') {
                            found = Some(at);
                        }
                        break;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.budget.step(at.saturating_sub(from))?;
        Ok(found)
    }

    /// Reads arithmetic up to an offset, or up to `]` (gone over).
    pub(in super::super) fn arith_until(&mut self, end: Option<usize>) -> Parsed<(String, Vec<Part>)> {
        self.budget.enter()?;
        let mut text = String::new();
        let mut parts = Vec::new();
        let mut brackets = 0_usize;
        loop {
            let before = parts.len();
            match end {
                Some(end) if self.pos == end => break,
                Some(end) if self.pos > end => {
                    return Err(Unparsed::new("`((` is not closed where it seems"));
                }
                _ => {}
            }
            let Some(byte) = self.peek() else { return Err(Unparsed::new("`$[` is not closed")) };
            match byte {
                b']' if end.is_none() && brackets == 0 => {
                    self.bump(1)?;
                    break;
                }
                b'$' => self.dollar(true, &mut parts)?,
                b'`' => self.backtick(true, &mut parts)?,
                b'"' => self.bump(1)?,
                b'\'' | b'\\' => return Err(Unparsed::new("quotes in arithmetic")),
                _ => {
                    brackets += usize::from(byte == b'[');
                    brackets = brackets.saturating_sub(usize::from(byte == b']'));
                    if let Some(c) = self.next_char()? {
                        text.push(c);
                    }
                }
            }
            if parts.len() != before {
                text.push(EXPANSION);
            }
        }
        self.budget.leave();
        Ok((text, parts))
    }

    fn braced(&mut self, quoted: bool, parts: &mut Vec<Part>) -> Parsed<()> {
        self.budget.enter()?;
        self.bump(1)?;
        let mut op = ParamOp::Plain;
        if self.peek() == Some(b'#') && self.peek_at(1) != Some(b'}') {
            op = ParamOp::Length;
            self.bump(1)?;
        } else if self.peek() == Some(b'!') && self.peek_at(1) != Some(b'}') {
            op = ParamOp::Indirect;
            self.bump(1)?;
        }
        let start = self.pos;
        match self.peek() {
            Some(byte) if is_name_start(byte) => {
                while self.peek().is_some_and(is_name_byte) {
                    self.bump(1)?;
                }
            }
            Some(b'0'..=b'9') => {
                while self.peek().is_some_and(|b| b.is_ascii_digit()) {
                    self.bump(1)?;
                }
            }
            Some(b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-') => self.bump(1)?,
            _ => return Err(Unparsed::new("`${` without a name")),
        }
        let name = self.slice(start, self.pos).to_owned();
        let mut args = Vec::new();
        if self.peek() == Some(b'[') {
            self.bump(1)?;
            let plain = matches!(self.peek(), Some(b'@' | b'*')) && self.peek_at(1) == Some(b']');
            let subscript = self.parts(Until::Bracket)?;
            if self.peek() != Some(b']') {
                return Err(Unparsed::new("a subscript is not closed"));
            }
            self.bump(1)?;
            if !plain {
                args.extend(subscript);
            }
            if op == ParamOp::Indirect && plain {
                op = ParamOp::Other;
            }
            if op == ParamOp::Plain {
                op = if plain { ParamOp::Other } else { ParamOp::Computed };
            }
        }
        if self.peek() != Some(b'}') {
            let names = matches!(self.peek(), Some(b'@' | b'*')) && self.peek_at(1) == Some(b'}');
            if op == ParamOp::Indirect && names {
                op = ParamOp::Other;
            }
            let found = self.param_op()?;
            op = if op == ParamOp::Plain { found } else { op.max_of(found) };
            args.extend(self.parts(Until::Brace { quoted })?);
        }
        if self.peek() != Some(b'}') {
            return Err(Unparsed::new("`${` is not closed"));
        }
        self.bump(1)?;
        self.budget.leave();
        parts.push(Part::Param(Param { quoted, name, op, args }));
        Ok(())
    }

    fn param_op(&mut self) -> Parsed<ParamOp> {
        let second = self.peek_at(1);
        let (op, bytes) = match self.peek() {
            Some(b':') => match second {
                Some(b'-') => (ParamOp::Default, 2),
                Some(b'=') => (ParamOp::Assign, 2),
                Some(b'+' | b'?') => (ParamOp::Other, 2),
                _ => (ParamOp::Computed, 1),
            },
            Some(b'-') => (ParamOp::Default, 1),
            Some(b'=') => (ParamOp::Assign, 1),
            Some(b'@') => (ParamOp::Transform, 1),
            Some(b'+' | b'?' | b'#' | b'%' | b'/' | b'^' | b',' | b'*') => (ParamOp::Other, 1),
            _ => return Err(Unparsed::new("`${…}` is not understood")),
        };
        self.bump(bytes)?;
        Ok(op)
    }

    pub(super) fn backtick(&mut self, quoted: bool, parts: &mut Vec<Part>) -> Parsed<()> {
        self.budget.node()?;
        self.bump(1)?;
        let mut inner = String::new();
        loop {
            match self.next_char()? {
                None => return Err(Unparsed::new("a backtick is not closed")),
                Some('`') => break,
                Some('\\') => match self.peek() {
                    Some(b'`' | b'\\' | b'$') => {
                        if let Some(c) = self.next_char()? {
                            inner.push(c);
                        }
                    }
                    Some(b'"') if quoted => self.bump(1).map(|()| inner.push('"'))?,
                    _ => inner.push('\\'),
                },
                Some(c) => inner.push(c),
            }
        }
        self.budget.enter()?;
        let mut parser = Parser::new(&inner, self.budget, false);
        let body = Rc::new(parser.script()?);
        self.budget.leave();
        parts.push(Part::Subst { quoted, body, in_place: false });
        Ok(())
    }
}

impl ParamOp {
    /// The stricter of two operators that stand in one expansion.
    fn max_of(self, other: Self) -> Self {
        let stricter = other == Self::Computed && self == Self::Other;
        if other == Self::Transform || self == Self::Length || stricter { other } else { self }
    }
}
