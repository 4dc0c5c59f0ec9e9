//! Trees: a root and all that exists below it.

use std::collections::{BTreeSet, VecDeque};

use super::resolve;
use crate::base::limits::TREE_ENTRIES_MAX;
use crate::effects::world::{Node, World};
use crate::model::demand::Demand;
use crate::model::path::{PathFact, PathKind, PathVariant, VariantRole};
use crate::model::pattern::path::join;

/// Makes a path the root of a tree: every path that exists below it is a variant, and so is every
/// path to which a link in it leads. `creates`: new paths may come to lie below it, so a grant must
/// hold for all that could. Where the walk ends before the tree does (a bound, a directory that may
/// not be read), the rest is a region of which nothing is known.
///
/// A root that is a plain file stays one. Where no rule looks at paths nothing is walked.
#[must_use]
pub fn tree(world: &dyn World, mut fact: PathFact, creates: bool, demand: &Demand) -> PathFact {
    if fact.unresolved.is_some() {
        return fact;
    }
    for variant in &mut fact.variants {
        if matches!(variant.kind, PathKind::Dir | PathKind::Missing) {
            variant.kind = PathKind::Tree;
        }
    }
    if !demand.paths {
        return fact;
    }
    let own: Vec<String> = fact
        .variants
        .iter()
        .filter(|variant| variant.kind == PathKind::Tree)
        .map(|variant| variant.path.clone())
        .collect();
    let mut walk = TreeWalk {
        world,
        seen: own.iter().cloned().collect(),
        variants: Vec::new(),
        roots: own,
        unread: Vec::new(),
        entries: 0,
        queue: VecDeque::new(),
    };
    // A glob has several roots; the spellings of one root are walked once.
    for root in walk.roots.clone() {
        let root = resolve(world, &root, world.workspace()).canonical().map(str::to_owned);
        if let Some(root) = root.filter(|root| !walk.queue.contains(root)) {
            walk.queue.push_back(root);
        }
    }
    let whole = walk.run();
    fact.variants.append(&mut walk.variants);
    let unknown = if whole { walk.unread } else { walk.roots.clone() };
    let region = |path: String, grants_only| PathVariant {
        path,
        kind: PathKind::Tree,
        role: VariantRole::Region { grants_only },
    };
    fact.variants.extend(unknown.into_iter().map(|path| region(path, false)));
    if creates {
        fact.variants.extend(walk.roots.into_iter().map(|path| region(path, true)));
    }
    fact
}

struct TreeWalk<'w> {
    world: &'w dyn World,
    seen: BTreeSet<String>,
    variants: Vec<PathVariant>,
    /// The root in its spellings, and the directories to which links lead.
    roots: Vec<String>,
    /// Directories that could not be read.
    unread: Vec<String>,
    entries: usize,
    queue: VecDeque<String>,
}

impl TreeWalk<'_> {
    /// Whether all was seen.
    fn run(&mut self) -> bool {
        while let Some(dir) = self.queue.pop_front() {
            if self.world.inspect(&dir) != Ok(Node::Dir) {
                continue;
            }
            let left = TREE_ENTRIES_MAX.saturating_sub(self.entries);
            let names = match self.world.list(&dir, left) {
                Ok(names) => names,
                Err(crate::effects::world::WorldError::TooMany(_)) => return false,
                Err(_) => {
                    self.unread.push(dir);
                    continue;
                }
            };
            self.entries += names.len();
            for name in names {
                self.visit(&join(&dir, &name), &dir);
            }
        }
        true
    }

    fn visit(&mut self, path: &str, dir: &str) {
        let kind = match self.world.inspect(path) {
            Ok(Node::Dir) => PathKind::Dir,
            Ok(Node::File { hard_links }) if hard_links > 1 => PathKind::Shared,
            Ok(Node::File { .. }) => PathKind::File,
            Ok(Node::Link(_)) => return self.follow(path, dir),
            // Gone since it was listed.
            Ok(Node::Missing) => PathKind::Missing,
            Ok(Node::Other) | Err(_) => PathKind::Other,
        };
        self.push(path, kind);
        if kind == PathKind::Dir {
            self.queue.push_back(path.to_owned());
        }
    }

    fn push(&mut self, path: &str, kind: PathKind) {
        if self.seen.insert(path.to_owned()) {
            self.variants.push(PathVariant { path: path.to_owned(), kind, role: VariantRole::Itself });
        }
    }

    fn follow(&mut self, path: &str, dir: &str) {
        let fact = resolve(self.world, path, dir);
        let Some(target) = fact.variants.get(fact.canonical) else {
            // A loop, or a place that cannot be looked at: the link itself is all there is.
            return self.push(path, PathKind::Other);
        };
        let (target, kind) = (target.path.clone(), target.kind);
        let known = self.seen.contains(&target);
        for variant in &fact.variants {
            self.push(&variant.path, variant.kind);
        }
        if kind == PathKind::Dir && !known {
            self.roots.push(target.clone());
            self.queue.push_back(target);
        }
    }
}
