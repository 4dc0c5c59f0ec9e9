//! Command patterns against commands (`language.md`, section 7).

use super::catalogue::reading::{Mode, read};
use super::catalogue::{Table, catalogue};
use crate::model::Truth;
use crate::model::command::{Command, Flag, Identity, Piece, Reading, Word};
use crate::model::pattern::CommandPattern;
use crate::model::pattern::command::WordPattern;

/// Whether a command matches a pattern. `as_grant`: for an `allow`, where names that the line set
/// and the pattern does not name make a match uncertain.
#[must_use]
pub fn matches(pattern: &CommandPattern, command: &Command, as_grant: bool) -> Truth {
    if command.opaque.is_some() {
        return Truth::Unknown;
    }
    let mut truth = assignments_match(pattern, command, as_grant);
    if truth == Truth::False {
        return truth;
    }
    let mut found = Truth::False;
    for program in &pattern.program.alternatives {
        let program_truth = program_match(program, command);
        if program_truth == Truth::False {
            continue;
        }
        found = found.or(program_truth.and(words_match(pattern, command)));
    }
    truth = truth.and(found);
    if as_grant && truth == Truth::True && !env_is_named(pattern, command) {
        return Truth::Unknown;
    }
    truth
}

/// `command.program is TEXT`, `command.program in {…}`: the program word of a pattern alone.
#[must_use]
pub fn program_matches(pattern: &WordPattern, command: &Command) -> Truth {
    if command.opaque.is_some() {
        return Truth::Unknown;
    }
    pattern.alternatives.iter().fold(Truth::False, |truth, program| truth.or(program_match(program, command)))
}

/// `command.program is "TEXT"`: no character of the text is special.
#[must_use]
pub fn program_is(text: &str, command: &Command) -> Truth {
    program_matches(&WordPattern { alternatives: vec![vec![text.to_owned()]] }, command)
}

/// The bare name that every matching command's program has, where the pattern says one: commands
/// whose identity is sure and another cannot match.
#[must_use]
pub fn index_key(pattern: &CommandPattern) -> Option<&str> {
    pattern.program.literal().filter(|text| !text.contains('/'))
}

/// `command.flags contains "--force"`: the flag in any of its spellings, `--a=b` with its value.
#[must_use]
pub fn flag_contained(command: &Command, flag: &str) -> Truth {
    if command.opaque.is_some() {
        return Truth::Unknown;
    }
    let word = Word::known(flag);
    let table = table_of(command);
    let spread = |mode: Mode| {
        // The flag as it would be read behind the subcommand of the command.
        let mut words: Vec<&Word> = subcommands(table, command);
        words.push(&word);
        read(table, &words, mode).reading(&words)
    };
    let mut truths = Vec::new();
    for (at, reading) in command.readings.iter().enumerate() {
        let wanted = spread(if at == 0 { Mode::Operand } else { Mode::Value });
        let all = wanted.flags.iter().fold(Truth::True, |t, f| t.and(flag_in(f, reading, command, table)));
        truths.push(if wanted.flags.is_empty() { Truth::False } else { all });
    }
    agree(&truths)
}

/// The one value on which all readings agree.
fn agree(truths: &[Truth]) -> Truth {
    match truths.split_first() {
        Some((first, rest)) if rest.iter().all(|t| t == first) => *first,
        _ => Truth::Unknown,
    }
}

fn table_of(command: &Command) -> Option<&'static Table> {
    match &command.identity {
        Identity::Sure(name) if command.in_catalogue => catalogue().get(name),
        _ => None,
    }
}

/// The words of a command that are subcommands in the catalogue.
fn subcommands<'c>(table: Option<&Table>, command: &'c Command) -> Vec<&'c Word> {
    let mut out = Vec::new();
    let mut table = table;
    for word in command.readings.first().map(|r| r.operands.as_slice()).unwrap_or_default() {
        let Some(next) = table.and_then(|t| t.subcommands.get(word.text()?)) else { break };
        out.push(word);
        table = Some(next);
    }
    out
}

fn assignments_match(pattern: &CommandPattern, command: &Command, as_grant: bool) -> Truth {
    let mut truth = Truth::True;
    for (name, value) in &pattern.assignments {
        let found = command.assignments.iter().rev().find(|(n, _)| n == name);
        truth = truth.and(match found {
            Some((_, word)) => word_match(value, word),
            None if as_grant => Truth::True,
            None => Truth::False,
        });
    }
    truth
}

fn env_is_named(pattern: &CommandPattern, command: &Command) -> bool {
    command.env.iter().all(|name| {
        pattern.assignments.iter().any(|(n, _)| n == name)
            && command.assignments.iter().any(|(n, _)| n == name)
    })
}

fn program_match(program: &[String], command: &Command) -> Truth {
    let path_pattern = program.iter().any(|text| text.contains('/'));
    match &command.identity {
        Identity::None => Truth::False,
        Identity::Unknown => Truth::Unknown,
        Identity::Sure(name) if path_pattern => {
            // The name stands for a path in a system directory: only its last part can be compared.
            let Some(last) = program.last() else { return Truth::False };
            let tail = last.rsplit('/').next().unwrap_or(last);
            let written = command.words.first().and_then(Word::text).unwrap_or("");
            if written.contains('/') {
                return Truth::from(glob_text(program, written, true));
            }
            let possible =
                if program.len() == 1 || last.contains('/') { name == tail } else { name.ends_with(tail) };
            if possible { Truth::Unknown } else { Truth::False }
        }
        Identity::Sure(name) => Truth::from(glob_text(program, name, false)),
        Identity::Path { resolved, name } if path_pattern => {
            if resolved.is_empty() {
                return Truth::Unknown;
            }
            let _ = name;
            match program.first().map(String::as_str) {
                Some(first) if first.starts_with('/') => {
                    let hits = resolved.iter().filter(|path| glob_text(program, path, true)).count();
                    match hits {
                        0 => Truth::False,
                        _ if hits == resolved.len() => Truth::True,
                        _ => Truth::Unknown,
                    }
                }
                _ => relative_program(program, command),
            }
        }
        Identity::Path { resolved, name } => {
            let ends = |path: &str| glob_text(program, crate::model::path::name_of(path), false);
            if ends(name) || resolved.iter().any(|path| ends(path)) { Truth::Unknown } else { Truth::False }
        }
    }
}

/// A relative pattern (`./scripts/x`) is compared with the word as it is written; another spelling
/// that ends so is only a possible match.
fn relative_program(program: &[String], command: &Command) -> Truth {
    let Identity::Path { resolved, .. } = &command.identity else { return Truth::False };
    let mut tail: Vec<String> = program.to_vec();
    if let Some(first) = tail.first_mut() {
        *first = format!("/{}", first.trim_start_matches("./"));
    }
    tail.insert(0, String::new());
    let possible = resolved.iter().any(|path| glob_loose(&tail, path));
    if possible { Truth::Unknown } else { Truth::False }
}

/// A pattern whose first star may go over separators.
fn glob_loose(program: &[String], text: &str) -> bool {
    glob_text(program, text, false)
}

/// Whether a text matches pieces with `*` between. `paths`: `*` stops at separators.
fn glob_text(pieces: &[String], text: &str, paths: bool) -> bool {
    let Some((first, rest)) = pieces.split_first() else { return text.is_empty() };
    let Some(mut left) = text.strip_prefix(first.as_str()) else { return false };
    let Some((last, middle)) = rest.split_last() else { return left.is_empty() };
    for piece in middle {
        let Some(at) = left.find(piece.as_str()) else { return false };
        if paths && left.get(..at).is_some_and(|gone| gone.contains('/')) {
            return false;
        }
        left = left.get(at + piece.len()..).unwrap_or("");
    }
    match left.strip_suffix(last.as_str()) {
        Some(gone) => !(paths && gone.contains('/')),
        None => false,
    }
}

fn word_match(pattern: &WordPattern, word: &Word) -> Truth {
    pattern.alternatives.iter().fold(Truth::False, |truth, pieces| truth.or(pieces_match(pieces, word)))
}

/// One alternative against a word that may have unknown pieces.
fn pieces_match(pieces: &[String], word: &Word) -> Truth {
    if let Some(text) = word.text() {
        return Truth::from(glob_text(pieces, text, false));
    }
    let any = pieces.len() == 2 && pieces.iter().all(String::is_empty);
    if any && !word.splits {
        return Truth::True;
    }
    let edge = |first: bool| -> &str {
        let piece = if first { word.pieces.first() } else { word.pieces.last() };
        match piece {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    };
    let (head, tail) = (pieces.first().map_or("", String::as_str), pieces.last().map_or("", String::as_str));
    let starts = head.starts_with(edge(true)) || (edge(true).starts_with(head) && (pieces.len() > 1));
    let ends = tail.ends_with(edge(false)) || (edge(false).ends_with(tail) && (pieces.len() > 1));
    // A literal that is shorter than what is known cannot match.
    let known: usize = word.pieces.iter().map(|p| if let Piece::Text(t) = p { t.len() } else { 0 }).sum();
    let long_enough = pieces.len() > 1 || head.len() >= known;
    if (starts && ends && long_enough) || word.splits { Truth::Unknown } else { Truth::False }
}

/// One pattern without alternatives, its words as words of a command.
fn expand(pattern: &CommandPattern) -> Vec<Vec<Word>> {
    let mut all: Vec<Vec<Word>> = vec![Vec::new()];
    for (at, word) in pattern.words.iter().enumerate() {
        let mut next = Vec::new();
        for words in &all {
            for pieces in &word.alternatives {
                let mut words = words.clone();
                if pattern.end_of_options == Some(at) {
                    words.push(Word::known("--"));
                }
                words.push(pattern_word(pieces));
                next.push(words);
            }
        }
        all = next;
    }
    if pattern.end_of_options == Some(pattern.words.len()) {
        for words in &mut all {
            words.push(Word::known("--"));
        }
    }
    all
}

fn pattern_word(pieces: &[String]) -> Word {
    let mut out = Vec::new();
    for (at, text) in pieces.iter().enumerate() {
        if at > 0 && !matches!(out.last(), Some(Piece::Unknown)) {
            out.push(Piece::Unknown);
        }
        if !text.is_empty() {
            out.push(Piece::Text(text.clone()));
        }
    }
    let never_flag = matches!(out.first(), Some(Piece::Unknown));
    Word { pieces: out, never_flag, ..Word::default() }
}

/// A word made by [`pattern_word`] as pieces again.
fn word_pieces(word: &Word) -> Vec<String> {
    let mut out = vec![String::new()];
    for piece in &word.pieces {
        match piece {
            Piece::Unknown => out.push(String::new()),
            Piece::Text(text) => {
                if let Some(last) = out.last_mut() {
                    last.push_str(text);
                }
            }
        }
    }
    out
}

fn words_match(pattern: &CommandPattern, command: &Command) -> Truth {
    if pattern.end_of_options.is_some() && !command.has_end_of_options {
        return Truth::False;
    }
    let table = table_of(command);
    let mut found = Truth::False;
    for words in expand(pattern) {
        let words: Vec<&Word> = words.iter().collect();
        let mut truths = Vec::new();
        for (at, reading) in command.readings.iter().enumerate() {
            let mode = if at == 0 { Mode::Operand } else { Mode::Value };
            let wanted = read(table, &words, mode).reading(&words);
            truths.push(reading_match(&wanted, reading, pattern.open, command, table));
        }
        found = found.or(agree(&truths));
    }
    found
}

/// Whether some word before `--` may turn out to be a flag.
#[must_use]
pub fn may_have_flags(reading: &Reading, command: &Command) -> bool {
    let unclear = |flag: &Flag| flag.group.is_none() && flag.spellings.first().is_some_and(|s| s == "-");
    if reading.flags.iter().any(unclear) {
        return true;
    }
    if !reading.operands.iter().any(may_be_flag) {
        return false;
    }
    // Only what stands before `--` can be one.
    let words: Vec<&Word> = command.words.iter().skip(1).collect();
    read(table_of(command), &words, Mode::Operand).maybe_flags
}

fn reading_match(
    wanted: &Reading,
    have: &Reading,
    open: bool,
    command: &Command,
    table: Option<&Table>,
) -> Truth {
    let mut truth = Truth::True;
    for flag in &wanted.flags {
        truth = truth.and(flag_in(flag, have, command, table));
        if truth == Truth::False {
            return truth;
        }
    }
    let hidden = may_have_flags(have, command);
    let valued = wanted.flags.iter().any(|flag| flag.value.is_some());
    if contradicted(wanted, have, table) || (valued && hidden) {
        truth = truth.and(Truth::Unknown);
    }
    truth = truth.and(operands_match(&wanted.operands, &have.operands, open, hidden));
    if open || truth == Truth::False {
        return truth;
    }
    for flag in &have.flags {
        let named = wanted.flags.iter().fold(Truth::False, |t, w| t.or(same_flag(w, flag, table)));
        truth = truth.and(named);
    }
    if hidden { truth.and(Truth::Unknown) } else { truth }
}

fn flag_in(wanted: &Flag, have: &Reading, command: &Command, table: Option<&Table>) -> Truth {
    let mut truth = Truth::False;
    for flag in &have.flags {
        let same = same_flag(wanted, flag, table);
        if same == Truth::False {
            continue;
        }
        let value = match (&wanted.value, &flag.value) {
            (None, _) => Truth::True,
            (Some(_), None) => Truth::False,
            (Some(pattern), Some(word)) => pieces_match(&word_pieces(pattern), word),
        };
        truth = truth.or(same.and(value));
    }
    if truth == Truth::False && may_have_flags(have, command) { Truth::Unknown } else { truth }
}

/// Whether the command gives a flag of the pattern a second value that the pattern does not name
/// (`-X GET -X POST`): which of them holds is the program's to say.
fn contradicted(wanted: &Reading, have: &Reading, table: Option<&Table>) -> bool {
    have.flags.iter().any(|flag| {
        let mut named = wanted
            .flags
            .iter()
            .filter(|w| w.value.is_some() && same_flag(w, flag, table) != Truth::False)
            .map(|w| match (&w.value, &flag.value) {
                (Some(pattern), Some(word)) => pieces_match(&word_pieces(pattern), word),
                _ => Truth::False,
            })
            .peekable();
        named.peek().is_some() && named.all(|truth| truth != Truth::True)
    })
}

/// Whether two flags are one. Without a table a bundle may hold a letter.
fn same_flag(wanted: &Flag, have: &Flag, table: Option<&Table>) -> Truth {
    if let (Some(one), Some(two)) = (wanted.group, have.group) {
        return Truth::from(one == two);
    }
    let same = |a: &Flag, b: &Flag| a.spellings.iter().any(|s| b.spellings.contains(s));
    if wanted.group.is_some() != have.group.is_some() && table.is_some() {
        // One is in the table, the other is not: a shortened or joined spelling could be it.
        let text = if wanted.group.is_some() { have } else { wanted };
        let other = if wanted.group.is_some() { wanted } else { have };
        let shortened = |s: &String| s.starts_with("--") && other.spellings.iter().any(|o| o.starts_with(s));
        let bundle =
            text.spellings.first().is_some_and(|s| shortened(s) || (!s.starts_with("--") && s.len() > 2));
        return if same(wanted, have) || bundle { Truth::Unknown } else { Truth::False };
    }
    if same(wanted, have) {
        return Truth::True;
    }
    let (Some(a), Some(b)) = (wanted.spellings.first(), have.spellings.first()) else { return Truth::False };
    let bundle = |s: &str| !s.starts_with("--") && s.len() > 2;
    if a.starts_with("--") != b.starts_with("--") {
        return Truth::False;
    }
    if a.starts_with("--") {
        // It may be shortened.
        let short = a.starts_with(b.as_str()) || b.starts_with(a.as_str());
        return if short { Truth::Unknown } else { Truth::False };
    }
    let letters = |s: &str| s.get(1..).unwrap_or("").to_owned();
    let (one, two) = (letters(a), letters(b));
    let overlap = if bundle(a) && bundle(b) {
        one.chars().all(|c| two.contains(c)) || two.chars().all(|c| one.contains(c))
    } else {
        (bundle(a) || bundle(b)) && one.chars().any(|c| two.contains(c))
    };
    if overlap { Truth::Unknown } else { Truth::False }
}

/// Operands in order. `flags`: a word that may turn out to be a flag is then no operand.
fn operands_match(wanted: &[Word], have: &[Word], open: bool, flags: bool) -> Truth {
    match operands_in_order(wanted, have, open, flags) {
        Truth::False if have.iter().any(|word| may_be_no_operand(word, flags)) => {
            if could_match(wanted, have, open, flags) { Truth::Unknown } else { Truth::False }
        }
        Truth::Unknown if must_match(wanted, have, open, flags) => Truth::True,
        truth => truth,
    }
}

/// Whether every way in which the words could turn out matches: `git "$X" push` is `git * ...` whether
/// the first word is an operand or a flag.
fn must_match(wanted: &[Word], have: &[Word], open: bool, flags: bool) -> bool {
    // `row` says, for each number of patterns that are done, whether the words from here on match the rest.
    let mut row: Vec<bool> = (0..=wanted.len()).map(|done| done == wanted.len()).collect();
    for word in have.iter().rev() {
        let next: Vec<bool> = (0..=wanted.len())
            .map(|done| {
                let stays = row.get(done).copied().unwrap_or(false);
                let operand = match wanted.get(done) {
                    Some(_) if word.splits => false,
                    Some(pattern) => {
                        pieces_match(&word_pieces(pattern), word) == Truth::True
                            && row.get(done + 1).copied().unwrap_or(false)
                    }
                    None => open && stays,
                };
                operand && (stays || !may_be_no_operand(word, flags))
            })
            .collect();
        row = next;
    }
    row.first().copied().unwrap_or(false)
}

fn operands_in_order(wanted: &[Word], have: &[Word], open: bool, flags: bool) -> Truth {
    let mut truth = Truth::True;
    let mut at = 0;
    for pattern in wanted {
        match have.get(at) {
            None => return Truth::False,
            Some(word) if word.splits => return truth.and(Truth::Unknown),
            Some(word) => {
                truth = truth.and(pieces_match(&word_pieces(pattern), word));
                if truth == Truth::False {
                    return truth;
                }
                if may_be_no_operand(word, flags) {
                    truth = truth.and(Truth::Unknown);
                }
                at += 1;
            }
        }
    }
    if open {
        return truth;
    }
    match have.get(at) {
        None => truth,
        Some(word) if word.splits && have.iter().skip(at).all(|w| w.splits) => truth.and(Truth::Unknown),
        Some(_) => Truth::False,
    }
}

/// Whether a word may turn into nothing, or (where flags may stand) into a flag.
fn may_be_no_operand(word: &Word, flags: bool) -> bool {
    word.splits || (flags && may_be_flag(word))
}

fn may_be_flag(word: &Word) -> bool {
    let unknown_head = matches!(word.pieces.first(), Some(Piece::Unknown));
    (unknown_head || word.splits) && !word.never_flag
}

/// Whether some way in which the words could turn out matches.
fn could_match(wanted: &[Word], have: &[Word], open: bool, flags: bool) -> bool {
    // `row` says, for each number of patterns, whether the words so far could be matched by them.
    let mut row: Vec<bool> = (0..=wanted.len()).map(|at| at == 0).collect();
    for word in have {
        let mut next = vec![false; row.len()];
        for (at, _) in row.iter().enumerate().filter(|(_, reached)| **reached) {
            let gone = may_be_no_operand(word, flags) || (open && at == wanted.len());
            if let Some(cell) = next.get_mut(at) {
                *cell |= gone;
            }
            // A word that splits may stand for any number of operands.
            let last = if word.splits { wanted.len() } else { at + 1 };
            for (to, cell) in next.iter_mut().enumerate().take(last + 1).skip(at + 1) {
                let fits = |pattern: &Word| pieces_match(&word_pieces(pattern), word) != Truth::False;
                *cell |= word.splits || wanted.get(to - 1).is_some_and(fits);
            }
        }
        row = next;
    }
    row.last().copied().unwrap_or(false)
}
