//! The command line from outside: the real program in a folder of its own, with its standard output,
//! standard error and exit status.
#![expect(clippy::disallowed_methods, reason = "tests make files and start the program")]

mod bad_input;
mod configuration;
mod decide;
mod explain;
mod fmt;
mod help;
mod hooks;
mod init;
mod lint;
pub mod public_cases;
mod run;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A home with a project in it, and nothing of the machine's own settings.
pub struct Place {
    dir: tempfile::TempDir,
}

/// How the program ended.
pub struct Ended {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub fn new() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(place.root().join("work/.git")).unwrap();
        place
    }

    /// The folder that holds all others, links followed.
    pub fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    /// The project.
    pub fn work(&self) -> PathBuf {
        self.root().join("work")
    }

    /// Writes a file of the project (or, with `../`, beside it).
    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.work().join(name)).unwrap()
    }

    /// Runs the program in the project.
    pub fn run(&self, arguments: &[&str]) -> Ended {
        self.run_with(arguments, b"")
    }

    /// Runs the program in the project with something on its standard input.
    pub fn run_with(&self, arguments: &[&str], stdin: &[u8]) -> Ended {
        self.run_in(&self.work(), arguments, stdin)
    }

    pub fn command(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .env("HOME", self.root().join("home"))
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn run_in(&self, folder: &Path, arguments: &[&str], stdin: &[u8]) -> Ended {
        let mut child = self.command(folder, arguments).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let stdin = stdin.to_vec();
        // Beside the reading, so that no full pipe stops both sides. A program that ends early closes it.
        let writer = std::thread::spawn(move || drop(input.write_all(&stdin)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        let text = |bytes: &[u8]| self.redacted(std::str::from_utf8(bytes).unwrap());
        Ended { status: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    /// Without what differs from run to run.
    pub fn redacted(&self, text: &str) -> String {
        let text = text.replace(self.root().to_str().unwrap(), "[TMP]");
        let digest = regex::Regex::new("sha256:[0-9a-f]{64}").unwrap();
        let state = regex::Regex::new("/tollgate/[0-9a-f]{16,64}/").unwrap();
        state.replace_all(&digest.replace_all(&text, "sha256:[DIGEST]"), "/tollgate/[ROOT]/").into_owned()
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.status {
            Some(status) => writeln!(f, "exit: {status}")?,
            None => writeln!(f, "ended by a signal")?,
        }
        write!(f, "----- stdout -----\n{}----- stderr -----\n{}", self.stdout, self.stderr)
    }
}

/// A policy whose verdicts are easy to foresee.
pub const POLICY: &str = "\
tollgate 1

tool read_file { reads args.path }

tool shell { runs args.command in args.cwd or \".\" }

/// Credentials stay where they are.
block secrets {
  on read, write
  when path in {\"**/.env\"}
  because \"{path} holds credentials\"
  fix \"ask its owner for a scoped token\"
}

allow reads {
  on read
  when path under workspace
}

ask pushes {
  on exec
  when command is `git push ...`
  because \"pushing publishes code\"
  covers read, network
}

allow listings {
  on exec
  when command in {`ls ...`, `cat ...`}
}
";
