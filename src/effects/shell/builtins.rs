//! Builtins of the shell that change what holds for the commands behind them.

use std::rc::Rc;

use super::catalogue::{Table, catalogue};
use super::expand::Field;
use super::scope::{Flow, Scope, Value};
use super::simple::Invocation;
use super::walk::{Stdin, Walker, field_value};
use crate::effects::world::Platform;
use crate::model::Action;
use crate::model::command::{Identity, Piece, Word};

/// `shopt` and `set -o` names that change nothing that matters here.
const HARMLESS_OPTIONS: &[&str] = &[
    "-e",
    "-u",
    "-x",
    "-v",
    "-eu",
    "-ex",
    "-eux",
    "-euo",
    "-exo",
    "-euxo",
    "-uo",
    "-eo",
    "-o",
    "pipefail",
    "errexit",
    "nounset",
    "xtrace",
    "verbose",
    "+e",
    "+x",
    "+u",
    "+o",
    "--",
    "-s",
    "-u",
    "-q",
    "checkwinsize",
    "histappend",
    "+eu",
    "+ex",
    "progcomp",
    "lithist",
    "promptvars",
    "nocasematch",
    "cmdhist",
    "autocd",
    "cdspell",
    "interactive_comments",
];

/// What the words of `export` and the like come to.
#[derive(Debug, Default)]
struct Declared {
    /// The names are handed on to commands.
    exports: bool,
    /// Attributes make what is assigned something else.
    odd: bool,
    /// What is assigned is evaluated.
    integer: bool,
    /// It is about functions.
    functions: bool,
    /// A word is not understood.
    unclear: bool,
    /// The names that commands will get.
    set: Vec<(String, Word)>,
}

impl Declared {
    fn flag(&mut self, head: &str, name: &str) {
        self.exports |= head.contains('x');
        self.functions |= head.contains(['f', 'F']);
        if name != "export" {
            self.unclear |= head.contains('n');
            self.integer |= head.contains('i');
            self.odd |= head.contains(['a', 'A', 'i', 'l', 'u', 'r', 'c']);
        }
    }
}

impl Walker<'_> {
    /// A program that is known for sure.
    pub(super) fn sure(
        &mut self,
        name: &str,
        table: Option<&Table>,
        invocation: Invocation,
        scope: Scope,
    ) -> Flow {
        if invocation.direct
            && !invocation.fields.first().and_then(Field::text).is_some_and(|t| t.contains('/'))
        {
            match name {
                "cd" | "pushd" | "popd" => return self.change_directory(name, table, invocation, scope),
                "export" | "declare" | "typeset" | "local" | "readonly" => {
                    return self.declare(name, table, invocation, scope);
                }
                "set" => return self.set(table, invocation, scope),
                "shift" | "unset" | "read" | "mapfile" | "readarray" | "getopts" | "let" | "printf"
                | "wait" => {
                    return self.sets_names(name, table, invocation, scope);
                }
                "eval" => return self.eval(table, invocation, scope),
                "." | "source" => {
                    let script = invocation.fields.get(1).cloned();
                    self.opaque_script(invocation, script, "the shell runs a file", &scope);
                    let mut scope = scope;
                    scope.lose_all();
                    return Flow::either(scope);
                }
                "trap" => return self.trap(table, invocation, scope),
                "alias" | "enable" | "hash" | "shopt" | "unalias" | "complete" | "bind" => {
                    return self.renames(name, table, invocation, scope);
                }
                "exit" | "true" | ":" | "false" | "return" => {
                    let after = self.program(Identity::Sure(name.to_owned()), table, invocation, &scope);
                    return match name {
                        "exit" => Flow { ok: None, failed: None },
                        "true" | ":" => Flow::sure(scope),
                        "false" => Flow { ok: None, failed: Some(scope) },
                        _ => after,
                    };
                }
                "test" | "[" if subscript(&invocation) || self.tests_subscript(&invocation, &scope) => {
                    let reason = "a subscript may run what it holds".to_owned();
                    self.opaque_command(invocation, reason, &scope);
                    return Flow::either(scope);
                }
                _ => {}
            }
        }
        let Some(known) = table else {
            return self.program(Identity::Sure(name.to_owned()), None, invocation, &scope);
        };
        match known.handler.as_str() {
            "other-shell" => self.other_shell(known, invocation, scope),
            "shell" => self.shell(name, known, invocation, scope),
            "interpreter" => self.interpreter(name, known, invocation, &scope),
            "wrapper" => self.wrapper(name, known, invocation, scope),
            "xargs" => self.xargs(known, invocation, scope),
            "find" => self.find(known, invocation, scope),
            _ => self.program(Identity::Sure(name.to_owned()), table, invocation, &scope),
        }
    }

    fn change_directory(
        &mut self,
        name: &str,
        table: Option<&Table>,
        invocation: Invocation,
        scope: Scope,
    ) -> Flow {
        let operands: Vec<Field> = invocation
            .fields
            .iter()
            .skip(1)
            .filter(|f| !matches!(f.text(), Some("-P" | "-L" | "-e" | "-@" | "--" | "-n")))
            .cloned()
            .collect();
        let plain = name == "cd" && operands.iter().all(|f| !f.word.splits) && operands.len() <= 1;
        let target = match operands.first() {
            Some(field) if plain && field.text() != Some("-") && field.text() != Some("") => {
                Some(field.clone())
            }
            None if plain => match self.variable("HOME", &scope).text() {
                Some(home) if !home.is_empty() => Some(Field::known(home)),
                _ => None,
            },
            _ => None,
        };
        let physical = self.world.platform() == Platform::Windows
            || invocation.fields.iter().any(|f| f.text() == Some("-P"));
        // `CDPATH` sends a relative directory elsewhere.
        let cdpath = target.as_ref().and_then(Field::text).is_some_and(|t| !t.starts_with(['/', '.']))
            && match scope.get("CDPATH") {
                Some(value) => value.text() != Some(""),
                None => self.world.variable("CDPATH").is_some_and(|t| !t.is_empty()),
            };
        let target = target.filter(|_| !cdpath);
        let command = self.make(Identity::Sure(name.to_owned()), table, &invocation, &scope);
        let cause = self.push_exec(command);
        self.note_redirects(&invocation, &cause, &scope);
        let listed = target.clone().or_else(|| operands.first().filter(|f| f.text() != Some("-")).cloned());
        if let Some(field) = listed {
            let from = format!("argument 1 of `{name}`");
            self.path_effect(&field, Action::List, false, &scope, &cause, &from);
        }
        let mut ok = scope.clone();
        ok.cwd = target.and_then(|field| match field.origin {
            Some(_) => None,
            None if physical => self.directories(&scope, &field),
            None => field.text().and_then(|text| logical(&scope, text)),
        });
        Flow { ok: Some(ok), failed: Some(scope) }
    }

    fn declare(&mut self, name: &str, table: Option<&Table>, invocation: Invocation, scope: Scope) -> Flow {
        let mut scope = scope;
        let mut declared =
            Declared { exports: name == "export", odd: name == "readonly", ..Declared::default() };
        let mut flags = true;
        for field in invocation.fields.iter().skip(1) {
            let head = match field.word.pieces.first() {
                Some(Piece::Text(text)) => text.as_str(),
                None => "",
                Some(Piece::Unknown) => {
                    declared.unclear = true;
                    continue;
                }
            };
            declared.unclear |= field.word.splits;
            if flags && head.starts_with(['-', '+']) && head.len() > 1 {
                flags = head != "--";
                declared.flag(head, name);
            } else {
                flags = false;
                self.declare_name(name, head, field, &mut declared, &mut scope);
            }
        }
        if declared.unclear || (declared.functions && declared.exports) {
            self.opaque_command(invocation, "which names it sets is not known".to_owned(), &scope);
            scope.lose();
            return Flow::either(scope);
        }
        if !declared.set.is_empty() {
            let words = invocation.fields.iter().map(|f| f.word.clone()).collect();
            self.names_effect(declared.set, words, &scope);
            for (field, actions) in &invocation.redirects {
                self.redirect_effects(field, actions, &scope, None);
            }
        } else if invocation.fields.len() == 1 || !invocation.redirects.is_empty() || declared.functions {
            self.program(Identity::Sure(name.to_owned()), table, invocation, &scope);
        }
        Flow::either(scope)
    }

    /// One name of `export` and the like, with or without a value.
    fn declare_name(
        &mut self,
        builtin: &str,
        head: &str,
        field: &Field,
        declared: &mut Declared,
        scope: &mut Scope,
    ) {
        let name = head.split(['=', '[', '+']).next().unwrap_or("");
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            declared.unclear = true;
            return;
        }
        let rest = head.get(name.len()..).unwrap_or("");
        if rest.starts_with('[') {
            declared.unclear |= head.contains(['$', '`', '(']) || field.text().is_none();
            self.arithmetic(rest, &[], scope);
            declared.unclear |= !std::mem::take(&mut self.hidden).is_empty();
            scope.set_odd(name);
            return;
        }
        // A list in parentheses is read like code.
        let list = rest.starts_with("=(") || rest.starts_with("+=(");
        declared.unclear |= list && (field.text().is_none() || rest.contains(['$', '`', '[']));
        if declared.integer {
            self.make_integer(name, scope);
        }
        let value = rest.strip_prefix('=').map(|rest| {
            let mut pieces = field.word.pieces.clone();
            if let Some(Piece::Text(text)) = pieces.first_mut() {
                *text = rest.to_owned();
            }
            pieces.retain(|p| !matches!(p, Piece::Text(t) if t.is_empty()));
            Value { pieces, origin: None, numeric: false }
        });
        let handed_on = match value {
            Some(value) => self.assign(name, value, scope),
            None if builtin == "local" => self.assign(name, Value::default(), scope),
            None => !rest.is_empty() && self.assign(name, Value::unknown(), scope),
        };
        if declared.odd {
            scope.set_odd(name);
        }
        if declared.exports {
            Rc::make_mut(&mut scope.exported).insert(name.to_owned());
        }
        if (declared.exports || handed_on) && !catalogue().is_harmless(name, None) {
            let pieces = scope.get(name).unwrap_or_else(Value::unknown).pieces;
            declared.set.push((name.to_owned(), Word { pieces, ..Word::default() }));
        }
    }

    fn set(&mut self, table: Option<&Table>, invocation: Invocation, scope: Scope) -> Flow {
        let mut scope = scope;
        let fields: Vec<Field> = invocation.fields.iter().skip(1).cloned().collect();
        self.program(Identity::Sure("set".to_owned()), table, invocation, &scope);
        let mut rest = fields.iter().enumerate();
        while let Some((at, field)) = rest.next() {
            let Some(text) = field.text() else {
                scope.lose();
                return Flow::either(scope);
            };
            if text == "--" || text == "-" || !text.starts_with(['-', '+']) {
                let from = if text.starts_with('-') { at + 1 } else { at };
                let values = fields.get(from..).unwrap_or_default();
                for field in values {
                    self.guard_value(&field_value(field.clone()));
                }
                scope.positional = values
                    .iter()
                    .map(|f| (!f.word.splits).then(|| field_value(f.clone())))
                    .collect::<Option<Vec<_>>>()
                    .map(Rc::new);
                break;
            }
            let on = text.starts_with('-');
            let takes_name = text.ends_with('o');
            let letters = text.get(1..).unwrap_or("");
            scope.export_all |= on && letters.contains('a');
            if letters.contains('e') {
                scope.errexit = on;
            }
            scope.odd_splitting |= letters.contains(['f', 'k', 'B']);
            if letters.contains(['k', 'n', 't', 'p', 'P']) {
                scope.lose_all();
            }
            if takes_name {
                match rest.next().and_then(|(_, f)| f.text()) {
                    Some("allexport") => scope.export_all |= on,
                    Some("errexit") => scope.errexit = on,
                    Some(other) if HARMLESS_OPTIONS.contains(&other) => {}
                    None => {}
                    Some(_) => scope.lose_all(),
                }
            }
        }
        Flow::either(scope)
    }

    fn sets_names(
        &mut self,
        name: &str,
        table: Option<&Table>,
        invocation: Invocation,
        scope: Scope,
    ) -> Flow {
        let mut scope = scope;
        let fields = invocation.fields.clone();
        let prints = name == "printf" && fields.get(1).and_then(Field::text) != Some("-v");
        if name == "read"
            && let Stdin::Text(Some(text)) = self.stdin.clone()
        {
            self.guard_value(&Value::known(text));
        }
        if !prints && (subscript(&invocation) || self.names_subscript(name, &fields, &scope)) {
            self.opaque_command(invocation, "a subscript may run what it holds".to_owned(), &scope);
            scope.lose();
            return Flow::either(scope);
        }
        if name == "let" {
            for field in fields.iter().skip(1) {
                match field.text() {
                    Some(text) => self.arithmetic(text, &[], &mut scope),
                    None => self.hidden.push("arithmetic on what is not known".to_owned()),
                }
            }
            if let Some(reason) = self.hidden.pop() {
                self.hidden.clear();
                self.opaque_command(invocation, reason, &scope);
                scope.lose();
                return Flow::either(scope);
            }
        }
        self.program(Identity::Sure(name.to_owned()), table, invocation, &scope);
        match name {
            "shift" => {
                let count = fields.get(1).map_or(Some(1), |f| f.text().and_then(|t| t.parse::<usize>().ok()));
                scope.positional = match (&scope.positional, count) {
                    (Some(values), Some(count)) => {
                        Some(Rc::new(values.iter().skip(count).cloned().collect()))
                    }
                    _ => None,
                };
            }
            "unset" => {
                for field in fields.iter().skip(1) {
                    match field.text() {
                        Some(text) if text.starts_with('-') => {}
                        Some(text) => {
                            scope.set(text, Value::unknown());
                            Rc::make_mut(&mut scope.aliases)
                                .extend(scope.functions.contains_key(text).then(|| text.to_owned()));
                        }
                        None => scope.lose(),
                    }
                }
            }
            "printf" if prints => {}
            "let" => {}
            _ => self.names_set(&fields, &mut scope),
        }
        Flow::either(scope)
    }

    /// The words of a builtin that may be names that it sets.
    fn names_set(&mut self, fields: &[Field], scope: &mut Scope) {
        for known in ["REPLY", "MAPFILE", "OPTARG"] {
            scope.set(known, Value::unknown());
        }
        for field in fields.iter().skip(1) {
            match field.text() {
                Some(text) => {
                    let is_name =
                        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
                    if is_name {
                        self.assign(text, Value::unknown(), scope);
                    }
                }
                None => scope.lose(),
            }
        }
    }

    /// Whether `-v` looks at what is not certainly a plain name.
    fn tests_subscript(&self, invocation: &Invocation, scope: &Scope) -> bool {
        let fields = &invocation.fields;
        fields.iter().zip(fields.iter().skip(1)).any(|(flag, name)| {
            flag.text() == Some("-v") && !name.text().is_some_and(|text| self.plain_target(text, scope))
        })
    }

    /// A name, perhaps with a subscript that runs nothing.
    fn plain_target(&self, text: &str, scope: &Scope) -> bool {
        match text.split_once('[') {
            None => true,
            Some((_, inside)) => inside
                .strip_suffix(']')
                .is_some_and(|inside| matches!(inside, "@" | "*") || self.text_evaluates(inside, scope, 1)),
        }
    }

    /// Whether one of the names that a builtin sets holds a subscript that may run something.
    fn names_subscript(&self, name: &str, fields: &[Field], scope: &Scope) -> bool {
        let from = match name {
            "let" | "shift" => return false,
            "wait" if !fields.iter().any(|f| f.text() == Some("-p")) => return false,
            "printf" | "getopts" => fields.get(2..3),
            _ => fields.get(1..),
        };
        let mut value_follows = false;
        from.unwrap_or_default().iter().any(|field| {
            let skipped = std::mem::take(&mut value_follows);
            match field.text() {
                Some(text) => {
                    let flag = text.starts_with('-') && text.ends_with(['p', 't', 'd', 'n', 'N', 'u', 'i']);
                    value_follows = flag && matches!(name, "read" | "mapfile" | "readarray");
                    !skipped && !self.plain_target(text, scope)
                }
                None => !skipped,
            }
        })
    }

    fn eval(&mut self, table: Option<&Table>, invocation: Invocation, scope: Scope) -> Flow {
        let mut scope = scope;
        let texts: Option<Vec<&str>> = invocation.fields.iter().skip(1).map(Field::text).collect();
        let Some(text) = texts.map(|t| t.join(" ")) else {
            self.opaque_command(invocation, "what `eval` runs is only known when it runs".to_owned(), &scope);
            scope.lose_all();
            return Flow::either(scope);
        };
        let mut outer = invocation.clone();
        outer.fields.truncate(1);
        self.wrapper_effect("eval", table, &outer, &scope);
        for (name, _) in &invocation.assignments {
            scope.set(name, Value::unknown());
        }
        self.nested_text(&text, "eval", &invocation, scope)
    }

    fn trap(&mut self, table: Option<&Table>, invocation: Invocation, scope: Scope) -> Flow {
        let ends = invocation.fields.get(1).is_some_and(|f| f.text() == Some("--"));
        let first = invocation.fields.get(if ends { 2 } else { 1 }).cloned();
        match first.as_ref().map(|f| f.text().map(str::to_owned)) {
            None => self.program(Identity::Sure("trap".to_owned()), table, invocation, &scope),
            Some(Some(text)) if (text.starts_with('-') && !ends) || text.is_empty() => {
                self.program(Identity::Sure("trap".to_owned()), table, invocation, &scope)
            }
            Some(Some(text)) => {
                let mut outer = invocation.clone();
                outer.fields.truncate(1);
                self.wrapper_effect("trap", table, &outer, &scope);
                // It runs at some later point of the line.
                let mut inside = scope.clone();
                inside.lose_all();
                self.nested_text(&text, "trap", &invocation, inside);
                Flow::either(scope)
            }
            Some(None) => {
                self.opaque_command(
                    invocation,
                    "what `trap` runs is only known when it runs".to_owned(),
                    &scope,
                );
                Flow::either(scope)
            }
        }
    }

    /// Builtins that give names another meaning.
    fn renames(&mut self, name: &str, table: Option<&Table>, invocation: Invocation, scope: Scope) -> Flow {
        let mut scope = scope;
        let fields = invocation.fields.clone();
        let texts: Option<Vec<String>> = fields.iter().skip(1).map(|f| f.text().map(str::to_owned)).collect();
        let harmless = match (name, &texts) {
            ("alias", Some(texts)) => {
                for text in texts {
                    let alias = text.split('=').next().unwrap_or("").to_owned();
                    if text.contains('=') {
                        Rc::make_mut(&mut scope.aliases).insert(alias);
                    }
                }
                true
            }
            ("shopt", Some(texts)) => texts.iter().all(|t| HARMLESS_OPTIONS.contains(&t.as_str())),
            ("hash", Some(texts)) => {
                texts.first().is_none_or(|t| matches!(t.as_str(), "-r" | "-t" | "-l" | "-d"))
                    && !texts.iter().any(|t| t.starts_with("-p"))
            }
            ("bind", Some(texts)) => !texts.iter().any(|t| t.starts_with("-f") || t.starts_with("-x")),
            ("unalias" | "complete", Some(_)) => true,
            _ => false,
        };
        if harmless {
            return self.program(Identity::Sure(name.to_owned()), table, invocation, &scope);
        }
        let reason = format!("`{name}` changes how the rest of the line is read");
        let globs = ["nullglob", "dotglob", "globstar", "failglob", "nocaseglob", "extglob"];
        let only_globs = texts.as_ref().is_some_and(|texts| {
            name == "shopt" && texts.iter().all(|t| t.starts_with('-') || globs.contains(&t.as_str()))
        });
        scope.odd_splitting = true;
        if only_globs {
            return self
                .program(Identity::Sure(name.to_owned()), table, invocation, &scope)
                .after()
                .map_or(Flow { ok: None, failed: None }, Flow::either);
        }
        self.opaque_command(invocation, reason, &scope);
        scope.lose();
        Flow::either(scope)
    }
}

/// Where `cd` goes: the shell takes `..` off the name it came by, not off the place itself.
fn logical(scope: &Scope, text: &str) -> Option<Rc<Vec<String>>> {
    let root = [String::new()];
    let bases: &[String] = if text.starts_with('/') { &root } else { scope.cwd.as_deref()? };
    let join = |base: &String| {
        let whole = format!("{base}/{text}");
        let mut parts: Vec<&str> = Vec::new();
        for part in whole.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                other => parts.push(other),
            }
        }
        format!("/{}", parts.join("/"))
    };
    Some(Rc::new(bases.iter().map(join).collect()))
}

/// Whether a word holds a subscript that the shell would evaluate.
fn subscript(invocation: &Invocation) -> bool {
    invocation.fields.iter().skip(1).any(|field| {
        field.word.pieces.iter().any(|piece| match piece {
            Piece::Text(text) => text.contains('[') && text.contains(['$', '`']),
            Piece::Unknown => false,
        })
    })
}
