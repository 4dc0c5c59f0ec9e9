//! The places that patterns are anchored to, with every spelling of each.

use std::collections::HashSet;

use super::resolve;
use crate::base::limits::LINKS_PER_PATH_MAX;
use crate::effects::world::{Node, Platform, World};
use crate::model::demand::{LiteralTree, Places, inside};
use crate::model::path::{Anchors, Folding, PathFact, PathKind, name_of};
use crate::model::pattern::path::{Anchor, LiteralDir, join, strip_dir};

/// [`anchors_of`] for the home directory, the one for temporary files, and literal directories.
#[must_use]
pub fn anchors(world: &dyn World, dirs: &[LiteralDir]) -> Anchors {
    anchors_of(world, &Places::new(dirs))
}

/// Looks up the spellings of the workspace, the home, the temporary directory and the literal
/// directories of patterns. A literal directory is listed only where it has other spellings than
/// those that its anchor gives it. Where no directory stands, only the directory above it has other
/// spellings: a rule that names a file does not follow a link that somebody puts in its place.
#[must_use]
pub fn anchors_of(world: &dyn World, places: &Places) -> Anchors {
    let place = |path: Option<&str>| path.map_or_else(Place::default, |path| Place::look_up(world, path));
    let workspace = place(Some(world.workspace()));
    let home = place(world.home().filter(|_| places.home));
    let root = Place { spellings: vec!["/".to_owned()], stands: Stands::Dir };
    let stands = [root, workspace, home];
    let [_, workspace, home] = stands.each_ref().map(|place| place.spellings.clone());
    let temp = place(world.temp().filter(|_| places.temp)).spellings;
    let mut found = Literals {
        world,
        anchors: Anchors { workspace, home, temp, literals: std::collections::HashMap::new() },
    };
    for ((anchor, tree), place) in Places::ANCHORS.into_iter().zip(&places.below).zip(stands) {
        match (world.platform(), place.stands) {
            _ if tree.children.is_empty() => {}
            (Platform::Posix, Stands::Nothing) => {}
            (Platform::Posix, Stands::Dir) => {
                let mut path = place.spellings.into_iter().next().unwrap_or_default();
                found.walk(anchor, tree, &mut path, "");
            }
            (Platform::Posix, Stands::Unknown) | (Platform::Windows, _) => found.all(anchor, tree, ""),
        }
    }
    places.drives.iter().for_each(|dir| found.one(dir));
    found.anchors
}

/// One place with its spellings, canonical first.
#[derive(Default)]
struct Place {
    spellings: Vec<String>,
    stands: Stands,
}

/// What stands at the canonical spelling of a place.
#[derive(Default)]
enum Stands {
    Dir,
    /// Nothing that has anything in it.
    #[default]
    Nothing,
    /// It could not be resolved.
    Unknown,
}

impl Place {
    /// A place that cannot be resolved has its own text only.
    fn look_up(world: &dyn World, path: &str) -> Self {
        let PathFact { variants, .. } = resolve(world, path, path);
        let stands = match variants.first().map(|variant| variant.kind) {
            None => return Self { spellings: vec![path.to_owned()], stands: Stands::Unknown },
            Some(PathKind::Dir) => Stands::Dir,
            Some(_) => Stands::Nothing,
        };
        Self { spellings: variants.into_iter().rev().map(|variant| variant.path).collect(), stands }
    }
}

struct Literals<'w> {
    world: &'w dyn World,
    anchors: Anchors,
}

impl Literals<'_> {
    /// Looks at the directories of a tree, whose canonical path is given. Only a link gives other
    /// spellings, so below what is missing, or is no directory, there are none.
    fn walk(&mut self, anchor: Anchor, tree: &LiteralTree, path: &mut String, dir: &str) {
        let length = path.len();
        for (name, child) in &tree.children {
            if !path.ends_with('/') {
                path.push('/');
            }
            path.push_str(name);
            match self.world.inspect(path) {
                Ok(Node::Dir) => self.walk(anchor, child, path, &inside(dir, name)),
                Ok(Node::Link(_)) => self.all(anchor, child, &inside(dir, name)),
                Ok(Node::Missing | Node::File { .. } | Node::Other) | Err(_) => {}
            }
            path.truncate(length);
        }
    }

    fn all(&mut self, anchor: Anchor, tree: &LiteralTree, dir: &str) {
        tree.each(dir, &mut |dir| self.one(&LiteralDir { anchor, dir: dir.to_owned() }));
    }

    fn one(&mut self, dir: &LiteralDir) {
        let plain = dir.spellings(&self.anchors);
        let mut all = plain.clone();
        for one in &plain {
            for spelling in literal_spellings(self.world, one) {
                if !all.contains(&spelling) {
                    all.push(spelling);
                }
            }
        }
        if all.len() > plain.len() {
            self.anchors.literals.insert(dir.to_string(), all);
        }
    }
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
        .map(|dir| (dir, dir.to_string(), dir.spellings(anchors)))
        .collect();
    let places = [&anchors.workspace, &anchors.home, &anchors.temp];
    let mut known: HashSet<String> =
        places.into_iter().chain(dirs.iter().map(|(_, _, all)| all)).flatten().cloned().collect();
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
        for (_, key, plain) in &dirs {
            let all = anchors.literals.get(key).unwrap_or(plain);
            if all.contains(&far) && !all.contains(&near) {
                let all = all.iter().chain([&near]).cloned().collect();
                anchors.literals.insert(key.clone(), all);
            }
        }
    }
    // A directory that has a list of its own lies below every spelling of its place too.
    for (dir, key, _) in &dirs {
        let places = match dir.anchor {
            Anchor::Workspace => &anchors.workspace,
            Anchor::Home => &anchors.home,
            Anchor::Root | Anchor::Drive(_) => continue,
        };
        let Some(all) = anchors.literals.get_mut(key) else { continue };
        for spelling in places.iter().map(|place| join(place, &dir.dir)) {
            if !all.contains(&spelling) {
                all.push(spelling);
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
