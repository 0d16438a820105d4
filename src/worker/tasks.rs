//! The attempts in play: every task this worker holds a lease on, from claim to COMMIT.

use std::collections::HashSet;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Instant;

use super::by_number::ByNumber;
use super::host::Handle;

/// How far an attempt has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Claimed, not yet taken by the host.
    Ready,
    /// The handler has it.
    Running,
    /// Its outcome is on the way to the database.
    Settling,
    /// It is on the way back to the queue, unstarted or abandoned.
    Releasing,
}

/// One attempt in play.
#[derive(Debug)]
pub struct Attempt {
    /// The task.
    pub task_id: Arc<str>,
    /// Index of its name.
    pub name: usize,
    /// Its queue.
    pub queue: Arc<str>,
    /// Which attempt this is; the first is 1.
    pub number: i64,
    /// How far it has come.
    pub progress: Progress,
    /// When the host took it; before that, when it was claimed.
    pub began: Instant,
    /// The lease surely holds until then: counted from before the claim or renewal was sent.
    pub lease_ends: Instant,
    /// A cancellation was seen.
    pub cancel_requested: bool,
}

/// Bit of [`Tasks::state`]: a cancellation was seen.
pub const CANCEL_REQUESTED: u32 = 1;
/// Bit of [`Tasks::state`]: the lease is gone.
pub const LOST: u32 = 2;
/// Bit of [`Tasks::state`]: over and forgotten; settled, unless the host saw it lost.
pub const UNKNOWN: u32 = 8;

/// The table of attempts.
#[derive(Debug, Default)]
pub struct Tasks {
    attempts: ByNumber<Attempt>,
    /// Lost attempts the host may not have heard of, because its thread is blocked.
    lost_unheard: HashSet<Handle>,
    next: Handle,
}

impl Tasks {
    /// Adds an attempt and names it.
    pub fn add(&mut self, attempt: Attempt) -> Handle {
        loop {
            self.next = self.next.wrapping_add(1);
            if let Entry::Vacant(place) = self.attempts.entry(self.next) {
                place.insert(attempt);
                return self.next;
            }
        }
    }

    /// The attempt, while it is in play.
    #[must_use]
    pub fn get(&self, handle: Handle) -> Option<&Attempt> {
        self.attempts.get(&handle)
    }

    /// The attempt, while it is in play.
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut Attempt> {
        self.attempts.get_mut(&handle)
    }

    /// The attempt is over.
    pub fn remove(&mut self, handle: Handle) -> Option<Attempt> {
        self.attempts.remove(&handle)
    }

    /// Whether the host may still begin what it was given: in the meantime its time may have run out.
    #[must_use]
    pub fn holds(&self, handle: Handle, now: Instant) -> bool {
        self.attempts.get(&handle).is_some_and(|attempt| {
            attempt.progress == Progress::Running && attempt.lease_ends > now
        })
    }

    /// Everything in play.
    pub fn iter(&self) -> impl Iterator<Item = (Handle, &Attempt)> {
        self.attempts
            .iter()
            .map(|(handle, attempt)| (*handle, attempt))
    }

    /// Remembers that the host still has to hear of this loss.
    pub fn remember_lost(&mut self, handle: Handle) {
        self.lost_unheard.insert(handle);
    }

    /// The host has turned its loop, and with it heard of every loss so far.
    pub fn host_has_heard(&mut self) {
        self.lost_unheard.clear();
    }

    /// What synchronous code may ask about an attempt while it blocks the thread.
    #[must_use]
    pub fn state(&self, handle: Handle) -> u32 {
        let lost = if self.lost_unheard.contains(&handle) {
            LOST
        } else {
            0
        };
        match self.attempts.get(&handle) {
            Some(attempt) if attempt.cancel_requested => lost | CANCEL_REQUESTED,
            None if lost == 0 => UNKNOWN,
            _ => lost,
        }
    }
}
