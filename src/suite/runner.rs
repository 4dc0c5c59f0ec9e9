//! Judges the checks of a suite under a program. Checks know nothing of each other.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::case::{Check, Mode, Suite};
use super::expect::{self, Outcome};
use super::names::Names;
use super::reader::SuiteError;
use super::report::{CheckReport, Failure, Report};
use super::snapshot::{self, Entry};
use super::why;
use crate::compile::Program;
use crate::decide::trace::explain_about;
use crate::decide::{Decision, Trace, decide};
use crate::effects::{VirtualWorld, World};
use crate::gate::Scrubber;
use crate::gate::scrub::ResultRules;
use crate::lint::examples;
use crate::model::{Call, Context, Level, Verdict};

/// What the host says about every check.
#[derive(Debug, Clone, Default)]
pub struct Host {
    /// What is protected in worlds that do not say it: relative to the workspace.
    pub protected: Vec<String>,
    /// Where tools come from (`builtin`, …), by name.
    pub sources: BTreeMap<String, String>,
}

/// Runs a whole suite, the examples of the policy's rules included, and compares with its snapshot.
///
/// # Errors
/// As [`Runner::new`].
pub fn run(
    suite: &Suite,
    program: &Program,
    host: &Host,
    snapshot: Option<&str>,
) -> Result<Report, SuiteError> {
    let runner = Runner::new(suite, program, host)?;
    let checks: Vec<CheckReport> = runner.checks().iter().map(|check| runner.check(check)).collect();
    let entries: Vec<Entry> = checks.iter().map(|check| check.entry.clone()).collect();
    Ok(Report {
        checks,
        examples: examples::outcomes(program),
        snapshot: snapshot::compare(snapshot, &entries, true),
    })
}

/// A suite under a program.
pub struct Runner<'a> {
    suite: &'a Suite,
    program: &'a Program,
    host: &'a Host,
    names: Names<'a>,
    worlds: Vec<VirtualWorld>,
}

impl<'a> Runner<'a> {
    /// Makes the worlds.
    ///
    /// # Errors
    /// What the host protects cannot be in one of them: checks are never run in another world.
    pub fn new(suite: &'a Suite, program: &'a Program, host: &'a Host) -> Result<Self, SuiteError> {
        let worlds = suite.worlds.iter().map(|world| self::world(world, &host.protected));
        let worlds = worlds.collect::<Result<_, _>>()?;
        Ok(Self { suite, program, host, names: Names::of(program), worlds })
    }

    /// The checks of the suite.
    #[must_use]
    pub fn checks(&self) -> &'a [Check] {
        &self.suite.checks
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// Judges one check.
    #[must_use]
    pub fn check(&self, check: &Check) -> CheckReport {
        let plain = VirtualWorld::plain();
        let world = self.worlds.get(check.setting.world).unwrap_or(&plain);
        let call = self.call(check, world);
        let decision = decide(self.program, call.clone(), world);
        let verdict = decision.verdict().clone();
        let verdict = if check.setting.unattended { verdict.unattended() } else { verdict };
        let (result, unread) = match &check.result {
            None => (None, None),
            Some(result) => {
                match self.scrubbed(result, check.expect.result.as_ref(), &decision, &verdict, world) {
                    Ok(result) => (Some(result), None),
                    Err(failure) => (None, Some(failure)),
                }
            }
        };
        let outcome = Outcome { verdict: &verdict, asked: &check.args, result: result.as_ref() };
        let mut failures = expect::compare(&check.expect, check.kind, &self.names, &outcome);
        failures.extend(unread);
        let trace = (!failures.is_empty()).then(|| self.explain(check, call, world, &mut failures));
        CheckReport {
            name: check.name.clone(),
            kind: check.kind,
            place: check.place,
            level: verdict.level,
            entry: snapshot::entry(&check.name, &verdict, result.as_ref()),
            rules: verdict.rules,
            failures,
            trace,
        }
    }

    /// The explanation of a failing check; says of expected rules why they did not give the verdict.
    fn explain(&self, check: &Check, call: Call, world: &VirtualWorld, failures: &mut [Failure]) -> Trace {
        let written = check.expect.rules.iter().flatten();
        let expected: Vec<String> = written.filter_map(|name| self.names.resolve(name).ok()).collect();
        let names: Vec<&str> = expected.iter().map(String::as_str).collect();
        let mut trace = explain_about(self.program, call, world, &names);
        let lines = why::missing(&check.expect, &self.names, &trace);
        let about_rules = failures.iter().position(|failure| failure.what == "rules").unwrap_or(0);
        if let Some(failure) = failures.get_mut(about_rules) {
            failure.help.extend(lines);
        }
        if check.setting.unattended {
            trace.verdict = trace.verdict.unattended();
        }
        trace
    }

    fn call(&self, check: &Check, world: &VirtualWorld) -> Call {
        let setting = &check.setting;
        let first = self.program.modes().and_then(|modes| modes.first());
        let source = setting.source.as_ref().or_else(|| self.host.sources.get(&check.tool));
        Call {
            id: "case".to_owned(),
            tool: check.tool.clone(),
            args: check.args.clone(),
            context: Context {
                mode: match &setting.mode {
                    Mode::First => first.cloned(),
                    Mode::Absent => None,
                    Mode::Named(mode) => Some(mode.clone()),
                },
                user: setting.user.clone(),
                agent: setting.agent.clone(),
                session: None,
                cwd: setting.cwd.clone(),
                source: source.cloned(),
                labels: setting.labels.iter().cloned().chain(world.labels()).collect(),
                today: world.today(),
            },
            background: false,
            timeout_ms: None,
        }
    }

    /// What is left of a result after the scrubber and the rules on results; null where one of them
    /// holds it back.
    fn scrubbed(
        &self,
        result: &Value,
        expected: Option<&Value>,
        decision: &Decision,
        verdict: &Verdict,
        world: &VirtualWorld,
    ) -> Result<Value, Failure> {
        let judged = match decision {
            Decision::Permitted(permit) => Some((permit.call(), permit.effects())),
            Decision::Pending(pending) => Some((pending.call(), pending.effects())),
            Decision::Refused(_) => None,
        };
        let Some((call, effects)) = judged.filter(|_| verdict.level != Level::Block) else {
            return Err(Failure::said("a blocked call has no result").help("remove `result` from the case"));
        };
        let scrubber =
            Scrubber::shared().ok_or_else(|| Failure::said("the table of credentials cannot be used"))?;
        // Tools answer with objects; a case may show any part of one.
        let (data, is_part) = match result {
            Value::Object(members) => (members.clone(), false),
            part => (Map::from_iter([(PART.to_owned(), part.clone())]), true),
        };
        let rules = ResultRules::new(call, effects, &verdict.obligations);
        let ruled = rules.apply(scrubber, self.program, world, data, &[]);
        if let Some(reason) = ruled.blocks.first() {
            if expected.is_none_or(|expected| !expected.is_null()) {
                let said = format!("the result is held back by `{}`", reason.rule);
                return Err(Failure::said(said).help("if that is meant, expect `result: null`"));
            }
            return Ok(Value::Null);
        }
        let mut data = ruled.data.into_inner();
        Ok(if is_part { data.get_mut(PART).map(Value::take).unwrap_or_default() } else { data })
    }
}

/// Where a part of a result stands while rules see it.
const PART: &str = "part";

/// A world of the suite, with what is protected where it does not say so.
fn world(description: &Map<String, Value>, protected: &[String]) -> Result<VirtualWorld, SuiteError> {
    let mut description = description.clone();
    description.entry("protected").or_insert_with(|| protected.iter().cloned().collect());
    VirtualWorld::from_json(Value::Object(description)).map_err(|error| SuiteError {
        place: None,
        message: format!("the policy and test files cannot be protected in its world: {error}"),
        help: Some("say under `world` what is protected: `protected: [policies]`".to_owned()),
    })
}
