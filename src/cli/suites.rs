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
use crate::suite::{self, Host, PolicySource, Suite};

/// How test files end.
pub const TEST_ENDING: &str = ".test.yaml";

/// What lies at the paths.
#[derive(Debug, Default)]
pub struct Found {
    /// Test files.
    pub tests: Vec<PathBuf>,
    /// Policy files.
    pub policies: Vec<PathBuf>,
}

/// A test file or a policy file that can be run.
#[derive(Debug)]
pub struct Loaded {
    /// The file as it is shown.
    pub name: String,
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
        let is_test = |path: &Path| path.to_string_lossy().ends_with(TEST_ENDING);
        let is_policy = |path: &Path| path.extension().is_some_and(|extension| extension == "toll");
        let below = if files::is_folder(path) {
            files::files_below(path, &|name| is_test(Path::new(name)) || is_policy(Path::new(name)))
                .map_err(|why| Failure::unusable(format!("the folder cannot be read: {why}")))?
        } else if !files::exists(path) {
            return Err(Failure::unusable(format!("`{}`: there is no such file", path.display())));
        } else if is_test(path) || is_policy(path) {
            vec![path.clone()]
        } else {
            let message = format!("`{}` is neither a test file nor a policy", path.display());
            return Err(Failure::unusable(message)
                .help("name *.test.yaml files, *.toll files, or folders that hold them"));
        };
        if below.is_empty() {
            let message = format!("there is nothing to test in `{}`", path.display());
            return Err(
                Failure::unusable(message).help("test files end in `.test.yaml`, policies in `.toll`")
            );
        }
        for file in below.into_iter().filter(|file| seen.insert(files::canonical(file))) {
            if is_test(&file) { found.tests.push(file) } else { found.policies.push(file) }
        }
    }
    Ok(found)
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
    let (real, _) = load::located(path);
    let in_project = real.strip_prefix(&root).map(files::shown).unwrap_or_default();
    let mut protected = suite.protected(&in_project);
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let layers = layers(&suite, &folder, &root).map_err(unusable)?;
    if suite.policy == PolicySource::Configured {
        let configured = layers.iter().flat_map(|layer| &layer.paths);
        let relative = configured.filter_map(|(real, _)| real.strip_prefix(&root).ok());
        protected.extend(relative.filter(|path| path.as_os_str() != "").map(files::shown));
    }
    let inline = match &suite.policy {
        PolicySource::One { text: Some(text), .. } => Some((format!("{name}#policy-text"), text.clone())),
        _ => None,
    };
    let (program, sources, files) = program(&name, &layers, inline, &folder)?;
    let sources_of = tools::builtin().map(|registry| tools::sources(&registry)).map_err(unusable)?;
    let host = Host { protected, sources: sources_of };
    Ok(Loaded { name, suite: Some(suite), program, sources, files, host })
}

/// Compiles a policy file as a policy of its own.
///
/// # Errors
/// What cannot be used.
pub fn policy_file(path: &Path) -> Result<Loaded, Unusable> {
    let name = files::shown(path);
    let layers = [load::layer_of_path(path)];
    let (program, sources, files) =
        program(&name, &layers, None, Path::new("")).map_err(|mut unusable| {
            if unusable.findings.found.iter().any(|found| found.code == "all-layers-pass") {
                unusable.help = Some(
                "a layer that only restricts is tested by a test file that names it beside another under \
                 `layers`"
                    .to_owned(),
            );
            }
            unusable
        })?;
    Ok(Loaded { name, suite: None, program, sources, files, host: Host::default() })
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
        PolicySource::Layers(layers) => Ok(layers.iter().map(|(name, paths)| layer(name, paths)).collect()),
        PolicySource::Configured => load::project_layers(root).map_err(|failure| {
            failure.help("the test file names no policy: write `policy: PATH`, relative to its folder")
        }),
    }
}

type Compiled = (Program, Sources, Vec<PathBuf>);

fn program(
    name: &str,
    layers: &[Layer],
    inline: Option<(String, String)>,
    folder: &Path,
) -> Result<Compiled, Unusable> {
    let fail = |failure: Failure, findings: Findings| Unusable {
        name: name.to_owned(),
        place: None,
        message: failure.message,
        help: failure.help,
        findings,
    };
    let mut texts = load::read_layers(layers).map_err(|failure| fail(failure, Findings::default()))?;
    if let (Some(file), Some(layer)) = (inline, texts.inputs.first_mut()) {
        let shown = Path::new(name).parent().unwrap_or(Path::new(""));
        texts.folders.add_folder(shown, if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        layer.files.push(file);
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
