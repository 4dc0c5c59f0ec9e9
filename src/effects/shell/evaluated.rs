//! Values that the shell evaluates: arithmetic, subscripts, indirection. What stands in a subscript
//! of such a value is run.

use super::ast::{List, Param, ParamOp, Part, RawWord};
use super::scope::{Scope, Value, is_number};
use super::walk::Walker;
use crate::model::command::Piece;

/// Stands in the text of arithmetic where an expansion stands.
pub const EXPANSION: char = '\u{1}';

/// Names whose value the shell evaluates as arithmetic when it is assigned.
const INTEGERS: &[&str] = &[
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "EPOCHSECONDS",
    "UID",
    "EUID",
    "PPID",
    "OPTIND",
    "HISTCMD",
    "BASHPID",
    "BASH_SUBSHELL",
    "BASH_MONOSECONDS",
];

/// Names that the shell fills with text from elsewhere.
const TEXTS: &[&str] =
    &["_", "REPLY", "OPTARG", "FUNCNAME", "DIRSTACK", "MAPFILE", "COPROC", "OLDPWD", "PWD"];

/// Values of names of names that are followed.
const CHAIN_MAX: usize = 8;

/// Whether the shell keeps only numbers under the name.
pub fn is_integer(name: &str) -> bool {
    INTEGERS.contains(&name)
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a text is certainly the name of a variable.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.chars().all(is_name_char)
}

fn hides(value: &Value) -> bool {
    let mut text = String::new();
    for piece in &value.pieces {
        if let Piece::Text(piece) = piece {
            text.push_str(piece);
        }
    }
    text.contains('[') && (text.contains("$(") || text.contains("${") || text.contains('`'))
}

impl Walker<'_> {
    /// Makes the line opaque where a value that a name gets may run something.
    pub(super) fn guard(&mut self, name: &str, value: &Value) {
        let integer = is_integer(name) || self.integers.contains(name);
        if integer && !is_number(value) && value.text() != Some("") {
            self.may_run(&format!("`{name}` evaluates what is assigned to it"));
        } else {
            self.guard_value(value);
        }
    }

    /// The same for a value alone.
    pub(super) fn guard_value(&mut self, value: &Value) {
        if hides(value) {
            self.may_run("a value holds a subscript that may run what it holds");
        }
    }

    fn may_run(&mut self, reason: &str) {
        if !self.guarded {
            self.guarded = true;
            self.opaque_line(reason);
        }
    }

    /// From here on the name evaluates what is assigned to it.
    pub(super) fn make_integer(&mut self, name: &str, scope: &Scope) {
        if scope.get(name).is_some_and(|value| !is_number(&value) && value.text() != Some("")) {
            self.may_run(&format!("`{name}` may evaluate what it holds"));
        }
        self.integers.insert(name.to_owned());
    }

    /// Arithmetic runs what stands in subscripts of the values that it reads.
    pub(super) fn arithmetic(&mut self, text: &str, parts: &[Part], scope: &mut Scope) {
        let numbers = parts.iter().all(|part| self.part_is_number(part, scope));
        let mut fine = numbers || parts.iter().all(|part| self.part_evaluates(part, scope));
        let mut what = None;
        let tokens = || text.split(|c: char| !is_name_char(c) && c != EXPANSION);
        for token in tokens() {
            if is_name(token) {
                if !self.name_evaluates(token, scope, CHAIN_MAX) {
                    fine = false;
                    what = Some(token);
                }
            } else if token.len() > 1 && token.contains(EXPANSION) {
                // Pieces that make one token, perhaps a name.
                fine &= numbers && token.chars().all(|c| c == EXPANSION || c.is_ascii_digit());
            }
        }
        if !fine {
            self.hidden.push(match what {
                Some(name) => format!("arithmetic on `{name}` may run what it holds"),
                None => "arithmetic may run what a value holds".to_owned(),
            });
        }
        if text.contains("++") || text.contains("--") || text.contains('=') {
            for name in tokens().filter(|token| is_name(token)) {
                self.assign(name, Value::number(), scope);
            }
        }
    }

    /// The same for a word or a subscript that is evaluated.
    pub(super) fn evaluated(&mut self, parts: &[Part], scope: &mut Scope) {
        let mut text = String::new();
        let mut inner = Vec::new();
        for part in parts {
            match part {
                Part::Bare(piece) | Part::Quoted(piece) => {
                    if piece.contains(['$', '`']) {
                        self.hidden.push("a subscript may run what it holds".to_owned());
                    }
                    text.push_str(piece);
                }
                other => {
                    text.push(EXPANSION);
                    inner.push(other.clone());
                }
            }
        }
        self.arithmetic(&text, &inner, scope);
    }

    fn part_is_number(&self, part: &Part, scope: &Scope) -> bool {
        match part {
            Part::Param(param) if param.op == ParamOp::Plain => self.name_is_number(&param.name, scope),
            Part::Param(param) => param.op == ParamOp::Length,
            Part::Arith { .. } => true,
            Part::Subst { body, .. } => self.writes_number(body, scope),
            Part::Bare(_) | Part::Quoted(_) | Part::Process(_) => false,
        }
    }

    fn writes_number(&self, body: &List, scope: &Scope) -> bool {
        self.known_output(body, scope).is_some_and(|value| value.numeric)
    }

    /// Whether a variable certainly holds a number.
    pub(super) fn name_is_number(&self, name: &str, scope: &Scope) -> bool {
        is_integer(name) || is_number(&self.variable(name, scope))
    }

    /// Whether a word certainly becomes a number.
    pub(super) fn word_is_number(&self, raw: &RawWord, scope: &Scope) -> bool {
        matches!(raw.parts.as_slice(), [part] if self.part_is_number(part, scope))
    }

    fn part_evaluates(&self, part: &Part, scope: &Scope) -> bool {
        match part {
            Part::Param(param) if param.op == ParamOp::Plain => {
                self.name_evaluates(&param.name, scope, CHAIN_MAX)
            }
            Part::Param(Param { name, op: ParamOp::Default, args, .. }) => {
                self.name_evaluates(name, scope, CHAIN_MAX)
                    && args.iter().all(|part| self.part_evaluates(part, scope))
            }
            Part::Bare(text) | Part::Quoted(text) => self.text_evaluates(text, scope, CHAIN_MAX),
            other => self.part_is_number(other, scope),
        }
    }

    fn name_evaluates(&self, name: &str, scope: &Scope, levels: usize) -> bool {
        if is_integer(name) {
            return true;
        }
        if TEXTS.contains(&name) || ["BASH_", "COMP_", "READLINE_"].iter().any(|p| name.starts_with(p)) {
            return false;
        }
        let value = if is_name(name) {
            match scope.get(name) {
                Some(value) => value,
                None => return true,
            }
        } else {
            self.variable(name, scope)
        };
        is_number(&value) || value.text().is_some_and(|text| self.text_evaluates(text, scope, levels))
    }

    pub(super) fn text_evaluates(&self, text: &str, scope: &Scope, levels: usize) -> bool {
        let mut names = text.split(|c: char| !is_name_char(c)).filter(|token| is_name(token));
        text.len() <= 256
            && !text.contains(['[', '$', '`', '\\', EXPANSION])
            && match levels.checked_sub(1) {
                Some(levels) => names.all(|name| self.name_evaluates(name, scope, levels)),
                None => false,
            }
    }
}

#[cfg(test)]
#[path = "tests/evaluated.rs"]
mod tests;
