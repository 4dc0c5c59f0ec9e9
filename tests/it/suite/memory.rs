//! The suites of this repository against texts that somebody changed: read once, then all in memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use tollgate::compile::{Compiled, Files, LayerInput, compile};
use tollgate::gate::Registry;
use tollgate::suite::{Host, PolicySource, Suite, parse, snapshot};

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Files of the repository, some with another text. Packs are files as well: `policies/std/NAME.toll`.
#[derive(Debug, Clone, Default)]
pub struct Texts(pub BTreeMap<String, String>);

impl Texts {
    fn text(&self, path: &str) -> Result<String, String> {
        match self.0.get(path) {
            Some(text) => Ok(text.clone()),
            None => fs::read_to_string(root().join(path)).map_err(|error| error.to_string()),
        }
    }
}

impl Files for Texts {
    fn read(&self, _layer: usize, path: &str) -> Result<String, String> {
        self.text(path)
    }

    fn pack(&self, name: &str) -> Option<String> {
        self.0.get(&format!("policies/std/{name}.toll")).cloned()
    }
}

/// A test file with everything that a run of it needs but the policy.
pub struct TestFile {
    /// Relative to the repository.
    pub name: String,
    pub suite: Suite,
    pub host: Host,
    /// What its snapshot says of each check.
    pub stored: BTreeMap<String, String>,
    tools: Registry,
}

impl TestFile {
    pub fn read(name: &str) -> Self {
        let suite = parse(&fs::read_to_string(root().join(name)).unwrap())
            .unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let stored = fs::read_to_string(root().join(name).with_extension("snap")).unwrap_or_default();
        let stored = snapshot::read(&stored).unwrap_or_else(|why| panic!("the snapshot of {name}: {why}"));
        let tools = tollgate::tools::builtin().unwrap();
        let sources =
            tools.definitions().map(|(source, tool)| (tool.name.clone(), source.to_owned())).collect();
        let host = Host { protected: suite.protected(name), sources };
        let stored = stored.into_iter().map(|entry| (entry.name, entry.text)).collect();
        Self { name: name.to_owned(), suite, host, stored, tools }
    }

    /// The policy that it tests, with other texts.
    pub fn compile(&self, texts: &Texts) -> Compiled {
        let folder = self.name.rsplit_once('/').unwrap().0;
        let file = |path: &String| {
            let path = beside(folder, path);
            (path.clone(), texts.text(&path).unwrap_or_else(|why| panic!("{}: {path}: {why}", self.name)))
        };
        let layer = |name: &str, paths: &[String]| LayerInput {
            name: name.to_owned(),
            files: paths.iter().map(file).collect(),
        };
        let layers = match &self.suite.policy {
            PolicySource::One { paths, text } => {
                let mut layer = layer("policy", paths);
                layer
                    .files
                    .extend(text.iter().map(|text| (format!("{}#policy-text", self.name), text.clone())));
                vec![layer]
            }
            PolicySource::Layers(layers) => layers.iter().map(|(name, paths)| layer(name, paths)).collect(),
            PolicySource::Configured => panic!("{}: this repository has no tollgate.yaml", self.name),
        };
        compile(&layers, texts, self.tools.declarations())
    }
}

/// A path from a folder, dots resolved.
fn beside(folder: &str, path: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in Path::new(folder).join(path).components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(name) => parts.push(name.to_str().unwrap().to_owned()),
            _ => {}
        }
    }
    parts.join("/")
}
