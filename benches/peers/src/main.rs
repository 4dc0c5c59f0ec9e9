//! Tollgate beside cedar-policy, regorus and a naive scan, on one workload and in one run. Prints the
//! tables of docs/performance.md.

mod measure;
mod process;

use std::path::{Path, PathBuf};

use measure::{Times, cold, hot, load_time};
use tollgate_peers::engines::{ALL, Engine, Tollgate, tollgate_json};
use tollgate_peers::workload::{Workload, corpus, generate, own};

/// Decisions whose verdict is compared before anything is measured, for engines too slow for all.
const CHECKED: usize = 200;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let wants = |what: &str| wanted.is_empty() || wanted.iter().any(|one| one == what);
    if wants("corpus") {
        for rules in [100, 1_000] {
            match corpus::read(&folder(), rules) {
                Ok(workload) => beside(&format!("the corpus, {rules} rules"), &workload),
                Err(error) => println!("SKIPPED: the corpus perf is not there: {error}"),
            }
        }
    }
    if wants("growth") {
        growth();
    }
    if wants("own") {
        own_workload();
    }
    if wants("load") {
        load();
    }
    if wants("process") {
        process::measure();
    }
}

fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    std::env::var_os("TOLLGATE_CORPORA").map_or_else(beside, PathBuf::from).join("perf")
}

/// Every engine that can load the workload, with its lines.
fn engines(workload: &Workload) -> Vec<(Box<dyn Engine>, Vec<String>)> {
    let mut loaded = Vec::new();
    for (name, load) in ALL {
        let Some(mut engine) = load(workload) else {
            println!("{name} cannot load {} rules", workload.rules.len());
            continue;
        };
        let lines: Vec<String> = (0..workload.requests.len()).map(|at| engine.line(workload, at)).collect();
        let slow = workload.rules.len() > 1_000 && !matches!(name, "tollgate" | "scan");
        let checked = if slow { CHECKED } else { lines.len() };
        for (at, line) in lines.iter().enumerate().take(checked) {
            assert_eq!(engine.decide(line), workload.expected[at], "{name} on {:?}", workload.requests[at]);
        }
        println!("{name}: {checked} verdicts and their determining rules are those of the workload");
        loaded.push((engine, lines));
    }
    loaded
}

fn table(title: &str, rows: &[(String, Times)]) {
    println!("\n{title}\n\n| engine | median, µs | p99, µs | × tollgate | decisions |\n| --- | --- | --- | --- | --- |");
    let ours = rows.first().map_or(1.0, |(_, times)| times.median());
    for (name, times) in rows {
        let (median, p99) = (times.median(), times.p99());
        println!("| {name} | {median:.2} | {p99:.2} | {:.1} | {} |", median / ours, times.count());
    }
}

/// All engines, in turn.
fn beside(title: &str, workload: &Workload) {
    println!("\n## {title}\n");
    let mut engines = engines(workload);
    let names: Vec<String> = engines.iter().map(|(engine, _)| engine.name().to_owned()).collect();
    let rows = |times: Vec<Times>| names.iter().cloned().zip(times).collect::<Vec<_>>();
    let mut hot_rows = rows(hot(&mut engines));
    let mut cold_rows = rows(cold(&mut engines));
    let ours = Tollgate::load(workload);
    println!("rules without a key: {} of {}", ours.keyless(), workload.rules.len());
    let mut printing: Vec<(Box<dyn Engine>, Vec<String>)> =
        vec![(Box::new(Printing(ours)), engines[0].1.clone())];
    hot_rows.extend(hot(&mut printing).into_iter().map(|times| ("tollgate, verdict printed as JSON".into(), times)));
    cold_rows.extend(cold(&mut printing).into_iter().map(|times| ("tollgate, verdict printed as JSON".into(), times)));
    table(&format!("{title}, hot"), &hot_rows);
    table(&format!("{title}, cold"), &cold_rows);
}

/// Tollgate with its verdict as text at the end.
struct Printing(Tollgate);

impl Engine for Printing {
    fn name(&self) -> &'static str {
        "tollgate, verdict printed as JSON"
    }

    fn line(&self, workload: &Workload, at: usize) -> String {
        self.0.line(workload, at)
    }

    fn decide(&mut self, line: &str) -> tollgate_peers::workload::Expected {
        self.0.decide(line)
    }

    fn run(&mut self, line: &str) {
        std::hint::black_box(tollgate_json(&self.0.decision(line)));
    }
}

/// Growth from 10 to 10,000 rules.
fn growth() {
    println!("\n## growth\n");
    let mut rows: Vec<(String, Vec<Option<(f64, f64)>>)> =
        ALL.iter().map(|(name, _)| ((*name).to_owned(), Vec::new())).collect();
    for rules in [10, 100, 1_000, 10_000] {
        let workload = generate::workload(rules, 7);
        let mut engines = engines(&workload);
        let (hot, cold) = (hot(&mut engines), cold(&mut engines));
        for (name, cells) in &mut rows {
            let at = engines.iter().position(|(engine, _)| engine.name() == *name);
            cells.push(at.map(|at| (hot[at].median(), cold[at].median())));
        }
    }
    let tables: [(&str, fn((f64, f64)) -> f64); 2] = [("hot", |cell| cell.0), ("cold", |cell| cell.1)];
    for (what, pick) in tables {
        println!("\n{what}, median µs\n\n| engine | 10 | 100 | 1,000 | 10,000 | 10,000 / 10 |\n| --- | --- | --- | --- | --- | --- |");
        for (name, cells) in &rows {
            let shown = |cell: &Option<(f64, f64)>| cell.map_or("cannot load".to_owned(), |c| format!("{:.2}", pick(c)));
            let all: Vec<String> = cells.iter().map(shown).collect();
            let growth = match (cells[0], cells[3]) {
                (Some(few), Some(many)) => format!("{:.2}", pick(many) / pick(few)),
                _ => String::new(),
            };
            println!("| {name} | {} | {growth} |", all.join(" | "));
        }
    }
}

/// Real command lines, paths and URLs: only Tollgate reads those.
fn own_workload() {
    println!("\n## real commands, paths and addresses\n");
    println!("| rules | hot median, µs | p99 | cold median, µs | rules without a key |\n| --- | --- | --- | --- | --- |");
    for rules in [10, 100, 1_000, 10_000] {
        let own::Own { policy, calls, world } = own::own(rules);
        let world = serde_json::from_str(&world).expect("a description");
        let world = tollgate::effects::VirtualWorld::from_json(world).expect("a world");
        let engine = Tollgate::of(policy, world);
        let keyless = engine.keyless();
        let mut engines: Vec<(Box<dyn Engine>, Vec<String>)> = vec![(Box::new(engine), calls)];
        let (hot, cold) = (hot(&mut engines), cold(&mut engines));
        println!(
            "| {rules} | {:.2} | {:.2} | {:.2} | {keyless} |",
            hot[0].median(),
            hot[0].p99(),
            cold[0].median()
        );
    }
}

/// From text to an engine that can decide.
fn load() {
    println!("\n## load, ms\n\n| engine | 100 | 1,000 | 10,000 |\n| --- | --- | --- | --- |");
    let workloads = [100, 1_000, 10_000].map(|rules| generate::workload(rules, 7));
    for (name, load) in ALL {
        let times: Vec<String> = workloads
            .iter()
            .map(|workload| load_time(load, workload).map_or("cannot".to_owned(), |ms| format!("{ms:.1}")))
            .collect();
        println!("| {name} | {} |", times.join(" | "));
    }
}
