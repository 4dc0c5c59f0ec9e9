//! What a loop's body could change before it runs again, and whether it uses a variable.

use super::ast::{Command, Kind, List, ParamOp, Part, RawWord, Simple};
use super::scope::{Scope, Value, is_number};
use super::walk::Walker;

impl Walker<'_> {
    /// Makes unknown what the commands could set.
    pub(super) fn havoc(&mut self, list: &List, scope: &mut Scope) {
        for chain in &list.chains {
            let pipelines = std::iter::once(&chain.first).chain(chain.rest.iter().map(|(_, p)| p));
            for pipeline in pipelines {
                for stage in &pipeline.stages {
                    self.havoc_command(stage, scope);
                }
            }
        }
    }

    fn havoc_command(&mut self, command: &Command, scope: &mut Scope) {
        for redirect in &command.redirects {
            self.havoc_parts(&redirect.target.parts, scope);
        }
        match &command.kind {
            Kind::Simple(simple) => self.havoc_simple(simple, scope),
            Kind::Group(list) => self.havoc(list, scope),
            Kind::Subshell(_) => {}
            Kind::If(branches, otherwise) => {
                for (condition, body) in branches {
                    self.havoc(condition, scope);
                    self.havoc(body, scope);
                }
                if let Some(body) = otherwise {
                    self.havoc(body, scope);
                }
            }
            Kind::Loop { condition, body } => {
                self.havoc(condition, scope);
                self.havoc(body, scope);
            }
            Kind::For { name, words, body, .. } => {
                scope.set(name, Value::unknown());
                for word in words.iter().flatten() {
                    self.havoc_parts(&word.parts, scope);
                }
                self.havoc(body, scope);
            }
            Kind::ForArith { parts, body } => {
                self.havoc_parts(parts, scope);
                self.havoc(body, scope);
            }
            Kind::Case { words, bodies } => {
                for word in words {
                    self.havoc_parts(&word.parts, scope);
                }
                for body in bodies {
                    self.havoc(body, scope);
                }
            }
            Kind::Arith(parts) => self.havoc_parts(parts, scope),
            Kind::Test(words) => {
                for word in words {
                    self.havoc_parts(&word.parts, scope);
                }
            }
            Kind::Function { name, .. } => {
                std::rc::Rc::make_mut(&mut scope.aliases).insert(name.clone());
            }
        }
    }

    fn havoc_simple(&mut self, simple: &Simple, scope: &mut Scope) {
        for assignment in &simple.assignments {
            if simple.words.is_empty() {
                let word = assignment.values.last().filter(|_| !assignment.array && !assignment.append);
                if matches!(word.map(|w| w.parts.as_slice()), Some([Part::Arith { .. }])) {
                    number_at_most(&assignment.name, scope);
                } else {
                    scope.set(&assignment.name, Value::unknown());
                }
            }
            for word in &assignment.values {
                self.havoc_parts(&word.parts, scope);
            }
        }
        for word in &simple.words {
            self.havoc_parts(&word.parts, scope);
        }
        let Some(first) = simple.words.first() else { return };
        let Some(name) = first.literal() else {
            scope.lose_all();
            return;
        };
        if scope.functions.contains_key(&name) {
            scope.lose_all();
            return;
        }
        match name.as_str() {
            "cd" | "pushd" | "popd" => scope.cwd = None,
            "eval" | "." | "source" | "unset" | "command" | "builtin" | "trap" | "shopt" => scope.lose_all(),
            "set" | "shift" => scope.positional = None,
            "read" | "export" | "declare" | "typeset" | "local" | "readonly" | "printf" | "let"
            | "mapfile" | "readarray" | "getopts" => {
                for word in simple.words.iter().skip(1) {
                    self.havoc_name(word, scope);
                }
            }
            _ => {}
        }
    }

    fn havoc_name(&mut self, word: &RawWord, scope: &mut Scope) {
        let known = match word.parts.first() {
            Some(Part::Bare(text) | Part::Quoted(text)) => text.as_str(),
            _ => {
                scope.lose();
                return;
            }
        };
        let name = known.split(['=', '[', '+']).next().unwrap_or(known);
        if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !name.is_empty() {
            scope.set(name, Value::unknown());
        }
    }

    fn havoc_parts(&mut self, parts: &[Part], scope: &mut Scope) {
        for part in parts {
            match part {
                Part::Param(param) => {
                    if param.op == ParamOp::Assign {
                        scope.set(&param.name, Value::unknown());
                    }
                    self.havoc_parts(&param.args, scope);
                }
                Part::Arith { text, parts, .. } => {
                    for name in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
                        if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                            number_at_most(name, scope);
                        }
                    }
                    self.havoc_parts(parts, scope);
                }
                _ => {}
            }
        }
    }
}

/// A name that may get a number, or may keep what it holds.
fn number_at_most(name: &str, scope: &mut Scope) {
    let number = scope.get(name).is_none_or(|value| is_number(&value));
    scope.set(name, if number { Value::number() } else { Value::unknown() });
}

/// Whether the commands expand a variable. Errs to yes.
pub fn uses(list: &List, name: &str) -> bool {
    list.chains.iter().any(|chain| {
        std::iter::once(&chain.first)
            .chain(chain.rest.iter().map(|(_, p)| p))
            .flat_map(|pipeline| &pipeline.stages)
            .any(|stage| command_uses(stage, name))
    })
}

fn command_uses(command: &Command, name: &str) -> bool {
    let in_redirects = command.redirects.iter().any(|r| {
        parts_use(&r.target.parts, name)
            || r.document.as_ref().and_then(|d| d.get()).is_some_and(|d| parts_use(&d.parts, name))
    });
    in_redirects
        || match &command.kind {
            Kind::Simple(simple) => {
                simple.words.iter().any(|w| parts_use(&w.parts, name))
                    || simple.assignments.iter().flat_map(|a| &a.values).any(|w| parts_use(&w.parts, name))
                    || simple.words.first().and_then(RawWord::literal).as_deref() == Some("eval")
            }
            Kind::Group(list) | Kind::Subshell(list) => uses(list, name),
            _ => true,
        }
}

fn parts_use(parts: &[Part], name: &str) -> bool {
    parts.iter().any(|part| match part {
        Part::Param(param) => param.name == name || parts_use(&param.args, name),
        Part::Subst { body, .. } | Part::Process(body) => uses(body, name),
        Part::Arith { text, parts, .. } => text.contains(name) || parts_use(parts, name),
        Part::Bare(_) | Part::Quoted(_) => false,
    })
}
