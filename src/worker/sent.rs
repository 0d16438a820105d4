//! A round on its way: what it took down, and how it came back.

use std::time::Instant;

use super::host::Handle;
use super::outbox::Pending;
use crate::error::Result;
use crate::store::round::{Planner, RoundReply, Settled};

/// What a round took down.
pub(super) struct Sent {
    pub(super) pending: Vec<Pending>,
    pub(super) releases: Vec<Handle>,
    /// It asks for a claim.
    pub(super) claims: bool,
    pub(super) at: Instant,
    pub(super) span: tracing::Span,
}

/// A round that has come back.
pub(super) struct Done {
    pub(super) sent: Sent,
    pub(super) settled: Vec<Result<Settled>>,
    pub(super) released: Result<()>,
    /// None when it claimed nothing, and once that has been seen to.
    pub(super) claimed: Option<Result<Box<dyn Planner>>>,
}

impl Sent {
    pub(super) fn done(self, reply: Result<RoundReply>) -> Done {
        let mut failed = None;
        let reply = reply.unwrap_or_else(|error| {
            let reply = RoundReply::failed(self.pending.len(), &error);
            failed = self.claims.then_some(Err(error));
            reply
        });
        let claimed = reply.claimed;
        let claimed = claimed.map(|(planner, outcome)| outcome.map(|()| planner));
        Done {
            sent: self,
            settled: reply.settled,
            released: reply.released,
            claimed: claimed.or(failed),
        }
    }
}
