//! Measuring decisions, engine after engine in turn, so that what the machine does meanwhile hits all.

use std::hint::black_box;
use std::time::{Duration, Instant};

use tollgate_peers::engines::{Engine, Load};
use tollgate_peers::workload::Workload;

/// Turns that every engine gets.
const TURNS: usize = 20;
/// Decisions of one turn at most, and the time that they may take.
const TURN_DECISIONS: usize = 200;
const TURN_TIME: Duration = Duration::from_millis(250);
/// Decisions measured cold for each engine.
const COLD_DECISIONS: usize = 200;
/// More than the caches of the machines that this runs on hold.
const EVICTED_BYTES: usize = 64 << 20;

/// Times of decisions, in nanoseconds.
pub struct Times(Vec<u64>);

impl Times {
    fn of(mut times: Vec<u64>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn median(&self) -> f64 {
        self.at(50)
    }

    pub fn p99(&self) -> f64 {
        self.at(99)
    }

    fn at(&self, percent: usize) -> f64 {
        self.0[(self.0.len() - 1) * percent / 100] as f64 / 1_000.0
    }
}

type Engines = [(Box<dyn Engine>, Vec<String>)];

/// In a loop: each turn runs its lines once unmeasured, then once measured.
pub fn hot(engines: &mut Engines) -> Vec<Times> {
    let sizes: Vec<usize> = engines.iter_mut().map(|(engine, lines)| turn_size(&mut **engine, lines)).collect();
    let mut times: Vec<Vec<u64>> = engines.iter().map(|_| Vec::new()).collect();
    for turn in 0..TURNS {
        for (at, (engine, lines)) in engines.iter_mut().enumerate() {
            let size = sizes[at];
            let chosen: Vec<&String> = (0..size).map(|n| &lines[(turn * size + n) * 7 % lines.len()]).collect();
            for line in &chosen {
                engine.run(line);
            }
            for line in &chosen {
                times[at].push(timed(&mut **engine, line));
            }
        }
    }
    times.into_iter().map(Times::of).collect()
}

/// After the caches have been filled with something else.
pub fn cold(engines: &mut Engines) -> Vec<Times> {
    let mut other = vec![1u8; EVICTED_BYTES];
    let mut times: Vec<Vec<u64>> = engines.iter().map(|_| Vec::new()).collect();
    for turn in 0..COLD_DECISIONS {
        for (at, (engine, lines)) in engines.iter_mut().enumerate() {
            other.iter_mut().step_by(64).for_each(|byte| *byte = byte.wrapping_add(1));
            black_box(&mut other);
            times[at].push(timed(&mut **engine, &lines[turn * 7 % lines.len()]));
        }
    }
    times.into_iter().map(Times::of).collect()
}

fn timed(engine: &mut dyn Engine, line: &str) -> u64 {
    let start = Instant::now();
    engine.run(black_box(line));
    let time = start.elapsed();
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn turn_size(engine: &mut dyn Engine, lines: &[String]) -> usize {
    let start = Instant::now();
    lines.iter().take(5).for_each(|line| engine.run(line));
    let each = (start.elapsed() / 5).max(Duration::from_nanos(1));
    usize::try_from(TURN_TIME.as_nanos() / each.as_nanos()).unwrap_or(usize::MAX).clamp(5, TURN_DECISIONS)
}

/// The median of a few loads, in milliseconds.
pub fn load_time(load: Load, workload: &Workload) -> Option<f64> {
    let mut times = Vec::new();
    for _ in 0..if workload.rules.len() > 1_000 { 3 } else { 7 } {
        let start = Instant::now();
        let engine = load(workload)?;
        times.push(start.elapsed().as_secs_f64() * 1_000.0);
        drop(black_box(engine));
    }
    times.sort_by(f64::total_cmp);
    Some(times[times.len() / 2])
}
