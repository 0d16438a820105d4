//! Steps that the host carries out in the worker's place, because the program has replaced the store's method for them:
//! how it tells which, and how its answers come back.

use std::sync::atomic::Ordering;

use super::Worker;
use crate::error::Result;
use crate::store::claimed::ClaimedTask;
use crate::store::round::{Draw, Planner};

/// Bit of [`Worker::replaced`]: the host claims.
pub const REPLACED_CLAIM: u32 = 1;
/// Bit of [`Worker::replaced`]: the host renews.
pub const REPLACED_HEARTBEAT: u32 = 2;

impl Worker {
    /// Which steps the host carries out: [`REPLACED_CLAIM`], [`REPLACED_HEARTBEAT`].
    pub fn replaced(&self, bits: u32) {
        self.core.replaced.store(bits, Ordering::Relaxed);
    }

    /// The next draw of a claim the host runs.
    #[must_use]
    pub fn plan_next(&self, request: u32) -> Option<Draw> {
        self.core
            .exchange
            .with_plan(request, Planner::next_draw)
            .flatten()
    }

    /// The rows of that draw.
    pub fn plan_rows(&self, request: u32, rows: Vec<ClaimedTask>) {
        self.core
            .exchange
            .with_plan(request, |plan| plan.record(rows));
    }

    /// The end of a claim the host ran.
    pub fn plan_end(&self, request: u32, outcome: Result<()>) {
        self.core.exchange.end_claim(request, outcome);
        self.core.changed.notify_one();
    }

    /// The answer to a renewal the host carried out.
    pub fn beat_end(&self, request: u32, outcome: Result<Vec<(String, bool)>>) {
        self.core.exchange.answer_beat(request, outcome);
    }
}
