//! What cannot be known errs to the strict side: at least as strict as every way it could turn out.

use serde_json::{Value, json};
use tollgate::model::{Call, Level};

use super::{seeds, shown, verdict};
use crate::generator::{self, Rng, load};
use crate::oracle_agrees::cases;

/// One thing that cannot be known, as a call and a world, and the same thing as it turned out.
fn realisation(rng: &mut Rng, call: &Call, world: &Value) -> Option<[(Call, Value); 2]> {
    let with = |key: &str, value: Value| {
        let mut call = call.clone();
        call.args.insert(key.to_owned(), value);
        call
    };
    match rng.below(5) {
        // A link that leads to itself, and the same name as a file or as another link.
        0 if ["read_file", "write_file", "delete", "list_dir"].contains(&call.tool.as_str()) => {
            let (mut before, mut after) = (world.clone(), world.clone());
            before["links"]["/w/app/loop"] = json!("loop");
            let call = with("path", json!("loop"));
            match rng.below(3) {
                0 => {
                    after["links"].as_object_mut()?.shift_remove("/w/app/loop");
                    after["files"]["/w/app/loop"] = json!("text");
                }
                _ => {
                    after["links"]["/w/app/loop"] =
                        json!(rng.pick(&["docs/a.md", "/etc/passwd", "src", ".env", "new"]))
                }
            }
            Some([(call.clone(), before), (call, after)])
        }
        // A name without an address, and with one.
        1 if call.tool == "fetch" => {
            let (mut before, mut after) = (world.clone(), world.clone());
            before["hosts"].as_object_mut()?.shift_remove("api.example.com");
            after["hosts"]["api.example.com"] = json!(rng.some(&["10.0.0.5", "203.0.113.7", "::1"], 1, 2));
            let call = with("url", json!("https://api.example.com/v1/items"));
            Some([(call.clone(), before), (call, after)])
        }
        // A word that only the shell will know.
        2 | 3 if call.tool == "shell" => {
            let lines = [
                "cat \"$UNSET_X\"",
                "rm -r \"$UNSET_X\"",
                "git \"$UNSET_X\"",
                "\"$UNSET_X\" status",
                "frob \"$UNSET_X\"",
                "ls -l $UNSET_X",
            ];
            let line = rng.pick(&lines);
            let word =
                rng.pick(&["README.md", "docs", "/etc/passwd", "status", "git", "cat", "-f", "x", ".env"]);
            let known = line.replace("\"$UNSET_X\"", word).replace("$UNSET_X", word);
            Some([
                (with("command", json!(line)), world.clone()),
                (with("command", json!(known)), world.clone()),
            ])
        }
        // A null, and any value in its place.
        _ => {
            let (key, values): (_, Vec<Value>) = match rng.below(3) {
                0 => ("n", vec![json!(5), json!(0), json!(100), json!(7)]),
                1 => ("name", vec![json!("alpha"), json!("Beta"), json!("")]),
                _ => ("ok", vec![json!(true), json!(false)]),
            };
            let value = values[rng.below(values.len())].clone();
            Some([(with(key, Value::Null), world.clone()), (with(key, value), world.clone())])
        }
    }
}

/// What is never unknown, and says so.
fn asks_whether_known(item: &str) -> bool {
    ["unresolved", "opaque", "is present", "is absent", "is not present", "is not absent", "null"]
        .iter()
        .any(|w| item.contains(w))
}

fn check(unknown: &str, holds: impl Fn(Level, Level) -> bool) {
    let mut judged = 0;
    let mut next = seeds(4);
    while judged < cases(3_000) {
        let seed = next();
        let mut case = generator::case(seed, 10);
        let mut rng = Rng::new(seed ^ 0x0b5c);
        for layer in &mut case.layers {
            layer.items.retain(|item| !asks_whether_known(item) && !item.starts_with("unknown "));
            for item in &mut layer.items {
                *item = item.replace("  unknown ask", "").replace("  unknown block", "");
            }
            layer.items.push(format!("unknown {unknown}"));
        }
        let Ok(program) = load::program(&case.layers) else { continue };
        for (at, call) in &case.calls {
            let mut world = case.worlds[*at].clone();
            // The gate asks about a write whose place is not known, whatever the policy.
            world.as_object_mut().unwrap().shift_remove("protected");
            let Some([hidden, known]) = realisation(&mut rng, call, &world) else { continue };
            let one = verdict(&program, &hidden.0, &hidden.1);
            let two = verdict(&program, &known.0, &known.1);
            judged += 1;
            assert!(
                holds(one.level, two.level),
                "seed {seed}: not known it is {} {:?}, known it is {} {:?}\n{}\n{:?}\n{:?}\n{}\n{}",
                one.level.as_str(),
                one.rules,
                two.level.as_str(),
                two.rules,
                shown(&case.layers),
                hidden.0,
                known.0,
                hidden.1,
                known.1
            );
        }
    }
}

#[test]
fn unknown_block_is_as_strict_as_every_outcome() {
    check("block", |hidden, known| hidden >= known);
}

#[test]
fn unknown_ask_asks_where_an_outcome_blocks() {
    check("ask", |hidden, known| hidden >= known.min(Level::Ask));
}
