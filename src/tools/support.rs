//! What the tools share: definitions, judged paths, work off the threads that serve calls.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::base::limits;
use crate::gate::Admitted;
use crate::gate::registry::RegistryError;
use crate::gate::tool::{Cancellation, Definition, EffectClass, Judgement, Refusal, ToolFailure};
use crate::host::held::HeldError;
use crate::model::path::{PathFact, PathKind};
use crate::model::schema::Schema;
use crate::model::tool::{Argument, EffectLine};
use crate::model::verdict::Grade;
use crate::model::{Action, Capability, Effect, Origin, Resource, ToolDeclaration, ToolPattern};
use crate::syntax::ast::Step;

/// What differs between the definitions of file tools.
pub(super) struct Outline {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) lines: Vec<EffectLine>,
    /// Name, description, whether it is required.
    pub(super) args: &'static [(&'static str, &'static str, bool)],
    pub(super) effect_class: EffectClass,
    pub(super) cancellation: Cancellation,
}

/// The definition of a file tool.
pub(super) fn define(outline: Outline) -> Result<Definition, RegistryError> {
    let properties: serde_json::Map<String, Value> = outline
        .args
        .iter()
        .map(|(name, text, _)| ((*name).to_owned(), json!({"type": "string", "description": text})))
        .collect();
    let required: Vec<_> = outline.args.iter().filter(|arg| arg.2).map(|arg| arg.0).collect();
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    let invalid = |reason| RegistryError::Invalid { name: outline.name.to_owned(), reason };
    let declaration = ToolDeclaration {
        pattern: ToolPattern::Exact(outline.name.to_owned()),
        lines: outline.lines,
        schema: Some(Arc::new(Schema::compile(schema).map_err(invalid)?)),
    };
    Ok(Definition {
        name: outline.name.to_owned(),
        description: outline.description.to_owned(),
        declaration: Arc::new(declaration),
        time_limit_ms: limits::FILE_TOOL_TIME_MS,
        background: false,
        effect_class: outline.effect_class,
        cancellation: outline.cancellation,
        grade: Grade::Held,
        concurrency: limits::CONCURRENT_CALLS_MAX,
    })
}

/// The argument of this name.
pub(super) fn argument(name: &str, or: Option<&str>) -> Argument {
    Argument { path: vec![Step::Name(name.to_owned())], optional: false, or: or.map(str::to_owned) }
}

/// `reads`, `lists` or `writes` of an argument.
pub(super) fn path_line(capability: Capability, action: Action, arg: Argument) -> EffectLine {
    EffectLine::Path { capability, action, arg, recursively: false, as_glob: false }
}

/// The path that was judged for a capability.
pub(super) struct Judged<'a> {
    pub(super) index: usize,
    pub(super) fact: &'a PathFact,
    pub(super) canonical: &'a str,
    pub(super) kind: PathKind,
}

/// The one declared path effect of this capability.
pub(super) fn judged_path(effects: &[Effect], capability: Capability) -> Option<Judged<'_>> {
    let is_it =
        |effect: &&(usize, &Effect)| effect.1.capability == capability && effect.1.origin == Origin::Declared;
    let all: Vec<_> = effects.iter().enumerate().collect();
    let (index, effect) = all.iter().find(is_it)?;
    match &effect.resource {
        Resource::Path(fact) if fact.unresolved.is_none() => {
            let variant = fact.variants.get(fact.canonical)?;
            Some(Judged { index: *index, fact, canonical: &variant.path, kind: variant.kind })
        }
        _ => None,
    }
}

/// The check of every file tool: the path is known, and nothing but a file or a place for one.
pub(super) fn check_file(judged: &Judgement<'_>, capability: Capability) -> Result<(), Refusal> {
    let Some(path) = judged_path(judged.effects, capability) else {
        return Err(Refusal("where the path leads could not be found out; nothing was done".to_owned()));
    };
    match path.kind {
        PathKind::File | PathKind::Shared | PathKind::Missing => Ok(()),
        PathKind::Dir | PathKind::Tree => Err(Refusal("the path is a directory, not a file".to_owned())),
        PathKind::Other => Err(Refusal("the path is a device, a pipe or a socket, not a file".to_owned())),
    }
}

/// The judged path of an admitted call, as what the body needs of it.
pub(super) struct Target {
    pub(super) path: String,
    pub(super) kind: PathKind,
    /// For people.
    pub(super) shown: String,
}

pub(super) fn target(admitted: &Admitted, capability: Capability) -> Result<Target, ToolFailure> {
    let path = judged_path(admitted.effects(), capability)
        .ok_or_else(|| ToolFailure::Failed("where the path leads could not be found out".to_owned()))?;
    let shown = admitted.shown(path.index);
    let shown = if shown.is_empty() { path.fact.given.clone() } else { shown.to_owned() };
    Ok(Target { path: path.canonical.to_owned(), kind: path.kind, shown })
}

/// A text argument; the schema has seen to it that it is there.
pub(super) fn text_arg(admitted: &Admitted, name: &str) -> String {
    admitted.args().get(name).and_then(Value::as_str).unwrap_or("").to_owned()
}

/// Runs blocking work elsewhere. A panic in it goes on here, for the gate to catch.
pub(super) async fn elsewhere<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(ToolFailure::Unknown("the work was dropped".to_owned())),
    }
}

/// A failure on a path, for people.
pub(super) fn failed(what: &str, shown: &str, error: &HeldError) -> ToolFailure {
    ToolFailure::Failed(format!("{what} {shown}: {error}"))
}

/// Text, or why it is none. `whole`: the bytes end where the file ends.
pub(super) fn as_text(bytes: Vec<u8>, whole: bool, shown: &str) -> Result<String, ToolFailure> {
    let binary = || ToolFailure::Failed(format!("{shown} is a binary file, not UTF-8 text"));
    if bytes.contains(&0) {
        return Err(binary());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        // The last character may be cut where the file goes on.
        Err(error) if !whole && error.utf8_error().error_len().is_none() => {
            let valid = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(valid);
            String::from_utf8(bytes).map_err(|_| binary())
        }
        Err(_) => Err(binary()),
    }
}

/// `1,204 bytes`.
pub(super) fn bytes_text(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text.push_str(if count == 1 { " byte" } else { " bytes" });
    text
}
