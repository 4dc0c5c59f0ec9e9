//! A world made of text, for tests, examples and `--world FILE.yaml` (`json.md`, Virtual world).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use serde_json::{Map, Value};

use super::path::windows;
use super::world::{Node, Platform, World, WorldError};
use crate::base::suggest::nearest;
use crate::base::yaml;
use crate::model::path::Folding;
use crate::model::pattern::glob::folded_name;
use crate::model::pattern::host::canonical_host;
use crate::model::pattern::net::fold;
use crate::model::pattern::path::join;
use crate::model::value::type_name;
use crate::syntax::ast::Date;

/// A world made of text. Looking at it touches nothing real.
#[derive(Debug, Clone)]
pub struct VirtualWorld {
    workspace: String,
    home: Option<String>,
    temp: Option<String>,
    cwd: Option<String>,
    platform: Platform,
    folding: Folding,
    /// What exists, by folded path.
    entries: BTreeMap<String, Entry>,
    /// Names of each file, by file number.
    hard_links: Vec<u64>,
    hosts: BTreeMap<String, Vec<IpAddr>>,
    env: BTreeMap<String, String>,
    today: Option<Date>,
    labels: Vec<String>,
    protected: Vec<String>,
}

#[derive(Debug, Clone)]
struct Entry {
    name: String,
    thing: Thing,
}

#[derive(Debug, Clone, PartialEq)]
enum Thing {
    File { number: usize, text: String },
    Dir,
    Link(String),
    Other,
}

/// Why a description is no world.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", if at.is_empty() { String::new() } else { format!("`{at}`: ") })]
pub struct WorldFileError {
    /// The key it is about, with the name inside (`files./etc/x`); empty for the whole text.
    pub at: String,
    /// What is wrong.
    pub message: String,
    /// The line in the text, from 1, where it is known.
    pub line: Option<u32>,
    /// The column in characters, from 1.
    pub column: Option<u32>,
}

fn refuse<T>(at: impl Into<String>, message: impl Into<String>) -> Result<T, WorldFileError> {
    Err(WorldFileError { at: at.into(), message: message.into(), line: None, column: None })
}

const KEYS: [&str; 16] = [
    "workspace",
    "home",
    "temp",
    "cwd",
    "platform",
    "caseFold",
    "unicodeFold",
    "files",
    "links",
    "hardlinks",
    "kinds",
    "hosts",
    "env",
    "today",
    "labels",
    "protected",
];

impl VirtualWorld {
    /// The plain world of inline examples: workspace `/home/user/project`, home `/home/user`, temp
    /// `/tmp`; no files, no links, no name resolves, no labels.
    #[must_use]
    pub fn plain() -> Self {
        Self::from_json(Value::Object(Map::new()))
            .unwrap_or_else(|_| Self::empty(Platform::Posix, Folding::default()))
    }

    fn empty(platform: Platform, folding: Folding) -> Self {
        let (workspace, home, temp) = match platform {
            Platform::Posix => ("/home/user/project", "/home/user", "/tmp"),
            Platform::Windows => ("C:/Users/user/project", "C:/Users/user", "C:/Temp"),
        };
        Self {
            workspace: workspace.to_owned(),
            home: Some(home.to_owned()),
            temp: Some(temp.to_owned()),
            cwd: None,
            platform,
            folding,
            entries: BTreeMap::new(),
            hard_links: Vec::new(),
            hosts: BTreeMap::new(),
            env: BTreeMap::new(),
            today: None,
            labels: Vec::new(),
            protected: Vec::new(),
        }
    }

    /// Reads a description in YAML.
    ///
    /// # Errors
    /// Bad YAML, and as [`VirtualWorld::from_json`].
    pub fn from_yaml(text: &str) -> Result<Self, WorldFileError> {
        let value = yaml::parse(text).map_err(|error| WorldFileError {
            at: String::new(),
            message: error.message,
            line: error.line,
            column: error.column,
        })?;
        Self::from_json(value)
    }

    /// Reads a description that is JSON already.
    ///
    /// # Errors
    /// Unknown keys, values of the wrong type, and things that cannot stand together.
    pub fn from_json(value: Value) -> Result<Self, WorldFileError> {
        let Value::Object(mut object) = value else {
            return refuse("", format!("a world is an object, this is {}", type_name(&value)));
        };
        if let Some(key) = object.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let hint = nearest(key, KEYS).map(|name| format!(", did you mean `{name}`?")).unwrap_or_default();
            return refuse(key.clone(), format!("a world has no such key{hint}"));
        }
        let platform = match string(&mut object, "platform")?.as_deref() {
            None | Some("posix") => Platform::Posix,
            Some("windows") => Platform::Windows,
            Some(_) => return refuse("platform", "must be `posix` or `windows`"),
        };
        let folding = Folding {
            case: flag(&mut object, "caseFold")? || platform == Platform::Windows,
            unicode: flag(&mut object, "unicodeFold")?,
        };
        let mut world = Self::empty(platform, folding);
        if let Some(path) = string(&mut object, "workspace")? {
            world.workspace = world.absolute("workspace", &path)?;
        }
        for (key, place) in [("home", 0), ("temp", 1), ("cwd", 2)] {
            let Some(path) = string(&mut object, key)? else { continue };
            let path = Some(world.absolute(key, &path)?);
            match place {
                0 => world.home = path,
                1 => world.temp = path,
                _ => world.cwd = path,
            }
        }
        world.read_things(&mut object)?;
        world.read_rest(&mut object)?;
        Ok(world)
    }

    fn read_things(&mut self, object: &mut Map<String, Value>) -> Result<(), WorldFileError> {
        for (path, target) in entries(object, "links")? {
            let Value::String(target) = target else {
                return refuse(format!("links.{path}"), "must be a path");
            };
            self.add("links", &path, Thing::Link(target))?;
        }
        for (path, text) in entries(object, "files")? {
            let thing = match text {
                Value::Null => Thing::Dir,
                Value::String(text) => self.new_file(text),
                _ => return refuse(format!("files.{path}"), "must be a text, or null for a directory"),
            };
            self.add("files", &path, thing)?;
        }
        for (path, kind) in entries(object, "kinds")? {
            if kind != Value::String("other".to_owned()) {
                return refuse(format!("kinds.{path}"), "must be `other`");
            }
            self.add("kinds", &path, Thing::Other)?;
        }
        for (path, target) in entries(object, "hardlinks")? {
            let at = format!("hardlinks.{path}");
            let Value::String(target) = target else { return refuse(at, "must be the path of a file") };
            let target = self.absolute(&at, &target)?;
            let Some(Thing::File { number, text }) = self.entry(&target).map(|entry| entry.thing.clone())
            else {
                return refuse(at, "the target is no file of this world");
            };
            if let Some(count) = self.hard_links.get_mut(number) {
                *count += 1;
            }
            self.add("hardlinks", &path, Thing::File { number, text })?;
        }
        let places = [Some(self.workspace.clone()), self.home.clone(), self.temp.clone(), self.cwd.clone()];
        for place in places.into_iter().flatten() {
            // A place behind a link exists where the link leads, or it does not.
            let _ = self.make_dirs(&place);
        }
        Ok(())
    }

    fn read_rest(&mut self, object: &mut Map<String, Value>) -> Result<(), WorldFileError> {
        for (name, list) in entries(object, "hosts")? {
            let at = format!("hosts.{name}");
            let Some(host) = canonical_host(&name) else { return refuse(at, "is no host name") };
            let list = match list {
                Value::Array(list) => list,
                one => vec![one],
            };
            let mut addresses = Vec::new();
            for item in list {
                match item.as_str().and_then(|text| text.parse::<IpAddr>().ok()) {
                    Some(address) => addresses.push(fold(address)),
                    None => return refuse(at, "must be a list of addresses"),
                }
            }
            self.hosts.insert(host, addresses);
        }
        for (name, text) in entries(object, "env")? {
            let Value::String(text) = text else { return refuse(format!("env.{name}"), "must be a text") };
            self.env.insert(name, text);
        }
        self.labels = strings(object, "labels")?;
        for path in strings(object, "protected")? {
            let path = self.absolute("protected", &path)?;
            self.protected.push(path);
        }
        if let Some(text) = string(object, "today")? {
            match parse_date(&text) {
                Some(date) => self.today = Some(date),
                None => return refuse("today", "must be a day such as `2026-12-01`"),
            }
        }
        Ok(())
    }

    /// Adds plain files, with the directories above them. A path that already exists, that has others
    /// of the list below it, or that could not be a file, is left alone.
    #[must_use]
    pub fn with_plain_files<'a>(mut self, paths: impl IntoIterator<Item = &'a str>) -> Self {
        let home = self.home.clone();
        let mut wanted = BTreeSet::new();
        for path in paths {
            let expanded = match (path.strip_prefix("~/"), &home) {
                (Some(rest), Some(home)) => join(home, rest),
                _ => path.to_owned(),
            };
            if let Ok(path) = self.absolute("files", &expanded) {
                wanted.insert(path);
            }
        }
        // A longer path comes first, so that what lies above it is a directory.
        for path in wanted.iter().rev() {
            if self.entry(path).is_none() && self.make_dirs(parent(path)).is_ok() {
                let file = self.new_file(String::new());
                self.put(path, file);
            }
        }
        self
    }

    /// The text of a file, by its canonical path.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        match &self.entry(path)?.thing {
            Thing::File { text, .. } => Some(text),
            _ => None,
        }
    }

    fn new_file(&mut self, text: String) -> Thing {
        self.hard_links.push(1);
        Thing::File { number: self.hard_links.len() - 1, text }
    }

    /// A path of the description: absolute, or relative to the workspace; dots resolved in the text.
    fn absolute(&self, at: &str, path: &str) -> Result<String, WorldFileError> {
        let place = || if at.ends_with(path) { at.to_owned() } else { format!("{at}.{path}") };
        if path.is_empty() || path.contains('\0') {
            return refuse(place(), "is no path");
        }
        let (root, names) = match self.platform {
            Platform::Posix => match path.strip_prefix('/') {
                Some(rest) => ("/".to_owned(), split(rest)),
                None => ("/".to_owned(), split(&join(&self.workspace, path))),
            },
            Platform::Windows => {
                windows::split(path, &self.workspace).or_else(|reason| refuse(place(), reason))?
            }
        };
        let mut out: Vec<String> = Vec::new();
        for name in names {
            match name.as_str() {
                "" | "." => {}
                ".." => drop(out.pop()),
                _ => out.push(name),
            }
        }
        Ok(join(&root, &out.join("/")))
    }

    fn key<'p>(&self, path: &'p str) -> Cow<'p, str> {
        if self.folding.case || self.folding.unicode {
            Cow::Owned(folded_name(path, self.folding))
        } else {
            Cow::Borrowed(path)
        }
    }

    fn entry(&self, path: &str) -> Option<&Entry> {
        self.entries.get(&*self.key(path))
    }

    fn put(&mut self, path: &str, thing: Thing) {
        let name = crate::model::path::name_of(path).to_owned();
        self.entries.insert(self.key(path).into_owned(), Entry { name, thing });
    }

    fn add(&mut self, key: &str, path: &str, thing: Thing) -> Result<(), WorldFileError> {
        let at = format!("{key}.{path}");
        let path = self.absolute(&at, path)?;
        match self.entry(&path).map(|entry| &entry.thing) {
            Some(Thing::Dir) if thing == Thing::Dir => return Ok(()),
            Some(_) => return refuse(at, "something else stands there already"),
            None => {}
        }
        if let Err(message) = self.make_dirs(parent(&path)) {
            return refuse(at, message);
        }
        self.put(&path, thing);
        Ok(())
    }

    /// Makes a directory and all above it.
    fn make_dirs(&mut self, path: &str) -> Result<(), String> {
        match self.entry(path).map(|entry| &entry.thing) {
            Some(Thing::Dir) => return Ok(()),
            Some(Thing::Link(_)) => {
                return Err(format!("lies below the link `{path}`; name it by the link's target"));
            }
            Some(_) => return Err(format!("lies below `{path}`, which is no directory")),
            None => {}
        }
        let above = parent(path);
        if above != path {
            self.make_dirs(above)?;
        }
        self.put(path, Thing::Dir);
        Ok(())
    }
}

/// The directory of a path; a root is its own.
fn parent(path: &str) -> &str {
    match path.trim_end_matches('/').rfind('/') {
        Some(at) => {
            let dir = path.get(..at).unwrap_or("");
            // The slash of a root belongs to it.
            if dir.is_empty() || dir.ends_with(':') { path.get(..=at).unwrap_or(path) } else { dir }
        }
        None => path,
    }
}

fn split(text: &str) -> Vec<String> {
    text.split('/').map(str::to_owned).collect()
}

fn string(object: &mut Map<String, Value>, key: &str) -> Result<Option<String>, WorldFileError> {
    match object.shift_remove(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => refuse(key, format!("must be a string, this is {}", type_name(&other))),
    }
}

fn flag(object: &mut Map<String, Value>, key: &str) -> Result<bool, WorldFileError> {
    match object.shift_remove(key) {
        None => Ok(false),
        Some(Value::Bool(value)) => Ok(value),
        Some(other) => refuse(key, format!("must be true or false, this is {}", type_name(&other))),
    }
}

fn strings(object: &mut Map<String, Value>, key: &str) -> Result<Vec<String>, WorldFileError> {
    let list = match object.shift_remove(key) {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(other) => return refuse(key, format!("must be a list, this is {}", type_name(&other))),
    };
    list.into_iter()
        .map(|item| match item {
            Value::String(text) => Ok(text),
            other => refuse(key, format!("must be a list of strings, an element is {}", type_name(&other))),
        })
        .collect()
}

fn entries(object: &mut Map<String, Value>, key: &str) -> Result<Map<String, Value>, WorldFileError> {
    match object.shift_remove(key) {
        None => Ok(Map::new()),
        Some(Value::Object(entries)) => Ok(entries),
        Some(other) => refuse(key, format!("must be an object, this is {}", type_name(&other))),
    }
}

fn parse_date(text: &str) -> Option<Date> {
    let date: jiff::civil::Date = text.parse().ok()?;
    let date = Date {
        year: u16::try_from(date.year()).ok()?,
        month: u8::try_from(date.month()).ok()?,
        day: u8::try_from(date.day()).ok()?,
    };
    (format!("{:04}-{:02}-{:02}", date.year, date.month, date.day) == text).then_some(date)
}

impl World for VirtualWorld {
    fn workspace(&self) -> &str {
        &self.workspace
    }

    fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    fn home_of(&self, user: &str) -> Option<String> {
        self.home.clone().filter(|home| crate::model::path::name_of(home) == user)
    }

    fn temp(&self) -> Option<&str> {
        self.temp.as_deref()
    }

    fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    fn platform(&self) -> Platform {
        self.platform
    }

    fn folding(&self, _path: &str) -> Folding {
        self.folding
    }

    fn inspect(&self, path: &str) -> Result<Node, WorldError> {
        Ok(match self.entry(path).map(|entry| &entry.thing) {
            None => Node::Missing,
            Some(Thing::File { number, .. }) => {
                Node::File { hard_links: self.hard_links.get(*number).copied().unwrap_or(1) }
            }
            Some(Thing::Dir) => Node::Dir,
            Some(Thing::Link(target)) => Node::Link(target.clone()),
            Some(Thing::Other) => Node::Other,
        })
    }

    fn list(&self, directory: &str, max: usize) -> Result<Vec<String>, WorldError> {
        match self.entry(directory).map(|entry| &entry.thing) {
            Some(Thing::Dir) => {}
            None => return Err(WorldError::Missing),
            Some(_) => return Err(WorldError::Other("not a directory".to_owned())),
        }
        let mut prefix = self.key(directory).into_owned();
        if !prefix.ends_with('/') {
            prefix.push('/');
        }
        let mut names: Vec<String> = self
            .entries
            .range(prefix.clone()..)
            .take_while(|(key, _)| key.starts_with(&prefix))
            .filter(|(key, _)| {
                key.get(prefix.len()..).is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
            })
            .map(|(_, entry)| entry.name.clone())
            .collect();
        names.sort();
        if names.len() > max { Err(WorldError::TooMany(max)) } else { Ok(names) }
    }

    fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, WorldError> {
        match self.hosts.get(host) {
            Some(addresses) if !addresses.is_empty() => Ok(addresses.clone()),
            _ => Err(WorldError::Missing),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        match self.env.get(name) {
            None if name == "HOME" => self.home.clone(),
            value => value.cloned(),
        }
    }

    fn today(&self) -> Option<Date> {
        self.today
    }

    fn labels(&self) -> Vec<String> {
        self.labels.clone()
    }

    fn protected(&self) -> Vec<String> {
        self.protected.clone()
    }
}

#[cfg(test)]
#[path = "virtual_world_tests.rs"]
mod tests;
