//! Random policies, calls and worlds: the same seed gives the same cases.

pub mod calls;
pub mod conditions;
pub mod load;
pub mod policies;
pub mod rng;
pub mod worlds;

use serde_json::Value;
use tollgate::effects::virtual_world::VirtualWorld;
use tollgate::model::Call;

pub use policies::LayerText;
pub use rng::Rng;

/// A policy with calls, each in a world.
#[derive(Debug, Clone)]
pub struct Case {
    pub layers: Vec<LayerText>,
    pub worlds: Vec<Value>,
    /// Each with the index of its world.
    pub calls: Vec<(usize, Call)>,
    /// What each layer's conditions may speak of.
    pub known: Vec<conditions::Known>,
}

/// The case of a seed, with that many calls.
pub fn case(seed: u64, calls: usize) -> Case {
    let mut rng = Rng::new(seed);
    let policies::Generated { layers, tools, modes, known } = policies::policy(&mut rng);
    let worlds: Vec<Value> = (0..2).map(|_| worlds::world(&mut rng)).collect();
    let calls = (0..calls).map(|at| (at % worlds.len(), calls::call(&mut rng, &tools, modes))).collect();
    Case { layers, worlds, calls, known }
}

/// The world of a description.
pub fn world(description: &Value) -> VirtualWorld {
    match VirtualWorld::from_json(description.clone()) {
        Ok(world) => world,
        Err(error) => panic!("the generator writes worlds that load: {error}\n{description}"),
    }
}
