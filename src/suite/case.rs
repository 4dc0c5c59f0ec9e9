//! A test file as it is understood: which policy, and checks, each a call with what has to come of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::expect::{self, Expectation};
use super::matrix;
use super::reader::{At, SuiteError};
use crate::base::limits::{TEST_CHECKS_MAX, TEST_NAME_CHARS_MAX};
use crate::base::yaml::{self, Part, Places};
use crate::effects::VirtualWorld;

/// The keys of a test file.
pub const FILE_KEYS: &[&str] = &["policy", "policy-text", "layers", "world", "cases", "matrix"];
/// The keys of a case.
pub const CASE_KEYS: &[&str] = &[
    "name",
    "mode",
    "agent",
    "user",
    "cwd",
    "labels",
    "source",
    "unattended",
    "world",
    "call",
    "result",
    "expect",
];
/// The keys of a call in a case.
pub const CALL_KEYS: &[&str] = &["tool", "args"];
/// What says in which situation a call is made; in cases and in rows of a matrix.
const CONTEXT_KEYS: &[&str] = &["mode", "agent", "user", "cwd", "labels", "source", "unattended", "world"];

/// A test file.
#[derive(Debug, Clone)]
pub struct Suite {
    /// What is tested.
    pub policy: PolicySource,
    /// What has to hold, in the order of the file: cases, then cells of matrices.
    pub checks: Vec<Check>,
    /// The worlds of the checks as descriptions, without what is protected by default.
    pub(super) worlds: Vec<Map<String, Value>>,
}

impl Suite {
    /// What is protected in the suite's worlds where they do not say it (`gate.md`, section 7): the
    /// test file and the policy files that it names, relative to the workspace. `file` is the test
    /// file in its project. What lies outside the project is not in the world.
    #[must_use]
    pub fn protected(&self, file: &str) -> Vec<String> {
        let named: Vec<&String> = match &self.policy {
            PolicySource::One { paths, .. } => paths.iter().collect(),
            PolicySource::Layers(layers) => layers.iter().flat_map(|(_, paths)| paths).collect(),
            PolicySource::Configured => Vec::new(),
        };
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = named.into_iter().filter_map(|path| inside(folder, path));
        [file.to_owned(), CONFIGURATION.to_owned()].into_iter().chain(beside).collect()
    }
}

/// The configuration of a project.
const CONFIGURATION: &str = "tollgate.yaml";

/// A path below the project, from one relative to a folder of it.
fn inside(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    for name in folder.split('/').chain(path.split('/')) {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            _ => names.push(name),
        }
    }
    (!names.is_empty()).then(|| names.join("/"))
}

/// Which policy a test file is about. Paths are relative to the folder of the test file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicySource {
    /// One layer, called `policy`.
    One {
        /// Files and folders.
        paths: Vec<String>,
        /// A policy text that stands in the test file, one more file of the layer.
        text: Option<String>,
    },
    /// Named layers, outermost first, each of files and folders.
    Layers(Vec<(String, Vec<String>)>),
    /// Those of `tollgate.yaml`.
    Configured,
}

/// What a check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A case.
    Case,
    /// A cell of a matrix; whether a list names it.
    Cell {
        /// Named under `allow`, `warn` or `ask`.
        listed: bool,
    },
}

/// A call with what has to come of it.
#[derive(Debug, Clone)]
pub struct Check {
    /// Unique in its file.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Line and column of it in the file, from 1.
    pub place: Option<(u32, u32)>,
    pub(super) setting: Setting,
    pub(super) tool: String,
    pub(super) args: Map<String, Value>,
    /// What the tool answers, for rules about results.
    pub(super) result: Option<Value>,
    pub(super) expect: Expectation,
}

/// The mode of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    /// The first that the policy declares; none where it declares none.
    First,
    /// None at all.
    Absent,
    /// This one.
    Named(String),
}

/// The situation in which a call is made.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub mode: Mode,
    pub agent: Option<String>,
    pub user: Option<String>,
    pub cwd: Option<String>,
    pub source: Option<String>,
    pub labels: BTreeSet<String>,
    pub unattended: bool,
    /// Which of the suite's worlds.
    pub world: usize,
}

/// Reads a test file.
///
/// # Errors
/// The first thing that is wrong, with its place and the smallest mend.
pub fn parse(text: &str) -> Result<Suite, SuiteError> {
    let value: Value = yaml::parse(text).map_err(|error| SuiteError {
        place: error.line.map(|line| (line, error.column.unwrap_or(1))),
        message: error.message,
        help: None,
    })?;
    let places = Places::read(text).ok_or_else(|| SuiteError {
        place: None,
        message: "the places of this file cannot be told".to_owned(),
        help: Some("write it in plain YAML: keys that are texts".to_owned()),
    })?;
    let root = At::root(&places, &value);
    root.object("a test file", FILE_KEYS)?;
    let mut worlds = Worlds::default();
    let base = worlds.base(root.key("world").as_ref())?;
    let mut checks = Vec::new();
    if let Some(cases) = root.key("cases") {
        let items = cases.items()?;
        room_for(items.len(), &cases)?;
        for case in &items {
            checks.push(read_case(case, &mut worlds, base)?);
        }
    }
    if let Some(rows) = root.key("matrix") {
        matrix::read(&rows, &mut worlds, base, &mut checks)?;
    }
    unique_names(&checks)?;
    Ok(Suite { policy: policy(&root)?, checks, worlds: worlds.found })
}

fn policy(root: &At<'_>) -> Result<PolicySource, SuiteError> {
    let (paths, text, layers) = (root.key("policy"), root.key("policy-text"), root.key("layers"));
    if let Some(layers) = layers {
        for other in ["policy", "policy-text"] {
            if root.key(other).is_some() {
                return Err(root
                    .key_error(other, format!("`{other}` and `layers` cannot stand together"))
                    .help("make it one of the layers: `layers: {NAME: PATH}`"));
            }
        }
        let mut found = Vec::new();
        for (name, paths) in layers.entries()? {
            found.push((name.to_owned(), paths.texts()?));
        }
        if found.is_empty() {
            return Err(layers
                .error("`layers` is empty")
                .help("write `layers: {NAME: PATH}`, outermost first"));
        }
        return Ok(PolicySource::Layers(found));
    }
    if paths.is_none() && text.is_none() {
        return Ok(PolicySource::Configured);
    }
    Ok(PolicySource::One {
        paths: paths.map(|paths| paths.texts()).transpose()?.unwrap_or_default(),
        text: text.map(|text| text.text().map(str::to_owned)).transpose()?,
    })
}

fn read_case(case: &At<'_>, worlds: &mut Worlds, base: usize) -> Result<Check, SuiteError> {
    case.object("a case", CASE_KEYS)?;
    if let Some(mode) = case.key("mode").filter(|mode| mode.value.is_array()) {
        return Err(mode
            .error("a case is one call, in one mode")
            .help("write a row of `matrix` for several"));
    }
    let need = |key: &str, example: &str| {
        case.key(key).ok_or_else(|| case.error(format!("this case has no `{key}`")).help(example.to_owned()))
    };
    let name = name_of(&need("name", "say in one sentence what has to hold: `name: …`")?)?;
    let call = need("call", "write `call: {tool: NAME, args: {…}}`")?;
    for key in call.map()?.keys() {
        if CONTEXT_KEYS.contains(&key.as_str()) {
            return Err(call
                .key_error(key, format!("`{key}` does not stand in the call, but beside it"))
                .help(format!("write `{key}:` under the case")));
        }
    }
    call.object("a call", CALL_KEYS)?;
    let tool = call.key("tool").ok_or_else(|| {
        call.error("this call names no `tool`").help("write `call: {tool: NAME, args: {…}}`")
    })?;
    let args = call.key("args").map(|args| args.map().cloned()).transpose()?.unwrap_or_default();
    let result = case.key("result").map(|result| result.value.clone());
    let expected = need("expect", "write `expect: {verdict: …, rules: [NAME]}`")?;
    let expect = expect::read(&expected)?;
    match (&result, &expect.result) {
        (Some(_), None) => {
            return Err(case
                .key_error("result", "the case gives a `result` and expects nothing of it")
                .help("write under `expect` what is left of it: `result: …`"));
        }
        (None, Some(_)) => {
            return Err(expected
                .key_error("result", "a `result` is expected, and the case gives none")
                .help("write under the case what the tool answers: `result: …`"));
        }
        _ => {}
    }
    Ok(Check {
        name,
        kind: Kind::Case,
        place: case.place(),
        setting: setting(case, worlds, base)?,
        tool: tool.text()?.to_owned(),
        args,
        result,
        expect,
    })
}

/// A name is one line: it stands in reports and in snapshots.
pub(super) fn name_of(at: &At<'_>) -> Result<String, SuiteError> {
    let name = at.text()?;
    if name.chars().any(char::is_control) || name.trim() != name {
        return Err(at.error("a name is one line, without blanks around it"));
    }
    if name.chars().count() > TEST_NAME_CHARS_MAX {
        return Err(at.error(format!("a name has at most {TEST_NAME_CHARS_MAX} characters")));
    }
    Ok(name.to_owned())
}

/// The situation that a case or a row describes. Several modes are for a row, which reads them itself.
pub(super) fn setting(at: &At<'_>, worlds: &mut Worlds, base: usize) -> Result<Setting, SuiteError> {
    let text = |key: &str| at.key(key).map(|at| at.text().map(str::to_owned)).transpose();
    let mode = match at.key("mode") {
        None => Mode::First,
        Some(mode) if mode.value.is_null() => Mode::Absent,
        Some(mode) if mode.value.is_array() => Mode::First,
        Some(mode) => Mode::Named(mode.text()?.to_owned()),
    };
    let labels = at.key("labels").map(|labels| labels.texts()).transpose()?.unwrap_or_default();
    Ok(Setting {
        mode,
        agent: text("agent")?,
        user: text("user")?,
        cwd: text("cwd")?,
        source: text("source")?,
        labels: labels.into_iter().collect(),
        unattended: at.key("unattended").map(|flag| flag.flag()).transpose()?.unwrap_or(false),
        world: match at.key("world") {
            Some(world) => worlds.over(&world, base)?,
            None => base,
        },
    })
}

/// The worlds that checks name, each once.
#[derive(Debug, Default)]
pub(super) struct Worlds {
    found: Vec<Map<String, Value>>,
}

impl Worlds {
    /// The world of the file; the plain one where it describes none.
    fn base(&mut self, at: Option<&At<'_>>) -> Result<usize, SuiteError> {
        let world = at.map(|at| at.map().cloned()).transpose()?.unwrap_or_default();
        self.add(world, at)
    }

    /// The world of the file with what a check says otherwise: its keys win, and of a key that holds
    /// entries (`files`, `hosts`) its entries do.
    fn over(&mut self, at: &At<'_>, base: usize) -> Result<usize, SuiteError> {
        let mut world = self.found.get(base).cloned().unwrap_or_default();
        for (key, value) in at.map()? {
            match (world.get_mut(key), value) {
                (Some(Value::Object(entries)), Value::Object(more)) => {
                    entries.extend(more.iter().map(|(name, value)| (name.clone(), value.clone())));
                }
                _ => {
                    world.insert(key.clone(), value.clone());
                }
            }
        }
        self.add(world, Some(at))
    }

    fn add(&mut self, world: Map<String, Value>, at: Option<&At<'_>>) -> Result<usize, SuiteError> {
        if let Some(known) = self.found.iter().position(|other| *other == world) {
            return Ok(known);
        }
        if let Err(error) = VirtualWorld::from_json(Value::Object(world.clone())) {
            let steps: Vec<&str> = error.at.splitn(2, '.').filter(|step| !step.is_empty()).collect();
            let place = at.and_then(|at| at.place_below(&steps, Part::Value));
            return Err(SuiteError { place, message: format!("this is no world: {error}"), help: None });
        }
        self.found.push(world);
        Ok(self.found.len() - 1)
    }
}

/// Each check has its own name: under it its verdict is kept.
fn unique_names(checks: &[Check]) -> Result<(), SuiteError> {
    let mut seen: BTreeMap<&str, &Check> = BTreeMap::new();
    for check in checks {
        if let Some(first) = seen.insert(&check.name, check) {
            let line = first.place.map(|(line, _)| format!(" (line {line})")).unwrap_or_default();
            return Err(SuiteError {
                place: check.place,
                message: format!("`{}` is the name of another check{line}", check.name),
                help: Some(
                    "say what is different about this one: verdicts are kept under the name".to_owned(),
                ),
            });
        }
    }
    Ok(())
}

/// Refuses a file with too many checks.
pub(super) fn room_for(count: usize, at: &At<'_>) -> Result<(), SuiteError> {
    if count <= TEST_CHECKS_MAX {
        return Ok(());
    }
    Err(at
        .error(format!("a test file holds at most {TEST_CHECKS_MAX} checks, cells of matrices included"))
        .help("split the file"))
}
