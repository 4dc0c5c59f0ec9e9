//! `tollgate.yaml`: what a host is configured with. Parsing is pure; who reads which file is the
//! command line's matter.

mod hooks;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::base::yaml::{Part, place_of};
use crate::base::{suggest, yaml};
pub use crate::gate::Durability;
use crate::model::value::type_name;
pub use hooks::{HOOK_KEYS, HookEntry};

/// The name of a configuration file.
pub const FILE_NAME: &str = "tollgate.yaml";

/// The keys of a configuration, in alphabetical order. `docs/tollgate.schema.json` has the same.
pub const KEYS: &[&str] =
    &["audit", "hooks", "layers", "mode", "output", "self-protection", "unattended", "workspace"];
/// The keys of an entry of `layers`.
pub const LAYER_KEYS: &[&str] = &["name", "path", "paths"];
/// The keys of `audit`.
pub const AUDIT_KEYS: &[&str] = &["durability"];
/// The keys of `output`.
pub const OUTPUT_KEYS: &[&str] = &["limit"];

/// The keys that a project's own configuration may have: it may only tighten.
const PROJECT_KEYS: &[&str] = &["layers"];
/// Keys that the design knows and this build does not.
const NOT_SUPPORTED: &[&str] = &["approvals", "servers", "state", "tests", "tools", "trusted-directories"];

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
    /// Hooks in the order in which they are asked.
    pub hooks: Vec<HookEntry>,
}

/// What is wrong with a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Line and column, from 1, where they are known.
    pub place: Option<(u32, Option<u32>)>,
    /// What is wrong.
    pub message: String,
    /// The smallest mend.
    pub help: Option<String>,
}

/// Reads a configuration. Relative paths in it start at `folder`.
///
/// # Errors
/// The first thing that is wrong, with its line where it is known.
pub fn parse(text: &str, folder: &Path, owner: Owner) -> Result<Config, ConfigError> {
    let open: Value = yaml::parse(text).map_err(|error: yaml::YamlError| {
        ConfigError::new(error.line.map(|line| (line, error.column)), error.message)
    })?;
    let keys = check_keys(text, &open, owner)?;
    let section = |name: &str, key: &str| {
        let section = keys.get(name).map(|value| object(text, &[name], value)).transpose()?;
        Ok::<_, ConfigError>(section.and_then(|section| section.get(key)).cloned())
    };
    let (durability, limit) = (section("audit", "durability")?, section("output", "limit")?);
    let texts = |key: &str| keys.get(key).map(|value| word(text, &[key], value)).transpose();
    let flags = |key: &str| keys.get(key).map(|value| flag(text, &[key], value)).transpose();
    let config = Config {
        layers: keys.get("layers").map(|value| layers(text, value, folder)).transpose()?.unwrap_or_default(),
        mode: texts("mode")?,
        workspace: texts("workspace")?.map(|path| folder.join(path)),
        unattended: flags("unattended")?,
        durability: durability.map(|value| durability_of(text, &value)).transpose()?,
        output_bytes: limit.map(|value| bytes(text, &value)).transpose()?,
        self_protection: flags("self-protection")?,
        hooks: keys
            .get("hooks")
            .map(|value| hooks::hooks(text, value, folder))
            .transpose()?
            .unwrap_or_default(),
    };
    if config.self_protection == Some(false) && owner != Owner::Outermost {
        let message = "only the outermost configuration can lift `self-protection`";
        return Err(error_at(text, &["self-protection"], message)
            .help("remove the key here, or set it in the operator's file"));
    }
    Ok(config)
}

impl ConfigError {
    fn new(place: Option<(u32, Option<u32>)>, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), help: None }
    }

    fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// An error about a value: the path of keys and numbers that leads to it.
fn error_at(text: &str, path: &[&str], message: impl Into<String>) -> ConfigError {
    error_in(text, path, Part::Value, message)
}

fn error_in(text: &str, path: &[&str], part: Part, message: impl Into<String>) -> ConfigError {
    ConfigError::new(place_of(text, path, part).map(|(line, column)| (line, Some(column))), message)
}

fn wrong(text: &str, path: &[&str], expected: &str, found: &Value) -> ConfigError {
    let names = path.iter().rev().find(|step| step.parse::<usize>().is_err());
    let key = names.copied().unwrap_or("it");
    error_at(text, path, format!("`{key}` must be {expected}, this is {}", type_name(found)))
}

fn object<'a>(text: &str, path: &[&str], value: &'a Value) -> Result<&'a Map<String, Value>, ConfigError> {
    value.as_object().ok_or_else(|| wrong(text, path, "keys and values", value))
}

fn word(text: &str, path: &[&str], value: &Value) -> Result<String, ConfigError> {
    match value.as_str() {
        Some("") => {
            let names = path.iter().rev().find(|step| step.parse::<usize>().is_err());
            Err(error_at(text, path, format!("`{}` is empty", names.copied().unwrap_or("it"))))
        }
        Some(word) => Ok(word.to_owned()),
        None => Err(wrong(text, path, "a text", value)),
    }
}

fn flag(text: &str, path: &[&str], value: &Value) -> Result<bool, ConfigError> {
    value.as_bool().ok_or_else(|| wrong(text, path, "`true` or `false`", value))
}

fn durability_of(text: &str, value: &Value) -> Result<Durability, ConfigError> {
    match value.as_str() {
        Some("sync") => Ok(Durability::Sync),
        Some("write") => Ok(Durability::Write),
        _ => Err(error_at(text, &["audit", "durability"], "`audit.durability` must be `sync` or `write`")),
    }
}

/// Checks that every key is one that this file may have; gives them.
fn check_keys<'a>(text: &str, open: &'a Value, owner: Owner) -> Result<&'a Map<String, Value>, ConfigError> {
    let Value::Object(keys) = open else {
        return Err(ConfigError::new(Some((1, None)), "a configuration is a list of keys and values")
            .help("begin with `layers:`, or delete the file"));
    };
    for key in keys.keys() {
        if NOT_SUPPORTED.contains(&key.as_str()) {
            return Err(error_in(text, &[key], Part::Key, format!("`{key}` is not supported by this build"))
                .help("remove the key: what is not enforced must not look as if it were"));
        }
        known_key(text, &[], key, KEYS, "a configuration")?;
        if owner == Owner::Project && key == "hooks" {
            let message = "a project's configuration may not bring `hooks`: they are programs, and whoever \
                           can change the project could change them";
            return Err(error_in(text, &[key], Part::Key, message)
                .help("list the hook in the user's or the operator's configuration"));
        }
        if owner == Owner::Project && !PROJECT_KEYS.contains(&key.as_str()) {
            let message = format!("a project's configuration may only add layers, not set `{key}`");
            return Err(error_in(text, &[key], Part::Key, message)
                .help("set it in the user's or the operator's configuration, or on the command line"));
        }
    }
    for (name, known) in [("audit", AUDIT_KEYS), ("output", OUTPUT_KEYS)] {
        for key in keys.get(name).and_then(Value::as_object).into_iter().flat_map(Map::keys) {
            known_key(text, &[name], key, known, &format!("`{name}`"))?;
        }
    }
    Ok(keys)
}

fn known_key(text: &str, above: &[&str], key: &str, known: &[&str], of: &str) -> Result<(), ConfigError> {
    if known.contains(&key) {
        return Ok(());
    }
    let help = match suggest::nearest(key, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the keys are {}", listed(known)),
    };
    let path: Vec<&str> = above.iter().copied().chain([key]).collect();
    Err(error_in(text, &path, Part::Key, format!("{of} has no key `{key}`")).help(help))
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// What a layer looks like.
const LAYER_EXAMPLE: &str =
    "write `- name: team` and below it `path: policies`, a file or a folder of *.toll files";

fn layers(text: &str, value: &Value, folder: &Path) -> Result<Vec<LayerEntry>, ConfigError> {
    let entries = value
        .as_array()
        .ok_or_else(|| wrong(text, &["layers"], "a list of layers", value).help(LAYER_EXAMPLE))?;
    let mut layers: Vec<LayerEntry> = Vec::with_capacity(entries.len());
    for (number, entry) in entries.iter().enumerate() {
        let number = number.to_string();
        let entry = layer(text, &number, entry, folder)?;
        if layers.iter().any(|other| other.name == entry.name) {
            return Err(error_at(
                text,
                &["layers", &number, "name"],
                format!("two layers are called `{}`", entry.name),
            )
            .help("rename one, or list both paths under `paths` of one layer"));
        }
        layers.push(entry);
    }
    Ok(layers)
}

fn layer(text: &str, number: &str, value: &Value, folder: &Path) -> Result<LayerEntry, ConfigError> {
    let here = ["layers", number];
    let at = |key: &'static str| ["layers", number, key];
    let fail = |message: String| error_at(text, &here, message).help(LAYER_EXAMPLE);
    let entry = value.as_object().ok_or_else(|| fail(format!("a layer is no {}", type_name(value))))?;
    for key in entry.keys() {
        known_key(text, &here, key, LAYER_KEYS, "a layer")?;
    }
    let name = entry.get("name").ok_or_else(|| fail("a layer has no name".to_owned()))?;
    let name = word(text, &at("name"), name)?;
    check_layer_name(&name).map_err(|why| error_at(text, &at("name"), why))?;
    let paths = match (entry.get("path"), entry.get("paths")) {
        (Some(path), None) => vec![word(text, &at("path"), path)?],
        (None, Some(Value::Array(paths))) => {
            let word =
                |(at, path): (usize, _)| word(text, &["layers", number, "paths", &at.to_string()], path);
            paths.iter().enumerate().map(word).collect::<Result<_, _>>()?
        }
        (None, Some(other)) => return Err(wrong(text, &at("paths"), "a list of paths", other)),
        (Some(_), Some(_)) => {
            return Err(error_in(
                text,
                &at("path"),
                Part::Key,
                format!("the layer `{name}` has `path` and `paths`"),
            )
            .help("keep `paths`"));
        }
        (None, None) => Vec::new(),
    };
    if paths.is_empty() {
        return Err(fail(format!("the layer `{name}` has no path")));
    }
    Ok(LayerEntry { name, paths: paths.iter().map(|path| folder.join(path)).collect() })
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

fn bytes(text: &str, value: &Value) -> Result<u64, ConfigError> {
    let wrong = || {
        error_at(text, &["output", "limit"], "`output.limit` is no size")
            .help("write bytes, or a size such as `20KB` or `2MB`")
    };
    let Some(size) = value.as_str() else {
        return value.as_u64().filter(|count| *count > 0).ok_or_else(wrong);
    };
    let (digits, unit) = match size.strip_suffix("KB") {
        Some(digits) => (digits, 1 << 10),
        None => (size.strip_suffix("MB").ok_or_else(wrong)?, 1 << 20),
    };
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let count = plain.then(|| digits.parse::<u64>().ok()).flatten().and_then(|n| n.checked_mul(unit));
    count.filter(|count| *count > 0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests;
