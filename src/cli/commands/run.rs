//! `tollgate run`: calls in, envelopes out, through the gate.
#![expect(clippy::disallowed_methods, reason = "the command line starts the thread that waits for lines")]

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::cli::args::{ResultFormat, RunArgs};
use crate::cli::calls::{self, Line, Lines};
use crate::cli::exit::{Exit, Failure};
use crate::cli::files::{self, FolderCopy};
use crate::cli::load::{self, Setup};
use crate::cli::{output, render, tools};
use crate::gate::{
    AuditError, AuditLog, Cancel, Code, Durability, Envelope, Gate, HookSpec, Intent, SinkError, Status,
};
use crate::host::clock::{SystemClock, UniqueIds};
use crate::host::hook::CommandHook;
use crate::host::pinned::Pinned;
use crate::host::sink::{FileSink, LOG_NAME};

/// How long a run waits, at its end, for what it has started itself.
const SHUTDOWN: Duration = Duration::from_secs(1);

/// Runs every call of the input, one after the other.
///
/// # Errors
/// The policy, the input or the state folder cannot be used.
pub fn run(args: &RunArgs) -> Result<Exit, Failure> {
    if args.world.is_some() {
        return Err(Failure::unusable("`run` acts in the real world and takes no `--world`")
            .help("`tollgate decide --world FILE` judges the same calls in a virtual one"));
    }
    let copy = args.workspace_copy.as_deref().map(copy_of).transpose()?;
    let mut policy = args.policy.clone();
    if let Some(copy) = &copy {
        policy.workspace = Some(copy.folder());
    }
    let setup = load::setup(&policy, &args.context)?;
    let lines = calls::open(&args.calls)?;
    // What a run in a copy leaves behind goes with the copy, unless a place is named for it.
    let state = match (&args.context.state, &copy) {
        (None, Some(copy)) => copy.beside("state"),
        (given, _) => load::state_folder(given.as_deref(), &setup.workspace)?,
    };
    let runtime = runtime()?;
    let gate = gate(&setup, &state)?;
    let tally = runtime.block_on(drive(&gate, lines, args.format));
    runtime.shutdown_timeout(SHUTDOWN);
    let goes = copy.is_some() && args.context.state.is_none();
    tally.map(|tally| {
        let exit = tally.finish();
        output::tell(&log_line(&state, setup.durability, goes));
        exit
    })
}

/// Where the audit log is and what its records survive; `goes` says that it is removed with the copy.
fn log_line(state: &Path, durability: Durability, goes: bool) -> String {
    if goes {
        return "audit log: removed with the copy of the workspace; `--state DIR` keeps it".to_owned();
    }
    let survives = match durability {
        Durability::Sync => "sync, records survive the death of the machine",
        Durability::Write => "write, records survive the death of the program only",
    };
    let file = files::shown(&state.join(LOG_NAME));
    format!("audit log: {}: {survives}", output::harmless(&file))
}

fn copy_of(folder: &Path) -> Result<FolderCopy, Failure> {
    FolderCopy::of(folder).map_err(|why| {
        Failure::unusable(format!("the workspace `{}` cannot be copied: {why}", folder.display()))
    })
}

fn runtime() -> Result<Runtime, Failure> {
    Builder::new_multi_thread().enable_all().build().map_err(|error| {
        Failure::internal(format!("the system gives no threads to run calls in: {}", files::reason(&error)))
    })
}

fn gate(setup: &Setup, state: &Path) -> Result<Gate, Failure> {
    let registry = tools::builtin()?;
    let loaded = load::program(setup, registry.declarations())?;
    let world = load::real_world(setup, &loaded, Some(state))?;
    files::private_folder(state)?;
    let clock = Arc::new(SystemClock::new());
    let sink = FileSink::open(state).map_err(|error| no_log(state, &AuditError::Sink(error)))?;
    let log = AuditLog::open(Arc::new(sink), clock.as_ref(), setup.durability)
        .map_err(|error| no_log(state, &error))?;
    let mut builder =
        Gate::builder(Arc::new(loaded.program), Arc::new(world), Arc::new(log), clock, Arc::new(UniqueIds))
            .registry(registry)
            .default_mode(setup.mode.clone())
            .unattended(setup.unattended);
    if let Some(bytes) = setup.output_bytes {
        builder = builder.output_bytes(bytes);
    }
    for (spec, program) in &setup.hooks {
        output::tell(&hook_line(spec, program));
        builder = builder.hook(spec.clone(), Arc::new(CommandHook::new(program.clone())));
    }
    builder.build().map_err(|error| Failure::unusable(error.to_string()))
}

/// The line of the start-up summary for a hook.
fn hook_line(spec: &HookSpec, program: &Pinned) -> String {
    let pinned = match program.pin() {
        Some(digest) => digest.to_string(),
        None => "nothing that could be pinned".to_owned(),
    };
    let files = program.files().iter().map(|file| files::shown(file));
    let files = files.collect::<Vec<_>>().join(", ");
    let (stage, on_failure) = (spec.stage.as_str(), spec.on_failure.as_str());
    let line = format!("hook {} ({stage}, on failure {on_failure}) -> {files}: {pinned}", spec.name);
    output::harmless(&line).into_owned()
}

fn no_log(state: &Path, error: &AuditError) -> Failure {
    let failure = Failure::unusable(format!("`{}`: {error}", state.display()));
    match error {
        AuditError::Sink(SinkError::Locked) => {
            failure.help("wait for the other run to end, or give this one its own folder: `--state DIR`")
        }
        AuditError::Broken(_) => {
            failure.help("look at what changed it; then keep the log aside, and a new one begins")
        }
        _ => failure
            .help("without a record nothing runs; name a folder that can be written with `--state DIR`"),
    }
}

/// Feeds the gate until the input ends or somebody asks to stop.
async fn drive(gate: &Gate, lines: Lines, format: ResultFormat) -> Result<Tally, Failure> {
    let cancel = Cancel::new();
    stop_on_signals(&cancel)?;
    let mut incoming = read_beside(lines);
    let mut tally = Tally::default();
    loop {
        let line = tokio::select! {
            biased;
            () = cancel.requested() => break,
            line = incoming.recv() => line,
        };
        let Some(line) = line else { break };
        let envelope = gate.run_until(intent(line?), &cancel).await;
        tally.count(&envelope);
        match format {
            ResultFormat::Json => output::print_line(&envelope.to_json().to_string())?,
            ResultFormat::Text => output::print(&render::envelope::envelope(&envelope))?,
        }
        if gate.is_halted() {
            break;
        }
    }
    tally.stopped = cancel.is_requested();
    tally.halted = gate.is_halted();
    Ok(tally)
}

fn intent(line: Line) -> Intent {
    match line.text {
        Ok(text) => Intent::Line { number: line.number, text },
        Err(reason) => Intent::Unreadable { number: line.number, reason },
    }
}

/// Reads lines in a thread of its own: a read that waits for its input cannot be called back.
fn read_beside(mut lines: Lines) -> mpsc::Receiver<Result<Line, Failure>> {
    let (sender, receiver) = mpsc::channel(1);
    thread::spawn(move || {
        while let Some(line) = calls::next(&mut lines).transpose() {
            let failed = line.is_err();
            if sender.blocking_send(line).is_err() || failed {
                break;
            }
        }
    });
    receiver
}

/// An interrupt, a hang-up or a request to end cancels the call that runs and admits no other.
fn stop_on_signals(cancel: &Cancel) -> Result<(), Failure> {
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let mut signals = signal(kind).map_err(|error| {
            Failure::internal(format!("signals cannot be listened to: {}", files::reason(&error)))
        })?;
        let cancel = cancel.clone();
        tokio::spawn(async move {
            signals.recv().await;
            cancel.request();
        });
    }
    Ok(())
}

/// How the calls of a run ended.
#[derive(Debug, Default)]
struct Tally {
    ok: usize,
    rejected: usize,
    failed: usize,
    cancelled: usize,
    unknown: usize,
    no_calls: usize,
    faults: usize,
    stopped: bool,
    halted: bool,
}

impl Tally {
    fn count(&mut self, envelope: &Envelope) {
        let of_status = match envelope.status() {
            Status::Ok => &mut self.ok,
            Status::Rejected => &mut self.rejected,
            Status::Failed => &mut self.failed,
            Status::Cancelled => &mut self.cancelled,
            Status::Unknown => &mut self.unknown,
        };
        *of_status += 1;
        self.no_calls += usize::from(envelope.code() == Some(Code::InvalidCall));
        self.faults += usize::from(envelope.code() == Some(Code::Internal));
    }

    /// Tells what happened; gives the exit.
    fn finish(&self) -> Exit {
        let counts = [
            (self.ok, "ok"),
            (self.rejected, "rejected"),
            (self.failed, "failed"),
            (self.cancelled, "cancelled"),
            (self.unknown, "unknown"),
        ];
        let total: usize = counts.iter().map(|(count, _)| count).sum();
        let parts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let calls = render::counted(total, "call");
        let ends = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        output::tell(&format!("{calls}{ends}"));
        if self.stopped {
            output::tell("stopped on request: calls that had not begun were not run");
        }
        if self.halted {
            output::tell("error: the audit log could not be written, so nothing more was admitted");
        }
        match self {
            _ if self.faults > 0 || self.halted => Exit::Internal,
            _ if self.no_calls > 0 => Exit::Unusable,
            _ if self.stopped => Exit::Negative,
            _ => Exit::Fine,
        }
    }
}
