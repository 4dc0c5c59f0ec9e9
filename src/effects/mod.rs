//! Rank 3: a call and a world → effects. Pure but for the [`World`] port.

pub mod network;
pub mod path;
pub mod shell;
pub mod tool;
pub mod virtual_world;
pub mod world;

pub use path::{anchors, display_path};
pub use tool::{DeriveError, InvalidArguments, derive};
pub use virtual_world::VirtualWorld;
pub use world::World;
