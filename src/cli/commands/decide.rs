//! `tollgate decide`: verdicts without execution.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::cli::args::DecideArgs;
use crate::cli::calls::{self, Intake, NoCall};
use crate::cli::exit::{Exit, Failure};
use crate::cli::{load, output, tools};
use crate::compile::Program;
use crate::decide::json::verdict_to_json;
use crate::decide::{Trace, decide, explain};
use crate::effects::World;
use crate::model::verdict::{Obligations, Reason, pseudo};
use crate::model::{Call, Level, Verdict};

/// Judges every call of the input.
///
/// # Errors
/// The policy, the world or the input cannot be used.
pub fn run(args: &DecideArgs) -> Result<Exit, Failure> {
    load::one_world(args.world.as_deref(), &args.policy)?;
    let setup = load::setup(&args.policy, &args.context)?;
    let registry = tools::builtin()?;
    let loaded = load::program(&setup, registry.declarations())?;
    let world = load::world(args.world.as_deref(), &setup, &loaded, &args.context)?;
    let mut judge = Judge::new(&loaded.program, world.as_ref(), setup.unattended, tools::sources(&registry));
    let mut intake = Intake::new(setup.mode.clone());
    let mut lines = calls::open(&args.calls)?;
    let mut exit = Exit::Fine;
    while let Some(line) = calls::next(&mut lines)? {
        let verdict = match intake.take(line) {
            Ok(call) => judge.judge(call),
            Err(none) => {
                exit = exit.max(Exit::Unusable);
                invalid_call(none, &loaded.program)
            }
        };
        if args.fail_on.is_some_and(|least| verdict.level >= least.into()) {
            exit = exit.max(Exit::Negative);
        }
        output::print_line(&verdict_to_json(&verdict).to_string())?;
    }
    Ok(exit)
}

/// Judges calls one after the other, as the gate would if each call that is let through ran.
pub struct Judge<'a> {
    program: &'a Program,
    world: &'a dyn World,
    unattended: bool,
    sources: BTreeMap<String, String>,
    /// The labels that each session carries.
    labels: HashMap<Option<String>, BTreeSet<String>>,
}

impl<'a> Judge<'a> {
    /// Sessions begin with the world's labels.
    #[must_use]
    pub fn new(
        program: &'a Program,
        world: &'a dyn World,
        unattended: bool,
        sources: BTreeMap<String, String>,
    ) -> Self {
        Self { program, world, unattended, sources, labels: HashMap::new() }
    }

    /// The call with what the host says about it.
    fn with_context(&self, mut call: Call) -> Call {
        call.context.today = self.world.today();
        call.context.source = self.sources.get(&call.tool).cloned();
        call.context.labels.extend(self.world.labels());
        if let Some(labels) = self.labels.get(&call.context.session) {
            call.context.labels.extend(labels.iter().cloned());
        }
        call
    }

    /// The verdict with everything that was weighed.
    #[must_use]
    pub fn explain(&self, call: Call) -> Trace {
        let mut trace = explain(self.program, self.with_context(call), self.world);
        if self.unattended {
            trace.verdict = trace.verdict.unattended();
        }
        trace
    }

    /// The verdict.
    pub fn judge(&mut self, call: Call) -> Verdict {
        let session = call.context.session.clone();
        let call = self.with_context(call);
        let verdict = decide(self.program, call, self.world).verdict().clone();
        let verdict = if self.unattended { verdict.unattended() } else { verdict };
        if verdict.level <= Level::Warn && !verdict.obligations.mark.is_empty() {
            self.labels.entry(session).or_default().extend(verdict.obligations.mark.iter().cloned());
        }
        verdict
    }
}

/// The verdict on a line that is no call.
#[must_use]
pub fn invalid_call(none: NoCall, program: &Program) -> Verdict {
    let reason = Reason {
        rule: pseudo::INVALID_CALL.to_owned(),
        level: Level::Block,
        because: Some(none.why),
        fix: None,
        at: None,
        unknown: None,
    };
    Verdict {
        call_id: none.id,
        tool: String::new(),
        level: Level::Block,
        rules: vec![pseudo::INVALID_CALL.to_owned()],
        effects: Vec::new(),
        reasons: vec![reason],
        modified: None,
        obligations: Obligations::default(),
        approval: None,
        policy: program.revision(),
    }
}
