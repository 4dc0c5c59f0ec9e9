//! Globs over `/`-separated components: parsed once, matched in at most `pattern × text` steps and,
//! for names already in NFC, without allocation.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use super::PatternError;
use crate::base::limits::PATTERN_ALTERNATIVES_MAX;
use crate::model::path::Folding;

/// Levels of nested `{…}`: real patterns have one or two.
const BRACE_LEVELS_MAX: usize = 8;

/// One component of a glob.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Component {
    /// `**`: zero or more components.
    AnyDepth,
    /// A name without wildcards.
    Literal(String),
    /// A name with wildcards.
    Tokens(Vec<Token>),
}

/// A piece of a component with wildcards.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Token {
    /// This character.
    Char(char),
    /// `?`.
    AnyChar,
    /// `*`.
    AnyText,
    /// `[a-z]`, `[!a]`.
    Class {
        /// `!` stands first.
        negated: bool,
        /// Both ends included.
        ranges: Vec<(char, char)>,
    },
}

impl Component {
    /// Whether one name matches. `**` is not asked here.
    pub(crate) fn matches(&self, name: &str, folding: Folding) -> bool {
        match self {
            Self::AnyDepth => true,
            Self::Literal(text) => names_equal(text, name, folding),
            Self::Tokens(tokens) => tokens_match(tokens, &normal(name, folding), folding),
        }
    }

    /// `*` alone: every name.
    pub(crate) fn is_any_name(&self) -> bool {
        matches!(self, Self::Tokens(tokens) if matches!(tokens.as_slice(), [Token::AnyText]))
    }
}

/// The name in NFC where names compare so.
fn normal(name: &str, folding: Folding) -> Cow<'_, str> {
    if folding.unicode && !name.is_ascii() && !is_nfc(name) {
        Cow::Owned(name.nfc().collect())
    } else {
        Cow::Borrowed(name)
    }
}

/// One character under simple case folding: lower case, and what shares an upper case with another
/// letter (`ſ`, `ς`, `µ`) is that letter. A dotless `ı` stays itself, as in Unicode's own table.
pub(crate) fn fold_char(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    if c == 'ı' {
        return c;
    }
    let upper = single(c.to_uppercase()).unwrap_or(c);
    single(upper.to_lowercase()).unwrap_or(c)
}

fn single(mut mapped: impl Iterator<Item = char>) -> Option<char> {
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    }
}

/// Whether two names are one in a file system.
pub(crate) fn names_equal(a: &str, b: &str, folding: Folding) -> bool {
    if a == b {
        return true;
    }
    if !folding.case && !folding.unicode {
        return false;
    }
    if a.is_ascii() && b.is_ascii() {
        return folding.case && a.eq_ignore_ascii_case(b);
    }
    let (a, b) = (normal(a, folding), normal(b, folding));
    if folding.case { a.chars().map(fold_char).eq(b.chars().map(fold_char)) } else { a == b }
}

/// A name as a key: two names have the same key where they are one in the file system.
pub(crate) fn folded_name(name: &str, folding: Folding) -> String {
    let name = normal(name, folding);
    if folding.case { name.chars().map(fold_char).collect() } else { name.into_owned() }
}

fn char_matches(token: &Token, c: char, folding: Folding) -> bool {
    match token {
        Token::Char(expected) => *expected == c || (folding.case && fold_char(*expected) == fold_char(c)),
        Token::AnyChar => true,
        Token::AnyText => false,
        Token::Class { negated, ranges } => {
            let holds = |c: char| ranges.iter().any(|(low, high)| (*low..=*high).contains(&c));
            let found = holds(c)
                || (folding.case
                    && (holds(fold_char(c)) || c.to_uppercase().any(holds) || c.to_lowercase().any(holds)));
            found != *negated
        }
    }
}

/// Greedy matching that goes back to the last `*` only: enough, since whatever an earlier `*` could
/// give to a later one, the later one can take itself.
fn tokens_match(tokens: &[Token], text: &str, folding: Folding) -> bool {
    let (mut at, mut rest) = (0, text.chars());
    let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
    loop {
        match tokens.get(at) {
            Some(Token::AnyText) => {
                at += 1;
                retry = Some((at, rest.clone()));
                continue;
            }
            Some(token) => {
                let mut ahead = rest.clone();
                if ahead.next().is_some_and(|c| char_matches(token, c, folding)) {
                    at += 1;
                    rest = ahead;
                    continue;
                }
            }
            None if rest.as_str().is_empty() => return true,
            None => {}
        }
        let Some((again, from)) = retry.as_mut() else { return false };
        if from.next().is_none() {
            return false;
        }
        at = *again;
        rest = from.clone();
    }
}

/// The first component of a relative path and what follows it.
fn split_first(path: &str) -> (&str, Option<&str>) {
    match path.split_once('/') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    }
}

/// Whether a relative path (`None`: no component at all) matches, by the same method as
/// [`tokens_match`], on components.
pub(crate) fn components_match(pattern: &[Component], path: Option<&str>, folding: Folding) -> bool {
    let (mut at, mut rest) = (0, path);
    let mut retry: Option<(usize, Option<&str>)> = None;
    loop {
        match (pattern.get(at), rest) {
            (Some(Component::AnyDepth), _) => {
                at += 1;
                if at == pattern.len() {
                    return true;
                }
                retry = Some((at, rest));
                continue;
            }
            (Some(component), Some(text)) => {
                let (first, behind) = split_first(text);
                if component.matches(first, folding) {
                    at += 1;
                    rest = behind;
                    continue;
                }
            }
            (None, None) => return true,
            _ => {}
        }
        match retry {
            Some((again, Some(text))) => {
                let (_, behind) = split_first(text);
                retry = Some((again, behind));
                at = again;
                rest = behind;
            }
            _ => return false,
        }
    }
}

/// Whether the pattern matches the relative path or could match something below it.
pub(crate) fn could_match_below(pattern: &[Component], path: Option<&str>, folding: Folding) -> bool {
    let mut states = vec![false; pattern.len() + 1];
    let mark = |states: &mut Vec<bool>, mut at: usize| {
        loop {
            if let Some(state) = states.get_mut(at) {
                *state = true;
            }
            if !matches!(pattern.get(at), Some(Component::AnyDepth)) {
                break;
            }
            at += 1;
        }
    };
    mark(&mut states, 0);
    let mut rest = path;
    while let Some(text) = rest {
        let (first, behind) = split_first(text);
        let mut next = vec![false; states.len()];
        for (at, _) in states.iter().enumerate().filter(|(_, live)| **live) {
            match pattern.get(at) {
                Some(Component::AnyDepth) => mark(&mut next, at),
                Some(component) if component.matches(first, folding) => mark(&mut next, at + 1),
                _ => {}
            }
        }
        states = next;
        rest = behind;
    }
    // What is left of a pattern can always be met by some name.
    states.contains(&true)
}

/// Whether everything below a match matches too: the pattern ends in nothing but `**` and `*`, with
/// at least one `**`.
pub(crate) fn closed_downward(pattern: &[Component]) -> bool {
    pattern
        .iter()
        .rev()
        .take_while(|c| matches!(c, Component::AnyDepth) || c.is_any_name())
        .any(|c| matches!(c, Component::AnyDepth))
}

/// All texts that the `{a,b}` groups of a pattern stand for, escapes left as they are.
///
/// # Errors
/// A brace or bracket that is not closed, groups nested too deep, too many alternatives.
pub(crate) fn expand_braces(text: &str) -> Result<Vec<String>, PatternError> {
    let mut out = vec![String::new()];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (piece, behind) = match c {
            '{' => {
                let (group, behind) = brace_group(rest, text)?;
                let mut alternatives = Vec::new();
                for part in group {
                    alternatives.extend(expand_braces(part)?);
                }
                (alternatives, behind)
            }
            '\\' | '[' => {
                let length = opaque_length(rest, text)?;
                let (piece, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
                (vec![piece.to_owned()], behind)
            }
            '}' => {
                return Err(PatternError::new(
                    format!("`{text}` has a `}}` that closes nothing"),
                    "`\\}` for the character itself",
                ));
            }
            _ => {
                let length = rest.find(['{', '}', '\\', '[']).unwrap_or(rest.len());
                let (piece, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
                (vec![piece.to_owned()], behind)
            }
        };
        if out.len().saturating_mul(piece.len()) > PATTERN_ALTERNATIVES_MAX {
            return Err(PatternError::new(
                format!("`{text}` stands for more than {PATTERN_ALTERNATIVES_MAX} patterns"),
                "fewer alternatives in one pattern",
            ));
        }
        out = out.iter().flat_map(|head| piece.iter().map(move |tail| format!("{head}{tail}"))).collect();
        rest = behind;
    }
    Ok(out)
}

/// The bytes of an escape or of a bracket class at the start of `rest`.
fn opaque_length(rest: &str, whole: &str) -> Result<usize, PatternError> {
    if rest.starts_with('\\') {
        let escaped = rest.chars().nth(1).ok_or_else(|| lone_backslash(whole))?;
        return Ok(1 + escaped.len_utf8());
    }
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' => return Ok(at + 1),
            '/' => break,
            _ => {}
        }
    }
    Err(PatternError::new(
        format!("`{whole}` has a `[` that is not closed"),
        "a class such as `[a-z]`, or `\\[` for the character itself",
    ))
}

/// The alternatives of the group at the start of `rest`, and what follows it.
fn brace_group<'a>(rest: &'a str, whole: &str) -> Result<(Vec<&'a str>, &'a str), PatternError> {
    let (mut depth, mut start, mut at) = (0_usize, 1, 0);
    let mut parts = Vec::new();
    while let Some(c) = rest.get(at..).and_then(|tail| tail.chars().next()) {
        match c {
            '\\' | '[' => {
                at += opaque_length(rest.get(at..).unwrap_or(""), whole)?;
                continue;
            }
            '{' => {
                depth += 1;
                if depth > BRACE_LEVELS_MAX {
                    return Err(PatternError::new(
                        format!("`{whole}` nests braces deeper than {BRACE_LEVELS_MAX}"),
                        "a flatter pattern",
                    ));
                }
            }
            ',' if depth == 1 => {
                parts.push(rest.get(start..at).unwrap_or(""));
                start = at + 1;
            }
            '}' => {
                depth -= 1;
                if depth == 0 {
                    parts.push(rest.get(start..at).unwrap_or(""));
                    return Ok((parts, rest.get(at + 1..).unwrap_or("")));
                }
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    Err(PatternError::new(
        format!("`{whole}` has a `{{` that is not closed"),
        "`{a,b}`, or `\\{` for the character itself",
    ))
}

fn lone_backslash(whole: &str) -> PatternError {
    PatternError::new(format!("`{whole}` ends in a lone backslash"), "`\\\\` for the character itself")
}

/// One component, braces already expanded.
///
/// # Errors
/// A broken class, a lone backslash, `**` next to something else.
pub(crate) fn parse_component(text: &str, whole: &str) -> Result<Component, PatternError> {
    if text == "**" {
        return Ok(Component::AnyDepth);
    }
    let mut tokens = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            '*' if tokens.last() == Some(&Token::AnyText) => {
                return Err(PatternError::new(
                    format!("`**` in `{whole}` is not a whole component"),
                    "`**` alone between separators, or one `*`",
                )
                .mend(whole.replacen(text, &format!("**/{}", text.replace("**", "*")), 1)));
            }
            '*' => Token::AnyText,
            '?' => Token::AnyChar,
            '[' => parse_class(&mut chars, whole)?,
            '\\' => Token::Char(chars.next().ok_or_else(|| lone_backslash(whole))?),
            other => Token::Char(other),
        });
    }
    let literal: Option<String> = tokens
        .iter()
        .map(|token| match token {
            Token::Char(c) => Some(*c),
            _ => None,
        })
        .collect();
    Ok(match literal {
        Some(text) => Component::Literal(text),
        None => Component::Tokens(tokens),
    })
}

fn parse_class(chars: &mut std::str::Chars<'_>, whole: &str) -> Result<Token, PatternError> {
    let mut negated = false;
    let mut ranges = Vec::new();
    if chars.as_str().starts_with('^') {
        return Err(PatternError::new(
            format!("`[^…]` in `{whole}` is not a class"),
            "`[!…]` for any other character, `[\\^…]` for the character itself",
        )
        .mend(whole.replacen("[^", "[!", 1)));
    }
    if chars.as_str().starts_with('!') {
        chars.next();
        negated = true;
    }
    let unclosed =
        || PatternError::new(format!("`{whole}` has a `[` that is not closed"), "a class such as `[a-z]`");
    loop {
        let low = match chars.next().ok_or_else(unclosed)? {
            ']' if ranges.is_empty() => {
                return Err(PatternError::new(
                    format!("`{whole}` has an empty class"),
                    "a class such as `[a-z]`; `\\]` inside one is the character itself",
                ));
            }
            ']' => return Ok(Token::Class { negated, ranges }),
            '\\' => chars.next().ok_or_else(unclosed)?,
            c => c,
        };
        let mut ahead = chars.clone();
        let mut high = low;
        if ahead.next() == Some('-') && ahead.as_str().chars().next().is_some_and(|c| c != ']') {
            high = match ahead.next().ok_or_else(unclosed)? {
                '\\' => ahead.next().ok_or_else(unclosed)?,
                c => c,
            };
            *chars = ahead;
        }
        if high < low {
            return Err(PatternError::new(
                format!("the range `{low}-{high}` in `{whole}` is empty"),
                "the lower character first",
            )
            .mend(whole.replacen(&format!("{low}-{high}"), &format!("{high}-{low}"), 1)));
        }
        ranges.push((low, high));
    }
}
