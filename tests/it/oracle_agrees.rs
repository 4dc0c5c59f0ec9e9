//! The engine and the oracle say the same about random policies, calls and worlds.
//!
//! `TOLLGATE_CASES` sets how many triples are compared; `TOLLGATE_SEED` the first seed. A failing
//! case is printed with every item that it does not need left out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use serde_json::Value;
use tollgate::compile::Program;
use tollgate::decide::decide;
use tollgate::effects::World;
use tollgate::model::{Call, Level};

use crate::generator::{self, Case, LayerText, load};
use crate::oracle::{self, Outcome};

/// Triples of the ordinary run.
const TRIPLES: usize = 20_000;
/// Calls for each policy.
const CALLS: usize = 12;
const SEED: u64 = 20_261_201;

/// How many cases a test runs: `ordinary`, scaled by `TOLLGATE_CASES` (which is for the largest test).
pub fn cases(ordinary: usize) -> usize {
    match std::env::var("TOLLGATE_CASES").ok().and_then(|text| text.parse::<usize>().ok()) {
        Some(cases) => (cases * ordinary).div_ceil(TRIPLES),
        None => ordinary,
    }
}

/// The first seed.
pub fn seed() -> u64 {
    std::env::var("TOLLGATE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(SEED)
}

/// What the engine says, in the oracle's words.
fn engine(program: &Program, call: &Call, world: &dyn World) -> Outcome {
    let decision = decide(program, call.clone(), world);
    let verdict = decision.verdict();
    let effects = verdict.effects.iter().map(|effect| oracle::EffectOutcome {
        level: effect.level,
        rules: effect.rules.iter().cloned().collect(),
    });
    Outcome {
        level: verdict.level,
        rules: verdict.rules.iter().cloned().collect(),
        effects: effects.collect(),
        modified: verdict.modified.as_ref().map(|modified| modified.args.clone()),
        unknown: false,
    }
}

/// Where the two differ, ignoring what only the oracle tells.
fn differ(
    program: &Program,
    layers: &[LayerText],
    call: &Call,
    world: &dyn World,
) -> Option<(Outcome, Outcome)> {
    let ours = engine(program, call, world);
    let theirs = Outcome { unknown: false, ..oracle::judge(&load::policy(layers), call, world) };
    (ours != theirs).then_some((ours, theirs))
}

/// What the generator reached.
#[derive(Default)]
struct Shares {
    policies: usize,
    refused: usize,
    codes: BTreeMap<String, usize>,
    calls: usize,
    levels: BTreeMap<&'static str, usize>,
    unknown: usize,
    modified: usize,
    pseudo: BTreeMap<String, usize>,
    counted: BTreeSet<String>,
}

impl Shares {
    fn add(&mut self, other: Self) {
        self.policies += other.policies;
        self.refused += other.refused;
        self.calls += other.calls;
        self.unknown += other.unknown;
        self.modified += other.modified;
        for (to, from) in [(&mut self.codes, other.codes), (&mut self.pseudo, other.pseudo)] {
            from.into_iter().for_each(|(key, n)| *to.entry(key).or_default() += n);
        }
        other.levels.into_iter().for_each(|(key, n)| *self.levels.entry(key).or_default() += n);
        self.counted.extend(other.counted);
    }

    fn count(&mut self, outcome: &Outcome) {
        self.calls += 1;
        *self.levels.entry(outcome.level.as_str()).or_default() += 1;
        self.unknown += usize::from(outcome.unknown);
        self.modified += usize::from(outcome.modified.is_some());
        for rule in outcome.rules.iter().filter(|rule| !rule.contains('/') || *rule == "gate/self") {
            *self.pseudo.entry(rule.clone()).or_default() += 1;
        }
    }

    fn percent(&self, level: Level) -> usize {
        100 * self.levels.get(level.as_str()).copied().unwrap_or(0) / self.calls.max(1)
    }
}

/// Runs the cases of many seeds on two threads; `each` gets a case and its program.
fn run(policies: usize, first: u64, each: impl Fn(u64, &Case, &Program, &mut Shares) + Sync) -> Shares {
    let total = Mutex::new(Shares::default());
    std::thread::scope(|scope| {
        for half in 0..2u64 {
            let (each, total) = (&each, &total);
            scope.spawn(move || {
                let mut shares = Shares::default();
                for at in (half..policies as u64).step_by(2) {
                    let seed = first.wrapping_add(at);
                    let case = generator::case(seed, CALLS);
                    shares.policies += 1;
                    match load::program(&case.layers) {
                        Ok(program) => each(seed, &case, &program, &mut shares),
                        Err(errors) => {
                            shares.refused += 1;
                            let code = errors.lines().next().unwrap_or("").to_owned();
                            *shares.codes.entry(code).or_default() += 1;
                        }
                    }
                }
                total.lock().unwrap().add(shares);
            });
        }
    });
    total.into_inner().unwrap()
}

/// Leaves out items, arguments and things of the world as long as the two still differ.
fn shrink(case: &Case, call: &Call, world: &Value) -> String {
    let fails = |layers: &[LayerText], call: &Call, world: &Value| {
        let program = load::program(layers).ok()?;
        differ(&program, layers, call, &generator::world(world))
    };
    let (mut layers, mut call, mut world) = (case.layers.clone(), call.clone(), world.clone());
    loop {
        let before = (layers.clone(), call.clone(), world.clone());
        for at in (0..layers.len()).rev() {
            let mut fewer = layers.clone();
            fewer.remove(at);
            if !fewer.is_empty() && fails(&fewer, &call, &world).is_some() {
                layers = fewer;
                continue;
            }
            for item in (0..layers[at].items.len()).rev() {
                let mut fewer = layers.clone();
                fewer[at].items.remove(item);
                if fails(&fewer, &call, &world).is_some() {
                    layers = fewer;
                }
            }
        }
        for key in call.args.keys().cloned().collect::<Vec<_>>() {
            let mut fewer = call.clone();
            fewer.args.shift_remove(&key);
            if fails(&layers, &fewer, &world).is_some() {
                call = fewer;
            }
        }
        for group in ["files", "links", "hosts", "hardlinks", "kinds"] {
            let keys: Vec<String> =
                world[group].as_object().map_or(Vec::new(), |map| map.keys().cloned().collect());
            for key in keys {
                let mut fewer = world.clone();
                fewer[group].as_object_mut().unwrap().shift_remove(&key);
                if tollgate::effects::VirtualWorld::from_json(fewer.clone()).is_ok()
                    && fails(&layers, &call, &fewer).is_some()
                {
                    world = fewer;
                }
            }
        }
        if (layers.clone(), call.clone(), world.clone()) == before {
            break;
        }
    }
    let policy: String = layers.iter().map(|layer| format!("--- {}\n{}", layer.name, layer.text())).collect();
    let effects = generator::load::effects(&layers, &call, &generator::world(&world));
    match fails(&layers, &call, &world) {
        Some((ours, theirs)) => format!(
            "{policy}--- call {} {}\n{:?}\n--- world\n{world}\n--- effects\n{effects}\n--- engine\n{}\n--- oracle\n{}",
            call.tool,
            Value::Object(call.args.clone()),
            call.context,
            shown(&ours),
            shown(&theirs)
        ),
        None => "the smaller case does not differ".to_owned(),
    }
}

fn shown(outcome: &Outcome) -> String {
    let mut out = format!("{} {:?}", outcome.level.as_str(), outcome.rules);
    for effect in &outcome.effects {
        out.push_str(&format!("\n  {} {:?}", effect.level.as_str(), effect.rules));
    }
    if let Some(args) = &outcome.modified {
        out.push_str(&format!("\n  modified {}", Value::Object(args.clone())));
    }
    out
}

#[test]
fn engine_and_oracle_agree() {
    let first = seed();
    let policies = cases(TRIPLES) / CALLS * 11 / 10;
    let wrong: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let shares = run(policies, first, |seed, case, program, shares| {
        let policy = load::policy(&case.layers);
        let worlds: Vec<_> = case.worlds.iter().map(generator::world).collect();
        for (at, call) in &case.calls {
            let theirs = oracle::judge(&policy, call, &worlds[*at]);
            shares.count(&theirs);
            let ours = engine(program, call, &worlds[*at]);
            if ours == (Outcome { unknown: false, ..theirs }) || wrong.lock().unwrap().len() >= 5 {
                continue;
            }
            let report = shrink(case, call, &case.worlds[*at]);
            wrong.lock().unwrap().push(format!("===== seed {seed}\n{report}\n"));
        }
    });
    println!(
        "seed {first}: {} policies ({} refused), {} calls: {:?}, unknown {}, modified {}, {:?}\n{:#?}",
        shares.policies,
        shares.refused,
        shares.calls,
        shares.levels,
        shares.unknown,
        shares.modified,
        shares.pseudo,
        shares.codes
    );
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "engine and oracle differ:\n{}", wrong.join("\n"));
    assert!(shares.calls >= cases(TRIPLES) * 9 / 10, "too few calls: {}", shares.calls);
    assert!(shares.refused * 5 <= shares.policies, "{} of {} refused", shares.refused, shares.policies);
    for (level, least) in [(Level::Allow, 8), (Level::Warn, 4), (Level::Ask, 12), (Level::Block, 25)] {
        assert!(shares.percent(level) >= least, "{} only {} %", level.as_str(), shares.percent(level));
    }
    assert!(shares.unknown * 100 >= shares.calls * 10, "unknown only {}", shares.unknown);
    assert!(shares.modified * 100 >= shares.calls * 4, "modified only {}", shares.modified);
}
