//! Live heap for each rule, under an allocator that counts: what is still there after a policy of
//! 10,000 rules is loaded, less that of one of 10, by the rules between them; and the same after every
//! request of the workload has been decided.

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use tollgate_peers::engines::{ALL, Load};
use tollgate_peers::workload::{Workload, generate};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn live() -> i64 {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated as i64 - stats.bytes_deallocated as i64
}

/// Bytes after loading, and after use.
fn measured(load: Load, workload: &Workload, lines: &[String]) -> Option<(i64, i64)> {
    let before = live();
    let mut engine = load(workload)?;
    let loaded = live() - before;
    for line in lines {
        engine.run(line);
    }
    Some((loaded, live() - before))
}

fn main() {
    let workloads = [10, 1_000, 10_000].map(|rules| generate::workload(rules, 7));
    println!("| engine | between | bytes a rule, loaded | in use |\n| --- | --- | --- | --- |");
    for (name, load) in ALL {
        let results: Vec<_> = workloads
            .iter()
            .map(|workload| {
                let engine = load(workload)?;
                let lines: Vec<String> =
                    (0..workload.requests.len().min(2_000)).map(|at| engine.line(workload, at)).collect();
                drop(engine);
                // A slow engine is asked less.
                let lines = if workload.rules.len() > 1_000 && name != "tollgate" { &lines[..100] } else { &lines };
                measured(load, workload, lines)
            })
            .collect();
        for (at, large) in [(2, 10_000), (1, 1_000)] {
            let (Some((small, small_used)), Some((loaded, used))) = (results[0], results[at]) else {
                println!("| {name} | 10 and {large} | cannot load | |");
                continue;
            };
            let per = |from: i64, to: i64| (to - from) / (large - 10);
            println!("| {name} | 10 and {large} | {} | {} |", per(small, loaded), per(small_used, used));
        }
    }
}
