//! The command catalogue: what programs do with their words. The data are the YAML files beside this
//! one, read once.

mod files;
mod kinds;
mod raw;
pub mod reading;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

pub use kinds::{Kind, Operands};
pub use raw::Example;

use crate::model::CapabilitySet;

/// A flag of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opt {
    /// All spellings with their dashes.
    pub spellings: Vec<String>,
    /// Whether it takes a value, and what that is.
    pub value: Option<Kind>,
    /// The value only stands attached (`--color=auto`).
    pub attached_only: bool,
    /// Whether it takes the value depends on the implementation: both readings hold.
    pub uncertain: bool,
    /// Makes the operands trees.
    pub tree: bool,
    /// Nothing but a text is printed with it.
    pub stops: bool,
    /// The program does more with it than its operands tell.
    pub opens: bool,
    /// Unique in the catalogue.
    pub group: u32,
}

/// Operands that hold where a flag stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct When {
    /// Spellings of the flags.
    pub flags: Vec<String>,
    /// What the operands are then.
    pub operands: Operands,
    /// Whether it is closed then; `None` leaves it.
    pub closed: Option<bool>,
    /// What is implied then.
    pub implied: Option<CapabilitySet>,
    /// What it works on then where no operand names anything; `None` leaves it.
    pub default: Option<Option<(Kind, String)>>,
}

/// What the catalogue knows of a program or one of its subcommands.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The operands tell all it does.
    pub closed: bool,
    /// What it does without saying so, where it is not closed.
    pub implied: CapabilitySet,
    /// Its flags.
    pub options: Vec<Opt>,
    by_spelling: HashMap<String, usize>,
    /// What its operands are.
    pub operands: Operands,
    /// Other operands where a flag stands, the first that holds.
    pub when: Vec<When>,
    /// What it works on where no operand names anything.
    pub default: Option<(Kind, String)>,
    /// The default only holds with one of these flags.
    pub default_with: Vec<String>,
    /// The default does not hold where the standard input comes from the line.
    pub default_unless_fed: bool,
    /// Long flags have one dash.
    pub long_one_dash: bool,
    /// Long flags may not be shortened.
    pub exact: bool,
    /// `=` may stand between a short flag and its value, and is no part of it (`-o=json`).
    pub short_equals: bool,
    /// Words that begin with `+` are flags.
    pub plus: bool,
    /// Flags end at the first operand.
    pub first_operand_ends: bool,
    /// Its subcommands.
    pub subcommands: HashMap<String, Table>,
    /// Flags of the program may stand behind its subcommands.
    pub inherit: bool,
    /// Environment names that change nothing that matters.
    pub harmless_env: HashSet<String>,
    /// The part of the program that knows its grammar.
    pub handler: String,
    /// For wrappers: the operands before the inner command.
    pub wraps: Option<usize>,
}

impl Table {
    /// The flag of a spelling.
    #[must_use]
    pub fn option(&self, spelling: &str) -> Option<&Opt> {
        self.by_spelling.get(spelling).and_then(|at| self.options.get(*at))
    }

    /// The long flag that a shortened spelling names, where it is only one.
    #[must_use]
    pub fn abbreviated(&self, spelling: &str) -> Option<&Opt> {
        if self.exact || spelling.len() < 3 {
            return None;
        }
        let mut found: Option<&Opt> = None;
        for option in &self.options {
            if option.spellings.iter().any(|s| s.starts_with("--") && s.starts_with(spelling)) {
                if found.is_some() {
                    return None;
                }
                found = Some(option);
            }
        }
        found
    }

    /// Whether a flag could make it do more than its operands tell.
    #[must_use]
    pub fn is_risky(&self) -> bool {
        self.options.iter().any(|o| o.opens || o.value.is_some_and(Kind::matters))
    }
}

/// All programs.
#[derive(Debug, Default)]
pub struct Catalogue {
    programs: HashMap<String, usize>,
    tables: Vec<Table>,
    harmless_env: HashSet<String>,
    /// The examples of all files, for their test.
    pub examples: Vec<(String, Example)>,
    /// Files that are wrong, for their test. A program in such a file is unknown.
    pub errors: BTreeMap<String, String>,
}

impl Catalogue {
    /// What is known of a program.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Table> {
        self.programs.get(name).and_then(|at| self.tables.get(*at))
    }

    /// Whether setting an environment name changes nothing that matters, for this program.
    #[must_use]
    pub fn is_harmless(&self, name: &str, table: Option<&Table>) -> bool {
        self.harmless_env.contains(name) || table.is_some_and(|t| t.harmless_env.contains(name))
    }

    /// The names of all programs.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.programs.keys().map(String::as_str)
    }

    fn load() -> Self {
        let mut catalogue = Self::default();
        let mut groups = 1_u32;
        for (file, text) in files::FILES {
            if let Err(error) = catalogue.add(file, text, &mut groups) {
                catalogue.errors.insert((*file).to_owned(), error);
            }
        }
        catalogue
    }

    fn add(&mut self, file: &str, text: &str, groups: &mut u32) -> Result<(), String> {
        let raw: raw::RawTable = crate::base::yaml::parse(text).map_err(|e| e.to_string())?;
        if file == "environment" {
            self.harmless_env = raw.env.split_whitespace().map(str::to_owned).collect();
            return Ok(());
        }
        let names: Vec<String> = raw.names.split_whitespace().map(str::to_owned).collect();
        let examples = raw.examples.clone();
        let table = raw.build(groups, true)?;
        let at = self.tables.len();
        self.tables.push(table);
        for name in names {
            if self.programs.insert(name.clone(), at).is_some() {
                return Err(format!("`{name}` is in two files"));
            }
        }
        self.examples.extend(examples.into_iter().map(|example| (file.to_owned(), example)));
        Ok(())
    }
}

/// The catalogue that ships with the program.
#[must_use]
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(Catalogue::load)
}
