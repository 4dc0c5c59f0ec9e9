//! Layers → parsed files: imports, packs, cycles, limits. Reading is behind the [`Files`] port.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::base::limits::{POLICY_FILE_BYTES_MAX, POLICY_FILES_MAX};
use crate::base::suggest::nearest;
use crate::base::{Diagnostic, FileId, Fix, Level, Source, Sources, Span};
use crate::syntax::ast::{File, ItemKind, Name};

use super::packs;

/// One layer as a host hands it in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LayerInput {
    /// Its name: the part before the slash of a rule's full name.
    pub name: String,
    /// The files given directly: path relative to the layer's folder (also the name that is shown)
    /// and text. Files that are only imported are read through [`Files`].
    pub files: Vec<(String, String)>,
}

/// The port through which imports and schema files are read.
pub trait Files {
    /// Reads a file of a layer. `path` is normalised and relative to the layer's folder; it never
    /// leaves the folder by its text, and an implementation refuses links that lead out.
    ///
    /// # Errors
    /// Why it could not be read, as a sentence for the author.
    fn read(&self, layer: usize, path: &str) -> Result<String, String>;

    /// The text of a pack where it is not to be the one that ships with the program, for those who
    /// study what a change of a pack does. There are no other packs than those that ship.
    fn pack(&self, _name: &str) -> Option<String> {
        None
    }
}

/// A host without files beside those given directly.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _layer: usize, _path: &str) -> Result<String, String> {
        Err("there is no such file".to_owned())
    }
}

/// Everything that was read.
pub(super) struct Load {
    pub(super) sources: Sources,
    pub(super) layers: Vec<LoadedLayer>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// One layer with all its files, imported ones behind those given directly.
pub(super) struct LoadedLayer {
    pub(super) name: String,
    pub(super) files: Vec<LoadedFile>,
    /// Some file could not be read or parsed: names that are missing may stand there.
    pub(super) broken: bool,
}

/// One parsed file of a layer.
pub(super) struct LoadedFile {
    pub(super) id: FileId,
    /// Normalised, relative to the layer's folder; `None` for a pack.
    pub(super) path: Option<String>,
    pub(super) tree: Rc<File>,
    /// The first import that names it.
    pub(super) imported: Option<(FileId, Span)>,
}

/// Reads and parses all layers.
pub(super) fn load(inputs: &[LayerInput], files: &dyn Files) -> Load {
    let mut loader = Loader {
        files,
        sources: Sources::default(),
        diagnostics: Vec::new(),
        packs: HashMap::new(),
        count: 0,
    };
    let layers = inputs.iter().enumerate().map(|(at, input)| loader.layer(at, input)).collect();
    Load { sources: loader.sources, layers, diagnostics: loader.diagnostics }
}

struct Loader<'a> {
    files: &'a dyn Files,
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
    packs: HashMap<String, (FileId, Rc<File>)>,
    count: usize,
}

/// An import: from file, to file (indices in the layer), and where it stands.
struct Edge {
    from: usize,
    to: usize,
    span: Span,
}

impl Loader<'_> {
    fn layer(&mut self, index: usize, input: &LayerInput) -> LoadedLayer {
        let mut layer = LoadedLayer { name: input.name.clone(), files: Vec::new(), broken: false };
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for (path, text) in &input.files {
            // A host may show its files by absolute paths.
            let absolute = path.strip_prefix('/').and_then(|path| normalise("/", path));
            let key = absolute.or_else(|| normalise("", path)).unwrap_or_else(|| path.clone());
            if known.contains_key(&key) {
                continue;
            }
            known.insert(key.clone(), layer.files.len());
            let (id, tree) = self.parse(path, text, &mut layer.broken);
            layer.files.push(LoadedFile { id, path: Some(key), tree, imported: None });
        }
        let mut edges = Vec::new();
        let mut at = 0;
        while let Some(file) = layer.files.get(at) {
            let (id, base, tree) = (file.id, file.path.clone(), Rc::clone(&file.tree));
            for item in &tree.items {
                let ItemKind::Import(name) = &item.kind else { continue };
                let Some(key) = self.target(id, base.as_deref(), name) else {
                    layer.broken = true;
                    continue;
                };
                let to = match known.get(&key) {
                    Some(&to) => Some(to),
                    None => self.fetch(index, id, name.span, &key, &mut layer),
                };
                let Some(to) = to else {
                    layer.broken = true;
                    continue;
                };
                known.insert(key, to);
                if let Some(target) = layer.files.get_mut(to) {
                    target.imported.get_or_insert((id, name.span));
                }
                edges.push(Edge { from: at, to, span: name.span });
            }
            at += 1;
        }
        self.cycles(&layer, &edges);
        layer
    }

    /// The key of what an import names: `std:NAME`, or a path in the layer's folder.
    fn target(&mut self, file: FileId, base: Option<&str>, name: &Name) -> Option<String> {
        let text = name.node.as_str();
        let fail = |diagnostics: &mut Vec<Diagnostic>, diagnostic| {
            diagnostics.push(diagnostic);
            None
        };
        if let Some(pack) = text.strip_prefix("std:") {
            if packs::text(pack).is_some() {
                return Some(text.to_owned());
            }
            let message = format!("there is no pack `{text}`");
            let mut diagnostic = Diagnostic::error("unknown-pack", file, name.span, message)
                .expected(format!("one of {}", quoted_list(packs::names().map(|n| format!("std:{n}")))));
            if let Some(near) = nearest(pack, packs::names()) {
                diagnostic = diagnostic
                    .help(format!("did you mean `std:{near}`?"))
                    .fix(Fix::suggest(name.span, format!("\"std:{near}\"")));
            }
            return fail(&mut self.diagnostics, diagnostic);
        }
        let Some(base) = base else {
            let message = format!("a pack cannot import the file `{text}`");
            let diagnostic = Diagnostic::error("import-path", file, name.span, message);
            return fail(&mut self.diagnostics, diagnostic.expected("`\"std:NAME\"`"));
        };
        if !(text.starts_with("./") || text.starts_with("../")) {
            let message = format!("`{text}` does not say where the file is");
            let mut diagnostic = Diagnostic::error("import-path", file, name.span, message)
                .expected("`\"std:NAME\"`, or a path that starts with `./`");
            if !text.is_empty() && !text.starts_with(['/', '~', '\\']) && !text.contains(':') {
                diagnostic = diagnostic
                    .help(format!("write `\"./{text}\"`"))
                    .fix(Fix::suggest(name.span, format!("\"./{text}\"")));
            }
            return fail(&mut self.diagnostics, diagnostic);
        }
        if !text.ends_with(".toll") {
            let message = format!("`{text}` is no policy file");
            let diagnostic = Diagnostic::error("import-path", file, name.span, message);
            return fail(&mut self.diagnostics, diagnostic.expected("a name that ends in `.toll`"));
        }
        let folder = base.rsplit_once('/').map_or("", |(folder, _)| folder);
        let key = normalise(folder, text);
        if key.is_none() {
            let message = format!("`{text}` leads out of the layer's folder");
            let diagnostic = Diagnostic::error("import-outside", file, name.span, message)
                .expected("a file in the folder of the layer")
                .help("move the file into the folder, or make it a layer of its own");
            self.diagnostics.push(diagnostic);
        }
        key
    }

    /// Reads and parses a file that is not yet part of the layer.
    fn fetch(
        &mut self,
        index: usize,
        from: FileId,
        span: Span,
        key: &str,
        layer: &mut LoadedLayer,
    ) -> Option<usize> {
        let to = layer.files.len();
        if let Some(pack) = key.strip_prefix("std:") {
            let (id, tree) = match self.packs.get(pack) {
                Some((id, tree)) => (*id, Rc::clone(tree)),
                None => {
                    let replaced = self.files.pack(pack);
                    let text = replaced.as_deref().or_else(|| packs::text(pack))?;
                    let (id, tree) = self.parse(key, text, &mut layer.broken);
                    self.packs.insert(pack.to_owned(), (id, Rc::clone(&tree)));
                    (id, tree)
                }
            };
            layer.files.push(LoadedFile { id, path: None, tree, imported: None });
            return Some(to);
        }
        if self.count >= POLICY_FILES_MAX {
            let message = format!("a policy set holds at most {POLICY_FILES_MAX} files");
            self.diagnostics.push(Diagnostic::error("too-many-files", from, span, message));
            return None;
        }
        match self.files.read(index, key) {
            Ok(text) => {
                let (id, tree) = self.parse(key, &text, &mut layer.broken);
                layer.files.push(LoadedFile { id, path: Some(key.to_owned()), tree, imported: None });
                Some(to)
            }
            Err(why) => {
                let message = format!("`{key}` cannot be read: {why}");
                self.diagnostics.push(Diagnostic::error("unreadable-import", from, span, message));
                None
            }
        }
    }

    fn parse(&mut self, name: &str, text: &str, broken: &mut bool) -> (FileId, Rc<File>) {
        self.count += 1;
        let too_large = text.len() > POLICY_FILE_BYTES_MAX;
        let id = self.sources.add(Source::new(name, if too_large { "" } else { text }));
        let refused = if self.count == POLICY_FILES_MAX + 1 {
            Some(("too-many-files", format!("a policy set holds at most {POLICY_FILES_MAX} files")))
        } else if too_large {
            let limit = POLICY_FILE_BYTES_MAX >> 20;
            Some(("file-too-large", format!("`{name}` is larger than {limit} MiB")))
        } else {
            None
        };
        if let Some((code, message)) = refused {
            *broken = true;
            let help = "split the policy set";
            self.diagnostics.push(Diagnostic::error(code, id, Span::default(), message).help(help));
        }
        if too_large || self.count > POLICY_FILES_MAX {
            return (id, Rc::new(File::default()));
        }
        let (tree, diagnostics) = crate::syntax::parse(id, text);
        *broken |= diagnostics.iter().any(|d| d.level == Level::Error);
        self.diagnostics.extend(diagnostics);
        (id, Rc::new(tree))
    }

    /// Reports each import that closes a circle.
    fn cycles(&mut self, layer: &LoadedLayer, edges: &[Edge]) {
        let mut done = vec![false; layer.files.len()];
        for start in 0..layer.files.len() {
            // The files on the way from `start`, each with the edges that are still to be followed.
            let mut way: Vec<(usize, Vec<&Edge>)> = vec![(start, outgoing(edges, start))];
            if done.get(start).copied().unwrap_or(true) {
                continue;
            }
            while let Some((at, rest)) = way.last_mut() {
                let at = *at;
                let Some(edge) = rest.pop() else {
                    if let Some(flag) = done.get_mut(at) {
                        *flag = true;
                    }
                    way.pop();
                    continue;
                };
                if let Some(position) = way.iter().position(|(file, _)| *file == edge.to) {
                    let circle: Vec<usize> = way.iter().skip(position).map(|(file, _)| *file).collect();
                    self.report_cycle(layer, edge, &circle);
                } else if !done.get(edge.to).copied().unwrap_or(true) {
                    way.push((edge.to, outgoing(edges, edge.to)));
                }
            }
        }
    }

    fn report_cycle(&mut self, layer: &LoadedLayer, edge: &Edge, circle: &[usize]) {
        let Some(from) = layer.files.get(edge.from) else { return };
        let names: Vec<&str> = circle
            .iter()
            .chain([&edge.to])
            .filter_map(|at| layer.files.get(*at))
            .filter_map(|file| self.sources.get(file.id))
            .map(|source| source.name.as_str())
            .collect();
        let message = format!("the imports go in a circle: {}", names.join(" → "));
        let diagnostic = Diagnostic::error("import-cycle", from.id, edge.span, message)
            .help("move what both need into a file that imports neither");
        self.diagnostics.push(diagnostic);
    }
}

/// The edges of a file, last first, so that `pop` gives them in order.
fn outgoing(edges: &[Edge], from: usize) -> Vec<&Edge> {
    edges.iter().rev().filter(|edge| edge.from == from).collect()
}

/// `` `a`, `b`, `c` ``.
pub(super) fn quoted_list<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    names.into_iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

/// Joins a relative path to a folder and takes `.` and `..` out; an absolute folder stays absolute.
/// `None` where it leaves the layer's folder, is absolute itself, or is empty.
pub(super) fn normalise(folder: &str, path: &str) -> Option<String> {
    if path.is_empty() || path.starts_with('/') || path.contains(['\\', '\0', ':']) {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    let root = if folder.starts_with('/') { "/" } else { "" };
    (!parts.is_empty()).then(|| format!("{root}{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::normalise;

    #[test]
    fn paths_stay_in_the_folder() {
        assert_eq!(normalise("a/b", "./c.toll").as_deref(), Some("a/b/c.toll"));
        assert_eq!(normalise("a/b", "../c.toll").as_deref(), Some("a/c.toll"));
        assert_eq!(normalise("", "./x//y.toll").as_deref(), Some("x/y.toll"));
        assert_eq!(normalise("/a/b", "../c.toll").as_deref(), Some("/a/c.toll"));
        assert_eq!(normalise("/a", "../../c.toll"), None);
        for path in ["../c.toll", "/c.toll", "./../../c.toll", "C:/x.toll", "..\\x.toll", "", "."] {
            assert_eq!(normalise("", path), None, "{path}");
        }
    }
}
