//! The audit log as a file: one writer, appended whole, synced on demand.

#![expect(clippy::disallowed_methods, reason = "this is the file behind the port")]

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{FlockOperation, OFlags};
use rustix::io::Errno;

use crate::gate::ports::{AuditSink, SinkError, Torn};

/// The name of the log in its directory.
pub const LOG_NAME: &str = "audit.jsonl";

/// The log in a directory of its own (mode 0700, its files 0600).
#[derive(Debug)]
pub struct FileSink {
    directory: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    length: u64,
    /// A write failed and could not be taken back: what stands at the end is not known.
    broken: bool,
}

fn failed(error: &std::io::Error) -> SinkError {
    SinkError::Failed(error.kind().to_string())
}

impl FileSink {
    /// Opens or makes `DIRECTORY/audit.jsonl`, and locks it against a second writer.
    ///
    /// # Errors
    /// It cannot be opened, or another process holds it.
    pub fn open(directory: &Path) -> Result<Self, SinkError> {
        DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(|e| failed(&e))?;
        let path = directory.join(LOG_NAME);
        let file = options().open(&path).map_err(|e| failed(&e))?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(SinkError::Locked),
            Err(errno) => return Err(failed(&errno.into())),
        }
        let metadata = file.metadata().map_err(|e| failed(&e))?;
        if !metadata.is_file() {
            return Err(SinkError::Failed("the log is not a plain file".to_owned()));
        }
        if metadata.permissions().mode() & 0o077 != 0 {
            file.set_permissions(std::fs::Permissions::from_mode(0o600)).map_err(|e| failed(&e))?;
        }
        let state = State { file, length: metadata.len(), broken: false };
        Ok(Self { directory: directory.to_owned(), state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts bytes into a new file beside the log.
    fn put_aside(&self, bytes: &[u8], offset: u64) -> std::io::Result<String> {
        for n in 0_u32.. {
            let name = format!("torn-{offset}-{n}.bin");
            let mut file = match OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(self.directory.join(&name))
            {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                other => other?,
            };
            file.write_all(bytes)?;
            file.sync_all()?;
            return Ok(name);
        }
        Err(std::io::ErrorKind::AlreadyExists.into())
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    let no_follow = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or(0);
    options.read(true).append(true).create(true).mode(0o600).custom_flags(no_follow);
    options
}

impl AuditSink for FileSink {
    fn load(&self, each: &mut dyn FnMut(&[u8])) -> Result<Option<Torn>, SinkError> {
        let mut state = self.state();
        let mut whole = 0_u64;
        let mut torn = Vec::new();
        let mut read = || -> std::io::Result<()> {
            state.file.seek(SeekFrom::Start(0))?;
            let mut reader = BufReader::new((&mut state.file).take(u64::MAX));
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line)? > 0 {
                if line.pop_if(|last| *last == b'\n').is_some() {
                    each(&line);
                    whole += u64::try_from(line.len()).unwrap_or(u64::MAX) + 1;
                } else {
                    torn.clone_from(&line);
                }
                line.clear();
            }
            Ok(())
        };
        read().map_err(|e| failed(&e))?;
        if torn.is_empty() {
            state.length = whole;
            return Ok(None);
        }
        let moved_to = self.put_aside(&torn, whole).map_err(|e| failed(&e))?;
        state.file.set_len(whole).and_then(|()| state.file.sync_all()).map_err(|e| failed(&e))?;
        state.length = whole;
        Ok(Some(Torn { bytes: u64::try_from(torn.len()).unwrap_or(u64::MAX), moved_to }))
    }

    fn append(&self, lines: &[u8]) -> Result<(), SinkError> {
        let mut state = self.state();
        if state.broken {
            return Err(SinkError::Failed("an earlier write could not be taken back".to_owned()));
        }
        if let Err(error) = state.file.write_all(lines) {
            state.broken = state.file.set_len(state.length).is_err();
            return Err(failed(&error));
        }
        state.length += u64::try_from(lines.len()).unwrap_or(0);
        Ok(())
    }

    fn sync(&self) -> Result<(), SinkError> {
        // Synced on a handle of its own, so that others can append meanwhile.
        let file = self.state().file.try_clone().map_err(|e| failed(&e))?;
        file.sync_data().map_err(|e| failed(&e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(sink: &FileSink) -> (Vec<String>, Option<Torn>) {
        let mut lines = Vec::new();
        let torn = sink.load(&mut |line| lines.push(String::from_utf8(line.to_vec()).unwrap())).unwrap();
        (lines, torn)
    }

    #[test]
    fn a_second_writer_is_refused_and_modes_are_tight() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("audit");
        let sink = FileSink::open(&directory).unwrap();
        assert_eq!(FileSink::open(&directory).unwrap_err(), SinkError::Locked);
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&directory), mode(&directory.join(LOG_NAME))), (0o700, 0o600));
        drop(sink);
        FileSink::open(&directory).unwrap();
    }

    #[test]
    fn a_torn_last_line_is_put_aside() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join(LOG_NAME), "one\ntwo\nthr").unwrap();
        let sink = FileSink::open(place.path()).unwrap();
        let (found, torn) = lines(&sink);
        let torn = torn.unwrap();
        assert_eq!(found, ["one", "two"]);
        assert_eq!(torn.bytes, 3);
        assert_eq!(std::fs::read(place.path().join(&torn.moved_to)).unwrap(), b"thr");
        sink.append(b"three\n").unwrap();
        sink.sync().unwrap();
        assert_eq!(lines(&sink), (vec!["one".into(), "two".into(), "three".into()], None));
    }
}
