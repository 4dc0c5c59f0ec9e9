//! Path patterns (`language.md`, section 7): anchored globs over canonical paths.

use std::hash::{Hash, Hasher};

use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use super::glob::{
    Component, closed_downward, components_match, could_match_below, expand_braces, names_equal,
    parse_component,
};
use super::{Coverage, PatternError};
use crate::model::path::{Anchors, Folding};

/// Where a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Anchor {
    /// `/`.
    Root,
    /// `C:/`.
    Drive(char),
    /// `~/`.
    Home,
    /// `./`.
    Workspace,
}

/// The part of a pattern before its first wildcard, a directory that may have other spellings.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LiteralDir {
    /// Where it begins.
    pub anchor: Anchor,
    /// The components behind the anchor, `/`-separated; may be empty.
    pub dir: String,
}

/// A parsed path pattern. Two patterns are equal where their texts are.
#[derive(Debug, Clone)]
pub struct PathPattern {
    text: String,
    /// One for each way through the braces.
    globs: Vec<Glob>,
    /// The same in Unicode NFC, where that differs.
    normal: Option<Vec<Glob>>,
}

/// One pattern without braces.
#[derive(Debug, Clone)]
struct Glob {
    /// The literal beginning with its key in [`Anchors::literals`]; `None` for `**/…`.
    literal: Option<(LiteralDir, String)>,
    /// What follows it.
    rest: Vec<Component>,
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PathPattern {}

impl Hash for PathPattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl PathPattern {
    /// Parses a glob.
    ///
    /// # Errors
    /// A pattern without an anchor, with `..`, or with broken brackets.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let globs = parse_globs(text)?;
        let normal = if is_nfc(text) { None } else { Some(parse_globs(&text.nfc().collect::<String>())?) };
        Ok(Self { text: text.to_owned(), globs, normal })
    }

    /// Parses a literal directory for `under` and `is`: the same anchors, no wildcards. A separator
    /// at the end is allowed, it is a directory after all.
    ///
    /// # Errors
    /// As [`PathPattern::parse`], and any wildcard.
    pub fn parse_literal(text: &str) -> Result<LiteralDir, PatternError> {
        let trimmed = match text.strip_suffix('/') {
            Some(rest) if !matches!(rest, "" | "." | "~" | "**") && !rest.ends_with(':') => rest,
            _ => text,
        };
        let mut globs = parse_globs(trimmed)?;
        let plain = globs.len() == 1 && !trimmed.contains('{');
        match (globs.pop(), plain) {
            (Some(Glob { literal: Some((dir, _)), rest }), true) if rest.is_empty() => Ok(dir),
            _ => Err(PatternError::new(
                format!("`{text}` is a pattern, not one directory"),
                "a directory without wildcards; `in {\"…\"}` takes patterns",
            )),
        }
    }

    /// The pattern as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its literal beginning; `None` for `**/…`, and where its braces give several beginnings (then
    /// [`PathPattern::literal_dirs`] has them all). A pattern without wildcards is literal as a whole.
    #[must_use]
    pub fn literal_dir(&self) -> Option<LiteralDir> {
        let mut dirs = self.literal_dirs();
        if dirs.len() == 1 { dirs.pop() } else { None }
    }

    /// Its literal beginnings, one for each way through the braces, without doubles.
    #[must_use]
    pub fn literal_dirs(&self) -> Vec<LiteralDir> {
        let mut dirs: Vec<_> =
            self.globs.iter().filter_map(|glob| Some(glob.literal.as_ref()?.0.clone())).collect();
        dirs.sort();
        dirs.dedup();
        dirs
    }

    /// What an index may look a path up by: every path that matches has at least one of the keys.
    /// `None` where some way through the braces has none.
    #[must_use]
    pub fn index_keys(&self) -> Option<Vec<PathKey>> {
        self.globs.iter().chain(self.normal.iter().flatten()).map(Glob::index_key).collect()
    }

    fn globs(&self, folding: Folding) -> &[Glob] {
        match &self.normal {
            Some(normal) if folding.unicode => normal,
            _ => &self.globs,
        }
    }

    /// Whether a canonical path matches.
    #[must_use]
    pub fn matches(&self, path: &str, anchors: &Anchors, folding: Folding) -> bool {
        self.globs(folding).iter().any(|glob| {
            let Some((dir, key)) = &glob.literal else {
                return components_match(&glob.rest, relative(path), folding);
            };
            dir.any_spelling(key, anchors, |base, behind| {
                let Some(rest) = strip_dir(path, base, folding) else { return false };
                let Some(rest) = strip_relative(rest, behind, folding) else { return false };
                components_match(&glob.rest, rest, folding)
            })
        })
    }

    /// How much of `root` and all that could lie below it matches. Errs to `Some`.
    #[must_use]
    pub fn coverage(&self, root: &str, anchors: &Anchors, folding: Folding) -> Coverage {
        let mut best = Coverage::None;
        for glob in self.globs(folding) {
            match glob.coverage(root, anchors, folding) {
                Coverage::All => return Coverage::All,
                Coverage::Some => best = Coverage::Some,
                Coverage::None => {}
            }
        }
        best
    }
}

/// A key of a path pattern; names are folded by [`folded_key`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PathKey {
    /// The path is this directory or lies below it.
    Dir(LiteralDir),
    /// The path's last component.
    Name(String),
    /// Some component of the path.
    Component(String),
}

/// A name or path as an index key: equal for all names that some file system takes for one.
#[must_use]
pub fn folded_key(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    super::glob::folded_name(text, Folding { case: true, unicode: true })
}

impl Glob {
    fn index_key(&self) -> Option<PathKey> {
        match &self.literal {
            Some((dir, _))
                if !dir.dir.is_empty() || matches!(dir.anchor, Anchor::Home | Anchor::Workspace) =>
            {
                return Some(PathKey::Dir(dir.clone()));
            }
            _ => {}
        }
        if let Some(Component::Literal(name)) = self.rest.last() {
            return Some(PathKey::Name(folded_key(name)));
        }
        self.rest.iter().find_map(|component| match component {
            Component::Literal(name) => Some(PathKey::Component(folded_key(name))),
            Component::AnyDepth | Component::Tokens(_) => None,
        })
    }

    fn coverage(&self, root: &str, anchors: &Anchors, folding: Folding) -> Coverage {
        let of_rest = |rest: Option<&str>| {
            if closed_downward(&self.rest) && components_match(&self.rest, rest, folding) {
                Coverage::All
            } else if could_match_below(&self.rest, rest, folding) {
                Coverage::Some
            } else {
                Coverage::None
            }
        };
        let Some((dir, _)) = &self.literal else { return of_rest(relative(root)) };
        let mut best = Coverage::None;
        for spelling in dir.spellings(anchors) {
            let one = match strip_dir(root, &spelling, folding) {
                Some(rest) => of_rest(rest),
                None if strip_dir(&spelling, root, folding).is_some() => Coverage::Some,
                None => Coverage::None,
            };
            match one {
                Coverage::All => return Coverage::All,
                Coverage::Some => best = Coverage::Some,
                Coverage::None => {}
            }
        }
        best
    }
}

impl LiteralDir {
    /// Every absolute spelling under the anchors; empty where the anchor has no place.
    #[must_use]
    pub fn spellings(&self, anchors: &Anchors) -> Vec<String> {
        let mut out = Vec::new();
        self.any_spelling(&self.to_string(), anchors, |base, behind| {
            out.push(join(base, behind));
            false
        });
        out
    }

    /// Whether `path` is this directory (`below` false), or is it or lies below it (`below` true).
    #[must_use]
    pub fn holds(&self, path: &str, below: bool, anchors: &Anchors, folding: Folding) -> bool {
        self.any_spelling(&self.to_string(), anchors, |base, behind| {
            strip_dir(path, base, folding)
                .and_then(|rest| strip_relative(rest, behind, folding))
                .is_some_and(|rest| below || rest.is_none())
        })
    }

    /// Hands every spelling to `test` as a directory and components behind it, until one holds.
    fn any_spelling(&self, key: &str, anchors: &Anchors, mut test: impl FnMut(&str, &str) -> bool) -> bool {
        if let Some(listed) = anchors.literals.get(key) {
            return listed.iter().any(|spelling| test(spelling, ""));
        }
        match self.anchor {
            Anchor::Root => test("/", &self.dir),
            Anchor::Drive(letter) => {
                let mut buffer = [0; 4];
                let letter: &str = letter.encode_utf8(&mut buffer);
                let root = [letter, ":/"].concat();
                test(&root, &self.dir)
            }
            Anchor::Home => anchors.home.iter().any(|home| test(home, &self.dir)),
            Anchor::Workspace => anchors.workspace.iter().any(|root| test(root, &self.dir)),
        }
    }
}

impl std::fmt::Display for LiteralDir {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.anchor {
            Anchor::Root => write!(f, "/{}", self.dir),
            Anchor::Drive(letter) => write!(f, "{letter}:/{}", self.dir),
            Anchor::Home => write!(f, "~/{}", self.dir),
            Anchor::Workspace => write!(f, "./{}", self.dir),
        }
    }
}

/// Joins a directory and components behind it.
pub(crate) fn join(dir: &str, behind: &str) -> String {
    if behind.is_empty() {
        dir.to_owned()
    } else if dir.ends_with('/') {
        format!("{dir}{behind}")
    } else {
        format!("{dir}/{behind}")
    }
}

/// The components of an absolute path; `None` for the root.
fn relative(path: &str) -> Option<&str> {
    let rest = path.strip_prefix('/').unwrap_or(path);
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    if rest.is_empty() { None } else { Some(rest) }
}

/// What follows the components `dir` (may be none) at the beginning of `path`: `Some(None)` where
/// they are equal, `None` where `path` begins otherwise.
fn strip_relative<'p>(path: Option<&'p str>, dir: &str, folding: Folding) -> Option<Option<&'p str>> {
    if dir.is_empty() {
        return Some(path);
    }
    let path = path?;
    if let Some(rest) = path.strip_prefix(dir) {
        if rest.is_empty() {
            return Some(None);
        }
        if let Some(rest) = rest.strip_prefix('/') {
            return Some(Some(rest));
        }
    }
    if !folding.case && !folding.unicode {
        return None;
    }
    let mut rest = Some(path);
    for name in dir.split('/') {
        let text = rest?;
        let (first, behind) = match text.split_once('/') {
            Some((first, behind)) => (first, Some(behind)),
            None => (text, None),
        };
        if !names_equal(first, name, folding) {
            return None;
        }
        rest = behind;
    }
    Some(rest)
}

/// What follows the directory `dir` in `path`, both absolute: `Some(None)` where they are equal.
pub(crate) fn strip_dir<'p>(path: &'p str, dir: &str, folding: Folding) -> Option<Option<&'p str>> {
    if path.starts_with('/') != dir.starts_with('/') {
        return None;
    }
    strip_relative(relative(path), relative(dir).unwrap_or(""), folding)
}

/// Whether `path` is the directory `dir`, or is it or lies below it (`below`), as names compare in the
/// file system. Both absolute; this is [`crate::model::path::is_under`] with folding.
#[must_use]
pub fn is_or_below(path: &str, dir: &str, below: bool, folding: Folding) -> bool {
    strip_dir(path, dir, folding).is_some_and(|rest| below || rest.is_none())
}

const ANCHORS: &str = "`./` (workspace), `~/` (home), `/` or `C:/` (absolute) or `**/` (anywhere) first";

fn parse_globs(text: &str) -> Result<Vec<Glob>, PatternError> {
    if text.contains('\0') {
        return Err(PatternError::new("a pattern holds a NUL character", "a path that could exist"));
    }
    let (anchor, rest) = parse_anchor(text)?;
    let mut globs: Vec<Glob> = Vec::new();
    for one in expand_braces(rest)? {
        globs.push(parse_glob(anchor, &one, text)?);
    }
    Ok(globs)
}

/// The anchor and what follows it; no anchor for `**/`, which stays in the rest.
fn parse_anchor(text: &str) -> Result<(Option<Anchor>, &str), PatternError> {
    let refuse =
        |mend: String| Err(PatternError::new(format!("`{text}` has no beginning"), ANCHORS).mend(mend));
    if let Some(rest) = text.strip_prefix("./") {
        return Ok((Some(Anchor::Workspace), rest));
    }
    if let Some(rest) = text.strip_prefix("~/") {
        return Ok((Some(Anchor::Home), rest));
    }
    if let Some(rest) = text.strip_prefix('/') {
        return Ok((Some(Anchor::Root), rest));
    }
    if text.starts_with("**/") {
        return Ok((None, text));
    }
    let mut chars = text.chars();
    if let (Some(letter), Some(':')) = (chars.next(), chars.next())
        && letter.is_ascii_alphabetic()
    {
        return match chars.as_str().strip_prefix('/') {
            Some(rest) => Ok((Some(Anchor::Drive(letter.to_ascii_uppercase())), rest)),
            None => {
                refuse(format!("{letter}:/{}", chars.as_str().trim_start_matches('\\').replace('\\', "/")))
            }
        };
    }
    match text {
        "" => Err(PatternError::new("an empty pattern", ANCHORS)),
        "." => refuse("./".to_owned()),
        "~" => refuse("~/".to_owned()),
        "**" => refuse("/**".to_owned()),
        _ if text == ".." || text.starts_with("../") => Err(parent(text)),
        _ if text.starts_with('~') => {
            Err(PatternError::new(format!("`{text}` names another user's home"), "an absolute path"))
        }
        _ => refuse(format!("./{text}")),
    }
}

fn parent(text: &str) -> PatternError {
    PatternError::new(
        format!("`..` in `{text}`: patterns are compared with canonical paths, which have none"),
        "the directory itself, from `/`, `~/` or `./`",
    )
}

fn parse_glob(anchor: Option<Anchor>, text: &str, whole: &str) -> Result<Glob, PatternError> {
    let mut components = Vec::new();
    if !text.is_empty() {
        for part in split_components(text) {
            match part {
                "" if text.ends_with('/') && text.matches("//").count() == 0 => {
                    return Err(PatternError::new(
                        format!("`{whole}` ends in a separator"),
                        "`/**` for all below, or no separator for the directory itself",
                    )
                    .mend(format!("{whole}**")));
                }
                "" => {
                    return Err(PatternError::new(
                        format!("`{whole}` has an empty component"),
                        "one separator between names",
                    )
                    .mend(collapse(whole)));
                }
                _ => {}
            }
            let component = parse_component(part, whole)?;
            match &component {
                Component::Literal(name) if name == ".." => return Err(parent(whole)),
                Component::Literal(name) if name == "." => {
                    return Err(PatternError::new(
                        format!("`.` inside `{whole}` never stands in a canonical path"),
                        "the path without it",
                    )
                    .mend(whole.replacen("/./", "/", 1)));
                }
                Component::Literal(name) if name.contains('/') => {
                    return Err(PatternError::new(
                        format!("`{whole}` escapes a separator"),
                        "`/` without a backslash",
                    )
                    .mend(whole.replace("\\/", "/")));
                }
                Component::AnyDepth if components.last() == Some(&Component::AnyDepth) => continue,
                _ => {}
            }
            components.push(component);
        }
    }
    let Some(anchor) = anchor else { return Ok(Glob { literal: None, rest: components }) };
    let mut names = Vec::new();
    let mut rest = Vec::new();
    for component in components {
        match component {
            Component::Literal(name) if rest.is_empty() => names.push(name),
            other => rest.push(other),
        }
    }
    let dir = LiteralDir { anchor, dir: names.join("/") };
    let key = dir.to_string();
    Ok(Glob { literal: Some((dir, key)), rest })
}

/// Splits at separators; one behind a backslash stays, to be refused with its own words.
fn split_components(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut escaped) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '/' => {
                parts.push(text.get(start..at).unwrap_or(""));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or(""));
    parts
}

fn collapse(text: &str) -> String {
    let mut out = text.to_owned();
    while out.contains("//") {
        out = out.replace("//", "/");
    }
    out
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
