//! What facts a program can look at for a tool: filled by `compile`, taken by `effects`.

use super::pattern::path::{Anchor, LiteralDir};

/// The facts that some rule in scope could ask for. What nothing asks for is not looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Demand {
    /// Some rule in a network scope looks at `ip`: resolve names and split by address.
    pub ip: bool,
    /// Some rule in a read or write scope looks at the path: walk trees.
    pub paths: bool,
}

/// The places of the file system that a program's path patterns begin at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// Some pattern begins in the home directory.
    pub home: bool,
    /// Some condition names the directory for temporary files.
    pub temp: bool,
    /// Literal directories below the root, the workspace and the home directory.
    pub(crate) below: [LiteralTree; 3],
    /// Those below drives.
    pub(crate) drives: Vec<LiteralDir>,
}

/// Literal directories by their components, so that what lies below a missing one costs nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LiteralTree {
    /// A pattern begins with the directory that this is.
    pub literal: bool,
    /// The directories in it, by name.
    pub children: Vec<(Box<str>, Self)>,
}

impl Places {
    /// The places that [`Places::below`] has trees for, in their order.
    pub(crate) const ANCHORS: [Anchor; 3] = [Anchor::Root, Anchor::Workspace, Anchor::Home];

    /// The places of literal directories, with the home directory and that for temporary files.
    #[must_use]
    pub fn new<'a>(dirs: impl IntoIterator<Item = &'a LiteralDir>) -> Self {
        let mut places = Self { home: true, temp: true, ..Self::default() };
        dirs.into_iter().for_each(|dir| places.add(dir));
        places
    }

    /// All literal directories, by anchor and name.
    #[must_use]
    pub fn literal_dirs(&self) -> Vec<LiteralDir> {
        let mut found = Vec::new();
        for (anchor, tree) in Self::ANCHORS.into_iter().zip(&self.below) {
            tree.each("", &mut |dir| found.push(LiteralDir { anchor, dir: dir.to_owned() }));
        }
        found.extend(self.drives.iter().cloned());
        found
    }

    /// Adds the beginning of a pattern.
    pub fn add(&mut self, dir: &LiteralDir) {
        self.home |= dir.anchor == Anchor::Home;
        if dir.dir.is_empty() {
            return;
        }
        let trees = Self::ANCHORS.into_iter().zip(&mut self.below);
        match trees.into_iter().find(|(anchor, _)| *anchor == dir.anchor) {
            Some((_, tree)) => tree.add(&dir.dir),
            None if self.drives.contains(dir) => {}
            None => self.drives.push(dir.clone()),
        }
    }
}

impl LiteralTree {
    fn add(&mut self, dir: &str) {
        let mut tree = self;
        for name in dir.split('/') {
            let at = tree.children.binary_search_by(|(child, _)| (**child).cmp(name));
            let at = at.unwrap_or_else(|at| {
                tree.children.insert(at, (name.into(), Self::default()));
                at
            });
            let Some((_, child)) = tree.children.get_mut(at) else { return };
            tree = child;
        }
        tree.literal = true;
    }

    /// Calls `each` with every literal directory of the tree, which is `path` itself.
    pub(crate) fn each(&self, path: &str, each: &mut dyn FnMut(&str)) {
        if self.literal {
            each(path);
        }
        for (name, child) in &self.children {
            child.each(&inside(path, name), each);
        }
    }
}

/// Components with one more behind them.
pub(crate) fn inside(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { [dir, "/", name].concat() }
}
