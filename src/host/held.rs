//! Files by a held directory: what was judged is what is opened.
//!
//! A canonical path has no link in it. It is opened from the root without following any, so a link
//! that was put there after the verdict ends the call instead of leading it away.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, RenameFlags, Stat};
use rustix::io::Errno;

/// Why a path could not be used. Names no path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HeldError {
    #[error("it does not exist")]
    Missing,
    #[error("its directory does not exist")]
    NoDirectory,
    #[error("it is not a plain file")]
    NotAFile,
    #[error("it is not a directory")]
    NotADirectory,
    #[error("it changed after it was judged: {0}")]
    Changed(&'static str),
    #[error("permission denied")]
    Denied,
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
    #[error("it has more than {0} entries")]
    TooMany(usize),
    #[error("{0}")]
    Other(String),
}

impl From<Errno> for HeldError {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOENT => Self::Missing,
            Errno::LOOP | Errno::XDEV => Self::Changed("a link stands in its path"),
            Errno::NOTDIR => Self::Changed("a part of its path is no directory"),
            Errno::ACCESS | Errno::PERM => Self::Denied,
            Errno::EXIST => Self::Changed("something has appeared at its place"),
            other => Self::Other(std::io::Error::from(other).kind().to_string()),
        }
    }
}

fn from_io(error: &std::io::Error) -> HeldError {
    match Errno::from_io_error(error) {
        Some(errno) => errno.into(),
        None => HeldError::Other(error.kind().to_string()),
    }
}

/// Tries after a rename somewhere else made the kernel unsure (openat2(2), EAGAIN).
const UNSURE_TRIES: usize = 8;

const HOLD: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// Opens an absolute canonical path without following any link.
fn open(path: &str, flags: OFlags) -> Result<OwnedFd, HeldError> {
    let root = rustix::fs::open("/", HOLD, Mode::empty())?;
    let relative = path.strip_prefix('/').ok_or(HeldError::Other("not an absolute path".to_owned()))?;
    if relative.split('/').any(|part| part == ".." || part == ".") {
        return Err(HeldError::Other("not a canonical path".to_owned()));
    }
    let relative = if relative.is_empty() { "." } else { relative };
    match open_at_once(&root, relative, flags) {
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => open_by_steps(root, relative, flags),
        other => Ok(other?),
    }
}

#[cfg(target_os = "linux")]
fn open_at_once(root: &OwnedFd, relative: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    for _ in 0..UNSURE_TRIES {
        match rustix::fs::openat2(root, relative, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN) => {}
            other => return other,
        }
    }
    Err(Errno::AGAIN)
}

#[cfg(not(target_os = "linux"))]
fn open_at_once(_: &OwnedFd, _: &str, _: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// The same by hand, one directory after the other.
fn open_by_steps(root: OwnedFd, relative: &str, flags: OFlags) -> Result<OwnedFd, HeldError> {
    let (parents, name) = relative.rsplit_once('/').unwrap_or(("", relative));
    let mut at = root;
    for part in parents.split('/').filter(|part| !part.is_empty()) {
        at = rustix::fs::openat(&at, part, HOLD, Mode::empty())?;
    }
    Ok(rustix::fs::openat(&at, name, flags | OFlags::NOFOLLOW, Mode::empty())?)
}

/// A directory that is held open, and the name in it.
struct Held<'a> {
    directory: OwnedFd,
    name: &'a str,
}

fn hold(path: &str) -> Result<Held<'_>, HeldError> {
    let (parent, name) = path.rsplit_once('/').ok_or(HeldError::Missing)?;
    if name.is_empty() {
        return Err(HeldError::NotAFile);
    }
    let parent = if parent.is_empty() { "/" } else { parent };
    match open(parent, HOLD) {
        Ok(directory) => Ok(Held { directory, name }),
        Err(HeldError::Missing) => Err(HeldError::NoDirectory),
        Err(error) => Err(error),
    }
}

/// An open plain file.
#[derive(Debug)]
pub(crate) struct HeldFile {
    file: File,
    stat: Stat,
}

/// Opens a plain file to read. `alone`: the verdict saw one name of it, so it must have one.
pub(crate) fn open_file(path: &str, alone: bool) -> Result<HeldFile, HeldError> {
    let held = hold(path).map_err(|error| match error {
        HeldError::NoDirectory => HeldError::Missing,
        other => other,
    })?;
    let fd = rustix::fs::openat(&held.directory, held.name, READ, Mode::empty())?;
    let stat = rustix::fs::fstat(&fd)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(HeldError::NotAFile);
    }
    if alone && stat.st_nlink > 1 {
        return Err(HeldError::Changed("the file has a second name"));
    }
    Ok(HeldFile { file: File::from(fd), stat })
}

impl HeldFile {
    /// Its size when it was opened.
    pub(crate) fn size(&self) -> u64 {
        u64::try_from(self.stat.st_size).unwrap_or(0)
    }

    /// Its first bytes.
    pub(crate) fn read(&mut self, max: usize) -> Result<Vec<u8>, HeldError> {
        let mut bytes = Vec::new();
        let max = u64::try_from(max).unwrap_or(u64::MAX);
        (&mut self.file).take(max).read_to_end(&mut bytes).map_err(|error| from_io(&error))?;
        Ok(bytes)
    }

    /// All of it, or an error where it is larger.
    pub(crate) fn read_all(&mut self, max: u64) -> Result<Vec<u8>, HeldError> {
        let bytes = self.read(usize::try_from(max.saturating_add(1)).unwrap_or(usize::MAX))?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length > max) {
            return Err(HeldError::TooLarge(max));
        }
        Ok(bytes)
    }
}

/// What the verdict saw at the place that is written.
#[derive(Debug)]
pub(crate) enum Before {
    /// Nothing: it must still be nothing.
    Nothing,
    /// A plain file.
    AFile,
    /// This very file, with this very content.
    This(HeldFile),
}

/// Writes a whole file: at any moment the old one or the new one stands there, never a part.
pub(crate) fn write(path: &str, content: &[u8], before: &Before) -> Result<(), HeldError> {
    let held = hold(path)?;
    let old = match before {
        Before::Nothing => None,
        Before::AFile => Some(plain(&held)?),
        Before::This(file) => Some(unchanged(&held, file)?),
    };
    let temporary = format!(".tollgate-{}.tmp", uuid::Uuid::now_v7());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = if old.is_some() { Mode::RUSR | Mode::WUSR } else { Mode::from_raw_mode(0o666) };
    let fd = rustix::fs::openat(&held.directory, temporary.as_str(), flags, mode)?;
    let placed = fill(File::from(fd), content, old.as_ref()).and_then(|()| match before {
        Before::Nothing => place_new(&held, &temporary),
        Before::AFile => place_over(&held, &temporary),
        // Looked at again right before: what another program wrote meanwhile is not lost.
        Before::This(file) => unchanged(&held, file).and_then(|_| place_over(&held, &temporary)),
    });
    if placed.is_err() {
        let _ = rustix::fs::unlinkat(&held.directory, temporary.as_str(), AtFlags::empty());
    }
    placed
}

fn plain(held: &Held<'_>) -> Result<Stat, HeldError> {
    let stat = rustix::fs::statat(&held.directory, held.name, AtFlags::SYMLINK_NOFOLLOW)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(stat),
        FileType::Symlink => Err(HeldError::Changed("a link stands at its place")),
        _ => Err(HeldError::NotAFile),
    }
}

fn unchanged(held: &Held<'_>, file: &HeldFile) -> Result<Stat, HeldError> {
    let now = plain(held)?;
    let was = &file.stat;
    let same = now.st_dev == was.st_dev
        && now.st_ino == was.st_ino
        && now.st_size == was.st_size
        && now.st_mtime == was.st_mtime
        && now.st_mtime_nsec == was.st_mtime_nsec;
    if same { Ok(now) } else { Err(HeldError::Changed("another program wrote it")) }
}

fn fill(mut file: File, content: &[u8], old: Option<&Stat>) -> Result<(), HeldError> {
    file.write_all(content).map_err(|error| from_io(&error))?;
    if let Some(old) = old {
        let (uid, gid) =
            (rustix::process::Uid::from_raw(old.st_uid), rustix::process::Gid::from_raw(old.st_gid));
        // Only a privileged writer can give a file back to its owner; others own what they write.
        let _ = rustix::fs::fchown(file.as_fd(), Some(uid), Some(gid));
        rustix::fs::fchmod(file.as_fd(), Mode::from_raw_mode(old.st_mode & 0o777))?;
    }
    file.sync_data().map_err(|error| from_io(&error))
}

fn place_over(held: &Held<'_>, temporary: &str) -> Result<(), HeldError> {
    plain(held)?;
    Ok(rustix::fs::renameat(&held.directory, temporary, &held.directory, held.name)?)
}

fn place_new(held: &Held<'_>, temporary: &str) -> Result<(), HeldError> {
    let directory = &held.directory;
    match rustix::fs::renameat_with(directory, temporary, directory, held.name, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) => {
            rustix::fs::linkat(directory, temporary, directory, held.name, AtFlags::empty())?;
            Ok(rustix::fs::unlinkat(directory, temporary, AtFlags::empty())?)
        }
        other => Ok(other?),
    }
}

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
}

/// Entries looked at to sort a directory: memory stays bounded.
const ENTRIES_READ_MAX: usize = 100_000;

/// The entries of a directory, sorted by name.
pub(crate) fn list(path: &str) -> Result<Vec<Entry>, HeldError> {
    let fd = match open(path, READ | OFlags::DIRECTORY) {
        Err(HeldError::Changed("a part of its path is no directory")) => {
            return Err(HeldError::NotADirectory);
        }
        other => other?,
    };
    let mut entries = Vec::new();
    let mut buffer = Vec::with_capacity(32 << 10);
    let mut directory = RawDir::new(fd, buffer.spare_capacity_mut());
    while let Some(entry) = directory.next() {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == "." || name == ".." {
            continue;
        }
        if entries.len() == ENTRIES_READ_MAX {
            return Err(HeldError::TooMany(ENTRIES_READ_MAX));
        }
        let kind = match entry.file_type() {
            FileType::RegularFile => "file",
            FileType::Directory => "dir",
            FileType::Symlink => "link",
            _ => "other",
        };
        entries.push(Entry { name, kind });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

#[cfg(test)]
#[path = "held_tests.rs"]
mod tests;
