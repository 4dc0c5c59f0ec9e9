//! `tollgate test`: cases, matrices and the examples of rules.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::base::{Diagnostic, Source, Span};
use crate::cli::args::TestArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::render::suite::{FileReport, Report};
use crate::cli::suites::{self, Loaded, Unusable};
use crate::cli::{files, output, render};
use crate::lint::examples;
use crate::suite::{Check, CheckReport, Runner};

/// Runs what lies at the paths.
///
/// # Errors
/// A path that cannot be used, a filter that selects nothing, no check at all.
pub fn run(args: &TestArgs) -> Result<Exit, Failure> {
    let found = suites::find(&args.paths)?;
    let tests = parallel(&found.tests, |path| suites::test_file(path));
    let covered: HashSet<&PathBuf> = tests.iter().flatten().flat_map(|loaded| &loaded.files).collect();
    let alone: Vec<PathBuf> =
        found.policies.into_iter().filter(|path| !covered.contains(&files::canonical(path))).collect();
    let policies = parallel(&alone, |path| suites::policy_file(path));
    let (mut ready, mut unusable) = (Vec::new(), Vec::new());
    for file in tests.into_iter().chain(policies) {
        match file {
            Ok(loaded) => ready.push(loaded),
            Err(why) => unusable.push(why),
        }
    }
    let filter = args.filter.as_deref();
    let report = judge(&ready, unusable, filter);
    if report.checks() == 0 && report.unusable.is_empty() {
        return Err(match filter {
            Some(text) => Failure::unusable(format!("no check holds the text `{text}`"))
                .help("a check is looked for as `FILE: NAME`; leave `--filter` out to see them all"),
            None => Failure::unusable("there is nothing to test: no case, no matrix, no example of a rule")
                .help("write cases into a file that ends in `.test.yaml`"),
        });
    }
    output::print(&render::suite::text(&report))?;
    Ok(match &report {
        report if !report.unusable.is_empty() => Exit::Unusable,
        report if report.failed() > 0 => Exit::Negative,
        _ => Exit::Fine,
    })
}

/// Whether a check is to be run.
fn wanted(filter: Option<&str>, file: &str, name: &str) -> bool {
    filter.is_none_or(|text| format!("{file}: {name}").contains(text))
}

/// Judges every check of every file, on as many threads as there are processors.
fn judge<'a>(ready: &'a [Loaded], unusable: Vec<Unusable>, filter: Option<&str>) -> Report<'a> {
    let runners: Vec<Option<Runner<'_>>> = ready
        .iter()
        .map(|file| file.suite.as_ref().map(|suite| Runner::new(suite, &file.program, &file.host)))
        .collect();
    let jobs: Vec<(usize, &Runner<'_>, &Check)> = runners
        .iter()
        .enumerate()
        .filter_map(|(at, runner)| Some((at, runner.as_ref()?)))
        .flat_map(|(at, runner)| runner.checks().iter().map(move |check| (at, runner, check)))
        .filter(|(at, _, check)| ready.get(*at).is_some_and(|file| wanted(filter, &file.name, &check.name)))
        .collect();
    let results = parallel(&jobs, |(_, runner, check)| runner.check(check));
    let mut shown: HashSet<(String, Span)> = HashSet::new();
    let mut files: Vec<FileReport<'_>> =
        ready.iter().map(|file| file_report(file, filter, &mut shown)).collect();
    for ((at, _, _), result) in jobs.iter().zip(results) {
        if let Some(file) = files.get_mut(*at) {
            file.checks.push(result);
        }
    }
    Report { files, unusable, filtered: filter.is_some() }
}

/// The examples of a file's policy, each run where it is met first.
fn file_report<'a>(
    file: &'a Loaded,
    filter: Option<&str>,
    shown: &mut HashSet<(String, Span)>,
) -> FileReport<'a> {
    let mut examples = 0;
    let mut findings: Vec<Diagnostic> = Vec::new();
    for outcome in examples::outcomes(&file.program) {
        let name = file.sources.get(outcome.file).map_or("", |source: &Source| &source.name);
        let new = shown.insert((name.to_owned(), outcome.span));
        if new && wanted(filter, name, &format!("example of {}", outcome.rule)) {
            examples += 1;
            findings.extend(outcome.finding);
        }
    }
    FileReport { file, checks: Vec::<CheckReport>::new(), examples, findings }
}

/// Does the work on every item; the results are in the order of the items.
fn parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    let result = work(item);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
