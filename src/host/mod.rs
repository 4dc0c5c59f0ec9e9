//! Rank 7: the ports made real. What starts processes, opens files and reads clocks lives here and in
//! [`crate::tools`].

pub mod clock;
pub mod config;
pub mod fs;
pub(crate) mod held;
pub mod hook;
pub mod pinned;
pub mod process;
mod proctable;
pub mod sink;

pub use fs::{RealWorld, Setup};
