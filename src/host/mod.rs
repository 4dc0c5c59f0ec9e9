//! Rank 7: the ports made real.

pub mod fs;

pub use fs::{RealWorld, Setup};
