//! Compound commands and redirections.

use std::cell::OnceCell;
use std::rc::Rc;

use super::ast::{Command, Kind, List, Parsed, RawWord, Redirect, RedirectOp, Unparsed};
use super::lexer::{Parser, Pending, Until, is_meta, is_name_byte, is_name_start};

impl Parser<'_> {
    pub(super) fn compound(&mut self, word: &'static str) -> Parsed<Kind> {
        self.budget.enter()?;
        let kind = match word {
            "{" => {
                self.bump(1)?;
                let list = self.body()?;
                self.expect("}")?;
                Kind::Group(Rc::new(list))
            }
            "if" => self.conditional()?,
            "while" | "until" => {
                self.bump(word.len())?;
                let condition = self.body()?;
                Kind::Loop { condition, body: self.do_done()? }
            }
            "for" | "select" => self.for_loop(word)?,
            "case" => self.case()?,
            "[[" => self.test()?,
            "function" => self.function()?,
            "coproc" => return Err(Unparsed::new("`coproc` is not supported")),
            _ => return Err(self.unexpected()),
        };
        self.budget.leave();
        Ok(kind)
    }

    /// A list that has at least one command.
    fn body(&mut self) -> Parsed<List> {
        let list = self.list()?;
        if list.chains.is_empty() {
            return Err(self.unexpected());
        }
        Ok(list)
    }

    fn do_done(&mut self) -> Parsed<List> {
        self.lines()?;
        self.expect("do")?;
        let body = self.body()?;
        self.expect("done")?;
        Ok(body)
    }

    pub(super) fn paren(&mut self) -> Parsed<Kind> {
        if self.peek_at(1) == Some(b'(')
            && let Some(end) = self.double_paren_end(self.pos + 2)?
        {
            self.bump(2)?;
            let (text, parts) = self.arith_until(Some(end))?;
            self.bump(2)?;
            return Ok(Kind::Arith(vec![super::ast::Part::Arith { quoted: true, text, parts }]));
        }
        self.bump(1)?;
        let list = self.nested(b')')?;
        if list.chains.is_empty() {
            return Err(Unparsed::new("`()` is empty"));
        }
        Ok(Kind::Subshell(Rc::new(list)))
    }

    fn conditional(&mut self) -> Parsed<Kind> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        self.bump(2)?;
        loop {
            let condition = self.body()?;
            self.expect("then")?;
            branches.push((condition, self.body()?));
            match self.reserved() {
                Some("elif") => self.bump(4)?,
                Some("else") => {
                    self.bump(4)?;
                    otherwise = Some(self.body()?);
                    break;
                }
                _ => break,
            }
        }
        self.expect("fi")?;
        Ok(Kind::If(branches, otherwise))
    }

    fn for_loop(&mut self, word: &'static str) -> Parsed<Kind> {
        self.bump(word.len())?;
        self.blanks()?;
        if self.starts("((") && word == "for" {
            let Some(end) = self.double_paren_end(self.pos + 2)? else {
                return Err(Unparsed::new("`((` is not closed"));
            };
            self.bump(2)?;
            let (text, parts) = self.arith_until(Some(end))?;
            self.bump(2)?;
            self.blanks()?;
            if self.peek() == Some(b';') {
                self.bump(1)?;
            }
            let part = super::ast::Part::Arith { quoted: true, text, parts };
            return Ok(Kind::ForArith { parts: vec![part], body: self.do_done()? });
        }
        let start = self.pos;
        if !self.peek().is_some_and(is_name_start) {
            return Err(self.unexpected());
        }
        while self.peek().is_some_and(is_name_byte) {
            self.bump(1)?;
        }
        let name = self.slice(start, self.pos).to_owned();
        self.lines()?;
        let mut words = None;
        if self.reserved() == Some("in") {
            self.bump(2)?;
            let mut list = Vec::new();
            loop {
                self.blanks()?;
                match self.word(Until::Meta)? {
                    Some(word) => list.push(word),
                    None => break,
                }
            }
            self.comment()?;
            match self.peek() {
                Some(b';' | b'\n') => {}
                _ => return Err(self.unexpected()),
            }
            words = Some(list);
        }
        if self.peek() == Some(b';') {
            self.bump(1)?;
        }
        Ok(Kind::For { name, words, body: self.do_done()?, select: word == "select" })
    }

    fn case(&mut self) -> Parsed<Kind> {
        self.bump(4)?;
        self.blanks()?;
        let Some(word) = self.word(Until::Meta)? else { return Err(self.unexpected()) };
        let mut words = vec![word];
        let mut bodies = Vec::new();
        self.lines()?;
        self.expect("in")?;
        loop {
            self.lines()?;
            if self.reserved() == Some("esac") {
                self.bump(4)?;
                return Ok(Kind::Case { words, bodies });
            }
            if self.peek() == Some(b'(') {
                self.bump(1)?;
            }
            loop {
                self.blanks()?;
                let Some(pattern) = self.word(Until::Meta)? else { return Err(self.unexpected()) };
                words.push(pattern);
                self.blanks()?;
                match self.peek() {
                    Some(b'|') => self.bump(1)?,
                    Some(b')') => break,
                    _ => return Err(self.unexpected()),
                }
            }
            self.bump(1)?;
            bodies.push(self.list()?);
            if self.starts(";;&") {
                self.bump(3)?;
            } else if self.starts(";;") || self.starts(";&") {
                self.bump(2)?;
            } else if self.reserved() != Some("esac") {
                return Err(self.unexpected());
            }
        }
    }

    fn test(&mut self) -> Parsed<Kind> {
        self.bump(2)?;
        let mut words: Vec<RawWord> = Vec::new();
        let mut pattern = false;
        let mut open = 0_usize;
        loop {
            self.lines()?;
            if self.reserved() == Some("]]") {
                self.bump(2)?;
                if words.is_empty() || open > 0 {
                    return Err(self.unexpected());
                }
                return Ok(Kind::Test(words));
            }
            match self.peek() {
                None => return Err(Unparsed::new("`[[` is not closed")),
                Some(b'&') if self.starts("&&") => self.bump(2)?,
                Some(b'|') if self.starts("||") => self.bump(2)?,
                Some(b'(') if !pattern => {
                    open += 1;
                    self.bump(1)?;
                }
                Some(b')') if open > 0 => {
                    open -= 1;
                    self.bump(1)?;
                }
                Some(b'<' | b'>') if self.peek_at(1) != Some(b'(') => self.bump(1)?,
                _ => {
                    let until = if pattern { Until::Pattern } else { Until::Meta };
                    let Some(word) = self.word(until)? else { return Err(self.unexpected()) };
                    pattern = matches!(word.bare(), Some("=~" | "==" | "!=" | "="));
                    words.push(word);
                }
            }
        }
    }

    fn function(&mut self) -> Parsed<Kind> {
        self.bump(8)?;
        self.blanks()?;
        let Some(word) = self.word(Until::Meta)? else { return Err(self.unexpected()) };
        let Some(name) = word.bare().map(str::to_owned) else { return Err(self.unexpected()) };
        self.blanks()?;
        if self.peek() == Some(b'(') && self.peek_at(1) != Some(b'(') {
            self.bump(1)?;
            self.blanks()?;
            if self.peek() != Some(b')') {
                return Err(self.unexpected());
            }
            self.bump(1)?;
        }
        Ok(self.function_body(name)?.kind)
    }

    /// The body of a function, its name and `()` gone over.
    pub(super) fn function_body(&mut self, name: String) -> Parsed<Command> {
        self.budget.enter()?;
        self.lines()?;
        let kind = match self.reserved() {
            Some("!" | "time" | "function" | "coproc") => return Err(self.unexpected()),
            Some(word) => self.compound(word)?,
            None if self.peek() == Some(b'(') => self.paren()?,
            None => return Err(self.unexpected()),
        };
        let body = Rc::new(self.with_redirects(kind)?);
        self.budget.leave();
        Ok(Command { kind: Kind::Function { name, body }, redirects: Vec::new() })
    }

    /// A redirection, where one begins here.
    pub(super) fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let bytes = self.rest().as_bytes();
        let mut at = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
        if bytes.first() == Some(&b'{') {
            let length = bytes.iter().skip(1).take_while(|b| is_name_byte(**b)).count();
            if length > 0 && bytes.get(length + 1) == Some(&b'}') {
                at = length + 2;
            }
        }
        self.budget.step(at)?;
        let tail = self.text.get(self.pos + at..).unwrap_or("");
        let Some((op, length)) = redirect_op(tail, at == 0) else { return Ok(None) };
        let fd = (at > 0).then(|| self.slice(self.pos, self.pos + at).to_owned());
        let strip_tabs = tail.starts_with("<<-");
        self.budget.node()?;
        self.bump(at + length)?;
        self.blanks()?;
        let target = match self.word(Until::Meta)? {
            Some(word) => word,
            None => return Err(self.unexpected()),
        };
        if op != RedirectOp::Document {
            return Ok(Some(Redirect { fd, op, target, document: None }));
        }
        let Some(delimiter) = target.literal().filter(|text| !text.contains('\n')) else {
            return Err(Unparsed::new("the delimiter of a here-document is not plain"));
        };
        let slot = Rc::new(OnceCell::new());
        let quoted = target.is_quoted();
        self.pending.push(Pending { delimiter, quoted, strip_tabs, slot: Rc::clone(&slot) });
        Ok(Some(Redirect { fd, op, target: RawWord::default(), document: Some(slot) }))
    }
}

/// The operator at the beginning of a text, with its length. `<(` and `>(` are none.
fn redirect_op(text: &str, bare: bool) -> Option<(RedirectOp, usize)> {
    const FORMS: &[(&str, RedirectOp)] = &[
        ("&>>", RedirectOp::Both),
        ("&>", RedirectOp::Both),
        ("<<<", RedirectOp::Text),
        ("<<-", RedirectOp::Document),
        ("<<", RedirectOp::Document),
        ("<&", RedirectOp::DupIn),
        ("<>", RedirectOp::ReadWrite),
        (">>", RedirectOp::Write),
        (">|", RedirectOp::Write),
        (">&", RedirectOp::DupOut),
        ("<", RedirectOp::Read),
        (">", RedirectOp::Write),
    ];
    let (form, op) = FORMS.iter().find(|(form, _)| text.starts_with(form))?;
    let next = text.as_bytes().get(form.len());
    if form.len() == 1 && next == Some(&b'(') && bare {
        return None;
    }
    if *op == RedirectOp::Both && !bare {
        return None;
    }
    debug_assert!(form.bytes().all(|b| is_meta(b) || b == b'-'));
    Some((*op, form.len()))
}
