//! The one place where words become paths and connections.

use std::rc::Rc;
use std::sync::Arc;

use super::expand::Field;
use super::scope::{PathOrigin, Scope};
use super::walk::Walker;
use crate::effects::{network, path};
use crate::model::command::{Command, Identity};
use crate::model::effect::{NetworkFact, Origin, Resource};
use crate::model::path::{PathFact, PathKind};
use crate::model::{Action, Capability, Effect};

/// The exec effect that another one comes from.
pub type Cause = Option<(usize, Arc<Command>)>;

/// Directories whose programs are known by their bare names.
const SYSTEM_DIRECTORIES: &[&str] =
    &["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin"];

/// `host:port` of the shell's own network devices.
pub fn device_address(text: &str) -> Option<String> {
    let rest = text.strip_prefix("/dev/tcp/").or_else(|| text.strip_prefix("/dev/udp/"))?;
    let (host, port) = rest.split_once('/')?;
    Some(format!("{host}:{port}"))
}

/// Paths that are no resource: the null device and the standard streams.
fn is_stream(text: &str) -> bool {
    matches!(text, "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr")
        || text
            .strip_prefix("/dev/fd/")
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// One fact of all that may hold: every variant is judged.
pub fn combine(facts: Vec<PathFact>) -> PathFact {
    let mut facts = facts.into_iter();
    let Some(mut first) = facts.next() else { return PathFact::unresolved("", "the directory is not known") };
    for fact in facts {
        if first.unresolved.is_some() {
            return first;
        }
        if fact.unresolved.is_some() {
            return fact;
        }
        for variant in fact.variants {
            if !first.variants.contains(&variant) {
                first.variants.push(variant);
            }
        }
    }
    first
}

impl Walker<'_> {
    fn each_base(&self, given: &str, scope: &Scope, make: impl Fn(&str) -> PathFact) -> PathFact {
        if given.starts_with('/') {
            return make("/");
        }
        match &scope.cwd {
            Some(bases) => combine(bases.iter().map(|base| make(base)).collect()),
            None => PathFact::unresolved(given, "the directory it is relative to is not known"),
        }
    }

    /// The path that a known text names.
    pub(super) fn text_path(&self, given: &str, scope: &Scope) -> PathFact {
        self.each_base(given, scope, |base| path::resolve(self.world, given, base))
    }

    /// The path that a word names; `None` where it is no resource.
    pub(super) fn field_path(&self, field: &Field, scope: &Scope) -> Option<PathFact> {
        match field.origin.as_deref() {
            Some(PathOrigin::Stream) => None,
            Some(PathOrigin::Glob(pattern)) => {
                let given = if pattern.starts_with('/') { "/" } else { pattern };
                Some(self.each_base(given, scope, |base| path::glob(self.world, pattern, base)))
            }
            Some(PathOrigin::Tree(roots)) => {
                let trees = roots.iter().map(|root| self.tree(self.text_path(root, scope), false)).collect();
                Some(combine(trees))
            }
            None => match field.word.text() {
                Some(text) if is_stream(text) => None,
                Some("") => Some(PathFact::unresolved("", "the path is empty")),
                Some(text) => Some(self.text_path(text, scope)),
                None => Some(PathFact::unresolved(
                    field.word.display(),
                    "a part of it is only known when the command runs",
                )),
            },
        }
    }

    pub(super) fn tree(&self, fact: PathFact, creates: bool) -> PathFact {
        if fact.unresolved.is_some() { fact } else { path::tree(self.world, fact, creates, self.demand) }
    }

    /// Notes a read or write of the path that a word names.
    pub(super) fn path_effect(
        &mut self,
        field: &Field,
        action: Action,
        tree: bool,
        scope: &Scope,
        cause: &Cause,
        from: &str,
    ) {
        let Some(fact) = self.field_path(field, scope) else { return };
        self.fact_effect(fact, action, tree, cause, from);
    }

    /// Notes a read or write of a path.
    pub(super) fn fact_effect(
        &mut self,
        fact: PathFact,
        action: Action,
        tree: bool,
        cause: &Cause,
        from: &str,
    ) {
        let writes = !matches!(action, Action::Read | Action::List);
        let fact = if tree { self.tree(fact, writes && action != Action::Delete) } else { fact };
        let missing = fact.variants.get(fact.canonical).is_some_and(|v| v.kind == PathKind::Missing);
        let action = if action == Action::Change && missing { Action::Create } else { action };
        self.changed |= writes;
        self.push(Effect {
            capability: if writes { Capability::Write } else { Capability::Read },
            resource: Resource::Path(fact),
            origin: Origin::Spelled,
            action: Some(action),
            via: cause.as_ref().map(|(_, command)| Arc::clone(command)),
            cause: cause.as_ref().map(|(index, _)| *index),
            from: Some(from.to_owned()),
        });
    }

    /// Notes a connection.
    pub(super) fn connect(&mut self, given: &str, method: Option<&str>, cause: &Cause, from: &str) {
        for effect in network::connect(self.world, given, method, self.demand) {
            self.push(Effect {
                origin: Origin::Spelled,
                via: cause.as_ref().map(|(_, command)| Arc::clone(command)),
                cause: cause.as_ref().map(|(index, _)| *index),
                from: Some(from.to_owned()),
                ..effect
            });
        }
    }

    /// Notes a connection to what cannot be known.
    pub(super) fn connect_unresolved(&mut self, given: String, why: &str, cause: &Cause, from: &str) {
        let fact = NetworkFact {
            given,
            unresolved: Some(why.to_owned()),
            ip: crate::model::effect::Address::Unresolved,
            ..NetworkFact::default()
        };
        self.push(Effect {
            capability: Capability::Network,
            resource: Resource::Network(Box::new(fact)),
            origin: Origin::Spelled,
            action: None,
            via: cause.as_ref().map(|(_, command)| Arc::clone(command)),
            cause: cause.as_ref().map(|(index, _)| *index),
            from: Some(from.to_owned()),
        });
    }

    /// Notes an effect that a program has without saying so.
    pub(super) fn implied(&mut self, capability: Capability, cause: &Cause) {
        self.changed = true;
        let from = cause.as_ref().map(|(_, command)| match command.program() {
            Some(program) => format!("what `{program}` does by itself"),
            None => "what the command does by itself".to_owned(),
        });
        self.push(Effect {
            capability,
            resource: Resource::None,
            origin: Origin::Implied,
            action: None,
            via: cause.as_ref().map(|(_, command)| Arc::clone(command)),
            cause: cause.as_ref().map(|(index, _)| *index),
            from,
        });
    }

    pub(super) fn push(&mut self, effect: Effect) {
        if !self.is_full() {
            self.effects.push(effect);
        }
    }

    /// Which program a known first word runs.
    pub(super) fn identify(&self, text: &str, scope: &Scope) -> Identity {
        if !text.contains('/') {
            return Identity::Sure(text.to_owned());
        }
        let name = crate::model::path::name_of(text).to_owned();
        let in_system = |path: &str| {
            path.rsplit_once('/')
                .is_some_and(|(dir, name)| SYSTEM_DIRECTORIES.contains(&dir) && !name.is_empty())
        };
        if in_system(text) {
            return Identity::Sure(name);
        }
        let fact = self.text_path(text, scope);
        let resolved: Vec<String> = match fact.unresolved {
            Some(_) => Vec::new(),
            None => {
                let canonical = fact.canonical().map(str::to_owned);
                let mut all: Vec<String> = fact.variants.into_iter().map(|v| v.path).collect();
                if let Some(canonical) = canonical {
                    all.retain(|path| *path != canonical);
                    all.push(canonical);
                }
                all
            }
        };
        match resolved.as_slice() {
            [only] if in_system(only) => Identity::Sure(crate::model::path::name_of(only).to_owned()),
            _ => Identity::Path { resolved, name },
        }
    }

    /// Whether a glob certainly stays as it is written: the directory before it does not exist.
    pub(super) fn glob_is_literal(&self, pattern: &str, scope: &Scope) -> bool {
        let special = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
        let Some((directory, _)) = pattern.get(..special).and_then(|head| head.rsplit_once('/')) else {
            return false;
        };
        if self.changed || directory.is_empty() || directory.contains('\\') {
            return false;
        }
        let fact = self.text_path(directory, scope);
        fact.unresolved.is_none()
            && !fact.variants.is_empty()
            && fact.variants.iter().all(|variant| variant.kind == PathKind::Missing)
    }

    /// Whether no match of a glob begins with `-`.
    pub(super) fn glob_makes_no_flag(&self, pattern: &str, scope: &Scope) -> bool {
        if !pattern.starts_with(['*', '?', '[']) {
            return !pattern.starts_with('-');
        }
        if self.changed {
            return false;
        }
        let field = Field { origin: Some(Rc::new(PathOrigin::Glob(pattern.to_owned()))), ..Field::default() };
        match self.field_path(&field, scope) {
            Some(fact) if fact.unresolved.is_none() => {
                let bases = scope.cwd.as_deref().map(Vec::as_slice).unwrap_or_default();
                !fact.variants.iter().any(|variant| {
                    bases.iter().any(|base| {
                        let base = base.strip_suffix('/').unwrap_or(base);
                        variant.path.strip_prefix(base).is_some_and(|rest| rest.starts_with("/-"))
                    })
                })
            }
            _ => false,
        }
    }
}
