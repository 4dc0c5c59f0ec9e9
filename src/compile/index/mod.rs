//! Which rules could count on an effect: candidates by key, so that a decision does not read every
//! rule.
//!
//! INVARIANT(pruned-is-false): a rule that is not a candidate has a condition that is false on the
//! effect, never unknown. So what cannot be known (an unresolved path, an opaque command, a region of
//! a tree, an argument of another type) makes every rule of the layer with a key of that kind a
//! candidate. `decide` relies on it; tests compare verdicts with and without the index.

mod fields;
mod keys;
mod table;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::model::command::Identity;
use crate::model::effect::{Address, Resource};
use crate::model::path::{Anchors, PathFact, VariantRole, name_of};
use crate::model::pattern::path::{Anchor, LiteralDir, PathKey, folded_key};
use crate::model::{Call, Capability, Command, Effect, ToolPattern};
use crate::syntax::ast::Step;

use super::program::{Rule, Verb};
use fields::{BuildingField, BuildingNets, Field, Nets};
use keys::{Frequencies, Key};
use table::{Building, Hash, Table};

/// Positions in the layer's list of rules.
type Positions = Vec<u32>;

/// Absolute directories, component by component.
const DIR: Hash = Hash::kind(1);
/// Directories below the workspace.
const WORKSPACE_DIR: Hash = Hash::kind(2);
/// Directories below the home directory.
const HOME_DIR: Hash = Hash::kind(3);
/// What lies below an absolute directory, one below the workspace, one below the home directory.
const IN_DIR: Hash = Hash::kind(12);
const IN_WORKSPACE_DIR: Hash = Hash::kind(13);
const IN_HOME_DIR: Hash = Hash::kind(14);
/// Last components of paths.
const NAME: Hash = Hash::kind(4);
/// Any components of paths.
const COMPONENT: Hash = Hash::kind(5);
const PROGRAM: Hash = Hash::kind(6);
const HOST: Hash = Hash::kind(7);
const HOST_BELOW: Hash = Hash::kind(8);
const TARGET: Hash = Hash::kind(9);
/// Tools that a condition names.
const TOOL: Hash = Hash::kind(10);
/// Tools of rules that have no other key.
const BY_TOOL: Hash = Hash::kind(11);

/// The index of one layer.
#[derive(Debug, Default)]
pub struct Index {
    /// Rules by everything that is looked up whole.
    table: Table,
    /// Rules without a key, by capability: read on every effect.
    always: [Positions; Capability::ALL.len()],
    /// Every rule with a path, program, host or address key, for effects that cannot be known.
    with_path: Positions,
    /// Those that know a path by a name, wherever it lies.
    with_name: Positions,
    with_program: Positions,
    with_host: Positions,
    with_ip: Positions,
    /// Whether any rule has a key of the kind.
    has: Kinds,
    ips: Option<Nets>,
    fields: Vec<Field>,
    /// Modify rules, which are judged on every effect of a call.
    modify: Positions,
    /// Rules `on result of`.
    on_result: Positions,
    /// Rules with `covers`, which also reach implied effects.
    covering: Positions,
    keyless: usize,
}

/// What is not there need not be looked up.
#[derive(Debug, Clone, Copy, Default)]
struct Kinds {
    dirs: bool,
    workspace_dirs: bool,
    home_dirs: bool,
    names: bool,
    components: bool,
    hosts_below: bool,
}

impl Index {
    /// Indexes the rules of a layer by their positions.
    #[must_use]
    pub fn build(rules: &[Rule]) -> Self {
        let mut frequencies = Frequencies::default();
        rules.iter().for_each(|rule| frequencies.count(&rule.condition));
        let mut builder = Builder { frequencies, ..Builder::default() };
        for (at, rule) in rules.iter().enumerate() {
            builder.add(rule, u32::try_from(at).unwrap_or(u32::MAX));
        }
        builder.finish(rules)
    }

    /// The rules that the call's tool and arguments do not exclude, whatever the effect.
    pub fn of_call(&self, call: &Call, found: &mut Vec<u32>) {
        let tool = call.tool.as_bytes();
        self.table.find(TOOL.with(tool), found);
        self.table.find(BY_TOOL.with(tool), found);
        self.fields.iter().for_each(|field| field.find(call, found));
    }

    /// Makes of the rules that [`Index::of_call`] gave the rules that could count on an effect, in
    /// order, each once.
    pub fn of_effect<'a>(
        &self,
        effect: &Effect,
        anchors: impl FnOnce() -> &'a Anchors,
        found: &mut Vec<u32>,
    ) {
        found.extend_from_slice(self.always.get(effect.capability as usize).map_or(&[], Vec::as_slice));
        match &effect.resource {
            // A comparison on a resource that the effect does not have is false.
            Resource::None => {}
            Resource::Path(fact) => self.by_path(fact, anchors, found),
            Resource::Command(command) => self.by_command(command, found),
            Resource::Network(fact) => {
                match (&fact.unresolved, &fact.host) {
                    (None, Some(host)) => self.by_host(host, found),
                    _ => found.extend_from_slice(&self.with_host),
                }
                match (&fact.unresolved, fact.ip, &self.ips) {
                    (None, Address::Known(ip), Some(nets)) => nets.find(ip, found),
                    _ => found.extend_from_slice(&self.with_ip),
                }
            }
            Resource::Target(target) => self.table.find(TARGET.with(target.as_bytes()), found),
        }
        if let Some(via) = &effect.via {
            self.by_command(via, found);
        }
        if effect.cause.is_some() {
            found.extend_from_slice(&self.covering);
        }
        found.sort_unstable();
        found.dedup();
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

    /// How many rules have no key and are read on every effect of their capabilities.
    #[must_use]
    pub fn keyless(&self) -> usize {
        self.keyless
    }

    fn by_path<'a>(&self, fact: &PathFact, anchors: impl FnOnce() -> &'a Anchors, found: &mut Positions) {
        if self.with_path.is_empty() {
            return;
        }
        if fact.unresolved.is_some() || fact.variants.is_empty() {
            found.extend_from_slice(&self.with_path);
            return;
        }
        let anchors = anchors();
        for variant in &fact.variants {
            let path = &*folded(&variant.path);
            // A region is all that could lie at a path or below it, whatever its name.
            let region = variant.role != VariantRole::Itself;
            self.by_components(path, region, found);
            self.by_anchors(path, region, anchors, found);
            self.by_other_spelling(path, region, anchors, found);
            if region {
                found.extend_from_slice(&self.with_name);
            } else if self.has.names {
                self.table.find(NAME.with(name_of(path).as_bytes()), found);
            }
        }
    }

    fn by_components(&self, path: &str, region: bool, found: &mut Positions) {
        if !self.has.dirs && !self.has.components {
            return;
        }
        let (mut dir, mut inside) = (DIR, IN_DIR);
        for component in path.strip_suffix('/').unwrap_or(path).split('/') {
            dir = dir.with(component.as_bytes());
            if self.has.dirs {
                self.table.find(dir, found);
            }
            if region {
                inside = inside.with(component.as_bytes());
            } else if self.has.components {
                self.table.find(COMPONENT.with(component.as_bytes()), found);
            }
        }
        if region {
            self.table.find(inside, found);
        }
    }

    fn by_anchors(&self, path: &str, region: bool, anchors: &Anchors, found: &mut Positions) {
        for (has, roots, kind, kind_inside) in [
            (self.has.workspace_dirs, &anchors.workspace, WORKSPACE_DIR, IN_WORKSPACE_DIR),
            (self.has.home_dirs, &anchors.home, HOME_DIR, IN_HOME_DIR),
        ] {
            if !has {
                continue;
            }
            for root in roots {
                let root = &*folded(root);
                let Some(rest) = below(path, root) else {
                    if region && below(root, path).is_some() {
                        self.table.find(kind, found);
                        self.table.find(kind_inside, found);
                    }
                    continue;
                };
                self.table.find(kind, found);
                let (mut dir, mut inside) = (kind, kind_inside);
                for component in rest.split('/').filter(|component| !component.is_empty()) {
                    dir = dir.with(component.as_bytes());
                    inside = inside.with(component.as_bytes());
                    self.table.find(dir, found);
                }
                if region {
                    self.table.find(inside, found);
                }
            }
        }
    }

    /// Literal directories that have other spellings are looked up by those.
    fn by_other_spelling(&self, path: &str, region: bool, anchors: &Anchors, found: &mut Positions) {
        for (literal, spellings) in &anchors.literals {
            let near = |spelling: &String| {
                let spelling = folded_key(spelling);
                below(path, &spelling).is_some() || (region && below(&spelling, path).is_some())
            };
            if !spellings.iter().any(near) {
                continue;
            }
            let literal = folded_key(literal);
            let key = match (literal.strip_prefix("./"), literal.strip_prefix("~/")) {
                (Some(dir), _) => along(WORKSPACE_DIR, dir),
                (None, Some(dir)) => along(HOME_DIR, dir),
                (None, None) => along(DIR, &literal),
            };
            self.table.find(key, found);
        }
    }

    fn by_command(&self, command: &Command, found: &mut Positions) {
        if self.with_program.is_empty() {
            return;
        }
        let name = match &command.identity {
            Identity::Sure(name) | Identity::Path { name, .. } if command.opaque.is_none() => name,
            Identity::Sure(_) | Identity::Path { .. } | Identity::Unknown | Identity::None => {
                found.extend_from_slice(&self.with_program);
                return;
            }
        };
        self.table.find(PROGRAM.with(name.as_bytes()), found);
        if let Identity::Path { resolved, .. } = &command.identity {
            let names = resolved.iter().map(|path| name_of(path));
            names.for_each(|name| self.table.find(PROGRAM.with(name.as_bytes()), found));
            if resolved.is_empty() {
                found.extend_from_slice(&self.with_program);
            }
        }
    }

    fn by_host(&self, host: &str, found: &mut Positions) {
        if self.with_host.is_empty() {
            return;
        }
        self.table.find(HOST.with(host.as_bytes()), found);
        let mut rest = host;
        while let Some((_, parent)) = rest.split_once('.').filter(|_| self.has.hosts_below) {
            self.table.find(HOST_BELOW.with(parent.as_bytes()), found);
            rest = parent;
        }
    }
}

/// [`folded_key`], without a copy where nothing changes.
fn folded(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if text.bytes().all(plain) { Cow::Borrowed(text) } else { Cow::Owned(folded_key(text)) }
}

/// The hash of a directory, component by component.
fn along(kind: Hash, dir: &str) -> Hash {
    if dir.is_empty() {
        return kind;
    }
    dir.split('/').fold(kind, |hash, component| hash.with(component.as_bytes()))
}

/// What follows `dir` in `path`, both folded; empty where they are equal.
fn below<'p>(path: &'p str, dir: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(dir.strip_suffix('/').unwrap_or(dir))?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

#[derive(Default)]
struct Builder {
    frequencies: Frequencies,
    index: Index,
    table: Building,
    ips: BuildingNets,
    fields: BTreeMap<String, (Vec<Step>, BuildingField)>,
}

impl Builder {
    fn add(&mut self, rule: &Rule, at: u32) {
        if rule.scope.result {
            self.index.on_result.push(at);
            return;
        }
        if rule.verb == Verb::Modify {
            self.index.modify.push(at);
        }
        if !rule.covers.is_empty() {
            self.index.covering.push(at);
        }
        match self.frequencies.keys(&rule.condition) {
            Some(keys) => keys.into_iter().for_each(|key| self.insert(key, at)),
            None => self.add_keyless(rule, at),
        }
    }

    /// A rule whose condition has no key may still be known by its tools.
    fn add_keyless(&mut self, rule: &Rule, at: u32) {
        let exact: Option<Vec<&String>> = rule
            .scope
            .tools
            .iter()
            .map(|tool| match tool {
                ToolPattern::Exact(name) => Some(name),
                ToolPattern::Prefix(_) => None,
            })
            .collect();
        match exact {
            Some(names) if !names.is_empty() => {
                names.iter().for_each(|name| self.table.add(BY_TOOL.with(name.as_bytes()), at));
            }
            _ => self.read_always(rule, at),
        }
    }

    fn read_always(&mut self, rule: &Rule, at: u32) {
        self.index.keyless += 1;
        for capability in rule.scope.capabilities.iter() {
            if let Some(always) = self.index.always.get_mut(capability as usize) {
                always.push(at);
            }
        }
    }

    fn insert(&mut self, key: Key, at: u32) {
        let (hash, class) = match key {
            Key::Path(key) => {
                if !matches!(key, PathKey::Dir(_)) {
                    self.index.with_name.push(at);
                }
                (self.path_hash(key, at), &mut self.index.with_path)
            }
            Key::Program(name) => (PROGRAM.with(name.as_bytes()), &mut self.index.with_program),
            Key::Host(host) => (HOST.with(host.as_bytes()), &mut self.index.with_host),
            Key::HostBelow(host) => {
                self.index.has.hosts_below = true;
                (HOST_BELOW.with(host.as_bytes()), &mut self.index.with_host)
            }
            Key::Target(target) => return self.table.add(TARGET.with(target.as_bytes()), at),
            Key::Tool(tool) => return self.table.add(TOOL.with(tool.as_bytes()), at),
            Key::Ip(net) => {
                self.ips.add(net, at);
                return self.index.with_ip.push(at);
            }
            Key::Text(steps, key) => return self.field(steps).add(key, at),
            Key::Address(steps, net) => return self.field(steps).add_net(net, at),
        };
        self.table.add(hash, at);
        class.push(at);
    }

    fn path_hash(&mut self, key: PathKey, at: u32) -> Hash {
        let has = &mut self.index.has;
        match key {
            PathKey::Dir(LiteralDir { anchor, dir }) => {
                let (kind, inside, dir) = match anchor {
                    Anchor::Root => (DIR, IN_DIR, format!("/{dir}")),
                    Anchor::Drive(letter) => (DIR, IN_DIR, format!("{letter}:/{dir}")),
                    Anchor::Workspace => (WORKSPACE_DIR, IN_WORKSPACE_DIR, dir),
                    Anchor::Home => (HOME_DIR, IN_HOME_DIR, dir),
                };
                has.dirs |= kind == DIR;
                has.workspace_dirs |= kind == WORKSPACE_DIR;
                has.home_dirs |= kind == HOME_DIR;
                let dir = folded_key(&dir);
                self.inside(inside, &dir, at);
                along(kind, &dir)
            }
            PathKey::Name(name) => {
                has.names = true;
                NAME.with(name.as_bytes())
            }
            PathKey::Component(name) => {
                has.components = true;
                COMPONENT.with(name.as_bytes())
            }
        }
    }

    /// Adds the rule to everything that lies above its directory.
    fn inside(&mut self, kind: Hash, dir: &str, at: u32) {
        let mut above = kind;
        // The components of an absolute path begin with the root, whose name is empty or a drive.
        let mut components = dir.split('/');
        if kind == IN_DIR {
            above = above.with(components.next().unwrap_or("").as_bytes());
        }
        for component in components.filter(|component| !component.is_empty()) {
            self.table.add(above, at);
            above = above.with(component.as_bytes());
        }
    }

    fn field(&mut self, steps: Vec<Step>) -> &mut BuildingField {
        &mut self.fields.entry(format!("{steps:?}")).or_insert_with(|| (steps, BuildingField::default())).1
    }

    fn finish(mut self, rules: &[Rule]) -> Index {
        let mut fields = Vec::new();
        for (steps, field) in std::mem::take(&mut self.fields).into_values() {
            match field.finish(steps) {
                Ok(field) => fields.push(field),
                Err(unsearchable) => {
                    for at in unsearchable {
                        if let Some(rule) = rules.get(at as usize) {
                            self.read_always(rule, at);
                        }
                    }
                }
            }
        }
        let Self { mut index, table, ips, .. } = self;
        index.always.iter_mut().for_each(|positions| positions.sort_unstable());
        for positions in index.always.iter_mut().chain([
            &mut index.with_path,
            &mut index.with_name,
            &mut index.with_program,
            &mut index.with_host,
            &mut index.with_ip,
            &mut index.modify,
            &mut index.on_result,
            &mut index.covering,
        ]) {
            positions.dedup();
            positions.shrink_to_fit();
        }
        Index { table: table.finish(), ips: ips.finish(), fields, ..index }
    }
}
