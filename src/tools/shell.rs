//! `shell`: a command line for bash.

#![expect(clippy::disallowed_methods, reason = "the working directory is made canonical")]

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::base::limits;
use crate::gate::Admitted;
use crate::gate::registry::RegistryError;
use crate::gate::tool::{
    BoxFuture, Cancellation, Definition, EffectClass, Judgement, Refusal, Tool, ToolFailure, ToolOutput,
};
use crate::host::process::{self, ProcessError, Program};
use crate::model::tool::{Dialect, EffectLine};
use crate::model::verdict::Grade;

use super::support::{Outline, argument, define, text_arg};

pub(super) struct Shell {
    definition: Definition,
}

impl Shell {
    pub(super) fn tool() -> Result<Arc<dyn Tool>, RegistryError> {
        let definition = define(Outline {
            name: "shell",
            description: "Runs a command line with bash. What it leaves running is ended with it.",
            lines: vec![EffectLine::Run {
                arg: argument("command", None),
                cwd: Some(argument("cwd", Some("."))),
                dialect: Dialect::Bash,
            }],
            args: &[
                ("command", "The command line.", true),
                ("cwd", "Where it starts; the working directory where absent.", false),
            ],
            effect_class: EffectClass::Irreversible,
            cancellation: Cancellation::ProcessTree,
        })?;
        let definition =
            Definition { grade: Grade::Advised, time_limit_ms: limits::CALL_TIME_MS_DEFAULT, ..definition };
        Ok(Arc::new(Self { definition }))
    }
}

/// The directory in which the command starts, links followed.
fn directory(args: &Map<String, Value>, cwd: &str) -> Option<String> {
    let cwd = Path::new(cwd).join(args.get("cwd").and_then(Value::as_str).unwrap_or("."));
    let cwd = cwd.canonicalize().ok()?;
    if cwd.is_dir() { cwd.to_str().map(str::to_owned) } else { None }
}

impl Tool for Shell {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn check(&self, judged: &Judgement<'_>) -> Result<(), Refusal> {
        let command = judged.call.args.get("command").and_then(Value::as_str).unwrap_or("");
        if command.contains('\0') {
            return Err(Refusal("the command holds a NUL character".to_owned()));
        }
        if judged.call.args.get("cwd").and_then(Value::as_str).is_some_and(|cwd| cwd.starts_with('~')) {
            return Err(Refusal("`cwd` begins with `~`: write the directory out".to_owned()));
        }
        match directory(&judged.call.args, judged.cwd) {
            Some(_) => Ok(()),
            None => Err(Refusal("the directory in which the command should start does not exist".to_owned())),
        }
    }

    fn run<'a>(&'a self, admitted: &'a Admitted) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let failed =
                |error: &ProcessError| ToolFailure::Failed(format!("the command did not run: {error}"));
            let (path, args) =
                process::shell(&text_arg(admitted, "command")).map_err(|error| failed(&error))?;
            let cwd = directory(admitted.args(), admitted.cwd())
                .ok_or_else(|| ToolFailure::Failed("the directory of the command has gone".to_owned()))?;
            let keep = admitted.output_bytes().saturating_add(2 * limits::SCRUB_WINDOW_BYTES);
            match process::run(&Program { path, args, cwd, keep }, admitted.cancel()).await {
                Ok(ended) => Ok(output(&ended)),
                Err(ProcessError::Stopped { certain }) => Err(ToolFailure::Stopped { certain }),
                Err(ProcessError::Lost) => {
                    Err(ToolFailure::Unknown("how the command ended is not known".to_owned()))
                }
                Err(error @ (ProcessError::Start(_) | ProcessError::Flooded)) => Err(failed(&error)),
            }
        })
    }
}

fn output(ended: &process::Ended) -> ToolOutput {
    let (code, signal) = ended.exit();
    let mut data = Map::new();
    data.insert("exitCode".to_owned(), json!(code));
    if let Some(signal) = signal {
        data.insert("signal".to_owned(), json!(signal));
    }
    data.insert("stdout".to_owned(), json!(ended.stdout.text()));
    data.insert("stderr".to_owned(), json!(ended.stderr.text()));
    data.insert("truncated".to_owned(), json!(ended.stdout.is_cut() || ended.stderr.is_cut()));
    let summary = match (code, signal) {
        (Some(code), _) => format!("the command ended with exit code {code}"),
        (None, Some(signal)) => format!("the command was ended by signal {signal}"),
        (None, None) => "the command ended".to_owned(),
    };
    ToolOutput::new(summary, data)
}
