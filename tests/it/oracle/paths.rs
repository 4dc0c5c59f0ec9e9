//! Paths: globs by plain recursion over components, directories by following links in the world.

use tollgate::effects::World;
use tollgate::effects::world::Node;
use tollgate::model::path::{Folding, PathVariant, VariantRole};
use tollgate::syntax::ast::{Operator, ValueKind};

use super::condition::Answer;

/// The world with the places that patterns are anchored to.
pub struct Places<'a> {
    pub world: &'a dyn World,
}

/// One component of a pattern.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    /// `**`.
    Deep,
    /// Anything else.
    One(Vec<Token>),
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Char(char),
    Any,
    Star,
    Class { negated: bool, ranges: Vec<(char, char)> },
}

/// A path that is looked at: a point, or a region below a root.
#[derive(Clone, Copy)]
pub struct Looked<'a> {
    pub path: &'a str,
    pub folding: Folding,
    pub region: bool,
}

impl<'a> Looked<'a> {
    pub fn new(variant: &'a PathVariant, folding: Folding) -> Self {
        Self { path: &variant.path, folding, region: variant.role != VariantRole::Itself }
    }
}

impl Places<'_> {
    /// `is`, `in` and `under` of a path.
    pub fn test(&self, looked: Looked<'_>, operator: Operator, literals: &[&ValueKind]) -> Answer {
        let answers = literals.iter().map(|literal| match (operator, literal) {
            (Operator::Under, literal) => self.under(looked, &self.directory(looked, literal)),
            (_, ValueKind::Word(_)) => self.is_directory(looked, &self.directory(looked, literal)),
            (_, ValueKind::Text(glob)) => either(alternatives(glob).iter().map(|one| self.glob(looked, one))),
            (_, other) => panic!("no path pattern: {other:?}"),
        });
        either(answers)
    }

    /// Every spelling of the directory behind `under` or `is`.
    fn directory(&self, looked: Looked<'_>, literal: &ValueKind) -> Vec<String> {
        let dir = match literal {
            ValueKind::Word(word) => match word.as_str() {
                "workspace" => Some(self.world.workspace().to_owned()),
                "home" => self.world.home().map(str::to_owned),
                "temp" => self.world.temp().map(str::to_owned),
                other => panic!("no directory: {other}"),
            },
            ValueKind::Text(text) => self.anchored(text),
            other => panic!("no directory: {other:?}"),
        };
        dir.map_or(Vec::new(), |dir| self.all_spellings(looked, &dir))
    }

    /// The spellings of a directory, and every beginning of the path that leads to the same one.
    fn all_spellings(&self, looked: Looked<'_>, given: &str) -> Vec<String> {
        let mut all = self.spellings(given);
        let end = all[all.len() - 1].clone();
        if self.world.inspect(&end) != Ok(Node::Dir) {
            return all;
        }
        let ends = looked.path.match_indices('/').map(|(at, _)| at).chain([looked.path.len()]);
        for beginning in ends.map(|at| &looked.path[..at]).filter(|beginning| !beginning.is_empty()) {
            if self.spellings(beginning).last() == Some(&end) {
                all.push(beginning.to_owned());
            }
        }
        all
    }

    /// The absolute text of `/x`, `~/x`, `./x`; `None` where the anchor has no place.
    fn anchored(&self, text: &str) -> Option<String> {
        let text = text.strip_suffix('/').unwrap_or(text);
        let (base, rest) = match text {
            "." => (self.world.workspace(), ""),
            "~" => (self.world.home()?, ""),
            _ if text.starts_with("./") => (self.world.workspace(), &text[1..]),
            _ if text.starts_with("~/") => (self.world.home()?, &text[1..]),
            _ => ("", text),
        };
        Some(format!("{}{rest}", base.trim_end_matches('/')))
    }

    /// The given text, then the path after one more link each, as long as there are links.
    fn spellings(&self, given: &str) -> Vec<String> {
        let mut out = vec![normal(given)];
        for _ in 0..tollgate::base::limits::LINKS_PER_PATH_MAX {
            let Some(next) = self.after_one_link(&out[out.len() - 1]) else { break };
            out.push(next);
        }
        out
    }

    fn after_one_link(&self, path: &str) -> Option<String> {
        let names: Vec<&str> = path.split('/').filter(|n| !n.is_empty()).collect();
        let mut before = String::new();
        for (at, name) in names.iter().enumerate() {
            let here = format!("{before}/{name}");
            if let Ok(Node::Link(target)) = self.world.inspect(&here) {
                let rest = names[at + 1..].join("/");
                let start = if target.starts_with('/') { String::new() } else { before };
                return Some(normal(&format!("{start}/{target}/{rest}")));
            }
            before = here;
        }
        None
    }

    fn under(&self, looked: Looked<'_>, directories: &[String]) -> Answer {
        either(directories.iter().map(|dir| {
            if below(looked.path, dir, looked.folding) {
                Answer::Yes
            } else if looked.region && below(dir, looked.path, looked.folding) {
                Answer::Unknown
            } else {
                Answer::No
            }
        }))
    }

    fn is_directory(&self, looked: Looked<'_>, directories: &[String]) -> Answer {
        either(directories.iter().map(|dir| match looked.region {
            true if below(dir, looked.path, looked.folding) => Answer::Unknown,
            true => Answer::No,
            false => Answer::from(
                below(looked.path, dir, looked.folding) && below(dir, looked.path, looked.folding),
            ),
        }))
    }

    fn glob(&self, looked: Looked<'_>, glob: &str) -> Answer {
        let parts: Vec<Part> = components(glob).iter().map(|part| parse(part)).collect();
        // Everything before the first wildcard is a literal directory, with all its spellings.
        let literal = parts.iter().take_while(|p| literal_text(p).is_some()).count();
        let rest = &parts[literal..];
        if parts.first() == Some(&Part::Deep) && !glob.starts_with('/') {
            return matched(looked, "", &parts);
        }
        let text: Vec<String> = parts[..literal].iter().filter_map(literal_text).collect();
        let anchored = match text.first().map(String::as_str) {
            Some("." | "~") => text.join("/"),
            _ => format!("/{}", text.join("/")),
        };
        let Some(base) = self.anchored(&anchored) else { return Answer::No };
        let mut bases = self.all_spellings(looked, &base);
        // What is anchored in a place lies below every spelling of the place.
        if let (Some(place), Some(behind)) = (self.anchored(&anchored[..1]), anchored.get(1..))
            && !anchored.starts_with('/')
        {
            bases.extend(self.all_spellings(looked, &place).iter().map(|place| format!("{place}{behind}")));
        }
        either(bases.iter().map(|base| matched(looked, base, rest)))
    }
}

fn either(answers: impl Iterator<Item = Answer>) -> Answer {
    let mut out = Answer::No;
    for answer in answers {
        match answer {
            Answer::Yes => return Answer::Yes,
            Answer::No => {}
            _ => out = Answer::Unknown,
        }
    }
    out
}

/// Whether a path (or a region) below a base matches the rest of a pattern.
fn matched(looked: Looked<'_>, base: &str, rest: &[Part]) -> Answer {
    let Some(names) = names_below(looked.path, base, looked.folding) else {
        // A region that holds the base holds paths of either kind, unless the pattern is all of it.
        return if looked.region && below(base, looked.path, looked.folding) {
            Answer::Unknown
        } else {
            Answer::No
        };
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if !looked.region {
        return Answer::from(matches(rest, &names, looked.folding.case));
    }
    match reach(rest, &names, looked.folding.case) {
        Reach::All => Answer::Yes,
        Reach::Some => Answer::Unknown,
        Reach::None => Answer::No,
    }
}

fn matches(parts: &[Part], names: &[&str], fold: bool) -> bool {
    match (parts.split_first(), names.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some((Part::Deep, rest)), None) => matches(rest, names, fold),
        (Some((Part::Deep, rest)), Some((_, below))) => {
            matches(rest, names, fold) || matches(parts, below, fold)
        }
        (Some((Part::One(_), _)), None) => false,
        (Some((Part::One(tokens), rest)), Some((name, below))) => {
            let chars: Vec<char> = name.chars().collect();
            one(tokens, &chars, fold) && matches(rest, below, fold)
        }
    }
}

fn one(tokens: &[Token], chars: &[char], fold: bool) -> bool {
    match (tokens.split_first(), chars.split_first()) {
        (None, rest) => rest.is_none(),
        (Some((Token::Star, rest)), None) => one(rest, chars, fold),
        (Some((Token::Star, rest)), Some((_, after))) => one(rest, chars, fold) || one(tokens, after, fold),
        (Some(_), None) => false,
        (Some((token, rest)), Some((c, after))) => single(token, *c, fold) && one(rest, after, fold),
    }
}

fn single(token: &Token, c: char, fold: bool) -> bool {
    match token {
        Token::Any | Token::Star => true,
        Token::Char(expected) if fold => lower(&expected.to_string()) == lower(&c.to_string()),
        Token::Char(expected) => *expected == c,
        Token::Class { negated, ranges } => {
            let within = |c: char| ranges.iter().any(|(low, high)| (*low..=*high).contains(&c));
            let found = within(c) || fold && (c.to_lowercase().any(within) || c.to_uppercase().any(within));
            found != *negated
        }
    }
}

enum Reach {
    All,
    Some,
    None,
}

/// How much of everything at or below `names` the pattern matches.
fn reach(parts: &[Part], names: &[&str], fold: bool) -> Reach {
    match (parts.split_first(), names.split_first()) {
        (None, _) => {
            if names.is_empty() {
                Reach::Some
            } else {
                Reach::None
            }
        }
        (Some((Part::Deep, [])), _) => Reach::All,
        (Some(_), None) => Reach::Some,
        (Some((Part::Deep, rest)), Some((_, below))) => {
            best(reach(rest, names, fold), reach(parts, below, fold))
        }
        (Some((Part::One(tokens), rest)), Some((name, below))) => {
            let chars: Vec<char> = name.chars().collect();
            if one(tokens, &chars, fold) { reach(rest, below, fold) } else { Reach::None }
        }
    }
}

fn best(a: Reach, b: Reach) -> Reach {
    match (a, b) {
        (Reach::All, _) | (_, Reach::All) => Reach::All,
        (Reach::None, Reach::None) => Reach::None,
        _ => Reach::Some,
    }
}

/// Every way through the braces.
fn alternatives(glob: &str) -> Vec<String> {
    match (glob.find('{'), glob.find('}')) {
        (Some(open), Some(close)) if open < close => glob[open + 1..close]
            .split(',')
            .flat_map(|part| alternatives(&format!("{}{part}{}", &glob[..open], &glob[close + 1..])))
            .collect(),
        _ => vec![glob.to_owned()],
    }
}

fn components(glob: &str) -> Vec<&str> {
    glob.split('/').filter(|part| !part.is_empty()).collect()
}

fn parse(part: &str) -> Part {
    if part == "**" {
        return Part::Deep;
    }
    let chars: Vec<char> = part.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '*' => tokens.push(Token::Star),
            '?' => tokens.push(Token::Any),
            '\\' => {
                at += 1;
                tokens.push(Token::Char(chars[at]));
            }
            '[' => {
                let close = at + chars[at..].iter().position(|c| *c == ']').expect("a closed class");
                tokens.push(class(&chars[at + 1..close]));
                at = close;
            }
            c => tokens.push(Token::Char(c)),
        }
        at += 1;
    }
    Part::One(tokens)
}

fn class(inside: &[char]) -> Token {
    let negated = inside.first() == Some(&'!');
    let inside = if negated { &inside[1..] } else { inside };
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < inside.len() {
        if at + 2 < inside.len() && inside[at + 1] == '-' {
            ranges.push((inside[at], inside[at + 2]));
            at += 3;
        } else {
            ranges.push((inside[at], inside[at]));
            at += 1;
        }
    }
    Token::Class { negated, ranges }
}

fn literal_text(part: &Part) -> Option<String> {
    match part {
        Part::Deep => None,
        Part::One(tokens) => tokens
            .iter()
            .map(|token| match token {
                Token::Char(c) => Some(*c),
                _ => None,
            })
            .collect(),
    }
}

fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

fn names(path: &str) -> Vec<&str> {
    path.split('/').filter(|n| !n.is_empty()).collect()
}

/// The names of `path` below `base`, where it is at or below it.
fn names_below(path: &str, base: &str, folding: Folding) -> Option<Vec<String>> {
    let (path, base) = (names(path), names(base));
    let same = |a: &&str, b: &&str| if folding.case { lower(a) == lower(b) } else { a == b };
    (base.len() <= path.len() && base.iter().zip(&path).all(|(a, b)| same(a, b)))
        .then(|| path[base.len()..].iter().map(ToString::to_string).collect())
}

/// Whether `path` is `dir` or lies below it.
pub fn below(path: &str, dir: &str, folding: Folding) -> bool {
    names_below(path, dir, folding).is_some()
}

/// `.`, `..` and doubled separators gone; nothing before a `..` is a link.
fn normal(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(out.pop()),
            name => out.push(name),
        }
    }
    format!("/{}", out.join("/"))
}
