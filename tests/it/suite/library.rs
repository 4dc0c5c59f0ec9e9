//! Suites in memory: no disk, no process.

use tollgate::compile::{Files, LayerInput, Program, compile};
use tollgate::suite::snapshot::{self, Comparison};
use tollgate::suite::{Host, PolicySource, Report, parse, run};

const POLICY: &str = "tollgate 1\n\nimport \"std:network\"\n\ndefault block\n\ntool fetch { connects args.url }\n\n\
                      allow fetches { on network }\n";

const TEST: &str = "policy: a.toll\nworld: {hosts: {inside.example: [10.0.0.5], public.example: [192.0.2.1]}}\n\
                    cases:\n  - name: inside\n    call: {tool: fetch, args: {url: \"http://inside.example/\"}}\n    \
                    expect: {verdict: block, rules: [internal-addresses-are-out-of-reach]}\n  - name: public\n    \
                    call: {tool: fetch, args: {url: \"http://public.example/\"}}\n    \
                    expect: {verdict: allow, rules: [fetches]}\n";

/// Packs as somebody changed them.
struct Changed(Option<String>);

impl Files for Changed {
    fn read(&self, _layer: usize, _path: &str) -> Result<String, String> {
        Err("there is no such file".to_owned())
    }

    fn pack(&self, name: &str) -> Option<String> {
        self.0.clone().filter(|_| name == "network")
    }
}

fn program(text: &str, pack: Option<String>) -> Program {
    let input = LayerInput { name: "policy".to_owned(), files: vec![("a.toll".to_owned(), text.to_owned())] };
    compile(&[input], &Changed(pack), Vec::new()).program.unwrap()
}

fn ran(text: &str, pack: Option<String>, stored: Option<&str>) -> Report {
    run(&parse(TEST).unwrap(), &program(text, pack), &Host::default(), stored).unwrap()
}

#[test]
fn a_suite_runs_against_any_text() {
    let first = ran(POLICY, None, None);
    assert!(first.checks.iter().all(tollgate::suite::CheckReport::holds));
    assert!(!first.holds() && first.snapshot == Comparison::Missing);
    let entries: Vec<_> = first.checks.iter().map(|check| check.entry.clone()).collect();
    let stored = snapshot::write("a.test.yaml", &entries);
    assert!(ran(POLICY, None, Some(&stored)).holds());
    // A verdict that no case names is seen by the snapshot.
    let other = POLICY.replace("on network }", "on network  because \"x\" }");
    assert!(ran(&other, None, Some(&stored)).holds(), "an allow has no reason");
    let other = POLICY.replace("allow fetches", "ask fetches");
    let report = ran(&other, None, Some(&stored));
    assert!(!report.checks[1].holds() && matches!(report.snapshot, Comparison::Stale(_)));
}

#[test]
fn a_pack_can_be_exchanged_for_another_text() {
    let pack = tollgate::compile::packs::text("network").unwrap().replace("  10.0.0.0/8,\n", "");
    let report = ran(POLICY, Some(pack), None);
    assert!(!report.checks[0].holds(), "a private range is missing from the pack");
    assert!(report.checks[1].holds());
}

#[test]
fn what_a_suite_protects_lies_beside_it() {
    let protected = |text: &str, file: &str| parse(text).unwrap().protected(file);
    let text = "policy: [../a.toll, ./sub/b.toll, ../../../out.toll, /abs.toll]\ncases: []\n";
    assert_eq!(
        protected(text, "policies/tests/x.test.yaml"),
        ["policies/tests/x.test.yaml", "tollgate.yaml", "policies/a.toll", "policies/tests/sub/b.toll"]
    );
    assert_eq!(protected("cases: []\n", "x.test.yaml"), ["x.test.yaml", "tollgate.yaml"]);
    let layers = parse("layers: {org: o.toll, team: [t, u.toll]}\ncases: []\n").unwrap();
    assert_eq!(layers.protected("x.test.yaml")[2..], ["o.toll", "t", "u.toll"]);
    assert_eq!(
        layers.policy,
        PolicySource::Layers(vec![
            ("org".to_owned(), vec!["o.toll".to_owned()]),
            ("team".to_owned(), vec!["t".to_owned(), "u.toll".to_owned()]),
        ])
    );
}

/// A file at the limit is read, one beyond it is not.
#[test]
fn checks_and_names_have_limits() {
    let rows = |count: usize| {
        let args: String = (0..count).map(|n| format!("{{n: {n}}}, ")).collect();
        format!("policy: a.toll\nmatrix:\n  - tool: [a, b]\n    args: [{args}]\n")
    };
    assert_eq!(parse(&rows(5_000)).unwrap().checks.len(), 10_000);
    let error = parse(&rows(5_001)).unwrap_err();
    assert!(error.message.contains("at most 10000 checks"), "{error:?}");
    let named = |count: usize| {
        let name = "x".repeat(count);
        format!(
            "policy: a.toll\ncases:\n  - name: {name}\n    call: {{tool: t}}\n    expect: {{verdict: allow}}\n"
        )
    };
    assert!(parse(&named(200)).is_ok());
    assert!(parse(&named(201)).unwrap_err().message.contains("at most 200 characters"));
}

#[test]
fn no_check_runs_in_another_world_than_its_own() {
    let program = program(POLICY, None);
    let host = Host { protected: vec!["policies/a\0b.toll".to_owned()], ..Host::default() };
    let error = run(&parse(TEST).unwrap(), &program, &host, None).unwrap_err();
    assert!(
        error.message.starts_with("the policy and test files cannot be protected in its world: "),
        "{error:?}"
    );
    assert!(error.help.is_some());
}
