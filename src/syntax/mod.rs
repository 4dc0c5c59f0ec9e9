//! Rank 1: text → (`File`, diagnostics). Never fails, never loops, reads nothing else.
//!
//! `source` looks at the text as such, `trivia` finds tokens and comments, `recover` cuts the text
//! at its items, `grammar` parses each, `tree` builds it, `explain` says why one could not be read.

pub mod ast;
mod explain;
mod grammar;
mod json;
pub mod literal;
mod recover;
mod source;
mod tree;
pub mod trivia;
pub mod visit;
pub mod words;

use crate::base::limits::POLICY_FILE_BYTES_MAX;
use crate::base::{Diagnostic, FileId, Fix, Span};
use ast::{File, Item, ItemKind};
use recover::Piece;
use trivia::TokenKind;

/// Errors of one file, after which the rest is not read: a file with more is no policy.
const ERRORS_MAX: usize = 1_000;

/// Reads a policy file. Items that cannot be read are diagnostics, one each; the rest is in the
/// tree, together with every comment.
#[must_use]
pub fn parse(file: FileId, text: &str) -> (File, Vec<Diagnostic>) {
    if text.len() > POLICY_FILE_BYTES_MAX {
        return (File::default(), vec![too_large(file, text.len())]);
    }
    let (text, mut diagnostics) = source::clean(file, text);
    let tokens = trivia::tokens(&text);
    let mut tree = File { items: Vec::new(), comments: trivia::comments(&text, &tokens) };
    let pieces = recover::pieces(&text, &tokens);
    let mut unread = None;
    for piece in &pieces {
        if diagnostics.len() >= ERRORS_MAX {
            unread = Some(piece.span());
            break;
        }
        match read_piece(file, &text, piece) {
            Ok(item) => tree.items.push(item),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    diagnostics.extend(editions(file, &text, &pieces, &tree));
    diagnostics.sort_by_key(|d| d.span.start);
    if let Some(span) = unread {
        let message = format!("after {ERRORS_MAX} errors the file was not read any further");
        diagnostics.push(Diagnostic::error("too-many-errors", file, span, message));
    }
    (tree, diagnostics)
}

fn too_large(file: FileId, bytes: usize) -> Diagnostic {
    let message = format!("this file has {bytes} bytes, and a policy file at most {POLICY_FILE_BYTES_MAX}");
    Diagnostic::error("file-too-large", file, Span::default(), message)
        .help("split it, and `import` the parts")
}

fn read_piece(file: FileId, text: &str, piece: &Piece) -> Result<Item, Box<Diagnostic>> {
    if let Some(diagnostic) = explain::before_parsing(file, text, piece) {
        return Err(Box::new(diagnostic));
    }
    let span = piece.span();
    let (slice, base) = (span.slice(text), span.start as usize);
    match grammar::parse_item(slice) {
        Ok(nodes) => tree::Tree { file, text: slice, base }.build(nodes),
        Err(failure) => {
            let mut diagnostic = explain::explain(file, text, piece, &failure);
            if let Some(fix) = &mut diagnostic.fix {
                fix.safe = fix.safe && mends(file, slice, base, fix);
            }
            Err(Box::new(diagnostic))
        }
    }
}

/// Whether an item can be read once a mend is made: only then is the mend certain.
fn mends(file: FileId, slice: &str, base: usize, fix: &Fix) -> bool {
    let mut mended = slice.to_owned();
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    for edit in edits {
        let range = edit.span.range();
        let (Some(start), Some(end)) = (range.start.checked_sub(base), range.end.checked_sub(base)) else {
            return false;
        };
        if mended.get(start..end).is_none() {
            return false;
        }
        mended.replace_range(start..end, &edit.text);
    }
    let too_deep =
        recover::pieces(&mended, &trivia::tokens(&mended)).iter().any(|p| p.too_deep(&mended).is_some());
    !too_deep
        && grammar::parse_item(&mended)
            .is_ok_and(|nodes| tree::Tree { file, text: &mended, base: 0 }.build(nodes).is_ok())
}

/// `tollgate 1` stands first, and once.
fn editions(file: FileId, text: &str, pieces: &[Piece], tree: &File) -> Vec<Diagnostic> {
    let is_edition = |piece: &&Piece| piece.head().is_some_and(|head| head.is(text, "tollgate"));
    let mut out = Vec::new();
    let Some(first) = pieces.iter().find(is_edition) else {
        let at = pieces.first().map_or(text.len(), |piece| piece.span().start as usize);
        let here = Span::new(at, at);
        return vec![
            Diagnostic::error(
                "missing-edition",
                file,
                here,
                "this file does not say which edition it is written in",
            )
            .expected("`tollgate 1` as the first item")
            .help("write `tollgate 1` before everything else")
            .fix(Fix::replace(here, "tollgate 1\n\n")),
        ];
    };
    if pieces.first().is_some_and(|piece| !is_edition(&piece)) {
        out.push(
            Diagnostic::error(
                "misplaced-edition",
                file,
                first.span(),
                "the edition stands before everything else",
            )
            .expected("`tollgate 1` as the first item")
            .help("move it to the top of the file"),
        );
    }
    let others = tree.items.iter().filter(|item| matches!(item.kind, ItemKind::Edition(_)));
    for item in others.filter(|item| item.span.start > first.span().end) {
        out.push(
            Diagnostic::error("duplicate-edition", file, item.span, "the edition stands here a second time")
                .label(file, first.span(), "it was said here")
                .help("remove one of them")
                .fix(Fix::replace(item.span, "")),
        );
    }
    out
}

/// The tokens of a text with the comments among them, where it is no longer than a policy may be;
/// characters that start no token are left out.
#[must_use]
pub fn tokens(text: &str) -> Vec<trivia::Token> {
    if text.len() > POLICY_FILE_BYTES_MAX {
        return Vec::new();
    }
    trivia::tokens(text).into_iter().filter(|t| t.kind != TokenKind::Stray).collect()
}
