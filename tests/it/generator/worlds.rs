//! Random virtual worlds: a small project with links, hard links, missing files and names.

use serde_json::{Map, Value, json};

use super::rng::Rng;

const FILES: [&str; 14] = [
    "README.md",
    "docs/a.md",
    "docs/b.txt",
    "src/main.rs",
    "src/lib/x.rs",
    ".env",
    "policies/p.toll",
    "vendor/v.js",
    "tool.sh",
    "/etc/passwd",
    "/home/u/.ssh/id",
    "/home/u/notes.md",
    "/w/other/z.txt",
    "/tmp/t.txt",
];

const LINKS: [(&str, &str); 9] = [
    ("out.txt", "/etc/passwd"),
    ("docs/link.md", "../src/main.rs"),
    ("cur", "src"),
    ("loop", "loop"),
    ("secret-dir", "/home/u/.ssh"),
    ("docs/up", ".."),
    ("chain", "cur/main.rs"),
    ("src/shared", "../docs"),
    ("/w/alias", "/w/app"),
];

/// A description of a world, as `--world` takes it.
pub fn world(rng: &mut Rng) -> Value {
    let mut files = Map::new();
    for file in FILES {
        if rng.chance(85) {
            files.insert(absolute(file), json!("text"));
        }
    }
    let mut links = Map::new();
    for (link, target) in LINKS {
        if rng.chance(40) {
            links.insert(absolute(link), json!(target));
        }
    }
    let alias = links.contains_key("/w/alias") && rng.chance(50);
    let mut world = json!({
        "workspace": if alias { "/w/alias" } else { "/w/app" },
        "home": "/home/u",
        "temp": "/tmp",
        "files": files,
        "links": links,
        "hosts": hosts(rng),
    });
    let mut set =
        |key: &str, value: Value| drop(world.as_object_mut().unwrap().insert(key.to_owned(), value));
    if rng.chance(30) {
        let all = FILES.iter().map(|file| (absolute(file), json!("text"))).collect();
        set("files", Value::Object(all));
        set("hardlinks", json!({"/w/app/docs/hard.txt": "/w/app/src/main.rs"}));
    }
    if rng.chance(15) {
        set("kinds", json!({"/w/app/pipe": "other"}));
    }
    if rng.chance(15) {
        set("caseFold", json!(true));
    }
    if rng.chance(15) {
        set("cwd", json!(rng.pick(&["/w/app/docs", "/w/app/src"])));
    }
    if rng.chance(40) {
        set("labels", json!(rng.some(&["untrusted", "tainted"], 1, 2)));
    }
    if rng.chance(60) {
        set("today", json!(rng.pick(&["2026-06-01", "2027-03-31", "2027-06-01"])));
    }
    if rng.chance(25) {
        set("protected", json!(["/w/app/policies"]));
    }
    if rng.chance(25) {
        set("env", json!({"D": "docs", "F": "README.md"}));
    }
    world
}

fn absolute(path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("/w/app/{path}") }
}

fn hosts(rng: &mut Rng) -> Value {
    let mut hosts = Map::new();
    for (name, addresses) in [
        ("api.example.com", json!(["203.0.113.7"])),
        ("internal.example.com", json!(["10.0.0.5"])),
        ("both.example.com", json!(["203.0.113.8", "10.0.0.6"])),
        ("six.example.com", json!(["::ffff:10.0.0.7", "2001:db8::1"])),
        ("evil.example", json!(["198.51.100.9"])),
    ] {
        if rng.chance(85) {
            hosts.insert(name.to_owned(), addresses);
        }
    }
    Value::Object(hosts)
}
