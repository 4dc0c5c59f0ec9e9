//! What holds at a point of the line: variables, directory, functions.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::ast::Command;
use crate::model::command::{Piece, Word};

/// Variables followed in one line; with more, none is.
const VARIABLES_MAX: usize = 128;
/// Directories that may hold at one point (a `cd` that can fail leaves two); with more it is unknown.
const DIRECTORIES_MAX: usize = 8;

/// Paths that a word stands for without being one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathOrigin {
    /// `<(…)`: no path.
    Stream,
    /// The matches of an unquoted glob.
    Glob(String),
    /// Any path below these operands of `find`.
    Tree(Vec<String>),
}

/// A value of a variable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Value {
    /// Known text and unknown pieces.
    pub pieces: Vec<Piece>,
    /// The paths it stands for.
    pub origin: Option<Rc<PathOrigin>>,
    /// It is certainly a number.
    pub numeric: bool,
}

impl Value {
    /// A wholly known value.
    pub fn known(text: impl Into<String>) -> Self {
        Self { pieces: Word::known(text).pieces, origin: None, numeric: false }
    }

    /// Nothing is known.
    pub fn unknown() -> Self {
        Self { pieces: vec![Piece::Unknown], origin: None, numeric: false }
    }

    /// An unknown number.
    pub fn number() -> Self {
        Self { numeric: true, ..Self::unknown() }
    }

    /// The text, where all is known.
    pub fn text(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    value: Value,
    /// Attributes make what is assigned to it something else.
    odd: bool,
}

/// The state at a point. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Scope {
    pub(super) variables: Rc<HashMap<String, Variable>>,
    /// No variable can be known any more.
    pub lost: bool,
    /// The directories that may hold, the likely one first; `None` is unknown.
    pub cwd: Option<Rc<Vec<String>>>,
    /// Functions that the line defined.
    pub functions: Rc<HashMap<String, Rc<Command>>>,
    /// Names that may be something else than their program.
    pub aliases: Rc<BTreeSet<String>>,
    /// Names that the line set for the commands that follow.
    pub exported: Rc<BTreeSet<String>>,
    /// `$1` and on; `None` is unknown.
    pub positional: Option<Rc<Vec<Value>>>,
    /// `set -a`.
    pub export_all: bool,
    /// `set -e`.
    pub errexit: bool,
    /// Globs or splitting do not work as usual.
    pub odd_splitting: bool,
    /// Values are split at other characters than blanks.
    pub odd_separators: bool,
}

impl Scope {
    /// The state at the beginning of a line.
    pub fn new(cwd: Option<Vec<String>>) -> Self {
        Self {
            variables: Rc::default(),
            lost: false,
            cwd: cwd.map(Rc::new),
            functions: Rc::default(),
            aliases: Rc::default(),
            exported: Rc::default(),
            positional: Some(Rc::default()),
            export_all: false,
            errexit: false,
            odd_splitting: false,
            odd_separators: false,
        }
    }

    /// A value that the line set; `None` where it did not.
    pub fn get(&self, name: &str) -> Option<Value> {
        if self.lost {
            return Some(Value::unknown());
        }
        self.variables.get(name).map(|v| if v.odd { Value::unknown() } else { v.value.clone() })
    }

    /// Sets a variable.
    pub fn set(&mut self, name: &str, value: Value) {
        if name == "IFS" {
            self.odd_splitting = true;
            self.odd_separators = true;
        }
        if self.lost {
            return;
        }
        if self.variables.len() >= VARIABLES_MAX && !self.variables.contains_key(name) {
            self.lose();
            return;
        }
        let variables = Rc::make_mut(&mut self.variables);
        match variables.get_mut(name) {
            Some(variable) => variable.value = value,
            None => {
                variables.insert(name.to_owned(), Variable { value, odd: false });
            }
        }
    }

    /// From here on the variable is unknown, whatever is assigned to it.
    pub fn set_odd(&mut self, name: &str) {
        self.set(name, Value::unknown());
        if let Some(variable) = Rc::make_mut(&mut self.variables).get_mut(name) {
            variable.odd = true;
        }
    }

    /// No variable is known any more.
    pub fn lose(&mut self) {
        self.lost = true;
        self.variables = Rc::default();
        self.positional = None;
        self.odd_splitting = true;
        self.odd_separators = true;
    }

    /// Nothing is known any more.
    pub fn lose_all(&mut self) {
        self.lose();
        self.cwd = None;
    }

    /// The directory, where there is only one.
    pub fn directory(&self) -> Option<&str> {
        match self.cwd.as_deref().map(Vec::as_slice) {
            Some([only]) => Some(only),
            _ => None,
        }
    }

    /// What holds where either may.
    pub fn merge(mut self, other: Self) -> Self {
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            let mut names: BTreeSet<&String> = self.variables.keys().collect();
            names.extend(other.variables.keys());
            let mut merged = HashMap::new();
            for name in names {
                let one = self.variables.get(name);
                let two = other.variables.get(name);
                let odd = one.is_some_and(|v| v.odd) || two.is_some_and(|v| v.odd);
                let value = match (one, two) {
                    (Some(a), Some(b)) if a.value == b.value => a.value.clone(),
                    (Some(a), Some(b)) if is_number(&a.value) && is_number(&b.value) => Value::number(),
                    _ => Value::unknown(),
                };
                merged.insert(name.clone(), Variable { value, odd });
            }
            self.variables = Rc::new(merged);
        }
        self.lost |= other.lost;
        self.cwd = merge_cwd(self.cwd, other.cwd);
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            // A function that only one side has may be the program as well.
            let one: Vec<String> =
                self.functions.keys().filter(|n| !other.functions.contains_key(*n)).cloned().collect();
            let two = other.functions.keys().filter(|n| !self.functions.contains_key(*n)).cloned();
            let unsure: Vec<String> = one.into_iter().chain(two).collect();
            Rc::make_mut(&mut self.aliases).extend(unsure);
            for (name, body) in other.functions.iter() {
                let functions = Rc::make_mut(&mut self.functions);
                if functions.insert(name.clone(), Rc::clone(body)).is_some_and(|old| !Rc::ptr_eq(&old, body))
                {
                    Rc::make_mut(&mut self.aliases).insert(name.clone());
                }
            }
        }
        merge_names(&mut self.aliases, &other.aliases);
        merge_names(&mut self.exported, &other.exported);
        if self.positional != other.positional {
            self.positional = None;
        }
        self.export_all |= other.export_all;
        self.errexit &= other.errexit;
        self.odd_splitting |= other.odd_splitting;
        self.odd_separators |= other.odd_separators;
        self
    }
}

/// Whether a value is certainly a number.
pub fn is_number(value: &Value) -> bool {
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    value.numeric || value.text().is_some_and(|t| digits(t.strip_prefix('-').unwrap_or(t)))
}

fn merge_names(into: &mut Rc<BTreeSet<String>>, other: &Rc<BTreeSet<String>>) {
    if !Rc::ptr_eq(into, other) && !other.is_subset(into) {
        Rc::make_mut(into).extend(other.iter().cloned());
    }
}

fn merge_cwd(one: Option<Rc<Vec<String>>>, two: Option<Rc<Vec<String>>>) -> Option<Rc<Vec<String>>> {
    let (one, two) = (one?, two?);
    if one == two {
        return Some(one);
    }
    let mut all = (*one).clone();
    for directory in two.iter() {
        if !all.contains(directory) {
            all.push(directory.clone());
        }
    }
    (all.len() <= DIRECTORIES_MAX).then(|| Rc::new(all))
}

/// The states behind a command: where it succeeded and where it failed; both absent where nothing
/// follows (`exit`).
#[derive(Debug, Clone)]
pub struct Flow {
    /// It succeeded.
    pub ok: Option<Scope>,
    /// It failed.
    pub failed: Option<Scope>,
}

impl Flow {
    /// It may do either, the state is the same.
    pub fn either(scope: Scope) -> Self {
        Self { ok: Some(scope.clone()), failed: Some(scope) }
    }

    /// It succeeds.
    pub fn sure(scope: Scope) -> Self {
        Self { ok: Some(scope), failed: None }
    }

    /// The state behind it, whatever it did.
    pub fn after(self) -> Option<Scope> {
        merge(self.ok, self.failed)
    }
}

/// What holds where either may, if any.
pub fn merge(one: Option<Scope>, two: Option<Scope>) -> Option<Scope> {
    match (one, two) {
        (Some(one), Some(two)) => Some(one.merge(two)),
        (one, two) => one.or(two),
    }
}
