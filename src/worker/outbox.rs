//! Outcomes on their way to the database, and those that have to be sent again.

use std::time::{Duration, Instant};

use super::host::Handle;
use crate::store::command::Outcome;

/// How long a failed settlement waits before it is sent again: short at first, since most causes pass quickly.
const RETRY_AFTER: [Duration; 4] = [
    Duration::from_millis(50),
    Duration::from_millis(150),
    Duration::from_millis(400),
    Duration::from_secs(1),
];

/// How long outcomes wait for the next claim, while the host has calls in hand and a claim is therefore near.
const GATHER: Duration = Duration::from_millis(2);

/// How long a failed release waits; nobody's handler depends on it.
const RELEASE_RETRY: Duration = Duration::from_millis(250);

/// One outcome, kept until the database has it or the lease has ended.
#[derive(Debug, Clone)]
pub struct Pending {
    /// The attempt it ends.
    pub handle: Handle,
    /// How it ends.
    pub outcome: Outcome,
    /// The host's request that waits for the row; none when the handler simply returned.
    pub request: Option<u32>,
    /// How often sending it has failed.
    pub failures: usize,
    /// When the host handed it down.
    pub since: Instant,
}

impl Pending {
    /// An outcome to send for the first time.
    #[must_use]
    pub fn new(handle: Handle, outcome: Outcome, request: Option<u32>) -> Self {
        Self {
            handle,
            outcome,
            request,
            failures: 0,
            since: Instant::now(),
        }
    }
}

/// What waits to be written.
#[derive(Debug, Default)]
pub struct Outbox {
    outcomes: Vec<Pending>,
    /// Since when the first of them waits.
    since: Option<Instant>,
    /// A handler waits for one of them.
    awaited: bool,
    releases: Vec<Handle>,
    later_releases: Vec<(Instant, Handle)>,
    retries: Vec<(Instant, Pending)>,
    /// Sent, not answered.
    pub under_way: usize,
}

impl Outbox {
    /// Adds an outcome.
    pub fn push(&mut self, pending: Pending) {
        self.since.get_or_insert_with(Instant::now);
        self.awaited |= pending.request.is_some();
        self.outcomes.push(pending);
    }

    /// Adds a task to hand back.
    pub fn release(&mut self, handle: Handle) {
        self.releases.push(handle);
    }

    /// Puts an outcome aside to be sent again later.
    pub fn send_again(&mut self, mut pending: Pending, now: Instant) {
        let wait = RETRY_AFTER[pending.failures.min(RETRY_AFTER.len() - 1)];
        pending.failures += 1;
        self.retries.push((now + wait, pending));
    }

    /// Tries a release again later.
    pub fn release_again(&mut self, handle: Handle, now: Instant) {
        self.later_releases.push((now + RELEASE_RETRY, handle));
    }

    /// Takes everything that is to be written now.
    pub fn take(&mut self, now: Instant) -> (Vec<Pending>, Vec<Handle>) {
        self.since = None;
        self.awaited = false;
        let mut outcomes = std::mem::take(&mut self.outcomes);
        outcomes.extend(
            self.retries
                .extract_if(.., |(at, _)| *at <= now)
                .map(|(_, pending)| pending),
        );
        let mut releases = std::mem::take(&mut self.releases);
        releases.extend(
            self.later_releases
                .extract_if(.., |(at, _)| *at <= now)
                .map(|(_, handle)| handle),
        );
        (outcomes, releases)
    }

    /// Whether there is something to write now.
    #[must_use]
    pub fn is_waiting(&self, now: Instant) -> bool {
        !self.outcomes.is_empty()
            || !self.releases.is_empty()
            || self.next_retry().is_some_and(|at| at <= now)
    }

    /// Outcomes to write.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.outcomes.len()
    }

    /// Until when its outcomes may wait for a claim to travel with; none when something here cannot wait.
    #[must_use]
    pub fn may_wait_until(&self) -> Option<Instant> {
        if self.awaited || !self.releases.is_empty() || self.next_retry().is_some() {
            return None;
        }
        self.since.map(|since| since + GATHER)
    }

    /// Every outcome that was not sent.
    #[must_use]
    pub fn into_outcomes(self) -> Vec<Pending> {
        let retries = self.retries.into_iter().map(|(_, pending)| pending);
        self.outcomes.into_iter().chain(retries).collect()
    }

    /// When the next retry is due.
    #[must_use]
    pub fn next_retry(&self) -> Option<Instant> {
        let releases = self.later_releases.iter().map(|(at, _)| *at);
        self.retries.iter().map(|(at, _)| *at).chain(releases).min()
    }

    /// Outcomes that are not durable yet.
    #[must_use]
    pub fn not_durable(&self) -> usize {
        self.outcomes.len()
            + self.releases.len()
            + self.later_releases.len()
            + self.retries.len()
            + self.under_way
    }
}
