//! Claiming, as far as the books go: what there is room for, and what becomes of the rows a claim brought.

use std::sync::Arc;
use std::time::Instant;

use smallvec::smallvec;

use super::State;
use crate::store::claimed::ClaimedTask;
use crate::worker::calls::{Holding, ReadyCall};
use crate::worker::host::{Delivered, OneOrMore};
use crate::worker::plan::Plan;
use crate::worker::prefetch::Prefetch;
use crate::worker::quota::{Room, Session};
use crate::worker::tasks::{Attempt, Progress};

/// Outcomes that may wait for the database before nothing more is claimed.
const MAX_NOT_DURABLE: usize = 4_096;

/// So many outcomes take the database longer to write than the host takes to begin what it holds by the automatic
/// setting: some 200 us.
const WRITES_COVER: usize = 32;

/// With so many outcomes to write, a claim is sent beside them instead of with them where two rounds may be under way: both
/// are work for a connection of its own. Fewer cost less than the second transaction.
const WORTH_A_ROUND: usize = 32;

/// Rows one draw takes at most when `claimBatch` does not say: a transaction of thousands would hold everyone else up,
/// and a session that brought all it asked for is repeated at once.
const ROWS_PER_DRAW: u32 = 1_024;

/// What a round takes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::worker) struct Load {
    pub(in crate::worker) outcomes: bool,
    pub(in crate::worker) claim: bool,
}

impl State {
    /// What the next round takes down. `claims`: a claim can begin. `another`: a round can be sent right behind this one.
    pub(in crate::worker) fn load(&self, claims: bool, another: bool, now: Instant) -> Load {
        let apart = claims && !self.serial && self.outbox.waiting() >= WORTH_A_ROUND;
        if apart {
            // With a place for one of them only, the handlers get their next tasks first, unless one waits for its outcome.
            let outcomes = another || self.outbox.may_wait_until().is_none();
            return Load {
                outcomes,
                claim: !outcomes,
            };
        }
        Load {
            outcomes: claims || self.gathers_until(now).is_none(),
            claim: claims,
        }
    }

    /// Calls that can start at once and tasks that may be held beside them; none when there is no room for a claim.
    fn room(&self) -> Option<(u32, u32)> {
        if self.stopping || self.outbox.not_durable() >= MAX_NOT_DURABLE {
            return None;
        }
        if self.bytes_left() == Some(0) && self.calls.bytes() > 0 {
            return None;
        }
        let free_calls = self.calls.free_slots();
        let held = u32::try_from(self.calls.ready_tasks()).unwrap_or(u32::MAX);
        if free_calls > 0 && held > 0 {
            // The host has not taken what it was given.
            return None;
        }
        // A budget that is half spent is about to bind.
        let scarce = self
            .max_bytes
            .is_some_and(|most| self.calls.bytes() > most / 2);
        let extra_tasks = if scarce {
            0
        } else {
            self.governor
                .extra_tasks(self.steady_ms(), held, self.calls.ready_bytes())
        };
        // What is held is filled up once a quarter of it is used up: a claim costs less a task the more it brings.
        let worth_it = match self.prefetch {
            Prefetch::Fixed(_) => extra_tasks > 0,
            Prefetch::Auto => extra_tasks > held / 3,
        };
        (free_calls > 0 || worth_it).then_some((free_calls, extra_tasks))
    }

    /// Until when a round waits, if it should: outcomes travel with the next claim when the host has calls in hand,
    /// because it will soon want more.
    pub(in crate::worker) fn gathers_until(&self, now: Instant) -> Option<Instant> {
        let until = self.outbox.may_wait_until().filter(|until| *until > now)?;
        (self.calls.ready_tasks() > 0 && !self.stopping && !self.wants_claim()).then_some(until)
    }

    /// Whether a claim is worth sending now: there is room, or there will be once the outcomes that travel with it are
    /// written.
    pub(in crate::worker) fn wants_claim(&self) -> bool {
        self.registry.has_sources() && (self.room().is_some() || self.will_have_room())
    }

    /// While the database writes so many outcomes, the host begins everything it holds. Outcomes that go by a round of their
    /// own are not waited for.
    fn will_have_room(&self) -> bool {
        self.serial
            && !self.stopping
            && self.prefetch == Prefetch::Auto
            && self.outbox.waiting() >= WRITES_COVER
            && self.governor.target_tasks(self.steady_ms()) > 0
    }

    /// The plan of a claim, if there is room for one.
    pub(in crate::worker) fn plan_claim(&mut self) -> Option<Plan> {
        let sources = self.registry.sources();
        if sources.is_empty() {
            return None;
        }
        let (free_calls, extra_tasks) = self.room()?;
        let bytes_left = self.bytes_left();
        let room = Room {
            free_calls,
            extra_tasks,
            claim_batch: Some(self.claim_batch.unwrap_or(ROWS_PER_DRAW)),
            name_calls: self.calls.name_calls().to_vec(),
            resource_left: (0..self.resources.len())
                .map(|resource| {
                    self.resources[resource].saturating_sub(self.calls.resource_calls(resource))
                })
                .collect(),
        };
        let order = self.turns.order(&sources);
        let names = self.registry.names().into();
        Some(Plan::new(
            Session::new(sources, order, room),
            names,
            bytes_left,
            self.calls.bytes() == 0,
        ))
    }

    fn bytes_left(&self) -> Option<u64> {
        self.max_bytes
            .map(|most| most.saturating_sub(self.calls.bytes()))
    }

    /// Turns the rows of a committed claim into ready calls. `sent` is when the claim was sent. Whether to claim again.
    pub(in crate::worker) fn claimed(&mut self, plan: Plan, sent: Instant) -> Claimed {
        let (session, draws) = plan.into_parts();
        let sources = session.sources();
        self.turns.served(sources, session.served());
        let mut claimed = Claimed {
            tasks: 0,
            again: session.is_worth_repeating(),
        };
        for rows in draws {
            claimed.tasks += rows.len();
            let bytes = rows.iter().map(|task| task.payload.len() as u64).sum();
            self.governor
                .claimed(u32::try_from(rows.len()).unwrap_or(u32::MAX), bytes);
            self.make_calls(rows, sent);
        }
        self.stats.claim_ended(sent.elapsed(), claimed.tasks);
        if self.stopping {
            self.release_unstarted();
        }
        claimed
    }

    /// Holds a place for a task of `name` that is about to be written; none unless a claim would start it at once.
    pub(in crate::worker) fn reserve(&mut self, name: &str, bytes: u64) -> Option<Holding> {
        // While a budget is spent in part, something larger may be waiting for the rest of it.
        let bound = self.max_bytes.is_some() && self.calls.bytes() > 0;
        if bound || self.calls.free_slots() == 0 {
            return None;
        }
        let name = self.plan_claim()?.would_draw(name, bytes)?;
        let holding = Holding {
            name,
            resource: self.registry.resource(name),
            bytes,
        };
        self.calls.reserve(&holding);
        Some(holding)
    }

    /// Takes in the task for which a place was held since `sent`, or none. Whether the host can take a call now.
    pub(in crate::worker) fn fill(
        &mut self,
        place: &Holding,
        task: Option<ClaimedTask>,
        sent: Instant,
    ) -> bool {
        self.calls.unreserve(place);
        if let Some(task) = task {
            let sources = self.registry.sources();
            let served = sources
                .iter()
                .position(|source| source.names().contains(&place.name));
            self.turns.served(&sources, served.as_slice());
            self.governor.claimed(1, place.bytes);
            self.make_calls(vec![task], sent);
        }
        if self.stopping {
            self.release_unstarted();
        }
        self.calls.has_offer()
    }

    /// Groups rows by name and cuts them to the batch size, the groups in the order of their first rows.
    fn make_calls(&mut self, rows: Vec<ClaimedTask>, sent: Instant) {
        let mut open: Vec<(usize, OneOrMore<Delivered>)> = Vec::with_capacity(rows.len());
        for task in rows {
            let name = self.registry.index_or_register(&task.name);
            let batch = self.registry.batch(name);
            let delivered = self.deliver(task, name, sent);
            let group = (batch > 1)
                .then(|| {
                    open.iter_mut()
                        .find(|(known, tasks)| *known == name && tasks.len() < batch)
                })
                .flatten();
            match group {
                Some((_, tasks)) => tasks.push(delivered),
                None => open.push((name, smallvec![delivered])),
            }
        }
        let since = Instant::now();
        for (name, tasks) in open {
            let payloads = tasks.iter().map(|one| one.task.payload.len() as u64);
            let holding = Holding {
                name,
                resource: self.registry.resource(name),
                bytes: payloads.sum(),
            };
            self.calls.add_ready(ReadyCall {
                holding,
                tasks,
                since,
            });
        }
    }

    fn deliver(&mut self, task: ClaimedTask, name: usize, sent: Instant) -> Delivered {
        self.stats.of(name).claimed += 1;
        tracing::debug!(
            task = &*task.id,
            name = &*task.name,
            attempt = task.attempt,
            "claimed"
        );
        let handle = self.tasks.add(Attempt {
            task_id: Arc::clone(&task.id),
            name,
            queue: Arc::clone(&task.queue),
            number: task.attempt,
            progress: Progress::Ready,
            began: sent,
            lease_ends: sent + self.lease,
            cancel_requested: task.cancel_requested,
        });
        Delivered { handle, task }
    }
}

/// What a claim brought.
#[derive(Debug, Clone, Copy)]
pub(in crate::worker) struct Claimed {
    /// Tasks.
    pub(in crate::worker) tasks: usize,
    /// Another claim at once may bring more.
    pub(in crate::worker) again: bool,
}
