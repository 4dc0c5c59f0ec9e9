//! The places that patterns are anchored to, with every spelling of each.

use super::resolve;
use crate::effects::world::World;
use crate::model::path::{Anchors, Folding, PathFact, PathKind, name_of};
use crate::model::pattern::LiteralDir;
use crate::model::pattern::path::{join, strip_dir};

/// Looks up the spellings of the workspace, the home, the temporary directory and the literal
/// directories of patterns. A literal directory is listed only where it has other spellings than
/// those that its anchor gives it. Where no directory stands, only the directory above it has other
/// spellings: a rule that names a file does not follow a link that somebody puts in its place.
#[must_use]
pub fn anchors(world: &dyn World, dirs: &[LiteralDir]) -> Anchors {
    let place = |path: Option<&str>| path.map(|path| spellings(world, path)).unwrap_or_default();
    let mut anchors = Anchors {
        workspace: place(Some(world.workspace())),
        home: place(world.home()),
        temp: place(world.temp()),
        literals: std::collections::HashMap::new(),
    };
    for dir in dirs.iter().filter(|dir| !dir.dir.is_empty()) {
        let plain = dir.spellings(&anchors);
        let mut all = plain.clone();
        for one in &plain {
            for spelling in literal_spellings(world, one) {
                if !all.contains(&spelling) {
                    all.push(spelling);
                }
            }
        }
        if all.len() > plain.len() {
            anchors.literals.insert(dir.to_string(), all);
        }
    }
    anchors
}

fn literal_spellings(world: &dyn World, path: &str) -> Vec<String> {
    let of = |path: &str| resolve(world, path, world.workspace()).variants;
    let variants = of(path);
    if variants.first().is_some_and(|variant| variant.kind == PathKind::Dir) {
        return variants.into_iter().map(|variant| variant.path).collect();
    }
    let Some((dir, name)) = path.rsplit_once('/') else { return Vec::new() };
    let dir = if dir.is_empty() || dir.ends_with(':') { format!("{dir}/") } else { dir.to_owned() };
    of(&dir).into_iter().map(|variant| join(&variant.path, name)).collect()
}

/// Canonical first. A place that cannot be resolved has its own text only.
fn spellings(world: &dyn World, path: &str) -> Vec<String> {
    let PathFact { variants, .. } = resolve(world, path, path);
    if variants.is_empty() {
        return vec![path.to_owned()];
    }
    variants.into_iter().rev().map(|variant| variant.path).collect()
}

/// A path for people and models: relative to the workspace (`.` for the workspace itself), or
/// `<outside the workspace>/…/NAME`, so that nothing about the machine is told.
#[must_use]
pub fn display_path(path: &str, anchors: &Anchors) -> String {
    for root in &anchors.workspace {
        match strip_dir(path, root, Folding::default()) {
            Some(Some(rest)) => return rest.to_owned(),
            Some(None) => return ".".to_owned(),
            None => {}
        }
    }
    match name_of(path) {
        "" => "<outside the workspace>/".to_owned(),
        name => format!("<outside the workspace>/…/{name}"),
    }
}
