//! From flags to what a verb works with: configuration, workspace, layers, program, world.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line looks at its working directory and environment"
)]

use std::env;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use crate::base::limits::{CONFIG_FILE_BYTES_MAX, POLICY_FILE_BYTES_MAX};
use crate::base::{Diagnostic, Digest, Level, yaml};
use crate::compile::import::LayerInput;
use crate::compile::{Program, compile};
use crate::effects::World;
use crate::effects::virtual_world::VirtualWorld;
use crate::gate::HookSpec;
use crate::host::config::{self, Config, Durability, Owner};
use crate::host::fs::{self, RealWorld};
use crate::host::pinned::Pinned;
use crate::host::process::is_passed;
use crate::model::ToolDeclaration;

use super::args::{ContextArgs, PolicyArgs};
use super::exit::{Exit, Failure};
use super::files::{self, LayerFolders};
use super::{output, render};

/// The operator's configuration.
const OPERATOR_FILE: &str = "/etc/tollgate/tollgate.yaml";

/// What a verb works with, before anything is compiled.
#[derive(Debug)]
pub struct Setup {
    /// The workspace root, absolute.
    pub workspace: PathBuf,
    /// The mode of calls that name none.
    pub mode: Option<String>,
    /// Whether nobody is there to approve.
    pub unattended: bool,
    /// When an audit record counts as written.
    pub durability: Durability,
    /// Bytes of output that stand in an envelope.
    pub output_bytes: Option<u64>,
    /// Whether writes to what the gate loads or keeps are blocked.
    pub self_protection: bool,
    /// The layers, outermost first.
    pub layers: Vec<Layer>,
    /// The configuration files that were read, and those that would be.
    pub config_files: Vec<PathBuf>,
    /// Hooks, outermost configuration first, their programs pinned.
    pub hooks: Vec<(HookSpec, Pinned)>,
}

/// A layer before it is read.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// Its files and folders: where they are, and how they are shown.
    pub paths: Vec<(PathBuf, PathBuf)>,
    /// Who names it, for people: the layer in its configuration, or the flag; empty for a path alone.
    pub named_by: String,
}

/// The texts of all layers.
#[derive(Debug, Default)]
pub struct LayerTexts {
    /// What the compiler takes.
    pub inputs: Vec<LayerInput>,
    /// Where imports come from.
    pub folders: LayerFolders,
}

/// Finds configuration, workspace and layers.
///
/// # Errors
/// A configuration that cannot be used, with its line.
pub fn setup(policy: &PolicyArgs, context: &ContextArgs) -> Result<Setup, Failure> {
    let mut stack = Stack::default();
    let none = policy.config.as_deref() == Some(Path::new("none"));
    if !none {
        stack.outer_files(policy.config.as_deref())?;
    }
    let configured = stack.first(|config| config.workspace.clone());
    let workspace = workspace_root(policy.workspace.as_deref().or(configured.as_deref()))?;
    if !none {
        stack.project_file(&workspace)?;
    } else if files::exists(&workspace.join(config::FILE_NAME)) {
        // Whoever wrote it believes that it protects something.
        let file = files::shown(&workspace.join(config::FILE_NAME));
        output::tell(&format!("note: {file} has no effect: `--config none` reads no configuration"));
    }
    let mut layers: Vec<Layer> = Vec::new();
    for (file, config) in &stack.configs {
        let file = shown_from_here(file);
        for entry in &config.layers {
            let named_by = format!("it is in the layer `{}` of {file}", entry.name);
            let paths = entry.paths.iter().map(|path| shown_configured(path, &workspace)).collect();
            add_layer(&mut layers, Layer { name: entry.name.clone(), paths, named_by })?;
        }
    }
    let given = policy.policy.iter().map(|path| ("policy", path, String::new()));
    let named = policy
        .layers
        .iter()
        .map(|(name, path)| (name.as_str(), path, format!("it is the layer `{name}` of the command line")));
    for (name, path, named_by) in given.chain(named) {
        add_layer(&mut layers, Layer { name: name.to_owned(), paths: vec![shown_given(path)], named_by })?;
    }
    let hooks = stack.hooks()?;
    Ok(Setup {
        workspace,
        hooks,
        mode: context.mode.clone().or_else(|| stack.first(|config| config.mode.clone())),
        unattended: context.unattended || stack.configs.iter().any(|(_, c)| c.unattended == Some(true)),
        durability: stack.first(|config| config.durability).unwrap_or_default(),
        output_bytes: stack.configs.iter().filter_map(|(_, config)| config.output_bytes).min(),
        self_protection: stack.first(|config| config.self_protection).unwrap_or(true),
        layers,
        config_files: stack.looked_for,
    })
}

/// The configurations that were read, outermost first.
#[derive(Default)]
struct Stack {
    configs: Vec<(PathBuf, Config)>,
    looked_for: Vec<PathBuf>,
}

impl Stack {
    fn first<T>(&self, get: impl Fn(&Config) -> Option<T>) -> Option<T> {
        self.configs.iter().find_map(|(_, config)| get(config))
    }

    /// The hooks of all files; a name is one hook.
    fn hooks(&self) -> Result<Vec<(HookSpec, Pinned)>, Failure> {
        let mut hooks: Vec<(HookSpec, Pinned)> = Vec::new();
        for (file, config) in &self.configs {
            for entry in &config.hooks {
                let name = &entry.spec.name;
                let here = shown_from_here(file);
                if hooks.iter().any(|(spec, _)| spec.name == *name) {
                    return Err(Failure::unusable(format!("{here}: another file has a hook `{name}` too"))
                        .help("rename one of them"));
                }
                let pinned = Pinned::new(&entry.command, &entry.folder, entry.digest)
                    .map_err(|why| Failure::unusable(format!("{here}: the hook `{name}`: {why}")))?;
                hooks.push((entry.spec.clone(), pinned));
            }
        }
        Ok(hooks)
    }

    /// `--config FILE`, else the operator's; then the user's.
    fn outer_files(&mut self, given: Option<&Path>) -> Result<(), Failure> {
        match given {
            Some(path) => self.add(path, Owner::Outermost, true)?,
            None => self.add(Path::new(OPERATOR_FILE), Owner::Outermost, false)?,
        }
        if let Some(folder) = base_folder("XDG_CONFIG_HOME", ".config") {
            let owner = if self.configs.is_empty() { Owner::Outermost } else { Owner::Inner };
            self.add(&folder.join("tollgate").join(config::FILE_NAME), owner, false)?;
        }
        Ok(())
    }

    /// The project's, at the workspace root.
    fn project_file(&mut self, workspace: &Path) -> Result<(), Failure> {
        self.add(&workspace.join(config::FILE_NAME), Owner::Project, false)
    }

    fn add(&mut self, path: &Path, owner: Owner, must_exist: bool) -> Result<(), Failure> {
        let place = files::canonical(path);
        if self.looked_for.contains(&place) {
            return Ok(());
        }
        self.looked_for.push(place.clone());
        if !must_exist && !files::exists(path) {
            return Ok(());
        }
        let text = files::read_text(path, "configuration", CONFIG_FILE_BYTES_MAX)?;
        let folder = place.parent().map(Path::to_path_buf).unwrap_or_default();
        let config = config::parse(&text, &folder, owner).map_err(|error| {
            let column = |column: Option<u32>| column.map(|column| format!(":{column}")).unwrap_or_default();
            let place = error.place.map(|(line, at)| format!(":{line}{}", column(at))).unwrap_or_default();
            let message = format!("{}{place}: {}", shown_from_here(path), error.message);
            Failure { exit: Exit::Unusable, message, help: error.help }
        })?;
        self.configs.push((place, config));
        Ok(())
    }
}

/// A path that may climb, and how it is shown from the working directory.
#[must_use]
pub fn located(path: &Path) -> (PathBuf, PathBuf) {
    let real = files::canonical(path);
    let here = files::canonical(&env::current_dir().unwrap_or_default());
    let shown = real.strip_prefix(&here).map_or_else(|_| real.clone(), Path::to_path_buf);
    (path.to_path_buf(), shown)
}

/// The folder that a file's project begins at: the nearest upward with `.git`, else the current one.
#[must_use]
pub fn root_of(file: &Path) -> PathBuf {
    let file = files::canonical(file);
    let found = file.ancestors().skip(1).find(|folder| files::exists(&folder.join(".git")));
    found.map_or_else(|| files::canonical(&env::current_dir().unwrap_or_default()), Path::to_path_buf)
}

/// The layers that the configuration of a project names.
///
/// # Errors
/// There is none, it cannot be used, or it names no layer.
pub fn project_layers(root: &Path) -> Result<Vec<Layer>, Failure> {
    let mut stack = Stack::default();
    stack.add(&root.join(config::FILE_NAME), Owner::Outermost, true)?;
    let mut layers = Vec::new();
    for (_, config) in &stack.configs {
        for entry in &config.layers {
            let named_by = format!("it is in the layer `{}` of {}", entry.name, config::FILE_NAME);
            let paths = entry.paths.iter().map(|path| located(path)).collect();
            layers.push(Layer { name: entry.name.clone(), paths, named_by });
        }
    }
    Ok(layers)
}

/// A path as it is shown from the working directory: relative where it lies below.
fn shown_from_here(path: &Path) -> String {
    let here = env::current_dir().unwrap_or_default();
    files::shown(path.strip_prefix(here).unwrap_or(path))
}

/// A base folder of the XDG specification: the variable where it is absolute, else below home.
fn base_folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let set = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    set.or_else(|| home().map(|home| home.join(below_home)))
}

fn home() -> Option<PathBuf> {
    env::var_os("HOME").map(PathBuf::from).filter(|path| path.is_absolute())
}

/// `--workspace`, else the nearest folder upward with `.git`, else the working directory.
fn workspace_root(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let current = env::current_dir().map_err(|error| {
        Failure::unusable(format!("the working directory cannot be found: {}", files::reason(&error)))
    })?;
    if let Some(given) = given {
        let root = current.join(given);
        if !files::is_folder(&root) {
            return Err(Failure::unusable(format!("the workspace `{}` is no folder", given.display()))
                .help("give `--workspace` the root folder of the project"));
        }
        return Ok(if has_parent_parts(&root) { files::canonical(&root) } else { without_dots(&root) });
    }
    let found = current.ancestors().find(|folder| files::exists(&folder.join(".git")));
    Ok(found.unwrap_or(&current).to_path_buf())
}

fn has_parent_parts(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

fn without_dots(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

/// A path from the command line: shown as it was given, or absolute where it climbs.
fn shown_given(path: &Path) -> (PathBuf, PathBuf) {
    let shown = if has_parent_parts(path) { files::canonical(path) } else { without_dots(path) };
    (path.to_path_buf(), shown)
}

/// A path from a configuration: shown relative to the workspace where it lies in it.
fn shown_configured(path: &Path, workspace: &Path) -> (PathBuf, PathBuf) {
    let real = if has_parent_parts(path) { files::canonical(path) } else { path.to_path_buf() };
    let shown = real.strip_prefix(files::canonical(workspace)).or_else(|_| real.strip_prefix(workspace));
    let shown = shown.map_or_else(|_| without_dots(&real), without_dots);
    (real, shown)
}

fn add_layer(layers: &mut Vec<Layer>, layer: Layer) -> Result<(), Failure> {
    if layers.iter().any(|other| other.name == layer.name) {
        return Err(Failure::unusable(format!("two layers are called `{}`", layer.name))
            .help("give one of them another name: `--layer NAME=PATH`"));
    }
    layers.push(layer);
    Ok(())
}

/// The layers that a path named to `lint` stands for: one, called after the path.
#[must_use]
pub fn layer_of_path(path: &Path) -> Layer {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let words = stem.split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit());
    let name = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    let name = if config::check_layer_name(&name).is_ok() { name } else { "policy".to_owned() };
    Layer { name, paths: vec![shown_given(path)], named_by: String::new() }
}

/// Reads the texts of layers.
///
/// # Errors
/// There is no layer; a file or folder cannot be read; a folder holds no policy.
pub fn read_layers(layers: &[Layer]) -> Result<LayerTexts, Failure> {
    if layers.is_empty() {
        return Err(Failure::unusable("there is no policy").help(
            "add `--policy PATH`, or run `tollgate init` to write a starter policy and configuration",
        ));
    }
    let mut texts = LayerTexts::default();
    for layer in layers {
        texts.folders.add_layer();
        let mut input = LayerInput { name: layer.name.clone(), files: Vec::new() };
        for (path, shown) in &layer.paths {
            let is_folder = files::is_folder(path);
            let parent = |path: &Path| path.parent().map(Path::to_path_buf).unwrap_or_default();
            let (real, folder) =
                if is_folder { (path.clone(), shown.clone()) } else { (parent(path), parent(shown)) };
            texts
                .folders
                .add_folder(&folder, if real.as_os_str().is_empty() { Path::new(".") } else { &real });
            let read = if is_folder {
                read_folder(&mut input, &texts.folders, path, shown)
            } else {
                files::read_text(path, "policy", POLICY_FILE_BYTES_MAX)
                    .map(|text| input.files.push((files::shown(shown), text)))
            };
            read.map_err(|failure| failure.also(&layer.named_by))?;
        }
        texts.inputs.push(input);
    }
    Ok(texts)
}

fn read_folder(
    input: &mut LayerInput,
    folders: &LayerFolders,
    path: &Path,
    shown: &Path,
) -> Result<(), Failure> {
    let unreadable = |why: String| {
        Failure::unusable(format!("the policy folder `{}` cannot be read: {why}", path.display()))
    };
    let found = files::toll_files(path).map_err(unreadable)?;
    if found.is_empty() {
        return Err(Failure::unusable(format!(
            "the policy folder `{}` holds no *.toll file",
            path.display()
        ))
        .help("name the folder that holds them, or a file"));
    }
    for file in found {
        let name = files::shown(&shown.join(file.file_name().unwrap_or_default()));
        let text = folders.read_last(&name).map_err(|why| {
            Failure::unusable(format!("the policy `{}` cannot be read: {why}", file.display()))
        })?;
        input.files.push((name, text));
    }
    Ok(())
}

/// A policy that can be used, and where it came from.
#[derive(Debug)]
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// What it was made of, packs that ship with the program left out.
    pub files: Vec<PathBuf>,
}

/// Reads and compiles the layers of a setup. Errors are shown on standard error.
///
/// # Errors
/// The policy cannot be used.
pub fn program(setup: &Setup, tools: Vec<ToolDeclaration>) -> Result<Loaded, Failure> {
    let texts = read_layers(&setup.layers)?;
    let compiled = compile(&texts.inputs, &texts.folders, tools);
    let Some(mut program) = compiled.program else {
        let errors: Vec<Diagnostic> =
            compiled.diagnostics.into_iter().filter(|found| found.level == Level::Error).collect();
        output::tell(&format!("{}\n", render::text::diagnostics(&errors, &compiled.sources).trim_end()));
        let count = render::counted(errors.len(), "error");
        return Err(Failure::unusable(format!("the policy cannot be used: {count}")));
    };
    let files = compiled.sources.iter().filter_map(|(_, source)| texts.folders.find(&source.name)).collect();
    program.rename_files(|layer, name| match setup.layers.get(layer) {
        Some(layer) => without_outside(Path::new(name), layer, &setup.workspace),
        None => name.to_owned(),
    });
    Ok(Loaded { program, files })
}

/// A policy file's name as a verdict may show it: no absolute path tells where outside the workspace
/// a layer lies.
fn without_outside(name: &Path, layer: &Layer, workspace: &Path) -> String {
    if !name.is_absolute() {
        return files::shown(name);
    }
    let folders = layer.paths.iter().filter_map(|(path, shown)| {
        if files::is_folder(path) { Some(shown.as_path()) } else { shown.parent() }
    });
    let known = [files::canonical(workspace), workspace.to_path_buf()];
    let inside = known.iter().map(PathBuf::as_path).chain(folders);
    let relative = inside.filter_map(|folder| name.strip_prefix(folder).ok()).find(|rest| **rest != *"");
    files::shown(relative.unwrap_or_else(|| Path::new(name.file_name().unwrap_or_default())))
}

/// The state folder of a workspace: `--state`, else below the user's folder for state.
///
/// # Errors
/// There is no `--state`, and no home either.
pub fn state_folder(given: Option<&Path>, workspace: &Path) -> Result<PathBuf, Failure> {
    if let Some(given) = given {
        return Ok(files::canonical(given));
    }
    let root = files::canonical(workspace);
    let digest = Digest::of(root.as_os_str().as_encoded_bytes()).hex();
    let base = base_folder("XDG_STATE_HOME", ".local/state").ok_or_else(|| {
        Failure::unusable(
            "there is no place for the audit log: neither HOME nor XDG_STATE_HOME is an absolute path",
        )
        .help("name a folder with `--state DIR`")
    })?;
    Ok(files::canonical(&base).join("tollgate").join(digest))
}

/// What a call must not write: configuration, policies, state. Canonical, with the links that lead
/// there.
fn protected(setup: &Setup, loaded: &Loaded, state: Option<&Path>) -> Vec<String> {
    if !setup.self_protection {
        return Vec::new();
    }
    let layers = setup.layers.iter().flat_map(|layer| &layer.paths).map(|(path, _)| path);
    let programs = setup.hooks.iter().flat_map(|(_, program)| program.files());
    let named = setup.config_files.iter().chain(layers).chain(&loaded.files).chain(programs);
    let named = named.map(PathBuf::as_path);
    let mut places: Vec<String> = named
        .chain(state)
        .flat_map(|path| [files::canonical(path), files::canonical_link(path)])
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    places.sort();
    places.dedup();
    places
}

/// The real world.
///
/// # Errors
/// The workspace's path cannot be told in UTF-8.
pub fn real_world(setup: &Setup, loaded: &Loaded, state: Option<&Path>) -> Result<RealWorld, Failure> {
    let workspace = setup.workspace.to_str().ok_or_else(|| {
        Failure::unusable(format!("the path of the workspace `{}` is not UTF-8", setup.workspace.display()))
            .help("rename its folder")
    })?;
    let environment = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| is_passed(name))
        .collect();
    Ok(RealWorld::new(fs::Setup {
        workspace: workspace.to_owned(),
        protected: protected(setup, loaded, state),
        environment,
        ..fs::Setup::default()
    }))
}

/// The virtual world of `--world`. Where it does not say what is protected, the files that the policy
/// is made of are.
///
/// # Errors
/// The file cannot be used, with the place in it.
pub fn virtual_world(path: &Path, setup: &Setup) -> Result<VirtualWorld, Failure> {
    let shown = files::shown(path);
    let place = |line: Option<u32>| line.map(|line| format!(":{line}")).unwrap_or_default();
    let text = files::read_text(path, "world", CONFIG_FILE_BYTES_MAX)?;
    let mut value: Value = yaml::parse(&text)
        .map_err(|error| Failure::unusable(format!("{shown}{}: {}", place(error.line), error.message)))?;
    if let Value::Object(world) = &mut value
        && !world.contains_key("protected")
    {
        let named = setup.layers.iter().flat_map(|layer| &layer.paths).map(|(_, shown)| shown);
        let relative = named.filter(|path| path.is_relative() && path.as_os_str() != ".");
        let mut names: Vec<String> = relative.map(|path| files::shown(path)).collect();
        names.push(config::FILE_NAME.to_owned());
        world.insert("protected".to_owned(), names.into());
    }
    VirtualWorld::from_json(value).map_err(|error| {
        let path: Vec<&str> = error.at.splitn(2, '.').filter(|step| !step.is_empty()).collect();
        let found = yaml::place_of(&text, &path, yaml::Part::Value);
        let place = found.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
        Failure::unusable(format!("{shown}{place}: {error}"))
    })
}

/// Refuses a virtual world beside a real workspace: it has its own.
///
/// # Errors
/// Both are named.
pub fn one_world(virtual_file: Option<&Path>, policy: &PolicyArgs) -> Result<(), Failure> {
    if virtual_file.is_none() || policy.workspace.is_none() {
        return Ok(());
    }
    Err(Failure::unusable(
        "`--world` and `--workspace` cannot stand together: the world says where its workspace is",
    )
    .help("leave `--workspace` out, and set `workspace` in the world's file"))
}

/// The world that a verb judges in: the virtual one where one is named, else the real one.
///
/// # Errors
/// The world cannot be used.
pub fn world(
    virtual_file: Option<&Path>,
    setup: &Setup,
    loaded: &Loaded,
    context: &ContextArgs,
) -> Result<Box<dyn World>, Failure> {
    if let Some(path) = virtual_file {
        return Ok(Box::new(virtual_world(path, setup)?));
    }
    // Nothing is kept by a verb that only judges, but what a run keeps is protected all the same.
    let state = state_folder(context.state.as_deref(), &setup.workspace).ok();
    Ok(Box::new(real_world(setup, loaded, state.as_deref())?))
}
