//! `tollgate init`: a starter configuration, policy, tests, CI step and pre-commit hook.

use crate::base::limits;
use crate::cli::args::InitArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::{files, output};

/// The starter policy.
const POLICY: &str = include_str!("../../../../policies/starters/coding-agent.toll");

/// Its tests, with the verdicts that they give; tests see to it that they fit.
const TESTS: &str = include_str!("agent.test.yaml");
const SNAPSHOT: &str = include_str!("agent.test.snap");

const CONFIGURATION: &str = "\
# The layers of this project's policy, outermost first. A project's configuration can only add layers,
# and layers only tighten: what the user or the operator blocks stays blocked.
layers:
  - name: project
    path: policies
";

const WORKFLOW: &str = "\
name: tollgate
on: [push, pull_request]
permissions:
  contents: read
jobs:
  policies:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      # Put `tollgate` on the PATH here, in the way your other tools get there.
      - run: tollgate fmt --check --diff policies
      - run: tollgate lint --format github --fail-on warning
      - run: tollgate test
";

const HOOK: &str = "\
#!/bin/sh
# Refuses a commit whose policies are broken or not laid out. Switch it on once in each clone:
#   git config core.hooksPath .githooks
set -eu
tollgate fmt --check policies
tollgate lint --fail-on warning
# Nothing is written from here: a verdict that changed is accepted by a person.
CI=true tollgate test
";

/// The policy and the files that fit this very policy only.
const POLICY_FILE: &str = "policies/agent.toll";
const FITTING: [(&str, &str); 2] =
    [("policies/tests/agent.test.yaml", TESTS), ("policies/tests/agent.test.snap", SNAPSHOT)];

/// Writes what is missing, keeps what is there.
///
/// # Errors
/// A file cannot be written.
pub fn run(args: &InitArgs) -> Result<Exit, Failure> {
    create(args, "tollgate.yaml", CONFIGURATION, false)?;
    create(args, POLICY_FILE, POLICY, false)?;
    let limit = limits::POLICY_FILE_BYTES_MAX;
    let is_ours = files::read_text(&args.dir.join(POLICY_FILE), "policy", limit)? == POLICY;
    for (name, text) in FITTING {
        if is_ours || files::exists(&args.dir.join(name)) {
            create(args, name, text, false)?;
        } else {
            output::print_line(&format!("left out {name}: it fits the policy that `init` writes"))?;
        }
    }
    create(args, ".github/workflows/tollgate.yml", WORKFLOW, false)?;
    create(args, ".githooks/pre-commit", HOOK, true)?;
    output::tell(
        "next: look through policies/agent.toll, then `tollgate lint` and `tollgate test`; \
         `git config core.hooksPath .githooks` switches the pre-commit hook on",
    );
    Ok(Exit::Fine)
}

fn create(args: &InitArgs, name: &str, text: &str, executable: bool) -> Result<(), Failure> {
    let written = files::create_text(&args.dir.join(name), text, executable)?;
    output::print_line(&if written {
        format!("wrote {name}")
    } else {
        format!("kept  {name}, which was there")
    })
}
