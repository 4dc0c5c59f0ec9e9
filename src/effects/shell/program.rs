//! Programs: spelled effects from the catalogue, implied ones for what is not closed.

use super::catalogue::reading::{Args, Item, Mode, read};
use super::catalogue::{Kind, Table, When, catalogue};
use super::expand::Field;
use super::resources::Cause;
use super::scope::{Flow, Scope};
use super::simple::Invocation;
use super::walk::Walker;
use crate::model::command::{Identity, Word};
use crate::model::path::PathKind;
use crate::model::{Action, Capability, CapabilitySet};

/// All that a program could do.
pub fn everything() -> CapabilitySet {
    [Capability::Read, Capability::Write, Capability::Network].into_iter().collect()
}

/// What is being spelled: the words and who says so.
pub struct Spelling<'s> {
    /// The program's name.
    pub name: &'s str,
    /// The words, the program first.
    pub fields: &'s [Field],
    /// They, told apart.
    pub args: &'s Args<'s>,
    /// The exec effect.
    pub cause: &'s Cause,
    /// The state.
    pub scope: &'s Scope,
}

impl<'s> Spelling<'s> {
    /// The operands (subcommands left out) with their place among the words.
    pub fn operands(&self) -> Vec<(usize, &'s Field)> {
        let fields = self.fields;
        self.args
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Operand(at) => fields.get(at + 1).map(|field| (at + 1, field)),
                // What turns into several words is the value and operands.
                Item::Flag { value: Some((word, Some(at))), .. } if word.splits => {
                    fields.get(at + 1).map(|field| (at + 1, field))
                }
                _ => None,
            })
            .collect()
    }

    /// Whether a flag stands, by any of its spellings.
    pub fn has(&self, spellings: &[&str]) -> bool {
        self.value_of(spellings).is_some()
    }

    /// The last value of a flag; the inner value is absent where it has none.
    pub fn value_of(&self, spellings: &[&str]) -> Option<Option<Field>> {
        self.args.items.iter().rev().find_map(|item| match item {
            Item::Flag { option, written, value } => {
                let same = spellings.contains(&written.as_str())
                    || option.is_some_and(|o| o.spellings.iter().any(|s| spellings.contains(&s.as_str())));
                same.then(|| value.as_ref().map(|(word, at)| value_field(self.fields, word, *at)))
            }
            _ => None,
        })
    }
}

/// Whether a flag makes the operands trees: by itself, or by its value (`grep -d recurse`).
fn makes_trees(item: &Item<'_>) -> bool {
    match item {
        Item::Flag { option: Some(option), .. } if option.tree => true,
        Item::Flag { option: Some(option), value: Some((word, _)), .. }
            if option.spellings.iter().any(|s| s == "--directories") =>
        {
            word.text().is_none_or(|text| "recurse".starts_with(text))
        }
        _ => false,
    }
}

/// A value as a word with all that is known of it.
pub fn value_field(fields: &[Field], word: &Word, at: Option<usize>) -> Field {
    match at.and_then(|at| fields.get(at + 1)) {
        Some(field) => field.clone(),
        None => Field { word: word.clone(), origin: None, end: None },
    }
}

impl Walker<'_> {
    /// A program that is no builtin, wrapper or interpreter.
    pub(super) fn program(
        &mut self,
        identity: Identity,
        table: Option<&Table>,
        invocation: Invocation,
        scope: &Scope,
    ) -> Flow {
        let (name, namesake) = match &identity {
            Identity::Sure(name) => (name.clone(), table),
            Identity::Path { name, .. } => (name.clone(), catalogue().get(name)),
            Identity::Unknown | Identity::None => (String::new(), None),
        };
        let words: Vec<&Word> = invocation.fields.iter().skip(1).map(|f| &f.word).collect();
        let args = read(namesake, &words, Mode::Operand);
        self.changed_before = self.changed;
        let mut command = self.make(identity, table, &invocation, scope);
        if table.is_some_and(|t| t.handler == "git") {
            command.opaque = super::special::git_runs(&args, &command);
        }
        let unsafe_env = !command.env.is_empty();
        let cause = self.push_exec(command);
        self.note_redirects(&invocation, &cause, scope);
        let spelling =
            Spelling { name: &name, fields: &invocation.fields, args: &args, cause: &cause, scope };
        let mut implied = if namesake.is_some() { self.spell(&spelling) } else { everything() };
        if namesake.is_some() && args.two_ways() {
            let others = self.spell_otherwise(&spelling, namesake, &words);
            implied = implied.iter().chain(others.iter()).collect();
        }
        let opaque = cause.as_ref().is_some_and(|(_, command)| command.opaque.is_some());
        let implied = if table.is_none() || unsafe_env || opaque { everything() } else { implied };
        for capability in implied.iter() {
            self.implied(capability, &cause);
        }
        Flow::either(scope.clone())
    }

    /// Notes what the words name where a flag that may take the word behind it does; gives what is
    /// implied then. What the first reading has noted is not noted again.
    fn spell_otherwise(&mut self, s: &Spelling<'_>, table: Option<&Table>, words: &[&Word]) -> CapabilitySet {
        let args = read(table, words, Mode::Value);
        let from = s.cause.as_ref().map_or(0, |(index, _)| *index);
        let noted = self.effects.len();
        let implied = self.spell(&Spelling { args: &args, ..*s });
        let second = self.effects.split_off(noted.min(self.effects.len()));
        for effect in second {
            let same = |old: &crate::model::Effect| {
                old.capability == effect.capability
                    && old.action == effect.action
                    && old.resource == effect.resource
            };
            if !self.effects.iter().skip(from).any(same) {
                self.effects.push(effect);
            }
        }
        implied
    }

    /// Notes what the words name; gives what is implied beyond that.
    pub(super) fn spell(&mut self, s: &Spelling<'_>) -> CapabilitySet {
        let Some(table) = s.args.tables.last().copied() else { return everything() };
        let stops = s.args.items.iter().any(|i| matches!(i, Item::Flag { option: Some(o), .. } if o.stops));
        if stops && !s.args.two_ways() {
            return CapabilitySet::EMPTY;
        }
        let moved = self.spell_chdir(s);
        let s = &Spelling { scope: moved.as_ref().unwrap_or(s.scope), ..*s };
        let mut open = self.spell_flags(s);
        open |= s.args.unknown_flags || s.args.unknown_sub || (s.args.maybe_flags && table.is_risky());
        let flag = |names: &[String]| names.iter().any(|n| s.has(&[n.as_str()]));
        let when = table.when.iter().find(|w| flag(&w.flags));
        let operands = when.map_or(&table.operands, |w| &w.operands);
        let handler = s.args.tables.first().map_or("", |t| t.handler.as_str());
        let handler = if table.handler.is_empty() { handler } else { table.handler.as_str() };
        match self.special(handler, s) {
            Some(extra) => open |= extra,
            None => open |= self.spell_operands(s, operands, table, when),
        }
        if s.args.tables.len() == 1 && !table.subcommands.is_empty() && !s.args.unknown_sub {
            // `git` alone prints help.
            return if open { everything() } else { CapabilitySet::EMPTY };
        }
        if open {
            return everything();
        }
        let closed = when.and_then(|w| w.closed).unwrap_or(table.closed);
        match when.and_then(|w| w.implied) {
            Some(implied) => implied,
            None if closed && !table.closed => CapabilitySet::EMPTY,
            None if !closed && table.closed => everything(),
            None => table.implied,
        }
    }

    /// Flags that say where the program works (`git -C`): lists the directories, each from where the one
    /// before it leads, and gives the state in which all other words are judged.
    fn spell_chdir(&mut self, s: &Spelling<'_>) -> Option<Scope> {
        let mut moved: Option<Scope> = None;
        for item in &s.args.items {
            let Item::Flag { option: Some(option), written, value: Some((word, at)) } = item else {
                continue;
            };
            if option.value != Some(Kind::Chdir) {
                continue;
            }
            let field = value_field(s.fields, word, *at);
            let from = format!("`{written}` of `{}`", s.name);
            let scope = moved.as_ref().unwrap_or(s.scope);
            self.path_effect(&field, Action::List, false, scope, s.cause, &from);
            moved = Some(self.moved(scope, &field));
        }
        moved
    }

    /// Values of flags; tells whether one of them opens the program.
    fn spell_flags(&mut self, s: &Spelling<'_>) -> bool {
        let mut open = false;
        for item in &s.args.items {
            let Item::Flag { option: Some(option), written, value } = item else { continue };
            open |= option.opens;
            let (Some(kind), Some((word, at))) = (option.value, value) else { continue };
            let field = value_field(s.fields, word, *at);
            let from = format!("`{written}` of `{}`", s.name);
            open |= self.spell_word(s, kind, &field, false, &from);
        }
        open
    }

    pub(super) fn spell_operands(
        &mut self,
        s: &Spelling<'_>,
        operands: &super::catalogue::Operands,
        table: &Table,
        when: Option<&When>,
    ) -> bool {
        let list = s.operands();
        let tree = s.args.items.iter().any(makes_trees);
        let mut open = false;
        let mut named = false;
        for (index, (at, field)) in list.iter().enumerate() {
            let from = format!("argument {at} of `{}`", s.name);
            let Some(kind) = operands.kind(index, list.len()) else {
                open |= !table.operands.first.is_empty() || table.closed;
                continue;
            };
            named |= kind.matters();
            if kind == Kind::Into {
                self.spell_into(s, field, &list, tree, &from);
                continue;
            }
            open |= self.spell_word(s, kind, field, tree, &from);
            if kind == Kind::Text
                && field.word.splits
                && let Some(rest) = operands.rest.filter(|rest| rest.matters())
            {
                open |= self.spell_word(s, rest, field, tree, &from);
            }
        }
        let default = when.and_then(|w| w.default.as_ref()).unwrap_or(&table.default);
        let with = |flags: &[String]| flags.is_empty() || flags.iter().any(|f| s.has(&[f.as_str()]));
        let fed = table.default_unless_fed && !matches!(self.stdin, super::walk::Stdin::Inherit);
        if !named
            && (!fed || when.is_some_and(|w| w.default.is_some()))
            && (tree || with(&table.default_with))
            && let Some((kind, text)) = default
        {
            let from = format!("directory of `{}`", s.name);
            open |= self.spell_word(s, *kind, &Field::known(text.clone()), tree, &from);
        }
        open
    }

    /// The destination of `cp`, `mv`, `ln`: a file, or a directory that gets the sources' names.
    fn spell_into(
        &mut self,
        s: &Spelling<'_>,
        field: &Field,
        all: &[(usize, &Field)],
        tree: bool,
        from: &str,
    ) {
        let Some(fact) = self.field_path(field, s.scope) else { return };
        let kind = fact.variants.get(fact.canonical).map(|v| v.kind);
        let text = field.text().unwrap_or("");
        let inside = kind == Some(PathKind::Dir) || text.ends_with('/') || all.len() > 2;
        let perhaps = kind == Some(PathKind::Missing) && self.changed_before;
        if !inside || fact.unresolved.is_some() {
            self.fact_effect(fact, Action::Change, tree, s.cause, from);
        }
        if !inside && !perhaps {
            return;
        }
        let Some(directory) = field.text().map(str::to_owned) else { return };
        let last = all.len().saturating_sub(1);
        for (_, source) in all.iter().take(last) {
            match source.text().map(|t| t.trim_end_matches('/')) {
                Some(text)
                    if !text.is_empty() && !text.ends_with("..") && !text.ends_with("/.") && text != "." =>
                {
                    let name = crate::model::path::name_of(text);
                    let target = format!("{}/{name}", directory.trim_end_matches('/'));
                    let fact = self.text_path(&target, s.scope);
                    self.fact_effect(fact, Action::Change, tree, s.cause, from);
                }
                _ => {
                    let fact = self.text_path(&directory, s.scope);
                    self.fact_effect(fact, Action::Change, true, s.cause, from);
                }
            }
        }
    }

    /// One word of a kind; tells whether the program does more than can be told from it.
    pub(super) fn spell_word(
        &mut self,
        s: &Spelling<'_>,
        kind: Kind,
        field: &Field,
        tree: bool,
        from: &str,
    ) -> bool {
        let lone_dash = field.text() == Some("-");
        let actions: &[Action] = match kind {
            Kind::Text | Kind::Dir | Kind::Chdir | Kind::Pair => &[],
            Kind::Pathspec | Kind::PathspecWrite => return self.pathspec(s, kind, field, from),
            Kind::PairRead => &[Action::Read],
            Kind::Read | Kind::Script if lone_dash => &[],
            Kind::Read | Kind::Tree | Kind::Script => &[Action::Read],
            Kind::Write if lone_dash => &[],
            Kind::Write | Kind::WriteTree | Kind::Into => &[Action::Change],
            Kind::Edit => &[Action::Read, Action::Change],
            Kind::Create => &[Action::Create],
            Kind::Delete => &[Action::Delete],
            Kind::List | Kind::ListTree => &[Action::List],
            Kind::DeleteTree => &[Action::Delete],
            Kind::Move => &[Action::Read, Action::Delete],
            Kind::Code => return true,
            Kind::Cookie if field.text().is_some_and(|text| text.contains('=')) => &[],
            Kind::Cookie => &[Action::Read],
            // curl expands braces and brackets by itself.
            Kind::Upload if field.text().is_none_or(|text| text.contains(['{', '['])) => return true,
            Kind::Upload if lone_dash => &[],
            Kind::Upload => &[Action::Read],
            Kind::CopyRead | Kind::CopyWrite if field.text().is_some_and(|text| text.contains(':')) => &[],
            Kind::CopyRead => &[Action::Read],
            Kind::CopyWrite => &[Action::Change],
            Kind::AtFile | Kind::Form | Kind::Keyed | Kind::Assigned | Kind::FormatFile => {
                return self.prefixed_file(s, kind, field, from);
            }
            Kind::Source if lone_dash => &[],
            Kind::Url
            | Kind::Host
            | Kind::RemoteRead
            | Kind::RemoteWrite
            | Kind::Repository
            | Kind::Source => return self.remote_word(s, kind, field, tree, from),
        };
        let trees = [
            Kind::Tree,
            Kind::WriteTree,
            Kind::ListTree,
            Kind::DeleteTree,
            Kind::Move,
            Kind::CopyRead,
            Kind::CopyWrite,
        ];
        let tree = tree || trees.contains(&kind);
        for action in actions {
            self.path_effect(field, *action, tree, s.scope, s.cause, from);
        }
        kind == Kind::Script
    }

    /// A word that is a revision or a path: the path where one exists.
    fn pathspec(&mut self, s: &Spelling<'_>, kind: Kind, field: &Field, from: &str) -> bool {
        let action = if kind == Kind::PathspecWrite { Action::Change } else { Action::Read };
        // What a revision holds under a path need not lie in the directory any more.
        let of_revision = kind == Kind::Pathspec && field.text().is_some_and(|text| text.contains(':'));
        let known = field.text().map(|text| match text.split_once(':') {
            // `HEAD:path` and `:(magic)path`.
            Some((_, path)) => {
                let path = path.rsplit(')').next().unwrap_or(path);
                // `:0:path` is the path in a stage of the index.
                path.strip_prefix(['0', '1', '2', '3'])
                    .and_then(|rest| rest.strip_prefix(':'))
                    .unwrap_or(path)
                    .to_owned()
            }
            None => text.to_owned(),
        });
        // git's own patterns: what they match is not told apart.
        if known.as_deref().is_some_and(|text| text.contains(['*', '?', '[']) || text.starts_with('!')) {
            let all = Field::known(".");
            let Some(fact) = self.field_path(&all, s.scope) else { return true };
            self.fact_effect(fact, action, true, s.cause, from);
            return false;
        }
        let field = match &known {
            Some(text) if text.is_empty() => return false,
            Some(text) => Field::known(text.clone()),
            None => field.clone(),
        };
        let Some(fact) = self.field_path(&field, s.scope) else { return false };
        let missing = fact.unresolved.is_none()
            && fact.variants.iter().all(|v| v.kind == PathKind::Missing)
            && field.origin.is_none();
        let looks = known.as_deref().is_some_and(|t| t.starts_with(['.', '/', '~']) || s.args.end_of_options);
        if !missing || of_revision || (looks && !known.as_deref().is_some_and(|t| t.contains(".."))) {
            self.fact_effect(fact, action, true, s.cause, from);
        }
        false
    }

    /// `@file`, `name=@file`, `if=file`.
    fn prefixed_file(&mut self, s: &Spelling<'_>, kind: Kind, field: &Field, from: &str) -> bool {
        let Some(text) = field.text() else {
            let known_data = match field.word.pieces.first() {
                Some(crate::model::Piece::Text(head)) if kind == Kind::AtFile => !head.starts_with('@'),
                _ => false,
            };
            if !known_data {
                self.path_effect(field, Action::Read, false, s.scope, s.cause, from);
                if kind == Kind::Keyed {
                    self.path_effect(field, Action::Change, false, s.scope, s.cause, from);
                }
            }
            return kind == Kind::Keyed;
        };
        if kind == Kind::Assigned {
            for part in text.split(',') {
                let file = part.split_once('=').map_or(part, |(_, file)| file);
                self.path_effect(&Field::known(file), Action::Read, true, s.scope, s.cause, from);
            }
            return false;
        }
        if kind == Kind::FormatFile {
            let (name, file) = text.split_once('=').unwrap_or((text, ""));
            if name.ends_with("file") && !file.is_empty() {
                self.path_effect(&Field::known(file), Action::Read, false, s.scope, s.cause, from);
            }
            // Without a name behind it another flag names the file.
            return name.ends_with("file") && file.is_empty();
        }
        let read = match kind {
            Kind::AtFile => text.strip_prefix('@').or_else(|| {
                text.split_once("@").and_then(|(name, file)| {
                    // `--data-urlencode name@file`.
                    ((from.contains("urlencode") || from.contains("url-query")) && !name.contains('='))
                        .then_some(file)
                })
            }),
            // Several files, quotes, and headers from files: more than one name.
            Kind::Form
                if text.contains("@\"")
                    || text.contains(",")
                    || text.contains("=@") && text.contains(";") =>
            {
                return true;
            }
            Kind::Form => text
                .split_once('=')
                .and_then(|(_, value)| value.strip_prefix(['@', '<']))
                .map(|file| file.split(';').next().unwrap_or(file)),
            _ => text.strip_prefix("if="),
        };
        if let Some(file) = read.filter(|file| *file != "-") {
            self.path_effect(&Field::known(file), Action::Read, false, s.scope, s.cause, from);
        }
        if let Some(file) = text.strip_prefix("of=").filter(|_| kind == Kind::Keyed) {
            self.path_effect(&Field::known(file), Action::Change, false, s.scope, s.cause, from);
        }
        false
    }

    /// URLs, hosts, `host:path`.
    fn remote_word(&mut self, s: &Spelling<'_>, kind: Kind, field: &Field, tree: bool, from: &str) -> bool {
        let Some(text) = field.text().map(str::to_owned) else {
            let given = field.word.display();
            if matches!(kind, Kind::RemoteRead | Kind::RemoteWrite | Kind::Source) {
                let action = if kind == Kind::RemoteWrite { Action::Change } else { Action::Read };
                self.path_effect(field, action, true, s.scope, s.cause, from);
            }
            self.connect_unresolved(given, "a part of it is only known when the command runs", s.cause, from);
            return false;
        };
        if text.contains("::") && kind == Kind::Repository {
            // `ext::sh -c …` runs a program.
            return true;
        }
        if text.contains("://") {
            self.connect(&text, None, s.cause, from);
            return false;
        }
        let remote = text
            .split_once(':')
            .filter(|(host, _)| kind != Kind::Source && !host.contains('/') && !host.is_empty());
        match kind {
            Kind::Url => self.connect(&format!("http://{text}"), None, s.cause, from),
            Kind::Host => {
                let host = text.rsplit_once('@').map_or(text.as_str(), |(_, host)| host);
                self.connect(&format!("ssh://{host}"), None, s.cause, from);
            }
            _ => match remote {
                Some((host, _)) => {
                    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
                    self.connect(&format!("ssh://{host}"), None, s.cause, from);
                }
                None => {
                    let action = if kind == Kind::RemoteWrite { Action::Change } else { Action::Read };
                    let tree = tree || kind != Kind::RemoteRead;
                    self.path_effect(field, action, tree, s.scope, s.cause, from);
                }
            },
        }
        false
    }
}
