//! A whole process for one decision: `tollgate decide` beside a program that prints a constant.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::sys::resource::{UsageWho, getrusage};
use tollgate_peers::workload::{generate, toll};

const RUNS: usize = 40;

/// CPU time of all ended children so far, in milliseconds.
fn children() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system tells");
    let ms = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 * 1_000.0 + time.tv_usec() as f64 / 1_000.0;
    ms(usage.user_time()) + ms(usage.system_time())
}

fn each(program: &Path, arguments: &[&str], line: &str) -> f64 {
    let before = children();
    for _ in 0..RUNS {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("the program runs");
        let mut input = child.stdin.take().expect("piped");
        input.write_all(format!("{line}\n").as_bytes()).expect("a reader");
        drop(input);
        child.wait().expect("the program ends");
    }
    (children() - before) / RUNS as f64
}

pub fn measure() {
    println!("\n## a whole process, CPU ms of one\n");
    let tollgate = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/tollgate");
    let constant: PathBuf = std::env::current_exe().expect("this program").with_file_name("constant");
    if !tollgate.is_file() {
        println!("SKIPPED: {} is not there; `cargo build --release` makes it", tollgate.display());
        return;
    }
    println!("| rules | constant verdict | tollgate decide |\n| --- | --- | --- |");
    for rules in [10, 100, 1_000, 10_000] {
        let workload = generate::workload(rules, 7);
        let policy = std::env::temp_dir().join(format!("tollgate-peers-{}-{rules}.toll", std::process::id()));
        std::fs::write(&policy, toll::policy(&workload.rules)).expect("a folder for temporary files");
        let line = toll::call(&workload.requests[0]);
        let path = policy.to_str().expect("a plain path");
        let floor = each(&constant, &[], &line);
        let ours = each(&tollgate, &["decide", "--config", "none", "--policy", path], &line);
        println!("| {rules} | {floor:.2} | {ours:.2} |");
        std::fs::remove_file(&policy).expect("it was just written");
    }
}
