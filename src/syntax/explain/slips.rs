//! Slips of words: misspelt, borrowed from another language, left out, or in a wrong order.

use super::super::grammar::Rule;
use super::super::literal;
use super::super::trivia::TokenKind;
use super::super::words;
use super::{Stop, shorten};
use crate::base::suggest::nearest;
use crate::base::{Diagnostic, Fix, Span};

/// `///` between the lines of an item.
pub(super) fn doc_inside(stop: &Stop<'_>) -> Option<Diagnostic> {
    let token = stop.found().filter(|t| t.kind == TokenKind::Doc)?;
    let slashes = Span::new(token.span.start as usize, token.span.start as usize + 3);
    Some(
        stop.error("misplaced-doc", slashes, "`///` documents an item, and stands before it in column 1")
            .expected("`//` for a comment")
            .help("write `//`")
            .fix(Fix::replace(slashes, "//")),
    )
}

/// `30 s`.
pub(super) fn split_unit(stop: &Stop<'_>) -> Option<Diagnostic> {
    let number = stop.previous().filter(|t| t.kind == TokenKind::Number)?;
    let word = stop.found().filter(|t| t.kind == TokenKind::Word)?;
    let unit = literal::means_unit(word.text(stop.text))?;
    let digits = number.text(stop.text);
    let gap = Span::new(number.span.end as usize, word.span.start as usize);
    if gap.slice(stop.text).contains('\n') || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let whole = number.span.to(word.span);
    Some(
        stop.error("bad-literal", whole, "a number and its unit are one word")
            .expected(format!("`{digits}{unit}`"))
            .help(format!("write `{digits}{unit}`"))
            .fix(Fix::replace(whole, format!("{digits}{unit}"))),
    )
}

/// `starts "x"`, `session LABEL`.
pub(super) fn split_operator(stop: &Stop<'_>) -> Option<Diagnostic> {
    let first = stop.previous_text();
    let second = match first {
        "starts" | "ends" if stop.expects(Rule::kw_with) => "with",
        "session" if stop.expects(Rule::kw_has) => "has",
        _ => return None,
    };
    Some(
        stop.error("wrong-operator", stop.previous()?.span, format!("the operator is `{first} {second}`"))
            .expected(format!("`{second}`"))
            .help(format!("write `{first} {second}`"))
            .fix(Fix::replace(stop.behind(), format!(" {second}"))),
    )
}

/// `is in`, `is not under`.
pub(super) fn is_before_operator(stop: &Stop<'_>) -> Option<Diagnostic> {
    let word = stop.found_word();
    if !matches!(word, "in" | "under" | "matches" | "contains" | "starts" | "ends") {
        return None;
    }
    let negated = stop.previous_text() == "not";
    let is = stop.at.checked_sub(if negated { 2 } else { 1 })?;
    if stop.word_at(is) != "is" {
        return None;
    }
    let (start, end) = (stop.token(is)?.span, stop.found()?.span);
    let right = if negated { format!("not {word}") } else { word.to_owned() };
    Some(
        stop.error("wrong-operator", start.to(end), format!("`{word}` stands without `is`"))
            .expected(format!("`{right}`"))
            .help(format!("write `{right}`"))
            .fix(Fix::replace(start.to(end), right)),
    )
}

/// Lines of tool bodies that do not exist.
pub(super) fn tool_line(stop: &Stop<'_>) -> Option<Diagnostic> {
    if stop.head_word() != "tool" || !stop.in_body() {
        return None;
    }
    let found = stop.found()?;
    let before = stop.previous()?;
    let plural = match stop.previous_text() {
        "read" => "reads",
        "write" => "writes",
        "exec" => "runs",
        "network" => "connects",
        _ => "",
    };
    if !plural.is_empty() && stop.found_word() == "args" {
        return Some(
            stop.error(
                "unknown-tool-line",
                before.span,
                format!("`{}` takes no argument", stop.previous_text()),
            )
            .expected(format!("`{plural} ARG`, or `{} on ARG` for a plain string", stop.previous_text()))
            .help(format!("write `{plural}`"))
            .fix(Fix::replace(before.span, plural)),
        );
    }
    if stop.expects(Rule::tool_arg) || stop.expects(Rule::field) {
        return argument(stop);
    }
    let word = stop.found_word();
    if word.is_empty() || !stop.expects_any(&[Rule::tool_line, Rule::rbrace]) {
        return None;
    }
    let diagnostic = stop
        .error("unknown-tool-line", found.span, format!("`{word}` starts no line of a tool"))
        .expected("`reads`, `lists`, `writes`, `creates`, `deletes`, `connects`, `runs`, `CAP on`, a capability, or `schema`");
    if words::CLAUSES.contains(&word) {
        return Some(diagnostic.help("a tool has no clauses: say in a rule when it may be used"));
    }
    let meant = match word {
        "modifies" | "edits" | "changes" | "updates" | "overwrites" => Some("writes"),
        "removes" | "unlinks" => Some("deletes"),
        "executes" | "execs" | "spawns" => Some("runs"),
        "fetches" | "requests" | "calls" => Some("connects"),
        "none" => Some("nothing"),
        "recursive" => Some("recursively"),
        _ => nearest(word, words::TOOL_LINES.iter().copied().chain(["recursively", "optional"])),
    };
    Some(mean(diagnostic, found.span, meant))
}

fn argument(stop: &Stop<'_>) -> Option<Diagnostic> {
    let found = stop.found()?;
    let diagnostic = stop
        .error("not-an-argument", found.span, "an argument of the call is missing here")
        .expected("an argument such as `args.path`");
    if found.kind != TokenKind::Text {
        return Some(diagnostic);
    }
    if stop.previous_text() == "in" {
        return Some(diagnostic.help("a fixed folder is what absence means: `in args.cwd or \".\"`"));
    }
    let name = literal::string(found.text(stop.text)).ok()?;
    let place = if words::is_identifier(&name) {
        format!("args.{name}")
    } else {
        format!("args[{}]", found.text(stop.text))
    };
    Some(diagnostic.help(format!("did you mean `{place}`?")).fix(Fix::suggest(found.span, place)))
}

/// Operators of other languages, and what they are here.
const OPERATOR_ALIASES: &[(&str, &str)] = &[
    ("equals", "is"),
    ("equal", "is"),
    ("eq", "is"),
    ("are", "is"),
    ("isnt", "is not"),
    ("ne", "is not"),
    ("like", "matches"),
    ("regex", "matches"),
    ("match", "matches"),
    ("matching", "matches"),
    ("within", "under"),
    ("inside", "under"),
    ("below", "under"),
    ("includes", "contains"),
    ("has", "contains"),
    ("contain", "contains"),
    ("start", "starts with"),
    ("startswith", "starts with"),
    ("starts_with", "starts with"),
    ("starts-with", "starts with"),
    ("begins", "starts with"),
    ("end", "ends with"),
    ("endswith", "ends with"),
    ("ends_with", "ends with"),
    ("ends-with", "ends with"),
    ("exists", "is present"),
    ("missing", "is absent"),
    ("lt", "<"),
    ("le", "<="),
    ("gt", ">"),
    ("ge", ">="),
];

/// A word or sign where an operator should be.
pub(super) fn operator(stop: &Stop<'_>) -> Option<Diagnostic> {
    let wanted = stop.expects_any(&[Rule::comparator, Rule::word_operator, Rule::compare_word]);
    if !wanted {
        return None;
    }
    let found = stop.found()?;
    let word = stop.found_word();
    let error = |message: String| {
        stop.error("wrong-operator", found.span, message).expected(
            "`is`, `in`, `under`, `matches`, `contains`, `starts with`, `ends with`, `<`, `<=`, `>` or `>=`",
        )
    };
    if stop.found_value() || stop.symbol_at(stop.at, "{") {
        let set = if stop.symbol_at(stop.at, "{") { "in" } else { "is" };
        return Some(
            error(format!("an operator is missing before `{}`", shorten(found.text(stop.text))))
                .help(format!("write `{set}` between the two, or another operator"))
                .fix(Fix::suggest(stop.behind(), format!(" {set}"))),
        );
    }
    let lower = word.to_lowercase();
    let alias = OPERATOR_ALIASES.iter().find(|(other, _)| *other == lower).map(|(_, ours)| *ours);
    let near = || nearest(word, ["is", "in", "under", "matches", "contains", "starts", "ends", "and", "or"]);
    if word.is_empty() {
        let sign = found.text(stop.text);
        return matches!(sign, "->" | "=>" | ":=" | ":" | "." | "*" | "!")
            .then(|| error(format!("`{sign}` is no operator")));
    }
    if stop.found_clause() {
        return None;
    }
    let Some(meant) = alias.or_else(near) else {
        let value = stop.token(stop.at + 1).is_some_and(|t| {
            matches!(t.kind, TokenKind::Text | TokenKind::Regex | TokenKind::Command | TokenKind::Number)
        });
        return value.then(|| error(format!("`{word}` is no operator")));
    };
    // `starts_with "x"` is mended whole; `begins with "x"` keeps its second word.
    let two = meant.split_once(' ').filter(|(_, second)| stop.word_at(stop.at + 1) == *second);
    let mend = two.map_or(meant, |(first, _)| first);
    Some(
        error(format!("`{word}` is no operator"))
            .help(format!("did you mean `{meant}`?"))
            .fix(Fix::suggest(found.span, mend)),
    )
}

/// Something else where a value should be.
pub(super) fn value(stop: &Stop<'_>) -> Option<Diagnostic> {
    if !stop.expects_any(&[Rule::value, Rule::set_element, Rule::set]) {
        return None;
    }
    let found = stop.found();
    let sign = found.map_or("", |t| t.text(stop.text));
    if let Some(token) = found {
        if sign == "[" {
            return Some(
                stop.error("syntax", token.span, "a set stands in braces")
                    .expected("`{A, B}`")
                    .help("write `{` and `}`"),
            );
        }
        if matches!(sign, "." | "*" | ".." | "..." | "@" | "&" | ":") {
            return unquoted(stop);
        }
        if stop.expects(Rule::set)
            && stop.head_word() == "let"
            && stop.at == stop.head + 3
            && stop.found_value()
        {
            return Some(
                stop.error(
                    "syntax",
                    token.span,
                    "a `let` stands for a set or a condition, not for a single value",
                )
                .expected("a set in braces, or a condition")
                .help(format!("write `{{{}}}`", shorten(sign)))
                .fix(Fix::replace(token.span, format!("{{{sign}}}"))),
            );
        }
    }
    let ends = found.is_none() || stop.found_clause() || matches!(sign, "}" | ")" | "and" | "or" | "{");
    if !ends || stop.in_set() {
        return None;
    }
    let span = stop.previous()?.span;
    Some(
        stop.error("missing-value", span, format!("a value is missing behind `{}`", stop.previous_text()))
            .expected("a literal, a name, or a set"),
    )
}

/// A text that should stand in quotes.
pub(super) fn unquoted(stop: &Stop<'_>) -> Option<Diagnostic> {
    let run = stop.run();
    let text = run.slice(stop.text);
    if text.is_empty() {
        return None;
    }
    let quoted = format!("\"{}\"", text.replace('\\', "\\\\"));
    Some(
        stop.error("missing-quotes", run, format!("`{}` stands in quotes", shorten(text)))
            .expected("a text in double quotes")
            .help(format!("write `{}`", shorten(&quoted)))
            .fix(Fix::suggest(run, quoted)),
    )
}

/// Clauses of other languages, and what they are here.
const CLAUSE_ALIASES: &[(&str, &str)] = &[
    ("if", "when"),
    ("where", "when"),
    ("given", "when"),
    ("require", "when"),
    ("requires", "when"),
    ("except", "unless"),
    ("reason", "because"),
    ("message", "because"),
    ("description", "because"),
    ("why", "because"),
    ("hint", "fix"),
    ("suggest", "fix"),
    ("help", "fix"),
    ("scope", "on"),
    ("for", "on"),
    ("expires", "until"),
    ("label", "mark"),
    ("taint", "mark"),
    ("test", "example"),
    ("cover", "covers"),
    ("delete", "remove"),
    ("default", "fill"),
];

/// A word that starts no clause.
pub(super) fn clause(stop: &Stop<'_>) -> Option<Diagnostic> {
    let rule = stop.has_body() && !matches!(stop.head_word(), "tool" | "invariant");
    if !rule || !stop.in_body() || !stop.expects_any(&[Rule::clause, Rule::rbrace]) {
        return None;
    }
    let found = stop.found()?;
    let word = stop.found_word();
    let diagnostic = || {
        stop.error(
            "unknown-clause",
            found.span,
            format!("`{}` starts no clause", shorten(found.text(stop.text))),
        )
        .expected("a clause such as `on`, `when`, `because`, or `}`")
    };
    if word.is_empty() {
        return None;
    }
    if word == "in" && stop.clause.is_some_and(|index| stop.word_at(index) == "example") {
        return Some(example_order(stop, found.span, word));
    }
    if matches!(word, "with" | "gives") && stop.clause.is_some_and(|index| stop.word_at(index) == "example") {
        return Some(example_order(stop, found.span, word));
    }
    let alias = CLAUSE_ALIASES.iter().find(|(other, _)| *other == word).map(|(_, ours)| *ours);
    let candidates = stop.words();
    let near = || {
        // Every clause says something behind its word.
        let more = stop.token(stop.at + 1).is_some_and(|t| !t.is(stop.text, "}"));
        let words = candidates.iter().map(String::as_str).chain(words::CLAUSES.iter().copied());
        nearest(word, words).filter(|_| more).map(str::to_owned)
    };
    if let Some(meant) = alias.map(str::to_owned).or_else(near) {
        return Some(mean(diagnostic(), found.span, Some(&meant)));
    }
    if words::FIELDS.contains(&word) || stop.in_condition() {
        // `connector` knows more about conditions.
        return None;
    }
    Some(diagnostic())
}

fn example_order(stop: &Stop<'_>, span: Span, word: &str) -> Diagnostic {
    stop.error("syntax", span, format!("`{word}` stands too late in this example"))
        .expected("`example TOOL JSON in MODE with WORLD gives JSON`, in this order")
        .help("move it to its place")
}

/// Two conditions with nothing between them.
pub(super) fn connector(stop: &Stop<'_>) -> Option<Diagnostic> {
    if !(stop.in_condition() && stop.expects_any(&[Rule::kw_and, Rule::kw_or])) {
        return None;
    }
    let found = stop.found()?;
    let word = stop.found_word();
    let starts = words::FIELDS.contains(&word)
        || matches!(word, "not" | "any" | "all" | "session" | "size" | "count" | "lower")
        || stop.symbol_at(stop.at, "(");
    if !starts {
        return None;
    }
    Some(
        stop.error("missing-connector", found.span, "two conditions stand side by side")
            .expected("`and` or `or` between them")
            .help("write `and`, or `or`, before this")
            .fix(Fix::suggest(stop.behind(), " and")),
    )
}

/// A misspelt word of the language.
pub(super) fn word(stop: &Stop<'_>) -> Option<Diagnostic> {
    let found = stop.found()?;
    let word = stop.found_word();
    if word.is_empty() {
        return None;
    }
    let candidates = stop.words();
    let meant = nearest(word, candidates.iter().map(String::as_str))?;
    let diagnostic = stop
        .error("unknown-word", found.span, format!("`{word}` does not fit here"))
        .expected(stop.expected());
    Some(mean(diagnostic, found.span, Some(meant)))
}

/// A string is wanted, and a bare text stands there.
pub(super) fn quotes(stop: &Stop<'_>) -> Option<Diagnostic> {
    if !stop.expects(Rule::string)
        || stop.expects_any(&[Rule::value, Rule::index, Rule::star])
        || stop.found_clause()
        || stop.found_item()
    {
        return None;
    }
    let found = stop.found()?;
    let text = stop.run().slice(stop.text);
    if text.is_empty() || found.kind == TokenKind::Command {
        return None;
    }
    unquoted(stop)
}

/// Two elements with nothing between them.
pub(super) fn missing_comma(stop: &Stop<'_>) -> Option<Diagnostic> {
    if !stop.expects(Rule::comma) {
        return None;
    }
    let found = stop.found()?;
    let list = stop.in_set() || matches!(stop.head_word(), "modes" | "labels");
    let capability = words::CAPABILITIES.contains(&stop.found_word());
    if !(list || capability) || found.kind == TokenKind::Symbol || stop.found_clause() {
        return None;
    }
    Some(
        stop.error("missing-comma", found.span, "a comma is missing before this")
            .expected("`,` between the elements of a list")
            .help("write `,`")
            .fix(Fix::replace(stop.behind(), ",")),
    )
}

/// More text where an item is complete.
pub(super) fn item_goes_on(stop: &Stop<'_>) -> Option<Diagnostic> {
    if !stop.expects(Rule::EOI) || !stop.open.is_empty() {
        return None;
    }
    let found = stop.found()?;
    let shown = shorten(found.text(stop.text));
    let diagnostic =
        stop.error("syntax", found.span, format!("{} is complete before `{shown}`", stop.item_name()));
    let expected = stop.expected();
    Some(if words::starts_item(stop.found_word()) {
        diagnostic.expected("the next item on a line of its own").help("start a new line here")
    } else {
        diagnostic.expected(expected)
    })
}

fn mean(diagnostic: Diagnostic, span: Span, meant: Option<&str>) -> Diagnostic {
    match meant {
        Some(word) => diagnostic.help(format!("did you mean `{word}`?")).fix(Fix::suggest(span, word)),
        None => diagnostic,
    }
}
