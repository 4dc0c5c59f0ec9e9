//! `docs/first-day.md`, step by step in one folder that is empty at the start.
//!
//! - `console`: each command runs in the folder; what it prints on both streams is below it.
//! - `diff FILE`: the lines that begin with `-` or a space stand in FILE; they are replaced by those
//!   that begin with `+` or a space. A block of `+` lines alone goes to the end of FILE.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/first-day.md")
}

/// One step of the page, with the line where it begins, counted from 1.
enum Step {
    Command { line: usize, command: String, output: Vec<String> },
    Edit { line: usize, file: String, before: String, after: String },
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(kind) = line.strip_prefix("```").filter(|kind| !kind.is_empty()) else { continue };
        let block: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        if kind == "console" {
            console(at + 2, &block, &mut steps);
        } else if let Some(file) = kind.strip_prefix("diff ") {
            steps.push(edit(at + 1, file, &block));
        }
    }
    steps
}

fn console(first: usize, block: &[&str], steps: &mut Vec<Step>) {
    assert!(block[0].starts_with("$ "), "line {first}: a console block begins with `$ `");
    for (at, text) in block.iter().enumerate() {
        if let Some(command) = text.strip_prefix("$ ") {
            let command = command.to_owned();
            steps.push(Step::Command { line: first + at, command, output: Vec::new() });
        } else if let Some(Step::Command { output, .. }) = steps.last_mut() {
            output.push((*text).to_owned());
        }
    }
}

fn edit(line: usize, file: &str, block: &[&str]) -> Step {
    let (mut before, mut after) = (String::new(), String::new());
    for text in block {
        let rest = text.get(1..).unwrap_or("");
        match text.chars().next() {
            Some('-') => writeln!(before, "{rest}").unwrap(),
            Some('+') => writeln!(after, "{rest}").unwrap(),
            Some(' ') | None => {
                writeln!(before, "{rest}").unwrap();
                writeln!(after, "{rest}").unwrap();
            }
            Some(_) => panic!("line {line}: a line of a diff begins with `+`, `-` or a space: {text}"),
        }
    }
    Step::Edit { line, file: file.to_owned(), before, after }
}

/// What a command prints on both streams in the order in which it does, as a reader sees it, the home
/// folder as `~` and without digests.
fn run(command: &str, folder: &Path, home: &Path) -> Vec<String> {
    let binaries = Path::new(env!("CARGO_BIN_EXE_tollgate")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("HOME", home)
        .env_remove("XDG_STATE_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .env("NO_COLOR", "1")
        .env_remove("CI")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let text = text.replace(&home.display().to_string(), "~");
    let text = Regex::new("[0-9a-f]{64}").unwrap().replace_all(&text, "…").into_owned();
    text.lines().map(|line| line.trim_end().to_owned()).collect()
}

fn apply(folder: &Path, line: usize, file: &str, before: &str, after: &str) {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("line {line}: {file}: {error}"));
    let text = if before.is_empty() {
        format!("{text}{after}")
    } else {
        assert_eq!(text.matches(before).count(), 1, "line {line}: this stands once in {file}:\n{before}");
        text.replacen(before, after, 1)
    };
    fs::write(path, text).unwrap();
}

/// With `TOLLGATE_UPDATE_DOCS=1` what the commands print is rewritten; read the difference.
#[test]
fn the_first_day_goes_as_the_page_says() {
    let update = std::env::var_os("TOLLGATE_UPDATE_DOCS").is_some();
    let text = fs::read_to_string(page()).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("project");
    fs::create_dir(&folder).unwrap();
    let mut mends = Vec::new();
    let (mut commands, mut edits) = (0, 0);
    for step in steps(&text) {
        match step {
            Step::Edit { line, file, before, after } => {
                apply(&folder, line, &file, &before, &after);
                edits += 1;
            }
            Step::Command { line, command, output } => {
                let found = run(&command, &folder, scratch.path());
                commands += 1;
                if update {
                    mends.push((line..line + output.len(), found));
                } else {
                    assert_eq!(found, output, "docs/first-day.md:{line}: $ {command}");
                }
            }
        }
    }
    for (range, found) in mends.into_iter().rev() {
        lines.splice(range, found);
    }
    if update {
        fs::write(page(), lines.join("\n") + "\n").unwrap();
    }
    assert!(commands >= 8 && edits >= 3, "{commands} commands and {edits} edits were found");
}
