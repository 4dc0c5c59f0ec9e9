//! Literals that are broken in themselves, and characters that mean nothing here.

use super::super::grammar::Rule;
use super::super::json;
use super::super::trivia::TokenKind;
use super::{Stop, shorten};
use crate::base::{Diagnostic, Edit, Fix, Span};

/// A string, regex or command that its line does not close.
pub(super) fn unclosed_literal(stop: &Stop<'_>) -> Option<Diagnostic> {
    let token = stop.found().filter(|t| !t.closed)?;
    let text = token.text(stop.text);
    let (what, close, kept) = match token.kind {
        TokenKind::Text => ("string", "\"", "a string"),
        TokenKind::Command => ("command", "`", "a command"),
        _ if text.starts_with("/*") => {
            return Some(
                stop.error("syntax", token.span, "there are no block comments")
                    .help("write `//` before every line of the comment"),
            );
        }
        _ => {
            return Some(
                stop.error(
                    "unterminated",
                    token.span,
                    "this `/` starts a regex that is not closed on its line",
                )
                .expected("a closing `/`, or quotes around a path")
                .help("a path stands in double quotes, and in a regex `/` is written `\\/`"),
            );
        }
    };
    // Where the closing sign belongs is a guess: before what can only stand behind the text.
    let sign = if close == "`" { "backtick" } else { "double quote" };
    let tail = text.len() - text.trim_end_matches([' ', '}', ')', ',']).len();
    let end = token.span.end as usize - tail;
    let here = Span::new(end, end);
    Some(
        stop.error("unterminated", token.span, format!("this {what} is not closed on its line"))
            .expected(format!("a closing {sign}; {kept} stands on one line"))
            .help(format!("close it with a {sign}"))
            .fix(Fix::suggest(here, close)),
    )
}

/// JSON that is none.
pub(super) fn json(stop: &Stop<'_>) -> Option<Diagnostic> {
    if !stop.expects_any(&[Rule::json, Rule::json_object]) {
        return None;
    }
    let found = stop.found()?;
    let object = !stop.expects(Rule::json);
    if object && !found.is(stop.text, "{") {
        // Another slip may know better what this is.
        return None;
    }
    let end = stop.tokens.last().map_or(found.span.end, |t| t.span.end);
    let rest = Span { start: found.span.start, end }.slice(stop.text);
    let fault = json::fault(rest)?;
    let at = found.span.start as usize + fault.at;
    let wide = stop.text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    Some(
        stop.error("bad-json", Span::new(at, at + wide), fault.message)
            .expected(if object { "a JSON object on one line" } else { "a JSON value on one line" })
            .help(fault.help),
    )
}

/// Characters that start nothing.
pub(super) fn stray(stop: &Stop<'_>) -> Option<Diagnostic> {
    let token = stop.found().filter(|t| t.kind == TokenKind::Stray)?;
    let sign = token.text(stop.text);
    let error = |message: String| stop.error("syntax", token.span, message);
    Some(match sign {
        ";" => {
            error("nothing ends with `;` here".to_owned()).help("remove it").fix(Fix::replace(token.span, ""))
        }
        "#" => error("comments start with `//`, not with `#`".to_owned())
            .help("write `//`")
            .fix(Fix::replace(token.span, "//")),
        "'" | "“" | "”" | "„" | "‘" | "’" | "«" | "»" => quotes(stop, sign),
        "\u{a0}" | "\u{202f}" | "\u{3000}" | "\u{2028}" | "\u{2029}" | "\u{85}" | "\u{200b}" => {
            error(format!("this is no blank but U+{:04X}", sign.chars().next().map_or(0, u32::from)))
                .expected("a space")
                .help("write a space")
                .fix(Fix::replace(token.span, " "))
        }
        "~" | "\\" | "?" | "$" | "%" | "/" | "+"
            if stop.expects_any(&[Rule::value, Rule::set_element, Rule::string]) =>
        {
            return super::slips::unquoted(stop);
        }
        "-" => error("there is no `-` here, except inside of a name and before a number".to_owned()),
        _ => {
            let shown = shorten(sign);
            let diagnostic = error(format!("`{shown}` means nothing here"));
            let expected = stop.expected();
            if expected.is_empty() { diagnostic } else { diagnostic.expected(expected) }
        }
    })
}

fn quotes(stop: &Stop<'_>, sign: &str) -> Diagnostic {
    let start = stop.found().map_or(0, |t| t.span.start as usize);
    let span = Span::new(start, start + sign.len());
    let diagnostic = stop
        .error("bad-literal", span, format!("a text stands in `\"`, not in `{sign}`"))
        .expected("a string in double quotes");
    let closes: &[&str] = match sign {
        "'" | "‘" | "’" => &["'", "’"],
        "«" | "»" => &["»", "«"],
        _ => &["”", "“", "\""],
    };
    let line = stop.text.get(span.end as usize..).and_then(|rest| rest.lines().next()).unwrap_or("");
    let close = closes.iter().filter_map(|close| line.find(close).map(|at| (at, close.len()))).min();
    let Some((at, wide)) = close else { return diagnostic };
    let inner = line.get(..at).unwrap_or("");
    if inner.contains(['"', '\\']) {
        return diagnostic;
    }
    let end = span.end as usize + at;
    let edit = |span| Edit { span, text: "\"".to_owned() };
    diagnostic
        .help(format!("write `\"{}\"`", shorten(inner)))
        .fix(Fix { edits: vec![edit(span), edit(Span::new(end, end + wide))], safe: true })
}
