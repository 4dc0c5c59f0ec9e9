//! Tollgate beside other policy engines: the same rules and requests, each in an engine's own words.

#[path = "../../workload/mod.rs"]
pub mod workload;

pub mod engines;
