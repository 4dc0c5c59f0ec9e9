//! What can be said before an item is parsed: it starts with no item's word, in no item's place,
//! or nests too deep.

use super::super::recover::{Piece, is_misplaced, leads_its_line};
use super::super::trivia::{Token, TokenKind};
use super::super::words;
use super::shorten;
use crate::base::limits::NESTING_LEVELS_MAX;
use crate::base::suggest::nearest;
use crate::base::{Diagnostic, FileId, Fix, Span};

/// Words of other policy languages, and what they are here.
const ALIASES: &[(&str, &str)] = &[
    ("permit", "allow"),
    ("grant", "allow"),
    ("accept", "allow"),
    ("deny", "block"),
    ("forbid", "block"),
    ("reject", "block"),
    ("refuse", "block"),
    ("stop", "block"),
    ("confirm", "ask"),
    ("approve", "ask"),
    ("rewrite", "modify"),
    ("mask", "redact"),
    ("include", "import"),
    ("use", "import"),
    ("def", "let"),
    ("const", "let"),
    ("set", "let"),
    ("mode", "modes"),
    ("label", "labels"),
    ("assert", "invariant"),
    ("edition", "tollgate"),
    ("version", "tollgate"),
];

/// A fault that makes parsing pointless, or dangerous for the stack.
pub(in crate::syntax) fn before_parsing(file: FileId, text: &str, piece: &Piece) -> Option<Diagnostic> {
    let Some(head) = piece.head() else {
        return Some(no_item(file, piece));
    };
    if !(head.kind == TokenKind::Word && words::starts_item(head.text(text))) {
        return Some(unknown_item(file, text, piece, head));
    }
    if let Some(span) = piece.too_deep(text) {
        return Some(
            Diagnostic::error("too-deep", file, span, "this is nested too deep")
                .expected(format!("at most {NESTING_LEVELS_MAX} levels"))
                .help("name a part of it with `let`"),
        );
    }
    is_misplaced(text, head).then(|| misplaced(file, text, head))
}

fn no_item(file: FileId, piece: &Piece) -> Diagnostic {
    Diagnostic::error("no-item", file, piece.span(), "these lines stand before no item")
        .expected("an item such as a rule behind its `///` and `@` lines")
        .help("for a comment write `//`")
}

fn misplaced(file: FileId, text: &str, head: Token) -> Diagnostic {
    let start = head.span.start as usize;
    let before = text.get(..start).unwrap_or("");
    let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
    let gap = Span::new(start - blanks, start);
    let new_line = if leads_its_line(text, head) { "" } else { "\n" };
    Diagnostic::error(
        "item-column",
        file,
        head.span,
        format!("`{}` starts an item elsewhere than in column 1", head.text(text)),
    )
    .expected("every item at the beginning of its own line")
    .help(if new_line.is_empty() { "remove the blanks before it" } else { "start a new line here" })
    .fix(Fix::replace(gap, new_line))
}

fn unknown_item(file: FileId, text: &str, piece: &Piece, head: Token) -> Diagnostic {
    let word = head.text(text);
    if let Some(diagnostic) = unknown_sign(file, text, piece, head) {
        return diagnostic;
    }
    if words::CLAUSES.contains(&word) && !has_body(text, piece) {
        return Diagnostic::error(
            "clause-outside",
            file,
            head.span,
            format!("`{word}` is a clause, and stands outside of any rule"),
        )
        .expected("clauses between the braces of a rule")
        .help("is the `}` of the rule above it too early?");
    }
    let diagnostic = Diagnostic::error("unknown-item", file, head.span, format!("`{}` starts no item", shorten(word)))
        .expected("`import`, `modes`, `labels`, `default`, `unknown`, `let`, `tool`, `invariant`, or a rule: `allow`, `warn`, `ask`, `block`, `modify`, `redact`");
    let lower = word.to_lowercase();
    let alias = ALIASES.iter().find(|(other, _)| *other == lower).map(|(_, ours)| *ours);
    let all = words::ITEMS.iter().chain(words::VERBS).copied();
    let exact = all.clone().find(|item| *item == lower);
    match exact.or(alias).or_else(|| nearest(word, all)) {
        Some(meant) => {
            diagnostic.help(format!("did you mean `{meant}`?")).fix(Fix::suggest(head.span, meant))
        }
        None if word == "rule" || word == "policy" => {
            diagnostic.help("a rule starts with its verb: `block NAME { … }`")
        }
        None => diagnostic,
    }
}

fn has_body(text: &str, piece: &Piece) -> bool {
    piece.tokens.get(piece.head + 2).is_some_and(|t| t.is(text, "{"))
}

fn unknown_sign(file: FileId, text: &str, piece: &Piece, head: Token) -> Option<Diagnostic> {
    let word = head.text(text);
    let error = |code, message: &str| Diagnostic::error(code, file, head.span, message);
    Some(match word {
        "}" => error("extra-brace", "this `}` closes nothing")
            .help("remove it, or look for a `}` too many above")
            .fix(Fix::suggest(head.span, "")),
        "#" => error("syntax", "comments start with `//`, not with `#`")
            .help("write `//`")
            .fix(Fix::suggest(head.span, "//")),
        "{" | "(" | "[" => error("unknown-item", &format!("`{word}` starts no item"))
            .expected("an item such as `block NAME { … }`"),
        _ if word.starts_with("/*") => {
            error("syntax", "there are no block comments").help("write `//` before every line of the comment")
        }
        _ if head.kind != TokenKind::Word => {
            let shown = shorten(word);
            let near = piece.tokens.get(piece.head + 1).map_or("", |t| t.text(text));
            let diagnostic = error("unknown-item", &format!("`{shown}` starts no item"))
                .expected("an item such as `block NAME { … }`");
            if near.is_empty() {
                diagnostic
            } else {
                diagnostic.help("every item starts with a word, in column 1")
            }
        }
        _ => return None,
    })
}
