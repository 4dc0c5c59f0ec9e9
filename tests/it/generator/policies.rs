//! Random policies as text: one to three layers of lets, tools and rules of every verb.

use super::conditions::{self, Known, Scope};
use super::rng::Rng;

/// One layer: its items are kept apart, so that a failing case can drop them one at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerText {
    pub name: String,
    pub items: Vec<String>,
}

impl LayerText {
    /// The file.
    pub fn text(&self) -> String {
        let mut text = "tollgate 1\n".to_owned();
        for item in &self.items {
            text.push_str(item);
            text.push('\n');
        }
        text
    }
}

const TOOLS: [(&str, &[&str]); 16] = [
    ("read_file", &["reads args.path"]),
    ("list_dir", &["lists args.path or \".\""]),
    ("grep", &["reads args.path or \".\" recursively"]),
    ("write_file", &["writes args.path", "creates args.path"]),
    ("delete", &["deletes args.path", "deletes args.path recursively"]),
    ("copy", &["reads args.from  writes args.to"]),
    ("convert", &["reads args.path  writes optional args.out"]),
    ("many", &["reads args.files[*]"]),
    ("globber", &["reads args.pattern as glob"]),
    ("shell", &["runs args.command in args.cwd or \".\""]),
    ("argv", &["runs args.argv as words"]),
    ("fetch", &["connects args.url"]),
    ("send_mail", &["network on args.to[*]  network on optional args.bcc[*]"]),
    ("db", &["read on args.table  write on optional args.into"]),
    ("think", &["nothing"]),
    ("\"mcp:t/*\"", &["network", "read  network", "exec"]),
];

/// A policy, and what a call needs to know to be read by it.
pub struct Generated {
    pub layers: Vec<LayerText>,
    /// The tools that it declares.
    pub tools: Vec<String>,
    /// Whether calls are in a mode.
    pub modes: bool,
    /// What each layer's conditions may speak of.
    pub known: Vec<Known>,
}

/// A policy of one to three layers.
pub fn policy(rng: &mut Rng) -> Generated {
    let count = 1 + rng.weighted(&[60, 28, 12]);
    let names = ["org", "user", "project"];
    let with_modes = rng.chance(45);
    let mut layers = Vec::new();
    let mut declared: Vec<String> = Vec::new();
    let mut speak = Vec::new();
    // Not every layer may pass.
    let decides = rng.below(count);
    for (at, name) in names.iter().take(count).enumerate() {
        let mut known = Known::default();
        let mut items = Vec::new();
        if with_modes && (at == 0 || rng.chance(30)) {
            known.modes = if at == 0 || rng.chance(50) { vec!["plan", "build"] } else { vec!["build"] };
            items.push(format!("modes {}", known.modes.join(", ")));
        } else if with_modes {
            known.modes = vec!["build"];
        }
        if rng.chance(60) {
            known.labels = vec!["untrusted", "tainted"];
            items.push("labels untrusted, tainted".to_owned());
        }
        let default = match rng.weighted(&[25, 20, 35, if at == decides { 0 } else { 45 }]) {
            0 => "block",
            1 => "ask",
            2 => "allow",
            _ => "pass",
        };
        items.push(format!("default {default}"));
        if rng.chance(50) {
            items.push(format!("unknown {}", rng.pick(&["ask", "ask", "block"])));
        }
        lets(rng, &mut known, &mut items);
        for (tool, bodies) in TOOLS {
            // The outermost layer declares most tools, inner ones some of them again.
            if rng.chance(if at == 0 { 75 } else { 12 }) {
                items.push(format!("tool {tool} {{ {} }}", rng.pick(bodies)));
                declared.push(tool.trim_matches('"').to_owned());
            }
        }
        // An inner layer may declare what the outermost one knows nothing of.
        if at > 0 && rng.chance(30) {
            items.push(format!("tool mystery {{ {} }}", rng.pick(&["nothing", "reads args.path", "read"])));
            declared.push("mystery".to_owned());
        }
        for number in 0..2 + rng.below(8) {
            items.push(rule(rng, &format!("r{number}"), &known));
        }
        speak.push(known);
        layers.push(LayerText { name: (*name).to_owned(), items });
    }
    declared.sort();
    declared.dedup();
    Generated { layers, tools: declared, modes: with_modes, known: speak }
}

fn lets(rng: &mut Rng, known: &mut Known, items: &mut Vec<String>) {
    let quote = |texts: Vec<&str>| texts.iter().map(|t| format!("\"{t}\"")).collect::<Vec<_>>().join(", ");
    let tick = |texts: Vec<&str>| texts.iter().map(|t| format!("`{t}`")).collect::<Vec<_>>().join(", ");
    for kind in ["path", "host", "net", "url", "command", ""] {
        if !rng.chance(30) {
            continue;
        }
        let elements = match kind {
            "path" => quote(rng.some(&conditions::GLOBS, 1, 3)),
            "host" => quote(rng.some(&conditions::HOSTS, 1, 3)),
            "net" => rng.some(&conditions::NETS, 1, 3).join(", "),
            "url" => quote(rng.some(&conditions::URLS, 1, 3)),
            "command" => tick(rng.some(&conditions::PATTERNS, 1, 3)),
            _ => quote(rng.some(&conditions::TARGETS, 1, 3)),
        };
        let name = format!("set-{}", if kind.is_empty() { "text" } else { kind });
        let gap = if kind.is_empty() { "" } else { " " };
        items.push(format!("let {name} = {kind}{gap}{{{elements}}}"));
        known.sets.push((kind, name.clone()));
        if rng.chance(25) {
            let outer = format!("more-{}", if kind.is_empty() { "text" } else { kind });
            items.push(match rng.chance(50) {
                true => format!("let {outer} = {name}"),
                false => format!("let {outer} = {kind}{gap}{{{name}}}"),
            });
            known.sets.push((kind, outer));
        }
    }
    let scopes: [(&'static str, Scope<'_>); 4] = [
        ("path", &["read", "write"]),
        ("command", &["exec"]),
        ("network", &["network"]),
        ("", &["read", "exec", "nothing"]),
    ];
    for (field, scope) in scopes {
        if rng.chance(20) {
            let name = format!("case-{}", if field.is_empty() { "any" } else { field });
            let condition = conditions::condition(rng, scope, known, 1);
            items.push(format!("let {name} = {condition}"));
            known.conditions.push((field, name));
        }
    }
}

fn scope(rng: &mut Rng) -> Vec<&'static str> {
    match rng.weighted(&[30, 18, 10, 22, 20, 14, 4, 4]) {
        0 => vec!["read"],
        1 => vec!["read", "write"],
        2 => vec!["write"],
        3 => vec!["exec"],
        4 => vec!["network"],
        5 => vec!["read", "write", "exec", "network", "nothing"],
        6 => vec!["read", "network"],
        _ => vec!["read", "write", "network"],
    }
}

fn by(rng: &mut Rng) -> String {
    if !rng.chance(20) {
        return String::new();
    }
    let tools = [
        "shell",
        "read_file",
        "fetch",
        "copy",
        "mystery",
        "send_mail",
        "\"mcp:t/*\"",
        "\"m*\"",
        "write_file",
    ];
    format!(" by {}", rng.some(&tools, 1, 3).join(", "))
}

fn rule(rng: &mut Rng, name: &str, known: &Known) -> String {
    match rng.weighted(&[34, 14, 22, 14, 14, 2, 1]) {
        0 => rule_of(rng, "allow", name, known),
        1 => rule_of(rng, "ask", name, known),
        2 => rule_of(rng, "warn", name, known),
        3 => rule_of(rng, "block", name, known),
        4 => modify(rng, name, known),
        5 => format!("redact {name} {{ on result of any  replace secrets with \"x\" }}"),
        _ => format!("block {name} {{ on result of read  when result.text contains \"x\" }}"),
    }
}

/// A rule of a verb that is no `modify` and no `redact`.
pub fn rule_of(rng: &mut Rng, verb: &str, name: &str, known: &Known) -> String {
    let scope = scope(rng);
    let on = if scope.len() == 5 { "any".to_owned() } else { scope.join(", ") };
    let mut text = format!("{verb} {name} {{ on {on}{}", by(rng));
    let granting = matches!(verb, "allow" | "ask");
    text.push_str(&clauses(
        rng,
        &scope,
        known,
        match verb {
            "allow" => 50,
            "ask" => 80,
            "warn" => 65,
            _ => 92,
        },
    ));
    if granting && scope == ["exec"] && rng.chance(60) {
        text.push_str(&format!("  covers {}", rng.some(&["read", "write", "network"], 1, 3).join(", ")));
    }
    match verb {
        "allow" if rng.chance(12) => text.push_str("  until 2027-03-31"),
        "allow" if rng.chance(8) => text.push_str("  limit time 30s"),
        "ask" if rng.chance(15) => text.push_str("  approve per session"),
        "block" if rng.chance(25) => text.push_str(rng.pick(&["  unknown ask", "  unknown block"])),
        "block" if rng.chance(20) => text.push_str("  because \"no\""),
        _ => {}
    }
    text.push_str(" }");
    text
}

fn clauses(rng: &mut Rng, scope: Scope<'_>, known: &Known, percent: usize) -> String {
    let mut text = String::new();
    if rng.chance(percent) {
        text.push_str(&format!("  when {}", conditions::condition(rng, scope, known, 2)));
    }
    if rng.chance(15) {
        text.push_str(&format!("  unless {}", conditions::condition(rng, scope, known, 1)));
    }
    text
}

fn modify(rng: &mut Rng, name: &str, known: &Known) -> String {
    let command = rng.chance(15);
    let scope = if command { vec!["exec"] } else { scope(rng) };
    let on = if scope.len() == 5 { "any".to_owned() } else { scope.join(", ") };
    let mut text = format!("modify {name} {{ on {on}{}", by(rng));
    if command {
        let words = rng.pick(&["--env staging", "-f", "more"]);
        let guard = if rng.chance(70) {
            "  when command is `deploy release ...` and not any command.words is \"staging\""
        } else {
            "  when command is `deploy release` or command is `git status`"
        };
        return format!("{text}{guard}  append command `{words}` }}");
    }
    text.push_str(&clauses(rng, &scope, known, 75));
    for _ in 0..1 + usize::from(rng.chance(15)) {
        text.push_str(&format!("  {}", edit(rng)));
    }
    if rng.chance(20) {
        text.push_str(rng.pick(&["  unknown ask", "  unknown block"]));
    }
    text.push_str(" }");
    text
}

fn edit(rng: &mut Rng) -> String {
    match rng.below(16) {
        0 => format!("set args.n = {}", rng.pick(&["5", "1"])),
        1 => format!("set args.name = \"{}\"", rng.pick(&["alpha", "beta"])),
        2 => "set args.opt.level = 3".to_owned(),
        3 => format!("fill args.n = {}", rng.pick(&["5", "7"])),
        4 => "fill args.opt.who = [{\"id\": \"a\"}]".to_owned(),
        5 | 6 => format!("clamp args.n to {}", rng.pick(&["1..10", "0..5", "2.5..60"])),
        7 => format!("remove args.{}", rng.pick(&["n", "tags", "opt.level"])),
        8 => "append args.tags = \"blue\"".to_owned(),
        9 | 10 => format!(
            "replace args.name matching /{}/ with \"{}\"",
            rng.pick(&["b", "alpha", "[A-Z]"]),
            rng.pick(&["x", "$0b", ""])
        ),
        11 => format!(
            "replace args.path matching /{}/ with \"{}\"",
            rng.pick(&["\\.env", "docs", "^out"]),
            rng.pick(&["README.md", "src"])
        ),
        12 => format!("set args.path = \"{}\"", rng.pick(&["README.md", "docs/a.md"])),
        13 => "fill args.out = \"docs/new.md\"".to_owned(),
        14 => "replace args.url matching /^http:/ with \"https:\"".to_owned(),
        _ => "remove args.bcc".to_owned(),
    }
}
