//! One worker: which task runs when, under whose lease, and what becomes of it.
//!
//! Architecture invariant: nothing here knows JavaScript or SQL. The program around it is a [`Host`], the database a
//! [`Backend`]; `quota` and `prefetch` take numbers and give numbers.

mod answers;
mod by_number;
mod calls;
mod driver;
mod exchange;
mod handoff;
mod heartbeat;
pub mod host;
pub mod options;
mod outbox;
mod plan;
pub mod prefetch;
pub mod quota;
mod registry;
mod replaced;
mod rounds;
mod sent;
mod signs;
mod state;
pub mod stats;
mod tasks;
#[cfg(test)]
mod tests;
mod timeout;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use crate::error::{Error, Result};
use crate::runtime::{guarded, runtime};
use crate::store::Backend;
use crate::store::command::{Command, Outcome, Owner, Reply};
use driver::Driver;
use exchange::Exchange;
use host::{DeliveredCall, Event, Handle, Host, Report};
use options::Options;
pub use replaced::{REPLACED_CLAIM, REPLACED_HEARTBEAT};
use signs::Signs;
use state::State;
use stats::Snapshot;

/// A worker, as its host holds it. Every method returns at once.
pub struct Worker {
    core: Arc<Core>,
}

/// What the worker's tasks share.
struct Core {
    store: Arc<dyn Backend>,
    host: Arc<dyn Host>,
    options: Options,
    owner: Owner,
    state: Mutex<State>,
    signs: Mutex<Signs>,
    exchange: Exchange,
    driver: Driver,
    /// Something changed that the loop has to look at.
    changed: Notify,
    /// There may be work to claim, or room for it.
    look: AtomicBool,
    /// As many rounds are under way as may be; the loop looks again when one is over.
    full: AtomicBool,
    replaced: AtomicU32,
}

impl Core {
    fn state(&self) -> MutexGuard<'_, State> {
        // Whatever panicked while it held the lock, giving up the worker would lose more than an inexact count.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn signs(&self) -> MutexGuard<'_, Signs> {
        self.signs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a turn is due after what the host has just done to `state`: there may be a round to send, or a deadline
    /// before the one the loop sleeps for. `first`: outcomes wait where none did before. A turn costs more than many a
    /// handler.
    fn is_news(&self, state: &State, first: bool) -> bool {
        // Read with the state locked: the loop takes the mark off before it locks the state to look again.
        let full = self.full.load(Ordering::SeqCst);
        state.has_deadlines() || (!full && (first || state.gathers_until(Instant::now()).is_none()))
    }

    /// Has the loop look, before anyone else can see what there is to look for: a place that was found in between would
    /// go to a task that came after those that wait.
    fn mark_look(&self, _changed: &State) {
        self.look.store(true, Ordering::SeqCst);
    }

    fn look(&self) {
        self.look.store(true, Ordering::SeqCst);
        self.changed.notify_one();
    }
}

impl Worker {
    /// A worker that does nothing before [`Worker::run`].
    #[must_use]
    pub fn new(store: Arc<dyn Backend>, host: Arc<dyn Host>, options: Options) -> Self {
        let owner = Owner {
            worker_id: options.worker_id.clone(),
            lease_ms: options::whole(options.lease_ms),
        };
        let core = Core {
            state: Mutex::new(State::new(&options, store.rounds_in_flight())),
            store,
            host,
            options,
            owner,
            signs: Mutex::default(),
            exchange: Exchange::default(),
            driver: Driver::default(),
            changed: Notify::new(),
            look: AtomicBool::new(true),
            full: AtomicBool::new(false),
            replaced: AtomicU32::new(0),
        };
        Self {
            core: Arc::new(core),
        }
    }

    /// Registers a handler's name; takes effect at the next claim.
    pub fn register(
        &self,
        name: &str,
        batch: Option<u32>,
        concurrency: Option<u32>,
        resource: Option<&str>,
    ) {
        {
            let mut state = self.core.state();
            state.registry.register(name, batch, concurrency, resource);
            self.core.mark_look(&state);
        }
        self.core.changed.notify_one();
    }

    /// Claims and hands out calls, `concurrency` more at once than before. `request` is answered when all is over.
    pub fn run(&self, request: u32, concurrency: u32) {
        let starts = {
            let mut state = self.core.state();
            state.runs.push(request);
            state.calls.slots = state.calls.slots.saturating_add(concurrency.max(1));
            self.core.mark_look(&state);
            state.runs.len() == 1
        };
        if starts {
            runtime().spawn(driver::run(Arc::clone(&self.core)));
        }
        self.core.changed.notify_one();
    }

    /// Stops for good: nothing more is claimed, what was claimed but not started goes back at once.
    pub fn stop(&self, grace_ms: Option<f64>) {
        {
            let mut state = self.core.state();
            state.stopping = true;
            state.release_unstarted();
        }
        self.core.changed.notify_one();
        if let Some(grace_ms) = grace_ms {
            let core = Arc::clone(&self.core);
            runtime().spawn(async move {
                tokio::time::sleep(options::duration(grace_ms)).await;
                let lost = core.state().abandon();
                if let Some(lost) = lost {
                    core.host.emit(lost);
                }
                core.changed.notify_one();
            });
        }
    }

    /// The next calls, as many as there are free slots.
    #[must_use]
    pub fn take(&self) -> Vec<DeliveredCall> {
        let (taken, due) = {
            let mut state = self.core.state();
            let taken = state.take();
            let due = !taken.is_empty() && self.core.is_news(&state, false);
            (taken, due)
        };
        crash_point!("delivery");
        if due {
            self.core.turn();
        }
        taken
    }

    /// Takes outcomes down and gives the next calls.
    #[must_use]
    pub fn settle(&self, reports: Vec<Report>) -> Vec<DeliveredCall> {
        let (taken, due) = {
            let mut state = self.core.state();
            let first = state.outbox.may_wait_until().is_none();
            state.report(reports);
            self.core.mark_look(&state);
            let taken = state.take();
            (taken, self.core.is_news(&state, first))
        };
        crash_point!("outcomes");
        if due {
            self.core.turn();
        }
        taken
    }

    /// What synchronous code may ask about an attempt; bits 1 cancel requested, 2 lost, 8 over.
    #[must_use]
    pub fn attempt_state(&self, handle: Handle) -> u32 {
        self.core.state().tasks.state(handle)
    }

    /// Whether the host may still begin an attempt that it was given.
    #[must_use]
    pub fn holds(&self, handle: Handle) -> bool {
        self.core.state().tasks.holds(handle, Instant::now())
    }

    /// Settles an attempt from inside its handler; `request` is answered with the row.
    pub fn settle_one(&self, request: u32, handle: Handle, report: Report) {
        let accepted = {
            let mut state = self.core.state();
            match report {
                Report::Complete(_, result) => state.settle(
                    handle,
                    Outcome::Complete {
                        result,
                        message: None,
                    },
                    Some(request),
                ),
                Report::Fail {
                    error, retryable, ..
                } => state.fail(handle, error, retryable, Some(request)),
                Report::Done(_) | Report::Settled(_) | Report::Lost(_) => false,
            }
        };
        if accepted {
            self.core.turn();
        } else {
            self.core.host.answer(request, Err(self.lost(handle)));
        }
    }

    /// Writes progress of an attempt; `request` is answered with the row.
    pub fn progress(
        &self,
        request: u32,
        handle: Handle,
        progress: Option<f64>,
        message: Option<String>,
    ) {
        self.owned(request, handle, |owner, task_id| Command::Progress {
            owner,
            task_id,
            progress,
            message,
        });
    }

    /// Renews one lease now; `request` is answered with the row.
    pub fn heartbeat(&self, request: u32, handle: Handle) {
        self.owned(request, handle, |owner, task_id| Command::Heartbeat {
            owner,
            task_id,
        });
    }

    fn owned(&self, request: u32, handle: Handle, command: impl FnOnce(Owner, String) -> Command) {
        let core = &self.core;
        let task_id = core
            .state()
            .tasks
            .get(handle)
            .map(|attempt| attempt.task_id.to_string());
        let Some(task_id) = task_id else {
            return core.host.answer(request, Err(self.lost(handle)));
        };
        let done = core.store.execute(command(core.owner.clone(), task_id));
        let core = Arc::clone(core);
        runtime().spawn(async move {
            let outcome = guarded("the operation", done).await;
            core.note_owned(handle, &outcome);
            core.host.answer(request, outcome);
        });
    }

    fn lost(&self, handle: Handle) -> Error {
        let task_id = self
            .core
            .state()
            .tasks
            .get(handle)
            .map(|attempt| attempt.task_id.to_string());
        Error::LostLease {
            task_id: task_id.unwrap_or_default(),
        }
    }

    /// The host's event loop turns.
    pub fn sign_of_life(&self) {
        let core = &self.core;
        let sign = {
            let mut signs = core.signs();
            let sign = signs.come();
            if sign.is_some() {
                // Claims may have waited for it.
                core.look.store(true, Ordering::SeqCst);
            }
            sign
        };
        core.state().tasks.host_has_heard();
        let Some((late, task_id)) = sign else { return };
        if late > options::duration(core.options.heartbeat_interval_ms) {
            core.host.emit(Event::Blocked {
                task_id,
                // Rounded up, so that what was late reads as late.
                late_ms: u64::try_from(late.as_micros().div_ceil(1000)).unwrap_or(u64::MAX),
                interval_ms: core.options.heartbeat_interval_ms,
                lease_ms: core.options.lease_ms,
            });
        }
        core.look();
    }

    /// What the worker holds and has done.
    #[must_use]
    pub fn stats(&self) -> Snapshot {
        Snapshot::of(&mut self.core.state())
    }
}

impl Core {
    /// What a single owned write says about the lease.
    fn note_owned(&self, handle: Handle, outcome: &Result<Reply>) {
        let mut state = self.state();
        match outcome {
            Ok(Reply::Row(Some(task))) => {
                if let Some(attempt) = state.tasks.get_mut(handle) {
                    attempt.cancel_requested |= task.cancel_requested_at_ms.is_some();
                }
            }
            Err(Error::LostLease { .. }) => {
                let running = state
                    .tasks
                    .get(handle)
                    .is_some_and(|attempt| attempt.progress == tasks::Progress::Running);
                if running {
                    state.lose(handle);
                    drop(state);
                    self.host.emit(Event::Lost(vec![handle]));
                }
            }
            _ => {}
        }
    }
}

impl Drop for Worker {
    /// The host let go of the worker, perhaps because its thread ended: nothing more is claimed.
    fn drop(&mut self) {
        self.stop(Some(0.0));
    }
}
