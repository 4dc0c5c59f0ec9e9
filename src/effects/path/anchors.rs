//! The places that patterns are anchored to, with every spelling of each.

use std::collections::HashSet;

use super::resolve;
use crate::base::limits::LINKS_PER_PATH_MAX;
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

/// Adds the spellings that the paths of a call turn out to have for these places: with a link `/tmp` to
/// `/private/tmp`, `/tmp/p/a.txt` names the workspace `/private/tmp/p` in another way. Nothing says so
/// beforehand, because the link is not on the way to the workspace.
pub fn widen<'a>(
    world: &dyn World,
    anchors: &mut Anchors,
    dirs: &[LiteralDir],
    paths: impl Iterator<Item = &'a PathFact>,
) {
    let mut linked = paths.filter(|fact| fact.variants.len() > 1).peekable();
    if linked.peek().is_none() {
        return;
    }
    let dirs: Vec<_> = dirs
        .iter()
        .filter(|dir| !dir.dir.is_empty())
        .map(|dir| (dir.to_string(), dir.spellings(anchors)))
        .collect();
    let places = [&anchors.workspace, &anchors.home, &anchors.temp];
    let mut known: HashSet<String> =
        places.into_iter().chain(dirs.iter().map(|(_, all)| all)).flatten().cloned().collect();
    let mut aliases: Vec<(String, String)> = Vec::new();
    for fact in linked {
        // Each spelling is the one before after one more link; the canonical one has none left.
        let next = fact.variants.windows(2).rev().filter_map(|two| Some((two.first()?, two.get(1)?)));
        let canonical = fact.variants.get(fact.canonical);
        // The spellings of the path itself stand first; what a tree holds needs no look.
        let own = fact.variants.iter().take(LINKS_PER_PATH_MAX);
        let last = own.filter_map(|variant| Some((variant, canonical?)));
        for (near, far) in next.chain(last).flat_map(|(near, far)| same_rest(&near.path, &far.path)) {
            let seen = |alias: &(String, String)| alias.0 == near && alias.1 == far;
            if near != far
                && known.contains(far)
                && !aliases.iter().any(seen)
                && one_directory(world, near, far)
            {
                known.insert(near.to_owned());
                aliases.push((near.to_owned(), far.to_owned()));
            }
        }
    }
    for (near, far) in aliases {
        for place in [&mut anchors.workspace, &mut anchors.home, &mut anchors.temp] {
            if place.contains(&far) && !place.contains(&near) {
                place.push(near.clone());
            }
        }
        for (key, plain) in &dirs {
            let all = anchors.literals.get(key).unwrap_or(plain);
            if all.contains(&far) && !all.contains(&near) {
                let all = all.iter().chain([&near]).cloned().collect();
                anchors.literals.insert(key.clone(), all);
            }
        }
    }
}

/// What is left of two paths without the components that they have in common at the end, for every
/// number of those.
fn same_rest<'a>(near: &'a str, far: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    std::iter::successors(Some((near, far)), |(near, far)| {
        let (near, name) = near.rsplit_once('/')?;
        let (far, other) = far.rsplit_once('/')?;
        (name == other && !name.is_empty()).then_some((near, far))
    })
}

/// Whether both lead to one directory.
fn one_directory(world: &dyn World, near: &str, far: &str) -> bool {
    let real = |path: &str| {
        let fact = resolve(world, path, world.workspace());
        let variant = fact.variants.get(fact.canonical)?;
        (variant.kind == PathKind::Dir).then(|| variant.path.clone())
    };
    real(near).is_some_and(|dir| real(far) == Some(dir))
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
