//! Programs: started with a clean environment and nothing inherited, watched, and ended with all that
//! they started.

#![expect(clippy::disallowed_methods, reason = "this is where programs are started")]

use std::collections::{BTreeMap, VecDeque};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, Command};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::base::limits;
use crate::gate::Cancel;

use super::proctable::{self, Family, MARK};

/// Names that a started program sees, where they are set. Everything else stays behind: an environment
/// is where credentials live.
const PASSED: &[&str] = &[
    "CARGO_HOME",
    "COLORTERM",
    "GOPATH",
    "HOME",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "NO_COLOR",
    "PATH",
    "RUSTUP_HOME",
    "SHELL",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
];

/// Whether a variable of this name reaches the programs that tools start.
#[must_use]
pub fn is_passed(name: &str) -> bool {
    PASSED.contains(&name) || name.starts_with("LC_")
}

/// The environment that programs get: what is passed on of this process's own.
#[must_use]
pub fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| is_passed(name))
        .collect()
}

/// What to start.
#[derive(Debug, Clone)]
pub struct Program {
    /// An absolute path.
    pub path: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it starts.
    pub cwd: String,
    /// Bytes of each stream that are kept: the first part from its beginning, the rest from its end.
    pub keep: usize,
}

/// What a program that ended by itself left.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
}

impl Ended {
    /// The exit code, or the signal that ended it.
    #[must_use]
    pub fn exit(&self) -> (Option<i32>, Option<i32>) {
        (self.status.code(), self.status.signal())
    }
}

/// Why there is nothing that ended by itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    /// Nothing was started.
    #[error("it could not be started: {0}")]
    Start(String),
    /// It was stopped on request.
    #[error("it was stopped")]
    Stopped {
        /// Whether all that it started is gone, for sure.
        certain: bool,
    },
    /// The system lost track of it.
    #[error("how it ended is not known")]
    Lost,
    /// It wrote more than it may, and was ended.
    #[error("it wrote too much")]
    Flooded,
}

/// Beginning and end of a stream; the middle of a long one is dropped while it is read.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Captured {
    fn take(&mut self, bytes: &[u8], head_max: usize, tail_max: usize) {
        self.total += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let room = head_max.saturating_sub(self.head.len()).min(bytes.len());
        let (head, rest) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(tail_max);
        self.tail.drain(..excess);
    }

    /// Bytes that the program wrote.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The text, with a note where its middle was dropped. Lines that the gap cuts are dropped too, so
    /// that no credential is left in part.
    #[must_use]
    pub fn text(&self) -> String {
        let (front, back) = self.tail.as_slices();
        let kept = self.head.len() + self.tail.len();
        if u64::try_from(kept).is_ok_and(|kept| kept == self.total) {
            return String::from_utf8_lossy(&[self.head.as_slice(), front, back].concat()).into_owned();
        }
        let tail = [front, back].concat();
        let head_end = self.head.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let tail_start = tail.iter().position(|byte| *byte == b'\n').map_or(tail.len(), |at| at + 1);
        let head = String::from_utf8_lossy(self.head.get(..head_end).unwrap_or(&[]));
        let end = String::from_utf8_lossy(tail.get(tail_start..).unwrap_or(&[]));
        let shown = head_end + (tail.len() - tail_start);
        let omitted = self.total - u64::try_from(shown).unwrap_or(0);
        format!("{head}… {omitted} bytes left out …\n{end}")
    }

    /// The whole text; `None` where the middle was dropped, or where it is not UTF-8.
    #[must_use]
    pub fn utf8(&self) -> Option<String> {
        if self.is_cut() {
            return None;
        }
        let (front, back) = self.tail.as_slices();
        String::from_utf8([self.head.as_slice(), front, back].concat()).ok()
    }

    /// Whether the middle was dropped.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        !u64::try_from(self.head.len() + self.tail.len()).is_ok_and(|kept| kept == self.total)
    }
}

/// Runs a program to its end, or until it is told to stop. What it leaves running is ended with it.
///
/// # Errors
/// It could not be started, or was stopped.
pub async fn run(program: &Program, cancel: &Cancel) -> Result<Ended, ProcessError> {
    drive(program, None, cancel).await
}

/// Runs a program that reads `input` from its standard input. One that writes more than `program.keep`
/// bytes to a stream is ended.
///
/// # Errors
/// It could not be started, was stopped, or wrote too much.
pub async fn converse(program: &Program, input: Vec<u8>, cancel: &Cancel) -> Result<Ended, ProcessError> {
    drive(program, Some(input), cancel).await
}

async fn drive(program: &Program, input: Option<Vec<u8>>, cancel: &Cancel) -> Result<Ended, ProcessError> {
    let mark = uuid::Uuid::now_v7().to_string();
    let (mut child, family) = Family::start(&mark, || {
        let child = start(program, &mark, input.is_some())?;
        let number = child.id();
        Ok((child, number))
    })?;
    let flood = Cancel::new();
    let flooded = input.as_ref().map(|_| flood.clone());
    let feeder = child.stdin.take().zip(input).map(|(stdin, input)| tokio::spawn(feed(stdin, input)));
    let stdout = child.stdout.take().map(|stream| capture(stream, program.keep, flooded.clone()));
    let stderr = child.stderr.take().map(|stream| capture(stream, program.keep, flooded));
    let status = tokio::select! {
        status = child.wait() => status.map_err(|_| ProcessError::Lost),
        () = flood.requested() => {
            end(&mut child, &family, false).await;
            Err(ProcessError::Flooded)
        }
        () = cancel.requested() => {
            Err(ProcessError::Stopped { certain: end(&mut child, &family, true).await })
        }
    };
    // A program need not read what it is told.
    if let Some(feeder) = feeder {
        feeder.abort();
    }
    let status = match status {
        Ok(status) => status,
        Err(error) => {
            drop_capture(stdout);
            drop_capture(stderr);
            return Err(error);
        }
    };
    let leftovers = async {
        sleep(Duration::from_millis(limits::DRAIN_MS)).await;
    };
    let streams = async { (finish(stdout).await, finish(stderr).await) };
    tokio::pin!(streams);
    let drained = tokio::select! {
        both = &mut streams => Some(both),
        () = leftovers => None,
    };
    // Even a stream that ended says nothing about a program that closed it and stayed.
    end(&mut child, &family, false).await;
    let (stdout, stderr) = match drained {
        Some(both) => both,
        None => timeout(Duration::from_millis(limits::DRAIN_MS), streams).await.unwrap_or_default(),
    };
    if flood.is_requested() {
        return Err(ProcessError::Flooded);
    }
    Ok(Ended { status, stdout, stderr })
}

async fn feed(mut stdin: ChildStdin, input: Vec<u8>) {
    // Who closes its input early has heard enough.
    let _ = stdin.write_all(&input).await;
    let _ = stdin.shutdown().await;
}

fn start(program: &Program, mark: &str, has_input: bool) -> Result<Child, ProcessError> {
    // A new session has no terminal to read from or to write into.
    let launcher = ["/usr/bin/setsid", "/bin/setsid"].into_iter().find(|path| Path::new(path).exists());
    let mut command = match launcher {
        Some(launcher) => {
            let mut command = Command::new(launcher);
            command.arg(&program.path);
            command
        }
        None => {
            let mut command = Command::new(&program.path);
            command.process_group(0);
            command
        }
    };
    command
        .args(&program.args)
        .current_dir(&program.cwd)
        .env_clear()
        .envs(environment())
        .env(MARK, mark)
        .stdin(if has_input { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command.spawn().map_err(|error| ProcessError::Start(error.kind().to_string()))
}

type Capture = JoinHandle<Captured>;

/// Reads a stream to its end. Where it holds more than `keep` bytes, `flooded` is told.
fn capture(
    mut stream: impl AsyncRead + Unpin + Send + 'static,
    keep: usize,
    flooded: Option<Cancel>,
) -> Capture {
    let (head_max, tail_max) = (keep / 3 * 2, keep - keep / 3 * 2);
    tokio::spawn(async move {
        let mut captured = Captured::default();
        let mut buffer = vec![0; 16 << 10];
        while let Ok(length @ 1..) = stream.read(&mut buffer).await {
            captured.take(buffer.get(..length).unwrap_or(&[]), head_max, tail_max);
            if let Some(flooded) = flooded.as_ref().filter(|_| captured.is_cut()) {
                flooded.request();
            }
        }
        captured
    })
}

async fn finish(capture: Option<Capture>) -> Captured {
    match capture {
        Some(capture) => capture.await.unwrap_or_default(),
        None => Captured::default(),
    }
}

fn drop_capture(capture: Option<Capture>) {
    if let Some(capture) = capture {
        capture.abort();
    }
}

/// Ends a family: politely first where `polite`, then for good. True once nothing is left, for sure.
async fn end(child: &mut Child, family: &Family, polite: bool) -> bool {
    let mut sight = family.look();
    if polite && !sight.members.is_empty() {
        sight.members.iter().for_each(|process| process.signal(Signal::TERM));
        let until = Instant::now() + Duration::from_millis(limits::KILL_GRACE_MS);
        while !sight.members.is_empty() && Instant::now() < until {
            let _ = timeout(Duration::from_millis(20), child.wait()).await;
            sleep(Duration::from_millis(5)).await;
            sight = family.look();
        }
    }
    let mut quiet = 0;
    for _ in 0..limits::SWEEP_ROUNDS_MAX {
        if sight.members.is_empty() {
            // Twice, because an orphan changes its parent between two looks.
            quiet += 1;
            if quiet == 2 {
                return !sight.doubtful;
            }
        } else {
            quiet = 0;
            // Stopped first: what is stopped starts nothing while the others are ended.
            sight.members.iter().for_each(|process| process.signal(Signal::STOP));
            family.look().members.iter().for_each(|process| process.signal(Signal::KILL));
            sight.members.iter().for_each(|process| process.signal(Signal::KILL));
            let _ = timeout(Duration::from_millis(10), child.wait()).await;
        }
        sleep(Duration::from_millis(2)).await;
        sight = family.look();
    }
    false
}

/// The shell, and the words that run a command line in it with no inherited descriptor.
///
/// # Errors
/// There is no shell, or descriptors that the one there is cannot close.
pub fn shell(command: &str) -> Result<(String, Vec<String>), ProcessError> {
    let path = a_shell()?;
    let words = vec!["-c".to_owned(), command.to_owned()];
    without_descriptors(path.to_owned(), words)
}

fn a_shell() -> Result<&'static str, ProcessError> {
    let found = ["/bin/bash", "/usr/bin/bash", "/bin/sh"].into_iter().find(|path| Path::new(path).exists());
    found.ok_or_else(|| ProcessError::Start("there is no shell".to_owned()))
}

/// The words that start a program with no inherited descriptor: itself where there is none, else a
/// shell that closes them and becomes it.
///
/// # Errors
/// As [`shell`].
pub fn without_descriptors(path: String, args: Vec<String>) -> Result<(String, Vec<String>), ProcessError> {
    let inherited = proctable::inherited_descriptors();
    if inherited.is_empty() {
        return Ok((path, args));
    }
    let shell = a_shell()?;
    if !shell.ends_with("bash") && inherited.iter().any(|number| *number > 9) {
        let why = "this shell cannot close the descriptors that it would inherit".to_owned();
        return Err(ProcessError::Start(why));
    }
    let closing: String = inherited.iter().map(|number| format!(" {number}>&-")).collect();
    let line = format!("exec{closing}; exec \"$0\" \"$@\"");
    let words = ["-c".to_owned(), line, path].into_iter().chain(args).collect();
    Ok((shell.to_owned(), words))
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
