//! Names of rules as tests write them: whole, or short where one layer has it.

use std::collections::BTreeMap;

use crate::base::suggest::nearest;
use crate::compile::Program;
use crate::compile::program::Rule;
use crate::model::verdict::pseudo;

/// The pseudo-rules that refuse a call for what it is, not for what the policy says.
pub(super) const UNREAD: [&str; 5] = [
    pseudo::INVALID_ARGUMENTS,
    pseudo::UNKNOWN_TOOL,
    pseudo::UNKNOWN_MODE,
    pseudo::INVALID_CALL,
    pseudo::LIMIT,
];

/// The names of a program's rules.
pub(super) struct Names<'p> {
    full: BTreeMap<&'p str, &'p Rule>,
    short: BTreeMap<&'p str, Vec<&'p str>>,
}

impl<'p> Names<'p> {
    pub fn of(program: &'p Program) -> Self {
        let mut names = Self { full: BTreeMap::new(), short: BTreeMap::new() };
        for rule in program.layers().iter().flat_map(|layer| &layer.rules) {
            let full: &str = &rule.full_name;
            names.full.insert(full, rule);
            let short = full.rsplit('/').next().unwrap_or(full);
            names.short.entry(short).or_default().push(full);
        }
        names
    }

    /// The full name that a written one stands for.
    ///
    /// # Errors
    /// What is wrong with it, and what was meant.
    pub fn resolve(&self, written: &str) -> Result<String, (String, String)> {
        let is_pseudo = UNREAD.contains(&written) || [pseudo::DEFAULT, pseudo::GATE_SELF].contains(&written);
        if is_pseudo || self.full.contains_key(written) {
            return Ok(written.to_owned());
        }
        match self.short.get(written).map(Vec::as_slice) {
            Some([full]) => return Ok((*full).to_owned()),
            Some(several) => {
                let list = several.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                let message = format!("`{written}` is a rule of more than one layer");
                return Err((message, format!("write the whole name, one of {list}")));
            }
            None => {}
        }
        let known = self.full.keys().chain(self.short.keys()).copied();
        let help = match nearest(written, known.chain(UNREAD).chain([pseudo::DEFAULT, pseudo::GATE_SELF])) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "name a rule of the policy, or a pseudo-rule such as `default`".to_owned(),
        };
        Err((format!("the policy has no rule `{written}`"), help))
    }

    /// The rule of a full name.
    pub fn rule(&self, full: &str) -> Option<&'p Rule> {
        self.full.get(full).copied()
    }
}
