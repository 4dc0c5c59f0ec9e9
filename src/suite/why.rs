//! Why a rule that a check expects did not give the verdict.

use super::expect::Expectation;
use super::names::Names;
use crate::compile::program::{Rule, Verb};
use crate::decide::Trace;
use crate::lint::comparison;
use crate::model::{Capability, ToolPattern};

/// For each expected rule that is not among the determining ones, one line that says why.
pub(super) fn missing(expect: &Expectation, names: &Names<'_>, trace: &Trace) -> Vec<String> {
    let written = expect.rules.iter().flatten();
    let full = written.filter_map(|name| names.resolve(name).ok());
    full.filter(|name| !trace.verdict.rules.contains(name))
        .filter_map(|name| Some(why(names.rule(&name)?, trace)))
        .flatten()
        .collect()
}

fn why(rule: &Rule, trace: &Trace) -> Vec<String> {
    let name = &*rule.full_name;
    let effects = || trace.calls.iter().flat_map(|call| &call.effects);
    match rule.verb {
        Verb::Modify => {
            return vec![format!(
                "`{name}` rewrites arguments and gives no verdict: expect what it does with `args`"
            )];
        }
        Verb::Redact => {
            return vec![format!(
                "`{name}` rewrites results and gives no verdict: expect `obligations`, or a `result`"
            )];
        }
        Verb::Allow | Verb::Warn | Verb::Ask | Verb::Block => {}
    }
    if rule.scope.result {
        return vec![format!(
            "`{name}` is about results: expect it under `obligations` as `resultRules`, or expect `result: null`"
        )];
    }
    if let Some(counted) = effects().flat_map(|effect| &effect.counted).find(|c| c.rule == name) {
        let level = trace.verdict.level.as_str();
        return vec![format!(
            "`{name}` counts with `{}`, but the verdict is `{level}`: {}",
            counted.level.as_str(),
            stricter(trace)
        )];
    }
    let near: Vec<String> = effects()
        .flat_map(|effect| effect.nearest.iter().filter(|near| near.rule == name).map(move |n| (effect, n)))
        .map(|(effect, near)| {
            let failed: Vec<String> = near.failed.iter().map(comparison).collect();
            let resource = effect.resource.as_deref().map(|r| format!(" {r}")).unwrap_or_default();
            let on = format!("{}{resource}", effect.capability.as_str());
            format!("`{name}` ({}) does not count on {on}: {}", near.at, failed.join("; "))
        })
        .collect();
    if near.is_empty() { vec![out_of_scope(rule, trace)] } else { near }
}

/// Who is stricter.
fn stricter(trace: &Trace) -> String {
    trace.verdict.rules.iter().map(|rule| format!("`{rule}`")).collect::<Vec<_>>().join(", ")
}

fn out_of_scope(rule: &Rule, trace: &Trace) -> String {
    let words = |capabilities: &mut dyn Iterator<Item = Capability>| {
        let words: Vec<&str> = capabilities.map(Capability::as_str).collect();
        words.join(", ")
    };
    let about = words(&mut rule.scope.capabilities.iter());
    let tools: Vec<String> = rule.scope.tools.iter().map(shown).collect();
    let by = if tools.is_empty() { String::new() } else { format!(" by {}", tools.join(", ")) };
    let effects = trace.calls.iter().flat_map(|call| &call.effects);
    let mut found: Vec<Capability> = effects.map(|effect| effect.capability).collect();
    found.dedup();
    let has = if found.is_empty() {
        "no effect was derived from this call".to_owned()
    } else {
        format!("this call of `{}` is {}", trace.verdict.tool, words(&mut found.into_iter()))
    };
    format!("`{}` ({}) is about {about}{by}; {has}", rule.full_name, rule.at)
}

fn shown(tool: &ToolPattern) -> String {
    match tool {
        ToolPattern::Exact(name) => format!("`{name}`"),
        ToolPattern::Prefix(prefix) => format!("`{prefix}*`"),
    }
}
