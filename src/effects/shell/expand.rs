//! From written words to the words that a command gets, as far as they can be known.

use std::rc::Rc;

use super::ast::{Kind, List, Param, ParamOp, Part, RawWord, Simple};
use super::braces::{self, Token};
use super::evaluated;
use super::scope::{PathOrigin, Scope, Value};
use super::walk::{Stdin, Walker};
use crate::model::command::{Piece, Word};

/// Names whose value is made by the shell: never taken from the environment.
const DYNAMIC: &[&str] = &[
    "_",
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
    "UID",
    "EUID",
    "PPID",
    "GROUPS",
    "DIRSTACK",
    "FUNCNAME",
    "PIPESTATUS",
    "OLDPWD",
    "OPTARG",
    "OPTIND",
    "REPLY",
    "SHELLOPTS",
    "BASHOPTS",
    "IFS",
    "HISTCMD",
    "COLUMNS",
    "LINES",
    "MAPFILE",
    "COPROC",
    "SHLVL",
];

/// Words of one command that are followed.
pub const FIELDS_MAX: usize = 10_000;
/// Bytes that a word of `$@` counts for, whatever it holds.
const FIELD_COST: usize = 8;
/// Live glob characters of one word that are followed.
const GLOBS_MAX: usize = 256;

/// Programs that write a number.
const COUNTING: &[&str] = &["seq", "wc", "date", "nproc", "id", "stat", "expr", "tput"];

/// An expanded word.
#[derive(Debug, Clone, Default)]
pub struct Field {
    /// What the command gets.
    pub word: Word,
    /// The paths that it stands for, where it is no known text.
    pub origin: Option<Rc<PathOrigin>>,
    /// The byte behind it, where it stands literally in the argument.
    pub end: Option<usize>,
}

impl Field {
    /// A wholly known word.
    pub fn known(text: impl Into<String>) -> Self {
        Self { word: Word::known(text), origin: None, end: None }
    }

    /// The text, where all is known.
    pub fn text(&self) -> Option<&str> {
        if self.origin.is_some() { None } else { self.word.text() }
    }
}

enum Segment {
    Text(String, bool),
    Unknown,
}

#[derive(Default)]
struct Builder {
    fields: Vec<Field>,
    segments: Vec<Segment>,
    quoted: bool,
    splits: bool,
    origin: Option<Rc<PathOrigin>>,
    parts: usize,
}

impl Builder {
    fn text(&mut self, text: &str, quoted: bool) {
        self.quoted |= quoted;
        match self.segments.last_mut() {
            Some(Segment::Text(last, q)) if *q == quoted => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.segments.push(Segment::Text(text.to_owned(), quoted)),
        }
    }

    fn unknown(&mut self, quoted: bool) {
        self.quoted |= quoted;
        self.splits |= !quoted;
        self.segments.push(Segment::Unknown);
    }

    fn finish(&mut self, walker: &Walker<'_>, scope: &Scope, globs: bool) {
        let segments = std::mem::take(&mut self.segments);
        let quoted = std::mem::take(&mut self.quoted);
        let splits = std::mem::take(&mut self.splits);
        let origin = std::mem::take(&mut self.origin);
        let alone = std::mem::take(&mut self.parts) == 1;
        if segments.is_empty() && !quoted {
            return;
        }
        let mut word = Word { splits, ..Word::default() };
        let mut origin = if alone { origin } else { None };
        if globs && has_glob(&segments) {
            match glob_pattern(&segments).filter(|_| !scope.odd_splitting) {
                Some(pattern) if walker.glob_is_literal(&pattern, scope) => join(&segments, &mut word, false),
                Some(pattern) => {
                    join(&segments, &mut word, true);
                    word.one_head = !splits;
                    word.splits = true;
                    word.never_flag = walker.glob_makes_no_flag(&pattern, scope);
                    origin = Some(Rc::new(PathOrigin::Glob(pattern)));
                }
                None => {
                    join(&segments, &mut word, true);
                    word.splits = true;
                }
            }
        } else {
            join(&segments, &mut word, false);
        }
        self.fields.push(Field { word, origin, end: None });
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn has_glob(segments: &[Segment]) -> bool {
    segments.iter().any(|segment| match segment {
        Segment::Text(text, false) => text.contains(['*', '?']) || (text.contains('[') && text.len() > 1),
        _ => false,
    })
}

fn glob_pattern(segments: &[Segment]) -> Option<String> {
    let mut out = String::new();
    let live = segments.iter().map(|segment| match segment {
        Segment::Text(text, false) => text.matches(['*', '?', '[']).count(),
        _ => 0,
    });
    if live.sum::<usize>() > GLOBS_MAX {
        return None;
    }
    for segment in segments {
        match segment {
            Segment::Text(text, false) => out.push_str(text),
            Segment::Text(text, true) => {
                for c in text.chars() {
                    if matches!(c, '*' | '?' | '[' | ']' | '\\' | '{' | '}' | '!') {
                        out.push('\\');
                    }
                    out.push(c);
                }
            }
            Segment::Unknown => return None,
        }
    }
    Some(out)
}

fn push(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        Some(Piece::Text(last)) => last.push_str(text),
        _ if text.is_empty() => {}
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}

fn push_unknown(pieces: &mut Vec<Piece>) {
    if !matches!(pieces.last(), Some(Piece::Unknown)) {
        pieces.push(Piece::Unknown);
    }
}

/// Segments as pieces; live glob characters are unknown pieces where asked.
fn join(segments: &[Segment], word: &mut Word, globs: bool) {
    for segment in segments {
        match segment {
            Segment::Unknown => push_unknown(&mut word.pieces),
            Segment::Text(text, quoted) if *quoted || !globs => push(&mut word.pieces, text),
            Segment::Text(text, _) => {
                // A bracket expression is one unknown piece up to its end, wherever that may be.
                let mut rest = text.as_str();
                while let Some(at) = rest.find(['*', '?', '[']) {
                    let (before, after) = rest.split_at(at);
                    push(&mut word.pieces, before);
                    push_unknown(&mut word.pieces);
                    rest = if after.starts_with('[') {
                        after.rsplit_once(']').map_or("", |(_, behind)| behind)
                    } else {
                        after.get(1..).unwrap_or("")
                    };
                }
                push(&mut word.pieces, rest);
            }
        }
    }
}

impl Walker<'_> {
    /// The words that a written word becomes.
    pub(super) fn expand(&mut self, raw: &RawWord, scope: &mut Scope, in_place: bool) -> Vec<Field> {
        let Some(words) = braces::expand(braces::tokens(&raw.parts), &mut self.budget) else {
            self.scan(&raw.parts, scope);
            let word = Word { splits: true, ..Word::unknown() };
            return vec![Field { word, origin: None, end: in_place.then_some(raw.end) }];
        };
        let mut builder = Builder::default();
        for tokens in words {
            self.build(&tokens, scope, true, &mut builder);
            builder.finish(self, scope, true);
        }
        let mut fields = builder.fields;
        if in_place {
            for field in &mut fields {
                field.end = Some(raw.end);
            }
        }
        fields
    }

    /// The one value that a written word becomes where words are not split (assignments,
    /// redirections, `case`).
    pub(super) fn expand_one(&mut self, raw: &RawWord, scope: &mut Scope) -> Field {
        let mut builder = Builder::default();
        self.build(&braces::tokens(&raw.parts), scope, false, &mut builder);
        builder.quoted = true;
        builder.splits = false;
        builder.finish(self, scope, false);
        builder.fields.pop().unwrap_or_default()
    }

    /// Finds commands in parts whose text does not matter.
    pub(super) fn scan(&mut self, parts: &[Part], scope: &mut Scope) {
        let mut builder = Builder::default();
        let tokens: Vec<Token<'_>> = parts.iter().map(Token::Part).collect();
        self.build(&tokens, scope, false, &mut builder);
    }

    fn build(&mut self, tokens: &[Token<'_>], scope: &mut Scope, split: bool, out: &mut Builder) {
        let mut at = self.tilde(tokens, 0, scope, out);
        let mut assigned = false;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                Token::Live(c) => {
                    out.parts += 2;
                    out.text(c.encode_utf8(&mut [0; 4]), false);
                    assigned |= *c == '=';
                    if (*c == '=' || *c == ':') && assigned {
                        at = self.tilde(tokens, at, scope, out);
                    }
                }
                Token::Part(part) => self.build_part(part, scope, split, out),
            }
        }
    }

    /// A tilde prefix at a place; gives the place behind it.
    fn tilde(&mut self, tokens: &[Token<'_>], at: usize, scope: &Scope, out: &mut Builder) -> usize {
        if !matches!(tokens.get(at), Some(Token::Live('~'))) {
            return at;
        }
        let mut end = at + 1;
        let mut user = String::new();
        while let Some(token) = tokens.get(end) {
            match token {
                Token::Live('/' | ':') => break,
                Token::Live(c) => user.push(*c),
                Token::Part(_) => return at,
            }
            end += 1;
        }
        let home = match user.as_str() {
            "" => self.variable("HOME", scope).text().map(str::to_owned),
            "+" => scope.directory().map(str::to_owned),
            "-" => None,
            name => self.world.home_of(name),
        };
        out.parts += 2;
        match home {
            Some(home) => out.text(&home, true),
            None => out.unknown(true),
        }
        end
    }

    fn build_part(&mut self, part: &Part, scope: &mut Scope, split: bool, out: &mut Builder) {
        match part {
            Part::Bare(text) => {
                out.parts += 2;
                out.text(text, false);
            }
            Part::Quoted(text) => {
                out.parts += if text.is_empty() { 0 } else { 2 };
                out.text(text, true);
                out.quoted = true;
            }
            Part::Param(param) => self.build_param(param, scope, split, out),
            Part::Subst { quoted, body, in_place } => {
                let value = self.substitute(body, scope, *in_place);
                self.build_value(&value, *quoted, split, scope, out);
            }
            Part::Arith { quoted, text, parts } => {
                out.parts += 1;
                self.scan(parts, scope);
                self.arithmetic(text, parts, scope);
                out.unknown(*quoted);
            }
            Part::Process(body) => {
                out.parts += 1;
                self.subshell(body, scope, Stdin::Inherit);
                out.origin = Some(Rc::new(PathOrigin::Stream));
                out.text("/dev/fd/", true);
                out.unknown(true);
            }
        }
    }

    fn build_param(&mut self, param: &Param, scope: &mut Scope, split: bool, out: &mut Builder) {
        self.scan(&param.args, scope);
        if param.op == ParamOp::Plain && matches!(param.name.as_str(), "@" | "*") {
            self.build_all(param, scope, split, out);
            return;
        }
        let current = self.variable(&param.name, scope);
        let value = match param.op {
            ParamOp::Plain => current,
            ParamOp::Default if current.text().is_some_and(|t| !t.is_empty()) => current,
            ParamOp::Length => {
                self.evaluated(&param.args, scope);
                Value::number()
            }
            ParamOp::Assign => {
                if current.text().is_none_or(str::is_empty) {
                    self.assign(&param.name, Value::unknown(), scope);
                }
                Value::unknown()
            }
            ParamOp::Transform => {
                self.hidden.push("`${…@…}` may run what a variable holds".to_owned());
                Value::unknown()
            }
            ParamOp::Computed => {
                self.evaluated(&param.args, scope);
                Value::unknown()
            }
            ParamOp::Indirect => {
                let plain =
                    current.numeric || current.text().is_some_and(|t| evaluated::is_name(t) || is_digits(t));
                if !plain || param.args.iter().any(|p| matches!(p, Part::Bare(t) if t.contains('['))) {
                    self.hidden.push("`${!…}` may run what a variable holds".to_owned());
                }
                Value::unknown()
            }
            ParamOp::Default | ParamOp::Other => Value::unknown(),
        };
        self.build_value(&value, param.quoted, split, scope, out);
    }

    fn build_all(&mut self, param: &Param, scope: &Scope, split: bool, out: &mut Builder) {
        let values = match &scope.positional {
            Some(values) if split && !(param.quoted && param.name == "*") => Rc::clone(values),
            _ => {
                out.parts += 1;
                out.unknown(param.quoted);
                out.splits |= split && param.name == "@";
                return;
            }
        };
        if out.fields.len().saturating_add(values.len()) > FIELDS_MAX
            || !self.budget.expand(values.len().saturating_mul(FIELD_COST))
        {
            self.hidden.push("the command has more words than are followed".to_owned());
            out.unknown(false);
            return;
        }
        let mut first = true;
        for value in values.iter() {
            if !first {
                out.finish(self, scope, true);
            }
            first = false;
            self.build_value(value, param.quoted, split, scope, out);
        }
    }

    fn build_value(&mut self, value: &Value, quoted: bool, split: bool, scope: &Scope, out: &mut Builder) {
        out.parts += 1;
        out.origin.clone_from(&value.origin);
        let bytes = value.pieces.iter().map(|p| if let Piece::Text(t) = p { t.len() } else { 1 }).sum();
        if !self.budget.expand(bytes) {
            out.unknown(quoted || !split);
            return;
        }
        out.quoted |= quoted;
        for piece in &value.pieces {
            match piece {
                Piece::Unknown => out.unknown(quoted || !split),
                Piece::Text(text) if quoted || !split => out.text(text, true),
                Piece::Text(_) if scope.odd_separators => out.unknown(false),
                Piece::Text(text) => {
                    if !text.contains([' ', '\t', '\n']) {
                        out.text(text, false);
                        continue;
                    }
                    // Split by blanks; a blank at an end closes the field.
                    let mut rest = text.as_str();
                    while !rest.is_empty() {
                        let end = rest.find([' ', '\t', '\n']).unwrap_or(rest.len());
                        let (word, tail) = rest.split_at(end);
                        out.text(word, false);
                        if !tail.is_empty() {
                            out.break_field();
                        }
                        rest = tail.trim_start_matches([' ', '\t', '\n']);
                    }
                }
            }
        }
    }

    fn substitute(&mut self, body: &List, scope: &Scope, in_place: bool) -> Value {
        let special = self.known_output(body, scope);
        let was = self.in_place;
        self.in_place = was && in_place;
        self.subshell(body, scope, Stdin::Inherit);
        self.in_place = was;
        special.unwrap_or_else(Value::unknown)
    }

    /// What a substitution certainly writes.
    pub(super) fn known_output(&self, body: &List, scope: &Scope) -> Option<Value> {
        let [chain] = body.chains.as_slice() else { return None };
        let last = chain.first.stages.last()?;
        let Kind::Simple(simple) = &last.kind else { return None };
        let name = simple.words.first()?.literal()?;
        if scope.functions.contains_key(&name) || scope.aliases.contains(&name) || !chain.rest.is_empty() {
            return None;
        }
        if COUNTING.contains(&name.as_str()) {
            return self.counts(simple, scope).then(Value::number);
        }
        let alone = chain.first.stages.len() == 1 && simple.words.len() == 1 && last.redirects.is_empty();
        if name == "pwd" && alone && simple.assignments.is_empty() {
            return scope.directory().map(Value::known);
        }
        None
    }

    /// Whether a program that counts was told nothing that it could write instead.
    fn counts(&self, simple: &Simple, scope: &Scope) -> bool {
        let fine = |part: &Part| match part {
            Part::Bare(text) => !text.contains(['[', '$', '`', '*', '?', '{', '~']),
            Part::Quoted(text) => !text.contains(['[', '$', '`']),
            Part::Param(param) if param.op == ParamOp::Plain => self.name_is_number(&param.name, scope),
            Part::Arith { .. } => true,
            _ => false,
        };
        simple.assignments.is_empty() && simple.words.iter().flat_map(|word| &word.parts).all(fine)
    }

    /// The value of a variable.
    pub(super) fn variable(&self, name: &str, scope: &Scope) -> Value {
        if DYNAMIC.contains(&name) {
            return Value { numeric: evaluated::is_integer(name), ..Value::unknown() };
        }
        if let Some(value) = scope.get(name) {
            return value;
        }
        match name {
            "PWD" => return scope.directory().map_or_else(Value::unknown, Value::known),
            "#" | "?" | "$" | "!" => return Value::number(),
            "0" | "-" | "@" | "*" => return Value::unknown(),
            _ => {}
        }
        if let Ok(index) = name.parse::<usize>() {
            let Some(values) = &scope.positional else { return Value::unknown() };
            return index.checked_sub(1).and_then(|i| values.get(i)).cloned().unwrap_or_default();
        }
        let home = || if name == "HOME" { self.world.home().map(str::to_owned) } else { None };
        match home().or_else(|| self.world.variable(name)) {
            Some(text) => Value::known(text),
            None => Value::unknown(),
        }
    }
}

impl Builder {
    /// Ends a field inside a split value: what was known stays, nothing of it is live for globs.
    fn break_field(&mut self) {
        let segments = std::mem::take(&mut self.segments);
        let quoted = std::mem::take(&mut self.quoted);
        let splits = std::mem::take(&mut self.splits);
        if segments.is_empty() && !quoted {
            return;
        }
        let globs = has_glob(&segments);
        let mut word = Word { splits: splits || globs, ..Word::default() };
        join(&segments, &mut word, globs);
        self.fields.push(Field { word, origin: None, end: None });
    }
}
