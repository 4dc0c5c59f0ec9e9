//! Cedar: one policy for each rule, with the tool as the resource, the capability as the action and the
//! rest in the context.
//!
//! Cedar has no regular expressions. Which patterns are found in a request's text is worked out
//! beforehand, outside the measured time, and stands in the line as a list; a rule asks whether its own
//! number is in it. So its figures are lower than what a host would have.

use std::collections::HashMap;

use cedar_policy::{
    Authorizer, Context, Decision, Entities, EntityId, EntityTypeName, EntityUid, Policy, PolicyId, PolicySet,
    RestrictedExpression,
};
use regex::Regex;
use serde::Deserialize;

use super::Engine;
use crate::workload::{Effect, Expected, Rule, When, Workload};

pub struct Cedar {
    policies: PolicySet,
    entities: Entities,
    authorizer: Authorizer,
    principal: EntityUid,
    actions: HashMap<String, EntityUid>,
    tool: EntityTypeName,
    /// For making lines only.
    patterns: Vec<(u32, Regex)>,
}

#[derive(Deserialize)]
struct Line<'a> {
    cap: &'a str,
    tool: &'a str,
    mode: &'a str,
    path: &'a str,
    cmd: std::borrow::Cow<'a, str>,
    host: &'a str,
    ip: &'a str,
    matched: Vec<i64>,
}

impl Cedar {
    pub fn load(workload: &Workload) -> Self {
        let mut policies = PolicySet::new();
        for rule in &workload.rules {
            let policy = Policy::parse(Some(PolicyId::new(rule.id.to_string())), text(rule)).expect("a policy");
            policies.add(policy).expect("ids differ");
        }
        let uid = |text: &str| text.parse::<EntityUid>().expect("an entity");
        let action = |name: &str| (name.to_owned(), uid(&format!("Action::\"{name}\"")));
        let patterns = workload.rules.iter().filter_map(|rule| match &rule.when {
            When::Regex { pattern } => Some((rule.id, Regex::new(pattern).expect("a pattern"))),
            _ => None,
        });
        Self {
            policies,
            entities: Entities::empty(),
            authorizer: Authorizer::new(),
            principal: uid("Agent::\"a\""),
            actions: ["read", "write", "exec", "network"].map(action).into(),
            tool: "Tool".parse().expect("a type"),
            patterns: patterns.collect(),
        }
    }
}

fn text(rule: &Rule) -> String {
    let effect = match rule.effect {
        Effect::Permit => "permit",
        Effect::Forbid => "forbid",
    };
    let actions: Vec<String> = rule.caps.iter().map(|cap| format!("Action::\"{cap}\"")).collect();
    let action = match actions.as_slice() {
        [] => "action".to_owned(),
        [one] => format!("action == {one}"),
        several => format!("action in [{}]", several.join(", ")),
    };
    let mut resource = "resource".to_owned();
    let mut conditions = Vec::new();
    if !rule.modes.is_empty() {
        let modes: Vec<String> = rule.modes.iter().map(|mode| format!("\"{mode}\"")).collect();
        conditions.push(format!("[{}].contains(context.mode)", modes.join(", ")));
    }
    match &rule.when {
        When::Tool { name } => resource = format!("resource == Tool::\"{name}\""),
        When::PathGlob { glob } => {
            let like = glob.replace("/**/*", "/*").replace("**", "*");
            conditions.push(format!("context.path like \"{like}\""));
        }
        When::CmdPrefix { prefix } => {
            conditions.push(format!("(context.cmd == \"{prefix}\" || context.cmd like \"{prefix} *\")"));
        }
        When::HostSuffix { suffix } => {
            conditions.push(format!("(context.host == \"{suffix}\" || context.host like \"*.{suffix}\")"));
        }
        When::Cidr { cidr } => {
            conditions.push(format!("context has ip && context.ip.isInRange(ip(\"{cidr}\"))"));
        }
        When::Regex { .. } => conditions.push(format!("context.matched.contains({})", rule.id)),
    }
    let when = if conditions.is_empty() { String::new() } else { format!(" when {{ {} }}", conditions.join(" && ")) };
    format!("{effect}(principal, {action}, {resource}){when};")
}

impl Engine for Cedar {
    fn name(&self) -> &'static str {
        "cedar"
    }

    fn line(&self, workload: &Workload, at: usize) -> String {
        let request = &workload.requests[at];
        let mut line = super::scan::line(request);
        let found = self.patterns.iter().filter(|(_, pattern)| pattern.is_match(&request.text));
        line["matched"] = found.map(|(id, _)| *id).collect();
        line.to_string()
    }

    fn decide(&mut self, line: &str) -> Expected {
        let line: Line<'_> = serde_json::from_str(line).expect("a request");
        let string = |text: &str| RestrictedExpression::new_string(text.to_owned());
        let mut pairs = vec![
            ("mode".to_owned(), string(line.mode)),
            ("path".to_owned(), string(line.path)),
            ("cmd".to_owned(), string(&line.cmd)),
            ("host".to_owned(), string(line.host)),
            (
                "matched".to_owned(),
                RestrictedExpression::new_set(line.matched.iter().map(|id| RestrictedExpression::new_long(*id))),
            ),
        ];
        if !line.ip.is_empty() {
            pairs.push(("ip".to_owned(), RestrictedExpression::new_ip(line.ip)));
        }
        let context = Context::from_pairs(pairs).expect("a context");
        let resource = EntityUid::from_type_name_and_id(self.tool.clone(), EntityId::new(line.tool));
        let action = self.actions[line.cap].clone();
        let request = cedar_policy::Request::new(self.principal.clone(), action, resource, context, None)
            .expect("a request");
        let response = self.authorizer.is_authorized(&request, &self.policies, &self.entities);
        assert_eq!(response.diagnostics().errors().count(), 0);
        let reasons = response.diagnostics().reason();
        let mut by: Vec<u32> = reasons.map(|id| AsRef::<str>::as_ref(id).parse().expect("an id")).collect();
        by.sort_unstable();
        let verdict = match (response.decision(), by.is_empty()) {
            (Decision::Allow, _) => "allow",
            (Decision::Deny, false) => "forbid",
            (Decision::Deny, true) => "default_deny",
        };
        Expected { verdict: verdict.to_owned(), by }
    }
}
