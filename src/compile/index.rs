//! Which rules could count on an effect: candidates by key, so that a decision does not read every
//! rule.
//!
//! INVARIANT(pruned-is-false): a rule that is not a candidate has a condition that is false on the
//! effect, never unknown. So what cannot be known (an unresolved path, an opaque command, a region of
//! a tree) makes every rule of the layer with a key of that kind a candidate. `decide` relies on it;
//! a test compares verdicts with and without the index.

use std::collections::HashMap;

use crate::model::command::Identity;
use crate::model::effect::Resource;
use crate::model::path::{Anchors, PathFact, VariantRole, name_of};
use crate::model::pattern::path::{Anchor, LiteralDir, PathKey, folded_key};
use crate::model::{Capability, Command, Effect, ToolPattern};

use super::expr::{AtomKind, CommandPart, Directory, Expr, Scalar, Subject, Test};
use super::program::{Rule, Verb};

/// Positions in the layer's list of rules.
type Positions = Vec<u32>;

/// The index of one layer.
#[derive(Debug, Default)]
pub struct Index {
    by_capability: HashMap<Capability, Keys>,
    /// Modify rules, which are judged on every effect of a call.
    modify: Positions,
    /// Rules `on result of`.
    on_result: Positions,
    /// Rules with `covers`, which also reach implied effects.
    covering: Positions,
}

/// The keys of the rules of one capability.
#[derive(Debug, Default)]
struct Keys {
    /// Rules without a key: read on every effect.
    always: Positions,
    tools: HashMap<String, Positions>,
    /// Absolute directories.
    dirs: HashMap<String, Positions>,
    workspace_dirs: HashMap<String, Positions>,
    home_dirs: HashMap<String, Positions>,
    names: HashMap<String, Positions>,
    components: HashMap<String, Positions>,
    programs: HashMap<String, Positions>,
    hosts: HashMap<String, Positions>,
    hosts_below: HashMap<String, Positions>,
    targets: HashMap<String, Positions>,
    /// Every rule with a path, program, host or target key, for effects that cannot be known.
    with_path: Positions,
    with_program: Positions,
    with_host: Positions,
}

/// One way in which a rule's condition can be anything but false.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    Path(PathKey),
    Program(String),
    Host(String),
    HostBelow(String),
    Target(String),
}

impl Index {
    /// Indexes the rules of a layer by their positions.
    #[must_use]
    pub fn build(rules: &[Rule]) -> Self {
        let mut index = Self::default();
        for (at, rule) in rules.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            if rule.scope.result {
                index.on_result.push(at);
                continue;
            }
            if rule.verb == Verb::Modify {
                index.modify.push(at);
            }
            if !rule.covers.is_empty() {
                index.covering.push(at);
            }
            for capability in rule.scope.capabilities.iter() {
                index.by_capability.entry(capability).or_default().add(rule, at);
            }
        }
        index
    }

    /// The rules that could count on the effect, in order, each once.
    #[must_use]
    pub fn candidates(&self, tool: &str, effect: &Effect, anchors: &Anchors) -> Positions {
        let mut found = match self.by_capability.get(&effect.capability) {
            Some(keys) => keys.candidates(tool, effect, anchors),
            None => Positions::new(),
        };
        if effect.cause.is_some() {
            found.extend_from_slice(&self.covering);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The modify rules.
    #[must_use]
    pub fn modify(&self) -> &[u32] {
        &self.modify
    }

    /// The rules `on result of`.
    #[must_use]
    pub fn on_result(&self) -> &[u32] {
        &self.on_result
    }

    /// How many entries of how many rules have no key, for `lint` (`not-indexable`).
    #[must_use]
    pub fn keyless(&self) -> usize {
        self.by_capability.values().map(|keys| keys.always.len()).sum()
    }
}

impl Keys {
    fn add(&mut self, rule: &Rule, at: u32) {
        match keys_of(&rule.condition) {
            Some(keys) => keys.into_iter().for_each(|key| self.insert(key, at)),
            None if rule.scope.tools.is_empty() => self.always.push(at),
            None => self.add_by_tool(&rule.scope.tools, at),
        }
    }

    fn add_by_tool(&mut self, tools: &[ToolPattern], at: u32) {
        for tool in tools {
            match tool {
                ToolPattern::Exact(name) => self.tools.entry(name.clone()).or_default().push(at),
                ToolPattern::Prefix(_) => self.always.push(at),
            }
        }
    }

    fn insert(&mut self, key: Key, at: u32) {
        let (map, text, class) = match key {
            Key::Path(PathKey::Dir(LiteralDir { anchor, dir })) => {
                let dir = folded_key(&dir);
                match anchor {
                    Anchor::Root => (&mut self.dirs, format!("/{dir}"), &mut self.with_path),
                    Anchor::Drive(letter) => {
                        (&mut self.dirs, folded_key(&format!("{letter}:/{dir}")), &mut self.with_path)
                    }
                    Anchor::Workspace => (&mut self.workspace_dirs, dir, &mut self.with_path),
                    Anchor::Home => (&mut self.home_dirs, dir, &mut self.with_path),
                }
            }
            Key::Path(PathKey::Name(name)) => (&mut self.names, name, &mut self.with_path),
            Key::Path(PathKey::Component(name)) => (&mut self.components, name, &mut self.with_path),
            Key::Program(name) => (&mut self.programs, name, &mut self.with_program),
            Key::Host(host) => (&mut self.hosts, host, &mut self.with_host),
            Key::HostBelow(host) => (&mut self.hosts_below, host, &mut self.with_host),
            Key::Target(target) => {
                self.targets.entry(target).or_default().push(at);
                return;
            }
        };
        map.entry(text).or_default().push(at);
        if class.last() != Some(&at) {
            class.push(at);
        }
    }

    fn candidates(&self, tool: &str, effect: &Effect, anchors: &Anchors) -> Positions {
        let mut found = self.always.clone();
        found.extend(self.tools.get(tool).into_iter().flatten());
        match &effect.resource {
            // A comparison on a resource that the effect does not have is false.
            Resource::None => {}
            Resource::Path(fact) => self.by_path(fact, anchors, &mut found),
            Resource::Command(command) => self.by_command(command, &mut found),
            Resource::Network(fact) => match (&fact.unresolved, &fact.host) {
                (None, Some(host)) => self.by_host(host, &mut found),
                _ => found.extend_from_slice(&self.with_host),
            },
            Resource::Target(target) => found.extend(self.targets.get(target).into_iter().flatten()),
        }
        if let Some(via) = &effect.via {
            self.by_command(via, &mut found);
        }
        found
    }

    fn by_path(&self, fact: &PathFact, anchors: &Anchors, found: &mut Positions) {
        let whole = |role| matches!(role, VariantRole::Itself);
        if fact.unresolved.is_some()
            || fact.variants.is_empty()
            || !fact.variants.iter().all(|v| whole(v.role))
        {
            found.extend_from_slice(&self.with_path);
            return;
        }
        for variant in &fact.variants {
            let path = folded_key(&variant.path);
            prefixes(&self.dirs, &path, found);
            for (roots, map) in [(&anchors.workspace, &self.workspace_dirs), (&anchors.home, &self.home_dirs)]
            {
                for root in roots {
                    if let Some(rest) = below(&path, &folded_key(root)) {
                        found.extend(map.get("").into_iter().flatten());
                        prefixes(map, rest, found);
                    }
                }
            }
            self.by_other_spelling(&path, anchors, found);
            found.extend(self.names.get(name_of(&path)).into_iter().flatten());
            if !self.components.is_empty() {
                for component in path.split('/') {
                    found.extend(self.components.get(component).into_iter().flatten());
                }
            }
        }
    }

    /// Literal directories that have other spellings are looked up by those.
    fn by_other_spelling(&self, path: &str, anchors: &Anchors, found: &mut Positions) {
        for (literal, spellings) in &anchors.literals {
            if !spellings.iter().any(|spelling| below(path, &folded_key(spelling)).is_some()) {
                continue;
            }
            let literal = folded_key(literal);
            let positions = match (literal.strip_prefix("./"), literal.strip_prefix("~/")) {
                (Some(dir), _) => self.workspace_dirs.get(dir),
                (None, Some(dir)) => self.home_dirs.get(dir),
                (None, None) => self.dirs.get(&literal),
            };
            found.extend(positions.into_iter().flatten());
        }
    }

    fn by_command(&self, command: &Command, found: &mut Positions) {
        let name = match &command.identity {
            Identity::Sure(name) | Identity::Path { name, .. } if command.opaque.is_none() => name,
            Identity::Sure(_) | Identity::Path { .. } | Identity::Unknown | Identity::None => {
                found.extend_from_slice(&self.with_program);
                return;
            }
        };
        found.extend(self.programs.get(name).into_iter().flatten());
        if let Identity::Path { resolved, .. } = &command.identity {
            let names = resolved.iter().map(|path| name_of(path));
            names.for_each(|name| found.extend(self.programs.get(name).into_iter().flatten()));
            if resolved.is_empty() {
                found.extend_from_slice(&self.with_program);
            }
        }
    }

    fn by_host(&self, host: &str, found: &mut Positions) {
        found.extend(self.hosts.get(host).into_iter().flatten());
        let mut rest = host;
        while let Some((_, parent)) = rest.split_once('.') {
            found.extend(self.hosts_below.get(parent).into_iter().flatten());
            rest = parent;
        }
    }
}

/// Every map entry whose key is the path or one of its parents.
fn prefixes(map: &HashMap<String, Positions>, path: &str, found: &mut Positions) {
    if map.is_empty() {
        return;
    }
    let mut prefix = path;
    loop {
        found.extend(map.get(prefix).into_iter().flatten());
        match prefix.rsplit_once('/') {
            Some((parent, _)) if !parent.is_empty() => prefix = parent,
            _ => break,
        }
    }
}

/// What follows `dir` in `path`, both folded; empty where they are equal.
fn below<'p>(path: &'p str, dir: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(dir.strip_suffix('/').unwrap_or(dir))?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

/// Keys of which at least one must be found for the condition to be anything but false. `None`:
/// there is no such list.
fn keys_of(expr: &Expr) -> Option<Vec<Key>> {
    match expr {
        // One part that must hold is enough; the shortest list prunes best.
        Expr::All(parts) => parts.iter().filter_map(keys_of).min_by_key(Vec::len),
        Expr::Any(parts) => {
            let lists: Option<Vec<_>> = parts.iter().map(keys_of).collect();
            lists.map(|lists| lists.into_iter().flatten().collect())
        }
        Expr::Atom(atom) if atom.negated => None,
        Expr::Atom(atom) => match &atom.kind {
            AtomKind::Test { subject, test } => test_keys(subject, test),
            AtomKind::Quantified { .. } | AtomKind::SessionHas(_) => None,
        },
    }
}

fn test_keys(subject: &Subject, test: &Test) -> Option<Vec<Key>> {
    match (subject, test) {
        (Subject::Path, Test::Paths(patterns)) => {
            let keys: Option<Vec<_>> = patterns.iter().map(|pattern| pattern.index_keys()).collect();
            keys.map(|keys| keys.into_iter().flatten().map(Key::Path).collect())
        }
        (Subject::Path, Test::PathIs(Directory::Literal(dir)) | Test::PathUnder(Directory::Literal(dir)))
            if !dir.dir.is_empty() =>
        {
            Some(vec![Key::Path(PathKey::Dir(dir.clone()))])
        }
        (
            Subject::Command(CommandPart::Whole) | Subject::Via(CommandPart::Whole),
            Test::Commands(patterns),
        ) => {
            let mut keys = Vec::new();
            for pattern in patterns {
                for alternative in &pattern.program.alternatives {
                    // A text without `*`; a path is looked up by its last component.
                    let [text] = alternative.as_slice() else { return None };
                    keys.push(Key::Program(name_of(text).to_owned()));
                }
            }
            Some(keys)
        }
        (
            Subject::Command(CommandPart::Program) | Subject::Via(CommandPart::Program),
            Test::Programs(programs),
        ) => Some(programs.iter().map(|program| Key::Program(name_of(program).to_owned())).collect()),
        (Subject::Host, Test::Hosts(set)) if !set.is_any() => {
            let exact = set.exact().map(|host| Key::Host(host.to_owned()));
            let below = set.below().map(|host| Key::HostBelow(host.to_owned()));
            Some(exact.chain(below).collect())
        }
        (Subject::Target, Test::OneOf(set)) => {
            let texts = set.0.iter().map(|scalar| match scalar {
                Scalar::Text(text) => Some(Key::Target(text.clone())),
                Scalar::Number(_) | Scalar::Bool(_) | Scalar::Null => None,
            });
            texts.collect()
        }
        _ => None,
    }
}
