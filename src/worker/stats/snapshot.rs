//! The counters and the books of a worker at one moment, in the shape that `worker.stats()` gives.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Counts, Histogram};
use crate::worker::state::State;
use crate::worker::tasks::Progress;

/// Tasks in play, by how far they have come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InFlight {
    /// Claimed, waiting for a slot.
    pub ready: u64,
    /// In a handler.
    pub running: u64,
    /// Over, the outcome not yet in the database; or on the way back to the queue.
    pub settling: u64,
}

impl InFlight {
    fn count(&mut self, progress: Progress) {
        match progress {
            Progress::Ready => self.ready += 1,
            Progress::Running => self.running += 1,
            Progress::Settling | Progress::Releasing => self.settling += 1,
        }
    }
}

/// One name.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Name {
    in_flight: InFlight,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    capacity: u32,
    in_use: u32,
}

/// See `WorkerStats` in index.d.ts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    slots: u32,
    running_calls: u32,
    bytes: u64,
    in_flight: InFlight,
    totals: Counts,
    names: BTreeMap<String, Name>,
    resources: BTreeMap<String, Resource>,
    claims: Histogram,
    empty_claims: u64,
    failed_claims: u64,
    runs: Histogram,
    settlements: Histogram,
}

impl Snapshot {
    /// What the worker holds and has done now.
    pub(in crate::worker) fn of(state: &mut State) -> Self {
        let mut by_name: Vec<Name> = (0..state.registry.names().len())
            .map(|name| Name {
                counts: *state.stats.of(name),
                ..Name::default()
            })
            .collect();
        let mut in_flight = InFlight::default();
        for (_, attempt) in state.tasks.iter() {
            in_flight.count(attempt.progress);
            by_name[attempt.name].in_flight.count(attempt.progress);
        }
        let resources = state
            .resources()
            .map(|(name, capacity, in_use)| (name.to_owned(), Resource { capacity, in_use }));
        Self {
            slots: state.calls.slots,
            running_calls: state.calls.running_count(),
            bytes: state.calls.bytes(),
            in_flight,
            totals: total(by_name.iter().map(|name| &name.counts)),
            resources: resources.collect(),
            names: state
                .registry
                .names()
                .iter()
                .map(ToString::to_string)
                .zip(by_name)
                .collect(),
            claims: state.stats.claims.clone(),
            empty_claims: state.stats.empty_claims,
            failed_claims: state.stats.failed_claims,
            runs: state.stats.runs.clone(),
            settlements: state.stats.settlements.clone(),
        }
    }
}

fn total<'a>(names: impl Iterator<Item = &'a Counts>) -> Counts {
    names.fold(Counts::default(), |sum, counts| Counts {
        claimed: sum.claimed + counts.claimed,
        started: sum.started + counts.started,
        succeeded: sum.succeeded + counts.succeeded,
        failed: sum.failed + counts.failed,
        retried: sum.retried + counts.retried,
        canceled: sum.canceled + counts.canceled,
        lost: sum.lost + counts.lost,
        released: sum.released + counts.released,
        timed_out: sum.timed_out + counts.timed_out,
    })
}
