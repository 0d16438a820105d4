//! Waiters whose time runs out. One timer serves all of a database's, because most waits end in time: a timer of its own
//! for each would be started and stopped, and a thread woken twice, for nothing.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::sleep_until;

use super::{End, Inner, Waiter, Wakes};
use crate::runtime::runtime;

/// How soon the timer looks again at the earliest, unless somebody comes who gives up sooner.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// So many waits are not worth looking through.
const FEW: usize = 4_096;

/// When which waiter gives up: the first to do so first, and those that have ended meanwhile among them.
#[derive(Default)]
pub(super) struct Deadlines {
    waiting: BinaryHeap<Reverse<(Instant, u64, String)>>,
    /// The timer runs, and is to be told of what comes before `looks_at`.
    running: bool,
    looks_at: Option<Instant>,
    /// With so many, those that have ended are forgotten before their time.
    most: usize,
    sooner: Arc<Notify>,
}

impl Wakes {
    /// Has `told` run when `task_id` ends or after `patience`, on the thread that finds out; it must not wait.
    pub fn when_done_within(
        self: &Arc<Self>,
        task_id: &str,
        patience: Duration,
        told: impl FnOnce(End) + Send + 'static,
    ) {
        let waiter = self.when_done(task_id, told);
        let Some(deadline) = Instant::now().checked_add(patience) else {
            return;
        };
        let mut inner = self.lock();
        inner.forget_ended();
        let deadlines = &mut inner.deadlines;
        deadlines
            .waiting
            .push(Reverse((deadline, waiter, task_id.to_owned())));
        if !deadlines.running {
            deadlines.running = true;
            runtime().spawn(watch(Arc::downgrade(self), Arc::clone(&deadlines.sooner)));
        } else if deadlines.looks_at.is_some_and(|at| deadline < at) {
            deadlines.sooner.notify_one();
        }
    }

    /// Tells those whose time is up. When to look again; not while nobody waits.
    fn give_up_expired(&self) -> Option<Instant> {
        let now = Instant::now();
        loop {
            let mut inner = self.lock();
            let Some((deadline, waiter, task_id)) = inner.next_deadline() else {
                inner.deadlines.running = false;
                return None;
            };
            if deadline > now {
                let look_at = deadline.max(now + BETWEEN_LOOKS);
                inner.deadlines.looks_at = Some(look_at);
                return Some(look_at);
            }
            drop(inner);
            // One that panics must not keep the others waiting for good.
            let told = catch_unwind(AssertUnwindSafe(|| self.give_up(&task_id, waiter)));
            if told.is_err() {
                tracing::error!("a waiter panicked");
            }
        }
    }
}

impl Inner {
    /// Keeps waits that ended long before their time from piling up.
    fn forget_ended(&mut self) {
        let (waiters, deadlines) = (&self.waiters, &mut self.deadlines);
        if deadlines.waiting.len() <= deadlines.most.max(FEW) {
            return;
        }
        deadlines
            .waiting
            .retain(|Reverse((_, number, task_id))| waits(waiters, task_id, *number));
        deadlines.most = 2 * deadlines.waiting.len();
    }

    /// The deadline of the waiter that gives up next. Those that have ended are forgotten on the way.
    fn next_deadline(&mut self) -> Option<(Instant, u64, String)> {
        while let Some(Reverse((deadline, waiter, task_id))) = self.deadlines.waiting.peek() {
            if waits(&self.waiters, task_id, *waiter) {
                return Some((*deadline, *waiter, task_id.clone()));
            }
            self.deadlines.waiting.pop();
        }
        None
    }
}

fn waits(waiters: &HashMap<String, Vec<Waiter>>, task_id: &str, number: u64) -> bool {
    let of_task = waiters.get(task_id);
    of_task.is_some_and(|known| known.iter().any(|one| one.number == number))
}

async fn watch(wakes: Weak<Wakes>, sooner: Arc<Notify>) {
    loop {
        let look_at = wakes.upgrade().and_then(|wakes| wakes.give_up_expired());
        let Some(look_at) = look_at else { return };
        tokio::select! {
            () = sleep_until(look_at.into()) => {}
            () = sooner.notified() => {}
        }
    }
}
