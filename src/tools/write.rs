//! `write_file`: a whole file, new or in place of an old one.

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
    Outline, argument, bytes_text, check_file, define, elsewhere, failed, path_line, target, text_arg,
};

pub(super) struct WriteFile {
    definition: Definition,
}

impl WriteFile {
    pub(super) fn tool() -> Result<Arc<dyn Tool>, RegistryError> {
        let definition = define(Outline {
            name: "write_file",
            description: "Writes a whole text file; its directory must exist. An old file is replaced at once.",
            lines: vec![path_line(Capability::Write, Action::Change, argument("path", None))],
            args: &[
                ("path", "The file, relative to the working directory or absolute.", true),
                ("content", "All that the file shall hold.", true),
            ],
            effect_class: EffectClass::Idempotent,
            cancellation: Cancellation::BestEffort,
        })?;
        Ok(Arc::new(Self { definition }))
    }
}

impl Tool for WriteFile {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn check(&self, judged: &Judgement<'_>) -> Result<(), Refusal> {
        check_file(judged, Capability::Write)
    }

    fn run<'a>(&'a self, admitted: &'a Admitted) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let target = target(admitted, Capability::Write)?;
            let content = text_arg(admitted, "content");
            let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
            if bytes > limits::TOOL_FILE_BYTES_MAX {
                let max = limits::TOOL_FILE_BYTES_MAX;
                return Err(ToolFailure::Failed(format!("the content is larger than {max} bytes")));
            }
            elsewhere(move || {
                let is_new = target.kind == PathKind::Missing;
                let before = if is_new { Before::Nothing } else { Before::AFile };
                held::write(&target.path, content.as_bytes(), &before)
                    .map_err(|error| failed("cannot write", &target.shown, &error))?;
                let mut data = Map::new();
                data.insert("bytes".to_owned(), json!(bytes));
                data.insert("created".to_owned(), json!(is_new));
                Ok(ToolOutput::new(format!("wrote {}, {}", target.shown, bytes_text(bytes)), data))
            })
            .await
        })
    }
}
