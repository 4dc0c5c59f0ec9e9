//! Laws that hold for every policy: what may never weaken a verdict, and what may never matter.
//!
//! `TOLLGATE_CASES` and `TOLLGATE_SEED` as in `oracle_agrees`.

use proptest::prelude::any;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use regex::Regex;
use serde_json::Value;
use tollgate::compile::Program;
use tollgate::decide::decide;
use tollgate::model::verdict::Verdict;
use tollgate::model::{Call, Level};

use crate::generator::{self, Case, LayerText, Rng, load, policies};
use crate::oracle_agrees::{cases, seed};

mod modifying;
mod pruning;
mod spelling;
mod unknown;

/// Cases of each law in the ordinary run.
const CASES: usize = 2_000;
/// Calls for each policy.
const CALLS: usize = 10;

/// The seeds of a law's cases, drawn by proptest from one start, so that a failure names the seed that
/// repeats it.
pub fn seeds(stream: u64) -> impl FnMut() -> u64 {
    let mut start = [0; 32];
    start[..8].copy_from_slice(&seed().to_le_bytes());
    start[8..16].copy_from_slice(&stream.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &start);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    move || any::<u64>().new_tree(&mut runner).unwrap().current()
}

/// The verdict on a call in a world.
pub fn verdict(program: &Program, call: &Call, world: &Value) -> Verdict {
    decide(program, call.clone(), &generator::world(world)).verdict().clone()
}

/// Two policies side by side on the calls of many cases. `change` makes the second of the first, or
/// nothing where the law says nothing; `holds` compares the verdicts.
pub fn law(
    name: &str,
    change: impl Fn(&mut Rng, &Case) -> Option<Vec<LayerText>>,
    holds: impl Fn(&Verdict, &Verdict) -> bool,
) {
    let files = |layers: &[LayerText]| load::program(layers);
    law_of(name, |rng, case| change(rng, case).map(|layers| (files(&layers), shown(&layers))), holds);
}

/// As [`law`], where the second policy is compiled by `change` itself.
pub fn law_of(
    name: &str,
    change: impl Fn(&mut Rng, &Case) -> Option<(Result<Program, String>, String)>,
    holds: impl Fn(&Verdict, &Verdict) -> bool,
) {
    let (first, wanted) = (seed(), cases(CASES));
    let (mut judged, mut tried, mut refused) = (0, 0, 0);
    let mut next = seeds(1);
    while judged < wanted {
        let seed = next();
        tried += 1;
        assert!(tried < 60 * wanted as u64, "{name}: only {judged} cases in {tried} policies");
        let case = generator::case(seed, CALLS);
        let mut rng = Rng::new(seed ^ 0x5eed);
        let Ok(before) = load::program(&case.layers) else { continue };
        let Some((after, text)) = change(&mut rng, &case) else { continue };
        let Ok(after) = after else {
            refused += 1;
            continue;
        };
        for (at, call) in &case.calls {
            let (one, two) =
                (verdict(&before, call, &case.worlds[*at]), verdict(&after, call, &case.worlds[*at]));
            judged += 1;
            assert!(
                holds(&one, &two),
                "{name}, seed {seed}: {} {:?} became {} {:?}\n{}=== changed to\n{text}=== call {} {}\n{:?}\n=== world\n{}",
                one.level.as_str(),
                one.rules,
                two.level.as_str(),
                two.rules,
                shown(&case.layers),
                call.tool,
                Value::Object(call.args.clone()),
                call.context,
                case.worlds[*at]
            );
        }
    }
    println!("{name}: {judged} cases, {tried} policies, {refused} changes refused, first seed {first}");
    assert!(refused * 4 < tried, "{name}: {refused} of {tried} changes do not load");
}

/// The layers, for people.
pub fn shown(layers: &[LayerText]) -> String {
    layers.iter().map(|layer| format!("--- {}\n{}", layer.name, layer.text())).collect()
}

/// Everything that a verdict says about the call, its id and the policy left out.
fn same(one: &Verdict, two: &Verdict) -> bool {
    one.level == two.level
        && one.rules == two.rules
        && one.effects == two.effects
        && one.obligations == two.obligations
        && one.modified == two.modified
}

/// The positions of the rules of a verb, as layer and item.
fn rules(layers: &[LayerText], verb: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for (layer, text) in layers.iter().enumerate() {
        for (item, text) in text.items.iter().enumerate() {
            if text.starts_with(&format!("{verb} ")) && !text.contains("on result of") {
                out.push((layer, item));
            }
        }
    }
    out
}

/// A random rule of a verb, with clauses taken away that its new verb does not have.
fn with_verb(rng: &mut Rng, case: &Case, from: &str, to: &str) -> Option<Vec<LayerText>> {
    // A grant that has lapsed is none: without its last day it would be one.
    let mut all = rules(&case.layers, from);
    all.retain(|(layer, item)| !case.layers[*layer].items[*item].contains("  until "));
    if all.is_empty() {
        return None;
    }
    let (layer, item) = all[rng.below(all.len())];
    let mut layers = case.layers.clone();
    let mut text = layers[layer].items[item].replacen(from, to, 1);
    if matches!(to, "warn" | "block") {
        for clause in [r"  covers [a-z]+(, [a-z]+)*", r"  limit time 30s", r"  approve per session"] {
            text = Regex::new(clause).unwrap().replace_all(&text, "").into_owned();
        }
    }
    layers[layer].items[item] = text;
    Some(layers)
}

/// The policy with one more rule of a verb.
fn with_one_more(rng: &mut Rng, case: &Case, verb: &str) -> Vec<LayerText> {
    let mut layers = case.layers.clone();
    let at = rng.below(layers.len());
    let rule = policies::rule_of(rng, verb, "one-more", &case.known[at]);
    layers[at].items.push(rule.replace("  limit time 30s", ""));
    layers
}

#[test]
fn the_order_of_rules_never_matters() {
    let change = |rng: &mut Rng, case: &Case| {
        let mut layers = case.layers.clone();
        for layer in &mut layers {
            for at in (1..layer.items.len()).rev() {
                let other = rng.below(at + 1);
                layer.items.swap(at, other);
            }
        }
        Some(layers)
    };
    law("order", change, same);
}

#[test]
fn a_copy_of_a_rule_never_matters() {
    let change = |rng: &mut Rng, case: &Case| {
        let mut layers = case.layers.clone();
        for layer in &mut layers {
            let mut copies = Vec::new();
            for item in &layer.items {
                let mut words = item.splitn(3, ' ');
                let (Some(verb), Some(name), Some(rest)) = (words.next(), words.next(), words.next()) else {
                    continue;
                };
                if ["allow", "warn", "ask", "block", "modify"].contains(&verb) && rng.chance(40) {
                    copies.push(format!("{verb} {name}-copy {rest}"));
                }
            }
            layer.items.extend(copies);
        }
        Some(layers)
    };
    law("copy", change, |one, two| {
        let levels = |v: &Verdict| v.effects.iter().map(|e| e.level).collect::<Vec<_>>();
        one.level == two.level && levels(one) == levels(two)
    });
}

#[test]
fn the_split_into_files_never_matters() {
    let change = |rng: &mut Rng, case: &Case| {
        let import = rng.chance(50);
        let mut inputs = Vec::new();
        let mut imported = Vec::new();
        for layer in &case.layers {
            let (mut one, mut two) = ("tollgate 1\n".to_owned(), "tollgate 1\n".to_owned());
            if import {
                one.push_str("import \"./more.toll\"\n");
            }
            for item in &layer.items {
                let stays = item.starts_with("default ") || item.starts_with("unknown ") || rng.chance(50);
                let file = if stays { &mut one } else { &mut two };
                file.push_str(item);
                file.push('\n');
            }
            let mut files = vec![("one.toll".to_owned(), one)];
            if !import {
                files.push(("two.toll".to_owned(), two.clone()));
            }
            inputs.push(tollgate::compile::LayerInput { name: layer.name.clone(), files });
            imported.push(two);
        }
        let compiled = tollgate::compile::compile(&inputs, &Imported(imported), Vec::new());
        let errors = format!("{:?}", compiled.diagnostics);
        Some((compiled.program.ok_or(errors), format!("{inputs:?}")))
    };
    law_of("split", change, same);
}

/// The second file of each layer.
struct Imported(Vec<String>);

impl tollgate::compile::Files for Imported {
    fn read(&self, layer: usize, path: &str) -> Result<String, String> {
        match path {
            "more.toll" => Ok(self.0[layer].clone()),
            other => Err(format!("there is no `{other}`")),
        }
    }
}

#[test]
fn one_more_block_never_weakens() {
    law("block", |rng, case| Some(with_one_more(rng, case, "block")), |one, two| two.level >= one.level);
}

#[test]
fn one_more_warn_never_weakens() {
    law("warn", |rng, case| Some(with_one_more(rng, case, "warn")), |one, two| two.level >= one.level);
}

#[test]
fn one_more_ask_never_weakens_what_is_let_through() {
    // What nothing lets through is the one thing that an ask may soften.
    law(
        "ask",
        |rng, case| Some(with_one_more(rng, case, "ask")),
        |one, two| {
            let not_let_through = |rule: &String| rule == "default" || rule == "unknown-tool";
            one.rules.iter().any(not_let_through) || two.level >= one.level
        },
    );
}

#[test]
fn one_more_allow_never_makes_stricter() {
    law("allow", |rng, case| Some(with_one_more(rng, case, "allow")), |one, two| two.level <= one.level);
}

#[test]
fn ask_in_place_of_allow_never_weakens() {
    law("allow to ask", |rng, case| with_verb(rng, case, "allow", "ask"), |one, two| two.level >= one.level);
}

#[test]
fn block_in_place_of_ask_never_weakens() {
    law("ask to block", |rng, case| with_verb(rng, case, "ask", "block"), |one, two| two.level >= one.level);
}

#[test]
fn warn_in_place_of_allow_never_weakens() {
    law(
        "allow to warn",
        |rng, case| with_verb(rng, case, "allow", "warn"),
        |one, two| two.level >= one.level,
    );
}

#[test]
fn layers_only_tighten() {
    // The second policy is an outer part of the first; a set that only passes does not load.
    let outer = |rng: &mut Rng, case: &Case| {
        let keep = 1 + rng.below(case.layers.len());
        (keep < case.layers.len()).then(|| case.layers[..keep].to_vec())
    };
    law("layers", outer, |all, outer| all.level >= outer.level || outer.level == Level::Allow);
}

#[test]
fn the_layout_keeps_the_meaning() {
    let change = |_: &mut Rng, case: &Case| {
        let mut layers = Vec::new();
        for layer in &case.layers {
            let once = tollgate::format::format(&layer.text()).expect("a policy that loads");
            let twice = tollgate::format::format(&once).expect("a formatted policy");
            assert_eq!(once, twice, "the layout is its own fixed point");
            layers.push((layer.name.clone(), once));
        }
        let text = layers.iter().map(|(name, text)| format!("--- {name}\n{text}")).collect();
        Some((load::files(layers), text))
    };
    law_of("layout", change, same);
}
