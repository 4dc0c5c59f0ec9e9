//! `modify` settles in one pass and never softens.

use tollgate::model::Level;

use super::{law, seeds, shown, verdict};
use crate::generator::{self, LayerText, load};
use crate::oracle_agrees::cases;

#[test]
fn rewriting_never_softens() {
    let without = |_: &mut generator::Rng, case: &generator::Case| {
        let mut layers = case.layers.clone();
        for layer in &mut layers {
            layer.items.retain(|item| !item.starts_with("modify "));
        }
        (layers != case.layers).then_some(layers)
    };
    law("modify softens", without, |with, without| with.level >= without.level);
}

#[test]
fn rewriting_settles_in_one_pass() {
    let mut judged = 0;
    let mut next = seeds(2);
    let modifying =
        |layers: &[LayerText]| layers.iter().any(|l| l.items.iter().any(|i| i.starts_with("modify ")));
    while judged < cases(2_000) {
        let seed = next();
        let case = generator::case(seed, 10);
        let Ok(program) = load::program(&case.layers) else { continue };
        if !modifying(&case.layers) {
            continue;
        }
        for (world, call) in &case.calls {
            let first = verdict(&program, call, &case.worlds[*world]);
            judged += 1;
            let Some(modified) = first.modified.filter(|_| first.level < Level::Block) else { continue };
            let mut again = call.clone();
            again.args = modified.args;
            let second = verdict(&program, &again, &case.worlds[*world]);
            assert!(
                second.modified.is_none() && second.level <= first.level,
                "seed {seed}: {:?} again\n{}\n{call:?}\n{again:?}",
                second.modified,
                shown(&case.layers)
            );
        }
    }
}
