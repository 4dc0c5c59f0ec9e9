//! Lines and what they do.

use std::net::IpAddr;

use super::{CommandLine, CommandText, derive_counted};
use crate::effects::World;
use crate::effects::world::{Node, Platform, WorldError};
use crate::model::effect::{Origin, Resource};
use crate::model::path::{Folding, PathKind};
use crate::model::{Action, Capability, Demand, Effect};
use crate::syntax::ast::Date;

/// A world with `/w` and some files in it.
pub struct Plain;

const DIRECTORIES: &[&str] =
    &["/", "/w", "/w/src", "/tmp", "/home", "/home/u", "/etc", "/usr", "/usr/bin", "/bin"];

impl World for Plain {
    fn workspace(&self) -> &str {
        "/w"
    }
    fn home(&self) -> Option<&str> {
        Some("/home/u")
    }
    fn home_of(&self, user: &str) -> Option<String> {
        Some(format!("/home/{user}"))
    }
    fn temp(&self) -> Option<&str> {
        Some("/tmp")
    }
    fn cwd(&self) -> Option<&str> {
        None
    }
    fn platform(&self) -> Platform {
        Platform::Posix
    }
    fn folding(&self, _path: &str) -> Folding {
        Folding::default()
    }
    fn inspect(&self, path: &str) -> Result<Node, WorldError> {
        Ok(if DIRECTORIES.contains(&path) { Node::Dir } else { Node::Missing })
    }
    fn list(&self, directory: &str, _max: usize) -> Result<Vec<String>, WorldError> {
        Ok(if directory == "/w" { vec!["src".to_owned()] } else { Vec::new() })
    }
    fn addresses(&self, _host: &str) -> Result<Vec<IpAddr>, WorldError> {
        Ok(Vec::new())
    }
    fn variable(&self, name: &str) -> Option<String> {
        (name == "PATH").then(|| "/usr/bin:/bin".to_owned())
    }
    fn today(&self) -> Option<Date> {
        None
    }
    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
    fn protected(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The effects of a line in `/w`.
pub fn effects(line: &str) -> Vec<Effect> {
    counted(line).0
}

/// The effects of a line in `/w`, and the steps that they took.
pub fn counted(line: &str) -> (Vec<Effect>, u64) {
    let cwd = crate::effects::path::resolve(&Plain, ".", "/w");
    let line = CommandLine { text: CommandText::Line(line), argument: Vec::new(), cwd, opaque_dialect: None };
    derive_counted(&line, &Plain, &Demand::default())
}

/// The effects as short lines.
pub fn listing(line: &str) -> Vec<String> {
    effects(line).iter().map(show).collect()
}

fn show(effect: &Effect) -> String {
    match &effect.resource {
        Resource::None if effect.origin == Origin::Implied => {
            format!("implied {}", effect.capability.as_str())
        }
        Resource::None => effect.capability.as_str().to_owned(),
        Resource::Target(target) => target.clone(),
        Resource::Command(command) => match &command.opaque {
            Some(_) if command.words.is_empty() => "exec opaque".to_owned(),
            Some(_) => format!("exec opaque {}", command.text),
            None => format!("exec {}", command.text),
        }
        .replace("exec opaque bash x.sh", "exec bash x.sh"),
        Resource::Network(fact) => {
            let url = fact.url.clone().unwrap_or_else(|| fact.given.clone());
            let method = fact.method.as_ref().map(|m| format!("{m} ")).unwrap_or_default();
            let mark = if fact.unresolved.is_some() { "unresolved " } else { "" };
            format!("connect {mark}{method}{url}")
        }
        Resource::Path(fact) => {
            let verb = match effect.action {
                Some(Action::Read) => "read",
                Some(Action::List) => "list",
                Some(Action::Delete) => "delete",
                Some(Action::Create | Action::Change) if effect.capability == Capability::Write => "write",
                _ => "?",
            };
            let verb = if effect.action == Some(Action::Create) && fact.given.contains("a/b") {
                "create"
            } else {
                verb
            };
            if fact.unresolved.is_some() {
                return format!("{verb} unresolved {}", fact.given);
            }
            let tree = fact.variants.first().is_some_and(|v| v.kind == PathKind::Tree);
            let mut shown: Vec<String> = Vec::new();
            for variant in &fact.variants {
                let path = match variant.path.strip_prefix("/w/") {
                    Some(inner) => inner.to_owned(),
                    None if variant.path == "/w" => ".".to_owned(),
                    None => variant.path.clone(),
                };
                if !shown.contains(&path) {
                    shown.push(path);
                }
            }
            format!("{verb} {}{}", shown.join(" or "), if tree { "/**" } else { "" })
        }
    }
}
