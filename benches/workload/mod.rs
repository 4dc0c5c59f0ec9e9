//! The workloads that decisions are measured on: rules, requests and the verdicts that belong to them.
//!
//! `corpus` reads the generated ones that several engines agreed on, `generate` makes more of the same
//! shape in any size, `toll` writes both in Tollgate's language, `own` is a workload with real command
//! lines, paths and URLs. The tests of the package and the bench use the same files.

pub mod corpus;
pub mod generate;
pub mod own;
pub mod scan;
pub mod toll;

use serde::Deserialize;

/// One rule with exactly one condition.
#[derive(Debug, Clone, Deserialize)]
pub struct Rule {
    pub id: u32,
    pub effect: Effect,
    /// The capabilities that it is for; none is any.
    #[serde(default)]
    pub caps: Vec<String>,
    /// The modes that it is for; none is any.
    #[serde(default)]
    pub modes: Vec<String>,
    pub when: When,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    Permit,
    Forbid,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum When {
    PathGlob { glob: String },
    Tool { name: String },
    CmdPrefix { prefix: String },
    HostSuffix { suffix: String },
    Cidr { cidr: String },
    Regex { pattern: String },
}

/// One request; a field that does not apply is empty.
#[derive(Debug, Clone, Deserialize)]
pub struct Request {
    pub id: u32,
    pub mode: String,
    pub cap: String,
    pub tool: String,
    pub path: String,
    pub cmd: String,
    pub host: String,
    pub ip: String,
    pub text: String,
}

/// What a request gets, with the rules of the deciding effect that apply.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Expected {
    pub verdict: String,
    pub by: Vec<u32>,
}

/// Rules with requests and what each gets.
#[derive(Debug, Clone)]
pub struct Workload {
    pub rules: Vec<Rule>,
    pub requests: Vec<Request>,
    pub expected: Vec<Expected>,
}
