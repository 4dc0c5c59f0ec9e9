//! The one canonical layout of a policy file.
//!
//! `layout` turns the tokens of a file into texts and places where a line may end, guided by the
//! syntax tree; `print` decides which of those places do end one. Every token and every comment of
//! the text goes through, so nothing can be lost on the way, and the result is read again and
//! compared before anyone sees it.
//!
//! The layout, in full:
//! - one item after the other in column 1; blank lines are the author's, never more than one;
//! - a body that was written on one line stays on it, its clauses two blanks apart, if that takes
//!   no more than 100 columns and holds no comment; every other body has one clause a line,
//!   two blanks in;
//! - a set, a list or a condition that does not fit is broken at its own commas or connectors, one
//!   element a line; a broken set ends with a comma;
//! - comments stay where they are, behind a line or on one of their own; JSON stays as written.

mod erase;
mod layout;
mod print;

use crate::base::{Diagnostic, FileId, Level, Span};
use crate::syntax::{ast::File, parse};

/// Columns of a line, as far as what stands on it can be broken.
const COLUMNS_MAX: usize = 100;

/// The canonical layout of a policy file.
///
/// # Errors
///
/// The diagnostics of a text that cannot be read: it is left alone. Their spans point into a file
/// of the id `FileId(0)`.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let file = FileId(0);
    let unix = text.replace("\r\n", "\n");
    // Diagnostics belong to the text as given, so that one is read for them.
    let (_, diagnostics) = parse(file, text);
    if diagnostics.iter().any(|d| d.level == Level::Error) {
        return Err(diagnostics);
    }
    let (tree, _) = parse(file, &unix);
    let out = print::print(&layout::layout(&unix, &tree), COLUMNS_MAX);
    let (again, diagnostics) = parse(file, &out);
    if !diagnostics.is_empty() || !same(tree, again) {
        let message = "the layout of this file would change its meaning; it was left alone";
        return Err(vec![
            Diagnostic::error("internal-error", file, Span::default(), message)
                .help("this is a fault of the program: please report it with the file"),
        ]);
    }
    Ok(out)
}

/// Whether two files say the same, wherever it stands, and keep the same comments.
fn same(mut left: File, mut right: File) -> bool {
    erase::spans(&mut left);
    erase::spans(&mut right);
    left == right
}
