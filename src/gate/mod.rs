//! Rank 6b: the only way to a side effect. An intent goes in, an [`Envelope`] comes out, and between
//! them stands one pipeline with one exit.
//!
//! ```text
//! intent ─ parse ─ schema ─ facts, decide ─ pre-hooks ─┐
//!                           ↑                          │ changed? schema, facts, decide again
//!                           └──────────────────────────┘
//!        ─ check ─ admit ─ facts again ─ open record ─ execute ─ scrub ─ redact ─ cut ─ post-hooks
//!        ─ scrub and cut ─ close record ─ envelope
//! ```
//!
//! The order is a matter of types. A [`Permit`](crate::decide::Permit) is minted by `decide` alone.
//! An [`Admitted`] call is made from a spent permit and an opened record, in the execute stage alone.
//! [`Scrubbed`] is made by the scrubber alone, an [`Envelope`] by closing a record alone. So no body
//! of a tool is reachable without the gate.
//!
//! What does not compile, each with a twin that does:
//!
//! ```
//! # use tollgate::gate::{Admitted, Tool, ToolOutput, ToolFailure};
//! async fn body_of_a_tool(tool: &dyn Tool, call: &Admitted) -> Result<ToolOutput, ToolFailure> {
//!     tool.run(call).await
//! }
//! ```
//! An admitted call cannot be made up, so nothing outside can call the function above:
//! ```compile_fail,E0451
//! # use tollgate::gate::{Admitted, Cancel};
//! # fn made_up(call: tollgate::model::Call) -> Admitted {
//! Admitted { call, effects: Vec::new(), verdict: todo!(), cwd: String::new(),
//!            output_bytes: 1, cancel: Cancel::new() }
//! # }
//! ```
//! An envelope can be read,
//! ```
//! # use tollgate::gate::{Envelope, Status};
//! fn went_well(envelope: &Envelope) -> bool { envelope.status() == Status::Ok }
//! ```
//! but not written:
//! ```compile_fail,E0616
//! # use tollgate::gate::{Envelope, Status};
//! fn whitewash(envelope: &mut Envelope) { envelope.status = Status::Ok; }
//! ```
//! Scrubbed text can be looked at,
//! ```
//! # use tollgate::gate::Scrubbed;
//! fn look(text: &Scrubbed<String>) -> &str { text.get() }
//! ```
//! but raw text cannot be called scrubbed:
//! ```compile_fail,E0423
//! # use tollgate::gate::Scrubbed;
//! fn pretend(text: String) -> Scrubbed<String> { Scrubbed(text) }
//! ```

pub mod audit;
pub mod cancel;
pub mod envelope;
pub mod hook;
pub mod journal;
pub mod pipeline;
pub mod ports;
pub mod registry;
mod run;
pub mod scrub;
mod stages;
pub mod tool;

pub use audit::{AuditError, AuditLog, Durability};
pub use cancel::Cancel;
pub use envelope::{Code, Envelope, Status};
pub use hook::{Answer, Hook, HookFailure, HookOutcome, HookSpec, HookStage, OnFailure, Question};
pub use pipeline::{Gate, GateBuilder, Intent};
pub use ports::{AuditSink, Clock, Ids, SinkError};
pub use registry::Registry;
pub use run::Admitted;
pub use scrub::{Scrubbed, Scrubber};
pub use tool::{Cancellation, Definition, EffectClass, Refusal, Tool, ToolFailure, ToolOutput};
