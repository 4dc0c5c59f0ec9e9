//! Tollgate decides which tool calls of an AI agent may run, and runs those that may.
//!
//! A policy, in a small language made for it, says what is allowed. [`compile`] turns policy files into
//! a `Program`; [`effects`] turns a call into what it would really do; [`decide`] judges that and is the
//! only mint of permits; `gate` (feature `gate`) runs a tool only with a permit, bounds it, scrubs its
//! result and writes the record. `README.md` has a first example, and it is a test.
//!
//! Modules in reading order: [`syntax`], [`model`], [`effects`], [`compile`], [`decide`], then `gate`.

pub mod base;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compile;
pub mod decide;
pub mod effects;
pub mod format;
#[cfg(feature = "gate")]
pub mod gate;
#[cfg(feature = "gate")]
pub mod host;
pub mod lint;
pub mod model;
#[cfg(feature = "gate")]
pub mod suite;
pub mod syntax;
#[cfg(feature = "gate")]
pub mod tools;

/// The example of the page on hooks, as a test.
#[cfg(all(doctest, feature = "gate"))]
#[doc = include_str!("../docs/hooks.md")]
pub struct Hooks;

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
