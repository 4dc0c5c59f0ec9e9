//! The one thing that the oracle shares with the engine: the derivation of a call's effects.

use tollgate::effects::{World, tool};
use tollgate::model::{Call, Capability, Demand, Effect};
use tollgate::syntax::ast::{Condition, ConditionKind};

use super::policy::{Judged, Layer, Policy};

/// The effects of a call, or the pseudo-rule that blocks it.
pub fn derive(policy: &Policy, call: &Call, world: &dyn World) -> Result<Vec<Effect>, &'static str> {
    let demand = Demand { ip: looks_at_ip(policy, call), paths: true };
    let pseudo = |error| match error {
        tool::DeriveError::InvalidArguments(_) => "invalid-arguments",
        tool::DeriveError::TooManyEffects => "limit",
    };
    let declared = policy.declarations(&call.tool);
    let mut effects = tool::derive(call, &declared, world, &demand).map_err(pseudo)?;
    // For a layer that does not know the tool it may do anything, whatever an inner one says of it.
    if !declared.is_empty() && !policy.layer_knows(0, &call.tool) {
        effects.extend(tool::derive(call, &[], world, &demand).map_err(pseudo)?);
    }
    Ok(effects)
}

/// Whether a rule that could be judged on a connection of this tool looks at the address.
fn looks_at_ip(policy: &Policy, call: &Call) -> bool {
    policy.layers.iter().any(|layer| {
        let candidate =
            |rule: &&Judged| rule.has_tool(&call.tool) && rule.capabilities.contains(&Capability::Network);
        layer.rules.iter().filter(candidate).any(|rule| {
            [&rule.when, &rule.unless].into_iter().flatten().any(|condition| names_ip(layer, condition))
        })
    })
}

fn names_ip(layer: &Layer, condition: &Condition) -> bool {
    match &condition.kind {
        ConditionKind::And(parts) | ConditionKind::Or(parts) => {
            parts.iter().any(|part| names_ip(layer, part))
        }
        ConditionKind::Not(inner) => names_ip(layer, inner),
        ConditionKind::Name(name) => names_ip(layer, layer.condition(name)),
        ConditionKind::Compare(comparison) => comparison.left.field.root.node == "ip",
        ConditionKind::Bool(_) | ConditionKind::SessionHas(_) => false,
    }
}
