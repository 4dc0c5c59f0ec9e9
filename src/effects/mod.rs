//! Rank 3: a call and a world → effects. Pure but for the [`World`] port.

pub mod path;
pub mod virtual_world;
pub mod world;

pub use virtual_world::VirtualWorld;
pub use world::World;
