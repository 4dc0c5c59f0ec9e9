//! The text as such: characters that have no business in a policy.

use std::borrow::Cow;

use crate::base::{Diagnostic, FileId, Fix, Span};

const MARK: char = '\u{feff}';

/// Names characters that cannot stand in a policy, each kind once, and gives the text with blanks
/// in their places (of the same length, so that offsets stay true).
pub(super) fn clean(file: FileId, text: &str) -> (Cow<'_, str>, Vec<Diagnostic>) {
    let mut found: [(Option<usize>, usize); 4] = [(None, 0); 4];
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        let kind = match byte {
            0 => 0,
            b'\r' if bytes.peek().map(|(_, next)| *next) != Some(b'\n') => 1,
            b'\t' | b'\n' | b'\r' => continue,
            0x01..=0x1f | 0x7f => 2,
            0xef if text.get(at..at + MARK.len_utf8()) == Some("\u{feff}") => 3,
            _ => continue,
        };
        if let Some((first, count)) = found.get_mut(kind) {
            first.get_or_insert(at);
            *count += 1;
        }
    }
    if found.iter().all(|(_, count)| *count == 0) {
        return (Cow::Borrowed(text), Vec::new());
    }
    let diagnostics = found
        .iter()
        .enumerate()
        .filter_map(|(kind, (first, count))| first.map(|at| diagnostic(file, kind, at, *count)))
        .collect();
    (Cow::Owned(blanked(text)), diagnostics)
}

fn diagnostic(file: FileId, kind: usize, at: usize, count: usize) -> Diagnostic {
    let more = if count > 1 { format!(" ({count} of them)") } else { String::new() };
    let one = Span::new(at, at + 1);
    match kind {
        0 => Diagnostic::error("bad-character", file, one, format!("a NUL byte stands in this file{more}"))
            .expected("text in UTF-8")
            .help("is this a text file, and saved as UTF-8?"),
        1 => Diagnostic::error(
            "bad-character",
            file,
            one,
            format!("a carriage return stands here without its line feed{more}"),
        )
        .expected("lines that end with a line feed, or with both")
        .help("save the file with Unix or Windows line ends")
        .fix(Fix::suggest(one, "\n")),
        2 => Diagnostic::error(
            "bad-character",
            file,
            one,
            format!("a control character stands in this file{more}"),
        )
        .expected("text; in strings an escape such as `\\u001b`")
        .help("remove it")
        .fix(Fix::suggest(one, "")),
        _ => {
            let mark = Span::new(at, at + MARK.len_utf8());
            Diagnostic::error(
                "byte-order-mark",
                file,
                mark,
                format!("a byte order mark stands in this file{more}"),
            )
            .expected("UTF-8 without a byte order mark")
            .help("remove it")
            .fix(Fix::replace(mark, ""))
        }
    }
}

fn blanked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() != Some(&'\n') => out.push('\n'),
            '\t' | '\n' | '\r' => out.push(c),
            MARK if out.is_empty() || out.ends_with('\n') => out.push_str("  \n"),
            MARK => out.push_str("   "),
            c if c.is_ascii_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
