//! Steps the host carries out in the store's place, because one of the store's methods was replaced there.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::oneshot;

use super::plan::Plan;
use crate::error::Result;

type Renewed = Result<Vec<(String, bool)>>;

/// What is under way at the host.
#[derive(Default)]
pub struct Exchange {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    next: u32,
    beat: Option<(u32, oneshot::Sender<Renewed>)>,
    claim: Option<HostClaim>,
    ended: Option<EndedClaim>,
}

/// A claim session the host runs.
struct HostClaim {
    request: u32,
    plan: Plan,
    sent: Instant,
}

/// The plan of a claim the host has run, how it ended, and when it began.
pub type EndedClaim = (Plan, Result<()>, Instant);

impl Exchange {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a renewal at the host.
    pub fn ask_beat(&self) -> (u32, oneshot::Receiver<Renewed>) {
        let (sender, receiver) = oneshot::channel();
        let mut inner = self.lock();
        inner.next = inner.next.wrapping_add(1);
        let request = inner.next;
        inner.beat = Some((request, sender));
        (request, receiver)
    }

    /// The host's answer; one that comes too late is nobody's.
    pub fn answer_beat(&self, request: u32, answer: Renewed) {
        let mut inner = self.lock();
        if let Some((_, sender)) = inner.beat.take_if(|(known, _)| *known == request) {
            // The beat may have been given up in this very moment.
            let _ = sender.send(answer);
        }
    }

    /// Begins a claim at the host.
    pub fn ask_claim(&self, plan: Plan) -> u32 {
        let mut inner = self.lock();
        inner.next = inner.next.wrapping_add(1);
        let request = inner.next;
        inner.claim = Some(HostClaim {
            request,
            plan,
            sent: Instant::now(),
        });
        request
    }

    /// Lets `work` go on with the plan of a claim under way.
    pub fn with_plan<T>(&self, request: u32, work: impl FnOnce(&mut Plan) -> T) -> Option<T> {
        let mut inner = self.lock();
        inner
            .claim
            .as_mut()
            .filter(|claim| claim.request == request)
            .map(|claim| work(&mut claim.plan))
    }

    /// Ends a claim under way; the loop takes it from here.
    pub fn end_claim(&self, request: u32, outcome: Result<()>) {
        let mut inner = self.lock();
        if let Some(claim) = inner.claim.take_if(|claim| claim.request == request) {
            inner.ended = Some((claim.plan, outcome, claim.sent));
        }
    }

    /// The claim the host has ended since the last call.
    pub fn take_ended(&self) -> Option<EndedClaim> {
        self.lock().ended.take()
    }

    /// Whether a claim is under way at the host, or its end has not been seen to.
    pub fn is_claiming(&self) -> bool {
        let inner = self.lock();
        inner.claim.is_some() || inner.ended.is_some()
    }
}
