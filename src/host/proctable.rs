//! The process table, and which of its processes belong to a call.
//!
//! A process belongs to a call when the call's first process is among its ancestors, when it is in
//! that process's session or group, or when it carries the call's mark in its environment. What left
//! all of that (a new session, a cleaned environment, its parent gone) is handed to this process by
//! the kernel, because it adopts orphans; such a stray is taken where only one call could own it.

#![expect(clippy::disallowed_methods, reason = "the process table is a directory")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};

/// The variable that marks every process of a call.
pub(super) const MARK: &str = "TOLLGATE_CALL";

/// Bytes of an environment that are searched for the mark.
const ENVIRONMENT_BYTES_MAX: u64 = 1 << 20;

/// One process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pid: i32,
    parent: i32,
    group: i32,
    session: i32,
    /// Clock ticks since the machine started: with the pid, a name that is not given twice.
    started: u64,
}

/// The processes of one call.
#[derive(Debug)]
pub(super) struct Family {
    root: i32,
    mark: String,
    started: u64,
}

/// What a look at the process table found.
#[derive(Debug, Default)]
pub(super) struct Sight {
    pub(super) members: Vec<Process>,
    /// Orphans that may or may not belong to the call, or a table that could not be read.
    pub(super) doubtful: bool,
}

static ACTIVE: Mutex<Vec<(i32, String)>> = Mutex::new(Vec::new());
static ADOPT: Once = Once::new();
static ADOPTS: AtomicBool = AtomicBool::new(false);

fn active() -> MutexGuard<'static, Vec<(i32, String)>> {
    ACTIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this process the parent of orphans among its descendants, so that none escapes a sweep.
fn adopt_orphans() {
    ADOPT.call_once(|| {
        let adopted = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        ADOPTS.store(adopted.is_ok(), Ordering::SeqCst);
    });
}

impl Family {
    /// Starts the first process of a call; `start` gives it with its number. It is known to all other
    /// calls before any of them can take it for a stray.
    pub(super) fn start<C, E>(
        mark: &str,
        start: impl FnOnce() -> Result<(C, Option<u32>), E>,
    ) -> Result<(C, Self), E> {
        adopt_orphans();
        let mut known = active();
        let (child, root) = start()?;
        let root = root.and_then(|root| i32::try_from(root).ok()).unwrap_or(i32::MAX);
        known.push((root, mark.to_owned()));
        drop(known);
        let started = read_stat(root).map_or(0, |(process, _)| process.started);
        Ok((child, Self { root, mark: mark.to_owned(), started }))
    }

    /// Looks for all that is left of it. Zombies are gone; adopted ones are reaped.
    pub(super) fn look(&self) -> Sight {
        let Some(table) = read_table() else {
            return Sight { members: Vec::new(), doubtful: true };
        };
        let mut pids: BTreeSet<i32> = table
            .iter()
            .filter(|p| p.pid == self.root || p.session == self.root || p.group == self.root || self.marks(p))
            .map(|p| p.pid)
            .collect();
        let mut doubtful = !ADOPTS.load(Ordering::SeqCst);
        for stray in table.iter().filter(|p| self.is_stray(p) && !pids.contains(&p.pid)).collect::<Vec<_>>() {
            if active().len() == 1 {
                pids.insert(stray.pid);
            } else {
                doubtful = true;
            }
        }
        loop {
            let children = table.iter().filter(|p| pids.contains(&p.parent) && !pids.contains(&p.pid));
            let children: Vec<i32> = children.map(|p| p.pid).collect();
            if children.is_empty() {
                break;
            }
            pids.extend(children);
        }
        Sight { members: table.into_iter().filter(|p| pids.contains(&p.pid)).collect(), doubtful }
    }

    fn marks(&self, process: &Process) -> bool {
        process.started >= self.started && environment_has(process.pid, &self.mark)
    }

    /// An orphan that this process adopted: its parent now, but never of its own session, and not the
    /// first process of any call.
    fn is_stray(&self, process: &Process) -> bool {
        let me = own_pid();
        if process.parent != me || process.started < self.started {
            return false;
        }
        if own_session() == Some(process.session) {
            return false;
        }
        !active().iter().any(|(root, mark)| {
            *root == process.pid || (*mark != self.mark && environment_has(process.pid, mark))
        })
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        active().retain(|(root, mark)| *root != self.root || *mark != self.mark);
    }
}

impl Process {
    /// Sends a signal to this very process, not to one that was given its number later.
    pub(super) fn signal(&self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.pid) else { return };
        let Ok(handle) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else { return };
        if read_stat(self.pid).is_some_and(|(now, _)| now.started == self.started) {
            let _ = rustix::process::pidfd_send_signal(handle, signal);
        }
    }
}

fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// The session of this process, as the process table has it: 0 where the session's leader is outside
/// of this process's namespace, which getsid(2) wrappers take for impossible.
fn own_session() -> Option<i32> {
    read_stat(own_pid()).map(|(process, _)| process.session)
}

/// All processes but zombies. `None` where there is no readable table.
fn read_table() -> Option<Vec<Process>> {
    let me = own_pid();
    let mut table = Vec::new();
    for entry in std::fs::read_dir("/proc").ok()? {
        let Some(pid) = entry.ok()?.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        match read_stat(pid) {
            Some((process, true)) => reap(process, me),
            Some((process, false)) => table.push(process),
            // Gone between the listing and the look.
            None => {}
        }
    }
    table.iter().any(|process| process.pid == me).then_some(table)
}

/// An adopted zombie waits for its new parent. The first process of a call has its own waiter.
fn reap(zombie: Process, me: i32) {
    let known = active();
    let is_root = known.iter().any(|(root, _)| *root == zombie.pid);
    if zombie.parent == me && own_session() != Some(zombie.session) && !is_root {
        let _ = rustix::process::waitpid(Pid::from_raw(zombie.pid), WaitOptions::NOHANG);
    }
}

/// A process by its number, and whether it is a zombie.
fn read_stat(pid: i32) -> Option<(Process, bool)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything, a `)` included.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    let mut number = || fields.next()?.parse::<i32>().ok();
    let (parent, group, session) = (number()?, number()?, number()?);
    // starttime is field 22 of proc_pid_stat(5); the session was field 6.
    let started = fields.nth(15)?.parse().ok()?;
    Some((Process { pid, parent, group, session, started }, matches!(state, "Z" | "X" | "x")))
}

fn environment_has(pid: i32, mark: &str) -> bool {
    use std::io::Read as _;
    let Ok(file) = std::fs::File::open(format!("/proc/{pid}/environ")) else { return false };
    let mut bytes = Vec::new();
    if file.take(ENVIRONMENT_BYTES_MAX).read_to_end(&mut bytes).is_err() {
        return false;
    }
    let wanted = format!("{MARK}={mark}");
    bytes.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
}

/// Descriptors above the standard streams that a child of this process would inherit.
pub(super) fn inherited_descriptors() -> Vec<u32> {
    const CLOSE_ON_EXEC: u32 = 0o2_000_000;
    let Ok(entries) = std::fs::read_dir("/proc/self/fdinfo") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let numbers: Vec<u32> = numbers.filter(|number| *number > 2).collect();
    let is_inherited = |number: &u32| {
        let text = std::fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
        let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| flags & CLOSE_ON_EXEC == 0)
    };
    numbers.into_iter().filter(is_inherited).collect()
}
