//! What the index leaves out never matters: a verdict with it is the verdict without it, word for word.

use serde_json::Value;
use tollgate::decide::{decide, explain};

use super::{CASES, seeds, shown};
use crate::generator::{self, load};
use crate::oracle_agrees::cases;

#[test]
fn a_rule_that_is_not_read_would_not_have_counted() {
    let wanted = cases(CASES);
    let mut next = seeds(11);
    let mut judged = 0;
    while judged < wanted {
        let seed = next();
        let case = generator::case(seed, 10);
        let Ok(program) = load::program(&case.layers) else { continue };
        for (at, call) in &case.calls {
            let world = generator::world(&case.worlds[*at]);
            let decision = decide(&program, call.clone(), &world);
            let traced = explain(&program, call.clone(), &world);
            judged += 1;
            assert_eq!(
                *decision.verdict(),
                traced.verdict,
                "seed {seed}\n{}=== call {} {}\n=== world\n{}",
                shown(&case.layers),
                call.tool,
                Value::Object(call.args.clone()),
                case.worlds[*at]
            );
        }
    }
}
