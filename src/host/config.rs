//! `tollgate.yaml`: what a host is configured with. Parsing is pure; who reads which file is the
//! command line's matter.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::base::{suggest, yaml};

/// The name of a configuration file.
pub const FILE_NAME: &str = "tollgate.yaml";

/// The keys of a configuration, in alphabetical order. `docs/tollgate.schema.json` has the same.
pub const KEYS: &[&str] =
    &["audit", "layers", "mode", "output", "self-protection", "unattended", "workspace"];
/// The keys of an entry of `layers`.
pub const LAYER_KEYS: &[&str] = &["name", "path", "paths"];
/// The keys of `audit`.
pub const AUDIT_KEYS: &[&str] = &["durability"];
/// The keys of `output`.
pub const OUTPUT_KEYS: &[&str] = &["limit"];

/// The keys that a project's own configuration may have: it may only tighten.
const PROJECT_KEYS: &[&str] = &["layers"];
/// Keys that the design knows and this build does not.
const NOT_SUPPORTED: &[&str] =
    &["approvals", "hooks", "servers", "state", "tests", "tools", "trusted-directories"];

/// Whose configuration a file is, which says what it may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The outermost file: `--config`, the operator's, or the user's where there is no other.
    Outermost,
    /// The user's, inside an operator's.
    Inner,
    /// The project's, at the workspace root.
    Project,
}

/// When an audit record counts as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    /// It survives the death of the machine.
    #[default]
    Sync,
    /// It survives the death of the program.
    Write,
}

/// A layer as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerEntry {
    /// Its name, unique in the whole set.
    pub name: String,
    /// Its files and folders; relative ones start at the folder of the configuration.
    pub paths: Vec<PathBuf>,
}

/// One configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// Outermost first.
    pub layers: Vec<LayerEntry>,
    /// The mode of calls that name none.
    pub mode: Option<String>,
    /// The workspace root.
    pub workspace: Option<PathBuf>,
    /// Whether nobody is there to approve.
    pub unattended: Option<bool>,
    /// When an audit record counts as written.
    pub durability: Option<Durability>,
    /// Bytes of output that stand in an envelope.
    pub output_bytes: Option<u64>,
    /// Whether writes to what the gate loads or keeps are blocked.
    pub self_protection: Option<bool>,
}

/// What is wrong with a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The line, where it is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// The smallest mend.
    pub help: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Raw {
    layers: Option<Vec<RawLayer>>,
    mode: Option<String>,
    workspace: Option<String>,
    unattended: Option<bool>,
    audit: Option<RawAudit>,
    output: Option<RawOutput>,
    self_protection: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLayer {
    name: String,
    path: Option<String>,
    paths: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAudit {
    durability: Option<Durability>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOutput {
    limit: Option<RawSize>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawSize {
    Bytes(u64),
    Text(String),
}

/// Reads a configuration. Relative paths in it start at `folder`.
///
/// # Errors
/// The first thing that is wrong, with its line where it is known.
pub fn parse(text: &str, folder: &Path, owner: Owner) -> Result<Config, ConfigError> {
    let located = |error: yaml::YamlError| {
        ConfigError::new(error.line.and_then(|line| usize::try_from(line).ok()), error.message)
    };
    let open: Value = yaml::parse(text).map_err(located)?;
    check_keys(text, &open, owner)?;
    let raw: Raw = yaml::parse(text).map_err(located)?;
    let output = raw.output.and_then(|output| output.limit);
    let config = Config {
        layers: layers(text, raw.layers.unwrap_or_default(), folder)?,
        mode: raw.mode,
        workspace: raw.workspace.map(|path| folder.join(path)),
        unattended: raw.unattended,
        durability: raw.audit.and_then(|audit| audit.durability),
        output_bytes: output.map(|size| bytes(text, size)).transpose()?,
        self_protection: raw.self_protection,
    };
    if config.self_protection == Some(false) && owner != Owner::Outermost {
        return Err(error_at(
            text,
            "self-protection",
            "only the outermost configuration can lift `self-protection`",
        )
        .help("remove the key here, or set it in the operator's file"));
    }
    Ok(config)
}

impl ConfigError {
    fn new(line: Option<usize>, message: impl Into<String>) -> Self {
        Self { line, message: message.into(), help: None }
    }

    fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

fn error_at(text: &str, key: &str, message: impl Into<String>) -> ConfigError {
    ConfigError::new(line_of(text, key), message)
}

/// The line on which a key stands first.
fn line_of(text: &str, key: &str) -> Option<usize> {
    text.lines()
        .position(|line| {
            let line = line.trim_start_matches(['\u{feff}', ' ', '-', '{', '"', '\'']);
            line.strip_prefix(key)
                .is_some_and(|rest| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':'))
        })
        .map(|at| at + 1)
}

fn check_keys(text: &str, open: &Value, owner: Owner) -> Result<(), ConfigError> {
    let Value::Object(keys) = open else {
        return Err(ConfigError::new(Some(1), "a configuration is a list of keys and values")
            .help("begin with `layers:`, or delete the file"));
    };
    for key in keys.keys() {
        if NOT_SUPPORTED.contains(&key.as_str()) {
            return Err(error_at(text, key, format!("`{key}` is not supported by this build"))
                .help("remove the key: what is not enforced must not look as if it were"));
        }
        known_key(text, key, KEYS, "a configuration")?;
        if owner == Owner::Project && !PROJECT_KEYS.contains(&key.as_str()) {
            return Err(error_at(
                text,
                key,
                format!("a project's configuration may only add layers, not set `{key}`"),
            )
            .help("set it in the user's or the operator's configuration, or on the command line"));
        }
    }
    let section =
        |name: &str| keys.get(name).and_then(Value::as_object).into_iter().flat_map(|map| map.keys());
    for key in section("audit") {
        known_key(text, key, AUDIT_KEYS, "`audit`")?;
    }
    for key in section("output") {
        known_key(text, key, OUTPUT_KEYS, "`output`")?;
    }
    let layers = keys.get("layers").and_then(Value::as_array).into_iter().flatten();
    for key in layers.filter_map(Value::as_object).flat_map(|map| map.keys()) {
        known_key(text, key, LAYER_KEYS, "a layer")?;
    }
    Ok(())
}

fn known_key(text: &str, key: &str, known: &[&str], of: &str) -> Result<(), ConfigError> {
    if known.contains(&key) {
        return Ok(());
    }
    let help = match suggest::nearest(key, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the keys are {}", listed(known)),
    };
    Err(error_at(text, key, format!("{of} has no key `{key}`")).help(help))
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn layers(text: &str, raw: Vec<RawLayer>, folder: &Path) -> Result<Vec<LayerEntry>, ConfigError> {
    let mut layers: Vec<LayerEntry> = Vec::with_capacity(raw.len());
    for layer in raw {
        let name = layer.name;
        check_layer_name(&name).map_err(|why| error_at(text, "layers", why))?;
        if layers.iter().any(|other| other.name == name) {
            return Err(error_at(text, "layers", format!("two layers are called `{name}`"))
                .help("rename one, or list both paths under `paths` of one layer"));
        }
        let paths: Vec<String> = match (layer.path, layer.paths) {
            (Some(path), None) => vec![path],
            (None, Some(paths)) => paths,
            (Some(_), Some(_)) => {
                return Err(error_at(text, "layers", format!("the layer `{name}` has `path` and `paths`"))
                    .help("keep `paths`"));
            }
            (None, None) => Vec::new(),
        };
        if paths.iter().any(String::is_empty) || paths.is_empty() {
            return Err(error_at(text, "layers", format!("the layer `{name}` has no path"))
                .help("add `path: policies`, a file or a folder of *.toll files"));
        }
        layers.push(LayerEntry { name, paths: paths.iter().map(|path| folder.join(path)).collect() });
    }
    Ok(layers)
}

/// Checks that a text can be the name of a layer: it becomes the first part of rules' full names.
///
/// # Errors
/// What a name looks like.
pub fn check_layer_name(name: &str) -> Result<(), String> {
    let part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('-').all(part) {
        return Ok(());
    }
    Err(format!(
        "`{name}` is no name of a layer: small letters and digits, parts joined by `-`, such as `my-team`"
    ))
}

fn bytes(text: &str, size: RawSize) -> Result<u64, ConfigError> {
    let wrong = || {
        error_at(text, "limit", "`output.limit` is no size")
            .help("write bytes, or a size such as `20KB` or `2MB`")
    };
    let count = match size {
        RawSize::Bytes(count) => Some(count),
        RawSize::Text(size) => {
            let (digits, unit) = match size.strip_suffix("KB") {
                Some(digits) => (digits, 1 << 10),
                None => (size.strip_suffix("MB").ok_or_else(wrong)?, 1 << 20),
            };
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| digits.parse::<u64>().ok()).flatten().and_then(|count| count.checked_mul(unit))
        }
    };
    count.filter(|count| *count > 0).ok_or_else(wrong)
}
