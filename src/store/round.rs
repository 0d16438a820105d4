//! The worker's hot path through a store: outcomes down, claimed tasks up, in one transaction where it can be.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::model::{Status, Task};
use crate::store::claimed::ClaimedTask;
use crate::store::command::{Outcome, Owner};

/// One task's outcome on its way to the database.
#[derive(Debug, Clone)]
pub struct Settlement {
    /// The task.
    pub task_id: Arc<str>,
    /// Its queue, so that a retry wakes the workers of that queue.
    pub queue: Arc<str>,
    /// How the attempt ends.
    pub outcome: Outcome,
    /// Whether somebody waits for the settled row.
    pub want_row: bool,
}

/// What became of a [`Settlement`].
#[derive(Debug)]
pub enum Settled {
    /// Written; what the task has become by it, and its row when that was wanted.
    Written(Status, Option<Box<Task>>),
    /// The lease was gone; nothing was written.
    Lost,
}

/// One draw of a claim session: up to `limit` rows of these names, in claim order.
#[derive(Debug, Clone)]
pub struct Draw {
    /// Names to take.
    pub names: Vec<String>,
    /// Rows at most.
    pub limit: u32,
    /// Payload bytes at most: the draw stops before the row that would pass it. None = no bound.
    pub max_bytes: Option<u64>,
    /// Whether the first row may pass `max_bytes` (a payload larger than the whole budget runs alone).
    pub oversize_first: bool,
}

/// Decides what a claim session draws. Runs inside the transaction, so it does no I/O.
pub trait Planner: Send {
    /// The next draw, none when the session is over.
    fn next_draw(&mut self) -> Option<Draw>;
    /// Takes the rows of the last draw, in claim order.
    fn record(&mut self, rows: Vec<ClaimedTask>);
    /// The last draw stopped at a row that would have passed its byte bound. The session is over: what is freed has to
    /// add up to that row's size, instead of being eaten by smaller ones.
    fn cut_short(&mut self) {}
    /// Forgets every draw so far: the transaction was rolled back and starts again.
    fn restart(&mut self);
    /// Gives the planner back as what it was, for whoever made it.
    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any + Send>;
}

/// A claim session to run after the settlements of its round.
pub struct ClaimPlan {
    /// The worker's queues.
    pub queues: Vec<String>,
    /// Every registered name: what the probe looks for.
    pub names: Vec<String>,
    /// Look first whether anything is due, without taking a write lock. Left out while work is known to flow.
    pub probe: bool,
    /// What to draw.
    pub planner: Box<dyn Planner>,
}

/// What one round asks of the database.
pub struct Round {
    /// The worker.
    pub owner: Owner,
    /// Outcomes, written first so that what they free can be claimed.
    pub settlements: Vec<Settlement>,
    /// Tasks claimed but never started, to hand back.
    pub releases: Vec<String>,
    /// The claim session, if there is room for more work.
    pub claim: Option<ClaimPlan>,
}

/// What a round brought. Each part fails alone; a round that failed as a whole has an error instead.
pub struct RoundReply {
    /// One answer per settlement, in their order.
    pub settled: Vec<Result<Settled>>,
    /// The releases.
    pub released: Result<()>,
    /// The planner, having recorded what was drawn; none when there was no claim. Its rows are ours only when this is Ok.
    pub claimed: Option<(Box<dyn Planner>, Result<()>)>,
}

impl RoundReply {
    /// What a round of so many settlements is told when all of it failed for one reason. Its planner is gone.
    #[must_use]
    pub fn failed(settlements: usize, error: &Error) -> Self {
        Self {
            settled: (0..settlements).map(|_| Err(error.clone())).collect(),
            released: Err(error.clone()),
            claimed: None,
        }
    }
}
