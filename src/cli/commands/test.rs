//! `tollgate test`: cases, matrices, examples of rules, snapshots of verdicts.
#![expect(clippy::disallowed_methods, reason = "whether this is continuous integration stands in a variable")]

use std::collections::HashSet;
use std::env;
use std::path::PathBuf;

use crate::base::Span;
use crate::base::limits::SNAPSHOT_BYTES_MAX;
use crate::cli::args::{ReportFormat, TestArgs};
use crate::cli::exit::{Exit, Failure};
use crate::cli::parallel::parallel;
use crate::cli::render::suite::{FileReport, Report, SnapshotReport};
use crate::cli::suites::{self, Loaded};
use crate::cli::{files, output, render};
use crate::lint::examples;
use crate::suite::snapshot::{self, Comparison, Entry};
use crate::suite::{Check, Runner};

/// What a run may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writing {
    /// Snapshots.
    Accepted,
    /// Proposals of snapshots, beside them.
    Proposed,
    /// Nothing: in continuous integration, and where a filter leaves checks out.
    Nothing,
}

/// Runs what lies at the paths.
///
/// # Errors
/// A path that cannot be used, a filter that selects nothing, no check at all.
pub fn run(args: &TestArgs) -> Result<Exit, Failure> {
    let ci = in_ci();
    if args.accept && ci {
        return Err(Failure::unusable("snapshots are not written in continuous integration")
            .help("run `tollgate test --accept` where you can look at the difference, and commit the file"));
    }
    let writing = match (args.accept, ci || args.filter.is_some()) {
        (true, _) => Writing::Accepted,
        (false, false) => Writing::Proposed,
        (false, true) => Writing::Nothing,
    };
    let found = suites::find(&args.paths)?;
    let tests = parallel(&found.tests, "test files", |path| suites::test_file(path));
    let covered: HashSet<&PathBuf> = tests.iter().flatten().flat_map(|loaded| &loaded.files).collect();
    let alone: Vec<PathBuf> =
        found.policies.into_iter().filter(|path| !covered.contains(&files::canonical(path))).collect();
    let policies = parallel(&alone, "policies", |path| suites::policy_file(path));
    let (mut ready, mut unusable) = (Vec::new(), Vec::new());
    for file in tests.into_iter().chain(policies) {
        match file {
            Ok(loaded) => ready.push(loaded),
            Err(why) => unusable.push(why),
        }
    }
    let filter = args.filter.as_deref();
    let mut files = judge(&ready, filter)?;
    for file in &mut files {
        file.snapshot = compared(file, writing, ci)?;
    }
    let report = Report { files, unusable, strays: found.strays };
    let counts = report.counts();
    if counts.checks == 0 && !counts.negative() && counts.unusable == 0 {
        return Err(nothing(filter));
    }
    show(&report, args.format)?;
    Ok(if counts.unusable > 0 {
        Exit::Unusable
    } else if counts.negative() {
        Exit::Negative
    } else {
        Exit::Fine
    })
}

/// `CI`, as every service sets it.
fn in_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !["", "false", "0"].iter().any(|off| value == *off))
}

fn nothing(filter: Option<&str>) -> Failure {
    match filter {
        Some(text) => Failure::unusable(format!("no check holds the text `{text}`"))
            .help("a check is looked for as `FILE: NAME`; leave `--filter` out to see them all"),
        None => Failure::unusable("there is nothing to test: no case, no matrix, no example of a rule")
            .help("write cases into a file that ends in `.test.yaml`"),
    }
}

fn show(report: &Report<'_>, format: ReportFormat) -> Result<(), Failure> {
    match format {
        ReportFormat::Text => output::print(&render::suite::text::report(report)),
        ReportFormat::Json => output::print_line(&render::suite::json::report(report).to_string()),
        ReportFormat::Junit => output::print(&render::suite::junit::report(report)),
    }
}

/// Whether a check is to be run.
fn wanted(filter: Option<&str>, file: &str, name: &str) -> bool {
    filter.is_none_or(|text| format!("{file}: {name}").contains(text))
}

/// Judges every check of every file.
///
/// # Errors
/// A world that cannot be made.
fn judge<'a>(ready: &'a [Loaded], filter: Option<&str>) -> Result<Vec<FileReport<'a>>, Failure> {
    let runner = |file: &'a Loaded| {
        let made = file.suite.as_ref().map(|suite| Runner::new(suite, &file.program, &file.host));
        made.transpose().map_err(|error| {
            let failure = Failure::unusable(format!("`{}`: {}", file.name, error.message));
            match error.help {
                Some(help) => failure.help(help),
                None => failure,
            }
        })
    };
    let runners: Vec<Option<Runner<'_>>> = ready.iter().map(runner).collect::<Result<_, _>>()?;
    let jobs: Vec<(usize, &Runner<'_>, &Check)> = runners
        .iter()
        .enumerate()
        .filter_map(|(at, runner)| Some((at, runner.as_ref()?)))
        .flat_map(|(at, runner)| runner.checks().iter().map(move |check| (at, runner, check)))
        .filter(|(at, _, check)| ready.get(*at).is_some_and(|file| wanted(filter, &file.name, &check.name)))
        .collect();
    let results = parallel(&jobs, "checks", |(_, runner, check)| runner.check(check));
    let examples = parallel(ready, "policies", |file| examples::outcomes(&file.program));
    let mut seen: HashSet<(String, Span, Option<String>)> = HashSet::new();
    let mut files = Vec::with_capacity(ready.len());
    for (file, mut examples) in ready.iter().zip(examples) {
        // An example is reported where its policy is met first, and again only where it fails otherwise.
        examples.retain(|example| {
            let name = file.sources.get(example.file).map_or("", |source| source.name.as_str());
            let finding = example.finding.as_ref().map(|finding| finding.message.clone());
            let met = seen.contains(&(name.to_owned(), example.span, None));
            let fails = finding.is_some();
            let new = seen.insert((name.to_owned(), example.span, finding));
            seen.insert((name.to_owned(), example.span, None));
            (new && (fails || !met)) && wanted(filter, name, &example.name)
        });
        let (checks, filtered) = (Vec::new(), filter.is_some());
        files.push(FileReport { file, checks, examples, snapshot: None, filtered });
    }
    for ((at, _, _), result) in jobs.iter().zip(results) {
        if let Some(file) = files.get_mut(*at) {
            file.checks.push(result);
        }
    }
    Ok(files)
}

/// Compares a test file's verdicts with its snapshot, and writes what may be written.
fn compared(file: &FileReport<'_>, writing: Writing, ci: bool) -> Result<Option<SnapshotReport>, Failure> {
    if file.file.suite.is_none() || (file.filtered && file.checks.is_empty()) {
        return Ok(None);
    }
    let path = suites::snapshot_of(&file.file.path);
    let proposal = path.with_extension("snap.new");
    let stored = match files::exists(&path) {
        true => Some(files::read_text(&path, "snapshot", SNAPSHOT_BYTES_MAX)?),
        false => None,
    };
    let entries: Vec<Entry> = file.checks.iter().map(|check| check.entry.clone()).collect();
    let mut comparison = snapshot::compare(stored.as_deref(), &entries, !file.filtered);
    let source = file.file.path.file_name().unwrap_or_default().to_string_lossy();
    let fresh = || snapshot::write(&source, &entries);
    let mut accepted = false;
    match (writing, comparison == Comparison::Same) {
        (Writing::Accepted, false) => {
            files::put_text(&path, &fresh())?;
            files::remove(&proposal)?;
            (comparison, accepted) = (Comparison::Same, true);
        }
        (Writing::Proposed, false) => files::put_text(&proposal, &fresh())?,
        (Writing::Accepted | Writing::Proposed, true) => files::remove(&proposal)?,
        (Writing::Nothing, _) => {}
    }
    let name = files::shown(&path);
    let accept = format!("`tollgate test --accept {}`", file.file.name);
    let mend = match (ci, writing) {
        (true, _) => format!("run {accept} where you can look at the difference, and commit `{name}`"),
        (false, Writing::Nothing) => format!("run {accept}"),
        (false, Writing::Accepted | Writing::Proposed) => {
            format!("look at `{}`, then {accept}", files::shown(&proposal))
        }
    };
    Ok(Some(SnapshotReport { name, comparison, accepted, mend }))
}
