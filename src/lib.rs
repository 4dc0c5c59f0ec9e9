//! Tollgate.
#![forbid(unsafe_code)]

pub mod base;
pub mod syntax;
