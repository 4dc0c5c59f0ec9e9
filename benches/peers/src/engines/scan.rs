//! Compiled matchers, tried one after the other.

use super::Engine;
use crate::workload::scan::Scan;
use crate::workload::{Expected, Request, Workload};

pub struct Scanning(Scan);

impl Scanning {
    pub fn load(workload: &Workload) -> Self {
        Self(Scan::new(&workload.rules))
    }
}

/// A request as a line of JSON, as it stands in the corpus.
pub fn line(request: &Request) -> serde_json::Value {
    serde_json::json!({
        "id": request.id, "mode": request.mode, "cap": request.cap, "tool": request.tool, "path": request.path,
        "cmd": request.cmd, "host": request.host, "ip": request.ip, "text": request.text,
    })
}

impl Engine for Scanning {
    fn name(&self) -> &'static str {
        "scan"
    }

    fn line(&self, workload: &Workload, at: usize) -> String {
        line(&workload.requests[at]).to_string()
    }

    fn decide(&mut self, line: &str) -> Expected {
        let request: Request = serde_json::from_str(line).expect("a request");
        self.0.decide(&request)
    }
}
