//! The least that a process can do for a decision: read a line, print a verdict.

use std::io::{BufRead as _, Write as _};

fn main() {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).expect("a line");
    let verdict = "{\"v\":1,\"callId\":\"\",\"tool\":\"\",\"verdict\":\"block\",\"rules\":[\"default\"]}\n";
    std::io::stdout().write_all(verdict.as_bytes()).expect("a reader");
}
