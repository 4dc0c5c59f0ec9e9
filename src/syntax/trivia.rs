//! Tokens and comments, without any grammar: what the parser's helpers and the formatter look at.
//!
//! The scan is total. What cannot be a token is a [`TokenKind::Stray`] character, and a literal
//! that its line does not close is a token with `closed` unset. No literal spans a line, so a line
//! start is always outside of one: that is what recovery rests on.

use crate::base::{Span, Spanned};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A name or a word of the language.
    Word,
    /// A number, duration, size, date, or an address that starts with a digit.
    Number,
    /// An address that starts with a letter or with `::`.
    Address,
    /// `"text"`.
    Text,
    /// A command pattern in backticks.
    Command,
    /// `/regex/` with its flags.
    Regex,
    /// A sign.
    Symbol,
    /// `// …`.
    Comment,
    /// `/// …`.
    Doc,
    /// A character that starts no token.
    Stray,
}

/// One token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where.
    pub span: Span,
    /// Whether a literal has its closing sign; true for everything else.
    pub closed: bool,
}

impl Token {
    /// The token as written.
    #[must_use]
    pub fn text(self, text: &str) -> &str {
        self.span.slice(text)
    }

    /// Whether it is this word or sign.
    #[must_use]
    pub fn is(self, text: &str, what: &str) -> bool {
        matches!(self.kind, TokenKind::Word | TokenKind::Symbol) && self.text(text) == what
    }
}

/// Whether an offset is the first of its line.
#[must_use]
pub fn in_column_one(text: &str, offset: usize) -> bool {
    offset == 0 || text.as_bytes().get(offset - 1) == Some(&b'\n')
}

/// Whether only blanks stand before an offset on its line.
#[must_use]
pub fn first_on_line(text: &str, offset: usize) -> bool {
    let before = text.get(..offset).unwrap_or("");
    let blanks = before.bytes().rev().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
    in_column_one(text, offset - blanks)
}

/// The comments of a text (`//`, not `///`), as written without blanks at their ends.
#[must_use]
pub fn comments(text: &str, tokens: &[Token]) -> Vec<Spanned<String>> {
    tokens
        .iter()
        .filter(|token| token.kind == TokenKind::Comment)
        .map(|token| Spanned::new(token.text(text).to_owned(), token.span))
        .collect()
}

/// All tokens of a text, comments included.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut scanner = Scanner { text, bytes: text.as_bytes(), at: 0 };
    let mut out = Vec::new();
    while let Some(token) = scanner.next_token() {
        out.push(token);
    }
    out
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

/// Signs of more than one character, longest first.
const LONG_SYMBOLS: &[&str] = &[
    "===", "!==", "...", "..", "<=", ">=", "==", "!=", "=~", "!~", "<>", "&&", "||", "->", "=>", "=<", ":=",
];

impl Scanner<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn starts(&self, what: &str) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }

    fn next_token(&mut self) -> Option<Token> {
        while matches!(self.byte(self.at), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
        if self.at >= self.bytes.len() {
            return None;
        }
        let start = self.at;
        let mut closed = true;
        let first = self.byte(start);
        let kind = match first {
            b'/' if self.starts("//") => {
                let doc = self.starts("///") && self.byte(start + 3) != b'/';
                self.at = self.line_end(start);
                if doc { TokenKind::Doc } else { TokenKind::Comment }
            }
            b'"' => {
                closed = self.literal(b'"', true);
                TokenKind::Text
            }
            b'`' => {
                closed = self.literal(b'`', false);
                TokenKind::Command
            }
            b'/' => {
                closed = !self.starts("/*") && self.literal(b'/', true);
                if closed {
                    self.skip(is_word_char);
                } else {
                    self.at = self.line_end(start);
                }
                TokenKind::Regex
            }
            b':' if self.starts("::") => self.number(TokenKind::Address),
            b'-' if self.byte(start + 1).is_ascii_digit() => self.number(TokenKind::Number),
            b'0'..=b'9' => self.number(TokenKind::Number),
            b if is_word_start(b) && self.at_address() => self.number(TokenKind::Address),
            b if is_word_start(b) => {
                self.skip(is_word_char);
                TokenKind::Word
            }
            _ => self.sign(),
        };
        Some(Token { kind, span: Span::new(start, self.at), closed })
    }

    fn sign(&mut self) -> TokenKind {
        let long = matches!(self.byte(self.at), b'=' | b'!' | b'.' | b'<' | b'>' | b'&' | b'|' | b'-' | b':');
        if long && let Some(symbol) = LONG_SYMBOLS.iter().find(|symbol| self.starts(symbol)) {
            self.at += symbol.len();
            return TokenKind::Symbol;
        }
        let rest = self.text.get(self.at..).unwrap_or("");
        let c = rest.chars().next().unwrap_or(' ');
        // An offset inside a character cannot come up; one byte further is a way out all the same.
        self.at += c.len_utf8();
        if "{}()[],=<>.@*&|!:".contains(c) { TokenKind::Symbol } else { TokenKind::Stray }
    }

    /// One past the last character of the line that is no blank.
    fn line_end(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or(&[]);
        let line = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        let line = self.text.get(from..from + line).unwrap_or("");
        from + line.trim_end().len()
    }

    /// Moves behind the closing sign, or to the end of the line.
    fn literal(&mut self, close: u8, escapes: bool) -> bool {
        let start = self.at;
        let mut at = start + 1;
        loop {
            match self.byte(at) {
                b if b == close && at < self.bytes.len() => {
                    self.at = at + 1;
                    return true;
                }
                b'\\' if escapes && self.byte(at + 1) != b'\n' => at += 2,
                b'\n' => break,
                _ if at >= self.bytes.len() => break,
                _ => at += 1,
            }
        }
        self.at = self.line_end(start);
        false
    }

    fn skip(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && wanted(self.byte(self.at)) {
            self.at += 1;
        }
    }

    fn at_address(&self) -> bool {
        let digits = (0..5).take_while(|n| self.byte(self.at + n).is_ascii_hexdigit()).count();
        let next = self.byte(self.at + digits + 1);
        (1..=4).contains(&digits)
            && self.byte(self.at + digits) == b':'
            && (next == b':' || next.is_ascii_hexdigit())
    }

    fn number(&mut self, kind: TokenKind) -> TokenKind {
        self.at += 1;
        if kind == TokenKind::Address && self.byte(self.at) == b':' {
            self.at += 1;
        }
        loop {
            let (here, next) = (self.byte(self.at), self.byte(self.at + 1));
            let more = match here {
                b'_' | b':' | b'-' => true,
                b'.' => next != b'.',
                b'/' => next.is_ascii_digit(),
                _ => here.is_ascii_alphanumeric(),
            };
            if !more {
                return kind;
            }
            self.at += 1;
        }
    }
}

fn is_word_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

fn is_word_char(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, tokens};

    fn kinds(text: &str) -> Vec<(TokenKind, &str, bool)> {
        tokens(text).into_iter().map(|t| (t.kind, t.text(text), t.closed)).collect()
    }

    #[test]
    fn literals_keep_their_slashes() {
        use TokenKind::{Address, Comment, Doc, Number, Regex, Symbol, Text, Word};
        assert_eq!(
            kinds("a \"x // y\" /b\\/\\/c/i 10.0.0.0/8 ::/127 fc00::/7 1..5 // end"),
            [
                (Word, "a", true),
                (Text, "\"x // y\"", true),
                (Regex, "/b\\/\\/c/i", true),
                (Number, "10.0.0.0/8", true),
                (Address, "::/127", true),
                (Address, "fc00::/7", true),
                (Number, "1", true),
                (Symbol, "..", true),
                (Number, "5", true),
                (Comment, "// end", true),
            ]
        );
        assert_eq!(kinds("/// d\n//// r"), [(Doc, "/// d", true), (Comment, "//// r", true)]);
    }

    #[test]
    fn unclosed_literals_end_with_their_line() {
        assert_eq!(
            kinds("\"a\\\nb `c\n/d\\"),
            [
                (TokenKind::Text, "\"a\\", false),
                (TokenKind::Word, "b", true),
                (TokenKind::Command, "`c", false),
                (TokenKind::Regex, "/d\\", false),
            ]
        );
    }
}
