//! Paths: from a text to every spelling that has to be judged (`language.md`, section 7).

mod anchors;
mod glob;
mod tree;
mod walk;
pub mod windows;

pub use anchors::{anchors, anchors_of, display_path, widen};
pub use glob::{glob, glob_argument};
pub use tree::tree;

use std::borrow::Cow;

use super::world::{Platform, World};
use crate::base::limits::PATH_BYTES_MAX;
use crate::model::path::{PathFact, PathKind, PathVariant, VariantRole};
use crate::model::pattern::path::join;

/// Resolves a path as the system does: relative to `base` (an absolute directory), links followed,
/// dots behind a link taken from where the link leads. Every spelling on the way is a variant, the
/// canonical one last. `~` is an ordinary name here.
///
/// Unresolved are: the empty path, NUL, more than [`PATH_BYTES_MAX`] bytes, loops, what the system
/// refuses to show, `..` behind a name that is missing or no directory, and names whose meaning
/// depends on the process that opens them (`/proc/self`, `/dev/fd`, `/dev/stdin`, …).
#[must_use]
pub fn resolve(world: &dyn World, given: &str, base: &str) -> PathFact {
    let joined;
    let walked = match split(world, given, base) {
        Ok(Split::Names(root, names)) => {
            walk::walk(world, root, names.into_iter().rev().map(Cow::Owned).collect())
        }
        Ok(Split::Given) => walk::walk(world, "/".to_owned(), names(given)),
        Ok(Split::Joined(path)) => {
            joined = path;
            walk::walk(world, "/".to_owned(), names(&joined))
        }
        Err(reason) => Err(reason),
    };
    match walked {
        Ok(walked) => fact(world, given, walked),
        Err(reason) => PathFact::unresolved(given, reason),
    }
}

/// Resolves the argument of a tool. Some tools read `~/x` as a file in the home directory and some as
/// a name, so both are judged; the canonical one is the name where it exists, else the file in the
/// home directory.
#[must_use]
pub fn resolve_argument(world: &dyn World, given: &str, base: &str) -> PathFact {
    let literal = resolve(world, given, base);
    let Some(expanded) = expand_tilde(world, given) else { return literal };
    let Some(expanded) = expanded else {
        return PathFact::unresolved(given, "the home directory that `~` stands for is not known");
    };
    let home = resolve(world, &expanded, base);
    if let Some(reason) = literal.unresolved.or(home.unresolved) {
        return PathFact::unresolved(given, reason);
    }
    let exists = literal.variants.first().is_some_and(|variant| variant.kind != PathKind::Missing);
    let canonical = if exists { literal.canonical } else { literal.variants.len() + home.canonical };
    let mut variants = literal.variants;
    variants.extend(home.variants);
    PathFact { variants, canonical, ..literal_fact(world, given, &expanded) }
}

fn literal_fact(world: &dyn World, given: &str, path: &str) -> PathFact {
    PathFact {
        given: given.to_owned(),
        variants: Vec::new(),
        canonical: 0,
        folding: world.folding(path),
        unresolved: None,
    }
}

/// What `~` or `~user` at the beginning stands for. Nothing where the text has no such beginning (or
/// names a user that does not exist), and `Some(None)` where the home is not known.
#[expect(clippy::option_option, reason = "three answers: no tilde, unknown home, known home")]
fn expand_tilde(world: &dyn World, given: &str) -> Option<Option<String>> {
    let rest = given.strip_prefix('~')?;
    let separators: &[char] = if world.platform() == Platform::Windows { &['/', '\\'] } else { &['/'] };
    let (user, behind) = match rest.find(separators) {
        Some(at) => (rest.get(..at).unwrap_or(""), rest.get(at + 1..).unwrap_or("")),
        None => (rest, ""),
    };
    if user.is_empty() {
        return Some(world.home().map(|home| join(home, behind)));
    }
    world.home_of(user).map(|home| Some(join(&home, behind)))
}

fn fact(world: &dyn World, given: &str, walked: walk::Walked) -> PathFact {
    let canonical = walked.spellings.len().saturating_sub(1);
    let folding = walked.spellings.last().map(|path| world.folding(path)).unwrap_or_default();
    let variant = |path| PathVariant { path, kind: walked.kind, role: VariantRole::Itself };
    PathFact {
        given: given.to_owned(),
        variants: walked.spellings.into_iter().map(variant).collect(),
        canonical,
        folding,
        unresolved: None,
    }
}

/// A text made absolute.
enum Split {
    /// The root and the names.
    Names(String, Vec<String>),
    /// The text itself, below `/`.
    Given,
    /// This text, below `/`.
    Joined(String),
}

fn split(world: &dyn World, given: &str, base: &str) -> Result<Split, String> {
    if given.is_empty() {
        return Err("the path is empty".to_owned());
    }
    if given.contains('\0') {
        return Err("the path holds a NUL character".to_owned());
    }
    if given.len() > PATH_BYTES_MAX {
        return Err(format!("the path is longer than {PATH_BYTES_MAX} bytes"));
    }
    match world.platform() {
        Platform::Windows => windows::split(given, base).map(|(root, names)| Split::Names(root, names)),
        Platform::Posix if given.starts_with('/') => Ok(Split::Given),
        Platform::Posix if base.starts_with('/') => Ok(Split::Joined(join(base, given))),
        Platform::Posix => Err("the working directory is not known".to_owned()),
    }
}

/// The names of a path, the last one first.
fn names(text: &str) -> Vec<Cow<'_, str>> {
    text.rsplit('/').map(Cow::Borrowed).collect()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
