//! Shim.
use crate::effects::virtual_world::VirtualWorld as V;
/// Shim.
pub type RealWorld = V;
