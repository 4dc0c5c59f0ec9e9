//! Rank 3: a call and a world → effects. Pure but for the [`World`] port.

pub mod world;

pub use world::World;
