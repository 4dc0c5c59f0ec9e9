//! Rank 4: files → [`Program`]: imports, names, types, normal form, index.

pub mod expr;
pub mod program;

pub use program::Program;
