//! Rego on regorus, on its virtual machine, which is the faster of its two evaluators: a set of the
//! forbidding and one of the permitting rules that apply.

use std::sync::Arc;

use regorus::languages::rego::compiler::Compiler;
use regorus::rvm::program::Program;
use regorus::rvm::vm::RegoVM;
use regorus::{Engine as Rules, Value};

use super::Engine;
use crate::workload::{Effect, Expected, Rule, When, Workload};

pub struct Rego {
    machine: RegoVM,
}

const ENTRY: &str = "data.perf.applies";

impl Rego {
    /// `None` where the policy cannot be loaded.
    pub fn load(workload: &Workload) -> Option<Self> {
        let mut text = String::from(
            "package perf\n\nimport rego.v1\n\napplies := {\"forbid\": forbid, \"permit\": permit}\n\n",
        );
        text.extend(workload.rules.iter().map(rule));
        let mut rules = Rules::new();
        rules.add_policy("perf.rego".to_owned(), text).ok()?;
        let compiled = rules.compile_with_entrypoint(&ENTRY.into()).ok()?;
        let program: Arc<Program> = Compiler::compile_from_policy(&compiled, &[ENTRY]).ok()?;
        let mut machine = RegoVM::new_with_policy(compiled);
        machine.load_program(program);
        Some(Self { machine })
    }
}

fn rule(rule: &Rule) -> String {
    let set = match rule.effect {
        Effect::Permit => "permit",
        Effect::Forbid => "forbid",
    };
    let one_of = |field: &str, values: &[String]| {
        let quoted: Vec<String> = values.iter().map(|value| format!("\"{value}\"")).collect();
        (!values.is_empty()).then(|| format!("input.{field} in {{{}}}", quoted.join(", ")))
    };
    let mut body: Vec<String> =
        [one_of("cap", &rule.caps), one_of("mode", &rule.modes)].into_iter().flatten().collect();
    match &rule.when {
        When::Tool { name } => body.push(format!("input.tool == \"{name}\"")),
        When::PathGlob { glob } => match (glob.strip_prefix("**/"), glob.split_once("/**/*")) {
            (Some(rest), _) => body.push(match rest.strip_suffix("/**") {
                Some(directory) => format!("contains(input.path, \"/{directory}/\")"),
                None => format!("endswith(input.path, \"/{rest}\")"),
            }),
            (None, Some((directory, extension))) => {
                body.push(format!("startswith(input.path, \"{directory}/\")"));
                body.push(format!("endswith(input.path, \"{extension}\")"));
            }
            (None, None) => body.push(format!("startswith(input.path, \"{}\")", glob.trim_end_matches("**"))),
        },
        When::CmdPrefix { prefix } => {
            // Two bodies are a disjunction in Rego; a space behind both sides says the same in one.
            body.push(format!("startswith(concat(\"\", [input.cmd, \" \"]), \"{prefix} \")"));
        }
        When::HostSuffix { suffix } => {
            body.push(format!("endswith(concat(\"\", [\".\", input.host]), \".{suffix}\")"));
        }
        When::Cidr { cidr } => {
            body.push("input.ip != \"\"".to_owned());
            body.push(format!("net.cidr_contains(\"{cidr}\", input.ip)"));
        }
        When::Regex { pattern } => body.push(format!("regex.match(`{pattern}`, input.text)")),
    }
    format!("{set} contains {} if {{ {} }}\n", rule.id, body.join("; "))
}

impl Engine for Rego {
    fn name(&self) -> &'static str {
        "regorus"
    }

    fn line(&self, workload: &Workload, at: usize) -> String {
        super::scan::line(&workload.requests[at]).to_string()
    }

    fn decide(&mut self, line: &str) -> Expected {
        self.machine.set_input(Value::from_json_str(line).expect("a request"));
        let value = self.machine.execute().expect("a result");
        let ids = |set: &str| -> Vec<u32> {
            let set = value[set].as_set().expect("a set");
            set.iter().map(|id| id.as_u32().expect("a number")).collect()
        };
        let (forbid, permit) = (ids("forbid"), ids("permit"));
        let (verdict, mut by) = match (forbid.is_empty(), permit.is_empty()) {
            (false, _) => ("forbid", forbid),
            (true, false) => ("allow", permit),
            (true, true) => ("default_deny", Vec::new()),
        };
        by.sort_unstable();
        Expected { verdict: verdict.to_owned(), by }
    }
}
