//! Calls: which wait to be taken, which run, and what they hold of the worker's ceilings.
//!
//! A call counts against its name and its resource from the claim on, so that a call held ready can start the moment
//! a slot is free; it takes a slot only when the host takes it.

use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

use super::by_number::ByNumber;
use super::host::{Delivered, Handle, OneOrMore};

/// What a call holds until it is over.
#[derive(Debug, Clone)]
pub struct Holding {
    /// Index of its name.
    pub name: usize,
    /// Index of the resource it holds a unit of.
    pub resource: Option<usize>,
    /// Bytes of its payloads.
    pub bytes: u64,
}

/// A claimed call the host has not taken yet.
#[derive(Debug)]
pub struct ReadyCall {
    /// What it holds.
    pub holding: Holding,
    /// Its tasks.
    pub tasks: OneOrMore<Delivered>,
    /// When it was claimed.
    pub since: Instant,
}

/// A call whose handler runs.
#[derive(Debug)]
pub struct RunningCall {
    /// What it holds.
    pub holding: Holding,
    /// Its attempts.
    pub handles: OneOrMore<Handle>,
    /// When its time is over, if it has a limit.
    pub deadline: Option<Instant>,
}

/// The books of one worker.
#[derive(Debug, Default)]
pub struct Calls {
    /// Handler calls at once: the sum over the runs under way.
    pub slots: u32,
    ready: VecDeque<ReadyCall>,
    running: ByNumber<RunningCall>,
    /// Slots held free for calls about to be claimed.
    reserved: u32,
    /// Running calls with a limit, the first to end first.
    deadlines: BTreeSet<(Instant, u32)>,
    next: u32,
    /// Calls ready or running, by name index.
    by_name: Vec<u32>,
    /// Units held, by resource index.
    by_resource: Vec<u32>,
    bytes: u64,
    ready_tasks: usize,
    ready_bytes: u64,
}

impl Calls {
    /// Books a claimed call and holds it ready.
    pub fn add_ready(&mut self, call: ReadyCall) {
        self.hold(&call.holding);
        self.ready_tasks += call.tasks.len();
        self.ready_bytes += call.holding.bytes;
        self.ready.push_back(call);
    }

    /// Starts the next ready call if a slot is free; it has until `deadline`.
    pub fn start_next(
        &mut self,
        deadline: Option<Instant>,
    ) -> Option<(u32, usize, OneOrMore<Delivered>)> {
        if self.free_slots() == 0 {
            return None;
        }
        let call = self.pop_ready()?;
        let name = call.holding.name;
        let handles = call
            .tasks
            .iter()
            .map(|delivered| delivered.handle)
            .collect();
        loop {
            self.next = self.next.wrapping_add(1);
            if !self.running.contains_key(&self.next) {
                break;
            }
        }
        self.running.insert(
            self.next,
            RunningCall {
                holding: call.holding,
                handles,
                deadline,
            },
        );
        self.deadlines
            .extend(deadline.map(|deadline| (deadline, self.next)));
        Some((self.next, name, call.tasks))
    }

    /// Holds a slot free, and what the call will hold beside it.
    pub fn reserve(&mut self, holding: &Holding) {
        self.hold(holding);
        self.reserved += 1;
    }

    /// Gives such a slot back.
    pub fn unreserve(&mut self, holding: &Holding) {
        self.give_back(holding);
        self.reserved -= 1;
    }

    /// Slots held free.
    #[must_use]
    pub fn reserved(&self) -> u32 {
        self.reserved
    }

    /// Takes back every call that was never started, giving up what it holds.
    pub fn take_unstarted(&mut self) -> Vec<ReadyCall> {
        let mut unstarted = Vec::with_capacity(self.ready.len());
        while let Some(call) = self.pop_ready() {
            self.give_back(&call.holding);
            unstarted.push(call);
        }
        unstarted
    }

    /// The call is over: its slot and all it held are free.
    pub fn finish(&mut self, call: u32) -> Option<RunningCall> {
        let finished = self.running.remove(&call)?;
        self.give_back(&finished.holding);
        if let Some(deadline) = finished.deadline {
            self.deadlines.remove(&(deadline, call));
        }
        Some(finished)
    }

    /// The running call, while it runs.
    #[must_use]
    pub fn running(&self, call: u32) -> Option<&RunningCall> {
        self.running.get(&call)
    }

    /// The ids of all running calls.
    #[must_use]
    pub fn running_ids(&self) -> Vec<u32> {
        self.running.keys().copied().collect()
    }

    /// When the first running call's time is over.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// The running calls whose time is over.
    #[must_use]
    pub fn expired(&self, now: Instant) -> Vec<u32> {
        self.deadlines
            .iter()
            .take_while(|(deadline, _)| *deadline <= now)
            .map(|(_, call)| *call)
            .collect()
    }

    /// How many calls run.
    #[must_use]
    pub fn running_count(&self) -> u32 {
        u32::try_from(self.running.len()).unwrap_or(u32::MAX)
    }

    /// Slots that no running call takes, and none that is about to come.
    #[must_use]
    pub fn free_slots(&self) -> u32 {
        self.slots
            .saturating_sub(self.running_count())
            .saturating_sub(self.reserved)
    }

    /// Whether the host could take a call now: one is ready and a slot is free.
    #[must_use]
    pub fn has_offer(&self) -> bool {
        self.ready_tasks > 0 && self.free_slots() > 0
    }

    /// Tasks held ready.
    #[must_use]
    pub fn ready_tasks(&self) -> usize {
        self.ready_tasks
    }

    /// Payload bytes held ready.
    #[must_use]
    pub fn ready_bytes(&self) -> u64 {
        self.ready_bytes
    }

    /// When the longest-waiting ready call was claimed.
    #[must_use]
    pub fn ready_since(&self) -> Option<Instant> {
        self.ready.front().map(|call| call.since)
    }

    /// Payload bytes of all calls ready or running.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Calls ready or running, by name index.
    #[must_use]
    pub fn name_calls(&self) -> &[u32] {
        &self.by_name
    }

    /// Units held, by resource index.
    #[must_use]
    pub fn resource_calls(&self, resource: usize) -> u32 {
        self.by_resource.get(resource).copied().unwrap_or(0)
    }

    fn pop_ready(&mut self) -> Option<ReadyCall> {
        let call = self.ready.pop_front()?;
        self.ready_tasks -= call.tasks.len();
        self.ready_bytes -= call.holding.bytes;
        Some(call)
    }

    fn hold(&mut self, holding: &Holding) {
        *count_of(&mut self.by_name, holding.name) += 1;
        if let Some(resource) = holding.resource {
            *count_of(&mut self.by_resource, resource) += 1;
        }
        self.bytes += holding.bytes;
    }

    fn give_back(&mut self, holding: &Holding) {
        *count_of(&mut self.by_name, holding.name) -= 1;
        if let Some(resource) = holding.resource {
            *count_of(&mut self.by_resource, resource) -= 1;
        }
        self.bytes -= holding.bytes;
    }
}

fn count_of(counts: &mut Vec<u32>, index: usize) -> &mut u32 {
    if counts.len() <= index {
        counts.resize(index + 1, 0);
    }
    &mut counts[index]
}
