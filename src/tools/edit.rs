//! `edit_file`: one piece of a file for another.

use std::sync::Arc;

use serde_json::{Map, json};

use crate::base::limits;
use crate::gate::Admitted;
use crate::gate::registry::RegistryError;
use crate::gate::tool::{
    BoxFuture, Cancellation, Definition, EffectClass, Judgement, Refusal, Tool, ToolFailure, ToolOutput,
};
use crate::host::held::{self, Before};
use crate::model::path::PathKind;
use crate::model::{Action, Capability};

use super::support::{
    Outline, Target, argument, as_text, check_file, define, elsewhere, failed, path_line, target, text_arg,
};

pub(super) struct EditFile {
    definition: Definition,
}

impl EditFile {
    pub(super) fn tool() -> Result<Arc<dyn Tool>, RegistryError> {
        let definition = define(Outline {
            name: "edit_file",
            description: "Replaces one piece of a text file. The old piece must stand in it exactly once.",
            lines: vec![
                path_line(Capability::Read, Action::Read, argument("path", None)),
                path_line(Capability::Write, Action::Change, argument("path", None)),
            ],
            args: &[
                ("path", "The file, relative to the working directory or absolute.", true),
                ("old", "What stands there now, exactly.", true),
                ("new", "What shall stand there.", true),
            ],
            effect_class: EffectClass::Irreversible,
            cancellation: Cancellation::BestEffort,
        })?;
        Ok(Arc::new(Self { definition }))
    }
}

impl Tool for EditFile {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn check(&self, judged: &Judgement<'_>) -> Result<(), Refusal> {
        check_file(judged, Capability::Write)
    }

    fn run<'a>(&'a self, admitted: &'a Admitted) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let target = target(admitted, Capability::Write)?;
            let (old, new) = (text_arg(admitted, "old"), text_arg(admitted, "new"));
            elsewhere(move || edit(&target, &old, &new)).await
        })
    }
}

fn edit(target: &Target, old: &str, new: &str) -> Result<ToolOutput, ToolFailure> {
    let fail = |error| failed("cannot edit", &target.shown, &error);
    let refuse = |why: &str| Err(ToolFailure::Failed(format!("cannot edit {}: {why}", target.shown)));
    if old.is_empty() {
        return refuse("the old piece is empty");
    }
    let mut file = held::open_file(&target.path, target.kind == PathKind::File).map_err(fail)?;
    let bytes = file.read_all(limits::TOOL_FILE_BYTES_MAX).map_err(fail)?;
    let text = as_text(bytes, true, &target.shown)?;
    let places = count_overlapping(&text, old);
    if places == 0 {
        return refuse("the old piece does not stand in it");
    }
    if places > 1 {
        return refuse(&format!("the old piece stands in it {places} times; add lines around it"));
    }
    let text = text.replacen(old, new, 1);
    held::write(&target.path, text.as_bytes(), &Before::This(file)).map_err(fail)?;
    let mut data = Map::new();
    data.insert("bytes".to_owned(), json!(text.len()));
    data.insert("replaced".to_owned(), json!(1));
    Ok(ToolOutput::new(format!("edited {}", target.shown), data))
}

/// How often a piece stands in a text, overlapping finds included: with two, which one is meant?
fn count_overlapping(text: &str, piece: &str) -> usize {
    text.char_indices().filter(|(at, _)| text.get(*at..).is_some_and(|rest| rest.starts_with(piece))).count()
}
