//! Connections: the host only.

use super::World;
use crate::model::effect::{NetworkFact, Origin, Resource};
use crate::model::{Capability, Demand, Effect};

/// The connections that a text names.
#[must_use]
pub fn connect(_world: &dyn World, given: &str, method: Option<&str>, _demand: &Demand) -> Vec<Effect> {
    let url = url::Url::parse(given).ok();
    let host = match &url {
        Some(url) => url.host_str().map(str::to_owned),
        None => given.split(['/', ':']).next().map(str::to_owned),
    };
    let fact = NetworkFact {
        given: given.to_owned(),
        scheme: url.as_ref().map(|u| u.scheme().to_owned()),
        url: url.map(|u| u.to_string()),
        host,
        method: method.map(str::to_owned),
        ..NetworkFact::default()
    };
    vec![Effect {
        capability: Capability::Network,
        resource: Resource::Network(Box::new(fact)),
        origin: Origin::Spelled,
        action: None,
        via: None,
        cause: None,
        from: None,
    }]
}
