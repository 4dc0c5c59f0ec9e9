//! Commands that run the command in their words: `sudo`, `env`, `xargs`, `find -exec`, …

use std::rc::Rc;

use super::catalogue::Table;
use super::catalogue::reading::{Args, Item, Mode, read};
use super::embedded::operands_of;
use super::expand::Field;
use super::scope::{Flow, PathOrigin, Scope};
use super::simple::Invocation;
use super::walk::Walker;
use crate::model::Action;
use crate::model::command::{Identity, Piece, Word};

/// `NAME=value` as a word.
fn assignment(field: &Field) -> Option<(String, Word)> {
    let Some(Piece::Text(head)) = field.word.pieces.first() else { return None };
    let (name, _) = head.split_once('=')?;
    // `env` takes any word with `=` in it, not only what a shell calls a name.
    if name.is_empty() {
        return None;
    }
    let name = name.to_owned();
    let mut pieces = field.word.pieces.clone();
    if let Some(Piece::Text(text)) = pieces.first_mut() {
        *text = text.get(name.len() + 1..).unwrap_or("").to_owned();
        if text.is_empty() {
            pieces.remove(0);
        }
    }
    Some((name, Word { pieces, ..Word::default() }))
}

/// Tests and options of `find` with a value.
const FIND_VALUES: &[&str] = &[
    "-newer",
    "-anewer",
    "-cnewer",
    "-samefile",
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-maxdepth",
    "-mindepth",
    "-links",
    "-inum",
    "-printf",
    "-regextype",
    "-lname",
    "-ilname",
    "-fstype",
    "-used",
    "-newermt",
    "-newerat",
    "-newerct",
    "-context",
    "-D",
];

/// Tests, options and actions of `find` without a value that only look and print.
const FIND_PLAIN: &[&str] = &[
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-empty",
    "-readable",
    "-writable",
    "-executable",
    "-nouser",
    "-nogroup",
    "-depth",
    "-d",
    "-xdev",
    "-mount",
    "-follow",
    "-daystart",
    "-noleaf",
    "-warn",
    "-nowarn",
    "-true",
    "-false",
    "-not",
    "!",
    "(",
    ")",
    "-a",
    "-o",
    "-and",
    "-or",
    ",",
    "-ignore_readdir_race",
    "-O1",
    "-O2",
    "-O3",
    "--help",
    "--version",
];

impl Walker<'_> {
    /// A wrapper whose inner command begins behind its flags and a number of operands.
    pub(super) fn wrapper(
        &mut self,
        name: &str,
        table: &Table,
        invocation: Invocation,
        scope: Scope,
    ) -> Flow {
        let fields = invocation.fields.clone();
        let words: Vec<&Word> = fields.iter().skip(1).map(|f| &f.word).collect();
        let args = read(Some(table), &words, Mode::Operand);
        let opens = args.items.iter().any(|i| matches!(i, Item::Flag { option: Some(o), .. } if o.opens));
        let stops = args.items.iter().any(|i| matches!(i, Item::Flag { option: Some(o), .. } if o.stops));
        if stops && !args.two_ways() {
            return self.program(Identity::Sure(name.to_owned()), Some(table), invocation, &scope);
        }
        let mut operands = operands_of(&args);
        let mut inner = Invocation { wrappers: invocation.wrappers.clone(), ..Invocation::default() };
        inner.wrappers.push(name.to_owned());
        inner.assignments.clone_from(&invocation.assignments);
        if matches!(name, "env" | "sudo" | "doas") {
            // A lone `-` is `env -i`.
            let dash = |at: &usize| fields.get(at + 1).is_some_and(|f| f.text() == Some("-"));
            while name == "env" && operands.first().is_some_and(dash) {
                operands.remove(0);
            }
            while let Some(found) = operands.first().and_then(|at| assignment(fields.get(at + 1)?)) {
                inner.assignments.push(found);
                operands.remove(0);
            }
        }
        let skipped = table.wraps.unwrap_or(0);
        let start = operands.get(skipped).map(|at| at + 1);
        let before = start.unwrap_or(fields.len());
        let unclear = fields.get(1..before).unwrap_or_default().iter().any(|f| f.word.splits);
        if opens || args.two_ways() || unclear || self.is_text_wrapper(name, &args) {
            let unclear = opens || args.two_ways() || unclear;
            return self.odd_wrapper(name, table, invocation, &args, unclear, scope);
        }
        let mut outer = invocation.clone();
        outer.fields.truncate(before);
        let cause = self.wrapper_effect(name, Some(table), &outer, &scope);
        self.wrapper_flags(name, &fields, &args, &scope, &cause);
        if skipped > 0
            && name == "flock"
            && let Some(lock) = operands.first().and_then(|at| fields.get(at + 1))
        {
            self.path_effect(lock, Action::Change, false, &scope, &cause, "the lock of `flock`");
        }
        let Some(start) = start else {
            return self.nothing_inside(name, table, &cause, scope);
        };
        if name == "flock" && matches!(fields.get(start).and_then(Field::text), Some("-c" | "--command")) {
            return self.flock_text(fields.get(start + 1), &invocation, scope);
        }
        inner.fields = fields.get(start..).unwrap_or_default().to_vec();
        let mut inside = scope.clone();
        if let Some(directory) =
            value(&fields, &args, &["-C", "--chdir", "-D"]).filter(|_| matches!(name, "env" | "sudo"))
        {
            inside = self.moved(&scope, &directory);
        }
        if matches!(name, "chroot" | "unshare" | "nsenter") {
            inside.cwd = None;
        }
        inner.direct = matches!(name, "builtin");
        if matches!(name, "command" | "exec" | "builtin") {
            return self.shell_wrapper(name, inner, inside);
        }
        self.run(inner, inside);
        Flow::either(scope)
    }

    /// `flock FILE -c TEXT`.
    fn flock_text(&mut self, text: Option<&Field>, invocation: &Invocation, scope: Scope) -> Flow {
        match text.and_then(Field::text) {
            Some(text) => {
                self.nested_text(text, "flock", invocation, scope.clone());
            }
            None => {
                let reason = "what it runs is only known when the command runs".to_owned();
                self.opaque_command(invocation.clone(), reason, &scope);
            }
        }
        Flow::either(scope)
    }

    /// `command`, `exec`, `builtin`: what they run may be a builtin of this shell.
    fn shell_wrapper(&mut self, name: &str, inner: Invocation, scope: Scope) -> Flow {
        let mut inner = inner;
        inner.direct = name != "exec";
        // Functions and aliases do not hold behind them.
        let functions = Rc::clone(&scope.functions);
        let aliases = Rc::clone(&scope.aliases);
        let mut inside = scope;
        inside.functions = Rc::default();
        inside.aliases = Rc::default();
        let flow = self.run(inner, inside);
        let restore = |scope: Option<Scope>| {
            scope.map(|s| Scope { functions: Rc::clone(&functions), aliases: Rc::clone(&aliases), ..s })
        };
        match name {
            "exec" => Flow { ok: None, failed: restore(flow.failed) },
            _ => Flow { ok: restore(flow.ok), failed: restore(flow.failed) },
        }
    }

    fn nothing_inside(
        &mut self,
        name: &str,
        table: &Table,
        cause: &super::resources::Cause,
        scope: Scope,
    ) -> Flow {
        let _ = table;
        match name {
            "xargs" | "env" | "command" | "exec" | "builtin" | "time" => Flow::either(scope),
            _ => {
                for capability in super::program::everything().iter() {
                    self.implied(capability, cause);
                }
                Flow::either(scope)
            }
        }
    }

    /// Whether the rest is a text for a shell and not words.
    fn is_text_wrapper(&self, name: &str, args: &Args<'_>) -> bool {
        let has = |flags: &[&str]| {
            args.items.iter().any(|i| match i {
                Item::Flag { option: Some(o), .. } => o.spellings.iter().any(|s| flags.contains(&s.as_str())),
                _ => false,
            })
        };
        match name {
            "watch" => !has(&["-x", "--exec"]),
            "env" => has(&["-S", "--split-string"]),
            "flock" | "su" | "script" => has(&["-c", "--command"]),
            "sudo" => has(&["-s", "-i"]),
            _ => false,
        }
    }

    /// Wrappers that hand a text to a shell, or whose flags are not understood.
    fn odd_wrapper(
        &mut self,
        name: &str,
        table: &Table,
        invocation: Invocation,
        args: &Args<'_>,
        unclear: bool,
        scope: Scope,
    ) -> Flow {
        let fields = invocation.fields.clone();
        let operands = operands_of(args);
        let text = match name {
            _ if unclear => None,
            "watch" | "sudo" => {
                let words: Option<Vec<String>> = operands
                    .iter()
                    .map(|at| fields.get(at + 1).and_then(Field::text).map(str::to_owned))
                    .collect();
                words.filter(|w| !w.is_empty()).map(|w| (w.join(" "), operands.first().copied().unwrap_or(0)))
            }
            "flock" | "su" | "script" => flag_text(&fields, args, &["-c", "--command"]),
            "env" => return self.env_split(invocation, table, args, scope),
            _ => None,
        };
        let Some((text, at)) = text else {
            let reason = "what it runs is not understood".to_owned();
            self.opaque_command(invocation, reason, &scope);
            return Flow::either(scope);
        };
        let mut outer = invocation.clone();
        outer.fields.truncate(at + 1);
        self.wrapper_effect(name, Some(table), &outer, &scope);
        let mut inside = Scope::new(scope.cwd.as_deref().cloned());
        inside.lost = scope.lost;
        inside.exported = Rc::clone(&scope.exported);
        for (name, _) in &invocation.assignments {
            Rc::make_mut(&mut inside.exported).insert(name.clone());
        }
        self.nested_text(&text, name, &invocation, inside);
        Flow::either(scope)
    }

    /// `env -S 'words'`: split like a shell does, but only plain words are followed.
    fn env_split(&mut self, invocation: Invocation, table: &Table, args: &Args<'_>, scope: Scope) -> Flow {
        let fields = invocation.fields.clone();
        let text = value(&fields, args, &["-S", "--split-string"]).and_then(|f| f.text().map(str::to_owned));
        let plain = |t: &String| !t.contains(['\'', '"', '\\', '$', '#']);
        let Some(text) = text.filter(plain) else {
            self.opaque_command(invocation, "what `env -S` runs is not understood".to_owned(), &scope);
            return Flow::either(scope);
        };
        let mut inner = vec![Field::known("env")];
        inner.extend(text.split_whitespace().map(Field::known));
        let behind = operands_of(args).first().map_or(fields.len(), |at| at + 1);
        inner.extend(
            fields.get(behind..).unwrap_or_default().iter().map(|f| Field { end: None, ..f.clone() }),
        );
        let _ = table;
        let again = Invocation { fields: inner, ..invocation };
        self.run(Invocation { direct: false, ..again }, scope)
    }

    /// `xargs`: the command gets words that only arrive at run time.
    pub(super) fn xargs(&mut self, table: &Table, invocation: Invocation, scope: Scope) -> Flow {
        let fields = invocation.fields.clone();
        let words: Vec<&Word> = fields.iter().skip(1).map(|f| &f.word).collect();
        let args = read(Some(table), &words, Mode::Operand);
        let start = operands_of(&args).first().map_or(fields.len(), |at| at + 1);
        let unclear = fields.get(1..start).unwrap_or_default().iter().any(|f| f.word.splits);
        let opens = args.items.iter().any(|i| matches!(i, Item::Flag { option: Some(o), .. } if o.opens));
        if args.two_ways() || unclear || opens {
            let reason = "what it runs is not understood".to_owned();
            self.opaque_command(invocation, reason, &scope);
            return Flow::either(scope);
        }
        let mut outer = invocation.clone();
        outer.fields.truncate(start);
        let cause = self.wrapper_effect("xargs", Some(table), &outer, &scope);
        self.wrapper_flags("xargs", &fields, &args, &scope, &cause);
        let mut inner: Vec<Field> = fields.get(start..).unwrap_or_default().to_vec();
        if inner.is_empty() {
            inner.push(Field::known("echo"));
        }
        let replace = args.items.iter().rev().find_map(|item| match item {
            Item::Flag { option: Some(o), value, .. }
                if o.spellings.iter().any(|s| s == "-I" || s == "-i") =>
            {
                let text = value.as_ref().and_then(|(word, _)| word.text().map(str::to_owned));
                Some(text.filter(|t| !t.is_empty()).unwrap_or_else(|| "{}".to_owned()))
            }
            _ => None,
        });
        match replace {
            Some(mark) => inner = inner.into_iter().map(|f| replaced(f, &mark, None)).collect(),
            None => inner.push(Field { word: Word::unknown(), origin: None, end: None }),
        }
        let mut wrappers = invocation.wrappers.clone();
        wrappers.push("xargs".to_owned());
        let last = inner.len().saturating_sub(1);
        if let Some(field) = inner.get_mut(last) {
            // `append command` goes behind the last word that is written.
            field.end = fields.last().and_then(|f| f.end);
        }
        let stdin = std::mem::replace(&mut self.stdin, super::walk::Stdin::RunTime);
        let assignments = invocation.assignments;
        self.run(Invocation { fields: inner, assignments, wrappers, ..Invocation::default() }, scope.clone());
        self.stdin = stdin;
        Flow::either(scope)
    }

    /// `find`: roots, tests, actions.
    pub(super) fn find(&mut self, table: &Table, invocation: Invocation, scope: Scope) -> Flow {
        let fields = &invocation.fields;
        let mut at = 1;
        while matches!(fields.get(at).and_then(Field::text), Some("-H" | "-L" | "-P")) {
            at += 1;
        }
        let mut roots = Vec::new();
        while let Some(field) = fields.get(at) {
            let begins = match field.word.pieces.first() {
                Some(Piece::Text(text)) => text.starts_with(['-', '(', '!', ',']),
                _ => false,
            };
            if begins {
                break;
            }
            roots.push(field.clone());
            at += 1;
        }
        if roots.is_empty() {
            roots.push(Field::known("."));
        }
        let first_exec = fields
            .iter()
            .skip(at)
            .position(|f| matches!(f.text(), Some("-exec" | "-execdir" | "-ok" | "-okdir")))
            .map(|n| n + at);
        let mut outer = invocation.clone();
        if let Some(first) = first_exec {
            outer.fields.truncate(first + 1);
            for field in &mut outer.fields {
                field.end = None;
            }
        }
        let cause = self.wrapper_effect("find", Some(table), &outer, &scope);
        for root in &roots {
            self.path_effect(root, Action::List, true, &scope, &cause, "a root of `find`");
        }
        let (commands, open) = self.find_expression(fields, at, &roots, &scope, &cause);
        let maybe = |f: &Field| {
            f.word.splits
                && !f.word.never_flag
                && matches!(f.word.pieces.first(), None | Some(Piece::Unknown))
        };
        if open || roots.iter().any(maybe) {
            for capability in super::program::everything().iter() {
                self.implied(capability, &cause);
            }
        }
        let texts: Option<Vec<String>> = roots.iter().map(|f| f.text().map(str::to_owned)).collect();
        let origin = texts.map(|roots| Rc::new(PathOrigin::Tree(roots)));
        for (inner, in_directory) in commands {
            let fields = inner.into_iter().map(|f| replaced(f, "{}", origin.as_ref())).collect();
            let mut wrappers = invocation.wrappers.clone();
            wrappers.push("find".to_owned());
            let mut inside = scope.clone();
            if in_directory {
                inside.cwd = None;
            }
            let assignments = invocation.assignments.clone();
            self.run(Invocation { fields, assignments, wrappers, ..Invocation::default() }, inside);
        }
        Flow::either(scope)
    }

    fn find_expression(
        &mut self,
        fields: &[Field],
        from: usize,
        roots: &[Field],
        scope: &Scope,
        cause: &super::resources::Cause,
    ) -> (Vec<(Vec<Field>, bool)>, bool) {
        let mut commands = Vec::new();
        let mut open = false;
        let mut at = from;
        while let Some(field) = fields.get(at) {
            at += 1;
            let Some(word) = field.text() else {
                open = true;
                continue;
            };
            match word {
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let mut inner = Vec::new();
                    let mut ended = false;
                    while let Some(field) = fields.get(at) {
                        at += 1;
                        let plus =
                            field.text() == Some("+") && inner.last().and_then(Field::text) == Some("{}");
                        if field.text() == Some(";") || plus {
                            ended = true;
                            break;
                        }
                        inner.push(Field { end: None, ..field.clone() });
                    }
                    open |= !ended;
                    commands.push((inner, word.ends_with("dir")));
                }
                "-delete" => {
                    for root in roots {
                        self.path_effect(root, Action::Delete, true, scope, cause, "`-delete` of `find`");
                    }
                }
                "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                    if let Some(target) = fields.get(at) {
                        self.path_effect(target, Action::Change, false, scope, cause, "an output of `find`");
                    }
                    at += if word == "-fprintf" { 2 } else { 1 };
                }
                word if FIND_VALUES.contains(&word) => at += 1,
                word if FIND_PLAIN.contains(&word) => {}
                _ => open = true,
            }
        }
        (commands, open)
    }
}

/// The value of a flag.
fn value(fields: &[Field], args: &Args<'_>, spellings: &[&str]) -> Option<Field> {
    args.items.iter().rev().find_map(|item| match item {
        Item::Flag { option: Some(o), value: Some((word, at)), .. }
            if o.spellings.iter().any(|s| spellings.contains(&s.as_str())) =>
        {
            Some(super::program::value_field(fields, word, *at))
        }
        _ => None,
    })
}

/// The text that a flag hands to a shell, and the words before it.
fn flag_text(fields: &[Field], args: &Args<'_>, spellings: &[&str]) -> Option<(String, usize)> {
    args.items.iter().rev().find_map(|item| match item {
        Item::Flag { option: Some(o), value: Some((word, at)), .. }
            if o.spellings.iter().any(|s| spellings.contains(&s.as_str())) =>
        {
            let text = super::program::value_field(fields, word, *at).text()?.to_owned();
            Some((text, at.unwrap_or(0)))
        }
        _ => None,
    })
}

/// A word with a mark in it replaced by what only arrives at run time.
fn replaced(field: Field, mark: &str, origin: Option<&Rc<PathOrigin>>) -> Field {
    if field.word.text() == Some(mark) {
        let word = Word { pieces: vec![Piece::Unknown], never_flag: origin.is_some(), ..Word::default() };
        return Field { word, origin: origin.cloned(), end: field.end };
    }
    let mut pieces = Vec::new();
    let mut found = false;
    for piece in field.word.pieces {
        match piece {
            Piece::Text(text) if text.contains(mark) => {
                found = true;
                for (at, part) in text.split(mark).enumerate() {
                    if at > 0 && !matches!(pieces.last(), Some(Piece::Unknown)) {
                        pieces.push(Piece::Unknown);
                    }
                    if !part.is_empty() {
                        pieces.push(Piece::Text(part.to_owned()));
                    }
                }
            }
            other => pieces.push(other),
        }
    }
    let origin = if found { None } else { field.origin };
    Field { word: Word { pieces, splits: field.word.splits, ..Word::default() }, origin, end: field.end }
}
