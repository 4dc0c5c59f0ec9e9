//! From the tokens of a file to texts and possible line ends.

use std::collections::HashSet;

use super::print::Part;
use crate::base::Span;
use crate::syntax::ast::{Clause, ClauseKind, File, Item, ItemKind, ModifyClause, ToolLineKind};
use crate::syntax::trivia::{Token, TokenKind, first_on_line, tokens};

/// Blanks of one step to the right.
const STEP: usize = 2;

/// The layout of a file that was read without errors.
pub(super) fn layout(text: &str, file: &File) -> Vec<Part> {
    let solid = with_whole_json(tokens(text), &json_spans(file));
    let mut layout = Layout {
        text,
        tokens: &solid,
        at: 0,
        last: None,
        pending: Vec::new(),
        indent: 0,
        parts: Vec::new(),
        lines: line_starts(file),
    };
    for item in &file.items {
        layout.item(item);
    }
    layout.rest();
    layout.parts
}

/// Where the clauses of rules and the lines of tools start.
fn line_starts(file: &File) -> HashSet<u32> {
    let mut out = HashSet::new();
    for item in &file.items {
        match &item.kind {
            ItemKind::Rule(rule) => out.extend(rule.clauses.iter().map(|clause| clause.span.start)),
            ItemKind::Tool(tool) => out.extend(tool.lines.iter().map(|line| line.span.start)),
            _ => {}
        }
    }
    out
}

/// The places of JSON, in order.
fn json_spans(file: &File) -> Vec<Span> {
    let mut out = Vec::new();
    for item in &file.items {
        match &item.kind {
            ItemKind::Rule(rule) => rule.clauses.iter().for_each(|clause| json_of(clause, &mut out)),
            ItemKind::Tool(tool) => out.extend(tool.lines.iter().filter_map(|line| match &line.kind {
                ToolLineKind::SchemaInline(json) => Some(json.span),
                _ => None,
            })),
            _ => {}
        }
    }
    out
}

fn json_of(clause: &Clause, out: &mut Vec<Span>) {
    match &clause.kind {
        ClauseKind::Example(example) => {
            out.push(example.args.span);
            out.extend(example.world.iter().chain(&example.gives).map(|json| json.span));
        }
        ClauseKind::Modify(
            ModifyClause::Set(_, json) | ModifyClause::Fill(_, json) | ModifyClause::Append(_, json),
        ) => out.push(json.span),
        _ => {}
    }
}

/// Makes every piece of JSON one token.
fn with_whole_json(tokens: Vec<Token>, json: &[Span]) -> Vec<Token> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut json = json.iter().copied().peekable();
    for token in tokens {
        while json.next_if(|span| span.end <= token.span.start).is_some() {}
        match json.peek() {
            Some(span) if span.start == token.span.start => {
                out.push(Token { kind: TokenKind::Text, span: *span, closed: true });
            }
            Some(span) if span.start < token.span.start => {}
            _ => out.push(token),
        }
    }
    out
}

/// What stands between two tokens.
#[derive(Clone, Copy)]
enum Gap {
    /// This text, never a line end.
    Same(&'static str),
    /// A place where the line may end.
    May(&'static str, usize),
    /// A line end.
    Must(usize),
}

struct Layout<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The next token.
    at: usize,
    /// The token that was printed last, comments left out.
    last: Option<Token>,
    /// Comments that were passed and not yet printed.
    pending: Vec<usize>,
    /// Where a line goes on that a comment ended.
    indent: usize,
    parts: Vec<Part>,
    lines: HashSet<u32>,
}

impl<'a> Layout<'a> {
    /// The next token that is no comment; comments before it wait.
    fn peek(&mut self) -> Option<Token> {
        while let Some(token) = self.tokens.get(self.at) {
            if token.kind != TokenKind::Comment {
                return Some(*token);
            }
            self.pending.push(self.at);
            self.at += 1;
        }
        None
    }

    fn peek_is(&mut self, what: &str) -> bool {
        let after_dot = self.last.is_some_and(|t| t.is(self.text, "."));
        !after_dot && self.peek().is_some_and(|t| t.is(self.text, what))
    }

    /// Whether the author left a line blank before a token.
    fn blank_before(&self, index: usize) -> bool {
        let Some(token) = self.tokens.get(index) else { return false };
        let end = index.checked_sub(1).and_then(|n| self.tokens.get(n)).map_or(0, |t| t.span.end);
        Span { start: end, end: token.span.start }.slice(self.text).matches('\n').count() > 1
    }

    fn push(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Text(text.into()));
    }

    /// Prints the comments that wait and what stands before the next token. `open` is whether a
    /// bracket was just opened, `close` whether the next token closes one: no blank line there.
    fn gap(&mut self, gap: Gap, comment_indent: usize, open: bool, close: bool) {
        let next = self.at;
        let comments = std::mem::take(&mut self.pending);
        if comments.is_empty() {
            let blank = !open && !close && self.blank_before(next);
            self.parts.push(match gap {
                Gap::Same(text) => Part::Text(text.to_owned()),
                Gap::May(flat, indent) => Part::Break { flat, indent, blank },
                Gap::Must(indent) => Part::Line { indent, blank },
            });
            return;
        }
        for (nth, &index) in comments.iter().enumerate() {
            let Some(comment) = self.tokens.get(index).copied() else { continue };
            let own_line = first_on_line(self.text, comment.span.start as usize);
            if own_line || nth > 0 || self.last.is_none() {
                let blank = self.blank_before(index) && !(open && nth == 0);
                self.parts.push(Part::Line { indent: comment_indent, blank });
                self.parts.push(Part::Comment(comment.text(self.text).to_owned()));
            } else {
                self.parts.push(Part::Comment(format!(" {}", comment.text(self.text))));
            }
        }
        let (indent, keep) = match gap {
            Gap::Same(_) => (comment_indent, false),
            Gap::May(_, indent) | Gap::Must(indent) => (indent, true),
        };
        let blank = keep && !close && self.blank_before(next);
        self.parts.push(Part::Line { indent, blank });
    }

    /// Prints the next token as it is.
    fn token(&mut self) {
        let Some(token) = self.peek() else { return };
        self.push(token.text(self.text));
        self.last = Some(token);
        self.at += 1;
    }

    /// Prints the next token behind whatever stands between it and the last one.
    fn next(&mut self) {
        let Some(token) = self.peek() else { return };
        let between = self.last.map_or("", |last| spacing(self.text, last, token));
        self.gap(Gap::Same(between), self.indent, false, false);
        self.token();
    }

    fn before(&mut self, end: u32) -> bool {
        self.peek().is_some_and(|token| token.span.start < end)
    }

    fn item(&mut self, item: &Item) {
        while self.before(item.span.start) {
            self.prelude_line();
        }
        self.peek();
        self.gap(Gap::Must(0), 0, false, false);
        self.indent = STEP;
        match &item.kind {
            ItemKind::Rule(_) | ItemKind::Tool(_) | ItemKind::Invariant(_) => self.with_body(item.span.end),
            ItemKind::Let(_) => self.let_item(item.span.end),
            _ => {
                self.token();
                self.list(item.span.end, STEP);
            }
        }
        self.indent = 0;
    }

    /// A `///` line, or `@NAME VALUE`.
    fn prelude_line(&mut self) {
        let Some(token) = self.peek() else { return };
        self.gap(Gap::Must(0), 0, false, false);
        if token.kind == TokenKind::Doc {
            let words = token.text(self.text).trim_start_matches('/');
            let blank = if words.is_empty() || words.starts_with([' ', '\t']) { "" } else { " " };
            self.push(format!("///{blank}{words}"));
            self.last = Some(token);
            self.at += 1;
            return;
        }
        self.token();
        self.next();
        self.next();
    }

    /// Tokens up to an offset, with possible line ends behind commas.
    fn list(&mut self, end: u32, indent: usize) {
        self.parts.push(Part::Begin);
        self.indent = indent;
        while self.before(end) {
            let after_comma = self.last.is_some_and(|t| t.is(self.text, ","));
            if self.peek_is(",") {
                // The comma stays at its element, comments come behind it.
                self.token();
            } else if after_comma {
                self.gap(Gap::May(" ", indent), indent, false, false);
                self.token();
            } else {
                self.next();
            }
        }
        self.parts.push(Part::End);
    }

    fn let_item(&mut self, end: u32) {
        self.token();
        self.next();
        self.next();
        let set = self.set_follows();
        if set { self.set_with_type(0) } else { self.condition(end, 0) }
    }

    /// Whether a set stands next: `{`, or its type and `{`.
    fn set_follows(&mut self) -> bool {
        if self.peek_is("{") {
            return true;
        }
        let mut following = self.tokens.iter().skip(self.at + 1).filter(|t| t.kind != TokenKind::Comment);
        following.next().is_some_and(|t| t.is(self.text, "{"))
    }

    fn set_with_type(&mut self, base: usize) {
        if !self.peek_is("{") {
            self.next();
        }
        self.next();
        self.elements(base);
    }

    /// The elements of a set whose brace was just printed, and the closing brace.
    fn elements(&mut self, base: usize) {
        self.parts.push(Part::Begin);
        let mut open = true;
        while !self.peek_is("}") && self.peek().is_some() {
            self.gap(Gap::May(if open { "" } else { " " }, base + STEP), base + STEP, open, false);
            open = false;
            self.token();
            if self.peek_is(",") {
                self.at += 1;
            }
            if self.peek_is("}") {
                self.parts.push(Part::IfBroken(","));
            } else {
                self.push(",");
            }
        }
        self.close(Gap::May("", base), base + STEP, open);
        self.parts.push(Part::End);
    }

    /// The closing brace, behind the comments that belong inside.
    fn close(&mut self, gap: Gap, comment_indent: usize, empty: bool) {
        if empty && self.pending.is_empty() {
            self.token();
            return;
        }
        self.gap(gap, comment_indent, empty, true);
        self.token();
    }

    /// An item with a body.
    fn with_body(&mut self, end: u32) {
        self.token();
        self.next();
        self.next();
        let from = self.last.map_or(0, |t| t.span.end);
        let one_line = !Span { start: from, end }.slice(self.text).contains('\n');
        let gap = |flat, indent| if one_line { Gap::May(flat, indent) } else { Gap::Must(indent) };
        self.parts.push(Part::Begin);
        let mut empty = true;
        while !self.peek_is("}") && self.peek().is_some() {
            self.gap(gap(if empty { " " } else { "  " }, STEP), STEP, empty, false);
            empty = false;
            self.clause(end);
        }
        self.close(gap(" ", 0), STEP, empty);
        self.parts.push(Part::End);
    }

    /// Where the clause that starts here ends: at the next one, or at the body's brace.
    fn clause_end(&self, body_end: u32) -> u32 {
        let mut rest = self.tokens.iter().skip(self.at + 1);
        rest.find(|t| t.span.start + 1 >= body_end || self.lines.contains(&t.span.start))
            .map_or(body_end, |t| t.span.start)
    }

    /// One clause, or one line of a tool.
    fn clause(&mut self, body_end: u32) {
        let end = self.clause_end(body_end);
        self.indent = 2 * STEP;
        if self.peek_is("when") || self.peek_is("unless") {
            self.token();
            self.condition(end, STEP);
        } else if self.peek_is("never") {
            self.never(end);
        } else {
            self.token();
            self.list(end, 2 * STEP);
        }
        self.indent = STEP;
    }

    /// `never CAP, … by TOOL, … when COND`.
    fn never(&mut self, end: u32) {
        let mut rest = self.tokens.iter().skip(self.at);
        let when =
            rest.find(|t| t.span.start >= end || t.is(self.text, "when")).map_or(end, |t| t.span.start);
        self.parts.push(Part::Begin);
        self.token();
        self.list(when, 2 * STEP);
        if self.peek_is("when") {
            self.gap(Gap::May(" ", 2 * STEP), 2 * STEP, true, false);
            self.token();
            self.condition(end, 2 * STEP);
        }
        self.parts.push(Part::End);
    }

    /// A condition whose line starts at `base`.
    fn condition(&mut self, end: u32, base: usize) {
        let (or, and) = self.connectors(end);
        let inner = if or || and { base + STEP } else { base };
        self.chain(end, inner, or);
    }

    /// Links joined by `or`, each of links joined by `and`.
    fn chain(&mut self, end: u32, indent: usize, or: bool) {
        let deeper = if or { indent + STEP } else { indent };
        self.parts.push(Part::Begin);
        self.conjunction(end, deeper);
        while self.before(end) && self.peek_is("or") {
            self.gap(Gap::May(" ", indent), indent, true, false);
            self.token();
            self.conjunction(end, deeper);
        }
        self.parts.push(Part::End);
    }

    fn conjunction(&mut self, end: u32, indent: usize) {
        self.parts.push(Part::Begin);
        self.link(end, indent);
        while self.before(end) && self.peek_is("and") {
            self.gap(Gap::May(" ", indent), indent, true, false);
            self.token();
            self.link(end, indent);
        }
        self.parts.push(Part::End);
    }

    /// Which connectors stand in a condition outside of its brackets.
    fn connectors(&self, end: u32) -> (bool, bool) {
        let (mut or, mut and, mut depth) = (false, false, 0_usize);
        let mut before: Option<Token> = self.last;
        for token in self.tokens.iter().skip(self.at).take_while(|t| t.span.start < end) {
            let named = before.is_some_and(|t| t.is(self.text, "."));
            match token.text(self.text) {
                "(" | "{" | "[" => depth += 1,
                ")" | "}" | "]" if depth == 0 => break,
                ")" | "}" | "]" => depth -= 1,
                "or" if depth == 0 && !named => or = true,
                "and" if depth == 0 && !named => and = true,
                _ => {}
            }
            before = Some(*token);
        }
        (or, and)
    }

    /// A comparison, a name or a parenthesis, with `not` before it.
    fn link(&mut self, end: u32, indent: usize) {
        self.indent = indent + STEP;
        while self.before(end) && !self.peek_is("and") && !self.peek_is("or") && !self.peek_is(")") {
            let function = self.last.is_some_and(|t| ["size", "count", "lower"].contains(&t.text(self.text)));
            if self.peek_is("{") {
                self.next();
                self.elements(indent);
            } else if self.peek_is("(") && function {
                self.call();
            } else if self.peek_is("(") {
                self.next();
                self.group(end, indent);
                self.indent = indent + STEP;
            } else {
                self.next();
            }
        }
    }

    /// `(FIELD)` behind a function.
    fn call(&mut self) {
        while self.peek().is_some() {
            let close = self.peek_is(")");
            self.next();
            if close {
                return;
            }
        }
    }

    /// The condition between parentheses, the first of which was just printed.
    fn group(&mut self, end: u32, indent: usize) {
        self.parts.push(Part::Begin);
        self.peek();
        let inner = indent + STEP;
        self.gap(Gap::May("", inner), inner, true, false);
        let (or, _) = self.connectors(end);
        self.after_open();
        self.chain(end, inner, or);
        self.peek();
        self.gap(Gap::May("", indent), inner, false, true);
        self.token();
        self.parts.push(Part::End);
    }

    /// The next token has its gap already: it is printed without another.
    fn after_open(&mut self) {
        self.last = None;
    }

    /// What stands behind the last item.
    fn rest(&mut self) {
        while self.peek().is_some() {
            self.prelude_line();
        }
        if !self.pending.is_empty() {
            self.gap(Gap::Must(0), 0, false, true);
        }
    }
}

/// What stands between two tokens on one line.
fn spacing(text: &str, left: Token, right: Token) -> &'static str {
    let (before, after) = (left.text(text), right.text(text));
    let tight_before = left.kind == TokenKind::Symbol && matches!(before, "(" | "[" | "." | ".." | "@");
    let tight_after = right.kind == TokenKind::Symbol && matches!(after, ")" | "]" | "." | ".." | "," | "[");
    let call = after == "(" && matches!(before, "size" | "count" | "lower");
    if tight_before || tight_after || call { "" } else { " " }
}
