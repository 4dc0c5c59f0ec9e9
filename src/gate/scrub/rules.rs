//! What the rules of a policy add to the scrubber.

use super::Rewriting;
use crate::compile::Program;
use crate::compile::program::{Redaction, Rule, Verb};
use crate::model::verdict::Obligations;

/// How the result of a call with these obligations is rewritten.
///
/// # Errors
/// The full name of a result rule that this build does not enforce.
pub fn rewriting(program: &Program, duties: &Obligations) -> Result<Rewriting, String> {
    let mut rewriting = Rewriting::default();
    for name in duties.redact.iter().chain(&duties.result_rules) {
        match rule_of(program, name).filter(|rule| rule.verb == Verb::Redact) {
            Some(rule) => add_redactions(rule, &mut rewriting),
            None => return Err(name.clone()),
        }
    }
    Ok(rewriting)
}

fn rule_of<'a>(program: &'a Program, full_name: &str) -> Option<&'a Rule> {
    program.layers().iter().flat_map(|layer| &layer.rules).find(|rule| *rule.full_name == *full_name)
}

/// Every redact rule in whose scope the call is rewrites its result, whatever its condition: with the
/// result not being a fact yet, the condition could not be known, and an unknown counts.
fn add_redactions(rule: &Rule, rewriting: &mut Rewriting) {
    for redaction in &rule.redactions {
        match redaction {
            Redaction::Secrets(with) => {
                rewriting.secrets_with.get_or_insert_with(|| with.clone());
            }
            Redaction::Matches(pattern, with) => {
                let known = rewriting
                    .matches
                    .iter()
                    .any(|(regex, text)| regex.as_str() == pattern.regex.as_str() && text == with);
                if !known {
                    rewriting.matches.push((pattern.regex.clone(), with.clone()));
                }
            }
        }
    }
}
