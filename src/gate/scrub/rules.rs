//! What the rules of a policy say about a result, and how it is rewritten for them.

use serde_json::{Map, Value};

use super::{Rewriting, Scrubbed, Scrubber};
use crate::compile::Program;
use crate::compile::program::Redaction;
use crate::decide::{ResultJudgement, judge_result};
use crate::effects::World;
use crate::gate::tool::Head;
use crate::model::verdict::{Obligations, Reason};
use crate::model::{Call, Effect};

/// What result rules are judged on beside the result.
#[derive(Debug, Clone)]
pub struct ResultRules {
    call: Call,
    effects: Vec<Effect>,
    /// Full names, of those in whose scope the call is.
    names: Vec<String>,
}

/// A result behind the rules.
#[derive(Debug)]
pub struct Ruled {
    /// Why it is held back; empty where it is not.
    pub blocks: Vec<Reason>,
    /// How texts about it are rewritten.
    pub rewriting: Rewriting,
    /// What is left of it.
    pub data: Scrubbed<Value>,
}

impl ResultRules {
    /// The result rules that the verdict of a call names, with the call as it runs.
    #[must_use]
    pub fn new(call: &Call, effects: &[Effect], duties: &Obligations) -> Self {
        let names: Vec<_> = duties.redact.iter().chain(&duties.result_rules).cloned().collect();
        // Without a rule nothing is judged, so nothing is kept.
        let effects = if names.is_empty() { Vec::new() } else { effects.to_vec() };
        Self { call: call.clone(), effects, names }
    }

    /// A result, judged and rewritten. Rules see it whole, as it came and as it is without its
    /// credentials, before anything is cut for its length.
    #[must_use]
    pub fn apply(
        &self,
        scrubber: &Scrubber,
        program: &Program,
        world: &dyn World,
        data: Map<String, Value>,
        heads: &[Head],
    ) -> Ruled {
        if self.names.is_empty() {
            let rewriting = Rewriting::default();
            let data = scrubber.result(data, heads, &rewriting);
            return Ruled { blocks: Vec::new(), rewriting, data };
        }
        let came = text_of(&Value::Object(data.clone()), heads);
        let plain = scrubber.result(data.clone(), heads, &Rewriting::default());
        let shown = text_of(plain.get(), &[]);
        let texts: &[&str] = if came == shown { &[&came] } else { &[&came, &shown] };
        let ResultJudgement { blocks, redactions } =
            judge_result(program, &self.call, &self.effects, world, &self.names, texts);
        let rewriting = rewriting(&redactions);
        let data = if redactions.is_empty() { plain } else { scrubber.result(data, heads, &rewriting) };
        Ruled { blocks, rewriting, data }
    }
}

/// The text of a result: its strings, in order, each on lines of its own.
fn text_of(data: &Value, heads: &[Head]) -> String {
    fn collect(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::String(text) => out.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| collect(item, out)),
            Value::Object(members) => members.values().for_each(|member| collect(member, out)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut texts = Vec::new();
    if let Value::Object(members) = data {
        for (key, member) in members {
            match (member, heads.iter().find(|head| head.field == *key)) {
                // What lies behind a head was read for the scrubber only.
                (Value::String(text), Some(head)) => {
                    texts.push(text.get(..text.floor_char_boundary(head.bytes)).unwrap_or("").to_owned());
                }
                _ => collect(member, &mut texts),
            }
        }
    } else {
        collect(data, &mut texts);
    }
    texts.join("\n")
}

/// Of several texts for credentials the first holds: rules come in the order of their names.
fn rewriting(redactions: &[&Redaction]) -> Rewriting {
    let mut rewriting = Rewriting::default();
    for redaction in redactions {
        match redaction {
            Redaction::Secrets(with) => {
                rewriting.secrets_with.get_or_insert_with(|| with.clone());
            }
            Redaction::Matches(pattern, with) => {
                let known = rewriting
                    .matches
                    .iter()
                    .any(|(other, text)| other.as_str() == pattern.as_str() && text == with);
                if !known {
                    rewriting.matches.push((pattern.clone(), with.clone()));
                }
            }
        }
    }
    rewriting
}
