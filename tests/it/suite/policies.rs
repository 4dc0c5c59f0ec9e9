//! The tests of the policies that ship notice it when a rule goes away or says something else.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tollgate::base::{FileId, Source};
use tollgate::lint::examples;
use tollgate::suite::Runner;
use tollgate::syntax::ast::{ItemKind, VerbWord};
use tollgate::syntax::parse;

use super::memory::{TestFile, Texts, root};

/// The folders of policies that ship. Tests of `NAME.toll` are `tests/NAME.test.yaml` and
/// `tests/NAME-….test.yaml`.
const FOLDERS: [&str; 2] = ["policies/std", "policies/starters"];

const VERDICTS: [(VerbWord, &str); 4] = [
    (VerbWord::Allow, "allow"),
    (VerbWord::Warn, "warn"),
    (VerbWord::Ask, "ask"),
    (VerbWord::Block, "block"),
];

/// Policies that still have no test file. A name that has one is an error here.
const UNTESTED: &[&str] = &[];

/// A policy with its tests.
struct Policy {
    /// Relative to the repository.
    path: String,
    text: String,
    tests: Vec<TestFile>,
}

/// One change of one rule.
struct Mutant<'a> {
    policy: &'a Policy,
    rule: String,
    line: u32,
    /// What is changed, for people.
    what: String,
    /// What would notice it.
    mend: String,
    text: String,
}

/// Who noticed a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Noticed {
    Compiler,
    Check,
    Example,
    Nobody,
}

fn policies() -> Vec<Policy> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        let names = |folder: &str| -> Vec<String> {
            let entries = fs::read_dir(root().join(folder)).into_iter().flatten();
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        let tests = names(&format!("{folder}/tests"));
        for name in names(folder).iter().filter_map(|name| name.strip_suffix(".toll")) {
            let path = format!("{folder}/{name}.toll");
            let own = tests.iter().filter(|test| {
                let rest = test.strip_prefix(name).and_then(|rest| rest.strip_suffix(".test.yaml"));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            });
            let tests = own.map(|test| TestFile::read(&format!("{folder}/tests/{test}"))).collect();
            found.push(Policy { text: fs::read_to_string(root().join(&path)).unwrap(), path, tests });
        }
    }
    found
}

/// Every rule deleted, every verdict rule with every other verb.
fn mutants(policy: &Policy) -> Vec<Mutant<'_>> {
    let (file, diagnostics) = parse(FileId(0), &policy.text);
    assert!(diagnostics.is_empty(), "{}: {diagnostics:?}", policy.path);
    let source = Source::new(&*policy.path, &*policy.text);
    let mut found = Vec::new();
    for item in &file.items {
        let ItemKind::Rule(rule) = &item.kind else { continue };
        let before = item.docs.iter().map(|docs| docs.span).chain(item.attributes.iter().map(|a| a.span));
        let start = before.map(|span| span.start).min().unwrap_or(item.span.start);
        let mut mutant = |range: Range<usize>, with: &str, what: String, mend: &str| {
            let mut text = policy.text.clone();
            text.replace_range(range, with);
            let (rule, line) = (rule.name.node.clone(), source.place(item.span.start).line);
            found.push(Mutant { policy, rule, line, what, mend: mend.to_owned(), text });
        };
        let mend = "a check whose verdict, rules, arguments or obligations it gives";
        mutant(start as usize..item.span.end as usize, "", "deleted".to_owned(), mend);
        if VERDICTS.iter().any(|(verb, _)| *verb == rule.verb.node) {
            for (_, other) in VERDICTS.into_iter().filter(|(verb, _)| *verb != rule.verb.node) {
                let mend = "a check in which it is one of the rules that give the verdict";
                mutant(rule.verb.span.range(), other, format!("made `{other}`"), mend);
            }
        }
    }
    found
}

fn noticed(mutant: &Mutant<'_>) -> Noticed {
    let texts = Texts(BTreeMap::from([(mutant.policy.path.clone(), mutant.text.clone())]));
    let mut best = Noticed::Nobody;
    for test in &mutant.policy.tests {
        let Some(program) = test.compile(&texts).program else { return Noticed::Compiler };
        let runner = Runner::new(&test.suite, &program, &test.host).unwrap();
        // What speaks of the rule comes first: it is the likeliest to notice.
        let says = |name: &str| test.stored.get(name).is_some_and(|text| text.contains(&mutant.rule));
        let mut checks: Vec<_> = runner.checks().iter().collect();
        checks.sort_by_key(|check| !says(&check.name));
        let fails = checks.into_iter().any(|check| {
            let report = runner.check(check);
            !report.holds() || test.stored.get(&check.name) != Some(&report.entry.text)
        });
        if fails {
            best = best.min(Noticed::Check);
        } else if examples::outcomes(&program).iter().any(|example| example.finding.is_some()) {
            best = best.min(Noticed::Example);
        }
        if best == Noticed::Check {
            break;
        }
    }
    best
}

/// Does the work on every item, on as many threads as there are processors.
fn parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    let result = work(item);
                    results.lock().unwrap().push((at, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// What is wrong with the tests of a policy as it stands; where anything is, every change would be noticed.
fn wrong(policy: &Policy) -> Vec<String> {
    let mut wrong = Vec::new();
    for test in &policy.tests {
        let Some(program) = test.compile(&Texts::default()).program else {
            wrong.push(format!("{}: the policy does not load", test.name));
            continue;
        };
        let runner = Runner::new(&test.suite, &program, &test.host).unwrap();
        let reports = runner.checks().iter().map(|check| runner.check(check));
        let fails = reports
            .filter(|report| !report.holds() || test.stored.get(&report.name) != Some(&report.entry.text));
        wrong.extend(fails.map(|report| format!("{}: {}", test.name, report.name)));
        let examples = examples::outcomes(&program).into_iter().filter(|example| example.finding.is_some());
        wrong.extend(examples.map(|example| format!("{}: {}", test.name, example.name)));
    }
    wrong
}

/// A change of one rule of a policy that ships makes some case, cell, snapshot or example of its tests
/// fail, or does not load.
#[test]
fn every_rule_that_goes_or_changes_is_noticed() {
    let policies = policies();
    let (tested, untested): (Vec<_>, Vec<_>) = policies.iter().partition(|policy| !policy.tests.is_empty());
    let untested: Vec<&str> = untested.iter().map(|policy| policy.path.as_str()).collect();
    assert_eq!(untested, UNTESTED, "left: policies without a test file");
    let wrong: Vec<String> = parallel(&tested, |policy| wrong(policy)).into_iter().flatten().collect();
    assert!(wrong.is_empty(), "these fail before anything is changed:\n{}", wrong.join("\n"));
    let mutants: Vec<Mutant<'_>> = tested.into_iter().flat_map(mutants).collect();
    let results = parallel(&mutants, noticed);
    let mut counts: BTreeMap<(&str, Noticed), usize> = BTreeMap::new();
    let mut survivors = Vec::new();
    for (mutant, by) in mutants.iter().zip(&results) {
        let path = mutant.policy.path.as_str();
        *counts.entry((path, *by)).or_default() += 1;
        if *by == Noticed::Nobody {
            let Mutant { line, rule, what, mend, .. } = mutant;
            survivors.push(format!("{path}:{line}: `{rule}` can be {what} and no test notices; add {mend}"));
        }
    }
    eprintln!("{counts:?}");
    assert!(
        survivors.is_empty(),
        "{} of {} changes:\n{}",
        survivors.len(),
        results.len(),
        survivors.join("\n")
    );
    let killed =
        |by| counts.iter().filter(|((_, noticed), _)| *noticed == by).map(|(_, count)| count).sum::<usize>();
    assert!(killed(Noticed::Check) > killed(Noticed::Compiler), "most changes are noticed by what is tested");
}

/// The judge of changes is not blind itself: without its tests nothing of a policy is noticed.
#[test]
fn a_change_that_nothing_tests_is_not_noticed() {
    let mut policy = policies().into_iter().find(|policy| policy.path.ends_with("/network.toll")).unwrap();
    let name = policy.tests[0].name.clone();
    let noticed_by = |policy: &Policy| -> Vec<Noticed> { mutants(policy).iter().map(noticed).collect() };
    assert!(!noticed_by(&policy).contains(&Noticed::Nobody));
    for test in &mut policy.tests {
        test.suite.checks.clear();
    }
    // Deleted, or with a verb that takes the same clauses, the rules still load, and examples alone say
    // only that a rule counts.
    assert!(noticed_by(&policy).contains(&Noticed::Nobody), "{name}");
}
