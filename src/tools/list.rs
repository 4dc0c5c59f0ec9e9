//! `list_dir`: the names in a directory and what they are.

use std::sync::Arc;

use serde_json::{Map, json};

use crate::base::limits;
use crate::gate::Admitted;
use crate::gate::registry::RegistryError;
use crate::gate::tool::{
    BoxFuture, Cancellation, Definition, EffectClass, Judgement, Refusal, Tool, ToolFailure, ToolOutput,
};
use crate::host::held;
use crate::model::path::PathKind;
use crate::model::{Action, Capability};

use super::support::{Outline, argument, define, elsewhere, failed, judged_path, path_line, target};

pub(super) struct ListDir {
    definition: Definition,
}

impl ListDir {
    pub(super) fn tool() -> Result<Arc<dyn Tool>, RegistryError> {
        let definition = define(Outline {
            name: "list_dir",
            description: "Lists the entries of a directory, sorted, each with its kind.",
            lines: vec![path_line(Capability::Read, Action::List, argument("path", Some(".")))],
            args: &[("path", "The directory; the working directory where absent.", false)],
            effect_class: EffectClass::ReadOnly,
            cancellation: Cancellation::Immediate,
        })?;
        Ok(Arc::new(Self { definition }))
    }
}

impl Tool for ListDir {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn check(&self, judged: &Judgement<'_>) -> Result<(), Refusal> {
        match judged_path(judged.effects, Capability::Read).map(|path| path.kind) {
            None => Err(Refusal("where the path leads could not be found out; nothing was done".to_owned())),
            Some(PathKind::Dir | PathKind::Tree | PathKind::Missing) => Ok(()),
            Some(_) => Err(Refusal("the path is not a directory".to_owned())),
        }
    }

    fn run<'a>(&'a self, admitted: &'a Admitted) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let target = target(admitted, Capability::Read)?;
            elsewhere(move || {
                let entries =
                    held::list(&target.path).map_err(|error| failed("cannot list", &target.shown, &error))?;
                let total = entries.len();
                let shown = entries.iter().take(limits::LIST_ENTRIES_MAX);
                let shown: Vec<_> = shown.map(|e| json!({"name": e.name, "kind": e.kind})).collect();
                let mut data = Map::new();
                data.insert("truncated".to_owned(), json!(total > shown.len()));
                data.insert("entries".to_owned(), json!(shown));
                data.insert("total".to_owned(), json!(total));
                Ok(ToolOutput::new(format!("listed {}, {total} entries", target.shown), data))
            })
            .await
        })
    }
}
