//! `tollgate decide`: verdicts without execution.
#![expect(clippy::disallowed_methods, reason = "the command line opens the calls it is told to read")]

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use crate::cli::args::DecideArgs;
use crate::cli::calls::{Intake, Lines, NoCall};
use crate::cli::exit::{Exit, Failure};
use crate::cli::{files, load, output};
use crate::compile::Program;
use crate::decide::{decide, verdict_to_json};
use crate::effects::World;
use crate::model::verdict::{Obligations, Reason, pseudo};
use crate::model::{Call, Level, Verdict};

/// Judges every call of the input.
///
/// # Errors
/// The policy, the world or the input cannot be used.
pub fn run(args: &DecideArgs) -> Result<Exit, Failure> {
    let setup = load::setup(&args.policy, &args.context)?;
    let loaded = load::program(&setup)?;
    let world = load::world(args.world.as_deref(), &setup)?;
    let mut judge = Judge::new(&loaded.program, world.as_ref(), setup.unattended);
    let mut intake = Intake::new(setup.mode.clone());
    let mut lines = open_calls(&args.calls)?;
    let mut exit = Exit::Fine;
    while let Some(line) = next_line(&mut lines)? {
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

/// Opens the calls; `-` is standard input.
///
/// # Errors
/// Names the file.
pub fn open_calls(path: &Path) -> Result<Lines<Box<dyn BufRead>>, Failure> {
    if path == Path::new("-") {
        return Ok(Lines::new(Box::new(BufReader::new(io::stdin()))));
    }
    let file = File::open(path).map_err(|error| {
        Failure::unusable(format!("the calls `{}` cannot be read: {}", path.display(), files::reason(&error)))
    })?;
    Ok(Lines::new(Box::new(BufReader::new(file))))
}

/// The next line of the calls.
///
/// # Errors
/// What the system said.
pub fn next_line(lines: &mut Lines<Box<dyn BufRead>>) -> Result<Option<crate::cli::calls::Line>, Failure> {
    lines
        .next_line()
        .map_err(|error| Failure::unusable(format!("the calls cannot be read: {}", files::reason(&error))))
}

/// Judges calls one after the other, as the gate would if each call that is let through ran.
pub struct Judge<'a> {
    program: &'a Program,
    world: &'a dyn World,
    unattended: bool,
    /// The labels that each session carries.
    labels: HashMap<Option<String>, BTreeSet<String>>,
}

impl<'a> Judge<'a> {
    /// Sessions begin with the world's labels.
    #[must_use]
    pub fn new(program: &'a Program, world: &'a dyn World, unattended: bool) -> Self {
        Self { program, world, unattended, labels: HashMap::new() }
    }

    /// The call with what the host says about it.
    #[must_use]
    pub fn with_context(&self, mut call: Call) -> Call {
        call.context.today = self.world.today();
        call.context.labels.extend(self.world.labels());
        if let Some(labels) = self.labels.get(&call.context.session) {
            call.context.labels.extend(labels.iter().cloned());
        }
        call
    }

    /// The verdict.
    pub fn judge(&mut self, call: Call) -> Verdict {
        let session = call.context.session.clone();
        let call = self.with_context(call);
        let mut verdict = decide(self.program, call, self.world).verdict().clone();
        if self.unattended {
            without_anybody_to_ask(&mut verdict);
        }
        if verdict.level <= Level::Warn && !verdict.obligations.mark.is_empty() {
            self.labels.entry(session).or_default().extend(verdict.obligations.mark.iter().cloned());
        }
        verdict
    }
}

/// Turns every `ask` into `block`.
pub fn without_anybody_to_ask(verdict: &mut Verdict) {
    let harden = |level: &mut Level| {
        if *level == Level::Ask {
            *level = Level::Block;
        }
    };
    let rules_before = verdict.level;
    for effect in &mut verdict.effects {
        if effect.level == Level::Ask && rules_before == Level::Block {
            verdict.rules.extend(effect.rules.iter().cloned());
        }
        harden(&mut effect.level);
    }
    verdict.reasons.iter_mut().for_each(|reason| harden(&mut reason.level));
    verdict.reasons.sort_by(|a, b| b.level.cmp(&a.level).then_with(|| a.rule.cmp(&b.rule)));
    harden(&mut verdict.level);
    verdict.rules.sort();
    verdict.rules.dedup();
    verdict.approval = None;
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
