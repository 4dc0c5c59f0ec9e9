//! Tollgate: from a line to a verdict with determining rules, reasons and obligations.

use tollgate::compile::{LayerInput, NoFiles, Program, compile};
use tollgate::decide::{Decision, decide, verdict_to_json};
use tollgate::effects::VirtualWorld;
use tollgate::model::value::parse_call;

use super::Engine;
use crate::workload::{Expected, Workload, toll};

pub struct Tollgate {
    program: Program,
    world: VirtualWorld,
}

impl Tollgate {
    pub fn load(workload: &Workload) -> Self {
        Self::of(toll::policy(&workload.rules), VirtualWorld::plain())
    }

    /// A policy of one text, with what its calls are judged in.
    pub fn of(policy: String, world: VirtualWorld) -> Self {
        let layer = LayerInput { name: "policy".to_owned(), files: vec![("policy.toll".to_owned(), policy)] };
        let compiled = compile(&[layer], &NoFiles, Vec::new());
        Self { program: compiled.program.expect("the workload's policy loads"), world }
    }

    /// Rules that are read on every effect, since nothing about them can be looked up.
    pub fn keyless(&self) -> usize {
        self.program.layers().iter().map(|layer| layer.index().keyless()).sum()
    }

    pub fn decision(&self, line: &str) -> Decision {
        decide(&self.program, parse_call(line).expect("the workload's lines are calls"), &self.world)
    }
}

/// The decision as it is printed.
pub fn json(decision: &Decision) -> String {
    verdict_to_json(decision.verdict()).to_string()
}

impl Engine for Tollgate {
    fn name(&self) -> &'static str {
        "tollgate"
    }

    fn line(&self, workload: &Workload, at: usize) -> String {
        toll::call(&workload.requests[at])
    }

    fn decide(&mut self, line: &str) -> Expected {
        let decision = self.decision(line);
        let verdict = decision.verdict();
        toll::expected(verdict.level.as_str(), verdict.rules.iter().map(String::as_str))
    }

    fn run(&mut self, line: &str) {
        drop(std::hint::black_box(self.decision(line)));
    }
}
