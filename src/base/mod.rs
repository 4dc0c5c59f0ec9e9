//! Rank 0: places in texts, diagnostics, limits, suggestions, digests. Knows nothing of policies.

pub mod diagnostic;
pub mod digest;
pub mod edit;
pub mod limits;
pub mod source;
pub mod span;
pub mod suggest;
pub mod yaml;

pub use diagnostic::{Diagnostic, Label, Level};
pub use digest::Digest;
pub use edit::{Edit, Fix};
pub use source::{FileId, Place, Source, Sources};
pub use span::{Span, Spanned};
