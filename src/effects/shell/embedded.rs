//! Programs in words: shells, interpreters, `sed` and `awk`.

use std::rc::Rc;

use super::catalogue::Table;
use super::catalogue::reading::{Args, Item, Mode, read};
use super::expand::Field;
use super::program::Spelling;
use super::scope::{Flow, Scope, Value};
use super::simple::Invocation;
use super::walk::{Stdin, Walker, field_value};
use crate::model::Action;
use crate::model::command::{Identity, Word};

/// Whether a `sed` script provably neither writes, reads, nor runs anything. Errs to no.
pub fn sed_is_plain(script: &str) -> bool {
    let mut rest = script.trim_start_matches([' ', '\t', '\n', ';']);
    while !rest.is_empty() {
        let Some(behind) = sed_address(rest) else { return false };
        let mut chars = behind.chars();
        let Some(command) = chars.next() else { return false };
        let tail = chars.as_str();
        rest = match command {
            's' => match sed_substitute(tail) {
                Some(tail) => tail,
                None => return false,
            },
            'y' => match tail
                .chars()
                .next()
                .and_then(|d| delimited(tail.get(d.len_utf8()..)?, d).map(|t| (t, d)))
            {
                Some((tail, d)) => match delimited(tail, d) {
                    Some(tail) => tail,
                    None => return false,
                },
                None => return false,
            },
            'p' | 'd' | 'q' | 'Q' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | 'D' | 'P' | '=' | 'l' | 'F'
            | 'z' => tail.trim_start_matches(|c: char| c.is_ascii_digit()),
            '{' | '}' => tail,
            'a' | 'i' | 'c' => {
                // Text up to the end of the line; a backslash at a line's end goes on.
                let mut end = tail;
                loop {
                    match end.split_once('\n') {
                        Some((line, next)) if line.ends_with('\\') => end = next,
                        Some((_, next)) => break end = next,
                        None => break end = "",
                    }
                }
                end
            }
            ':' | 'b' | 't' | 'T' => tail.split_once(['\n', ';']).map_or("", |(_, next)| next),
            '#' => tail.split_once('\n').map_or("", |(_, next)| next),
            _ => return false,
        };
        let next = rest.trim_start_matches([' ', '\t', '\n', ';']);
        if next.len() == rest.len()
            && !rest.is_empty()
            && !rest.starts_with('}')
            && !matches!(command, '{' | '}' | 'a' | 'i' | 'c' | ':' | 'b' | 't' | 'T' | '#')
        {
            return false;
        }
        rest = next;
    }
    true
}

/// Goes over the addresses of a `sed` command.
fn sed_address(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        let first = rest.chars().next()?;
        rest = match first {
            '0'..='9' | '$' | ',' | '~' | '+' | '!' => rest.get(1..)?,
            '/' => delimited(rest.get(1..)?, '/')?.trim_start_matches(['I', 'M']),
            '\\' => {
                let mark = rest.chars().nth(1)?;
                delimited(rest.get(1 + mark.len_utf8()..)?, mark)?.trim_start_matches(['I', 'M'])
            }
            _ => return Some(rest),
        };
    }
}

/// Goes over text up to an unescaped delimiter, which is gone over too. A newline is refused.
fn delimited(text: &str, mark: char) -> Option<&str> {
    let mut chars = text.chars();
    let mut bracket = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next()?;
            }
            '[' => bracket = true,
            ']' => bracket = false,
            // A delimiter in brackets is read differently by programs.
            c if c == mark && bracket && chars.as_str().contains(']') => return None,
            c if c == mark => return Some(chars.as_str()),
            _ => {}
        }
    }
    None
}

fn sed_substitute(tail: &str) -> Option<&str> {
    let mark = tail.chars().next()?;
    if mark.is_alphanumeric() || mark == '\\' || mark == '\n' {
        return None;
    }
    let middle = delimited(tail.get(mark.len_utf8()..)?, mark)?;
    let flags = delimited(middle, mark)?;
    let end = flags.find([';', '\n', '}', ' ', '\t']).unwrap_or(flags.len());
    let (own, rest) = flags.split_at(end);
    own.chars().all(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9')).then_some(rest)
}

/// Whether an `awk` program provably neither writes, reads, nor runs anything. Errs to no.
pub fn awk_is_plain(program: &str) -> bool {
    // Texts and patterns cannot start anything; what stands outside them can.
    let Some(outside) = awk_outside(program) else { return false };
    let words = outside.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    if words.into_iter().any(|w| {
        matches!(
            w,
            "system"
                | "getline"
                | "ARGV"
                | "ARGC"
                | "SYMTAB"
                | "ENVIRON"
                | "close"
                | "fflush"
                | "load"
                | "include"
        )
    }) {
        return false;
    }
    // `print > file`, `print | command`: `>` only compares outside `print`.
    let pipes = outside.replace("||", "").contains('|');
    let prints =
        outside.split(['{', ';', '\n', '}']).any(|part| part.contains("print") && part.contains('>'));
    !pipes && !prints
}

/// An `awk` program with `0` for each text and pattern; `None` where that is not clear.
fn awk_outside(program: &str) -> Option<String> {
    let mut outside = String::new();
    let mut chars = program.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                skip_to(&mut chars, '"')?;
                outside.push('0');
            }
            '/' if pattern_start(&outside) => {
                skip_to(&mut chars, '/')?;
                outside.push('0');
            }
            '#' => {
                chars.by_ref().find(|inner| *inner == '\n');
                outside.push('\n');
            }
            '@' => return None,
            _ => outside.push(c),
        }
    }
    Some(outside)
}

/// Goes behind an unescaped closing character on the same line.
fn skip_to(chars: &mut std::str::Chars<'_>, close: char) -> Option<()> {
    let mut bracket = false;
    loop {
        match chars.next()? {
            '\\' => {
                chars.next()?;
            }
            '\n' => return None,
            '[' => bracket = true,
            ']' => bracket = false,
            // A slash in brackets ends the pattern for one program and not for another.
            '/' if bracket && close == '/' => return None,
            c if c == close => return Some(()),
            _ => {}
        }
    }
}

/// Whether a `/` behind this text begins a pattern and is no division.
fn pattern_start(outside: &str) -> bool {
    match outside.trim_end().chars().last() {
        None => true,
        Some(c) => matches!(c, '(' | ',' | '{' | '}' | '~' | '!' | '&' | '|' | ';' | '='),
    }
}

impl Walker<'_> {
    /// A shell: what it is given is parsed, where it stands on the line.
    pub(super) fn shell(&mut self, name: &str, table: &Table, invocation: Invocation, scope: Scope) -> Flow {
        let fields = invocation.fields.clone();
        let words: Vec<&Word> = fields.iter().skip(1).map(|f| &f.word).collect();
        let args = read(Some(table), &words, Mode::Operand);
        let stops = args.items.iter().any(|i| matches!(i, Item::Flag { option: Some(o), .. } if o.stops));
        if stops && !args.two_ways() {
            return self.program(Identity::Sure(name.to_owned()), Some(table), invocation, &scope);
        }
        let opens = args.items.iter().any(|i| matches!(i, Item::Flag { option: Some(o), .. } if o.opens));
        if args.two_ways() || opens {
            self.opaque_command(invocation, "how the shell is started is not understood".to_owned(), &scope);
            return Flow::either(scope);
        }
        let has = |flag: &str| {
            args.items.iter().any(|i| matches!(i, Item::Flag { written, .. } if written == flag))
        };
        let operands: Vec<usize> = operands_of(&args);
        if has("-c") {
            let Some(at) = operands.first().copied() else {
                self.opaque_command(invocation, "the shell is given nothing to run".to_owned(), &scope);
                return Flow::either(scope);
            };
            let arguments = operands.iter().skip(2).filter_map(|at| fields.get(at + 1)).cloned().collect();
            return self.shell_text(name, table, invocation, at, arguments, scope);
        }
        if has("-s") || operands.is_empty() {
            let arguments = operands.iter().filter_map(|at| fields.get(at + 1)).cloned().collect();
            return self.shell_stdin(name, table, invocation, arguments, scope);
        }
        // A script: what it holds is only known when it runs.
        let script = operands.first().and_then(|at| fields.get(at + 1)).cloned();
        self.opaque_script(invocation, script, "the shell runs a file", &scope);
        Flow::either(scope)
    }

    /// A shell with a language of its own: what it runs is not told.
    pub(super) fn other_shell(&mut self, table: &Table, invocation: Invocation, scope: Scope) -> Flow {
        let words: Vec<&Word> = invocation.fields.iter().skip(1).map(|f| &f.word).collect();
        let args = read(Some(table), &words, Mode::Operand);
        let stops = args.items.iter().any(|i| matches!(i, Item::Flag { option: Some(o), .. } if o.stops));
        if stops && words.len() == 1 {
            let name = invocation.fields.first().and_then(Field::text).unwrap_or("").to_owned();
            let name = crate::model::path::name_of(&name).to_owned();
            return self.program(Identity::Sure(name), Some(table), invocation, &scope);
        }
        let coded = args.items.iter().any(|i| matches!(i, Item::Flag { value: Some(_), .. }));
        let script = operands_of(&args).first().and_then(|at| invocation.fields.get(at + 1)).cloned();
        let reason = "the shell has a language of its own";
        self.opaque_script(invocation, script.filter(|_| !coded), reason, &scope);
        Flow::either(scope)
    }

    /// An opaque command that reads a script named on the line.
    pub(super) fn opaque_script(
        &mut self,
        invocation: Invocation,
        script: Option<Field>,
        reason: &str,
        scope: &Scope,
    ) {
        let before = self.effects.len();
        self.opaque_command(invocation, reason.to_owned(), scope);
        let Some(script) = script else { return };
        let cause =
            self.effects.iter().enumerate().skip(before).find_map(|(at, effect)| match &effect.resource {
                crate::model::Resource::Command(command) => Some((at, std::sync::Arc::clone(command))),
                _ => None,
            });
        self.path_effect(&script, Action::Read, false, scope, &cause, "the script");
    }

    fn shell_text(
        &mut self,
        name: &str,
        table: &Table,
        invocation: Invocation,
        at: usize,
        arguments: Vec<Field>,
        scope: Scope,
    ) -> Flow {
        let text = invocation.fields.get(at + 1).and_then(Field::text).map(str::to_owned);
        let Some(text) = text.filter(|text| same_in(name, text)) else {
            let reason = "what the shell runs is not known for sure";
            self.opaque_command(invocation, reason.to_owned(), &scope);
            return Flow::either(scope);
        };
        let mut outer = invocation.clone();
        outer.fields.truncate(at + 1);
        let inside = self.child(&invocation, &arguments, &scope);
        self.wrapper_effect(name, Some(table), &outer, &scope);
        self.nested_text(&text, name, &invocation, inside);
        Flow::either(scope)
    }

    fn shell_stdin(
        &mut self,
        name: &str,
        table: &Table,
        invocation: Invocation,
        arguments: Vec<Field>,
        scope: Scope,
    ) -> Flow {
        match self.stdin.clone() {
            Stdin::Text(Some(text)) if same_in(name, &text) => {
                let inside = self.child(&invocation, &arguments, &scope);
                self.wrapper_effect(name, Some(table), &invocation, &scope);
                self.nested_text(&text, name, &invocation, inside);
            }
            _ => {
                let reason = "the shell runs what arrives on its standard input";
                self.opaque_command(invocation, reason.to_owned(), &scope);
            }
        }
        Flow::either(scope)
    }

    /// The state in a shell that is started.
    fn child(&self, invocation: &Invocation, arguments: &[Field], scope: &Scope) -> Scope {
        let mut inside = Scope::new(scope.cwd.as_deref().cloned());
        inside.lost = scope.lost;
        inside.exported = Rc::clone(&scope.exported);
        for name in scope.exported.iter() {
            inside.set(name, scope.get(name).unwrap_or_else(Value::unknown));
        }
        for (name, word) in &invocation.assignments {
            Rc::make_mut(&mut inside.exported).insert(name.clone());
            inside.set(name, Value { pieces: word.pieces.clone(), origin: None, numeric: false });
        }
        inside.positional = arguments
            .iter()
            .map(|f| (!f.word.splits).then(|| field_value(f.clone())))
            .collect::<Option<Vec<_>>>()
            .map(Rc::new);
        inside
    }

    /// Parses and walks a text that a command runs.
    pub(super) fn nested_text(
        &mut self,
        text: &str,
        name: &str,
        invocation: &Invocation,
        scope: Scope,
    ) -> Flow {
        let mut around = invocation.wrappers.clone();
        around.push(name.to_owned());
        let was = std::mem::replace(&mut self.around, around);
        let in_place = std::mem::replace(&mut self.in_place, false);
        let depth = self.budget.depth;
        let flow = match self.budget.enter().and_then(|()| super::parse::parse(text, &mut self.budget, false))
        {
            Ok(list) => {
                let flow = self.list(&list, scope);
                self.budget.depth = depth;
                flow
            }
            Err(unparsed) => {
                self.budget.depth = depth;
                let inner = Invocation {
                    fields: vec![Field { word: Word::unknown(), ..Field::default() }],
                    wrappers: self.around.clone(),
                    ..Invocation::default()
                };
                self.opaque_command(inner, unparsed.reason, &scope);
                let mut scope = scope;
                scope.lose_all();
                Flow::either(scope)
            }
        };
        self.in_place = in_place;
        self.around = was;
        flow
    }

    /// `python`, `node`, `perl`: code on the line is an open program, code at run time is opaque.
    pub(super) fn interpreter(
        &mut self,
        name: &str,
        table: &Table,
        invocation: Invocation,
        scope: &Scope,
    ) -> Flow {
        let words: Vec<&Word> = invocation.fields.iter().skip(1).map(|f| &f.word).collect();
        let args = read(Some(table), &words, Mode::Operand);
        let has_code = args.items.iter().any(|item| match item {
            Item::Flag { option: Some(o), .. } => {
                o.stops || o.opens || o.value == Some(super::catalogue::Kind::Code)
            }
            _ => false,
        });
        let first = operands_of(&args).first().and_then(|at| invocation.fields.get(at + 1)).cloned();
        let from_stdin =
            first.as_ref().is_none_or(|f| f.text() == Some("-") || f.text() == Some("/dev/stdin"));
        let stream =
            first.as_ref().is_some_and(|f| f.origin.as_deref() == Some(&super::scope::PathOrigin::Stream));
        let run_time = from_stdin && !matches!(self.stdin, Stdin::Text(_)) || stream;
        if run_time && !has_code && !args.unknown_flags {
            let reason = "the interpreter runs what arrives on its standard input";
            self.opaque_command(invocation, reason.to_owned(), scope);
            return Flow::either(scope.clone());
        }
        self.program(Identity::Sure(name.to_owned()), Some(table), invocation, scope)
    }

    /// The exec effect of a wrapper for itself; redirections are noted with it.
    pub(super) fn wrapper_effect(
        &mut self,
        name: &str,
        table: Option<&Table>,
        invocation: &Invocation,
        scope: &Scope,
    ) -> super::resources::Cause {
        let command = self.make(Identity::Sure(name.to_owned()), table, invocation, scope);
        let unsafe_env = !command.env.is_empty();
        let cause = self.push_exec(command);
        self.note_redirects(invocation, &cause, scope);
        if unsafe_env {
            for capability in super::program::everything().iter() {
                self.implied(capability, &cause);
            }
        }
        cause
    }

    /// The state in another directory.
    pub(super) fn moved(&self, scope: &Scope, directory: &Field) -> Scope {
        let mut scope = scope.clone();
        scope.cwd = self.directories(&scope, directory);
        scope
    }

    /// The directories that a word may name from here; `None` is unknown.
    pub(super) fn directories(&self, scope: &Scope, directory: &Field) -> Option<Rc<Vec<String>>> {
        let text = directory.text()?;
        let all: &[String] = match (text.starts_with('/'), scope.cwd.as_deref()) {
            (true, _) => &[],
            (false, Some(all)) => all,
            (false, None) => return None,
        };
        let root = ["/".to_owned()];
        let bases = if text.starts_with('/') { &root[..] } else { all };
        let mut out = Vec::new();
        for base in bases {
            let fact = crate::effects::path::resolve(self.world, text, base);
            out.push(fact.canonical().filter(|_| fact.unresolved.is_none())?.to_owned());
        }
        Some(Rc::new(out))
    }

    /// Notes the spelled effects of a wrapper's own flags.
    pub(super) fn wrapper_flags(
        &mut self,
        name: &str,
        fields: &[Field],
        args: &Args<'_>,
        scope: &Scope,
        cause: &super::resources::Cause,
    ) {
        let spelling = Spelling { name, fields, args, cause, scope };
        for item in &args.items {
            if let Item::Flag { option: Some(option), written, value: Some((word, at)) } = item
                && let Some(kind) = option.value
            {
                let field = super::program::value_field(fields, word, *at);
                self.spell_word(&spelling, kind, &field, false, &format!("`{written}` of `{name}`"));
            }
        }
    }
}

/// Whether a shell reads a text as bash does: the words of plain commands, in shells that differ.
fn same_in(name: &str, text: &str) -> bool {
    matches!(name, "bash" | "sh" | "dash" | "ash" | "rbash")
        || text.chars().all(|c| c.is_ascii_alphanumeric() || " _./:,@%+-'\"&|;\n".contains(c))
}

/// The words that are operands.
pub fn operands_of(args: &Args<'_>) -> Vec<usize> {
    args.items.iter().filter_map(|item| if let Item::Operand(at) = item { Some(*at) } else { None }).collect()
}
