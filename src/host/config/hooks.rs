//! The key `hooks`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::base::yaml::Part;
use crate::base::{Digest, limits};
use crate::gate::hook::{HookSpec, HookStage, OnFailure};
use crate::model::value::type_name;

use super::super::pinned::{WordsError, check_words};
use super::{ConfigError, check_layer_name, error_at, error_in, known_key, word, wrong};

/// The keys of an entry of `hooks`.
pub const HOOK_KEYS: &[&str] = &["command", "digest", "name", "on-failure", "stage", "time-limit"];

/// What a hook looks like.
const EXAMPLE: &str = "write `- name: guard`, and below it `stage: pre` and `command: [./guard]`";

/// A hook as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookEntry {
    /// Name, stage, time limit and what its failure means.
    pub spec: HookSpec,
    /// The words of its command.
    pub command: Vec<String>,
    /// Where relative paths of the command start.
    pub folder: PathBuf,
    /// What the files that the command names must be.
    pub digest: Option<Digest>,
}

pub(super) fn hooks(text: &str, value: &Value, folder: &Path) -> Result<Vec<HookEntry>, ConfigError> {
    let entries =
        value.as_array().ok_or_else(|| wrong(text, &["hooks"], "a list of hooks", value).help(EXAMPLE))?;
    let mut hooks: Vec<HookEntry> = Vec::with_capacity(entries.len());
    for (number, entry) in entries.iter().enumerate() {
        let number = number.to_string();
        let entry = hook(text, &number, entry, folder)?;
        if hooks.iter().any(|other| other.spec.name == entry.spec.name) {
            let message = format!("two hooks are called `{}`", entry.spec.name);
            return Err(error_at(text, &["hooks", &number, "name"], message).help("rename one"));
        }
        hooks.push(entry);
    }
    Ok(hooks)
}

fn hook(text: &str, number: &str, value: &Value, folder: &Path) -> Result<HookEntry, ConfigError> {
    let here = ["hooks", number];
    let at = |key: &'static str| ["hooks", number, key];
    let fail = |message: String| error_at(text, &here, message).help(EXAMPLE);
    let entry = value.as_object().ok_or_else(|| fail(format!("a hook is no {}", type_name(value))))?;
    for key in entry.keys() {
        known_key(text, &here, key, HOOK_KEYS, "a hook")?;
    }
    let needed = |key: &str| entry.get(key).ok_or_else(|| fail(format!("a hook has no `{key}`")));
    let name = word(text, &at("name"), needed("name")?)?;
    check_layer_name(&name)
        .map_err(|why| error_at(text, &at("name"), why.replace("name of a layer", "name of a hook")))?;
    let stage = match needed("stage")?.as_str() {
        Some("pre") => HookStage::Pre,
        Some("post") => HookStage::Post,
        _ => return Err(error_at(text, &at("stage"), "`stage` must be `pre` or `post`")),
    };
    let on_failure = match entry.get("on-failure").map(Value::as_str) {
        None | Some(Some("block")) => OnFailure::Block,
        Some(Some("warn")) => OnFailure::Warn,
        Some(_) => {
            return Err(error_at(text, &at("on-failure"), "`on-failure` must be `block` or `warn`"));
        }
    };
    let time_limit_ms = match entry.get("time-limit") {
        None => limits::HOOK_TIME_MS_DEFAULT,
        Some(value) => duration(text, &at("time-limit"), value, limits::HOOK_TIME_MS_MAX)?,
    };
    Ok(HookEntry {
        command: command(text, &at("command"), needed("command")?)?,
        digest: pin(text, &at("digest"), entry)?,
        spec: HookSpec { name, stage, on_failure, time_limit_ms },
        folder: folder.to_owned(),
    })
}

/// The words of a command; the first names a program by its path.
pub(super) fn command(text: &str, path: &[&str], value: &Value) -> Result<Vec<String>, ConfigError> {
    let words = value
        .as_array()
        .ok_or_else(|| wrong(text, path, "a list of words", value).help("write `command: [./guard]`"))?;
    let words: Vec<String> = words
        .iter()
        .enumerate()
        .map(|(number, value)| {
            let number = number.to_string();
            let path: Vec<&str> = path.iter().copied().chain([number.as_str()]).collect();
            value.as_str().map(str::to_owned).ok_or_else(|| wrong(text, &path, "a list of words", value))
        })
        .collect::<Result<_, _>>()?;
    if let Err(error) = check_words(&words) {
        let help = match &error {
            WordsError::Empty => "write `command: [./guard]`".to_owned(),
            WordsError::NoPath(program) => {
                format!("write `/usr/bin/{program}`, or `./{program}` for one beside this file")
            }
            WordsError::Nul => "take the NUL character out".to_owned(),
        };
        return Err(error_at(text, path, error.to_string()).help(help));
    }
    Ok(words)
}

/// The key `digest` of something that has a command.
pub(super) fn pin(
    text: &str,
    path: &[&str],
    entry: &Map<String, Value>,
) -> Result<Option<Digest>, ConfigError> {
    let Some(value) = entry.get("digest") else { return Ok(None) };
    let digest = value.as_str().and_then(Digest::parse);
    digest.map(Some).ok_or_else(|| {
        error_in(text, path, Part::Value, "`digest` must be `sha256:` and 64 hex digits")
            .help("start without it: the first lines on standard error name the digest")
    })
}

/// A duration in milliseconds, above zero and at most `max`.
pub(super) fn duration(text: &str, path: &[&str], value: &Value, max: u64) -> Result<u64, ConfigError> {
    let name = path.last().copied().unwrap_or("it");
    let wrong = || {
        error_at(text, path, format!("`{name}` is no duration"))
            .help("write a number with a unit: `500ms`, `30s`, `5m`, `1h`")
    };
    let written = value.as_str().ok_or_else(wrong)?;
    let (digits, unit) = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)]
        .iter()
        .find_map(|(suffix, unit)| Some((written.strip_suffix(suffix)?, *unit)))
        .ok_or_else(wrong)?;
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let ms = plain.then(|| digits.parse::<u64>().ok()).flatten().and_then(|n| n.checked_mul(unit));
    match ms {
        None | Some(0) => Err(wrong()),
        Some(ms) if ms > max => {
            let most = max / 1_000;
            Err(error_at(text, path, format!("`{name}` is longer than {most}s, the most there is")))
        }
        Some(ms) => Ok(ms),
    }
}
