//! Why an item could not be read, in the words of someone who wants to get on with it.
//!
//! The parser says where it stopped and what it tried there. Each function below knows one kind of
//! slip and how to mend it; the first that recognises what it sees speaks, and where none does the
//! list of what could have stood there is told.

mod brackets;
mod found;
mod head;
mod places;
mod signs;
mod slips;

use super::grammar::{Failure, Rule, human, starts_with};
use super::recover::Piece;
use super::trivia::{Token, TokenKind};
use crate::base::{Diagnostic, FileId, Span};

pub(super) use head::before_parsing;

/// What is known about the place where reading stopped.
struct Stop<'a> {
    file: FileId,
    text: &'a str,
    tokens: &'a [Token],
    head: usize,
    /// Index of the token that did not fit; the number of tokens at the end of the item.
    at: usize,
    failure: &'a Failure,
    /// The brackets that are open there, as indices of tokens.
    open: Vec<usize>,
    /// The index of the last word that started a clause, or a line of a tool body.
    clause: Option<usize>,
}

type Slip = fn(&Stop<'_>) -> Option<Diagnostic>;

/// In this order: what is broken in itself comes before what stands in a wrong place.
const SLIPS: &[Slip] = &[
    signs::unclosed_literal,
    signs::json,
    signs::stray,
    slips::doc_inside,
    slips::split_unit,
    slips::split_operator,
    slips::is_before_operator,
    brackets::missing_name,
    brackets::missing_open,
    brackets::comma,
    places::set_brackets,
    places::index,
    places::call,
    places::quantified,
    places::equals,
    places::result_of,
    brackets::unclosed,
    brackets::too_many,
    slips::tool_line,
    slips::operator,
    slips::value,
    slips::missing_comma,
    slips::clause,
    slips::connector,
    slips::word,
    slips::quotes,
    slips::item_goes_on,
];

/// The diagnostic for an item that could not be read.
pub(super) fn explain(file: FileId, text: &str, piece: &Piece, failure: &Failure) -> Diagnostic {
    let base = piece.span().start as usize;
    let offset = base + failure.at;
    let at = piece.tokens.partition_point(|t| t.span.end as usize <= offset);
    let mut stop = Stop {
        file,
        text,
        tokens: &piece.tokens,
        head: piece.head,
        at,
        failure,
        open: Vec::new(),
        clause: None,
    };
    stop.look_back();
    SLIPS.iter().find_map(|slip| slip(&stop)).unwrap_or_else(|| stop.general())
}

impl<'a> Stop<'a> {
    /// Finds the open brackets and the clause before the stop.
    fn look_back(&mut self) {
        let body = self.has_body();
        for (index, token) in self.tokens.iter().enumerate().take(self.at).skip(self.head) {
            match (token.kind, token.text(self.text)) {
                (TokenKind::Symbol, "(" | "[" | "{") => self.open.push(index),
                (TokenKind::Symbol, ")" | "]" | "}") => {
                    self.open.pop();
                }
                (TokenKind::Word, word)
                    if body
                        && self.open.len() == 1
                        && (super::words::CLAUSES.contains(&word) || word == "never")
                        && !self.symbol_at(index.wrapping_sub(1), ".") =>
                {
                    self.clause = Some(index);
                }
                _ => {}
            }
        }
    }

    fn token(&self, index: usize) -> Option<Token> {
        self.tokens.get(index).copied()
    }

    fn text_at(&self, index: usize) -> &'a str {
        self.token(index).map_or("", |t| t.text(self.text))
    }

    fn word_at(&self, index: usize) -> &'a str {
        self.token(index).filter(|t| t.kind == TokenKind::Word).map_or("", |t| t.text(self.text))
    }

    fn symbol_at(&self, index: usize, what: &str) -> bool {
        self.token(index).is_some_and(|t| t.is(self.text, what))
    }

    fn found(&self) -> Option<Token> {
        self.token(self.at)
    }

    fn previous(&self) -> Option<Token> {
        self.at.checked_sub(1).and_then(|index| self.token(index))
    }

    fn previous_text(&self) -> &'a str {
        self.previous().map_or("", |t| t.text(self.text))
    }

    /// Just behind the last token that fitted.
    fn behind(&self) -> Span {
        let end = self.previous().map_or(0, |t| t.span.end as usize);
        Span::new(end, end)
    }

    fn expects(&self, rule: Rule) -> bool {
        self.failure.expected.contains(&rule)
    }

    fn expects_any(&self, rules: &[Rule]) -> bool {
        rules.iter().any(|rule| self.expects(*rule))
    }

    fn head_word(&self) -> &'a str {
        self.text_at(self.head)
    }

    fn has_body(&self) -> bool {
        let word = self.head_word();
        matches!(word, "tool" | "invariant") || super::words::VERBS.contains(&word)
    }

    /// Whether the body's brace is the innermost that is open.
    fn in_body(&self) -> bool {
        self.has_body() && self.open.len() == 1
    }

    /// How the item is called in a sentence.
    fn item_name(&self) -> String {
        let name = self.text_at(self.head + 1);
        if (self.has_body() || self.head_word() == "let")
            && self.token(self.head + 1).is_some_and(|t| t.kind != TokenKind::Symbol)
        {
            format!("`{} {name}`", self.head_word())
        } else {
            format!("`{}`", self.head_word())
        }
    }

    /// The words that could have stood here.
    fn words(&self) -> Vec<String> {
        let mut words: Vec<String> =
            self.failure.expected.iter().flat_map(|rule| starts_with(*rule)).collect();
        words.sort();
        words.dedup();
        words
    }

    fn expected(&self) -> String {
        let mut names = Vec::new();
        for name in self.failure.expected.iter().map(|rule| human(*rule)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        either(&names)
    }

    fn error(&self, code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.file, span, message)
    }

    fn general(&self) -> Diagnostic {
        let diagnostic = match self.found() {
            Some(token) => {
                let shown = shorten(token.text(self.text));
                self.error("syntax", token.span, format!("`{shown}` does not fit here"))
            }
            None => {
                let message = format!("{} ends too early", self.item_name());
                self.error("syntax", self.previous().map_or(Span::default(), |t| t.span), message)
            }
        };
        let expected = self.expected();
        if expected.is_empty() { diagnostic } else { diagnostic.expected(expected) }
    }
}

/// The beginning of what an author wrote, for a message.
fn shorten(text: &str) -> String {
    const CHARS_MAX: usize = 40;
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() <= CHARS_MAX {
        return line.to_owned();
    }
    line.chars().take(CHARS_MAX).chain(['…']).collect()
}

/// `a, b or c`.
pub(super) fn either(names: &[String]) -> String {
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}
