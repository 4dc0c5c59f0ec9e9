//! `read_file`: the beginning of a text file, up to the output limit.

use std::sync::Arc;

use serde_json::{Map, json};

use crate::base::limits;
use crate::gate::Admitted;
use crate::gate::registry::RegistryError;
use crate::gate::tool::{
    BoxFuture, Cancellation, Definition, EffectClass, Head, Judgement, Refusal, Tool, ToolFailure, ToolOutput,
};
use crate::host::held;
use crate::model::path::PathKind;
use crate::model::{Action, Capability};

use super::support::{
    Outline, Target, argument, as_text, bytes_text, check_file, define, elsewhere, failed, path_line, target,
};

pub(super) struct ReadFile {
    definition: Definition,
}

impl ReadFile {
    pub(super) fn tool() -> Result<Arc<dyn Tool>, RegistryError> {
        let definition = define(Outline {
            name: "read_file",
            description: "Reads a text file. Long files are cut at the output limit.",
            lines: vec![path_line(Capability::Read, Action::Read, argument("path", None))],
            args: &[("path", "The file, relative to the working directory or absolute.", true)],
            effect_class: EffectClass::ReadOnly,
            cancellation: Cancellation::Immediate,
        })?;
        Ok(Arc::new(Self { definition }))
    }
}

impl Tool for ReadFile {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn check(&self, judged: &Judgement<'_>) -> Result<(), Refusal> {
        check_file(judged, Capability::Read)
    }

    fn run<'a>(&'a self, admitted: &'a Admitted) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let target = target(admitted, Capability::Read)?;
            let max = admitted.output_bytes();
            elsewhere(move || read_head(&target, max, max)).await
        })
    }
}

/// A file of at most `whole` bytes in full, else its first `head` bytes.
pub(super) fn read_head(target: &Target, whole: usize, head: usize) -> Result<ToolOutput, ToolFailure> {
    let fail = |error| failed("cannot read", &target.shown, &error);
    let mut file = held::open_file(&target.path, target.kind == PathKind::File).map_err(fail)?;
    let whole_bytes = u64::try_from(whole).unwrap_or(u64::MAX);
    let is_long = file.size() > whole_bytes;
    let keep = if is_long { head } else { whole };
    // What lies behind the cut is read to see a credential on it whole.
    let bytes = file.read(keep.saturating_add(limits::SCRUB_WINDOW_BYTES)).map_err(fail)?;
    let read = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let size = file.size().max(read);
    let truncated = is_long || read > whole_bytes;
    let text = as_text(bytes, read == size, &target.shown)?;
    let summary = if truncated {
        format!(
            "read the first {} of {}, {}",
            bytes_text(u64::try_from(keep).unwrap_or(0)),
            target.shown,
            bytes_text(size)
        )
    } else {
        format!("read {}, {}", target.shown, bytes_text(size))
    };
    let mut data = Map::new();
    data.insert("text".to_owned(), json!(text));
    data.insert("bytes".to_owned(), json!(size));
    data.insert("truncated".to_owned(), json!(truncated));
    let mut output = ToolOutput::new(summary, data);
    if truncated {
        output.heads.push(Head { field: "text".to_owned(), bytes: keep });
    }
    Ok(output)
}
