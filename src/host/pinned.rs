//! A program that the host trusts, pinned by the content of every file that its command names, and a
//! conversation with it: JSON in, text out.

#![expect(clippy::disallowed_methods, reason = "files of programs are read to be hashed")]

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use crate::base::{Digest, limits};
use crate::gate::Cancel;

use super::process::{self, ProcessError, Program};

/// A command whose files are pinned.
#[derive(Debug, Clone)]
pub struct Pinned {
    words: Vec<String>,
    folder: PathBuf,
    files: Vec<PathBuf>,
    pin: Option<Digest>,
}

/// Why a pinned program gave no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PinnedError {
    /// A file that the command names is not there.
    #[error("its program is missing")]
    Missing,
    /// The files are not those that were pinned.
    #[error("its program is not the one that was pinned")]
    Changed,
    /// It could not be started; why.
    #[error("its program could not be started: {0}")]
    NotStarted(String),
    /// A signal ended it.
    #[error("signal {0} ended it")]
    Signal(i32),
    /// It ended with this exit code, which is not 0.
    #[error("it ended with exit code {0}")]
    ExitCode(i32),
    /// It wrote more than [`limits::HOOK_OUTPUT_BYTES_MAX`] bytes.
    #[error("it wrote too much")]
    TooMuchOutput,
    /// What it wrote is not UTF-8.
    #[error("what it wrote is not UTF-8")]
    NotText,
    /// It was told to stop.
    #[error("it was told to stop")]
    Stopped,
    /// How it ended is not known.
    #[error("how it ended is not known")]
    Lost,
}

/// Why words are no command that can be pinned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    /// There are none.
    #[error("the command is empty")]
    Empty,
    /// The program is no path.
    #[error("the program `{0}` is no path, and PATH may hold another of that name")]
    NoPath(String),
    /// A word that no program can be given.
    #[error("a word of the command holds a NUL character")]
    Nul,
}

/// The program and the arguments of a command.
///
/// # Errors
/// It names no program by its path.
pub fn check_words(words: &[String]) -> Result<(&str, &[String]), WordsError> {
    let (program, args) = words.split_first().ok_or(WordsError::Empty)?;
    if words.iter().any(|word| word.contains('\0')) {
        return Err(WordsError::Nul);
    }
    if !program.contains('/') {
        return Err(WordsError::NoPath(program.clone()));
    }
    Ok((program, args))
}

impl Pinned {
    /// A command: the program first. The program, and every argument that names a file, is pinned: by
    /// `digest`, else by its content now. Relative paths start at `folder`, where the program is
    /// started too.
    ///
    /// # Errors
    /// As [`check_words`].
    pub fn new(words: &[String], folder: &Path, digest: Option<Digest>) -> Result<Self, WordsError> {
        let (program, args) = check_words(words)?;
        let named = args.iter().map(|word| folder.join(word)).filter(|path| path.is_file());
        let files = std::iter::once(folder.join(program)).chain(named).collect();
        let mut pinned = Self { words: words.to_vec(), folder: folder.to_owned(), files, pin: digest };
        if pinned.pin.is_none() {
            pinned.pin = pinned.digest().ok();
        }
        Ok(pinned)
    }

    /// The digest of the digests of the files that the command names, as they are now: of their 64
    /// hex digits, a line each. What moves from one file to another changes it.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn digest(&self) -> Result<Digest, PinnedError> {
        let mut digests = String::new();
        let mut room = limits::HOOK_PROGRAM_BYTES_MAX;
        for path in &self.files {
            let mut bytes = Vec::new();
            let failed = |error: std::io::Error| match error.kind() {
                ErrorKind::NotFound => PinnedError::Missing,
                kind => PinnedError::NotStarted(kind.to_string()),
            };
            let file = File::open(path).map_err(failed)?;
            let read = file.take(room + 1).read_to_end(&mut bytes).map_err(failed)?;
            room = room
                .checked_sub(read as u64)
                .ok_or_else(|| PinnedError::NotStarted("its files are too large".to_owned()))?;
            digests.push_str(&Digest::of(&bytes).hex());
            digests.push('\n');
        }
        Ok(Digest::of(digests.as_bytes()))
    }

    /// The digest that it is pinned by; `None` where there was nothing to pin.
    #[must_use]
    pub fn pin(&self) -> Option<Digest> {
        self.pin
    }

    /// The files that the command names.
    #[must_use]
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Starts it, gives it a text and returns what it wrote. All that it started is ended with it.
    ///
    /// # Errors
    /// Whatever kept it from ending by itself, with exit code 0, having written a text of bounded size.
    pub async fn converse(&self, input: String, cancel: &Cancel) -> Result<String, PinnedError> {
        let own = self.clone();
        let checked = tokio::task::spawn_blocking(move || own.check()).await;
        let (path, args) = checked.map_err(|_| PinnedError::Lost)??;
        let folder = self.folder.to_str().ok_or_else(|| not_utf8("its folder"))?.to_owned();
        let program = Program { path, args, cwd: folder, keep: limits::HOOK_OUTPUT_BYTES_MAX };
        let ended = match process::converse(&program, input.into_bytes(), cancel).await {
            Ok(ended) => ended,
            Err(ProcessError::Start(why)) => return Err(PinnedError::NotStarted(why)),
            Err(ProcessError::Stopped { .. }) => return Err(PinnedError::Stopped),
            Err(ProcessError::Lost) => return Err(PinnedError::Lost),
            Err(ProcessError::Flooded) => return Err(PinnedError::TooMuchOutput),
        };
        match ended.exit() {
            (Some(0), _) => ended.stdout.utf8().ok_or(PinnedError::NotText),
            (Some(code), _) => Err(PinnedError::ExitCode(code)),
            (None, Some(signal)) => Err(PinnedError::Signal(signal)),
            (None, None) => Err(PinnedError::Lost),
        }
    }

    /// The words to start, once the files are what they should be.
    fn check(&self) -> Result<(String, Vec<String>), PinnedError> {
        let digest = self.digest()?;
        if self.pin != Some(digest) {
            return Err(PinnedError::Changed);
        }
        let Some((program, args)) = self.words.split_first() else { return Err(PinnedError::Missing) };
        let path = self.folder.join(program);
        rustix::fs::access(&path, rustix::fs::Access::EXEC_OK)
            .map_err(|_| PinnedError::NotStarted("it may not be executed".to_owned()))?;
        let path = path.to_str().ok_or_else(|| not_utf8("its path"))?.to_owned();
        process::without_descriptors(path, args.to_vec())
            .map_err(|error| PinnedError::NotStarted(error.to_string()))
    }
}

fn not_utf8(what: &str) -> PinnedError {
    PinnedError::NotStarted(format!("{what} is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(all: &[&str]) -> Vec<String> {
        all.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn every_change_of_a_named_file_is_seen() {
        let place = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
        write("run", "one two");
        write("guard.py", " three");
        let command = words(&["./run", "guard.py", "--strict"]);
        let pinned = Pinned::new(&command, place.path(), None).unwrap();
        assert_eq!(pinned.files().len(), 2);
        for (program, guard) in [("one", " two three"), ("one two three", ""), ("one two", " four"), ("", "")]
        {
            write("run", program);
            write("guard.py", guard);
            assert_ne!(pinned.digest().ok(), pinned.pin(), "{program:?} {guard:?}");
        }
        write("run", "one two");
        write("guard.py", " three");
        assert_eq!(pinned.digest().ok(), pinned.pin());
        std::fs::remove_file(place.path().join("guard.py")).unwrap();
        assert_eq!(pinned.digest(), Err(PinnedError::Missing));
    }

    #[test]
    fn the_digest_is_what_the_page_about_hooks_computes() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("run"), "one").unwrap();
        let pinned = Pinned::new(&words(&["./run"]), place.path(), None).unwrap();
        let line = "sha256sum run | cut -c 1-64 | sha256sum";
        assert!(include_str!("../../docs/hooks.md").contains("sha256sum freeze | cut -c 1-64 | sha256sum"));
        let shell = std::process::Command::new("sh").args(["-c", line]).current_dir(place.path()).output();
        let text = String::from_utf8(shell.unwrap().stdout).unwrap();
        assert_eq!(Some(pinned.pin().unwrap().hex().as_str()), text.get(..64));
    }

    #[test]
    fn what_is_no_command_is_refused() {
        for (command, error) in [
            (words(&[]), WordsError::Empty),
            (words(&["guard"]), WordsError::NoPath("guard".to_owned())),
            (words(&["./guard", "a\0b"]), WordsError::Nul),
        ] {
            assert_eq!(Pinned::new(&command, Path::new("/"), None).unwrap_err(), error);
        }
    }
}
