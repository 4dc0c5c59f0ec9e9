//! Patterns of paths in arguments and on command lines: the paths they match now.

use std::collections::BTreeSet;

use super::resolve;
use crate::base::limits::TREE_ENTRIES_MAX;
use crate::effects::world::{Platform, World, WorldError};
use crate::model::path::{PathFact, PathKind, PathVariant, VariantRole};
use crate::model::pattern::glob::{Component, Token, expand_braces, parse_component};
use crate::model::pattern::path::join;

/// How a pattern is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// As bash reads a word: a dot at the beginning of a name must be written.
    Shell,
    /// As tools read patterns: dots are ordinary, `{a,b}` are alternatives.
    Tool,
}

/// The paths that an unquoted word of a command line matches (`\` escapes what was quoted). Where it
/// matches none, bash leaves the word as it stands, and so does this. Names that begin with a dot are
/// matched only by a pattern that writes it.
#[must_use]
pub fn glob(world: &dyn World, pattern: &str, base: &str) -> PathFact {
    expand(world, pattern, base, Style::Shell)
}

/// The paths that the argument of a tool (`as glob`) matches, and for grants the whole region in which
/// it could match: the directory before its first wildcard.
#[must_use]
pub fn glob_argument(world: &dyn World, pattern: &str, base: &str) -> PathFact {
    expand(world, pattern, base, Style::Tool)
}

fn expand(world: &dyn World, pattern: &str, base: &str, style: Style) -> PathFact {
    if pattern.is_empty() || pattern.contains('\0') {
        return resolve(world, pattern, base);
    }
    let text = match world.platform() {
        Platform::Windows => pattern.replace('\\', "/"),
        Platform::Posix => pattern.to_owned(),
    };
    let alternatives = match style {
        Style::Shell => vec![text],
        Style::Tool => match expand_braces(&text) {
            Ok(texts) => texts,
            Err(error) => return PathFact::unresolved(pattern, error.message),
        },
    };
    let mut search = Search {
        world,
        base,
        style,
        found: Vec::new(),
        seen: BTreeSet::new(),
        been: BTreeSet::new(),
        entries: 0,
        whole: true,
    };
    let mut literal = Vec::new();
    for text in &alternatives {
        let text = home_first(world, text, style);
        let (root, components) = parse(&text, style);
        let names: Vec<&str> = components
            .iter()
            .map_while(|component| match component {
                Component::Literal(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        let all = names.len() == components.len();
        let dir = names.get(..names.len() - usize::from(all && !names.is_empty())).unwrap_or(&[]);
        let dir = format!("{root}{}", dir.join("/"));
        literal.push(if dir.is_empty() { ".".to_owned() } else { dir });
        search.go(root, &components);
    }
    search.finish(pattern, &literal)
}

fn home_first(world: &dyn World, text: &str, style: Style) -> String {
    match (style, text.strip_prefix("~/"), world.home()) {
        (Style::Tool, Some(rest), Some(home)) => join(&escape(home), rest),
        _ => text.to_owned(),
    }
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "*?[]{}\\".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The root that the pattern is written from (empty: the base), and its components. What bash and
/// the engine's own globs read differently becomes `*`: it matches more, never less.
fn parse(text: &str, style: Style) -> (String, Vec<Component>) {
    let (root, rest) = match text.split_once(":/") {
        Some((letter, rest)) if letter.len() == 1 => (format!("{letter}:/"), rest),
        _ if text.starts_with('/') => ("/".to_owned(), text),
        _ => (String::new(), text),
    };
    let mut out = Vec::new();
    for part in rest.split('/').filter(|part| !part.is_empty()) {
        let text = plain_classes(part);
        let any = Component::Tokens(vec![Token::AnyText]);
        let odd = ["?(", "*(", "+(", "@(", "!("].iter().any(|form| part.contains(form));
        let component = match parse_component(&text, part) {
            _ if odd && style == Style::Shell => any,
            Ok(component) => component,
            Err(_) if part.contains(['*', '?', '[']) => any,
            Err(_) => Component::Literal(part.to_owned()),
        };
        out.push(component);
    }
    (root, out)
}

/// Bracket expressions as the engine's own globs have them: `[^a]` is `[!a]`, and those that hold named
/// classes (`[[:alpha:]]`) or begin with a bracket become `?`.
fn plain_classes(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\\' => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            '[' => match bracket_end(rest) {
                Some((end, odd)) => {
                    let class = rest.get(..end).unwrap_or("");
                    out.push_str(&if odd { "?".to_owned() } else { class.replacen("[^", "[!", 1) });
                    rest = rest.get(end..).unwrap_or("");
                    continue;
                }
                None => {
                    out.push('\\');
                    1
                }
            },
            _ => c.len_utf8(),
        };
        out.push_str(rest.get(..length).unwrap_or(""));
        rest = rest.get(length..).unwrap_or("");
    }
    out
}

/// Where the bracket expression at the beginning of `text` ends, and whether it is an odd one.
fn bracket_end(text: &str) -> Option<(usize, bool)> {
    let inner = text.strip_prefix('[')?;
    let inner = inner.strip_prefix(['!', '^']).unwrap_or(inner);
    let mut odd = inner.starts_with(']');
    let mut at = text.len() - inner.len() + usize::from(odd);
    loop {
        let rest = text.get(at..)?;
        let c = rest.chars().next()?;
        let named =
            [("[:", ":]"), ("[=", "=]"), ("[.", ".]")].iter().find(|(open, _)| rest.starts_with(open));
        if let Some((_, close)) = named {
            odd = true;
            at += 2 + rest.get(2..)?.find(close)? + 2;
            continue;
        }
        match c {
            ']' => return Some((at + 1, odd)),
            '\\' => at += 1 + rest.chars().nth(1)?.len_utf8(),
            _ => at += c.len_utf8(),
        }
    }
}

struct Search<'w> {
    world: &'w dyn World,
    base: &'w str,
    style: Style,
    found: Vec<PathVariant>,
    seen: BTreeSet<String>,
    /// Directories that a `**` has been in, with the components that were left.
    been: BTreeSet<(String, usize)>,
    entries: usize,
    whole: bool,
}

impl Search<'_> {
    /// Follows the components from a directory, given as a text that may still hold dots.
    fn go(&mut self, dir: String, components: &[Component]) {
        let mut todo: Vec<(String, &[Component])> = vec![(dir, components)];
        while let Some((dir, components)) = todo.pop() {
            let Some((first, rest)) = components.split_first() else {
                self.take(&dir);
                continue;
            };
            match first {
                Component::Literal(name) => todo.push((join_text(&dir, name), rest)),
                Component::Tokens(_) => {
                    let names = self.names(&dir, Some(first));
                    todo.extend(names.into_iter().rev().map(|name| (join_text(&dir, &name), rest)));
                }
                Component::AnyDepth => {
                    let place = if dir.is_empty() { "." } else { dir.as_str() };
                    let canonical = resolve(self.world, place, self.base).canonical().map(str::to_owned);
                    let Some(canonical) = canonical else { continue };
                    if !self.been.insert((canonical, components.len())) {
                        continue;
                    }
                    let names = self.names(&dir, None);
                    todo.extend(names.into_iter().rev().map(|name| (join_text(&dir, &name), components)));
                    todo.push((dir, rest));
                }
            }
        }
    }

    /// The names in a directory that a component matches.
    fn names(&mut self, dir: &str, component: Option<&Component>) -> Vec<String> {
        let place = if dir.is_empty() { "." } else { dir };
        let fact = resolve(self.world, place, self.base);
        let Some(canonical) = fact.canonical() else { return Vec::new() };
        let left = TREE_ENTRIES_MAX.saturating_sub(self.entries);
        match self.world.list(canonical, left) {
            Ok(mut names) => {
                self.entries += names.len();
                names.retain(|name| {
                    let written = match component {
                        Some(Component::Tokens(tokens)) => tokens.first() == Some(&Token::Char('.')),
                        _ => false,
                    };
                    let hidden = self.style == Style::Shell && name.starts_with('.') && !written;
                    !hidden && component.is_none_or(|component| component.matches(name, fact.folding))
                });
                names
            }
            Err(WorldError::TooMany(_)) => {
                self.whole = false;
                Vec::new()
            }
            Err(_) => Vec::new(),
        }
    }

    /// Takes a path that the whole pattern matches, where it exists.
    fn take(&mut self, text: &str) {
        let fact = resolve(self.world, if text.is_empty() { "." } else { text }, self.base);
        for variant in fact.variants.into_iter().rev() {
            if variant.kind != PathKind::Missing && self.seen.insert(variant.path.clone()) {
                self.found.push(variant);
            }
        }
        // A link that leads nowhere, or where nobody may look: opening it fails, so there is nothing
        // to judge but its name.
        if fact.unresolved.is_some() && !text.contains("..") {
            let path = if text.starts_with('/') { text.to_owned() } else { join(self.base, text) };
            if self.seen.insert(path.clone()) {
                self.found.push(PathVariant { path, kind: PathKind::Other, role: VariantRole::Itself });
            }
        }
    }

    fn finish(self, pattern: &str, literal: &[String]) -> PathFact {
        if self.found.is_empty() && self.whole && self.style == Style::Shell {
            return resolve(self.world, &unescape(pattern), self.base);
        }
        let mut fact = PathFact {
            given: pattern.to_owned(),
            variants: self.found,
            canonical: 0,
            folding: self.world.folding(self.base),
            unresolved: None,
        };
        for dir in literal {
            let place = resolve(self.world, dir, self.base);
            if let Some(reason) = place.unresolved {
                return PathFact::unresolved(pattern, reason);
            }
            for variant in place.variants.into_iter().rev() {
                let mut region = |grants_only| {
                    fact.variants.push(PathVariant {
                        path: variant.path.clone(),
                        kind: PathKind::Tree,
                        role: VariantRole::Region { grants_only },
                    });
                };
                if !self.whole {
                    region(false);
                }
                if self.style == Style::Tool {
                    region(true);
                }
            }
        }
        fact
    }
}

fn join_text(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { join(dir, name) }
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    out
}
