//! The permit: the only leave to run a tool, for exactly one call, once.

use crate::base::Digest;
use crate::model::{Call, Effect, Verdict};

/// What `decide` concluded.
#[derive(Debug)]
#[must_use]
pub enum Decision {
    /// The level is `allow` or `warn`.
    Permitted(Permit),
    /// The level is `ask`: a person has to approve.
    Pending(Pending),
    /// The level is `block`.
    Refused(Box<Verdict>),
}

impl Decision {
    /// The verdict, whichever it is.
    #[must_use]
    pub fn verdict(&self) -> &Verdict {
        match self {
            Self::Permitted(permit) => &permit.judged.verdict,
            Self::Pending(pending) => &pending.judged.verdict,
            Self::Refused(verdict) => verdict,
        }
    }
}

/// What was judged, kept together so that no part can be exchanged.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) call: Call,
    pub(crate) effects: Vec<Effect>,
    pub(crate) verdict: Verdict,
}

/// Leave to run one call once, under one revision of the policy.
///
/// INVARIANT(permit-minted-by-decide): the only constructor is visible inside `decide/`. It owns the
/// call it is about (the last one, after `modify` rules), and has no `Clone`, `Default` or
/// `Deserialize`.
///
/// It can be looked at and given back, once:
/// ```
/// # use tollgate::decide::Permit;
/// # use tollgate::model::Call;
/// fn give_back(permit: Permit) -> Call { permit.revoke() }
/// ```
/// Giving it back twice does not compile, and neither does keeping a copy:
/// ```compile_fail,E0382
/// # use tollgate::decide::Permit;
/// # use tollgate::model::Call;
/// fn twice(permit: Permit) -> (Call, Call) { (permit.revoke(), permit.revoke()) }
/// ```
/// ```compile_fail,E0308
/// # use tollgate::decide::Permit;
/// fn copy(permit: &Permit) -> Permit { permit.clone() }
/// ```
/// Nor can one be made up, or spent outside the gate:
/// ```compile_fail,E0624
/// # use tollgate::decide::Permit;
/// fn forge() -> Permit { Permit::mint(todo!()) }
/// ```
/// ```compile_fail,E0624
/// # use tollgate::decide::Permit;
/// fn spend(permit: Permit) { drop(permit.spend()); }
/// ```
#[derive(Debug)]
#[must_use]
pub struct Permit {
    judged: Box<Judged>,
}

impl Permit {
    /// INVARIANT(permit-minted-by-decide).
    pub(super) fn mint(judged: Judged) -> Self {
        Self { judged: Box::new(judged) }
    }

    /// The verdict it rests on.
    #[must_use]
    pub fn verdict(&self) -> &Verdict {
        &self.judged.verdict
    }

    /// The call it is for.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.judged.call
    }

    /// The effects that were judged.
    #[must_use]
    pub fn effects(&self) -> &[Effect] {
        &self.judged.effects
    }

    /// The revision of the program that judged.
    #[must_use]
    pub fn revision(&self) -> Digest {
        self.judged.verdict.policy
    }

    /// Gives the call back and destroys the permit: what changes a call has to decide again.
    #[must_use]
    pub fn revoke(self) -> Call {
        self.judged.call
    }

    /// Spends the permit. Only the executor's `run` stage calls this.
    #[cfg(feature = "gate")]
    pub(crate) fn spend(self) -> Judged {
        *self.judged
    }
}

/// A call that waits for a person. Nothing turns it into a [`Permit`] but an approval of its digest.
#[derive(Debug)]
#[must_use]
pub struct Pending {
    judged: Box<Judged>,
}

impl Pending {
    pub(super) fn new(judged: Judged) -> Self {
        Self { judged: Box::new(judged) }
    }

    /// The verdict, its `approval` filled in.
    #[must_use]
    pub fn verdict(&self) -> &Verdict {
        &self.judged.verdict
    }

    /// The call.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.judged.call
    }

    /// The effects that were judged.
    #[must_use]
    pub fn effects(&self) -> &[Effect] {
        &self.judged.effects
    }

    /// Gives the call back.
    #[must_use]
    pub fn revoke(self) -> Call {
        self.judged.call
    }
}
