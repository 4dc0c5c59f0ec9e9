//! Engines under one interface: a line of JSON in, a verdict with its determining rules out.

mod cedar;
mod rego;
mod scan;
mod tollgate;

pub use self::tollgate::{Tollgate, json as tollgate_json};
pub use cedar::Cedar;
pub use rego::Rego;
pub use scan::Scanning;

use std::hint::black_box;

use crate::workload::{Expected, Workload};

/// One engine with a policy loaded.
pub trait Engine {
    fn name(&self) -> &'static str;

    /// A request as this engine's host would send it, made outside the measured time.
    fn line(&self, workload: &Workload, at: usize) -> String;

    /// The decision, in the words of the workload.
    fn decide(&mut self, line: &str) -> Expected;

    /// What is measured: from the line to a verdict that names its determining rules (and its reasons,
    /// where the engine has them), and the end of that verdict.
    fn run(&mut self, line: &str) {
        black_box(self.decide(line));
    }
}

/// How to load an engine.
pub type Load = fn(&Workload) -> Option<Box<dyn Engine>>;

/// Every engine, ours first.
pub const ALL: [(&str, Load); 4] = [
    ("tollgate", |workload| Some(Box::new(Tollgate::load(workload)))),
    ("scan", |workload| Some(Box::new(Scanning::load(workload)))),
    ("cedar", |workload| Some(Box::new(Cedar::load(workload)))),
    ("regorus", |workload| Some(Box::new(Rego::load(workload)?))),
];
