//! Programs with a grammar of their own: `curl`, `tar`, `sed`, `awk`, `git push`.

use super::catalogue::Kind;
use super::catalogue::reading::Item;
use super::expand::Field;
use super::program::Spelling;
use super::walk::Walker;
use crate::model::Action;

impl Walker<'_> {
    /// Notes the operands of a program that the table leaves to code; tells whether it is open.
    /// `None`: the table's operands hold.
    pub(super) fn special(&mut self, handler: &str, s: &Spelling<'_>) -> Option<bool> {
        match handler {
            "curl" => Some(self.curl(s)),
            "tar" => Some(self.tar(s)),
            "sed" => Some(self.sed(s)),
            "awk" => Some(self.awk(s)),
            "jq" if !s.has(&["-f", "--from-file"]) && loads_modules(s) => Some({
                for (at, field) in s.operands().into_iter().skip(1) {
                    self.spell_word(s, Kind::Read, field, false, &format!("argument {at} of `{}`", s.name));
                }
                true
            }),
            "git-remote" => Some(self.git_remote(s)),
            _ => None,
        }
    }

    fn curl(&mut self, s: &Spelling<'_>) -> bool {
        let method = match s.value_of(&["-X", "--request"]).flatten().as_ref().and_then(Field::text) {
            Some(method) => method.to_owned(),
            None if s.has(&["-I", "--head"]) => "HEAD".to_owned(),
            None if s.has(&["-T", "--upload-file"]) => "PUT".to_owned(),
            None if s.has(&["-G", "--get"]) => "GET".to_owned(),
            None if s.has(&[
                "-d",
                "--data",
                "--data-raw",
                "--data-binary",
                "--data-urlencode",
                "--json",
                "-F",
            ]) =>
            {
                "POST".to_owned()
            }
            None => "GET".to_owned(),
        };
        let globs = !s.has(&["-g", "--globoff"]);
        let mut urls: Vec<(String, Field)> = Vec::new();
        for (at, field) in s.operands() {
            urls.push((format!("argument {at} of `{}`", s.name), field.clone()));
        }
        for item in &s.args.items {
            if let Item::Flag { written, value: Some((word, at)), .. } = item
                && written == "--url"
            {
                let field = super::program::value_field(s.fields, word, *at);
                urls.push((format!("`--url` of `{}`", s.name), field));
            }
        }
        let remote_name = s.has(&["-O", "--remote-name", "--remote-name-all"]);
        for (from, field) in urls {
            let Some(text) = field.text() else {
                let why = "a part of it is only known when the command runs";
                self.connect_unresolved(field.word.display(), why, s.cause, &from);
                if remote_name {
                    self.path_effect(&Field::known("."), Action::Change, true, s.scope, s.cause, &from);
                }
                continue;
            };
            if globs && text.contains(['{', '}', '[', ']']) && !text.contains("://[") {
                self.connect_unresolved(text.to_owned(), "curl expands brackets in it", s.cause, &from);
                continue;
            }
            let url = if text.contains("://") { text.to_owned() } else { format!("{}{text}", guessed(text)) };
            self.connect(&url, Some(&method), s.cause, &from);
            if s.has(&["-J", "--remote-header-name"]) {
                self.path_effect(&Field::known("."), Action::Change, true, s.scope, s.cause, &from);
            }
            if remote_name {
                let path = url.split(['?', '#']).next().unwrap_or("");
                let name = crate::model::path::name_of(path).to_owned();
                self.path_effect(&Field::known(name), Action::Change, false, s.scope, s.cause, &from);
            }
        }
        let format = s.value_of(&["-w", "--write-out"]).flatten();
        format.is_some_and(|f| f.text().is_none_or(|t| t.contains("%output") || t.starts_with('@')))
    }

    /// `tar`: the first word may be a bundle without a dash; the mode says what the operands are.
    fn tar(&mut self, s: &Spelling<'_>) -> bool {
        let mut operands: Vec<(usize, Field)> =
            s.operands().into_iter().map(|(at, field)| (at, field.clone())).collect();
        let mut mode = None;
        for (letter, long) in [
            ('c', "--create"),
            ('x', "--extract"),
            ('t', "--list"),
            ('r', "--append"),
            ('u', "--update"),
            ('d', "--diff"),
            ('A', "--catenate"),
        ] {
            if s.has(&[format!("-{letter}").as_str(), long]) {
                mode = Some(letter);
            }
        }
        let mut archive = s.value_of(&["-f", "--file"]).flatten();
        if mode.is_none() && s.fields.get(1).is_some_and(|f| !f.text().unwrap_or("-").starts_with('-')) {
            let Some(bundle) = s.fields.get(1).and_then(Field::text).map(str::to_owned) else { return true };
            operands.retain(|(at, _)| *at != 1);
            for letter in bundle.chars() {
                match letter {
                    'c' | 'x' | 't' | 'r' | 'u' | 'd' => mode = Some(letter),
                    'f' if !operands.is_empty() => archive = Some(operands.remove(0).1),
                    'v' | 'z' | 'j' | 'J' | 'p' | 'h' | 'k' | 'm' | 'o' | 'a' | 'W' => {}
                    _ => return true,
                }
            }
        }
        let directory = s.value_of(&["-C", "--directory"]).flatten();
        let from = format!("words of `{}`", s.name);
        let archive_action =
            if matches!(mode, Some('x' | 't' | 'd')) { Action::Read } else { Action::Change };
        if let Some(archive) = archive.filter(|a| a.text() != Some("-")) {
            if archive.text().is_some_and(|t| t.contains(':')) {
                return true;
            }
            self.path_effect(&archive, archive_action, false, s.scope, s.cause, &from);
        }
        let scope = match &directory {
            Some(directory) => self.moved(s.scope, directory),
            None => s.scope.clone(),
        };
        match mode {
            Some('c' | 'r' | 'u' | 'd') => {
                for (at, field) in operands {
                    let from = format!("argument {at} of `{}`", s.name);
                    self.path_effect(&field, Action::Read, true, &scope, s.cause, &from);
                }
                false
            }
            Some('x') if s.has(&["-O", "--to-stdout"]) => false,
            Some('x') => {
                self.path_effect(&Field::known("."), Action::Change, true, &scope, s.cause, &from);
                s.has(&["-P", "--absolute-names"])
            }
            Some('t') => false,
            _ => true,
        }
    }

    fn sed(&mut self, s: &Spelling<'_>) -> bool {
        let mut operands = s.operands();
        let mut scripts: Vec<Field> = Vec::new();
        let mut given = s.has(&["-f", "--file"]);
        for item in &s.args.items {
            if let Item::Flag { option: Some(option), value: Some((word, at)), .. } = item
                && option.spellings.iter().any(|o| o == "-e")
            {
                given = true;
                scripts.push(super::program::value_field(s.fields, word, *at));
            }
        }
        if !given && !operands.is_empty() {
            scripts.push(operands.remove(0).1.clone());
        }
        let plain = scripts.iter().all(|script| script.text().is_some_and(super::embedded::sed_is_plain));
        let in_place = s.has(&["-i", "--in-place"]);
        let kind = if in_place { Kind::Edit } else { Kind::Read };
        let suffix = s.value_of(&["-i", "--in-place"]).flatten();
        let mut odd = false;
        for (at, field) in operands {
            let from = format!("argument {at} of `{}`", s.name);
            self.spell_word(s, kind, field, false, &from);
            // A copy of what was there stays behind.
            match (suffix.as_ref().map(Field::text), field.text()) {
                (None | Some(Some("")), _) => {}
                (Some(Some(suffix)), Some(text)) if !suffix.contains(['*', '/']) => {
                    let copy = Field::known(format!("{text}{suffix}"));
                    self.path_effect(&copy, Action::Change, false, s.scope, s.cause, &from);
                }
                _ => odd = true,
            }
        }
        !plain || odd || s.has(&["-f", "--file"])
    }

    fn awk(&mut self, s: &Spelling<'_>) -> bool {
        let mut operands = s.operands();
        let from_file = s.has(&["-f", "--file"]);
        let mut plain = !from_file;
        if !from_file {
            if operands.is_empty() {
                return false;
            }
            plain = operands.remove(0).1.text().is_some_and(super::embedded::awk_is_plain);
        }
        for (at, field) in operands {
            let assigns = field.text().is_some_and(|text| {
                text.split_once('=').is_some_and(|(name, _)| {
                    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                })
            });
            if !assigns {
                self.spell_word(s, Kind::Read, field, false, &format!("argument {at} of `{}`", s.name));
            }
        }
        !plain
    }

    /// The first operand of `push`, `pull`, `fetch`: a remote by name, or a repository.
    fn git_remote(&mut self, s: &Spelling<'_>) -> bool {
        let operands = s.operands();
        let Some((at, field)) = operands.first() else { return false };
        let named = field.text().is_some_and(|t| !t.contains([':', '/']) && !t.starts_with('.'));
        if named {
            return false;
        }
        let from = format!("argument {at} of `{}`", s.name);
        self.spell_word(s, Kind::Repository, field, false, &from)
    }
}

/// Settings of `git` that choose no program and no place.
const GIT_SETTINGS: &[&str] = &[
    "advice.",
    "branch.sort",
    "color.",
    "column.",
    "commit.gpgsign",
    "core.abbrev",
    "core.autocrlf",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.quotepath",
    "core.safecrlf",
    "core.longpaths",
    "diff.algorithm",
    "diff.context",
    "diff.renames",
    "diff.renamelimit",
    "fetch.prune",
    "i18n.",
    "init.defaultbranch",
    "log.date",
    "log.decorate",
    "merge.conflictstyle",
    "merge.ff",
    "pull.ff",
    "pull.rebase",
    "push.default",
    "rebase.autosquash",
    "rebase.autostash",
    "status.",
    "tag.gpgsign",
    "tag.sort",
    "user.email",
    "user.name",
];

/// Names by which `git` takes programs to run, or settings that name some.
const GIT_NAMES: &[&str] = &[
    "EDITOR",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_TEMPLATE_DIR",
    "PAGER",
    "SSH_ASKPASS",
    "VISUAL",
];

/// Why `git` runs programs that its words do not show: settings for this call alone, and names.
pub fn git_runs(
    args: &super::catalogue::reading::Args<'_>,
    command: &crate::model::Command,
) -> Option<String> {
    for item in &args.items {
        match item {
            // Behind the subcommand these letters are other flags.
            Item::Sub(_) => break,
            Item::Flag { written, value, .. } if written == "-c" => {
                let text = value.as_ref().and_then(|(word, _)| word.text()).unwrap_or("");
                let (key, value) = text.split_once('=').unwrap_or((text, ""));
                let key = key.to_ascii_lowercase();
                let known = |s: &str| if s.ends_with('.') { key.starts_with(s) } else { key == s };
                let plain = GIT_SETTINGS.iter().any(|s| known(s)) || (key == "core.pager" && value == "cat");
                if !plain {
                    return Some("a setting of `git` may run another program".to_owned());
                }
            }
            Item::Flag { written, .. } if written == "--config-env" => {
                return Some("a setting of `git` may run another program".to_owned());
            }
            _ => {}
        }
    }
    let chooses = |name: &str| GIT_NAMES.contains(&name) || name.starts_with("GIT_CONFIG");
    let idle = |word: &crate::model::Word| matches!(word.text(), Some("" | "cat" | "true" | ":"));
    let chosen = command.assignments.iter().find(|(name, word)| chooses(name) && !idle(word));
    chosen.map(|(name, _)| format!("`{name}` chooses a program that `git` runs"))
}

/// Whether a `jq` program may read more than its operands.
fn loads_modules(s: &Spelling<'_>) -> bool {
    s.operands()
        .first()
        .is_some_and(|(_, field)| field.text().is_none_or(|t| t.contains("import") || t.contains("include")))
}

/// The scheme that curl guesses from the beginning of a host.
fn guessed(text: &str) -> &'static str {
    let head = text.to_ascii_lowercase();
    for (prefix, scheme) in [
        ("ftp.", "ftp://"),
        ("dict.", "dict://"),
        ("ldap.", "ldap://"),
        ("imap.", "imap://"),
        ("smtp.", "smtp://"),
        ("pop3.", "pop3://"),
    ] {
        if head.starts_with(prefix) {
            return scheme;
        }
    }
    "http://"
}
