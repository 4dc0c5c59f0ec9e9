//! Rank 9: the command line. Reads arguments, loads what they name, calls the ranks below, shows what
//! comes out.

pub mod args;
mod calls;
mod commands;
pub mod exit;
mod files;
mod load;
mod output;
mod parallel;
mod render;
mod suites;
mod tools;

use std::ffi::OsString;
use std::panic;

use clap::Parser as _;

use args::{CommandLine, Verb};
use exit::{Exit, Failure};

/// Runs the command line and says how it ended. Nothing gets out as a panic.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    panic::set_hook(Box::new(|info| output::tell(&fault_line(info))));
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    panic::catch_unwind(|| run_verb(arguments)).unwrap_or(Exit::Internal)
}

/// The one line a person reads when the program itself is at fault. The panic's own message stays
/// out: it is written for the programmer and may repeat arguments.
fn fault_line(info: &panic::PanicHookInfo<'_>) -> String {
    let at = info.location().map(|location| {
        let file = location.file().rsplit(['/', '\\']).next().unwrap_or("");
        format!(" (at {file}:{})", location.line())
    });
    format!(
        "error: internal fault in tollgate{}; please report it with what led here",
        at.unwrap_or_default()
    )
}

/// The variable that switches on what the program tells about its own work, such as `debug`.
const LOG_VARIABLE: &str = "TOLLGATE_LOG";

/// Tells on standard error what the program does, where the variable asks for it.
fn trace_where_asked() {
    if let Ok(filter) = tracing_subscriber::EnvFilter::try_from_env(LOG_VARIABLE) {
        let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
    }
}

fn run_verb(arguments: Vec<OsString>) -> Exit {
    let line = match CommandLine::try_parse_from(arguments) {
        Ok(line) => line,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Exit::Unusable } else { Exit::Fine };
        }
    };
    trace_where_asked();
    let ended = match line.verb {
        Verb::Init(args) => commands::init::run(&args),
        Verb::Run(args) => commands::run::run(&args),
        Verb::Decide(args) => commands::decide::run(&args),
        Verb::Explain(args) => commands::explain::run(&args),
        Verb::Lint(args) => commands::lint::run(&args),
        Verb::Fmt(args) => commands::fmt::run(&args),
        Verb::Test(args) => commands::test::run(&args),
    };
    ended.unwrap_or_else(|failure: Failure| {
        output::tell_failure(&failure);
        failure.exit
    })
}
