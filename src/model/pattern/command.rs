//! Command patterns (`language.md`, section 7): what stands in backticks. Matching needs the command
//! catalogue and lives in `effects/shell`.

use super::PatternError;

/// Patterns that alternatives in one pattern may make; more belong in several patterns.
const ALTERNATIVES_MAX: usize = 64;

/// A word of a pattern: pieces of text with `*` between, one list for each `{a,b}` alternative.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WordPattern {
    /// At least one alternative; each is texts with a `*` between neighbours (one text: literal).
    pub alternatives: Vec<Vec<String>>,
}

impl WordPattern {
    /// The text, where it is one without `*`.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self.alternatives.as_slice() {
            [only] => match only.as_slice() {
                [text] => Some(text),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A parsed command pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommandPattern {
    /// As written.
    pub text: String,
    /// `NAME=…` before the program.
    pub assignments: Vec<(String, WordPattern)>,
    /// The program word.
    pub program: WordPattern,
    /// The words behind it, `--` and `...` left out.
    pub words: Vec<WordPattern>,
    /// The index in `words` before which `--` stands.
    pub end_of_options: Option<usize>,
    /// `...` stands at the end.
    pub open: bool,
}

impl CommandPattern {
    /// Parses shell words with `*`, `{a,b}`, quotes and a final `...`.
    ///
    /// # Errors
    /// An empty pattern, an unclosed quote or brace, `...` anywhere but at the end, or shell syntax
    /// that is no word (`|`, `;`, `&`, `>`, `<`, `$`, `(`).
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let mut raw = split(text)?;
        let open = raw.last().is_some_and(|word| plain(word).as_deref() == Some("..."));
        if open {
            raw.pop();
        }
        let dots = |word: &Vec<Glyph>| plain(word).as_deref() == Some("...");
        if raw.iter().any(dots) {
            return Err(PatternError::new("`...` stands before the end", "`...` as the last word"));
        }
        let mut raw = raw.into_iter().peekable();
        let mut assignments = Vec::new();
        while let Some((name, value)) = raw.peek().and_then(|word| assignment(word)) {
            assignments.push((name, alternatives(&value)?));
            raw.next();
        }
        let Some(first) = raw.next() else {
            return Err(PatternError::new(
                "the command pattern names no program",
                "a program, such as `git status`",
            ));
        };
        let program = alternatives(&first)?;
        if program.alternatives.iter().any(|a| a.iter().all(String::is_empty) && a.len() == 1) {
            return Err(PatternError::new("the program's name is empty", "a program, such as `git status`"));
        }
        let mut words = Vec::new();
        let mut end_of_options = None;
        for word in raw {
            if end_of_options.is_none() && plain(&word).as_deref() == Some("--") {
                end_of_options = Some(words.len());
            } else {
                words.push(alternatives(&word)?);
            }
        }
        let mut count = program.alternatives.len();
        for word in &words {
            count = count.saturating_mul(word.alternatives.len());
        }
        if count > ALTERNATIVES_MAX {
            return Err(PatternError::new(
                format!("the alternatives make {count} patterns"),
                format!("at most {ALTERNATIVES_MAX}, or several patterns in a set"),
            ));
        }
        Ok(Self { text: text.to_owned(), assignments, program, words, end_of_options, open })
    }
}

/// A character of a pattern word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Glyph {
    /// As it is.
    Plain(char),
    /// Quoted: never special.
    Quoted(char),
}

fn plain(word: &[Glyph]) -> Option<String> {
    word.iter().map(|g| if let Glyph::Plain(c) = g { Some(*c) } else { None }).collect()
}

fn split(text: &str) -> Result<Vec<Vec<Glyph>>, PatternError> {
    let mut words = Vec::new();
    let mut word: Option<Vec<Glyph>> = None;
    let mut chars = text.chars();
    let mut braces = 0_usize;
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' if braces > 0 => {
                return Err(PatternError::new("a `{` is not closed", "`}` before the next blank"));
            }
            ' ' | '\t' => words.extend(word.take()),
            '\n' | '\r' => return Err(PatternError::new("a command pattern spans lines", "one line")),
            '\'' | '"' => {
                let into = word.get_or_insert_with(Vec::new);
                loop {
                    match chars.next() {
                        None => {
                            let message = format!("a `{c}` is not closed");
                            return Err(PatternError::new(message, format!("a closing `{c}`")));
                        }
                        Some(end) if end == c => break,
                        Some('\\') if c == '"' => match chars.next() {
                            Some(next @ ('"' | '\\' | '$' | '`')) => into.push(Glyph::Quoted(next)),
                            Some(next) => into.extend([Glyph::Quoted('\\'), Glyph::Quoted(next)]),
                            None => return Err(PatternError::new("a `\"` is not closed", "a closing `\"`")),
                        },
                        Some(inner) => into.push(Glyph::Quoted(inner)),
                    }
                }
            }
            '\\' => match chars.next() {
                Some(next) => word.get_or_insert_with(Vec::new).push(Glyph::Quoted(next)),
                None => return Err(PatternError::new("nothing follows the last `\\`", "a character")),
            },
            '|' | ';' | '&' | '>' | '<' | '$' | '(' | ')' | '`' => {
                return Err(PatternError::new(
                    format!("`{c}` is shell syntax and no part of a word"),
                    "the words of one command; each command of a line is matched by itself",
                ));
            }
            _ => {
                braces = match c {
                    '{' => braces + 1,
                    '}' => braces.saturating_sub(1),
                    _ => braces,
                };
                word.get_or_insert_with(Vec::new).push(Glyph::Plain(c));
            }
        }
    }
    if braces > 0 {
        return Err(PatternError::new("a `{` is not closed", "`}`"));
    }
    words.extend(word);
    Ok(words)
}

fn assignment(word: &[Glyph]) -> Option<(String, Vec<Glyph>)> {
    let at = word.iter().position(|g| *g == Glyph::Plain('='))?;
    let (name, rest) = word.split_at(at);
    let name = plain(name)?;
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let goes_on = chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    (starts && goes_on).then(|| (name, rest.get(1..).unwrap_or_default().to_vec()))
}

/// The alternatives of a word, each cut at `*`.
fn alternatives(word: &[Glyph]) -> Result<WordPattern, PatternError> {
    let mut done: Vec<Vec<Glyph>> = vec![Vec::new()];
    let mut rest = word.iter().copied();
    while let Some(glyph) = rest.next() {
        if glyph != Glyph::Plain('{') {
            for word in &mut done {
                word.push(glyph);
            }
            continue;
        }
        let mut choices = vec![Vec::new()];
        loop {
            match rest.next() {
                None => return Err(PatternError::new("a `{` is not closed", "`}`")),
                Some(Glyph::Plain('}')) => break,
                Some(Glyph::Plain('{')) => {
                    return Err(PatternError::new("braces stand in braces", "one level of `{a,b}`"));
                }
                Some(Glyph::Plain(',')) => choices.push(Vec::new()),
                Some(inner) => {
                    if let Some(last) = choices.last_mut() {
                        last.push(inner);
                    }
                }
            }
        }
        if choices.len() < 2 {
            let shown: String = choices.iter().flatten().map(|g| g.char()).collect();
            return Err(PatternError::new(
                format!("`{{{shown}}}` has one alternative"),
                "`{a,b}`, or quotes around a brace that is meant",
            ));
        }
        done = done.iter().flat_map(|w| choices.iter().map(move |c| [w.as_slice(), c].concat())).collect();
        if done.len() > ALTERNATIVES_MAX {
            return Err(PatternError::new("the word has too many alternatives", "several patterns in a set"));
        }
    }
    let cut = |word: Vec<Glyph>| {
        let mut texts = vec![String::new()];
        for glyph in word {
            match glyph {
                Glyph::Plain('*') => texts.push(String::new()),
                other => {
                    if let Some(last) = texts.last_mut() {
                        last.push(other.char());
                    }
                }
            }
        }
        texts
    };
    Ok(WordPattern { alternatives: done.into_iter().map(cut).collect() })
}

impl Glyph {
    fn char(self) -> char {
        match self {
            Self::Plain(c) | Self::Quoted(c) => c,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CommandPattern;

    #[test]
    fn parses_words() {
        let pattern = CommandPattern::parse("CI=* npm {test,run} --a='x y' -- *.rs ...").expect("pattern");
        assert_eq!(pattern.assignments[0].0, "CI");
        assert_eq!(pattern.program.literal(), Some("npm"));
        assert_eq!(pattern.words.len(), 3);
        assert_eq!(pattern.words[0].alternatives, [vec!["test"], vec!["run"]]);
        assert_eq!(pattern.words[1].literal(), Some("--a=x y"));
        assert_eq!(pattern.words[2].alternatives, [vec!["", ".rs"]]);
        assert_eq!(pattern.end_of_options, Some(2));
        assert!(pattern.open);
    }

    #[test]
    fn refuses_what_is_no_word() {
        for text in [
            "",
            "  ",
            "...",
            "A=b",
            "git ... x",
            "git 'x",
            "git {a,b",
            "git {a}",
            "a | b",
            "a; b",
            "a & b",
            "a > b",
            "a < b",
            "$x",
            "a (b)",
            "a \\",
            "''",
            "a\nb",
        ] {
            assert!(CommandPattern::parse(text).is_err(), "{text}");
        }
    }
}
