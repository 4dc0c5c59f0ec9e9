//! Simple commands: what runs, with which words, under which names.

use std::rc::Rc;
use std::sync::Arc;

use super::ast::{Assignment, Part, Redirect, Simple};
use super::catalogue::{Table, catalogue, reading};
use super::expand::{FIELDS_MAX, Field};
use super::resources::Cause;
use super::scope::{Flow, Scope, Value};
use super::walk::Walker;
use crate::base::limits::{COMMAND_BYTES_MAX, COMMAND_NESTING_LEVELS_MAX};
use crate::model::command::{AppendPlace, Command, Identity, Word};
use crate::model::effect::{Origin, Resource};
use crate::model::path::PathFact;
use crate::model::{Action, Capability, Effect};

/// Names that the system always hands on, and that choose what runs.
const ALWAYS_EXPORTED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "TMPDIR",
    "BASH_ENV",
    "ENV",
    "IFS",
    "EDITOR",
    "PAGER",
    "VISUAL",
    "BROWSER",
    "SSH_AUTH_SOCK",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
    "BASHOPTS",
];

/// A command about to be judged.
#[derive(Debug, Clone, Default)]
pub struct Invocation {
    /// Its words, the program first.
    pub fields: Vec<Field>,
    /// Names set for it alone.
    pub assignments: Vec<(String, Word)>,
    /// What runs it, outermost first.
    pub wrappers: Vec<String>,
    /// Run by the shell itself: functions, aliases and builtins hold.
    pub direct: bool,
    /// Redirections not yet noted.
    pub redirects: Vec<(Field, &'static [Action])>,
}

impl Walker<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, redirects: &[Redirect], scope: Scope) -> Flow {
        let mut scope = scope;
        let stdin = self.stdin.clone();
        let mut fields = Vec::new();
        for word in &simple.words {
            fields.extend(self.expand(word, &mut scope, self.in_place));
            if fields.len() > FIELDS_MAX.max(simple.words.len()) {
                self.hidden.push("the command has more words than are followed".to_owned());
                fields.truncate(1);
                break;
            }
        }
        let mut opened = Vec::new();
        for redirect in redirects {
            opened.extend(self.redirect(redirect, &mut scope));
        }
        let mut assignments = Vec::new();
        for assignment in &simple.assignments {
            let value = if assignment.array {
                self.elements(assignment, &mut scope);
                Value::unknown()
            } else {
                match assignment.values.last() {
                    Some(word) => self.expand_value(word, &mut scope),
                    None => Value::default(),
                }
            };
            let value =
                if assignment.append { self.appended(&assignment.name, value, &scope) } else { value };
            self.guard(&assignment.name, &value);
            assignments.push((assignment.name.clone(), value));
        }
        let flow = if fields.is_empty() {
            self.names_only(assignments, opened, scope)
        } else {
            if let Some(reason) = self.hidden.pop() {
                self.hidden.clear();
                self.opaque_command(Invocation::default(), reason, &scope);
            }
            let invocation = Invocation {
                fields,
                assignments: assignments
                    .into_iter()
                    .map(|(name, value)| (name, value_word(&value)))
                    .collect(),
                wrappers: self.around.clone(),
                direct: true,
                redirects: opened,
            };
            self.run(invocation, scope)
        };
        self.stdin = stdin;
        flow
    }

    fn expand_value(&mut self, word: &super::ast::RawWord, scope: &mut Scope) -> Value {
        let numeric = self.word_is_number(word, scope);
        // A glob in a value is only expanded where the variable is used unquoted.
        let field = self.expand_one(word, scope);
        Value { numeric, ..super::walk::field_value(field) }
    }

    /// The elements of an array that is assigned, or one with its subscript.
    fn elements(&mut self, assignment: &Assignment, scope: &mut Scope) {
        for (at, word) in assignment.values.iter().enumerate() {
            for field in self.expand(word, scope, false) {
                let value = super::walk::field_value(field);
                if assignment.subscript && at == 0 {
                    self.guard_value(&value);
                } else {
                    self.guard(&assignment.name, &value);
                }
            }
            let indexed = matches!(word.parts.first(), Some(Part::Bare(text)) if text.starts_with('['));
            if (assignment.subscript && at == 0) || indexed {
                self.evaluated(&word.parts, scope);
            }
        }
    }

    fn appended(&self, name: &str, value: Value, scope: &Scope) -> Value {
        match (self.variable(name, scope).text(), value.text()) {
            (Some(old), Some(new)) => Value::known(format!("{old}{new}")),
            _ => Value::unknown(),
        }
    }

    /// A command of assignments (and redirections) alone.
    fn names_only(
        &mut self,
        assignments: Vec<(String, Value)>,
        opened: Vec<(Field, &'static [Action])>,
        scope: Scope,
    ) -> Flow {
        let mut scope = scope;
        let mut exported = Vec::new();
        for (name, value) in assignments {
            let word = value_word(&value);
            if self.assign(&name, value, &mut scope) && !catalogue().is_harmless(&name, None) {
                exported.push((name, word));
            }
        }
        self.report_hidden(&scope);
        if !exported.is_empty() {
            self.names_effect(exported, Vec::new(), &scope);
        }
        for (field, actions) in opened {
            self.redirect_effects(&field, actions, &scope, None);
        }
        Flow::sure(scope)
    }

    /// The exec effect of a command that only sets names.
    pub(super) fn names_effect(&mut self, names: Vec<(String, Word)>, words: Vec<Word>, scope: &Scope) {
        let words = if words.is_empty() {
            names.iter().map(|(name, word)| prefixed(name, word)).collect()
        } else {
            words
        };
        let command = Command {
            identity: Identity::None,
            readings: vec![Default::default()],
            in_catalogue: false,
            has_end_of_options: false,
            wrappers: Vec::new(),
            cwd: self.cwd_fact(scope),
            env: names.iter().map(|(name, _)| name.clone()).collect(),
            harmless_env: Vec::new(),
            assignments: names,
            opaque: None,
            append_at: None,
            text: shown(&words),
            words,
        };
        self.push_exec(command);
    }

    /// Sets a variable; tells whether the commands that follow get it.
    pub(super) fn assign(&mut self, name: &str, value: Value, scope: &mut Scope) -> bool {
        self.guard(name, &value);
        scope.set(name, value);
        let handed_on = scope.export_all
            || scope.exported.contains(name)
            || ALWAYS_EXPORTED.contains(&name)
            || name.starts_with("LD_")
            || name.starts_with("DYLD_")
            || self.world.variable(name).is_some();
        if handed_on && !scope.exported.contains(name) {
            Rc::make_mut(&mut scope.exported).insert(name.to_owned());
        }
        handed_on
    }

    pub(super) fn cwd_fact(&self, scope: &Scope) -> PathFact {
        self.text_path(".", scope)
    }

    /// Runs a command: functions, builtins, wrappers, programs.
    pub(super) fn run(&mut self, invocation: Invocation, scope: Scope) -> Flow {
        if self.is_full() {
            return Flow::either(scope);
        }
        if self.budget.node().is_err() {
            self.opaque_line("the line does too much to follow");
            return Flow::either(scope);
        }
        let Some(first) = invocation.fields.first() else {
            return self.opaque_flow(invocation, "the program is not known", scope);
        };
        if invocation.wrappers.len() > COMMAND_NESTING_LEVELS_MAX {
            return self.opaque_flow(invocation, "commands run commands too many times over", scope);
        }
        let Some(program) = first.text().map(str::to_owned) else {
            return self.opaque_flow(invocation, "the program is only known when the command runs", scope);
        };
        if program.is_empty() || program.starts_with('=') {
            return self.opaque_flow(invocation, "the program's name is read differently by shells", scope);
        }
        if invocation.direct {
            if scope.aliases.contains(&program) {
                return self.opaque_flow(invocation, "the line gives its name another meaning", scope);
            }
            if let Some(body) = scope.functions.get(&program).cloned() {
                return self.call(&program, &body, invocation, scope);
            }
        }
        match self.identify(&program, &scope) {
            Identity::Sure(name) => {
                let table = catalogue().get(&name);
                self.sure(&name, table, invocation, scope)
            }
            identity => self.program(identity, None, invocation, &scope),
        }
    }

    fn opaque_flow(&mut self, invocation: Invocation, reason: &str, scope: Scope) -> Flow {
        let mut scope = scope;
        let direct = invocation.direct;
        self.opaque_command(invocation, reason.to_owned(), &scope);
        if direct {
            // It may be a builtin.
            scope.lose_all();
        }
        Flow::either(scope)
    }

    fn call(
        &mut self,
        name: &str,
        body: &Rc<super::ast::Command>,
        invocation: Invocation,
        scope: Scope,
    ) -> Flow {
        self.called.insert(name.to_owned());
        if self.calls.len() >= 8 || self.calls.iter().any(|n| n == name) {
            return self.opaque_flow(invocation, "a function calls itself", scope);
        }
        let arguments: Option<Vec<Value>> = invocation
            .fields
            .iter()
            .skip(1)
            .map(|f| (!f.word.splits).then(|| super::walk::field_value(f.clone())))
            .collect();
        let mut command = self.make(Identity::Sure(name.to_owned()), None, &invocation, &scope);
        command.env.push(name.to_owned());
        let cause = self.push_exec(command);
        self.note_redirects(&invocation, &cause, &scope);
        let mut inside = scope;
        let outer = inside.positional.take();
        inside.positional = arguments.map(Rc::new);
        for (name, _) in &invocation.assignments {
            inside.set(name, Value::unknown());
        }
        self.calls.push(name.to_owned());
        let was = std::mem::replace(&mut self.around, invocation.wrappers);
        let flow = self.command(body, inside);
        self.around = was;
        self.calls.pop();
        let restore = |scope: Option<Scope>| scope.map(|s| Scope { positional: outer.clone(), ..s });
        Flow { ok: restore(flow.ok), failed: restore(flow.failed) }
    }

    /// Notes a command of which nothing is known but its words.
    pub(super) fn opaque_command(&mut self, invocation: Invocation, reason: String, scope: &Scope) {
        let identity = match invocation.fields.first().and_then(Field::text) {
            Some(text) if !text.is_empty() => self.identify(text, scope),
            _ => Identity::Unknown,
        };
        let table = match &identity {
            Identity::Sure(name) => catalogue().get(name),
            _ => None,
        };
        let mut command = self.make(identity, table, &invocation, scope);
        command.opaque = Some(reason);
        let cause = self.push_exec(command);
        self.note_redirects(&invocation, &cause, scope);
        for capability in [Capability::Read, Capability::Write, Capability::Network] {
            self.implied(capability, &cause);
        }
    }

    pub(super) fn note_redirects(&mut self, invocation: &Invocation, cause: &Cause, scope: &Scope) {
        for (field, actions) in &invocation.redirects {
            self.redirect_effects(field, actions, scope, cause.clone());
        }
    }

    pub(super) fn push_exec(&mut self, command: Command) -> Cause {
        let command = Arc::new(command);
        let index = self.effects.len();
        self.push(Effect {
            capability: Capability::Exec,
            resource: Resource::Command(Arc::clone(&command)),
            origin: Origin::Spelled,
            action: None,
            via: None,
            cause: None,
            from: None,
        });
        Some((index, command))
    }

    /// The command as rules see it.
    pub(super) fn make(
        &self,
        identity: Identity,
        table: Option<&Table>,
        invocation: &Invocation,
        scope: &Scope,
    ) -> Command {
        let words: Vec<Word> = invocation.fields.iter().map(|f| f.word.clone()).collect();
        let behind: Vec<&Word> = words.iter().skip(1).collect();
        let args = reading::read(table, &behind, reading::Mode::Operand);
        let mut env = Vec::new();
        let mut harmless_env = Vec::new();
        let mut assignments = Vec::new();
        for name in scope.exported.iter().filter(|n| !invocation.assignments.iter().any(|(a, _)| a == *n)) {
            let word = scope.get(name).map_or_else(Word::unknown, |value| value_word(&value));
            assignments.push((name.clone(), word));
        }
        assignments.extend(invocation.assignments.iter().cloned());
        for (name, _) in &assignments {
            let list = if catalogue().is_harmless(name, table) { &mut harmless_env } else { &mut env };
            if !list.contains(name) {
                list.push(name.clone());
            }
        }
        let append_at = invocation
            .fields
            .last()
            .and_then(|f| f.end)
            .map(|offset| AppendPlace { argument: self.line.argument.clone(), offset });
        Command {
            identity,
            readings: reading::readings(table, &behind),
            in_catalogue: table.is_some(),
            has_end_of_options: args.end_of_options,
            wrappers: invocation.wrappers.clone(),
            cwd: self.cwd_fact(scope),
            env,
            harmless_env,
            assignments,
            opaque: None,
            append_at,
            text: shown(&words),
            words,
        }
    }
}

fn value_word(value: &Value) -> Word {
    Word { pieces: value.pieces.clone(), ..Word::default() }
}

fn prefixed(name: &str, word: &Word) -> Word {
    let mut out = Word::known(format!("{name}="));
    for piece in &word.pieces {
        match (out.pieces.last_mut(), piece) {
            (Some(crate::model::Piece::Text(last)), crate::model::Piece::Text(text)) => last.push_str(text),
            _ => out.pieces.push(piece.clone()),
        }
    }
    out
}

/// Words as a person would write them.
pub fn shown(words: &[Word]) -> String {
    let mut out = String::new();
    for word in words {
        if !out.is_empty() {
            out.push(' ');
        }
        let text = word.display();
        let plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+~…*?[]{}^!".contains(c);
        if !text.is_empty() && text.chars().all(plain) {
            out.push_str(&text);
        } else {
            out.push('\'');
            out.push_str(&text.replace('\'', "'\\''"));
            out.push('\'');
        }
        if out.len() > COMMAND_BYTES_MAX {
            break;
        }
    }
    let mut end = out.len().min(COMMAND_BYTES_MAX);
    while !out.is_char_boundary(end) {
        end -= 1;
    }
    out.truncate(end);
    out
}
