//! The naive way: every rule's matcher, compiled, one after the other. It gives the generator its
//! verdicts, and the bench a lower bound of what reading every rule costs.

use std::net::Ipv4Addr;

use ipnet::Ipv4Net;
use regex::Regex;

use super::{Effect, Expected, Request, Rule, When};

/// All rules, compiled.
pub struct Scan(Vec<Compiled>);

struct Compiled {
    id: u32,
    effect: Effect,
    caps: Vec<String>,
    modes: Vec<String>,
    matcher: Matcher,
}

enum Matcher {
    Below(String),
    Extension(String, String),
    Name(String),
    Directory(String),
    Tool(String),
    Command(String),
    Host(String),
    Range(Ipv4Net),
    Text(Regex),
}

impl Scan {
    pub fn new(rules: &[Rule]) -> Self {
        let compiled = |rule: &Rule| Compiled {
            id: rule.id,
            effect: rule.effect,
            caps: rule.caps.clone(),
            modes: rule.modes.clone(),
            matcher: Matcher::new(&rule.when),
        };
        Self(rules.iter().map(compiled).collect())
    }

    pub fn decide(&self, request: &Request) -> Expected {
        let ip = request.ip.parse().ok();
        let (mut forbid, mut permit) = (Vec::new(), Vec::new());
        for rule in &self.0 {
            let named = |list: &[String], value: &str| list.is_empty() || list.iter().any(|one| one == value);
            if named(&rule.caps, &request.cap)
                && named(&rule.modes, &request.mode)
                && rule.matcher.matches(request, ip)
            {
                match rule.effect {
                    Effect::Forbid => forbid.push(rule.id),
                    Effect::Permit => permit.push(rule.id),
                }
            }
        }
        let (verdict, by) = match (forbid.is_empty(), permit.is_empty()) {
            (false, _) => ("forbid", forbid),
            (true, false) => ("allow", permit),
            (true, true) => ("default_deny", Vec::new()),
        };
        Expected { verdict: verdict.to_owned(), by }
    }
}

impl Matcher {
    fn new(when: &When) -> Self {
        match when {
            When::PathGlob { glob } => Self::path(glob),
            When::Tool { name } => Self::Tool(name.clone()),
            When::CmdPrefix { prefix } => Self::Command(prefix.clone()),
            When::HostSuffix { suffix } => Self::Host(suffix.clone()),
            When::Cidr { cidr } => Self::Range(cidr.parse().expect("the workload holds ranges")),
            When::Regex { pattern } => Self::Text(Regex::new(pattern).expect("the workload holds patterns")),
        }
    }

    fn path(glob: &str) -> Self {
        if let Some(rest) = glob.strip_prefix("**/") {
            return match rest.strip_suffix("/**") {
                Some(directory) => Self::Directory(directory.to_owned()),
                None => Self::Name(rest.to_owned()),
            };
        }
        match glob.split_once("/**/*") {
            Some((directory, extension)) => Self::Extension(format!("{directory}/"), extension.to_owned()),
            None => Self::Below(glob.trim_end_matches("**").to_owned()),
        }
    }

    fn matches(&self, request: &Request, ip: Option<Ipv4Addr>) -> bool {
        let path = &request.path;
        match self {
            Self::Below(directory) => path.starts_with(directory.as_str()),
            Self::Extension(directory, end) => {
                path.starts_with(directory.as_str()) && path.ends_with(end.as_str())
            }
            Self::Name(name) => path.rsplit('/').next() == Some(name),
            Self::Directory(name) => {
                path.rsplit_once('/').is_some_and(|(above, _)| above.split('/').any(|one| one == name))
            }
            Self::Tool(name) => request.tool == *name,
            Self::Command(prefix) => request
                .cmd
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
            Self::Host(suffix) => request
                .host
                .strip_suffix(suffix.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.')),
            Self::Range(range) => ip.is_some_and(|ip| range.contains(&ip)),
            Self::Text(pattern) => pattern.is_match(&request.text),
        }
    }
}
