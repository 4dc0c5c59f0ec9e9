//! Name by name along a path, links followed.

use std::borrow::Cow;

use super::windows;
use crate::base::limits::{LINKS_PER_PATH_MAX, PATH_BYTES_MAX};
use crate::effects::world::{Node, Platform, World, WorldError};
use crate::model::path::PathKind;
use crate::model::pattern::path::join;

/// Bytes of one name, as Linux's `NAME_MAX`.
const NAME_BYTES_MAX: usize = 255;

/// Where a path leads.
pub(super) struct Walked {
    /// Every spelling, as given first, the canonical one last.
    pub spellings: Vec<String>,
    /// What stands there.
    pub kind: PathKind,
}

/// A spelling that is not finished.
struct Spelling {
    text: String,
    /// How many names were left when its link was met. What the link's text adds is not part of it.
    resume: usize,
    /// Names behind its last link: `..` takes one of them away, but cannot take the link.
    behind_link: usize,
}

struct Walker<'w> {
    world: &'w dyn World,
    /// The names still to come, the next one last.
    pending: Vec<Cow<'w, str>>,
    canonical: String,
    spellings: Vec<Spelling>,
    kind: PathKind,
    links: usize,
}

/// Walks from a root along names, the last one first.
///
/// # Errors
/// Why the path cannot be known.
pub(super) fn walk<'w>(
    world: &'w dyn World,
    root: String,
    names: Vec<Cow<'w, str>>,
) -> Result<Walked, String> {
    let mut walker = Walker {
        world,
        pending: names,
        canonical: root,
        spellings: Vec::new(),
        kind: PathKind::Dir,
        links: 0,
    };
    while let Some(name) = walker.pending.pop() {
        walker.step(&name)?;
    }
    if walker.canonical.len() > PATH_BYTES_MAX {
        return Err(format!("the path is longer than {PATH_BYTES_MAX} bytes"));
    }
    let mut spellings: Vec<String> = Vec::new();
    for Spelling { text, .. } in walker.spellings {
        if text != walker.canonical && !spellings.contains(&text) {
            spellings.push(text);
        }
    }
    spellings.push(walker.canonical);
    Ok(Walked { spellings, kind: walker.kind })
}

impl Walker<'_> {
    fn step(&mut self, name: &str) -> Result<(), String> {
        match name {
            "" | "." => return Ok(()),
            ".." => return self.up(),
            _ => {}
        }
        if name.len() > NAME_BYTES_MAX {
            return Err(format!("a name is longer than {NAME_BYTES_MAX} bytes"));
        }
        if depends_on_process(self.world.platform(), &self.canonical, name) {
            return Err("the path means something else in each process".to_owned());
        }
        let length = self.canonical.len();
        push(&mut self.canonical, name);
        let node = match self.kind {
            PathKind::Missing => Node::Missing,
            PathKind::Dir => self.world.inspect(&self.canonical).or_else(missing)?,
            _ => return Err("a file stands where a directory should be".to_owned()),
        };
        if let Node::Link(target) = node {
            self.canonical.truncate(length);
            return self.follow(name, &target);
        }
        self.kind = match node {
            Node::Missing => PathKind::Missing,
            Node::File { hard_links } if hard_links > 1 => PathKind::Shared,
            Node::File { .. } => PathKind::File,
            Node::Dir => PathKind::Dir,
            Node::Link(_) | Node::Other => PathKind::Other,
        };
        self.extend_spellings(name, false);
        Ok(())
    }

    fn up(&mut self) -> Result<(), String> {
        match self.kind {
            PathKind::Dir => {}
            PathKind::Missing => return Err("`..` stands behind a name that does not exist".to_owned()),
            _ => return Err("a file stands where a directory should be".to_owned()),
        }
        pop(&mut self.canonical);
        let left = self.pending.len() + 1;
        self.spellings.retain_mut(|spelling| {
            if left > spelling.resume {
                return true;
            }
            if spelling.behind_link == 0 {
                return false;
            }
            spelling.behind_link -= 1;
            pop(&mut spelling.text);
            true
        });
        Ok(())
    }

    fn follow(&mut self, name: &str, target: &str) -> Result<(), String> {
        self.links += 1;
        if self.links > LINKS_PER_PATH_MAX {
            return Err("too many links, or a loop of links".to_owned());
        }
        if target.is_empty() || target.contains('\0') {
            return Err("a link leads nowhere".to_owned());
        }
        self.extend_spellings(name, true);
        // What this link's text adds is part of no spelling so far either.
        let resume = self.pending.len();
        for spelling in &mut self.spellings {
            spelling.resume = spelling.resume.min(resume);
        }
        let text = join(&self.canonical, name);
        self.spellings.push(Spelling { text, resume, behind_link: 0 });
        match self.world.platform() {
            Platform::Posix => {
                if target.starts_with('/') {
                    "/".clone_into(&mut self.canonical);
                }
                self.pending.extend(target.rsplit('/').map(|name| Cow::Owned(name.to_owned())));
            }
            Platform::Windows => {
                // Dots are resolved in the text there, so what is left has none.
                let (root, names) = windows::split(target, &self.canonical)?;
                self.canonical = root;
                self.pending.extend(names.into_iter().rev().map(Cow::Owned));
            }
        }
        Ok(())
    }

    fn extend_spellings(&mut self, name: &str, is_link: bool) {
        let left = self.pending.len() + 1;
        for spelling in self.spellings.iter_mut().filter(|spelling| left <= spelling.resume) {
            spelling.text = join(&spelling.text, name);
            spelling.behind_link = if is_link { 0 } else { spelling.behind_link + 1 };
        }
    }
}

/// What a world says is missing is missing; what it cannot say is an error.
fn missing(error: WorldError) -> Result<Node, String> {
    match error {
        WorldError::Missing => Ok(Node::Missing),
        other => Err(other.to_string()),
    }
}

/// Adds a name.
fn push(path: &mut String, name: &str) {
    if !path.ends_with('/') {
        path.push('/');
    }
    path.push_str(name);
}

/// Takes the last name away; a root stays.
fn pop(path: &mut String) {
    let Some(at) = path.rfind('/') else { return };
    let root = at == 0 || path.as_bytes().get(at.wrapping_sub(1)) == Some(&b':');
    path.truncate(if root { at + 1 } else { at });
}

/// Links that are not in any file system: where they lead depends on who follows them.
fn depends_on_process(platform: Platform, dir: &str, name: &str) -> bool {
    if platform == Platform::Windows {
        return false;
    }
    match dir {
        "/proc" => matches!(name, "self" | "thread-self"),
        "/dev" => matches!(name, "fd" | "stdin" | "stdout" | "stderr"),
        _ => {
            let Some(rest) = dir.strip_prefix("/proc/") else { return false };
            let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            let of_process = match rest.split_once('/') {
                None => number(rest),
                Some((process, thread)) => {
                    number(process) && thread.strip_prefix("task/").is_some_and(number)
                }
            };
            of_process && matches!(name, "cwd" | "root" | "exe" | "fd" | "map_files" | "ns")
        }
    }
}
