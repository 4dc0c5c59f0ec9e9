//! `read_text`: a `.txt` file under the working directory, and nothing else.

use std::sync::Arc;

use serde_json::Value;

use crate::base::limits;
use crate::gate::Admitted;
use crate::gate::registry::RegistryError;
use crate::gate::tool::{
    BoxFuture, Cancellation, Definition, EffectClass, Judgement, Refusal, Tool, ToolFailure, ToolOutput,
};
use crate::model::path::{ext_of, is_under};
use crate::model::{Action, Capability};

use super::read::read_head;
use super::support::{Outline, argument, check_file, define, elsewhere, judged_path, path_line, target};

pub(super) struct ReadText {
    definition: Definition,
}

const EXTENSION: &str = "txt";

impl ReadText {
    pub(super) fn tool() -> Result<Arc<dyn Tool>, RegistryError> {
        let definition = define(Outline {
            name: "read_text",
            description: "Reads a .txt file under the working directory: whole up to 20 KB, else its first \
                          2,048 bytes.",
            lines: vec![path_line(Capability::Read, Action::Read, argument("path", None))],
            args: &[("path", "The file, relative to the working directory.", true)],
            effect_class: EffectClass::ReadOnly,
            cancellation: Cancellation::Immediate,
        })?;
        Ok(Arc::new(Self { definition }))
    }
}

impl Tool for ReadText {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn check(&self, judged: &Judgement<'_>) -> Result<(), Refusal> {
        let refuse = |why: &str| {
            Err(Refusal(format!("read_text reads .txt files under the working directory: {why}")))
        };
        let given = judged.call.args.get("path").and_then(Value::as_str).unwrap_or("");
        if given.starts_with(['/', '~', '\\']) {
            return refuse("the path is not relative to it");
        }
        check_file(judged, Capability::Read)?;
        let Some(path) = judged_path(judged.effects, Capability::Read) else {
            return refuse("where the path leads could not be found out");
        };
        if !is_under(path.canonical, judged.cwd) {
            return refuse("the path leads out of it");
        }
        if ext_of(given) != EXTENSION || ext_of(path.canonical) != EXTENSION {
            return refuse("the file is none");
        }
        Ok(())
    }

    fn run<'a>(&'a self, admitted: &'a Admitted) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let target = target(admitted, Capability::Read)?;
            let whole = usize::try_from(limits::READ_TEXT_WHOLE_BYTES_MAX).unwrap_or(usize::MAX);
            elsewhere(move || read_head(&target, whole, limits::READ_TEXT_HEAD_BYTES)).await
        })
    }
}
