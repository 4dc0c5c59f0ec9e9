//! Brace expansion over the parts of a word.

use super::ast::Part;
use super::budget::Budget;

/// A character that is live, or a part that is not.
#[derive(Debug, Clone, Copy)]
pub enum Token<'p> {
    /// An unquoted character.
    Live(char),
    /// A quoted text or an expansion.
    Part(&'p Part),
}

/// Words that one word may become; beyond it the word is unknown.
const WORDS_MAX: usize = 64;
/// Braces in braces that are followed.
const NESTED_MAX: usize = 32;

/// The tokens of a word.
pub fn tokens(parts: &[Part]) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    for part in parts {
        match part {
            Part::Bare(text) => out.extend(text.chars().map(Token::Live)),
            other => out.push(Token::Part(other)),
        }
    }
    out
}

/// The words that braces make; `None` where that is too much to follow.
pub fn expand<'p>(tokens: Vec<Token<'p>>, budget: &mut Budget) -> Option<Vec<Vec<Token<'p>>>> {
    if !tokens.iter().any(|t| matches!(t, Token::Live('{'))) {
        return Some(vec![tokens]);
    }
    let mut done = Vec::new();
    let mut todo = vec![tokens];
    let mut rounds = 0_usize;
    while let Some(word) = todo.pop() {
        rounds += 1;
        if rounds > 4 * WORDS_MAX || todo.len() + done.len() > WORDS_MAX {
            return None;
        }
        match first_brace(&word, budget)? {
            None => done.push(word),
            Some(words) => {
                budget.step(words.iter().map(Vec::len).sum()).ok()?;
                todo.extend(words.into_iter().rev());
            }
        }
    }
    Some(done)
}

/// Expands the first brace pair of a word. Outer `None`: too much; inner `None`: there is none.
fn first_brace<'p>(word: &[Token<'p>], budget: &mut Budget) -> Option<Option<Vec<Vec<Token<'p>>>>> {
    budget.step(word.len()).ok()?;
    let mut stack: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut best: Option<(usize, usize, Vec<usize>)> = None;
    for (at, token) in word.iter().enumerate() {
        match token {
            Token::Live('{') if stack.len() >= NESTED_MAX => return None,
            Token::Live('{') => stack.push((at, Vec::new())),
            Token::Live(',') => {
                if let Some((_, commas)) = stack.last_mut() {
                    commas.push(at);
                }
            }
            Token::Live('}') => {
                let Some((open, commas)) = stack.pop() else { continue };
                if commas.is_empty() {
                    budget.step(at - open).ok()?;
                }
                let live = !commas.is_empty() || is_sequence(word.get(open + 1..at)?);
                if live && best.as_ref().is_none_or(|(start, ..)| open < *start) {
                    best = Some((open, at, commas));
                }
                if stack.is_empty() && best.is_some() {
                    break;
                }
            }
            _ => {}
        }
    }
    let Some((open, close, commas)) = best else { return Some(None) };
    if commas.len() >= WORDS_MAX {
        return None;
    }
    let before = word.get(..open)?;
    let after = word.get(close + 1..)?;
    let inner = word.get(open + 1..close)?;
    let mut middles: Vec<Vec<Token<'p>>> = Vec::new();
    if commas.is_empty() {
        for text in sequence(inner)? {
            middles.push(text.chars().map(Token::Live).collect());
        }
    } else {
        let mut start = open + 1;
        for comma in commas.into_iter().chain([close]) {
            middles.push(word.get(start..comma)?.to_vec());
            start = comma + 1;
        }
    }
    if middles.len() > WORDS_MAX {
        return None;
    }
    Some(Some(middles.into_iter().map(|middle| [before, &middle, after].concat()).collect()))
}

fn plain(tokens: &[Token<'_>]) -> Option<String> {
    tokens.iter().map(|t| if let Token::Live(c) = t { Some(*c) } else { None }).collect()
}

fn is_sequence(tokens: &[Token<'_>]) -> bool {
    // An expansion inside could still make a sequence only of what it holds: bash does not do that.
    plain(tokens).is_some_and(|text| ends(&text).is_some())
}

enum Ends {
    Numbers(i64, i64, i64, usize),
    Letters(char, char, i64),
}

fn ends(text: &str) -> Option<Ends> {
    let mut parts = text.split("..");
    let (from, to, step) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let step: i64 = match step {
        Some(step) => step.parse().ok()?,
        None => 1,
    };
    let step = step.checked_abs()?.max(1);
    if let (Ok(a), Ok(b)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let padded =
            |t: &str| t.trim_start_matches('-').starts_with('0') && t.trim_start_matches('-').len() > 1;
        let width = if padded(from) || padded(to) { from.len().max(to.len()) } else { 0 };
        return Some(Ends::Numbers(a, b, step, width));
    }
    let one = |t: &str| {
        let mut chars = t.chars();
        chars.next().filter(|c| c.is_ascii_alphabetic() && chars.next().is_none())
    };
    Some(Ends::Letters(one(from)?, one(to)?, step))
}

fn sequence(inner: &[Token<'_>]) -> Option<Vec<String>> {
    let mut out = Vec::new();
    let (from, to, step, width, letters) = match ends(&plain(inner)?)? {
        Ends::Numbers(a, b, step, width) => (a, b, step, width, false),
        Ends::Letters(a, b, step) => (i64::from(u32::from(a)), i64::from(u32::from(b)), step, 0, true),
    };
    let mut at = from;
    while if from <= to { at <= to } else { at >= to } {
        if out.len() >= WORDS_MAX {
            return None;
        }
        out.push(match u32::try_from(at).ok().and_then(char::from_u32) {
            Some(c) if letters => c.to_string(),
            _ => format!("{at:0width$}"),
        });
        at = if from <= to { at.checked_add(step)? } else { at.checked_sub(step)? };
    }
    Some(out)
}
