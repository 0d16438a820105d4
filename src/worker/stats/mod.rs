//! What a worker has done since it was made, counted as it happens.
//!
//! Every change happens under the lock of the worker's state anyway, so the counters are plain numbers in it.

mod histogram;
mod snapshot;

pub use histogram::Histogram;
pub use snapshot::Snapshot;

use std::time::Duration;

use serde::Serialize;

use crate::model::Status;

/// What became of the tasks of one name. One attempt counts once as claimed, and once more when it ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Leased by this worker.
    pub claimed: u64,
    /// Taken by the host to run.
    pub started: u64,
    /// Ended in success.
    pub succeeded: u64,
    /// Failed for good.
    pub failed: u64,
    /// Failed, and queued for another attempt.
    pub retried: u64,
    /// Ended as canceled.
    pub canceled: u64,
    /// The lease was lost or given up, so that nothing was recorded.
    pub lost: u64,
    /// Handed back.
    pub released: u64,
    /// Ran out of maxRunMs; counted as failed, retried, canceled or lost as well.
    pub timed_out: u64,
}

impl Counts {
    /// An attempt's outcome is in the database, and the task has become this.
    pub fn settled(&mut self, became: Status) {
        match became {
            Status::Succeeded => self.succeeded += 1,
            Status::Failed => self.failed += 1,
            Status::Canceled => self.canceled += 1,
            // Queued again, or by now even claimed again.
            Status::Queued | Status::Running => self.retried += 1,
        }
    }
}

/// The counters of one worker.
#[derive(Debug, Default)]
pub struct Stats {
    by_name: Vec<Counts>,
    claims: Histogram,
    empty_claims: u64,
    failed_claims: u64,
    runs: Histogram,
    settlements: Histogram,
}

impl Stats {
    /// The counts of a name, by its index.
    pub fn of(&mut self, name: usize) -> &mut Counts {
        if self.by_name.len() <= name {
            self.by_name.resize(name + 1, Counts::default());
        }
        &mut self.by_name[name]
    }

    /// A claim round has committed.
    pub fn claim_ended(&mut self, took: Duration, tasks: usize) {
        self.claims.record(took);
        self.empty_claims += u64::from(tasks == 0);
    }

    /// A claim round has failed.
    pub fn claim_failed(&mut self) {
        self.failed_claims += 1;
    }

    /// The host has handed down an outcome, this long after it took the task.
    pub fn ran(&mut self, took: Duration) {
        self.runs.record(took);
    }

    /// An outcome is in the database, this long after it was handed down.
    pub fn settlement_ended(&mut self, took: Duration) {
        self.settlements.record(took);
    }
}
