//! From paths to what `test` works with: test files and policies, found, read and compiled.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::base::limits::CONFIG_FILE_BYTES_MAX;
use crate::base::{Diagnostic, Level, Sources};
use crate::cli::exit::Failure;
use crate::cli::load::{self, Layer};
use crate::cli::render::Findings;
use crate::cli::{files, tools};
use crate::compile::{Program, compile};
use crate::host::config;
use crate::suite::{self, Host, PolicySource, Suite};

/// How test files end.
pub const TEST_ENDING: &str = ".test.yaml";
/// How their snapshots end.
const SNAPSHOT_ENDING: &str = ".test.snap";
/// What people write who mean [`TEST_ENDING`].
const NEAR_ENDINGS: [&str; 5] = [".test.yml", ".tests.yaml", ".tests.yml", "_test.yaml", ".test.json"];

/// What lies at the paths.
#[derive(Debug, Default)]
pub struct Found {
    /// Test files.
    pub tests: Vec<PathBuf>,
    /// Policy files.
    pub policies: Vec<PathBuf>,
    /// What looks like a test and is none.
    pub strays: Vec<Stray>,
}

/// A file that looks like a test, or belongs to one, and is not run.
#[derive(Debug)]
pub struct Stray {
    /// The file as it is shown.
    pub name: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// Where a file lies in what is looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Test,
    Policy,
    Snapshot,
    Near(&'static str),
}

fn role(path: &Path) -> Option<Role> {
    let name = path.file_name()?.to_string_lossy();
    if name.ends_with(TEST_ENDING) {
        Some(Role::Test)
    } else if path.extension().is_some_and(|extension| extension == "toll") {
        Some(Role::Policy)
    } else if name.ends_with(SNAPSHOT_ENDING) {
        Some(Role::Snapshot)
    } else {
        NEAR_ENDINGS.into_iter().find(|ending| name.ends_with(ending)).map(Role::Near)
    }
}

/// Where the snapshot of a test file is kept.
#[must_use]
pub fn snapshot_of(test: &Path) -> PathBuf {
    test.with_extension("snap")
}

/// A test file or a policy file that can be run.
#[derive(Debug)]
pub struct Loaded {
    /// The file as it is shown.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// What it tests; nothing for a policy file, of which only examples count.
    pub suite: Option<Suite>,
    /// What is tested.
    pub program: Program,
    /// The texts of the policy.
    pub sources: Sources,
    /// Where the policy's files are, packs left out.
    pub files: Vec<PathBuf>,
    /// What is said about every check.
    pub host: Host,
}

/// A file that cannot be run.
#[derive(Debug)]
pub struct Unusable {
    /// The file as it is shown.
    pub name: String,
    /// Line and column.
    pub place: Option<(u32, u32)>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// What the compiler says.
    pub findings: Findings,
}

/// Looks for test files and policies.
///
/// # Errors
/// A path that is not there, or holds neither.
pub fn find(paths: &[PathBuf]) -> Result<Found, Failure> {
    let here = [PathBuf::from(".")];
    let mut found = Found::default();
    let mut seen = HashSet::new();
    for path in if paths.is_empty() { &here[..] } else { paths } {
        let below = if files::is_folder(path) {
            files::files_below(path, &|name| role(Path::new(name)).is_some())
                .map_err(|why| Failure::unusable(format!("the folder cannot be read: {why}")))?
        } else if !files::exists(path) {
            return Err(Failure::unusable(format!("`{}`: there is no such file", path.display())));
        } else if matches!(role(path), Some(Role::Test | Role::Policy)) {
            vec![path.clone()]
        } else {
            let message = format!("`{}` is neither a test file nor a policy", path.display());
            return Err(Failure::unusable(message)
                .help("name *.test.yaml files, *.toll files, or folders that hold them"));
        };
        if !below.iter().any(|file| matches!(role(file), Some(Role::Test | Role::Policy))) {
            let message = format!("there is nothing to test in `{}`", path.display());
            return Err(
                Failure::unusable(message).help("test files end in `.test.yaml`, policies in `.toll`")
            );
        }
        for file in below.into_iter().filter(|file| seen.insert(files::canonical(file))) {
            match role(&file) {
                Some(Role::Test) => found.tests.push(file),
                Some(Role::Policy) => found.policies.push(file),
                Some(Role::Snapshot) => found.strays.extend(orphan(&file)),
                Some(Role::Near(ending)) => found.strays.push(Stray {
                    name: files::shown(&file),
                    message: format!("is not run: it ends in `{ending}`"),
                    help: format!("test files end in `{TEST_ENDING}`: rename it"),
                }),
                None => {}
            }
        }
    }
    Ok(found)
}

/// A snapshot beside which there is no test file.
fn orphan(snapshot: &Path) -> Option<Stray> {
    let test = snapshot.with_extension("yaml");
    (!files::exists(&test)).then(|| Stray {
        name: files::shown(snapshot),
        message: format!("is the snapshot of `{}`, which is not there", files::shown(&test)),
        help: "delete it, or bring the test file back".to_owned(),
    })
}

/// Reads a test file and compiles what it tests.
///
/// # Errors
/// What cannot be used.
pub fn test_file(path: &Path) -> Result<Loaded, Unusable> {
    let name = files::shown(path);
    let unusable = |failure: Failure| Unusable {
        name: name.clone(),
        place: None,
        message: failure.message,
        help: failure.help,
        findings: Findings::default(),
    };
    let text = files::read_text(path, "test file", CONFIG_FILE_BYTES_MAX).map_err(unusable)?;
    let suite = suite::parse(&text).map_err(|error| Unusable {
        name: name.clone(),
        place: error.place,
        message: error.message,
        help: error.help,
        findings: Findings::default(),
    })?;
    let root = load::root_of(path);
    let in_project = files::canonical(path).strip_prefix(&root).map(files::shown).unwrap_or_default();
    let mut protected = suite.protected(&in_project);
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let layers = layers(&suite, &folder, &root).map_err(unusable)?;
    if suite.policy == PolicySource::Configured {
        let configured = layers.iter().flat_map(|layer| &layer.paths);
        let places = configured.map(|(path, _)| files::canonical(path));
        let relative = places.filter_map(|place| place.strip_prefix(&root).map(Path::to_path_buf).ok());
        protected.extend(relative.filter(|path| path.as_os_str() != "").map(|path| files::shown(&path)));
    }
    let inline = match &suite.policy {
        PolicySource::One { text: Some(text), .. } => Some(Inline { test: path, text }),
        _ => None,
    };
    let (program, sources, files) = program(&name, &layers, inline)?;
    let sources_of = tools::builtin().map(|registry| tools::sources(&registry)).map_err(unusable)?;
    let host = Host { protected, sources: sources_of };
    Ok(Loaded { name, path: path.to_path_buf(), suite: Some(suite), program, sources, files, host })
}

/// Compiles a policy file as a policy of its own.
///
/// # Errors
/// What cannot be used.
pub fn policy_file(path: &Path) -> Result<Loaded, Unusable> {
    let name = files::shown(path);
    let layers = [load::layer_of_path(path)];
    let (program, sources, files) = program(&name, &layers, None).map_err(|mut unusable| {
        if unusable.findings.found.iter().any(|found| found.code == "all-layers-pass") {
            unusable.help = Some(
                "a layer that only restricts is tested by a test file that names it beside another under \
                 `layers`"
                    .to_owned(),
            );
        }
        unusable
    })?;
    Ok(Loaded { name, path: path.to_path_buf(), suite: None, program, sources, files, host: Host::default() })
}

/// The layers that a test file names.
fn layers(suite: &Suite, folder: &Path, root: &Path) -> Result<Vec<Layer>, Failure> {
    let layer = |name: &str, paths: &[String]| Layer {
        name: name.to_owned(),
        paths: paths.iter().map(|path| load::located(&folder.join(path))).collect(),
        named_by: "the test file names it".to_owned(),
    };
    match &suite.policy {
        PolicySource::One { paths, .. } => Ok(vec![layer("policy", paths)]),
        PolicySource::Layers(layers) => {
            for (name, _) in layers {
                config::check_layer_name(name).map_err(Failure::unusable)?;
            }
            Ok(layers.iter().map(|(name, paths)| layer(name, paths)).collect())
        }
        PolicySource::Configured => load::project_layers(root).map_err(|failure| {
            failure.help("the test file names no policy: write `policy: PATH`, relative to its folder")
        }),
    }
}

type Compiled = (Program, Sources, Vec<PathBuf>);

/// A policy that stands in a test file.
struct Inline<'a> {
    test: &'a Path,
    text: &'a str,
}

impl Inline<'_> {
    /// Makes it one more file of the first layer, at the place of its test file.
    fn add(&self, texts: &mut load::LayerTexts) {
        let parent = |path: &Path| path.parent().map(Path::to_path_buf).unwrap_or_default();
        let (real, shown) = load::located(self.test);
        let folder = parent(&real);
        texts.folders.add_folder(
            &parent(&shown),
            if folder.as_os_str().is_empty() { Path::new(".") } else { &folder },
        );
        if let Some(layer) = texts.inputs.first_mut() {
            layer.files.push((format!("{}#policy-text", files::shown(&shown)), self.text.to_owned()));
        }
    }
}

fn program(name: &str, layers: &[Layer], inline: Option<Inline<'_>>) -> Result<Compiled, Unusable> {
    let fail = |failure: Failure, findings: Findings| Unusable {
        name: name.to_owned(),
        place: None,
        message: failure.message,
        help: failure.help,
        findings,
    };
    let mut texts = load::read_layers(layers).map_err(|failure| fail(failure, Findings::default()))?;
    if let Some(inline) = inline {
        inline.add(&mut texts);
    }
    let host_tools = tools::builtin().map_err(|failure| fail(failure, Findings::default()))?.declarations();
    let compiled = compile(&texts.inputs, &texts.folders, host_tools);
    let Some(program) = compiled.program else {
        let is_error = |found: &Diagnostic| found.level == Level::Error;
        let found: Vec<Diagnostic> = compiled.diagnostics.into_iter().filter(is_error).collect();
        let count = crate::cli::render::counted(found.len(), "error");
        let failure = Failure::unusable(format!("the policy cannot be used: {count}"));
        return Err(fail(failure, Findings { sources: compiled.sources, found }));
    };
    let names = compiled.sources.iter().map(|(_, source)| source.name.as_str());
    let files =
        names.filter_map(|name| texts.folders.find(name)).map(|path| files::canonical(&path)).collect();
    Ok((program, compiled.sources, files))
}
