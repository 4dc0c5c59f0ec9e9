//! Command lines → effects. The line is parsed as bash by an own bounded parser (`parse`), walked
//! with the state that will hold (`walk`), and each program's words are told apart and turned into
//! effects by the command [`catalogue`]. What is not understood is opaque, never nothing.

mod ast;
mod braces;
mod budget;
mod builtins;
pub mod catalogue;
mod compound;
mod embedded;
mod evaluated;
mod expand;
mod havoc;
mod lexer;
pub mod matching;
mod parse;
mod program;
mod resources;
mod scope;
mod simple;
mod special;
#[cfg(test)]
mod tests;
mod walk;
mod wrappers;

use budget::Budget;
use expand::Field;
use scope::Scope;
use simple::Invocation;
use walk::Walker;

pub use budget::STEPS_PER_BYTE_MAX;

use super::World;
use crate::base::limits::COMMAND_BYTES_MAX;
use crate::model::path::PathFact;
use crate::model::{Demand, Effect};
use crate::syntax::ast::Step;

/// A command line, or the words of one command.
#[derive(Debug, Clone)]
pub enum CommandText<'a> {
    /// Bash.
    Line(&'a str),
    /// The words as the program gets them.
    Words(Vec<String>),
}

/// What a tool runs.
#[derive(Debug, Clone)]
pub struct CommandLine<'a> {
    /// The line or the words.
    pub text: CommandText<'a>,
    /// The place of the string in the arguments.
    pub argument: Vec<Step>,
    /// The directory it starts in.
    pub cwd: PathFact,
    /// The name of a language that is not understood.
    pub opaque_dialect: Option<&'a str>,
}

impl CommandLine<'_> {
    /// The line for people.
    pub(crate) fn shown(&self) -> String {
        let text = match &self.text {
            CommandText::Line(line) => (*line).to_owned(),
            CommandText::Words(words) => words.join(" "),
        };
        let mut end = text.len().min(COMMAND_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.get(..end).unwrap_or("").to_owned()
    }

    fn bytes(&self) -> usize {
        match &self.text {
            CommandText::Line(line) => line.len(),
            CommandText::Words(words) => words.iter().map(|w| w.len() + 1).sum(),
        }
    }
}

/// The effects of a command line, in the order of the line. At most a few more than
/// [`crate::base::limits::EFFECTS_PER_CALL_MAX`]: beyond it the rest does not matter.
#[must_use]
pub fn derive(line: &CommandLine<'_>, world: &dyn World, demand: &Demand) -> Vec<Effect> {
    derive_counted(line, world, demand).0
}

/// As `derive`, with the steps that the parser took.
#[must_use]
pub fn derive_counted(line: &CommandLine<'_>, world: &dyn World, demand: &Demand) -> (Vec<Effect>, u64) {
    let bytes = line.bytes();
    let mut walker = Walker::new(line, world, demand, Budget::new(bytes));
    let cwd = match (&line.cwd.unresolved, line.cwd.canonical()) {
        // The shell may call it by the name it was given or by the one it really has.
        (None, Some(path)) => {
            let mut all = vec![path.to_owned()];
            all.extend(line.cwd.variants.first().map(|v| v.path.clone()).filter(|given| given != path));
            Some(all)
        }
        _ => None,
    };
    let scope = Scope::new(cwd);
    if let Some(dialect) = line.opaque_dialect {
        walker.opaque_line(&format!("`{dialect}` is not a language that is understood"));
    } else if bytes > COMMAND_BYTES_MAX {
        walker.opaque_line(&format!("the line is longer than {COMMAND_BYTES_MAX} bytes"));
    } else {
        match &line.text {
            CommandText::Line(text) => match parse::parse(text, &mut walker.budget, true) {
                Ok(list) => {
                    walker.budget.depth = 1;
                    walker.line(&list, scope);
                }
                Err(unparsed) => walker.unparsed(&unparsed),
            },
            CommandText::Words(words) if words.is_empty() => {}
            CommandText::Words(words) if words.iter().any(|w| w.contains('\0')) => {
                walker.opaque_line("a NUL in a word");
            }
            CommandText::Words(words) => {
                let fields = words.iter().map(Field::known).collect();
                walker.run(Invocation { fields, ..Invocation::default() }, scope);
            }
        }
    }
    let steps = walker.budget.steps();
    (walker.effects, steps)
}
