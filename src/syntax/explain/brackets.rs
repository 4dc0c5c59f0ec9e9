//! Brackets and commas: missing, too many, or in a wrong place; and names before the bracket.

use super::super::grammar::Rule;
use super::super::trivia::TokenKind;
use super::super::words;
use super::Stop;
use crate::base::{Diagnostic, Fix, Span};

/// `block { … }`.
pub(super) fn missing_name(stop: &Stop<'_>) -> Option<Diagnostic> {
    if !(stop.at == stop.head + 1 && stop.expects_any(&[Rule::name, Rule::loose_name])) {
        return None;
    }
    let what = match stop.head_word() {
        "tool" => "a tool",
        "let" => "a `let`",
        "invariant" => "an invariant",
        "modes" | "labels" => return None,
        _ => "a rule",
    };
    let example = if what == "a tool" { "read_file" } else { "no-secrets" };
    let span = stop.found().map_or(stop.behind(), |t| t.span);
    Some(
        stop.error("missing-name", span, format!("{what} has a name"))
            .expected(format!("a name such as `{example}` behind `{}`", stop.head_word())),
    )
}

/// `block name on …`.
pub(super) fn missing_open(stop: &Stop<'_>) -> Option<Diagnostic> {
    if !stop.expects(Rule::lbrace)
        || stop.expects(Rule::value)
        || !stop.has_body()
        || stop.at != stop.head + 2
    {
        return None;
    }
    let span = stop.found().map_or(stop.behind(), |t| t.span);
    let message = format!("the body of {} starts with `{{`", stop.item_name());
    let diagnostic = stop.error("missing-brace", span, message).expected("`{`");
    if stop.found().is_none() {
        return Some(diagnostic.help("write `{ … }`"));
    }
    Some(diagnostic.help("write `{` before this").fix(Fix::replace(stop.behind(), " {")))
}

/// A comma that does not belong where it is.
pub(super) fn comma(stop: &Stop<'_>) -> Option<Diagnostic> {
    if stop.symbol_at(stop.at, ",") {
        return found_comma(stop);
    }
    if let Some(diagnostic) = comma_before_clause(stop) {
        return Some(diagnostic);
    }
    let list = stop.expects_any(&[Rule::name, Rule::loose_name, Rule::word]);
    if !(stop.previous_text() == "," && list && !stop.in_set()) {
        return None;
    }
    Some(trailing_comma(stop, stop.previous()?.span))
}

fn trailing_comma(stop: &Stop<'_>, comma: Span) -> Diagnostic {
    stop.error("trailing-comma", comma, "a list outside braces ends without a comma")
        .expected("another element, or no comma")
        .help("remove the comma")
        .fix(Fix::replace(comma, ""))
}

/// `on read, when …`: the clause's word was taken for an element.
fn comma_before_clause(stop: &Stop<'_>) -> Option<Diagnostic> {
    let word = stop.at.checked_sub(1)?;
    let comma = stop.at.checked_sub(2)?;
    let clause = words::CLAUSES.contains(&stop.word_at(word)) || stop.word_at(word) == "by";
    if !(clause && stop.symbol_at(comma, ",") && stop.in_body()) {
        return None;
    }
    Some(trailing_comma(stop, stop.token(comma)?.span))
}

fn found_comma(stop: &Stop<'_>) -> Option<Diagnostic> {
    let span = stop.found()?.span;
    let remove = |diagnostic: Diagnostic| diagnostic.help("remove it").fix(Fix::replace(span, ""));
    Some(match stop.previous_text() {
        "," => remove(stop.error("syntax", span, "a second comma stands here").expected("an element")),
        "{" | "(" => remove(stop.error("syntax", span, "a comma stands before the first element")),
        _ if stop.in_condition() => stop
            .error("syntax", span, "conditions are not separated by commas")
            .expected("`and` or `or`")
            .help("write `and` or `or`; several values of one field are `FIELD in {A, B}`")
            .fix(Fix::suggest(span, " and")),
        _ if stop.in_body() && stop.head_word() == "tool" => {
            remove(stop.error("syntax", span, "the lines of a tool stand side by side without commas"))
                .expected("a line of its own for each argument, such as `reads args.a  reads args.b`")
        }
        _ if stop.in_body() => remove(
            stop.error("syntax", span, "clauses stand side by side without commas")
                .expected("a clause or `}`"),
        ),
        _ if stop.expects(Rule::EOI) => {
            remove(stop.error("syntax", span, "nothing follows this item, so no comma does"))
        }
        _ => return None,
    })
}

/// A bracket that is not closed where it has to be.
pub(super) fn unclosed(stop: &Stop<'_>) -> Option<Diagnostic> {
    let innermost = *stop.open.last()?;
    let open = stop.token(innermost)?;
    let close = match open.text(stop.text) {
        "(" => ")",
        "[" => "]",
        _ => "}",
    };
    let at_end = stop.found().is_none();
    if close == "}" && !stop.in_set() {
        return if at_end || (stop.found_item() && stop.expects(Rule::rbrace)) {
            Some(body(stop))
        } else {
            None
        };
    }
    let could_close = stop.expects_any(&[Rule::rparen, Rule::rbrace, Rule::comma]);
    let outer = matches!(stop.found_word(), "and" | "or") && close == "}";
    let crossing = ["}", ")", "]"].iter().any(|sign| stop.symbol_at(stop.at, sign));
    if !(at_end || (could_close && (stop.found_clause() || outer || crossing))) {
        return None;
    }
    let what = if close == "}" { "set" } else { "part" };
    let diagnostic = stop
        .error("missing-brace", open.span, format!("the {what} that starts here has no closing `{close}`"))
        .expected(format!("`{close}`"))
        .label(stop.file, stop.behind(), format!("`{close}` is missing here"));
    Some(diagnostic.help(format!("write `{close}` behind it")).fix(Fix::replace(stop.behind(), close)))
}

/// The body of an item is not closed.
fn body(stop: &Stop<'_>) -> Diagnostic {
    let open = stop.open.first().and_then(|&index| stop.token(index));
    let span = open.map_or(stop.behind(), |t| t.span);
    let inside = Span::new(span.end as usize, stop.behind().start as usize).slice(stop.text);
    let close = if inside.contains('\n') { "\n}" } else { " }" };
    stop.error("missing-brace", span, format!("the body of {} has no closing `}}`", stop.item_name()))
        .expected("`}`")
        .label(stop.file, stop.behind(), "`}` is missing here")
        .help("write `}` behind its last line")
        .fix(Fix::replace(stop.behind(), close))
}

/// A bracket that closes nothing.
pub(super) fn too_many(stop: &Stop<'_>) -> Option<Diagnostic> {
    let token = stop.found().filter(|t| t.kind == TokenKind::Symbol)?;
    let sign = token.text(stop.text);
    let closes = match sign {
        "}" => stop.open.is_empty(),
        ")" => !stop.open.iter().any(|&index| stop.symbol_at(index, "(")),
        "]" => !stop.open.iter().any(|&index| stop.symbol_at(index, "[")),
        _ => false,
    };
    if !closes {
        return None;
    }
    Some(
        stop.error("extra-brace", token.span, format!("this `{sign}` closes nothing"))
            .help("remove it")
            .fix(Fix::replace(token.span, "")),
    )
}
