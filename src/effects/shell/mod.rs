//! Command lines.

pub mod matching;

use std::sync::Arc;

use super::world::World;
use crate::model::Capability;
use crate::model::command::{Command, Identity};
use crate::model::demand::Demand;
use crate::model::effect::{Effect, Origin, Resource};
use crate::model::path::PathFact;
use crate::syntax::ast::Step;

/// A command line, and where it stands.
#[derive(Debug, Clone)]
pub struct CommandLine<'a> {
    /// What is run.
    pub text: CommandText<'a>,
    /// The steps from `args` to it.
    pub argument: Vec<Step>,
    /// The directory it starts in.
    pub cwd: PathFact,
    /// The name of a language that is not understood.
    pub opaque_dialect: Option<&'a str>,
}

/// What is run.
#[derive(Debug, Clone)]
pub enum CommandText<'a> {
    /// A line.
    Line(&'a str),
    /// The words of one command.
    Words(Vec<String>),
}

/// The effects of a line; `cause` counts from the first of them.
#[must_use]
pub fn derive(line: &CommandLine<'_>, _world: &dyn World, _demand: &Demand) -> Vec<Effect> {
    let text = match &line.text {
        CommandText::Line(text) => (*text).to_owned(),
        CommandText::Words(words) => words.join(" "),
    };
    let command = Arc::new(Command {
        identity: Identity::Unknown,
        words: Vec::new(),
        readings: Vec::new(),
        in_catalogue: false,
        has_end_of_options: false,
        wrappers: Vec::new(),
        cwd: line.cwd.clone(),
        env: Vec::new(),
        harmless_env: Vec::new(),
        assignments: Vec::new(),
        opaque: Some("command lines are not read yet".to_owned()),
        append_at: None,
        text,
    });
    let effect = |capability, resource, origin, via, cause| Effect {
        capability,
        resource,
        origin,
        action: None,
        via,
        cause,
        from: None,
    };
    let mut effects =
        vec![effect(Capability::Exec, Resource::Command(command.clone()), Origin::Spelled, None, None)];
    for capability in [Capability::Read, Capability::Write, Capability::Network] {
        effects.push(effect(capability, Resource::None, Origin::Implied, Some(command.clone()), Some(0)));
    }
    effects
}
