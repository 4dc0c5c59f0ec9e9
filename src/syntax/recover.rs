//! Cutting a text into items before it is parsed.
//!
//! Items, with their `///` and `@` lines, start in column 1, and no literal spans a line. So a line
//! that starts like an item starts one, whatever is broken above it: one broken item is one
//! error, a missing `}` is found at the item that lacks it, and the rest of the file is read.

use super::trivia::{Token, TokenKind, first_on_line, in_column_one};
use super::words;
use crate::base::Span;
use crate::base::limits::NESTING_LEVELS_MAX;

/// One item's share of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its tokens, without comments.
    pub tokens: Vec<Token>,
    /// Which of them is the first behind the `///` and `@` lines.
    pub head: usize,
}

impl Piece {
    /// From its first to its last token.
    pub fn span(&self) -> Span {
        match (self.tokens.first(), self.tokens.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => Span::default(),
        }
    }

    /// The first token behind the `///` and `@` lines.
    pub fn head(&self) -> Option<Token> {
        self.tokens.get(self.head).copied()
    }

    /// The first bracket that stands too deep. What a recursive reader would have to
    /// descend counts: brackets and `not`, the braces around a body left out.
    pub fn too_deep(&self, text: &str) -> Option<Span> {
        let body = self.head().is_some_and(|head| {
            let word = head.text(text);
            matches!(word, "tool" | "invariant") || words::VERBS.contains(&word)
        });
        let bound = NESTING_LEVELS_MAX + usize::from(body);
        let (mut open, mut depth, mut nots) = (Vec::new(), 0_usize, 0_usize);
        for token in &self.tokens {
            match (token.kind, token.text(text)) {
                (TokenKind::Word, "not") => nots += 1,
                (TokenKind::Symbol, "(" | "[" | "{") => {
                    open.push(nots + 1);
                    depth += nots + 1;
                    nots = 0;
                }
                (TokenKind::Symbol, ")" | "]" | "}") => {
                    depth -= open.pop().unwrap_or(0);
                    nots = 0;
                }
                _ => nots = 0,
            }
            if depth + nots > bound {
                return Some(token.span);
            }
        }
        None
    }
}

/// Cuts a text at its items. Every token that is no comment is in exactly one piece.
pub(super) fn pieces(text: &str, tokens: &[Token]) -> Vec<Piece> {
    let solid: Vec<Token> = tokens.iter().filter(|t| t.kind != TokenKind::Comment).copied().collect();
    let mut cutter = Cutter { text, tokens: &solid, start: 0, head: None, depth: 0, stray: false };
    let mut out = Vec::new();
    for (at, token) in solid.iter().enumerate() {
        if at > cutter.start && cutter.starts_piece(at, *token) {
            out.extend(cutter.cut(at));
        }
        cutter.take(at, *token);
    }
    out.extend(cutter.cut(solid.len()));
    out
}

struct Cutter<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The first token of the piece at hand.
    start: usize,
    /// Its first token behind the `///` and `@` lines.
    head: Option<usize>,
    /// Brackets that are open in it.
    depth: usize,
    /// Whether it starts with something that no item starts with.
    stray: bool,
}

impl Cutter<'_> {
    fn cut(&mut self, end: usize) -> Option<Piece> {
        let tokens = self.tokens.get(self.start..end)?.to_vec();
        let head = self.head.unwrap_or(end) - self.start;
        (self.start, self.head, self.depth, self.stray) = (end, None, 0, false);
        (!tokens.is_empty()).then_some(Piece { tokens, head })
    }

    fn take(&mut self, at: usize, token: Token) {
        let text = token.text(self.text);
        match (token.kind, text) {
            (TokenKind::Symbol, "(" | "[" | "{") => self.depth += 1,
            (TokenKind::Symbol, ")" | "]" | "}") => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if self.head.is_none() && !self.in_prelude(at, token) {
            self.head = Some(at);
            self.stray = !(token.kind == TokenKind::Word && words::starts_item(text));
        }
    }

    /// Whether a token is of the `///` and `@` lines.
    fn in_prelude(&self, at: usize, token: Token) -> bool {
        if token.kind == TokenKind::Doc || token.is(self.text, "@") {
            return true;
        }
        // `@` NAME VALUE, all on one line.
        let same_line = |back: usize| {
            let at_sign = at.checked_sub(back).filter(|&n| n >= self.start).and_then(|n| self.tokens.get(n));
            at_sign.is_some_and(|t| {
                t.is(self.text, "@")
                    && !Span::new(t.span.end as usize, token.span.start as usize)
                        .slice(self.text)
                        .contains('\n')
            })
        };
        same_line(1) || same_line(2)
    }

    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).filter(|t| t.kind == TokenKind::Word).map_or("", |t| t.text(self.text))
    }

    fn symbol(&self, at: usize, what: &str) -> bool {
        self.tokens.get(at).is_some_and(|t| t.is(self.text, what))
    }

    /// Whether a name and then `{` stand here.
    fn body_follows(&self, at: usize) -> bool {
        let name = self.tokens.get(at).is_some_and(|t| matches!(t.kind, TokenKind::Word | TokenKind::Text));
        name && self.symbol(at + 1, "{")
    }

    /// Whether what stands here can only be an item, wherever it stands.
    fn item_shape(&self, at: usize) -> bool {
        let next = self.tokens.get(at + 1);
        let kind = |kind| next.is_some_and(|t| t.kind == kind);
        match self.word(at) {
            "tollgate" => kind(TokenKind::Number),
            "import" => kind(TokenKind::Text),
            "modes" | "labels" => kind(TokenKind::Word) && !words::is_reserved(self.word(at + 1)),
            "default" => matches!(self.word(at + 1), "block" | "ask" | "allow" | "pass"),
            "unknown" => matches!(self.word(at + 1), "block" | "ask"),
            "let" => kind(TokenKind::Word) && self.symbol(at + 2, "="),
            word => words::starts_item(word) && self.body_follows(at + 1),
        }
    }

    fn starts_piece(&self, at: usize, token: Token) -> bool {
        let start = token.span.start as usize;
        let column_one = in_column_one(self.text, start);
        if token.kind == TokenKind::Doc || token.is(self.text, "@") {
            return column_one && self.head.is_some();
        }
        if self.head.is_none() {
            return false;
        }
        if token.kind != TokenKind::Word {
            // `#`, `/*` and a `}` too many are no part of the item above them.
            let foreign = matches!(token.kind, TokenKind::Stray)
                || !token.closed
                || (token.kind == TokenKind::Symbol && matches!(token.text(self.text), ")" | "}" | "]"));
            return column_one && self.depth == 0 && foreign && !self.stray && !self.goes_on(at);
        }
        if !column_one {
            return self.depth == 0 && !self.goes_on(at) && self.item_shape(at);
        }
        let word = token.text(self.text);
        if words::starts_item(word) {
            return self.item_in_column_one(at, word);
        }
        if self.depth > 0 {
            return !words::CLAUSES.contains(&word)
                && !words::OPERATORS.contains(&word)
                && self.body_follows(at + 1);
        }
        if self.goes_on(at) || words::OPERATORS.contains(&word) || word == "by" {
            return false;
        }
        // Loose lines that belong to no item are one piece, and so one error.
        !self.stray || self.body_follows(at + 1)
    }

    fn item_in_column_one(&self, at: usize, word: &str) -> bool {
        match word {
            // `tool` is a field as well.
            "tool" => self.item_shape(at) || (self.depth == 0 && !self.goes_on(at) && !self.compared(at + 1)),
            // As the second word of `default` and `unknown`.
            "block" | "ask" | "allow" => {
                self.body_follows(at + 1) || !matches!(self.word(at - 1), "default" | "unknown")
            }
            // A clause as well: it is one where the body goes on behind it.
            "unknown" if self.depth > 0 => {
                let rest = self.tokens.get(at + 1..).unwrap_or(&[]);
                let next = rest.iter().find(|t| in_column_one(self.text, t.span.start as usize));
                !next.is_some_and(|t| {
                    let text = t.text(self.text);
                    text == "}" || (words::CLAUSES.contains(&text) && text != "unknown")
                })
            }
            _ => true,
        }
    }

    fn compared(&self, at: usize) -> bool {
        words::OPERATORS.contains(&self.word(at))
            || ["<", "<=", ">", ">=", "=", "==", "!="].iter().any(|sign| self.symbol(at, sign))
    }

    /// Whether the token before asks for something more.
    fn goes_on(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).filter(|&n| n >= self.start).and_then(|n| self.tokens.get(n))
        else {
            return false;
        };
        let text = before.text(self.text);
        match before.kind {
            TokenKind::Symbol => !matches!(text, "}" | ")" | "]"),
            TokenKind::Word => {
                let named = self.symbol(at.wrapping_sub(2), ".");
                !named
                    && (words::OPERATORS.contains(&text) || words::starts_item(text) || text == "by")
                    && !matches!(self.word(at.wrapping_sub(2)), "default" | "unknown")
            }
            _ => false,
        }
    }
}

/// Whether the first token of a piece stands where an item may start.
pub(super) fn is_misplaced(text: &str, head: Token) -> bool {
    !in_column_one(text, head.span.start as usize)
}

/// Whether only blanks stand before a token on its line.
pub(super) fn leads_its_line(text: &str, token: Token) -> bool {
    first_on_line(text, token.span.start as usize)
}
