//! Things of a right kind in a wrong form: sets in brackets, indices, calls, `=`.

use super::super::grammar::Rule;
use super::super::trivia::TokenKind;
use super::super::words;
use super::Stop;
use crate::base::{Diagnostic, Fix, Span};

/// `path ["a"]`.
pub(super) fn set_brackets(stop: &Stop<'_>) -> Option<Diagnostic> {
    let typed = words::SET_TYPES.contains(&stop.previous_text()) || stop.previous_text() == "=";
    if !(stop.symbol_at(stop.at, "[") && typed) {
        return None;
    }
    Some(
        stop.error("syntax", stop.found()?.span, "a set stands in braces")
            .expected("`{A, B}`")
            .help("write `{` and `}`"),
    )
}

/// `args.list[x]`, `args.list[-1]`, `args.list.0`.
pub(super) fn index(stop: &Stop<'_>) -> Option<Diagnostic> {
    let found = stop.found()?;
    let text = found.text(stop.text);
    if stop.previous_text() == "[" && stop.expects_any(&[Rule::index, Rule::star]) {
        let diagnostic = stop
            .error("bad-index", found.span, format!("`{text}` is no index"))
            .expected("`[0]` and so on, `[*]` for every element, or `[\"odd name\"]`");
        let name = found.kind == TokenKind::Word && stop.symbol_at(stop.at + 1, "]");
        return Some(if name {
            diagnostic
                .help(format!("write `\"{text}\"`"))
                .fix(Fix::suggest(found.span, format!("\"{text}\"")))
        } else {
            diagnostic.help("indices count from 0 at the beginning of the list")
        });
    }
    let dot = stop.previous().filter(|t| t.is(stop.text, "."))?;
    if found.kind != TokenKind::Number || dot.span.end != found.span.start {
        return None;
    }
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let whole = dot.span.to(found.span);
    let diagnostic = stop
        .error("bad-index", found.span, format!("`{text}` cannot stand behind a dot"))
        .expected("a name behind the dot, or `[0]` without it");
    Some(if digits {
        diagnostic.help(format!("write `[{text}]`")).fix(Fix::replace(whole, format!("[{text}]")))
    } else {
        diagnostic.help(format!("an odd name is written `[\"{text}\"]`"))
    })
}

/// `size args.a > 5`.
pub(super) fn call(stop: &Stop<'_>) -> Option<Diagnostic> {
    let function = stop.previous_text();
    if !matches!(function, "size" | "count" | "lower") || stop.found_word().is_empty() {
        return None;
    }
    let mut last = stop.at;
    while stop.symbol_at(last + 1, ".") && !stop.word_at(last + 2).is_empty() {
        last += 2;
    }
    let field = stop.found()?.span.to(stop.token(last)?.span);
    let whole = stop.previous()?.span.to(field);
    let written = format!("{function}({})", field.slice(stop.text));
    Some(
        stop.error("syntax", whole, format!("the field of `{function}` stands in parentheses"))
            .expected(format!("`{written}`"))
            .help(format!("write `{written}`"))
            .fix(Fix::replace(whole, written)),
    )
}

/// `all in staff`.
pub(super) fn quantified(stop: &Stop<'_>) -> Option<Diagnostic> {
    let word = stop.previous_text();
    if !matches!(word, "any" | "all") || !stop.expects_any(&[Rule::operand, Rule::field]) {
        return None;
    }
    let span = stop.previous()?.span;
    Some(
        stop.error("missing-list", span, format!("`{word}` stands before a list of the call or command"))
            .expected(format!("`{word} args.to[*] OP VALUE`, or `{word} command.operands OP VALUE`")),
    )
}

/// `let x : …`, `set args.x "y"`.
pub(super) fn equals(stop: &Stop<'_>) -> Option<Diagnostic> {
    if !stop.expects(Rule::equals) || stop.expects(Rule::command) {
        return None;
    }
    let found = stop.found()?;
    let sign = found.text(stop.text);
    let diagnostic = stop
        .error("missing-equals", found.span, format!("`=` is missing before `{}`", super::shorten(sign)))
        .expected("`=`")
        .help("write `=`");
    Some(if matches!(sign, ":" | ":=" | "==" | "is" | "to" | "be") {
        diagnostic.fix(Fix::replace(found.span, "="))
    } else {
        let end = stop.behind().end as usize;
        diagnostic.fix(Fix::replace(Span::new(end, end), " ="))
    })
}

/// `on result read`.
pub(super) fn result_of(stop: &Stop<'_>) -> Option<Diagnostic> {
    if !(stop.previous_text() == "result" && stop.expects(Rule::kw_of)) {
        return None;
    }
    Some(
        stop.error("syntax", stop.previous()?.span, "the results of a capability are `result of` it")
            .expected("`of`")
            .help("write `result of`")
            .fix(Fix::replace(stop.behind(), " of")),
    )
}
