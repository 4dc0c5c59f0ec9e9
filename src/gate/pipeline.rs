//! The gate itself: what it is made of, and the one way in.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::base::{Digest, limits};
use crate::compile::Program;
use crate::effects::{World, anchors};
use crate::model::Call;

use super::audit::AuditLog;
use super::cancel::Cancel;
use super::envelope::Envelope;
use super::hook::{Entry, Hook, HookSpec, HookStage};
use super::journal::{Desk, Draft};
use super::ports::{Clock, Ids};
use super::registry::Registry;
use super::scrub::{Places, Scrubber};

/// What a caller wants: stated, not yet granted.
#[derive(Debug, Clone, PartialEq)]
pub enum Intent {
    /// A call. Its `source` and `today` are set by the gate; an empty id is made.
    Call(Box<Call>),
    /// A line of JSON lines.
    Line {
        /// Counted from 1.
        number: u64,
        /// Without its line end.
        text: String,
    },
    /// A line that could not be read.
    Unreadable {
        /// Counted from 1.
        number: u64,
        /// Why, as half a sentence (`it is longer than 1 MiB`).
        reason: String,
    },
}

/// Every call goes through it. Cheap to clone; clones are one gate.
#[derive(Clone)]
pub struct Gate {
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) program: RwLock<Arc<Program>>,
    pub(super) world: Arc<dyn World>,
    pub(super) registry: Registry,
    pub(super) desk: Desk,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) scrubber: &'static Scrubber,
    pub(super) places: Places,
    pub(super) default_mode: Option<String>,
    pub(super) unattended: bool,
    pub(super) output_bytes: u64,
    /// In the order in which they are asked.
    pub(super) pre_hooks: Vec<Entry>,
    pub(super) post_hooks: Vec<Entry>,
    seen: Mutex<Seen>,
}

/// The ids of the last calls.
#[derive(Default)]
struct Seen {
    ids: HashSet<Digest>,
    order: VecDeque<Digest>,
}

/// Why a gate cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    /// The table of credentials does not compile.
    #[error("the table of credential formats cannot be used")]
    Scrubber,
    /// A limit that lets nothing through, or more than memory should hold.
    #[error("the output limit must be between 1 and {} bytes", limits::OUTPUT_BYTES_MAX)]
    OutputLimit,
    /// A hook that cannot be asked.
    #[error("{0}")]
    Hook(String),
}

/// Collects what a gate is made of.
pub struct GateBuilder {
    program: Arc<Program>,
    world: Arc<dyn World>,
    desk: Desk,
    ids: Arc<dyn Ids>,
    registry: Registry,
    default_mode: Option<String>,
    unattended: bool,
    output_bytes: u64,
    hooks: Vec<Entry>,
}

impl GateBuilder {
    /// The tools; none unless given.
    #[must_use]
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// The mode of calls that name none.
    #[must_use]
    pub fn default_mode(mut self, mode: Option<String>) -> Self {
        self.default_mode = mode;
        self
    }

    /// Turns every `ask` into `block`.
    #[must_use]
    pub fn unattended(mut self, unattended: bool) -> Self {
        self.unattended = unattended;
        self
    }

    /// Bytes of text of one result, where no rule says less.
    #[must_use]
    pub fn output_bytes(mut self, bytes: u64) -> Self {
        self.output_bytes = bytes;
        self
    }

    /// Adds a hook. Hooks of a stage are asked in the order in which they were added.
    #[must_use]
    pub fn hook(mut self, spec: HookSpec, hook: Arc<dyn Hook>) -> Self {
        self.hooks.push(Entry { spec, hook });
        self
    }

    /// The gate.
    ///
    /// # Errors
    /// An option that cannot be used.
    pub fn build(self) -> Result<Gate, GateError> {
        if self.output_bytes == 0 || self.output_bytes > limits::OUTPUT_BYTES_MAX {
            return Err(GateError::OutputLimit);
        }
        for (at, entry) in self.hooks.iter().enumerate() {
            if let Some(flaw) = entry.spec.flaw() {
                return Err(GateError::Hook(flaw));
            }
            if self.hooks.iter().take(at).any(|other| other.spec.name == entry.spec.name) {
                return Err(GateError::Hook(format!("two hooks are called `{}`", entry.spec.name)));
            }
        }
        let (pre_hooks, post_hooks) =
            self.hooks.into_iter().partition(|entry| entry.spec.stage == HookStage::Pre);
        let inner = Inner {
            places: Places::new(anchors(self.world.as_ref(), &[]).workspace),
            scrubber: Scrubber::shared().ok_or(GateError::Scrubber)?,
            program: RwLock::new(self.program),
            world: self.world,
            registry: self.registry,
            desk: self.desk,
            ids: self.ids,
            default_mode: self.default_mode,
            unattended: self.unattended,
            output_bytes: self.output_bytes,
            pre_hooks,
            post_hooks,
            seen: Mutex::default(),
        };
        Ok(Gate { inner: Arc::new(inner) })
    }
}

impl Gate {
    /// Begins a gate.
    #[must_use]
    pub fn builder(
        program: Arc<Program>,
        world: Arc<dyn World>,
        log: Arc<AuditLog>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
    ) -> GateBuilder {
        GateBuilder {
            program,
            world,
            desk: Desk { log, clock },
            ids,
            registry: Registry::new(),
            default_mode: None,
            unattended: false,
            output_bytes: limits::OUTPUT_BYTES_DEFAULT,
            hooks: Vec::new(),
        }
    }

    /// Carries an intent through the pipeline. Must be called inside a tokio runtime. When the future
    /// is dropped the call is cancelled, and its record is closed all the same.
    pub async fn run(&self, intent: Intent) -> Envelope {
        self.run_until(intent, &Cancel::new()).await
    }

    /// The same, until it is told to stop.
    pub async fn run_until(&self, intent: Intent, cancel: &Cancel) -> Envelope {
        let draft = Draft::begin(self.inner.desk.clone(), self.inner.ids.call_id());
        let rescue = draft.rescue();
        let gone = Cancel::new();
        let guard = gone.on_drop();
        let inner = Arc::clone(&self.inner);
        let mut task = tokio::spawn(inner.drive(intent, draft, gone.clone()));
        let ended = tokio::select! {
            ended = &mut task => ended,
            () = cancel.requested() => {
                gone.request();
                task.await
            }
        };
        guard.disarm();
        match ended {
            Ok(envelope) => envelope,
            Err(_) => rescue.close().await,
        }
    }

    /// Puts a new policy in force. Permits of the old one are refused from now on.
    pub fn replace_program(&self, program: Arc<Program>) {
        *self.inner.program.write().unwrap_or_else(PoisonError::into_inner) = program;
    }

    /// The policy in force.
    #[must_use]
    pub fn program(&self) -> Arc<Program> {
        self.inner.program()
    }

    /// The tools.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    /// Whether the gate admits nothing more, because its records cannot be written.
    #[must_use]
    pub fn is_halted(&self) -> bool {
        self.inner.desk.log.is_halted()
    }
}

impl Inner {
    pub(super) fn program(&self) -> Arc<Program> {
        Arc::clone(&self.program.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a call's id is new in its session, as far as ids are remembered.
    pub(super) fn is_new(&self, call: &Call) -> bool {
        let session = call.context.session.as_deref().unwrap_or("");
        let key = Digest::of_parts([session.as_bytes(), call.id.as_bytes()]);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.ids.insert(key) {
            return false;
        }
        seen.order.push_back(key);
        if seen.order.len() > limits::CALL_IDS_REMEMBERED
            && let Some(oldest) = seen.order.pop_front()
        {
            seen.ids.remove(&oldest);
        }
        true
    }
}
