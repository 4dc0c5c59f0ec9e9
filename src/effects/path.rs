//! Paths: lexical only.

use super::World;
use super::world::Node;
use crate::model::Demand;
use crate::model::path::{PathFact, PathKind, PathVariant, VariantRole};

fn fact(world: &dyn World, given: &str, path: String) -> PathFact {
    let kind = match world.inspect(&path) {
        Ok(Node::Missing) => PathKind::Missing,
        Ok(Node::Dir) => PathKind::Dir,
        Ok(Node::File { .. }) => PathKind::File,
        _ => PathKind::Other,
    };
    PathFact {
        given: given.to_owned(),
        variants: vec![PathVariant { path, kind, role: VariantRole::Itself }],
        canonical: 0,
        folding: crate::model::path::Folding::default(),
        unresolved: None,
    }
}

/// The path that a text names.
#[must_use]
pub fn resolve(world: &dyn World, given: &str, base: &str) -> PathFact {
    let whole = if given.starts_with('/') { given.to_owned() } else { format!("{base}/{given}") };
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
    fact(world, given, format!("/{}", parts.join("/")))
}

/// The tree below a path.
#[must_use]
pub fn tree(_world: &dyn World, fact: PathFact, _creates: bool, _demand: &Demand) -> PathFact {
    let mut fact = fact;
    for variant in &mut fact.variants {
        variant.kind = PathKind::Tree;
    }
    fact
}

/// The paths that a pattern matches.
#[must_use]
pub fn glob(world: &dyn World, pattern: &str, base: &str) -> PathFact {
    let fact = resolve(world, pattern, base);
    tree(world, fact, false, &Demand::default())
}
