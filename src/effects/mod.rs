//! Rank 3: a call and a world → effects. Pure but for the [`World`] port.

pub mod network;
pub mod path;
pub mod shell;
pub mod world;

pub use world::World;
