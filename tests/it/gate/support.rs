//! A gate on a temporary folder, with a log in memory.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use tollgate::compile::{LayerInput, NoFiles, Program, compile};
use tollgate::effects::World;
use tollgate::gate::audit::Verifier;
use tollgate::gate::ports::Torn;
use tollgate::gate::tool::BoxFuture;
use tollgate::gate::*;
use tollgate::host::clock::{SystemClock, UniqueIds};
use tollgate::host::fs::{RealWorld, Setup};
use tollgate::host::process;
use tollgate::model::schema::Schema;
use tollgate::model::tool::EffectLine;
use tollgate::model::verdict::Grade;
use tollgate::model::{Capability, ToolDeclaration, ToolPattern};

pub const OPEN_POLICY: &str = "tollgate 1\n\
    default block\n\
    allow files-here { on read, write  when path under workspace }\n\
    allow commands { on exec  covers read, write, network }\n\
    allow thoughts { on nothing }\n";

/// A log in memory that fails, or panics, at its n-th call.
#[derive(Default)]
pub struct Memory {
    pub bytes: Mutex<Vec<u8>>,
    calls: AtomicUsize,
    fail_at: usize,
    panics: bool,
}

impl Memory {
    pub fn failing(fail_at: usize, panics: bool) -> Self {
        Self { fail_at, panics, ..Self::default() }
    }

    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    fn call(&self) -> Result<(), SinkError> {
        if self.calls.fetch_add(1, Ordering::SeqCst) + 1 == self.fail_at {
            assert!(!self.panics, "a fault of the sink");
            return Err(SinkError::Failed("disk full".to_owned()));
        }
        Ok(())
    }

    /// All records, the chain checked.
    pub fn records(&self) -> Vec<Value> {
        let bytes = self.bytes.lock().unwrap();
        let mut verifier = Verifier::new();
        let lines = bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| verifier.push(line).unwrap()).collect()
    }

    pub fn stages(&self) -> Vec<String> {
        self.records().iter().map(|record| record["stage"].as_str().unwrap().to_owned()).collect()
    }
}

impl AuditSink for Memory {
    fn load(&self, _: &mut dyn FnMut(&[u8])) -> Result<Option<Torn>, SinkError> {
        Ok(None)
    }
    fn append(&self, lines: &[u8]) -> Result<(), SinkError> {
        self.call()?;
        self.bytes.lock().unwrap().extend_from_slice(lines);
        Ok(())
    }
    fn sync(&self) -> Result<(), SinkError> {
        self.call()
    }
}

/// What a tool of the tests does.
#[derive(Clone, Copy)]
pub enum Body {
    Answer,
    Sleep,
    Panic,
    Deaf,
    Fail,
    /// Answers with this object.
    Give(fn() -> Value),
}

/// A tool that counts how often its body ran.
pub struct Probe {
    definition: Definition,
    body: Body,
    pub ran: Arc<AtomicUsize>,
}

impl Probe {
    pub fn new(name: &str, body: Body, effect_class: EffectClass, cancellation: Cancellation) -> Self {
        Self::with_schema(name, body, effect_class, cancellation, json!({"type": "object"}))
    }

    pub fn with_schema(
        name: &str,
        body: Body,
        effect_class: EffectClass,
        cancellation: Cancellation,
        schema: Value,
    ) -> Self {
        let schema = Schema::compile(schema).unwrap();
        let declaration = ToolDeclaration {
            pattern: ToolPattern::Exact(name.to_owned()),
            lines: vec![EffectLine::Bare(Capability::Nothing)],
            schema: Some(Arc::new(schema)),
        };
        let definition = Definition {
            name: name.to_owned(),
            description: "a tool of the tests".to_owned(),
            declaration: Arc::new(declaration),
            time_limit_ms: 10_000,
            background: false,
            effect_class,
            cancellation,
            grade: Grade::Held,
            concurrency: 4,
        };
        Self { definition, body, ran: Arc::default() }
    }
}

impl Tool for Probe {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn run<'a>(&'a self, admitted: &'a Admitted) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            self.ran.fetch_add(1, Ordering::SeqCst);
            match self.body {
                Body::Answer => {}
                Body::Sleep => tokio::time::sleep(std::time::Duration::from_secs(60)).await,
                Body::Panic => panic!("a fault of the tool at /root/place"),
                Body::Deaf => std::future::pending().await,
                Body::Give(data) => {
                    let Value::Object(data) = data() else { panic!("no object") };
                    return Ok(ToolOutput::new("gave", data));
                }
                Body::Fail => return Err(ToolFailure::Failed("it did not work".to_owned())),
            }
            let mut data = Map::new();
            data.insert("echo".to_owned(), Value::Object(admitted.args().clone()));
            Ok(ToolOutput::new("answered", data))
        })
    }
}

pub struct Place {
    _folder: tempfile::TempDir,
    pub root: PathBuf,
    pub workspace: PathBuf,
    pub outside: PathBuf,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (workspace, outside) = (root.join("ws"), root.join("outside"));
        std::fs::create_dir(&workspace).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("secret.txt"), "FORBIDDEN").unwrap();
        Self { _folder: folder, root, workspace, outside }
    }

    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.workspace.join(name), content).unwrap();
    }

    pub fn world(&self) -> RealWorld {
        RealWorld::new(Setup {
            workspace: self.workspace.to_str().unwrap().to_owned(),
            environment: process::environment(),
            ..Setup::default()
        })
    }
}

pub fn program(policy: &str, registry: &Registry) -> Arc<Program> {
    let layer =
        LayerInput { name: "policy".to_owned(), files: vec![("p.toll".to_owned(), policy.to_owned())] };
    let compiled = compile(&[layer], &NoFiles, registry.declarations());
    Arc::new(compiled.program.unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics)))
}

/// A gate with everything that a test may want to change.
pub struct Setting {
    pub place: Place,
    pub policy: String,
    pub sink: Arc<Memory>,
    pub registry: Registry,
    pub world: Option<Arc<dyn World>>,
    pub unattended: bool,
    pub output_bytes: u64,
    pub hooks: Vec<(HookSpec, Arc<dyn Hook>)>,
}

/// A hook that is a closure.
pub struct Says<F>(pub F);

impl<F: Fn(&Question) -> Answer + Send + Sync> Hook for Says<F> {
    fn answer<'a>(
        &'a self,
        question: &'a Question,
        _: &'a Cancel,
    ) -> BoxFuture<'a, Result<Answer, HookFailure>> {
        Box::pin(async move { Ok((self.0)(question)) })
    }
}

/// The arguments that a pre-hook is shown.
pub fn args_of(question: &Question) -> Map<String, Value> {
    match &question.about {
        hook::About::Call { call, .. } => call.args.clone(),
        hook::About::Result(_) => panic!("a question about a result"),
    }
}

pub fn modify(args: Value) -> Answer {
    let Value::Object(args) = args else { panic!("no object") };
    Answer { outcome: HookOutcome::Modify(args), reason: None }
}

impl Setting {
    pub fn new() -> Self {
        Self {
            place: Place::new(),
            policy: OPEN_POLICY.to_owned(),
            sink: Arc::default(),
            registry: tollgate::tools::builtin().unwrap(),
            world: None,
            unattended: false,
            output_bytes: 65_536,
            hooks: Vec::new(),
        }
    }

    /// Adds a hook that is a closure.
    pub fn hook<F>(self, name: &str, stage: HookStage, says: F) -> Self
    where
        F: Fn(&Question) -> Answer + Send + Sync + 'static,
    {
        self.hook_of(HookSpec::new(name, stage), Arc::new(Says(says)))
    }

    pub fn hook_of(mut self, spec: HookSpec, hook: Arc<dyn Hook>) -> Self {
        self.hooks.push((spec, hook));
        self
    }

    pub fn policy(mut self, rules: &str) -> Self {
        self.policy = format!("{OPEN_POLICY}{rules}");
        self
    }

    pub fn tool(mut self, probe: Probe) -> Self {
        self.registry.add("test", Arc::new(probe)).unwrap();
        self
    }

    pub fn gate(self) -> (Gate, Place, Arc<Memory>) {
        let clock = Arc::new(SystemClock::new());
        let log = AuditLog::open(Arc::clone(&self.sink) as _, &*clock, Durability::Sync).unwrap();
        let world = self.world.unwrap_or_else(|| Arc::new(self.place.world()));
        let program = program(&self.policy, &self.registry);
        let mut builder = Gate::builder(program, world, Arc::new(log), clock, Arc::new(UniqueIds))
            .registry(self.registry)
            .unattended(self.unattended)
            .output_bytes(self.output_bytes);
        for (spec, hook) in self.hooks {
            builder = builder.hook(spec, hook);
        }
        let gate = builder.build().unwrap();
        (gate, self.place, self.sink)
    }
}

pub async fn call(gate: &Gate, tool: &str, args: Value) -> Value {
    line(gate, &json!({"tool": tool, "args": args})).await
}

pub async fn line(gate: &Gate, call: &Value) -> Value {
    gate.run(Intent::Line { number: 1, text: call.to_string() }).await.to_json()
}

/// `status/code`.
pub fn end(envelope: &Value) -> String {
    match envelope["code"].as_str() {
        Some(code) => format!("{}/{code}", envelope["status"].as_str().unwrap()),
        None => envelope["status"].as_str().unwrap().to_owned(),
    }
}

pub fn link(target: impl AsRef<Path>, at: impl AsRef<Path>) {
    std::os::unix::fs::symlink(target, at).unwrap();
}
