//! From a call and the declarations of its tool to effects (`language.md`, section 4).

use std::borrow::Cow;
use std::cell::OnceCell;

use serde_json::{Map, Value};

use super::shell::{self, CommandLine, CommandText};
use super::world::{Platform, World};
use super::{network, path};
use crate::base::limits::EFFECTS_PER_CALL_MAX;
use crate::model::call::Call;
use crate::model::demand::Demand;
use crate::model::effect::{Effect, Origin, Resource};
use crate::model::path::{PathFact, PathKind};
use crate::model::tool::{Argument, Dialect, EffectLine, ToolDeclaration};
use crate::model::value::type_name;
use crate::model::{Action, Capability};
use crate::syntax::ast::Step;

/// Arguments that do not fit the tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}`: {message}", if at.is_empty() { "args" } else { at.as_str() })]
pub struct InvalidArguments {
    /// JSON pointer into the arguments; empty for the arguments as a whole.
    pub at: String,
    /// What was expected there. Never repeats the value.
    pub message: String,
}

/// Why a call has no list of effects.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeriveError {
    /// Its arguments do not fit the tool.
    #[error(transparent)]
    InvalidArguments(#[from] InvalidArguments),
    /// It has more than [`EFFECTS_PER_CALL_MAX`] effects.
    #[error("the call has more than {EFFECTS_PER_CALL_MAX} effects")]
    TooManyEffects,
}

/// The effects of a call: the union over all declarations that name its tool, in their order, a line
/// that two of them share once. A tool that nothing declares has all four capabilities without a
/// resource; a call without any effect has the effect `nothing`. Never empty.
///
/// # Errors
/// Arguments that do not fit a schema or a line, and too many effects.
pub fn derive(
    call: &Call,
    declarations: &[&ToolDeclaration],
    world: &dyn World,
    demand: &Demand,
) -> Result<Vec<Effect>, DeriveError> {
    let matching = || declarations.iter().copied().filter(|own| own.pattern.matches(&call.tool));
    if matching().next().is_none() {
        let undeclared = [Capability::Read, Capability::Write, Capability::Exec, Capability::Network];
        return Ok(undeclared.into_iter().map(|capability| bare(capability, Origin::Undeclared)).collect());
    }
    check_schemas(call, matching())?;
    let mut derivation = Derivation { call, world, demand, cwd: OnceCell::new(), effects: Vec::new() };
    let mut seen: Vec<&EffectLine> = Vec::new();
    for line in matching().flat_map(|declaration| &declaration.lines) {
        if !seen.contains(&line) {
            seen.push(line);
            derivation.line(line)?;
        }
    }
    let mut effects = derivation.effects;
    if effects.is_empty() {
        effects.push(bare(Capability::Nothing, Origin::Declared));
    }
    Ok(effects)
}

fn check_schemas<'a>(
    call: &Call,
    declarations: impl Iterator<Item = &'a ToolDeclaration>,
) -> Result<(), InvalidArguments> {
    let mut schemas = declarations.filter_map(|declaration| declaration.schema.as_ref()).peekable();
    if schemas.peek().is_none() {
        return Ok(());
    }
    let args = Value::Object(call.args.clone());
    for schema in schemas {
        if let Err(violations) = schema.check(&args) {
            let first = violations.into_iter().next();
            return Err(first.map_or_else(
                || invalid(String::new(), "does not fit the schema"),
                |violation| invalid(violation.at, violation.message),
            ));
        }
    }
    Ok(())
}

/// The directory in which the call's relative paths begin.
fn working_directory(call: &Call, world: &dyn World) -> PathFact {
    let given = call.context.cwd.as_deref().or(world.cwd()).unwrap_or(world.workspace());
    path::resolve(world, given, world.workspace())
}

fn bare(capability: Capability, origin: Origin) -> Effect {
    Effect { capability, resource: Resource::None, origin, action: None, via: None, cause: None, from: None }
}

fn invalid(at: impl Into<String>, message: impl Into<String>) -> InvalidArguments {
    InvalidArguments { at: at.into(), message: message.into() }
}

/// A value found in the arguments, or what stands for an absent one.
struct Found<'a> {
    value: Given<'a>,
    /// The steps that lead to it, none of them `[*]`.
    steps: Cow<'a, [Step]>,
}

enum Given<'a> {
    Value(&'a Value),
    Default(&'a str),
}

struct Derivation<'a> {
    call: &'a Call,
    world: &'a dyn World,
    demand: &'a Demand,
    /// Looked up when something relative has to be resolved.
    cwd: OnceCell<PathFact>,
    effects: Vec<Effect>,
}

impl<'a> Derivation<'a> {
    fn cwd(&self) -> &PathFact {
        self.cwd.get_or_init(|| working_directory(self.call, self.world))
    }

    fn line(&mut self, line: &'a EffectLine) -> Result<(), DeriveError> {
        match line {
            EffectLine::Path { capability, action, arg, recursively, as_glob } => {
                for found in find(&self.call.args, arg)? {
                    let text = text(&found)?;
                    let fact = self.path(text, *capability, *recursively, *as_glob);
                    let missing = fact
                        .variants
                        .get(fact.canonical)
                        .is_some_and(|v| is_missing(self.world, &v.path, v.kind));
                    let action = if *action == Action::Change && missing { Action::Create } else { *action };
                    self.push(*capability, Resource::Path(fact), Some(action), &found.steps)?;
                }
            }
            EffectLine::Connect { arg } => {
                for found in find(&self.call.args, arg)? {
                    for effect in network::connect(self.world, text(&found)?, None, self.demand) {
                        self.add(Effect { from: Some(display_steps(&found.steps)), ..effect })?;
                    }
                }
            }
            EffectLine::Run { arg, cwd, dialect } => self.run(arg, cwd.as_ref(), dialect)?,
            EffectLine::Target { capability, arg } => {
                for found in find(&self.call.args, arg)? {
                    let target = match &found.value {
                        Given::Value(Value::Number(number)) => number.to_string(),
                        _ => text(&found)?.to_owned(),
                    };
                    self.push(*capability, Resource::Target(target), None, &found.steps)?;
                }
            }
            EffectLine::Bare(Capability::Nothing) => {}
            EffectLine::Bare(capability) => self.add(bare(*capability, Origin::Declared))?,
        }
        Ok(())
    }

    fn path(&self, text: &str, capability: Capability, recursively: bool, as_glob: bool) -> PathFact {
        let absolute = text.starts_with('/') || text.starts_with('~');
        // Where `/` begins no path of a drive, what stands before it does not matter.
        let free = text.starts_with('/') && self.world.platform() == Platform::Posix && !as_glob;
        let base = match if free { (None, &None) } else { (self.cwd().canonical(), &self.cwd().unresolved) } {
            (Some(base), _) => base,
            (None, _) if absolute => self.world.workspace(),
            (None, reason) => {
                let reason = reason.as_deref().unwrap_or("not known");
                return PathFact::unresolved(text, format!("the working directory is unresolved: {reason}"));
            }
        };
        let fact = if as_glob {
            path::glob_argument(self.world, text, base)
        } else {
            path::resolve_argument(self.world, text, base)
        };
        if recursively {
            path::tree(self.world, fact, capability == Capability::Write, self.demand)
        } else {
            fact
        }
    }

    fn run(
        &mut self,
        arg: &'a Argument,
        cwd: Option<&'a Argument>,
        dialect: &'a Dialect,
    ) -> Result<(), DeriveError> {
        let given = match cwd {
            Some(cwd) => find(&self.call.args, cwd)?.into_iter().next(),
            None => None,
        };
        let directory = match given {
            Some(found) => self.path(text(&found)?, Capability::Read, false, false),
            None => self.cwd().clone(),
        };
        for found in find(&self.call.args, arg)? {
            let line = CommandLine {
                text: command_text(&found, dialect)?,
                argument: found.steps.to_vec(),
                cwd: directory.clone(),
                opaque_dialect: match dialect {
                    Dialect::Other(name) => Some(name),
                    Dialect::Bash | Dialect::Words => None,
                },
            };
            let before = self.effects.len();
            for mut effect in shell::derive(&line, self.world, self.demand) {
                effect.cause = effect.cause.map(|cause| cause + before);
                self.add(effect)?;
            }
        }
        Ok(())
    }

    fn push(
        &mut self,
        capability: Capability,
        resource: Resource,
        action: Option<Action>,
        steps: &[Step],
    ) -> Result<(), DeriveError> {
        let from = Some(display_steps(steps));
        self.add(Effect {
            capability,
            resource,
            origin: Origin::Declared,
            action,
            via: None,
            cause: None,
            from,
        })
    }

    fn add(&mut self, effect: Effect) -> Result<(), DeriveError> {
        if self.effects.len() >= EFFECTS_PER_CALL_MAX {
            return Err(DeriveError::TooManyEffects);
        }
        self.effects.push(effect);
        Ok(())
    }
}

/// Whether nothing stands at a path. The root of a tree no longer says so itself.
fn is_missing(world: &dyn World, path: &str, kind: PathKind) -> bool {
    match kind {
        PathKind::Missing => true,
        PathKind::Tree => matches!(world.inspect(path), Ok(super::world::Node::Missing)),
        _ => false,
    }
}

fn command_text<'a>(found: &Found<'a>, dialect: &Dialect) -> Result<CommandText<'a>, InvalidArguments> {
    let at = || pointer(&found.steps);
    match (&found.value, dialect) {
        (Given::Default(text), Dialect::Bash | Dialect::Other(_)) => Ok(CommandText::Line(text)),
        (Given::Value(Value::String(text)), Dialect::Bash | Dialect::Other(_)) => Ok(CommandText::Line(text)),
        (Given::Value(Value::Array(items)), Dialect::Words | Dialect::Other(_)) => {
            let mut words = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                let Value::String(word) = item else {
                    let message = format!("must be a string, this is {}", type_name(item));
                    return Err(invalid(format!("{}/{index}", at()), message));
                };
                words.push(word.clone());
            }
            Ok(CommandText::Words(words))
        }
        (Given::Value(other), Dialect::Bash | Dialect::Other(_)) => {
            Err(invalid(at(), format!("must be a command line, this is {}", type_name(other))))
        }
        (Given::Value(other), Dialect::Words) => {
            Err(invalid(at(), format!("must be a list of words, this is {}", type_name(other))))
        }
        (Given::Default(text), Dialect::Words) => Ok(CommandText::Words(vec![(*text).to_owned()])),
    }
}

fn text<'a>(found: &Found<'a>) -> Result<&'a str, InvalidArguments> {
    match found.value {
        Given::Default(text) => Ok(text),
        Given::Value(Value::String(text)) => Ok(text),
        Given::Value(other) => {
            Err(invalid(pointer(&found.steps), format!("must be a string, this is {}", type_name(other))))
        }
    }
}

/// All values that an argument names. `null` counts as absent where absence is provided for.
fn find<'a>(args: &'a Map<String, Value>, arg: &'a Argument) -> Result<Vec<Found<'a>>, InvalidArguments> {
    let mut found = Vec::new();
    let Some((Step::Name(first), rest)) = arg.path.split_first() else {
        return Err(invalid("", "the tool's declaration names no argument"));
    };
    if !arg.path.contains(&Step::Each) {
        // One value at most, and its steps are those of the declaration.
        found.extend(one(args.get(first), rest, arg)?);
        return Ok(found);
    }
    let steps = vec![Step::Name(first.clone())];
    collect(args.get(first), rest, steps, arg, &mut found)?;
    Ok(found)
}

/// The value of an argument without `[*]`.
fn one<'a>(
    value: Option<&'a Value>,
    steps: &[Step],
    arg: &'a Argument,
) -> Result<Option<Found<'a>>, InvalidArguments> {
    let provided = arg.optional || arg.or.is_some();
    let mut value = value;
    for at in 0..=steps.len() {
        let behind = || arg.path.get(..=at).unwrap_or(&arg.path);
        let present = match value {
            Some(Value::Null) if provided => None,
            other => other,
        };
        let Some(present) = present else {
            let steps = || Cow::Borrowed(behind());
            return match &arg.or {
                Some(default) => Ok(Some(Found { value: Given::Default(default), steps: steps() })),
                None if arg.optional => Ok(None),
                None => Err(invalid(pointer(behind()), "is missing")),
            };
        };
        value = match (steps.get(at), present) {
            (None, found) => {
                return Ok(Some(Found { value: Given::Value(found), steps: Cow::Borrowed(&arg.path) }));
            }
            (Some(Step::Name(name)), Value::Object(object)) => object.get(name),
            (Some(Step::Index(index)), Value::Array(list)) => list.get(*index as usize),
            (Some(step), other) => return Err(misfit(step, behind(), other)),
        };
    }
    Ok(None)
}

fn misfit(step: &Step, steps: &[Step], other: &Value) -> InvalidArguments {
    let expected = if matches!(step, Step::Name(_)) { "an object" } else { "a list" };
    invalid(pointer(steps), format!("must be {expected}, this is {}", type_name(other)))
}

fn collect<'a>(
    value: Option<&'a Value>,
    rest: &[Step],
    steps: Vec<Step>,
    arg: &'a Argument,
    found: &mut Vec<Found<'a>>,
) -> Result<(), InvalidArguments> {
    let provided = arg.optional || arg.or.is_some();
    let value = match value {
        Some(Value::Null) if provided => None,
        other => other,
    };
    let Some(value) = value else {
        match &arg.or {
            Some(default) => found.push(Found { value: Given::Default(default), steps: steps.into() }),
            None if arg.optional => {}
            None => return Err(invalid(pointer(&steps), "is missing")),
        }
        return Ok(());
    };
    let Some((step, rest)) = rest.split_first() else {
        found.push(Found { value: Given::Value(value), steps: steps.into() });
        return Ok(());
    };
    let with = |step: Step| {
        let mut steps = steps.clone();
        steps.push(step);
        steps
    };
    match (step, value) {
        (Step::Name(name), Value::Object(object)) => {
            collect(object.get(name), rest, with(step.clone()), arg, found)
        }
        (Step::Index(index), Value::Array(list)) => {
            collect(list.get(*index as usize), rest, with(step.clone()), arg, found)
        }
        (Step::Each, Value::Array(list)) => {
            for (index, item) in list.iter().enumerate() {
                let index = u32::try_from(index).unwrap_or(u32::MAX);
                collect(Some(item), rest, with(Step::Index(index)), arg, found)?;
            }
            Ok(())
        }
        (step, other) => Err(misfit(step, &steps, other)),
    }
}

fn pointer(steps: &[Step]) -> String {
    let mut out = String::new();
    for step in steps {
        out.push('/');
        match step {
            Step::Name(name) => out.push_str(&name.replace('~', "~0").replace('/', "~1")),
            Step::Index(index) => out.push_str(&index.to_string()),
            Step::Each => out.push('*'),
        }
    }
    out
}

/// The place as the language writes it: `args.files[0]`.
fn display_steps(steps: &[Step]) -> String {
    let mut out = "args".to_owned();
    for step in steps {
        match step {
            Step::Name(name) if is_plain(name) => {
                out.push('.');
                out.push_str(name);
            }
            Step::Name(name) => out.push_str(&format!("[{}]", Value::String(name.clone()))),
            Step::Index(index) => out.push_str(&format!("[{index}]")),
            Step::Each => out.push_str("[*]"),
        }
    }
    out
}

fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
#[path = "tool_tests.rs"]
mod tests;
