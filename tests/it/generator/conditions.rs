//! Random conditions as text, over the fields that every effect in a scope carries.

use super::rng::Rng;

/// What a condition of one layer may speak of.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub modes: Vec<&'static str>,
    pub labels: Vec<&'static str>,
    /// Named sets by type word (`""` for strings).
    pub sets: Vec<(&'static str, String)>,
    /// Named conditions by the field that they look at (`""` for any scope).
    pub conditions: Vec<(&'static str, String)>,
}

/// The capabilities of a scope.
pub type Scope<'a> = &'a [&'static str];

pub const GLOBS: [&str; 22] = [
    "./docs/**",
    "./src/**",
    "./src/**/*.rs",
    "**/*.md",
    "**/.env",
    "./README.md",
    "./*",
    "./**",
    "/etc/**",
    "~/**",
    "~/.ssh/*",
    "/w/**",
    "./{docs,src}/**",
    "**/[a-m]*",
    "**/?.md",
    "./cur/**",
    "./secret-dir/**",
    "/w/alias/**",
    "/w/app/**/x.rs",
    "./docs/[!a].*",
    "/**",
    "./policies/**",
];

const DIRECTORIES: [&str; 10] = [
    "workspace",
    "workspace",
    "home",
    "temp",
    "\"./docs\"",
    "\"./src\"",
    "\"./cur\"",
    "\"/etc\"",
    "\"~/.ssh\"",
    "\"/w\"",
];

pub const PATTERNS: [&str; 30] = [
    "git push --force",
    "git push origin ...",
    "rm -r",
    "cat * ...",
    "cat ...",
    "cat *",
    "cat",
    "ls ...",
    "ls",
    "git status",
    "git status ...",
    "git * ...",
    "git push ...",
    "git push --force ...",
    "rm -r ...",
    "rm -rf *",
    "rm ...",
    "{cp,mv} * *",
    "npm test",
    "CI=* npm test",
    "FOO=1 make ...",
    "make ...",
    "make all",
    "cargo build ...",
    "frob x",
    "frob ...",
    "deploy release ...",
    "echo ...",
    "* status",
    "./git status",
];

pub const HOSTS: [&str; 7] = [
    "api.example.com",
    "*.example.com",
    "evil.example",
    "*",
    "internal.example.com",
    "*.example",
    "10.0.0.5",
];

pub const NETS: [&str; 6] =
    ["10.0.0.0/8", "203.0.113.0/24", "::/0", "127.0.0.0/8", "203.0.113.7", "0.0.0.0/0"];

pub const URLS: [&str; 6] = [
    "https://api.example.com/v1/**",
    "https://*.example.com/**",
    "https://api.example.com/v1/items",
    "http://*/**",
    "https://api.example.com:8443/**",
    "https://*/*",
];

pub const TARGETS: [&str; 5] =
    ["support@example.com", "billing@example.com", "eve@evil.example", "users", "orders"];

/// A condition for a scope.
pub fn condition(rng: &mut Rng, scope: Scope<'_>, known: &Known, depth: usize) -> String {
    match rng.weighted(&[60, 14, 14, 8, if depth == 0 { 0 } else { 4 }]) {
        1 if depth > 0 => {
            let parts = several(rng, scope, known, depth);
            format!("({})", parts.join(" and "))
        }
        2 if depth > 0 => {
            let parts = several(rng, scope, known, depth);
            format!("({})", parts.join(" or "))
        }
        3 if depth > 0 => format!("not ({})", condition(rng, scope, known, depth - 1)),
        4 => format!("not {}", leaf(rng, scope, known)),
        _ => leaf(rng, scope, known),
    }
}

fn several(rng: &mut Rng, scope: Scope<'_>, known: &Known, depth: usize) -> Vec<String> {
    (0..2 + rng.below(2)).map(|_| condition(rng, scope, known, depth - 1)).collect()
}

/// Whether all capabilities of the scope are among these.
fn within(scope: Scope<'_>, carried: &[&str]) -> bool {
    scope.iter().all(|capability| carried.contains(capability))
}

fn leaf(rng: &mut Rng, scope: Scope<'_>, known: &Known) -> String {
    let own = rng.chance(75);
    let mut kinds: Vec<fn(&mut Rng, &Known) -> String> = Vec::new();
    if own {
        if within(scope, &["read", "write"]) {
            kinds.extend([path as fn(&mut Rng, &Known) -> String, path, path]);
        }
        if within(scope, &["exec"]) {
            kinds.extend([command as fn(&mut Rng, &Known) -> String, command]);
        }
        if within(scope, &["network"]) {
            kinds.extend([network as fn(&mut Rng, &Known) -> String, network, network]);
        }
        if within(scope, &["read", "write", "network"]) {
            kinds.extend([target as fn(&mut Rng, &Known) -> String, via]);
        }
    }
    let fitting: Vec<&String> = known
        .conditions
        .iter()
        .filter(|(field, _)| match *field {
            "" => true,
            "path" => within(scope, &["read", "write"]),
            "command" => within(scope, &["exec"]),
            _ => within(scope, &["network"]),
        })
        .map(|(_, name)| name)
        .collect();
    if !fitting.is_empty() && rng.chance(10) {
        return fitting[rng.below(fitting.len())].clone();
    }
    if kinds.is_empty() {
        return if rng.chance(60) { argument(rng) } else { general(rng, scope, known) };
    }
    kinds[rng.below(kinds.len())](rng, known)
}

fn not(rng: &mut Rng) -> &'static str {
    if rng.chance(25) { "not " } else { "" }
}

fn quoted(texts: &[&str]) -> String {
    texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(", ")
}

/// A set in place, or a named one of its type.
fn set(rng: &mut Rng, known: &Known, kind: &str, inline: String) -> String {
    let named: Vec<&String> = known.sets.iter().filter(|(k, _)| *k == kind).map(|(_, name)| name).collect();
    if named.is_empty() || rng.chance(60) {
        inline
    } else if rng.chance(70) {
        named[rng.below(named.len())].clone()
    } else {
        inline.replacen(
            '}',
            &format!(", {}}}", named[rng.below(named.len())]),
            usize::from(!inline.contains("{}")),
        )
    }
}

fn literals(rng: &mut Rng, from: &[&str]) -> String {
    format!("{{{}}}", quoted(&rng.some(from, 1, 3)))
}

fn path(rng: &mut Rng, known: &Known) -> String {
    let no = not(rng);
    match rng.below(13) {
        0..=3 => {
            let inline =
                literals(rng, &GLOBS.iter().copied().filter(|g| !g.contains('{')).collect::<Vec<_>>());
            let set = if rng.chance(80) {
                set(rng, known, "path", inline)
            } else {
                "{\"./{docs,src}/**\"}".to_owned()
            };
            format!("path {no}in {set}")
        }
        4 | 5 => format!("path {no}under {}", rng.pick(&DIRECTORIES)),
        6 => format!("path is {no}\"{}\"", rng.pick(&GLOBS)),
        7 => format!("path is {no}{}", rng.pick(&["workspace", "home", "\"./docs\""])),
        8 => match rng.below(4) {
            0 => format!("path.name is {no}\"a.md\""),
            1 => format!("path.name {no}starts with \".\""),
            2 => format!("path.name {no}matches /[a-z]+\\.md/i"),
            _ => format!("size(path.name) > {}", rng.below(8)),
        },
        9 => match rng.below(3) {
            0 => format!("path.ext is {no}\"md\""),
            1 => format!("path.ext {no}in {{\"rs\", \"md\"}}"),
            _ => format!("lower(path.name) {no}ends with \".md\""),
        },
        10 => format!(
            "path.kind {no}in {{{}}}",
            rng.some(&["file", "dir", "tree", "missing", "shared", "other"], 1, 3).join(", ")
        ),
        11 => format!(
            "action {no}in {{{}}}",
            rng.some(&["read", "list", "create", "change", "delete"], 1, 3).join(", ")
        ),
        _ => format!("path is {no}unresolved"),
    }
}

fn command(rng: &mut Rng, known: &Known) -> String {
    let no = not(rng);
    let each = rng.pick(&["any", "all"]);
    match rng.below(14) {
        0..=3 => format!("command is {no}`{}`", rng.pick(&PATTERNS)),
        4 | 5 => {
            let inline: Vec<String> = rng.some(&PATTERNS, 1, 3).iter().map(|p| format!("`{p}`")).collect();
            format!("command {no}in {}", set(rng, known, "command", format!("{{{}}}", inline.join(", "))))
        }
        6 => format!(
            "command.program {no}in {{{}}}",
            quoted(&rng.some(&["cat", "git", "rm", "frob", "make", "ls"], 1, 3))
        ),
        7 => format!(
            "{each} command.flags is {no}\"{}\"",
            rng.pick(&["-r", "-f", "--force", "-x", "--recursive"])
        ),
        8 => format!("command.flags {no}contains \"{}\"", rng.pick(&["-r", "--force", "-x"])),
        9 => match rng.below(4) {
            0 => format!("{each} command.operands {no}starts with \"docs\""),
            1 => format!("{each} command.operands is {no}\"{}\"", rng.pick(&["status", "README.md", "x"])),
            2 => format!("count(command.operands) {} {}", rng.pick(&["<", ">=", "is"]), rng.below(3)),
            _ => format!("{each} command.words {no}matches /[a-z.-]+/"),
        },
        10 => format!("command.cwd {no}under {}", rng.pick(&DIRECTORIES)),
        11 => format!("command is {no}opaque"),
        12 => match rng.below(3) {
            0 => format!("any command.words is {no}unresolved"),
            1 => "command.wrappers contains \"sudo\"".to_owned(),
            _ => format!("count(command.wrappers) > {}", rng.below(2)),
        },
        _ => format!("{each} command.env is {no}\"{}\"", rng.pick(&["CI", "FOO", "PATH", "LD_PRELOAD"])),
    }
}

fn via(rng: &mut Rng, _: &Known) -> String {
    let no = not(rng);
    match rng.below(4) {
        0 | 1 => format!("via is {no}`{}`", rng.pick(&PATTERNS)),
        2 => format!("via.program is {no}\"{}\"", rng.pick(&["cat", "cp", "curl", "make"])),
        _ => format!("via is {no}opaque"),
    }
}

fn network(rng: &mut Rng, known: &Known) -> String {
    let no = not(rng);
    match rng.below(14) {
        0..=2 => {
            let inline = literals(rng, &HOSTS);
            format!("host {no}in {}", set(rng, known, "host", inline))
        }
        3 => format!("host is {no}\"{}\"", rng.pick(&HOSTS)),
        4 | 5 => {
            let inline = format!("{{{}}}", rng.some(&NETS, 1, 2).join(", "));
            format!("ip {no}in {}", set(rng, known, "net", inline))
        }
        6 | 7 => {
            let inline = literals(rng, &URLS);
            format!("url {no}in {}", set(rng, known, "url", inline))
        }
        8 => match rng.below(3) {
            0 => format!("port is {no}443"),
            1 => format!("port {no}in {{80, 443}}"),
            _ => "port < 1024".to_owned(),
        },
        9 => format!("url.scheme is {no}\"{}\"", rng.pick(&["https", "http"])),
        10 => format!("url.path {no}starts with \"/v1/\""),
        11 => match rng.below(3) {
            0 => format!("url.query {no}contains \"=\""),
            1 => format!("url.userinfo is {no}\"user:pw\""),
            _ => format!("method is {no}\"POST\""),
        },
        12 => format!("host is {no}unresolved"),
        _ => format!("ip is {no}unresolved"),
    }
}

fn target(rng: &mut Rng, known: &Known) -> String {
    let no = not(rng);
    match rng.below(3) {
        0 | 1 => {
            let inline = literals(rng, &TARGETS);
            format!("target {no}in {}", set(rng, known, "", inline))
        }
        _ => format!("target {no}ends with \"@example.com\""),
    }
}

/// Arguments of any JSON type, present or not.
pub fn argument(rng: &mut Rng) -> String {
    let no = not(rng);
    let each = rng.pick(&["any", "all"]);
    if rng.chance(35) {
        return text_argument(rng, no);
    }
    match rng.below(24) {
        0 => format!("args.n is {no}{}", rng.pick(&["5", "5.0", "100", "0"])),
        1 | 2 => {
            format!("args.n {} {}", rng.pick(&["<", "<=", ">", ">="]), rng.pick(&["5", "1.5", "100", "0"]))
        }
        3 => format!("args.n {no}in {{{}}}", rng.pick(&["1, 5", "\"5\"", "5, \"5\"", "true"])),
        4 | 5 => format!("args.ok is {no}{}", rng.pick(&["true", "false"])),
        6 => format!("args.name is {no}\"{}\"", rng.pick(&["alpha", "beta", ""])),
        7 => format!("args.name {no}in {{{}}}", rng.pick(&["\"alpha\", \"Beta\"", "3", "\"x\", 3"])),
        8 => format!(
            "args.name {no}matches /{}/{}",
            rng.pick(&["alpha", "al.*", "b[a-z]+", "x|alpha"]),
            rng.pick(&["", "i"])
        ),
        9 => format!("args.name {no}contains {}", rng.pick(&["\"alpha\"", "/a$/", "\"\""])),
        10 => format!("args.name {no}starts with \"al\""),
        11 => format!("lower(args.name) is {no}\"beta\""),
        12 => format!("size(args.name) {} {}", rng.pick(&["<", ">="]), rng.pick(&["4", "5"])),
        13 => format!(
            "args.{} is {no}{}",
            rng.pick(&["n", "ok", "name", "tags", "opt", "opt.level"]),
            rng.pick(&["present", "absent"])
        ),
        14 => format!("args.{} is {no}null", rng.pick(&["n", "ok", "name"])),
        15 | 16 => format!("{each} args.tags[*] is {no}\"{}\"", rng.pick(&["red", "blue"])),
        17 => format!("{each} args.tags[*] {no}in {{\"red\", \"green\"}}"),
        18 => format!("args.tags {no}contains \"{}\"", rng.pick(&["red", "re"])),
        19 => format!("count(args.tags) {} {}", rng.pick(&["<", ">=", "is"]), rng.below(3)),
        20 => format!("args.opt.level is {no}{}", rng.pick(&["3", "\"high\""])),
        21 => format!("{each} args.opt.who[*].id is {no}\"{}\"", rng.pick(&["a", "b"])),
        22 => format!("args.tags[0] is {no}\"red\""),
        _ => format!("args[\"odd name\"] is {no}\"odd\""),
    }
}

/// What strings of arguments hold: everything that an index may look them up by.
fn text_argument(rng: &mut Rng, no: &str) -> String {
    let part = rng.pick(&["al", "alpha", "ph", "a", "Beta", "eta", "ALPHA", "be", "alphabet", "é"]);
    match rng.below(12) {
        0 => format!("args.name {no}starts with \"{part}\""),
        1 => format!("args.name {no}ends with \"{part}\""),
        2 => format!("args.name {no}contains \"{part}\""),
        3 | 4 => format!("args.name {no}contains /{}/{}", rng.pick(&REGEXES), rng.pick(&["", "i"])),
        5 => format!("args.name {no}matches /{}/{}", rng.pick(&REGEXES), rng.pick(&["", "i"])),
        6 => {
            let test = rng.pick(&["is", "starts with", "contains", "ends with"]);
            let sentence = format!("lower(args.name) {test} \"{}\"", part.to_lowercase());
            if no.is_empty() { sentence } else { format!("not ({sentence})") }
        }
        7 => format!("lower(args.name) {no}matches /{}/", rng.pick(&REGEXES)),
        8 | 9 => format!("args.ip {no}in net {{{}}}", rng.some(&NETS, 1, 3).join(", ")),
        10 => format!("args.opt.level {no}contains \"{}\"", rng.pick(&["ig", "high", "x"])),
        _ => format!("args.tags[0] {no}in {{\"red\", \"green\", \"blue\"}}"),
    }
}

/// With and without texts that every match holds, and with letters that fold in odd ways.
const REGEXES: [&str; 14] = [
    "a$",
    "al|Be",
    "(?:al|be)ta?",
    "al[a-z]*t",
    "[Bb]eta",
    "p{1,2}h",
    "\\bal",
    "[^b]+",
    "k|K",
    "x?",
    "(a)(l)",
    "ſ",
    "[ab]{1,3}l?",
    "^(?:al)+p",
];

/// What every effect carries.
fn general(rng: &mut Rng, scope: Scope<'_>, known: &Known) -> String {
    let no = not(rng);
    match rng.below(8) {
        0 => format!("tool is {no}\"{}\"", rng.pick(&["shell", "read_file", "fetch"])),
        1 => format!("user is {no}\"ann\""),
        2 => format!("agent {no}in {{\"coder\", \"scout\"}}"),
        3 => format!("source {no}starts with \"mcp:\""),
        4 if scope.len() > 1 => format!("capability is {no}{}", scope[rng.below(scope.len())]),
        5 if !known.labels.is_empty() => {
            let label = known.labels[rng.below(known.labels.len())];
            if no.is_empty() { format!("session has {label}") } else { format!("not session has {label}") }
        }
        6 | 7 if !known.modes.is_empty() => {
            format!("mode {no}in {{{}}}", rng.some(&known.modes, 1, 2).join(", "))
        }
        _ => format!("user is {no}\"bob\""),
    }
}
