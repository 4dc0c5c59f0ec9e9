//! Fails the n-th call of a port, for every n: still exactly one envelope and at most one closing
//! record, and nothing ran without an opened one.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tollgate::effects::World;
use tollgate::effects::world::{Node, Platform, WorldError};
use tollgate::gate::{Answer, Cancellation, EffectClass, HookStage};
use tollgate::host::fs::RealWorld;
use tollgate::model::path::Folding;
use tollgate::syntax::ast::Date;

use super::support::*;

const ENOUGH: usize = 40;

#[tokio::test(flavor = "multi_thread")]
async fn every_call_of_the_sink() {
    for (panics, hooks) in [(false, false), (true, false), (false, true), (true, true)] {
        for n in 1..=ENOUGH {
            let probe = Probe::new("probe", Body::Answer, EffectClass::Idempotent, Cancellation::Immediate);
            let ran = Arc::clone(&probe.ran);
            let mut setting = Setting::new().tool(probe);
            if hooks {
                setting = setting.hook("before", HookStage::Pre, |_| modify(json!({"a": 2}))).hook(
                    "after",
                    HookStage::Post,
                    |_| Answer::go_on(),
                );
            }
            setting.sink = Arc::new(Memory::failing(n, panics));
            let (gate, _place, sink) = setting.gate();
            let envelope = call(&gate, "probe", json!({"a": 1})).await;
            let stages = sink.stages();
            let count = |name: &str| stages.iter().filter(|stage| *stage == name).count();
            let ran = ran.load(Ordering::SeqCst);
            assert!(ran <= count("open"), "{n}: it ran without an opened record");
            assert!(count("close") <= 1 && count("open") <= 1, "{n}");
            match end(&envelope).as_str() {
                "ok" => assert_eq!((ran, count("close")), (1, 1), "{n}"),
                "rejected/audit" => assert_eq!(ran, 0, "{n}"),
                "unknown/audit" => {
                    assert_eq!((ran, &envelope["data"]), (1, &Value::Null), "{n}");
                    assert!(gate.is_halted());
                    assert_eq!(end(&call(&gate, "probe", json!({})).await), "rejected/audit");
                }
                other => panic!("{n}: {other}"),
            }
            if sink.calls() < n {
                assert!(n > 3, "the call used {} calls of the sink", sink.calls());
                break;
            }
        }
    }
}

struct Flaky {
    real: RealWorld,
    calls: AtomicUsize,
    fail_at: usize,
    panics: bool,
}

impl Flaky {
    fn fails(&self) -> bool {
        let fails = self.calls.fetch_add(1, Ordering::SeqCst) + 1 == self.fail_at;
        assert!(!(fails && self.panics), "a fault of the world");
        fails
    }
}

impl World for Flaky {
    fn workspace(&self) -> &str {
        self.real.workspace()
    }
    fn home(&self) -> Option<&str> {
        self.real.home()
    }
    fn home_of(&self, user: &str) -> Option<String> {
        self.real.home_of(user)
    }
    fn temp(&self) -> Option<&str> {
        self.real.temp()
    }
    fn cwd(&self) -> Option<&str> {
        self.real.cwd()
    }
    fn platform(&self) -> Platform {
        self.real.platform()
    }
    fn folding(&self, path: &str) -> Folding {
        self.real.folding(path)
    }
    fn inspect(&self, path: &str) -> Result<Node, WorldError> {
        if self.fails() { Err(WorldError::Denied) } else { self.real.inspect(path) }
    }
    fn list(&self, directory: &str, max: usize) -> Result<Vec<String>, WorldError> {
        if self.fails() { Err(WorldError::Denied) } else { self.real.list(directory, max) }
    }
    fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, WorldError> {
        self.real.addresses(host)
    }
    fn variable(&self, name: &str) -> Option<String> {
        self.real.variable(name)
    }
    fn today(&self) -> Option<Date> {
        self.real.today()
    }
    fn labels(&self) -> Vec<String> {
        self.real.labels()
    }
    fn protected(&self) -> Vec<String> {
        self.real.protected()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_look_at_the_world() {
    for panics in [false, true] {
        for n in 1..=400 {
            let mut setting = Setting::new();
            setting.place.put("a", "inside");
            let real = setting.place.world();
            let world = Arc::new(Flaky { real, calls: AtomicUsize::new(0), fail_at: n, panics });
            setting.world = Some(Arc::clone(&world) as _);
            let (gate, _place, sink) = setting.gate();
            let envelope = call(&gate, "read_file", json!({"path": "a"})).await;
            let status = envelope["status"].as_str().unwrap();
            assert!(["ok", "rejected"].contains(&status), "{n}: {envelope:#}");
            assert_eq!(sink.stages().iter().filter(|stage| *stage == "close").count(), 1, "{n}");
            if world.calls.load(Ordering::SeqCst) < n {
                assert!(n > 2);
                return;
            }
        }
    }
    panic!("a call should not look so often");
}
