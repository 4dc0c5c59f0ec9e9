//! Another spelling of the same path, host or command never softens.

use serde_json::{Value, json};
use tollgate::model::Call;

use super::{seeds, shown, verdict};
use crate::generator::{self, Rng, load};
use crate::oracle_agrees::cases;

const PATHS: [(&str, &[&str]); 4] = [
    (
        "docs/a.md",
        &["./docs/a.md", "docs/../docs/a.md", "/w/app/docs/a.md", "docs//a.md", "src/../docs/./a.md"],
    ),
    ("src/main.rs", &["cur/main.rs", "chain", "docs/link.md", "./src/lib/../main.rs"]),
    (".env", &["./.env", "/w/app/.env", "src/../.env", "docs/up/.env"]),
    ("/etc/passwd", &["out.txt", "/etc/../etc/passwd", "//etc/passwd", "../../etc/passwd"]),
];

const URLS: [(&str, &[&str]); 3] = [
    (
        "https://api.example.com/v1/items",
        &[
            "https://API.example.COM/v1/items",
            "https://api.example.com./v1/items",
            "https://api.example.com:443/v1/items",
            "HTTPS://api.example.com/v1/./items",
            "https://api.example.com/v1/x/../items",
            "https://api%2Eexample.com/v1/items",
        ],
    ),
    (
        "http://10.0.0.5/",
        &[
            "http://0x0a.0.0.5/",
            "http://167772165/",
            "http://10.5/",
            "http://012.0.0.5:80/",
            "http://[::ffff:10.0.0.5]/",
        ],
    ),
    (
        "https://internal.example.com/a/b",
        &["https://Internal.Example.com/a/b", "https://internal.example.com/a/b?x=1"],
    ),
];

const COMMANDS: [(&str, &[&str]); 7] = [
    (
        "cat README.md",
        &[
            "cat 'README.md'",
            "\"cat\" README.md",
            "c\\at README.md",
            "/usr/bin/cat README.md",
            "cat  README.md",
        ],
    ),
    (
        "rm -rf docs",
        &["rm -r -f docs", "rm -fr docs", "rm --recursive --force docs", "rm docs -rf", "/bin/rm -Rf docs"],
    ),
    ("git status", &["git 'status'", "/usr/bin/git status", "g'i't status", "A=1; git status"]),
    ("git push --force origin main", &["git push origin main --force", "git push -f origin main"]),
    ("cp docs/a.md x", &["cp ./docs/a.md x", "cp docs/a.md ./x", "cp -- docs/a.md x"]),
    ("make all", &["make 'all'", "/usr/bin/make all", "( make all )", "{ make all; }"]),
    ("frob x", &["'frob' x", "frob \"x\"", "if true; then frob x; fi"]),
];

/// A call in one spelling, and the same in another.
fn pair(rng: &mut Rng) -> (&'static str, &'static str, &'static str, &'static str) {
    let (tool, key, table): (_, _, &[(&str, &[&str])]) = match rng.below(5) {
        0 => ("read_file", "path", &PATHS),
        1 => ("write_file", "path", &PATHS),
        2 => ("fetch", "url", &URLS),
        _ => ("shell", "command", &COMMANDS),
    };
    let (plain, others) = table[rng.below(table.len())];
    (tool, key, plain, others[rng.below(others.len())])
}

/// What looks at the text itself, which a spelling may change; a bare name may be a program of the
/// workspace, which its path in a system directory is not.
fn reads_text(item: &str) -> bool {
    item.starts_with("modify ")
        || ["command.words", "url.query", "url in", "url is", "`./"].iter().any(|w| item.contains(w))
}

#[test]
fn another_spelling_never_softens() {
    let mut judged = 0;
    let mut next = seeds(3);
    while judged < cases(4_000) {
        let seed = next();
        let mut case = generator::case(seed, 10);
        let mut rng = Rng::new(seed ^ 0x5be11);
        for layer in &mut case.layers {
            layer.items.retain(|item| !reads_text(item));
        }
        let Ok(program) = load::program(&case.layers) else { continue };
        // Every file and link is there, so that each spelling is one of the same file.
        let mut world = case.worlds[0].clone();
        for file in [
            "/w/app/docs/a.md",
            "/w/app/src/main.rs",
            "/w/app/.env",
            "/w/app/README.md",
            "/w/app/src/lib/x.rs",
        ] {
            world["files"][file] = json!("text");
        }
        let links = json!({"/w/app/out.txt": "/etc/passwd", "/w/app/cur": "src", "/w/app/chain": "cur/main.rs",
            "/w/app/docs/link.md": "../src/main.rs", "/w/app/docs/up": "..", "/w/alias": "/w/app"});
        world["links"] = links;
        world["files"]["/etc/passwd"] = json!("text");
        world.as_object_mut().unwrap().shift_remove("cwd");
        world.as_object_mut().unwrap().shift_remove("hardlinks");
        for (_, call) in &case.calls {
            let (tool, key, plain, other) = pair(&mut rng);
            let with = |text: &str| {
                let mut call = Call { tool: tool.to_owned(), ..call.clone() };
                call.context.cwd = None;
                call.args.shift_remove("cwd");
                call.args.insert(key.to_owned(), Value::String(text.to_owned()));
                call
            };
            let (one, two) =
                (verdict(&program, &with(plain), &world), verdict(&program, &with(other), &world));
            judged += 1;
            assert!(
                two.level >= one.level,
                "seed {seed}: `{plain}` is {} {:?}, `{other}` is {} {:?}\n{}\n{:?}\n{:?}\n{:?}\n{world}",
                one.level.as_str(),
                one.rules,
                two.level.as_str(),
                two.rules,
                shown(&case.layers),
                with(other),
                one.effects,
                two.effects,
            );
        }
    }
}
