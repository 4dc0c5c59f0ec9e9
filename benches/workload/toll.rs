//! The workload in Tollgate's language.
//!
//! A request's path and host are resources, so that what is judged is what the engine derived. A command
//! is a string here, not a command line, because that is the corpus's meaning: a call that carries one
//! has the effect `nothing`, and the rules compare `args.command`. An address stands beside the host
//! and is compared as an argument.

use serde_json::{Map, Value, json};

use super::{Effect, Expected, Request, Rule, When};

/// The policy, in one text.
pub fn policy(rules: &[Rule]) -> String {
    let mut text = String::from(
        "tollgate 1\n\n\
         modes plan, \"default\", auto, locked\n\n\
         tool \"*\" {\n  reads optional args.read\n  writes optional args.write\n  connects optional args.host\n}\n",
    );
    for rule in rules {
        let verb = match rule.effect {
            Effect::Permit => "allow",
            Effect::Forbid => "block",
        };
        let caps = match rule.when {
            // Only these have a path or a host.
            When::PathGlob { .. } if rule.caps.is_empty() => vec!["read".to_owned(), "write".to_owned()],
            When::HostSuffix { .. } if rule.caps.is_empty() => vec!["network".to_owned()],
            _ => rule.caps.clone(),
        };
        let caps = caps.iter().map(|cap| if cap == "exec" { "nothing" } else { cap });
        let caps = caps.collect::<Vec<_>>().join(", ");
        let on = if caps.is_empty() { "any" } else { &caps };
        let (by, condition) = condition(&rule.when);
        let modes = modes(&rule.modes);
        let conditions: Vec<String> = modes.into_iter().chain(condition).collect();
        text.push_str(&format!("\n{verb} r{:05} {{\n  on {on}{by}\n", rule.id));
        if !conditions.is_empty() {
            text.push_str(&format!("  when {}\n", conditions.join(" and ")));
        }
        if rule.effect == Effect::Forbid {
            text.push_str(&format!("  because \"rule {} forbids it\"\n", rule.id));
        }
        text.push_str("}\n");
    }
    text
}

fn modes(modes: &[String]) -> Option<String> {
    let quoted = modes.iter().map(|mode| if mode == "default" { "\"default\"" } else { mode });
    (!modes.is_empty()).then(|| format!("mode in {{{}}}", quoted.collect::<Vec<_>>().join(", ")))
}

fn condition(when: &When) -> (String, Option<String>) {
    match when {
        When::Tool { name } => (format!(" by \"{name}\""), None),
        When::PathGlob { glob } => (String::new(), Some(format!("path in {{\"{glob}\"}}"))),
        When::CmdPrefix { prefix } => (
            String::new(),
            Some(format!("(args.command is \"{prefix}\" or args.command starts with \"{prefix} \")")),
        ),
        When::HostSuffix { suffix } => {
            (String::new(), Some(format!("host in {{\"{suffix}\", \"*.{suffix}\"}}")))
        }
        When::Cidr { cidr } => (String::new(), Some(format!("args.ip in net {{{cidr}}}"))),
        When::Regex { pattern } => {
            (String::new(), Some(format!("args.text contains /{}/", pattern.replace('/', "\\/"))))
        }
    }
}

/// The call, as one line of JSON.
pub fn call(request: &Request) -> String {
    let mut args = Map::new();
    let resource = match request.cap.as_str() {
        "exec" => ("command", &request.cmd),
        "network" => ("host", &request.host),
        capability => (capability, &request.path),
    };
    args.insert(resource.0.to_owned(), json!(resource.1));
    for (name, value) in [("ip", &request.ip), ("text", &request.text)] {
        if !value.is_empty() {
            args.insert(name.to_owned(), json!(value));
        }
    }
    let call = json!({
        "id": request.id.to_string(),
        "tool": request.tool,
        "mode": request.mode,
        "args": Value::Object(args),
    });
    call.to_string()
}

/// What a verdict says in the corpus's words: `rules` are full names of the policy above.
pub fn expected<'a>(level: &str, rules: impl IntoIterator<Item = &'a str>) -> Expected {
    let rules: Vec<&str> = rules.into_iter().collect();
    let verdict = match level {
        "allow" => "allow",
        _ if rules == ["default"] => "default_deny",
        _ => "forbid",
    };
    let by = rules.iter().filter_map(|name| name.rsplit_once("/r")?.1.parse().ok()).collect();
    Expected { verdict: verdict.to_owned(), by }
}
