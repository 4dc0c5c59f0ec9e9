//! Published lists of hostile paths and URLs.

use std::path::PathBuf;

use serde_json::Value;
use tollgate::effects::{VirtualWorld, network, path};
use tollgate::model::demand::Demand;
use tollgate::model::effect::{Address, Resource};
use tollgate::model::path::is_under;
use tollgate::model::pattern::NetSet;

/// The rows of a corpus; none, loudly, where it is not there.
fn rows(file: &str) -> Vec<Value> {
    let root = std::env::var_os("TOLLGATE_CORPORA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora"), PathBuf::from);
    let Ok(text) = std::fs::read_to_string(root.join(file)) else {
        assert!(
            std::env::var("TOLLGATE_CORPORA_REQUIRED").as_deref() != Ok("1"),
            "the corpus {file} is not there; TOLLGATE_CORPORA names its folder"
        );
        eprintln!("SKIPPED: the corpus {file} is not there; TOLLGATE_CORPORA names its folder");
        return Vec::new();
    };
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn field<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

/// A world in which every directory exists that the path goes through, so that `..` behind it leads
/// where the text says.
fn world_along(root: &str, given: &str) -> VirtualWorld {
    let mut files = serde_json::Map::new();
    let mut at: Vec<&str> = if given.starts_with('/') { Vec::new() } else { root.split('/').collect() };
    for name in given.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(at.pop()),
            _ => at.push(name),
        }
        let dir = at.iter().filter(|name| !name.is_empty()).fold(String::new(), |dir, name| dir + "/" + name);
        if !dir.is_empty() && !dir.contains('\0') {
            files.insert(dir, Value::Null);
        }
    }
    VirtualWorld::from_json(serde_json::json!({"workspace": root, "files": files})).expect("world")
}

#[test]
fn paths_lead_where_a_kernel_would_go() {
    let mut wrong = Vec::new();
    let rows = rows("path/paths.jsonl");
    for row in &rows {
        let (given, root, expected) = (field(row, "path"), field(row, "root"), field(row, "posix"));
        let bare = VirtualWorld::from_json(serde_json::json!({"workspace": root})).expect("world");
        let along = world_along(root, given);
        let reach = |world: &VirtualWorld| {
            let fact = path::resolve(world, given, root);
            match fact.canonical() {
                None => "unresolved",
                Some(_) if fact.variants.iter().all(|v| is_under(&v.path, root)) => "inside",
                Some(_) => "outside",
            }
        };
        let (bare, along) = (reach(&bare), reach(&along));
        // Stricter than the text on purpose: longer than the system allows, or another in each process.
        let never = given.len() > 4096
            || given.split('/').any(|name| name.len() > 255)
            || given.starts_with("/proc/self/");
        let right = match expected {
            _ if never => along == "unresolved" && bare == "unresolved",
            "inside" => along == "inside" && bare != "outside",
            "outside" => along == "outside" && bare != "inside",
            _ => along == "unresolved" && bare == "unresolved",
        };
        if !right {
            wrong.push(format!("{given:?}: {expected}, but {bare} and {along}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn urls_lead_to_no_hidden_address() {
    let special = NetSet::parse([
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
        "::/127",
        "fc00::/7",
        "fe80::/10",
        "ff00::/8",
        "2001:db8::/32",
        "2001::/23",
        "100::/64",
        "64:ff9b:1::/48",
        "fec0::/10",
        "5f00::/16",
        "::/8",
        "3fff::/20",
    ])
    .expect("net");
    let mut wrong = Vec::new();
    let rows = rows("url/urls.jsonl");
    for row in
        rows.iter().filter(|row| row["needs_dns"] == Value::Bool(false) || field(row, "label") == "allow")
    {
        let given = field(row, "url");
        let effects = network::connect(&VirtualWorld::plain(), given, None, &Demand::default());
        let lets_through = effects.iter().all(|effect| match &effect.resource {
            Resource::Network(fact) => {
                fact.unresolved.is_none()
                    // What `localhost` is, the resolver of a real world says.
                    && fact.host.as_deref() != Some("localhost")
                    && matches!(fact.scheme.as_deref(), Some("http" | "https"))
                    && !matches!(fact.ip, Address::Known(ip) if special.contains(ip))
            }
            _ => false,
        });
        // Stricter than both readings on purpose.
        let odd =
            given.matches('@').count() > 1 || given.contains(|c: char| c.is_control() || "\"`{".contains(c));
        match field(row, "label") {
            "allow" if odd => {}
            "block" if lets_through => wrong.push(format!("let through: {given:?} ({})", row["reason"])),
            "allow" if !lets_through => wrong.push(format!("stopped: {given:?} {effects:?}")),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
