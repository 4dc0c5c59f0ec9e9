//! A workload of real command lines, paths and URLs, in any size: an organisation with many packages,
//! whose rules name folders, programs, hosts and addresses as people write them. Here a command line is
//! parsed, links are looked up and every effect is judged.

use serde_json::json;

/// The policy, its calls as lines of JSON, and the world that they are judged in, as JSON.
pub struct Own {
    pub policy: String,
    pub calls: Vec<String>,
    pub world: String,
}

const PROGRAMS: [&str; 12] = [
    "make",
    "cargo",
    "npm",
    "go",
    "kubectl",
    "terraform",
    "docker",
    "helm",
    "psql",
    "aws",
    "gcloud",
    "ansible",
];
const ACTIONS: [&str; 6] = ["deploy", "apply", "delete", "publish", "migrate", "destroy"];

/// Command lines; `%` is a package's number.
const COMMANDS: [&str; 20] = [
    "git status",
    "git status --short && git diff --stat",
    "git log --oneline -n 20",
    "git commit -m 'Mend the parser of package %'",
    "git push origin main",
    "git push --force origin main",
    "cargo test --workspace",
    "cargo build --release --package p%",
    "npm --prefix packages/p% run build",
    "ls -la packages/p%/src",
    "cat packages/p%/src/main.rs | head -n 40",
    "grep -rn TODO packages/p%/src",
    "sed -i 's/a/b/' packages/p%/src/lib.rs",
    "cp packages/p%/README.md docs/p%.md",
    "rm -rf packages/p%/target",
    "mkdir -p packages/p%/tests && touch packages/p%/tests/it.rs",
    "curl -sSf https://api.svc%.example.com/v1/health",
    "kubectl deploy --namespace team-% service",
    "terraform apply -target module.p%",
    "cat packages/p%/.env",
];

/// Paths of file tools.
const PATHS: [&str; 8] = [
    "packages/p%/src/main.rs",
    "packages/p%/README.md",
    "packages/p%/secrets/key.pem",
    "packages/p%/.env",
    "docs/p%.md",
    "docs/index.md",
    "/etc/passwd",
    "/srv/data/p%/table.csv",
];

/// What fetching tools are given.
const URLS: [&str; 5] = [
    "https://api.svc%.example.com/v1/items",
    "https://www.svc%.example.com/",
    "http://10.0.0.7/admin",
    "https://docs.example.org/guide/p%",
    "https://unknown.example.net/x?y=1",
];

/// A policy of that many rules.
pub fn own(rules: usize) -> Own {
    let packages = rules / 5 + 1;
    let mut policy = String::from(
        "tollgate 1\n\n\
         tool read_file { reads args.path }\n\n\
         tool write_file { writes args.path }\n\n\
         tool shell { runs args.command in args.cwd or \".\" }\n\n\
         tool fetch { connects args.url }\n",
    );
    for at in 0..rules {
        policy.push_str(&rule(at));
    }
    let mut files = serde_json::Map::new();
    for at in 0..packages.min(200) {
        for file in ["src/main.rs", "src/lib.rs", "README.md", ".env", "target/debug/app"] {
            files.insert(format!("packages/p{at}/{file}"), json!(""));
        }
    }
    files.insert("docs/index.md".to_owned(), json!(""));
    let world = json!({"files": files}).to_string();
    let calls = (0..1_000).map(|at| call(at, packages)).collect();
    Own { policy, calls, world }
}

fn rule(at: usize) -> String {
    let (package, action) = (at / 5, ACTIONS[at / 60 % ACTIONS.len()]);
    let program = PROGRAMS[at / 5 % PROGRAMS.len()];
    match at % 5 {
        0 => format!(
            "\nallow read-{at} {{\n  on read\n  when path in {{\"./packages/p{package}/**\"}}\n  \
             unless path in {{\"**/.env\", \"**/secrets/**\"}}\n}}\n"
        ),
        1 if at == 1 => {
            "\nallow looking {\n  on exec\n  when command.program in {\"ls\", \"cat\", \"head\", \"grep\", \
                         \"git\"}\n  covers read\n}\n"
                .to_owned()
        }
        1 => format!(
            "\nask run-{at} {{\n  on exec\n  when command in {{`{program} {action} ...`, `{program} * p{package} ...`}}\n  \
             covers read, write, network\n  because \"{{command.program}} changes what p{package} runs on\"\n}}\n"
        ),
        2 => format!(
            "\nblock secret-{at} {{\n  on read, write\n  when path in {{\"./packages/p{package}/secrets/**\"}}\n  \
             because \"{{path}} holds keys of p{package}\"\n}}\n"
        ),
        3 => format!(
            "\nallow reach-{at} {{\n  on network\n  when host in {{\"*.svc{package}.example.com\"}} and ip not in net \
             {{10.0.0.0/8}}\n}}\n"
        ),
        _ => format!(
            "\nblock range-{at} {{\n  on network\n  when ip in net {{10.{}.{}.0/24}}\n  because \"{{ip}} is inside\"\n}}\n",
            package / 256 % 256,
            package % 256
        ),
    }
}

fn call(at: usize, packages: usize) -> String {
    // A fixed walk over packages, of which the first ones have files.
    let package = (at * 7_919 % packages.max(1)).to_string();
    let fill = |template: &str| template.replace('%', &package);
    let pick = |from: &[&str]| fill(from[at / 4 % from.len()]);
    let (tool, args) = match at % 4 {
        0 | 1 => ("shell", json!({"command": fill(COMMANDS[(at / 2 + at) % COMMANDS.len()])})),
        2 => (if at % 8 == 2 { "write_file" } else { "read_file" }, json!({"path": pick(&PATHS)})),
        _ => ("fetch", json!({"url": pick(&URLS)})),
    };
    json!({"id": at.to_string(), "tool": tool, "args": args}).to_string()
}
