//! Commands and URLs: patterns matched word by word, for the patterns that the generator writes
//! (flags without values, braces without nesting).

use tollgate::model::command::{Command, Flag, Identity, Piece, Reading, Word};
use tollgate::model::effect::NetworkFact;
use tollgate::model::{Number, Truth};
use tollgate::syntax::ast::{Comparison, Function, Operator, ValueKind};

use super::condition::{Answer, Scene};
use super::fields::List;
use super::json;

/// `command is`, `command in`.
pub fn matches(command: &Command, literals: &[&ValueKind], scene: &Scene<'_>) -> Answer {
    let truth = literals.iter().fold(Truth::False, |acc, literal| {
        let ValueKind::Command(text) = literal else { panic!("no command pattern: {literal:?}") };
        acc.or(Pattern::parse(text).matches(command, scene.grant))
    });
    answer(truth)
}

fn answer(truth: Truth) -> Answer {
    match truth {
        Truth::True => Answer::Yes,
        Truth::False => Answer::No,
        Truth::Unknown => Answer::Unknown,
    }
}

/// The names that a command pattern sets before its program.
pub fn assigned_names(text: &str) -> Vec<String> {
    Pattern::parse(text).assignments.into_iter().map(|(name, _)| name).collect()
}

/// A pattern as alternatives of globs.
struct Pattern {
    assignments: Vec<(String, Vec<String>)>,
    program: Vec<String>,
    flags: Vec<Vec<String>>,
    operands: Vec<Vec<String>>,
    ends_options: bool,
    open: bool,
}

impl Pattern {
    fn parse(text: &str) -> Self {
        let mut out = Self {
            assignments: Vec::new(),
            program: Vec::new(),
            flags: Vec::new(),
            operands: Vec::new(),
            ends_options: false,
            open: false,
        };
        for word in text.split_whitespace() {
            match word {
                "..." => out.open = true,
                "--" => out.ends_options = true,
                _ if out.program.is_empty() => match word.split_once('=') {
                    Some((name, value)) => out.assignments.push((name.to_owned(), alternatives(value))),
                    None => out.program = alternatives(word),
                },
                _ if word.starts_with("--") && !out.ends_options => out.flags.push(alternatives(word)),
                _ if word.starts_with('-') && word.len() > 1 && !out.ends_options => {
                    out.flags.extend(word[1..].chars().map(|c| vec![format!("-{c}")]));
                }
                _ => out.operands.push(alternatives(word)),
            }
        }
        out
    }

    /// For a grant an assignment of the pattern may stand, and every other one makes it unknown; for
    /// anything else it must stand.
    fn matches(&self, command: &Command, grant: bool) -> Truth {
        let program = self.program(command);
        let set = self.assignments.iter().fold(Truth::True, |acc, (name, value)| {
            acc.and(match command.assignments.iter().find(|(n, _)| n == name) {
                None => Truth::from(grant),
                Some((_, word)) => word_matches(value, word),
            })
        });
        let mut readings = command.readings.iter().map(|reading| self.reads(command, reading));
        let first = readings.next().unwrap_or(Truth::Unknown);
        let words = if readings.all(|truth| truth == first) { first } else { Truth::Unknown };
        let named = command.env.iter().all(|name| self.assignments.iter().any(|(n, _)| n == name));
        let sure = if grant && !named { Truth::Unknown } else { Truth::True };
        program.and(set).and(words).and(sure)
    }

    fn program(&self, command: &Command) -> Truth {
        // A path names one file: a bare name, and another path that ends so, may lead to it.
        let path = self.program.iter().any(|word| word.contains('/'));
        let last = |text: &str| text.rsplit('/').next().unwrap_or(text).to_owned();
        let tails: Vec<String> = self.program.iter().map(|word| last(word)).collect();
        let written = command.words.first().and_then(Word::text).unwrap_or("");
        match &command.identity {
            Identity::None => Truth::False,
            Identity::Unknown => Truth::Unknown,
            Identity::Sure(_) if path && written.contains('/') => {
                Truth::from(any_glob(&self.program, written))
            }
            Identity::Sure(name) if path => possibly(any_glob(&tails, name)),
            Identity::Sure(name) => Truth::from(any_glob(&self.program, name)),
            Identity::Path { name, resolved } => {
                possibly(any_glob(&tails, name) || resolved.iter().any(|path| any_glob(&tails, &last(path))))
            }
        }
    }

    fn reads(&self, command: &Command, reading: &Reading) -> Truth {
        if self.ends_options && !command.has_end_of_options {
            return Truth::False;
        }
        let hazy = has_hazy(reading);
        let unsure = |truth: Truth| if hazy && truth == Truth::False { Truth::Unknown } else { truth };
        let flags = self.flags.iter().fold(Truth::True, |acc, flag| {
            acc.and(unsure(Truth::from(reading.flags.iter().any(|f| flag_is(flag, f)))))
        });
        let extra_flags =
            !self.open && reading.flags.iter().any(|f| !self.flags.iter().any(|pattern| flag_is(pattern, f)));
        let operands = self.operands_of(&self.operands, &reading.operands);
        let closed = if hazy && !self.open { Truth::Unknown } else { Truth::True };
        flags.and(operands).and(Truth::from(!extra_flags)).and(closed)
    }

    /// Operands in order, by trying everything that each word could turn out to be: `True` where all
    /// ways match, `False` where none does.
    fn operands_of(&self, wanted: &[Vec<String>], have: &[Word]) -> Truth {
        let Some((word, rest)) = have.split_first() else {
            return Truth::from(wanted.is_empty());
        };
        if word.splits && !wanted.is_empty() {
            return Truth::Unknown;
        }
        let as_operand = match wanted.split_first() {
            Some((pattern, more)) => word_matches(pattern, word).and(self.operands_of(more, rest)),
            None => Truth::from(self.open),
        };
        let mut ways = vec![as_operand];
        if word.splits || is_hazy(word) {
            ways.push(self.operands_of(wanted, rest));
        }
        let one = ways[0];
        if ways.iter().all(|way| *way == one) { one } else { Truth::Unknown }
    }
}

fn possibly(possible: bool) -> Truth {
    if possible { Truth::Unknown } else { Truth::False }
}

/// A word that may be a flag, or several words, or none.
fn is_hazy(word: &Word) -> bool {
    (word.splits || matches!(word.pieces.first(), Some(Piece::Unknown))) && !word.never_flag
}

fn has_hazy(reading: &Reading) -> bool {
    reading.operands.iter().any(is_hazy)
}

fn flag_is(pattern: &[String], flag: &Flag) -> bool {
    flag.spellings.iter().any(|spelling| any_glob(pattern, spelling))
}

fn any_glob(patterns: &[String], text: &str) -> bool {
    patterns.iter().any(|pattern| glob(pattern, text))
}

fn word_matches(patterns: &[String], word: &Word) -> Truth {
    match word.text() {
        Some(text) => Truth::from(any_glob(patterns, text)),
        None if patterns.iter().any(|pattern| pattern == "*") && !word.splits => Truth::True,
        None if patterns.iter().any(|pattern| possible(pattern, word)) => Truth::Unknown,
        None => Truth::False,
    }
}

/// Whether a word with unknown pieces could be a text that the pattern matches: its known beginning
/// and end must fit, when the pattern has no star.
fn possible(pattern: &str, word: &Word) -> bool {
    if pattern.contains('*') || word.splits {
        return true;
    }
    let starts = match word.pieces.first() {
        Some(Piece::Text(text)) => pattern.starts_with(text.as_str()),
        _ => true,
    };
    let ends = match word.pieces.last() {
        Some(Piece::Text(text)) => pattern.ends_with(text.as_str()),
        _ => true,
    };
    starts && ends
}

fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => text.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| glob(after, &rest[at..]))
        }),
    }
}

/// `a{b,c}d` is `abd` and `acd`.
fn alternatives(word: &str) -> Vec<String> {
    match (word.find('{'), word.find('}')) {
        (Some(open), Some(close)) if open < close => word[open + 1..close]
            .split(',')
            .flat_map(|part| alternatives(&format!("{}{part}{}", &word[..open], &word[close + 1..])))
            .collect(),
        _ => vec![word.to_owned()],
    }
}

/// `command.program`.
pub fn program(command: &Command, comparison: &Comparison, literals: &[&ValueKind]) -> Answer {
    let operator = comparison.operator.node;
    match &command.identity {
        Identity::Unknown => Answer::Unknown,
        Identity::None if matches!(operator, Operator::Is | Operator::In) => Answer::No,
        Identity::None => Answer::Unknown,
        Identity::Sure(name) => json::string(name, operator, literals),
        Identity::Path { resolved, name } => match operator {
            Operator::Is | Operator::In => {
                let is = |t: &str| literals.iter().any(|l| matches!(l, ValueKind::Text(x) if x == t));
                if resolved.iter().any(|path| is(path)) {
                    Answer::Yes
                } else if is(name) {
                    Answer::Unknown
                } else {
                    Answer::No
                }
            }
            _ => resolved.last().map_or(Answer::Unknown, |path| json::string(path, operator, literals)),
        },
    }
}

/// The lists of a command, once for each reading.
pub fn lists(command: &Command, part: &str, comparison: &Comparison, literals: &[&ValueKind]) -> Vec<List> {
    let operator = comparison.operator.node;
    if command.opaque.is_some() {
        let answers = vec![Answer::Yes];
        let unresolved = operator == Operator::IsUnresolved;
        return vec![if unresolved { List::Elements { answers, open: false } } else { List::Unknown }];
    }
    all_elements(command, part)
        .into_iter()
        .map(|(elements, open)| List::Elements {
            answers: elements.iter().map(|element| element.test(comparison, literals)).collect(),
            open: open && operator != Operator::IsUnresolved,
        })
        .collect()
}

/// `contains` and `count` of a list.
pub fn whole_list(
    command: &Command,
    part: &str,
    comparison: &Comparison,
    literals: &[&ValueKind],
) -> Vec<Answer> {
    let operator = comparison.operator.node;
    all_elements(command, part)
        .into_iter()
        .map(|(elements, open)| {
            if matches!(comparison.left.function.as_ref().map(|f| f.node), Some(Function::Count)) {
                let count = Number::from_u64(elements.len() as u64);
                return if open { Answer::Unknown } else { json::number(&count, operator, literals) };
            }
            let hidden = if open { Truth::Unknown } else { Truth::False };
            answer(elements.iter().fold(hidden, |acc, element| {
                acc.or(element.compare(Operator::Is, None, literals).truth(false))
            }))
        })
        .collect()
}

enum Element<'a> {
    Text(&'a str),
    Word(&'a Word),
    Flag(&'a Flag),
}

fn all_elements<'a>(command: &'a Command, part: &str) -> Vec<(Vec<Element<'a>>, bool)> {
    let texts = |texts: Vec<&'a String>| vec![(texts.into_iter().map(|t| Element::Text(t)).collect(), false)];
    match part {
        "words" => {
            let open = command.words.iter().any(|word| word.splits);
            vec![(command.words.iter().map(Element::Word).collect(), open)]
        }
        "flags" => command
            .readings
            .iter()
            .map(|r| (r.flags.iter().map(Element::Flag).collect(), has_hazy(r)))
            .collect(),
        "operands" => command
            .readings
            .iter()
            .map(|r| (r.operands.iter().map(Element::Word).collect(), has_hazy(r)))
            .collect(),
        "wrappers" => texts(command.wrappers.iter().collect()),
        "env" => texts(command.env.iter().chain(&command.harmless_env).collect()),
        other => panic!("no list `{other}`"),
    }
}

impl Element<'_> {
    fn test(&self, comparison: &Comparison, literals: &[&ValueKind]) -> Answer {
        let function = comparison.left.function.as_ref().map(|f| f.node);
        self.compare(comparison.operator.node, function, literals)
    }

    fn compare(&self, operator: Operator, function: Option<Function>, literals: &[&ValueKind]) -> Answer {
        let text = |text: &str| match function {
            Some(Function::Lower) => json::string(&text.to_ascii_lowercase(), operator, literals),
            Some(Function::Size) => json::number(&Number::from_u64(text.len() as u64), operator, literals),
            _ => json::string(text, operator, literals),
        };
        match self {
            Self::Text(value) => text(value),
            Self::Word(word) if operator == Operator::IsUnresolved => Answer::from(word.text().is_none()),
            Self::Word(word) => word.text().map_or(Answer::Unknown, text),
            Self::Flag(flag) => {
                let answers: Vec<Answer> = flag.spellings.iter().map(|s| text(s)).collect();
                if answers.contains(&Answer::Yes) { Answer::Yes } else { Answer::No }
            }
        }
    }
}

/// `url is`, `url in`: scheme, host, port and a glob of the path.
pub fn url(fact: &NetworkFact, literals: &[&ValueKind]) -> Answer {
    if fact.url.is_none() {
        return Answer::Absent;
    }
    Answer::from(literals.iter().any(|literal| {
        let ValueKind::Text(pattern) = literal else { panic!("no URL pattern: {literal:?}") };
        url_matches(pattern, fact)
    }))
}

fn url_matches(pattern: &str, fact: &NetworkFact) -> bool {
    let (scheme, rest) = pattern.split_once("://").expect("a scheme");
    let (authority, path) =
        rest.split_once('/').map_or((rest, "/".to_owned()), |(a, p)| (a, format!("/{p}")));
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, port.parse::<u16>().expect("a port")),
        None => (authority, if scheme == "https" { 443 } else { 80 }),
    };
    let host_fits = match (host.strip_prefix("*."), &fact.host) {
        (_, None) => false,
        _ if host == "*" => true,
        (Some(below), Some(is)) => {
            is.strip_suffix(below).is_some_and(|labels| labels.len() > 1 && labels.ends_with('.'))
        }
        (None, Some(is)) => host == is,
    };
    let names: Vec<&str> = fact.path.as_deref().unwrap_or("/").split('/').skip(1).collect();
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    fact.scheme.as_deref() == Some(scheme)
        && host_fits
        && fact.port == Some(port)
        && components(&parts, &names)
}

fn components(parts: &[&str], names: &[&str]) -> bool {
    match (parts.split_first(), names.split_first()) {
        (None, names) => names.is_none(),
        (Some((&"**", rest)), None) => components(rest, names),
        (Some((&"**", rest)), Some((_, below))) => components(rest, names) || components(parts, below),
        (Some(_), None) => false,
        (Some((part, rest)), Some((name, below))) => glob(part, name) && components(rest, below),
    }
}
