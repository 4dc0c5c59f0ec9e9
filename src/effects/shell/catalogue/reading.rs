//! Tells flags from operands, with the catalogue or without.

use super::{Kind, Opt, Table};
use crate::model::command::{Flag, Piece, Reading, Word};

/// How a flag that no table knows takes the word behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// As an operand.
    Operand,
    /// As its value.
    Value,
}

/// A flag or an operand.
#[derive(Debug, Clone)]
pub enum Item<'t> {
    /// A flag.
    Flag {
        /// What the table says of it.
        option: Option<&'t Opt>,
        /// As written, without a value.
        written: String,
        /// Its value, and the index of the word where it is a word of its own.
        value: Option<(Word, Option<usize>)>,
    },
    /// An operand: the index of its word.
    Operand(usize),
    /// A subcommand: the index of its word.
    Sub(usize),
}

/// The words behind a program, told apart.
#[derive(Debug, Clone, Default)]
pub struct Args<'t> {
    /// The program's table and those of its subcommands.
    pub tables: Vec<&'t Table>,
    /// In order.
    pub items: Vec<Item<'t>>,
    /// `--` stands among them.
    pub end_of_options: bool,
    /// A flag is in no table.
    pub unknown_flags: bool,
    /// Whether a flag takes the word behind it is not certain: both readings hold.
    pub uncertain: bool,
    /// A word may turn out to be a flag.
    pub maybe_flags: bool,
    /// The subcommand is in no table, or is not known.
    pub unknown_sub: bool,
}

/// The known text at the beginning of a word, and whether that is all of it.
fn head(word: &Word) -> (&str, bool) {
    match word.pieces.as_slice() {
        [] => ("", !word.splits),
        [Piece::Text(text)] => (text, !word.splits),
        [Piece::Text(text), ..] => (text, false),
        _ => ("", false),
    }
}

/// The word without some bytes at its beginning (which are known text).
fn tail(word: &Word, bytes: usize) -> Word {
    let mut pieces = word.pieces.clone();
    if let Some(Piece::Text(text)) = pieces.first_mut() {
        *text = text.get(bytes..).unwrap_or("").to_owned();
        if text.is_empty() {
            pieces.remove(0);
        }
    }
    Word { pieces, splits: word.splits, one_head: word.one_head, ..Word::default() }
}

struct Reader<'t, 'w> {
    words: &'w [&'w Word],
    mode: Mode,
    at: usize,
    ended: bool,
    out: Args<'t>,
}

/// Tells the words behind a program apart.
pub fn read<'t>(table: Option<&'t Table>, words: &[&Word], mode: Mode) -> Args<'t> {
    let out = Args { tables: table.into_iter().collect(), ..Args::default() };
    let mut reader = Reader { words, mode, at: 0, ended: false, out };
    while let Some(word) = words.get(reader.at).copied() {
        reader.word(word);
    }
    reader.out
}

impl<'t> Reader<'t, '_> {
    fn table(&self) -> Option<&'t Table> {
        self.out.tables.last().copied()
    }

    /// Whether the value of a flag is the word behind it. Where that is not certain (implementations
    /// differ, or the spelling is only a beginning of one that the table has) each reading goes its way.
    fn takes_next(&mut self, option: &Opt, spelling: &str) -> bool {
        if option.value.is_none() || option.attached_only {
            return false;
        }
        if !option.uncertain && option.spellings.iter().any(|s| s == spelling) {
            return true;
        }
        self.out.uncertain = true;
        self.mode == Mode::Value
    }

    fn option(&self, spelling: &str, exact: bool) -> Option<&'t Opt> {
        let table = self.table()?;
        let find = |table: &'t Table| {
            table.option(spelling).or_else(|| if exact { None } else { table.abbreviated(spelling) })
        };
        let mut found = find(table);
        if found.is_none() && self.out.tables.first().is_some_and(|root| root.inherit) {
            found = self.out.tables.iter().rev().skip(1).find_map(|t| find(t));
        }
        found
    }

    fn word(&mut self, word: &Word) {
        let (head, whole) = head(word);
        // What may turn into several words may turn into a flag behind its first.
        let same_flag = word.one_head && head.len() > 1;
        self.out.maybe_flags |= !self.ended && word.splits && !word.never_flag && !same_flag;
        if self.ended || word.never_flag {
            self.operand(word);
        } else if head.is_empty() && !whole {
            self.out.maybe_flags = true;
            self.operand(word);
        } else if head == "--" && whole {
            self.ended = true;
            self.out.end_of_options = true;
            self.at += 1;
        } else if head == "-" && !whole {
            self.out.maybe_flags = true;
            self.unknown_flag(word, "-", false);
        } else if head.starts_with("--") {
            self.long(word, head, whole);
        } else if head.len() > 1 && head.starts_with('-') {
            self.short(word, head, whole);
        } else if head.len() > 1 && head.starts_with('+') && self.table().is_some_and(|t| t.plus) {
            match self.option(head, true) {
                Some(option) => self.flag(Some(option), head, None, 1),
                None => self.unknown_flag(word, head, whole),
            }
        } else {
            self.operand(word);
        }
    }

    fn operand(&mut self, word: &Word) {
        let at = self.at;
        self.at += 1;
        if let Some(table) = self.table() {
            let first = !self.out.items.iter().any(|i| matches!(i, Item::Operand(_)));
            if !table.subcommands.is_empty() && first && !self.out.unknown_sub {
                match word.text().and_then(|text| table.subcommands.get(text)) {
                    Some(sub) => self.out.tables.push(sub),
                    None => self.out.unknown_sub = true,
                }
                self.out.items.push(Item::Sub(at));
                return;
            }
            if table.first_operand_ends {
                self.ended = true;
            }
        }
        self.out.items.push(Item::Operand(at));
    }

    fn flag(
        &mut self,
        option: Option<&'t Opt>,
        written: &str,
        value: Option<(Word, Option<usize>)>,
        by: usize,
    ) {
        self.out.items.push(Item::Flag { option, written: written.to_owned(), value });
        self.at += by;
    }

    /// The next word as the value of a flag.
    fn next_value(&self) -> Option<(Word, Option<usize>)> {
        self.words.get(self.at + 1).map(|word| ((*word).clone(), Some(self.at + 1)))
    }

    fn unknown_flag(&mut self, word: &Word, head: &str, whole: bool) {
        self.out.unknown_flags = true;
        if let Some((name, _)) = head.split_once('=') {
            let value = tail(word, name.len() + 1);
            self.flag(None, name, Some((value, None)), 1);
            return;
        }
        self.out.maybe_flags |= !whole;
        let next_is_flag =
            self.words.get(self.at + 1).is_some_and(|next| self::head(next).0.starts_with('-'));
        match self.next_value() {
            Some(value) if self.mode == Mode::Value && whole && !next_is_flag => {
                self.flag(None, head, Some(value), 2);
            }
            _ => self.flag(None, head, None, 1),
        }
    }

    fn long(&mut self, word: &Word, head: &str, whole: bool) {
        let (name, attached) = match head.split_once('=') {
            Some((name, _)) => (name, Some((tail(word, name.len() + 1), None))),
            None => (head, None),
        };
        if attached.is_none() && !whole {
            self.unknown_flag(word, head, whole);
            return;
        }
        match self.option(name, false) {
            Some(option) => match (option.value, attached) {
                (None, Some(_)) => self.unknown_flag(word, head, whole),
                (Some(kind), None) if self.takes_next(option, name) => {
                    if matches!(kind, Kind::Pair | Kind::PairRead) {
                        let value = self.words.get(self.at + 2).map(|w| ((*w).clone(), Some(self.at + 2)));
                        self.flag(Some(option), name, value, 3);
                        return;
                    }
                    let value = self.next_value();
                    let by = 1 + usize::from(value.is_some());
                    self.flag(Some(option), name, value, by);
                }
                (_, attached) => self.flag(Some(option), name, attached, 1),
            },
            None => self.unknown_flag(word, head, whole),
        }
    }

    fn short(&mut self, word: &Word, head: &str, whole: bool) {
        let Some(table) = self.table() else {
            self.unknown_flag(word, head, whole);
            return;
        };
        if table.long_one_dash {
            let (name, attached) = match head.split_once('=') {
                Some((name, _)) => (name, Some((tail(word, name.len() + 1), None))),
                None => (head, None),
            };
            if let Some(option) = self.option(name, true).filter(|_| whole || attached.is_some()) {
                match (option.value, attached) {
                    (Some(_), None) if self.takes_next(option, name) => {
                        let value = self.next_value();
                        let by = 1 + usize::from(value.is_some());
                        self.flag(Some(option), name, value, by);
                        return;
                    }
                    (None, Some(_)) => {}
                    (_, attached) => {
                        self.flag(Some(option), name, attached, 1);
                        return;
                    }
                }
            }
        }
        if head.get(1..).is_some_and(|d| d.bytes().all(|b| b.is_ascii_digit()))
            && let Some(option) = self.option("-NUM", true)
        {
            self.flag(Some(option), head, None, 1);
            return;
        }
        self.cluster(word, head, whole);
    }

    fn cluster(&mut self, word: &Word, head: &str, whole: bool) {
        let before = self.out.items.len();
        let mut by = 1;
        for (offset, c) in head.char_indices().skip(1) {
            let spelling = format!("-{c}");
            let behind = offset + c.len_utf8();
            let Some(option) = self.option(&spelling, true) else {
                self.out.items.truncate(before);
                self.unknown_flag(word, head, whole);
                return;
            };
            let ends = behind >= head.len() && whole;
            let value = match option.value {
                None => {
                    self.out.items.push(Item::Flag { option: Some(option), written: spelling, value: None });
                    continue;
                }
                Some(_) if !ends && option.uncertain && !self.takes_next(option, &spelling) => {
                    self.out.items.push(Item::Flag { option: Some(option), written: spelling, value: None });
                    continue;
                }
                Some(_) if !ends => {
                    let equals = self.out.tables.first().is_some_and(|root| root.short_equals)
                        && head.get(behind..).is_some_and(|rest| rest.starts_with('='));
                    Some((tail(word, behind + usize::from(equals)), None))
                }
                Some(_) if !self.takes_next(option, &spelling) => None,
                Some(_) => {
                    let value = self.next_value();
                    by += usize::from(value.is_some());
                    value
                }
            };
            self.out.items.push(Item::Flag { option: Some(option), written: spelling, value });
            self.at += by;
            return;
        }
        if !whole {
            self.out.items.truncate(before);
            self.unknown_flag(word, head, whole);
            return;
        }
        self.at += by;
    }
}

impl Args<'_> {
    /// Whether the words may be told apart in another way.
    pub fn two_ways(&self) -> bool {
        self.unknown_flags || self.uncertain
    }

    /// The reading that rules see.
    pub fn reading(&self, words: &[&Word]) -> Reading {
        let mut reading = Reading::default();
        for item in &self.items {
            match item {
                Item::Flag { option, written, value } => {
                    let mut spellings = vec![written.clone()];
                    for other in option.iter().flat_map(|o| &o.spellings) {
                        if other != written {
                            spellings.push(other.clone());
                        }
                    }
                    reading.flags.push(Flag {
                        spellings,
                        group: option.map(|o| o.group),
                        value: value.as_ref().map(|(word, _)| word.clone()),
                    });
                }
                Item::Operand(at) | Item::Sub(at) => {
                    reading.operands.extend(words.get(*at).map(|word| (*word).clone()));
                }
            }
        }
        reading
    }
}

/// One reading, or both where they differ.
pub fn readings(table: Option<&Table>, words: &[&Word]) -> Vec<Reading> {
    let first = read(table, words, Mode::Operand);
    let one = first.reading(words);
    if !first.two_ways() {
        return vec![one];
    }
    let two = read(table, words, Mode::Value).reading(words);
    if one == two { vec![one] } else { vec![one, two] }
}
