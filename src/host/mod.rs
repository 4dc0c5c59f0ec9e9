//! Rank 7: the ports made real.

pub mod config;
pub mod fs;
