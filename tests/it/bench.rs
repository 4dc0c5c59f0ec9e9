//! The workloads of the bench: verdicts and determining rules are those that belong to them, and what a
//! decision reads does not grow with the policy.

use std::path::PathBuf;

use tollgate::compile::{Compiled, LayerInput, NoFiles, Program, compile};
use tollgate::decide::{decide, explain, rules_read};
use tollgate::effects::VirtualWorld;
use tollgate::model::value::parse_call;

#[path = "../../benches/workload/mod.rs"]
mod workload;

use workload::{Workload, corpus, generate, own, toll};

/// One of so many calls is judged without the index too.
const SAMPLE: usize = 20;

/// The program of one text.
fn program(text: String) -> Program {
    let layer = LayerInput { name: "policy".to_owned(), files: vec![("policy.toll".to_owned(), text)] };
    let Compiled { program, sources, diagnostics } = compile(&[layer], &NoFiles, Vec::new());
    program.unwrap_or_else(|| {
        let first = &diagnostics[0];
        let text = &sources.get(first.file).unwrap().text;
        panic!("{}: {}", first.message, first.span.slice(text))
    })
}

/// Verdicts and determining rules of every request.
fn agree(workload: &Workload) {
    let program = program(toll::policy(&workload.rules));
    let world = VirtualWorld::plain();
    for (at, (request, expected)) in workload.requests.iter().zip(&workload.expected).enumerate() {
        let call = parse_call(&toll::call(request)).unwrap();
        let decision = decide(&program, call.clone(), &world);
        let verdict = decision.verdict();
        let rules = verdict.rules.iter().map(String::as_str);
        assert_eq!(toll::expected(verdict.level.as_str(), rules), *expected, "{request:?}");
        // Without the index, which takes its time.
        if at % SAMPLE == 0 {
            assert_eq!(explain(&program, call, &world).verdict, *verdict, "{request:?}");
        }
    }
}

/// The folder of the published workload; `None`, loudly, where it is not there.
fn folder() -> Option<PathBuf> {
    let root = std::env::var_os("TOLLGATE_CORPORA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora"), PathBuf::from);
    let folder = root.join("perf");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var("TOLLGATE_CORPORA_REQUIRED").as_deref() != Ok("1"),
        "the corpus perf is not there; TOLLGATE_CORPORA names its folder"
    );
    eprintln!("SKIPPED: the corpus perf is not there; TOLLGATE_CORPORA names its folder");
    None
}

#[test]
fn verdicts_and_rules_are_those_of_the_corpus() {
    let Some(folder) = folder() else { return };
    for rules in [100, 1_000] {
        let workload = corpus::read(&folder, rules).unwrap();
        assert_eq!((workload.rules.len(), workload.requests.len()), (rules, 2_000));
        assert_eq!(workload.expected.len(), 2_000);
        let scan = workload::scan::Scan::new(&workload.rules);
        for (request, expected) in workload.requests.iter().zip(&workload.expected) {
            assert_eq!(scan.decide(request), *expected, "{request:?}");
        }
        agree(&workload);
    }
}

#[test]
fn the_generator_makes_the_same_shape() {
    for rules in [10, 300] {
        let workload = generate::workload(rules, 7);
        agree(&workload);
        let share = |verdict: &str| workload.expected.iter().filter(|e| e.verdict == verdict).count();
        assert!(share("allow") > 200 && share("forbid") > 200, "{} {}", share("allow"), share("forbid"));
    }
}

/// Rules read for a call, on average over a workload.
fn read_on_average(program: &Program, calls: &[String], world: &VirtualWorld) -> f64 {
    let read = calls.iter().map(|line| rules_read(program, &parse_call(line).unwrap(), world)).sum::<usize>();
    read as f64 / calls.len() as f64
}

#[test]
fn what_a_decision_reads_does_not_grow_with_the_policy() {
    let of = |rules: usize| {
        let workload = generate::workload(rules, 7);
        let program = program(toll::policy(&workload.rules));
        assert_eq!(program.layers()[0].index().keyless(), 0, "every rule of the shape has a key");
        let calls: Vec<String> = workload.requests.iter().map(toll::call).collect();
        read_on_average(&program, &calls, &VirtualWorld::plain())
    };
    let (few, many) = (of(10), of(2_000));
    println!("rules read for a call: {few:.2} of 10, {many:.2} of 2,000");
    assert!(many < 3.0, "{many} of 2,000 rules are read for a call");
}

#[test]
fn real_commands_paths_and_addresses_read_few_rules() {
    let own::Own { policy, calls, world } = own::own(1_000);
    let program = program(policy);
    let world = VirtualWorld::from_json(serde_json::from_str(&world).unwrap()).unwrap();
    let mut levels = std::collections::BTreeMap::<&str, usize>::new();
    for (at, line) in calls.iter().enumerate() {
        let call = parse_call(line).unwrap();
        let decision = decide(&program, call.clone(), &world);
        let verdict = decision.verdict();
        *levels.entry(verdict.level.as_str()).or_default() += 1;
        if at % SAMPLE == 0 {
            assert_eq!(explain(&program, call, &world).verdict, *verdict, "{line}");
        }
    }
    let share = |level: &str| levels.get(level).copied().unwrap_or(0);
    assert!(share("allow") > 100 && share("block") > 100 && share("ask") > 5, "{levels:?}");
    let read = read_on_average(&program, &calls, &world);
    println!("{levels:?}, rules read for a call: {read:.2} of 1,000");
    assert!(read < 300.0, "{read} of 1,000 rules are read for a call");
}
