//! Lists, pipelines, simple commands.

use super::ast::{
    Assignment, Chain, Command, Joint, Kind, List, Parsed, Part, Pipeline, RawWord, Simple, Unparsed,
};
use super::budget::Budget;
use super::lexer::Until;
use super::lexer::{Parser, is_meta, is_name_byte, is_name_start};

/// Parses a text that stands by itself.
pub fn parse(text: &str, budget: &mut Budget, in_place: bool) -> Parsed<List> {
    if text.contains('\0') {
        return Err(Unparsed::new("a NUL in the line"));
    }
    if text.replace("\r\n", "").contains('\r') {
        return Err(Unparsed::new("a carriage return in the line"));
    }
    if text.contains("\r\n") {
        return Err(Unparsed::new("lines end in carriage return and newline"));
    }
    budget.enter()?;
    let list = Parser::new(text, budget, in_place).script()?;
    budget.leave();
    Ok(list)
}

/// Words that are special where a command may begin.
const RESERVED: &[&str] = &[
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "in",
    "select", "function", "time", "coproc", "{", "}", "!", "[[", "]]",
];

impl Parser<'_> {
    /// A whole text.
    pub(super) fn script(&mut self) -> Parsed<List> {
        let list = self.list()?;
        if self.pos < self.text.len() {
            return Err(self.unexpected());
        }
        if !self.pending.is_empty() {
            self.end_documents()?;
        }
        Ok(list)
    }

    /// Here-documents at the end of the text are empty.
    fn end_documents(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.pending) {
            self.budget.node()?;
            let _ = pending.slot.set(super::ast::Document::default());
        }
        Ok(())
    }

    pub(super) fn unexpected(&self) -> Unparsed {
        match self.rest().chars().next() {
            Some(c) => Unparsed::new(format!("`{}` is not expected here", c.escape_default())),
            None => Unparsed::new("the line ends too early"),
        }
    }

    /// A list in `$(…)`, `<(…)` or `(…)`, the closing byte gone over.
    pub(super) fn nested(&mut self, close: u8) -> Parsed<List> {
        self.budget.enter()?;
        let outer = std::mem::take(&mut self.pending);
        let start = self.pos;
        let list = self.list()?;
        if self.peek() != Some(close) {
            return Err(self.unexpected());
        }
        if !outer.is_empty() && self.slice(start, self.pos).contains('\n') {
            return Err(Unparsed::new("a here-document begins before lines in parentheses"));
        }
        if !self.pending.is_empty() {
            return Err(Unparsed::new("a here-document is cut off by `)`"));
        }
        self.pending = outer;
        self.bump(1)?;
        self.budget.leave();
        Ok(list)
    }

    /// The reserved word that stands here.
    pub(super) fn reserved(&self) -> Option<&'static str> {
        let bytes = self.rest().as_bytes();
        RESERVED.iter().copied().find(|word| {
            bytes.starts_with(word.as_bytes()) && bytes.get(word.len()).is_none_or(|next| is_meta(*next))
        })
    }

    /// Goes over a reserved word that must stand here.
    pub(super) fn expect(&mut self, word: &'static str) -> Parsed<()> {
        if self.reserved() != Some(word) {
            return Err(self.unexpected());
        }
        self.bump(word.len())
    }

    /// Whether a list ends here.
    fn list_ends(&self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => self.peek_at(1) == Some(b';') || self.peek_at(1) == Some(b'&'),
            _ => matches!(
                self.reserved(),
                Some("then" | "elif" | "else" | "fi" | "do" | "done" | "esac" | "}")
            ),
        }
    }

    /// Chains up to something that ends a list.
    pub(super) fn list(&mut self) -> Parsed<List> {
        let mut list = List::default();
        loop {
            self.lines()?;
            if self.list_ends() {
                return Ok(list);
            }
            let mut chain = self.chain()?;
            self.blanks()?;
            self.comment()?;
            match self.peek() {
                Some(b'&') if self.peek_at(1) != Some(b'&') => {
                    chain.background = true;
                    self.bump(1)?;
                }
                Some(b';') if !self.list_ends() => self.bump(1)?,
                Some(b'\n') => self.newline()?,
                _ if self.list_ends() => {}
                _ => return Err(self.unexpected()),
            }
            list.chains.push(chain);
        }
    }

    fn chain(&mut self) -> Parsed<Chain> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks()?;
            let joint = if self.starts("&&") {
                Joint::And
            } else if self.starts("||") {
                Joint::Or
            } else {
                return Ok(Chain { first, rest, background: false });
            };
            self.bump(2)?;
            self.lines()?;
            rest.push((joint, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Parsed<Pipeline> {
        let mut pipeline = Pipeline { negated: false, timed: false, stages: Vec::new() };
        loop {
            self.blanks()?;
            match self.reserved() {
                Some("!") => {
                    pipeline.negated = !pipeline.negated;
                    self.bump(1)?;
                }
                Some("time") => {
                    pipeline.timed = true;
                    self.bump(4)?;
                    self.blanks()?;
                    for option in ["-p", "--"] {
                        let ends = self.text.as_bytes().get(self.pos + 2).is_none_or(|b| is_meta(*b));
                        if self.starts(option) && ends {
                            self.bump(2)?;
                            self.blanks()?;
                        }
                    }
                }
                _ => break,
            }
        }
        let bare = pipeline.negated || pipeline.timed;
        if bare && matches!(self.peek(), None | Some(b'\n' | b';' | b')')) {
            return Ok(pipeline);
        }
        loop {
            let mut command = self.command()?;
            self.blanks()?;
            let both = self.starts("|&");
            if self.peek() != Some(b'|') || self.peek_at(1) == Some(b'|') {
                pipeline.stages.push(command);
                return Ok(pipeline);
            }
            command.redirects.shrink_to_fit();
            pipeline.stages.push(command);
            self.bump(if both { 2 } else { 1 })?;
            self.lines()?;
        }
    }

    fn command(&mut self) -> Parsed<Command> {
        self.budget.node()?;
        self.blanks()?;
        let kind = match self.reserved() {
            Some("!" | "time") => return Err(self.unexpected()),
            Some("in" | "]]") => return self.simple(),
            Some(word) => self.compound(word)?,
            None if self.peek() == Some(b'(') => self.paren()?,
            None => return self.simple(),
        };
        self.with_redirects(kind)
    }

    /// Redirections behind a compound command.
    pub(super) fn with_redirects(&mut self, kind: Kind) -> Parsed<Command> {
        let mut redirects = Vec::new();
        loop {
            self.blanks()?;
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(Command { kind, redirects }),
            }
        }
    }

    fn simple(&mut self) -> Parsed<Command> {
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        loop {
            self.blanks()?;
            self.comment()?;
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
                continue;
            }
            let Some(word) = self.word(Until::Meta)? else { break };
            if self.peek() == Some(b'(') || self.function_follows(&simple, &redirects)? {
                return self.function_behind(&simple, redirects.is_empty(), &word);
            }
            simple.words.push(word);
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            return Err(self.unexpected());
        }
        if self.peek() == Some(b'(') {
            return Err(self.unexpected());
        }
        Ok(Command { kind: Kind::Simple(simple), redirects })
    }

    /// Whether `( )` follows behind blanks (`name ()`).
    fn function_follows(&mut self, simple: &Simple, redirects: &[super::ast::Redirect]) -> Parsed<bool> {
        if !simple.words.is_empty() || !simple.assignments.is_empty() || !redirects.is_empty() {
            return Ok(false);
        }
        let blanks = self.rest().bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
        self.budget.step(blanks)?;
        Ok(blanks > 0 && self.peek_at(blanks) == Some(b'('))
    }

    fn function_behind(&mut self, simple: &Simple, plain: bool, word: &RawWord) -> Parsed<Command> {
        let alone = plain && simple.words.is_empty() && simple.assignments.is_empty();
        let name = match word.bare() {
            Some(name) if alone && !name.contains('=') => name.to_owned(),
            _ => return Err(self.unexpected()),
        };
        self.blanks()?;
        if self.peek() != Some(b'(') {
            return Err(self.unexpected());
        }
        self.bump(1)?;
        self.blanks()?;
        if self.peek() != Some(b')') {
            return Err(self.unexpected());
        }
        self.bump(1)?;
        self.function_body(name)
    }

    /// `NAME=`, `NAME+=`, `NAME[…]=`, where one begins here.
    fn assignment(&mut self) -> Parsed<Option<Assignment>> {
        let bytes = self.rest().as_bytes();
        if !bytes.first().is_some_and(|b| is_name_start(*b)) {
            return Ok(None);
        }
        let length = bytes.iter().take_while(|b| is_name_byte(**b)).count();
        self.budget.step(length)?;
        let name = self.slice(self.pos, self.pos + length).to_owned();
        let (skip, append, subscript) = match (bytes.get(length), bytes.get(length + 1)) {
            (Some(b'='), _) => (length + 1, false, false),
            (Some(b'+'), Some(b'=')) => (length + 2, true, false),
            (Some(b'['), _) => (length + 1, false, true),
            _ => return Ok(None),
        };
        let start = self.pos;
        let mut values = Vec::new();
        self.bump(skip)?;
        let mut append = append;
        if subscript {
            let parts = self.subscript()?;
            let Some(parts) = parts else {
                self.pos = start;
                return Ok(None);
            };
            values.push(RawWord { parts, end: self.pos });
            if self.peek() == Some(b'+') {
                append = true;
                self.bump(1)?;
            }
            if self.peek() != Some(b'=') {
                return Err(Unparsed::new("a word with a subscript"));
            }
            self.bump(1)?;
        }
        if self.peek() == Some(b'(') {
            if subscript {
                return Err(self.unexpected());
            }
            values.extend(self.array()?);
            return Ok(Some(Assignment { name, append, array: true, subscript: false, values }));
        }
        let begin = self.pos;
        let word = self.word(Until::Meta)?.unwrap_or(RawWord { parts: Vec::new(), end: begin });
        values.push(word);
        Ok(Some(Assignment { name, append, array: subscript, subscript, values }))
    }

    /// The subscript of an assignment up to `]`; `None` where it is no assignment.
    fn subscript(&mut self) -> Parsed<Option<Vec<Part>>> {
        let line_end = self.rest().find(['\n', ' ', '\t']).unwrap_or(self.rest().len());
        self.budget.step(line_end)?;
        let ahead = self.rest().get(..line_end).unwrap_or("");
        if !ahead.contains("]=") && !ahead.contains("]+=") {
            return Ok(None);
        }
        let word = self.word(Until::Bracket)?;
        if self.peek() != Some(b']') {
            return Err(Unparsed::new("a subscript is not closed"));
        }
        self.bump(1)?;
        Ok(Some(word.map(|w| w.parts).unwrap_or_default()))
    }

    fn array(&mut self) -> Parsed<Vec<RawWord>> {
        self.budget.enter()?;
        self.bump(1)?;
        let mut words = Vec::new();
        loop {
            self.lines()?;
            if self.peek() == Some(b')') {
                self.bump(1)?;
                self.budget.leave();
                return Ok(words);
            }
            match self.word(Until::Meta)? {
                Some(word) => words.push(word),
                None => return Err(self.unexpected()),
            }
        }
    }
}
