//! What waits for the writer: operations in the order they came, renewals ahead of them, and requests to look whether
//! another process has committed.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::transaction::Tx;
use crate::error::Result;
use crate::store::command::NewTask;
use crate::store::handoff::Place;

/// Operations in one transaction at most: a bound on how long the first of them waits for COMMIT.
const MAX_GROUP: usize = 512;

/// One operation on its way to the database.
pub(super) trait Job: Send {
    /// Whether a look, without any lock, shows that there is nothing to do. Asked when nothing else needs the lock.
    fn finds_nothing(&self, _tx: &Tx<'_, '_>) -> Result<bool> {
        Ok(false)
    }
    /// Called before the first run when it has the transaction for itself, with what finds a place for a new task.
    fn find_place(&mut self, _find: &dyn Fn(&NewTask) -> Option<Place>) {}
    /// Does the work inside the transaction. Runs again from the start when the group had to be undone.
    fn run(&mut self, tx: &Tx<'_, '_>) -> Result<()>;
    /// Whether a run that failed is to be undone and run again: the next leaves out what failed.
    fn is_worth_repeating(&self) -> bool {
        false
    }
    /// Tells whoever waits, after COMMIT or for good reason. What the operation announces has been told by then.
    fn finish(self: Box<Self>, outcome: Result<()>);
    /// Whether it needs the transaction for itself.
    fn alone(&self) -> bool {
        false
    }
}

/// A job, and how long it waits for another process's write lock.
pub(super) struct Entry {
    pub(super) job: Box<dyn Job>,
    since: Instant,
    patience: Duration,
}

impl Entry {
    /// Whether it has waited long enough for a lock that another process has held since `busy_since`. Waiting behind
    /// our own work does not count.
    pub(super) fn is_expired(&self, busy_since: Instant, now: Instant) -> bool {
        now.saturating_duration_since(self.since.max(busy_since)) >= self.patience
    }
}

/// What the writer does next.
pub(super) enum Next {
    /// These operations, in one transaction.
    Group(Vec<Entry>),
    /// Look whether another process has committed.
    Look,
    /// Nothing came in time.
    Idle,
    /// Every store has closed and nothing is left to write.
    Closed,
}

#[derive(Default)]
struct Waiting {
    urgent: VecDeque<Entry>,
    normal: VecDeque<Entry>,
    look: bool,
    closed: bool,
    /// The writer is gone; what still comes is dropped, which its caller sees.
    ended: bool,
    /// Accepted and not answered yet, whether waiting or in the transaction under way.
    unanswered: usize,
    /// How many of those the writer has taken.
    taken: usize,
    /// Who waits for `unanswered` to reach zero.
    drained: Vec<oneshot::Sender<()>>,
}

/// The writer's inbox.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
    /// Something has arrived since the writer looked last.
    news: AtomicBool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // The queues are whole between any two operations on them, so a panic elsewhere poisons nothing real.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in operations that came together, so that one transaction can take them.
    pub(super) fn push(
        &self,
        jobs: impl IntoIterator<Item = Box<dyn Job>>,
        patience: Duration,
        urgent: bool,
    ) {
        let since = Instant::now();
        let entries = jobs.into_iter().map(|job| Entry {
            job,
            since,
            patience,
        });
        let mut waiting = self.lock();
        if waiting.ended {
            // Told outside of the lock: who is told may push something else.
            drop(waiting);
            return drop(entries);
        }
        let source = if urgent {
            &mut waiting.urgent
        } else {
            &mut waiting.normal
        };
        let before = source.len();
        source.extend(entries);
        let came = source.len() - before;
        waiting.unanswered += came;
        self.tell(waiting);
    }

    fn tell(&self, waiting: MutexGuard<'_, Waiting>) {
        self.news.store(true, Ordering::Release);
        drop(waiting);
        self.arrived.notify_one();
    }

    /// Whether something has arrived since [`Queue::next`] was last called.
    pub(super) fn has_news(&self) -> bool {
        self.news.load(Ordering::Acquire)
    }

    /// Takes out what has waited long enough for another process's lock.
    pub(super) fn expired(&self, busy_since: Instant, now: Instant) -> Vec<Entry> {
        let mut waiting = self.lock();
        let Waiting { urgent, normal, .. } = &mut *waiting;
        let mut expired = Vec::new();
        for source in [urgent, normal] {
            if source.iter().any(|entry| entry.is_expired(busy_since, now)) {
                let (over, waits): (VecDeque<_>, VecDeque<_>) = std::mem::take(source)
                    .into_iter()
                    .partition(|entry| entry.is_expired(busy_since, now));
                *source = waits;
                expired.extend(over);
            }
        }
        waiting.taken += expired.len();
        expired
    }

    /// The writer has answered `count` of the entries it took.
    pub(super) fn answered(&self, count: usize) {
        let mut waiting = self.lock();
        waiting.taken -= count;
        waiting.answered(count);
    }

    /// The writer has lost the entries it took; their callers have seen them dropped.
    pub(super) fn lost_taken(&self) {
        let mut waiting = self.lock();
        let lost = std::mem::take(&mut waiting.taken);
        waiting.answered(lost);
    }

    /// Resolves once everything accepted so far has been answered.
    pub(super) async fn drained(&self) {
        let drained = {
            let mut waiting = self.lock();
            if waiting.unanswered == 0 {
                return;
            }
            let (sender, receiver) = oneshot::channel();
            waiting.drained.push(sender);
            receiver
        };
        let _ = drained.await;
    }

    /// Asks for a look at other processes' commits; requests that wait together are one.
    pub(super) fn look(&self) {
        let mut waiting = self.lock();
        if !waiting.look {
            waiting.look = true;
            self.tell(waiting);
        }
    }

    /// Ends the writer once everything accepted is written.
    pub(super) fn close(&self) {
        let mut waiting = self.lock();
        waiting.closed = true;
        self.tell(waiting);
    }

    /// The writer is gone: drops whatever waits.
    pub(super) fn end(&self) {
        let mut waiting = self.lock();
        *waiting = Waiting {
            ended: true,
            ..Waiting::default()
        };
    }

    /// The next thing to do, waiting for it up to `patience`. A look goes first when `look_first`, else when idle.
    pub(super) fn next(&self, patience: Duration, look_first: bool) -> Next {
        let deadline = Instant::now() + patience;
        let mut waiting = self.lock();
        loop {
            // Under the lock under which it is set: what is seen below is no news any more.
            self.news.store(false, Ordering::Relaxed);
            if waiting.look
                && (look_first || (waiting.urgent.is_empty() && waiting.normal.is_empty()))
            {
                waiting.look = false;
                return Next::Look;
            }
            let group = waiting.take_group();
            if !group.is_empty() {
                waiting.taken += group.len();
                return Next::Group(group);
            }
            if waiting.closed {
                return Next::Closed;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Next::Idle;
            }
            waiting = self
                .arrived
                .wait_timeout(waiting, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

impl Waiting {
    fn answered(&mut self, count: usize) {
        self.unanswered -= count;
        if self.unanswered == 0 {
            for waiter in self.drained.drain(..) {
                // A waiter that gave up has dropped its end.
                let _ = waiter.send(());
            }
        }
    }

    fn take_group(&mut self) -> Vec<Entry> {
        let mut group = Vec::new();
        while group.len() < MAX_GROUP {
            let source = if self.urgent.is_empty() {
                &mut self.normal
            } else {
                &mut self.urgent
            };
            let Some(first) = source.front() else { break };
            let alone = first.job.alone();
            if alone && !group.is_empty() {
                break;
            }
            group.extend(source.pop_front());
            if alone {
                break;
            }
        }
        group
    }
}
