//! Who carries the rounds on: whichever thread brings news takes the worker's next turn itself, because to wake another
//! one for it costs more than the turn. The loop here takes those that time brings, and sees to the end.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Instant;

use tokio::time::sleep_until;
use tracing::Instrument;

use super::host::Event;
use super::rounds::Rounds;
use super::sent::{Done, Sent};
use super::{Core, answers, heartbeat};
use crate::error::{Error, Result};
use crate::runtime::guarded;
use crate::store::command::Reply;
use crate::store::round::RoundReply;

/// The rounds of a worker, and what passes between the threads that take its turns.
#[derive(Default)]
pub(super) struct Driver {
    /// None while the worker does not run.
    rounds: Mutex<Option<Rounds>>,
    /// A turn is wanted: whoever holds `rounds` takes it after the present one.
    wanted: AtomicBool,
    /// Rounds that have come back since the last turn.
    back: Mutex<VecDeque<Done>>,
    /// A turn panicked; there will be no other.
    panicked: AtomicBool,
}

/// What the loop does after a turn.
enum Rest {
    Until(Instant),
    Over,
}

impl Driver {
    fn rounds(&self) -> MutexGuard<'_, Option<Rounds>> {
        self.rounds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn back(&self) -> MutexGuard<'_, VecDeque<Done>> {
        self.back.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next round that has come back.
    pub(super) fn next_back(&self) -> Option<Done> {
        self.back().pop_front()
    }
}

impl Core {
    /// Takes the worker's next turn here and now, or leaves it to the thread that is in the middle of one.
    pub(super) fn turn(self: &Arc<Self>) {
        let driver = &self.driver;
        driver.wanted.store(true, Ordering::SeqCst);
        while driver.wanted.load(Ordering::SeqCst) && !driver.panicked.load(Ordering::SeqCst) {
            let mut rounds = match driver.rounds.try_lock() {
                Ok(rounds) => rounds,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                // Its holder, whoever it is, looks at `wanted` once more after it has let go.
                Err(TryLockError::WouldBlock) => return,
            };
            let Some(rounds) = rounds.as_mut() else {
                return;
            };
            driver.wanted.store(false, Ordering::SeqCst);
            // This may be the database's thread or the host's, which must not end because of us.
            let turn = catch_unwind(AssertUnwindSafe(|| rounds.turn(self)));
            if turn.is_err() {
                driver.panicked.store(true, Ordering::SeqCst);
            }
            if turn.unwrap_or(true) {
                self.changed.notify_one();
            }
        }
    }

    /// Runs `work` while no claim can begin, if none is under way and nothing is known to be due.
    pub(super) fn while_idle<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> Option<T> {
        // Whoever has the lock is in the middle of a turn, and may be about to claim.
        let rounds = self.driver.rounds.try_lock().ok()?;
        let idle = rounds.as_ref().is_some_and(|rounds| rounds.is_idle(self))
            && !self.driver.panicked.load(Ordering::SeqCst);
        let worked = idle.then(work);
        drop(rounds);
        // Who came meanwhile has left its turn to whoever had the lock.
        if self.driver.wanted.load(Ordering::SeqCst) {
            self.turn();
        }
        worked
    }

    /// A round has come back. The thread that brings it takes the next turn; after a failure the loop does, because the
    /// store may be in the middle of something.
    pub(super) fn came_back(self: &Arc<Self>, sent: Sent, reply: Result<RoundReply>) {
        let served = reply.is_ok();
        self.driver.back().push_back(sent.done(reply));
        if served && !self.driver.panicked.load(Ordering::SeqCst) {
            self.turn();
        } else {
            self.changed.notify_one();
        }
    }
}

/// Runs until a stopped worker has nothing left.
pub(super) async fn run(core: Arc<Core>) {
    let span = tracing::debug_span!("worker", id = core.owner.worker_id);
    let heartbeat = tokio::spawn(heartbeat::run(Arc::clone(&core)).instrument(span.clone()));
    let rounds = Rounds::new(&core, span);
    *core.driver.rounds() = Some(rounds);
    let outcome = turns(&core).await;
    if outcome.is_err() {
        salvage(&core).await;
    }
    core.driver.rounds().take();
    // Nothing is leased any more, so there is nothing a beat could be in the middle of.
    heartbeat.abort();
    let runs = std::mem::take(&mut core.state().runs);
    for request in runs {
        core.host
            .answer(request, outcome.clone().map(|()| Reply::Nothing));
    }
}

/// Takes the turns that no thread's news brings.
async fn turns(core: &Arc<Core>) -> Result<()> {
    loop {
        core.turn();
        if core.driver.panicked.load(Ordering::SeqCst) {
            return Err(Error::Internal("the worker's loop panicked".to_owned()));
        }
        let rest = rest(core);
        // Who came while that was worked out has left its turn to whoever had the lock.
        if core.driver.wanted.load(Ordering::SeqCst) {
            continue;
        }
        match rest {
            Rest::Over => return Ok(()),
            Rest::Until(wake_at) => tokio::select! {
                () = core.changed.notified() => {}
                () = sleep_until(wake_at.into()) => {}
            },
        }
    }
}

fn rest(core: &Core) -> Rest {
    match core.driver.rounds().as_mut() {
        Some(rounds) if !rounds.is_over(core) => Rest::Until(rounds.sleep(core)),
        _ => Rest::Over,
    }
}

/// After a panic the state cannot be relied on. Rounds under way are heard out, since handlers may wait for their
/// answers; everything else is dropped, and its leases end by themselves.
async fn salvage(core: &Arc<Core>) {
    while heard_out(core).await {
        core.changed.notified().await;
    }
    let (lost, void) = core.state().reset();
    answers::void(core, void);
    if !lost.is_empty() {
        core.host.emit(Event::Lost(lost));
    }
}

/// Takes in the rounds that have come back. Whether more are under way.
async fn heard_out(core: &Arc<Core>) -> bool {
    loop {
        // A second panic costs the answers of one round.
        let heard = guarded("a round", async {
            Ok(core.driver.rounds().as_mut().is_some_and(|rounds| {
                rounds.hear_back(core);
                rounds.apply_answers(core);
                rounds.is_waiting()
            }))
        })
        .await;
        if let Ok(waiting) = heard {
            return waiting;
        }
    }
}
