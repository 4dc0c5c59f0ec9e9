//! The result envelope: what every caller gets for every call, whatever happened.

use serde_json::{Map, Value, json};

use crate::model::verdict::Grade;

use super::scrub::Scrubbed;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It did what it should.
    Ok,
    /// Nothing ran.
    Rejected,
    /// It ran and failed.
    Failed,
    /// It was told to stop and has stopped.
    Cancelled,
    /// It may have had an effect.
    Unknown,
}

impl Status {
    /// The word of the envelope.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Rejected => "rejected",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Unknown => "unknown",
        }
    }
}

/// Why a call did not end `ok`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The policy.
    Policy,
    /// The arguments do not fit the schema, or the tool will not take them.
    InvalidArguments,
    /// The input is no call.
    InvalidCall,
    /// There is no such tool.
    UnknownTool,
    /// A hook.
    Hook,
    /// It waits for a person, who cannot be asked here.
    Approval,
    /// A bound of the program or of the call was passed.
    Limit,
    /// Its time is over.
    TimeLimit,
    /// It was cancelled.
    Cancel,
    /// The tool says so.
    ToolError,
    /// A rule on results.
    ResultRule,
    /// A clause that this build does not enforce.
    NotEnforced,
    /// The audit log could not be written.
    Audit,
    /// A fault of the program.
    Internal,
}

impl Code {
    /// The word of the envelope.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::InvalidArguments => "invalid-arguments",
            Self::InvalidCall => "invalid-call",
            Self::UnknownTool => "unknown-tool",
            Self::Hook => "hook",
            Self::Approval => "approval",
            Self::Limit => "limit",
            Self::TimeLimit => "time-limit",
            Self::Cancel => "cancel",
            Self::ToolError => "tool-error",
            Self::ResultRule => "result-rule",
            Self::NotEnforced => "not-enforced",
            Self::Audit => "audit",
            Self::Internal => "internal",
        }
    }
}

/// Whether asking again makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retry {
    /// The same call may go better.
    pub allowed: bool,
    /// After so many milliseconds.
    pub after_ms: Option<u64>,
    /// Somebody has to look first at what it did.
    pub requires_inspection: bool,
}

/// What a caller gets.
///
/// INVARIANT(envelope-by-closing): only closing a record makes one, and everything in it that came
/// from a caller or a tool went through the scrubber.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    pub(super) call_id: String,
    pub(super) tool: Option<Scrubbed<String>>,
    pub(super) status: Status,
    pub(super) code: Option<Code>,
    pub(super) summary: Scrubbed<String>,
    pub(super) grade: Option<Grade>,
    pub(super) verdict: Option<Scrubbed<Value>>,
    pub(super) data: Option<Scrubbed<Value>>,
    pub(super) retry: Retry,
    pub(super) started_at: jiff::Timestamp,
    pub(super) elapsed_ms: u64,
}

impl Envelope {
    /// The call's id.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// The tool, where the input named one.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_ref().map(|tool| tool.get().as_str())
    }

    /// How it ended.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Why, where it is not `ok`.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        self.code
    }

    /// One sentence for model and person.
    #[must_use]
    pub fn summary(&self) -> &str {
        self.summary.get()
    }

    /// How sure it is that what was judged is what was used.
    #[must_use]
    pub fn grade(&self) -> Option<Grade> {
        self.grade
    }

    /// The verdict as JSON.
    #[must_use]
    pub fn verdict(&self) -> Option<&Value> {
        self.verdict.as_ref().map(Scrubbed::get)
    }

    /// The tool's own result.
    #[must_use]
    pub fn data(&self) -> Option<&Value> {
        self.data.as_ref().map(Scrubbed::get)
    }

    /// Whether asking again makes sense.
    #[must_use]
    pub fn retry(&self) -> Retry {
        self.retry
    }

    /// As JSON (`json.md`).
    #[must_use]
    pub fn to_json(&self) -> Value {
        let modified = self.verdict().and_then(|verdict| verdict.get("modified")).cloned();
        let mut out = Map::new();
        out.insert("v".to_owned(), json!(1));
        out.insert("callId".to_owned(), json!(self.call_id));
        out.insert("tool".to_owned(), json!(self.tool()));
        out.insert("status".to_owned(), json!(self.status.as_str()));
        out.insert("code".to_owned(), json!(self.code.map(Code::as_str)));
        out.insert("summary".to_owned(), json!(self.summary()));
        out.insert("grade".to_owned(), json!(self.grade.map(Grade::as_str)));
        out.insert("verdict".to_owned(), self.verdict().cloned().unwrap_or(Value::Null));
        out.insert("modified".to_owned(), modified.unwrap_or(Value::Null));
        out.insert("data".to_owned(), self.data().cloned().unwrap_or(Value::Null));
        out.insert("artifact".to_owned(), Value::Null);
        out.insert(
            "retry".to_owned(),
            json!({
                "allowed": self.retry.allowed,
                "afterMs": self.retry.after_ms,
                "requiresInspection": self.retry.requires_inspection,
            }),
        );
        let started_at = format!("{:.3}", self.started_at);
        out.insert("timing".to_owned(), json!({"startedAt": started_at, "elapsedMs": self.elapsed_ms}));
        Value::Object(out)
    }
}
