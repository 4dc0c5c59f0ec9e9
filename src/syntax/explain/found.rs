//! Small questions about what stands at the stop.

use super::super::trivia::TokenKind;
use super::super::words;
use super::Stop;
use crate::base::Span;

impl<'a> Stop<'a> {
    /// The word that was found, or nothing.
    pub(super) fn found_word(&self) -> &'a str {
        self.word_at(self.at)
    }

    /// Whether what was found starts a clause of a rule.
    pub(super) fn found_clause(&self) -> bool {
        words::CLAUSES.contains(&self.found_word())
    }

    /// Whether what was found can be a value.
    pub(super) fn found_value(&self) -> bool {
        use TokenKind::{Address, Command, Number, Regex, Text};
        self.found().is_some_and(|t| matches!(t.kind, Address | Command | Number | Regex | Text))
    }

    /// Whether a rule's verb, or another item with a body, starts where reading stopped.
    pub(super) fn found_item(&self) -> bool {
        let word = self.found_word();
        let named =
            self.token(self.at + 1).is_some_and(|t| matches!(t.kind, TokenKind::Word | TokenKind::Text));
        words::starts_item(word) && named && self.symbol_at(self.at + 2, "{")
    }

    /// The run of characters at the stop that an author may have meant as one text.
    pub(super) fn run(&self) -> Span {
        let start = self.found().map_or(self.behind().start as usize, |t| t.span.start as usize);
        let rest = self.text.get(start..).unwrap_or("");
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, ',' | '}' | '{' | ')' | '"' | '`'))
            .unwrap_or(rest.len());
        Span::new(start, start + end)
    }

    /// Whether the stop is inside of a set.
    pub(super) fn in_set(&self) -> bool {
        let Some(&innermost) = self.open.last() else { return false };
        self.symbol_at(innermost, "{") && !(self.has_body() && self.open.len() == 1)
    }

    /// Whether the stop is inside of a condition.
    pub(super) fn in_condition(&self) -> bool {
        let clause = self.clause.map_or("", |index| self.word_at(index));
        match self.head_word() {
            "let" => self.at > self.head + 3,
            "invariant" => self
                .tokens
                .get(self.head..self.at)
                .is_some_and(|all| all.iter().any(|t| t.is(self.text, "when"))),
            _ => matches!(clause, "when" | "unless"),
        }
    }
}
