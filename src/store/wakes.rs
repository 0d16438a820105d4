//! Who is told when a commit changes what they wait for: workers with room, and waiters for one task's end.
//!
//! Polling is the safety net everywhere; a wake that is missed costs a poll, never a task.

mod deadlines;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use deadlines::Deadlines;

use super::command::NewTask;
use super::handoff::{Listener, Place};
use crate::clock::now_ms;
use crate::model::Task;

/// How long an end is remembered for a waiter that is about to come.
const EXPECTED_FOR: Duration = Duration::from_secs(10);

/// Due times remembered per worker. More are forgotten: the poll finds them, and memory stays bounded.
const MAX_DUE_TIMES: usize = 16_384;

/// The announcements of one database.
#[derive(Default)]
pub struct Wakes {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    subscriptions: Vec<Weak<Subscription>>,
    waiters: HashMap<String, Vec<Waiter>>,
    last_waiter: u64,
    deadlines: Deadlines,
    /// Tasks whose waiter is about to come, and whether they have ended meanwhile.
    expected: HashMap<String, bool>,
    /// The same, oldest first.
    expected_since: VecDeque<(Instant, String)>,
    /// Tasks that become due later, with their queues: a worker that starts meanwhile has to know of them.
    delayed: BinaryHeap<Reverse<(i64, String)>>,
}

/// What a waiter is told, once.
#[derive(Debug)]
pub enum End {
    /// The task has ended; with its row where the announcement knows it.
    Ended(Option<Box<Task>>),
    /// Its time was up.
    GivenUp,
}

/// One who waits for a task's end.
struct Waiter {
    number: u64,
    told: Box<dyn FnOnce(End) + Send>,
}

/// One worker's ear: which queues it serves, and when the next known task is due.
pub struct Subscription {
    queues: HashSet<String>,
    notify: Notify,
    listener: Option<Box<dyn Listener>>,
    /// A task of one of the queues is known to be due.
    certain: AtomicBool,
    due: Mutex<BinaryHeap<Reverse<i64>>>,
}

/// The announcements in use, by database. Entries of databases nobody uses are dropped with the next new one.
static BY_DATABASE: LazyLock<Mutex<HashMap<u64, Weak<Wakes>>>> = LazyLock::new(Mutex::default);

impl Wakes {
    /// The announcements shared by every store of this process that was given the same `target`: what one of them
    /// commits, a worker on another hears of at once. The target is kept as a hash, since it may hold a password.
    pub fn of_database(target: impl Hash) -> Arc<Self> {
        let mut hasher = DefaultHasher::new();
        target.hash(&mut hasher);
        let mut known = BY_DATABASE
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        known.retain(|_, wakes| wakes.strong_count() > 0);
        let entry = known.entry(hasher.finish()).or_default();
        entry.upgrade().unwrap_or_else(|| {
            let wakes = Arc::default();
            *entry = Arc::downgrade(&wakes);
            wakes
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A poisoned lock means a panic between two assignments of plain data: the data is still whole.
        self.inner
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Listens for work on `queues` until the subscription is dropped.
    pub fn subscribe(&self, queues: &[String]) -> Arc<Subscription> {
        self.listen(queues, None)
    }

    /// Listens for work on `queues` until the subscription is dropped, and has `listener` told of every announcement.
    pub fn subscribe_with(
        &self,
        queues: &[String],
        listener: impl Listener + 'static,
    ) -> Arc<Subscription> {
        self.listen(queues, Some(Box::new(listener)))
    }

    fn listen(&self, queues: &[String], listener: Option<Box<dyn Listener>>) -> Arc<Subscription> {
        let subscription = Arc::new(Subscription {
            queues: queues.iter().cloned().collect(),
            notify: Notify::new(),
            listener,
            certain: AtomicBool::new(false),
            due: Mutex::default(),
        });
        let mut inner = self.lock();
        for Reverse((run_at_ms, queue)) in &inner.delayed {
            if subscription.queues.contains(queue) {
                subscription.remember_due(*run_at_ms);
            }
        }
        inner.subscriptions.retain(|known| known.strong_count() > 0);
        inner.subscriptions.push(Arc::downgrade(&subscription));
        subscription
    }

    /// A task of `queue` became queued, due at `run_at_ms`.
    pub fn queued(&self, queue: &str, run_at_ms: i64) {
        let now = now_ms();
        let mut inner = self.lock();
        if run_at_ms > now {
            inner.delay(now, run_at_ms, queue.to_owned());
        }
        let listening = inner.listening(|subscription| subscription.queues.contains(queue));
        drop(inner);
        for subscription in listening {
            if run_at_ms > now {
                subscription.remember_due(run_at_ms);
            } else {
                subscription.certain.store(true, Ordering::SeqCst);
            }
            subscription.tell();
        }
    }

    /// A place for `new` with a worker of this process that would claim it at once.
    #[must_use]
    pub fn place_for(&self, new: &NewTask) -> Option<Place> {
        // What a key leads to is known only later.
        if new.key().is_some() || new.args.run_at_delay_ms > 0 {
            return None;
        }
        let queue = &new.args.queue;
        let listening = self
            .lock()
            .listening(|subscription| subscription.queues.contains(queue));
        let mut listeners = listening.iter().filter_map(|one| one.listener.as_ref());
        listeners.find_map(|listener| listener.place_for(new))
    }

    /// Learns the delayed tasks that `other` knows of: both announce the commits of one database.
    pub fn learn_from(&self, other: &Self) {
        let known: Vec<_> = other.lock().delayed.iter().cloned().collect();
        let now = now_ms();
        let mut inner = self.lock();
        for Reverse((run_at_ms, queue)) in known {
            inner.delay(now, run_at_ms, queue);
        }
    }

    /// Another process committed something unknown: every worker looks.
    pub fn look_around(&self) {
        let listening = self.lock().listening(|_| true);
        for subscription in listening {
            subscription.tell();
        }
    }

    /// A task reached a terminal state.
    pub fn done(&self, task_id: &str) {
        self.ended(task_id, None);
    }

    /// The same where its row is at hand, which spares its waiters a read.
    pub fn done_as(&self, task: &Task) {
        self.ended(&task.id, Some(task));
    }

    fn ended(&self, task_id: &str, row: Option<&Task>) {
        let woken = {
            let mut inner = self.lock();
            if let Some(ended) = inner.expected.get_mut(task_id) {
                *ended = true;
            }
            if inner.waiters.is_empty() {
                return;
            }
            inner.waiters.remove(task_id)
        };
        for waiter in woken.into_iter().flatten() {
            (waiter.told)(End::Ended(row.map(|task| Box::new(task.clone()))));
        }
    }

    /// A waiter of `task_id` is about to come: an end before that is remembered for it.
    pub fn expect(&self, task_id: &str) {
        let now = Instant::now();
        let mut inner = self.lock();
        while let Some((since, _)) = inner.expected_since.front()
            && now.duration_since(*since) > EXPECTED_FOR
            && let Some((_, forgotten)) = inner.expected_since.pop_front()
        {
            inner.expected.remove(&forgotten);
        }
        inner.expected.insert(task_id.to_owned(), false);
        inner.expected_since.push_back((now, task_id.to_owned()));
    }

    /// Has `told` run when `task_id` ends, on the thread that announces it; it must not wait. The number given back is for
    /// [`Wakes::give_up`].
    pub fn when_done(&self, task_id: &str, told: impl FnOnce(End) + Send + 'static) -> u64 {
        let mut inner = self.lock();
        inner.last_waiter += 1;
        let number = inner.last_waiter;
        if inner.expected.remove(task_id) == Some(true) {
            drop(inner);
            told(End::Ended(None));
            return number;
        }
        let waiters = inner.waiters.entry(task_id.to_owned()).or_default();
        waiters.push(Waiter {
            number,
            told: Box::new(told),
        });
        number
    }

    /// Tells one waiter of `task_id` that its time is up, unless it has been told of the end.
    pub fn give_up(&self, task_id: &str, number: u64) {
        let waiter = {
            let mut inner = self.lock();
            let Some(waiters) = inner.waiters.get_mut(task_id) else {
                return;
            };
            let at = waiters.iter().position(|waiter| waiter.number == number);
            let waiter = at.map(|at| waiters.swap_remove(at));
            if waiters.is_empty() {
                inner.waiters.remove(task_id);
            }
            waiter
        };
        if let Some(waiter) = waiter {
            (waiter.told)(End::GivenUp);
        }
    }

    /// Whether somebody here waits for `task_id`, or is about to.
    #[must_use]
    pub fn is_awaited(&self, task_id: &str) -> bool {
        let inner = self.lock();
        inner.waiters.contains_key(task_id) || inner.expected.contains_key(task_id)
    }

    /// Whether somebody here waits for any task's end, or is about to.
    #[must_use]
    pub fn has_waiters(&self) -> bool {
        let inner = self.lock();
        !inner.waiters.is_empty() || !inner.expected.is_empty()
    }

    /// The tasks somebody waits for: what a look at the database has to cover.
    #[must_use]
    pub fn awaited_ids(&self) -> Vec<String> {
        let inner = self.lock();
        let (waited, expected) = (inner.waiters.keys(), inner.expected.iter());
        let expected = expected.filter(|(_, ended)| !**ended).map(|(id, _)| id);
        waited.chain(expected).cloned().collect()
    }

    /// Whether any worker listens.
    #[must_use]
    pub fn has_subscribers(&self) -> bool {
        self.lock()
            .subscriptions
            .iter()
            .any(|known| known.strong_count() > 0)
    }

    /// The queues workers listen for.
    #[must_use]
    pub fn subscribed_queues(&self) -> HashSet<String> {
        self.lock()
            .subscriptions
            .iter()
            .filter_map(Weak::upgrade)
            .flat_map(|subscription| subscription.queues.iter().cloned().collect::<Vec<_>>())
            .collect()
    }
}

impl Inner {
    /// Those to tell, once the lock is free: what they do about it may come back here.
    fn listening(&self, whom: impl Fn(&Subscription) -> bool) -> Vec<Arc<Subscription>> {
        let known = self.subscriptions.iter().filter_map(Weak::upgrade);
        known.filter(|subscription| whom(subscription)).collect()
    }

    fn delay(&mut self, now_ms: i64, run_at_ms: i64, queue: String) {
        while self
            .delayed
            .peek()
            .is_some_and(|Reverse((first, _))| *first <= now_ms)
        {
            self.delayed.pop();
        }
        if self.delayed.len() < MAX_DUE_TIMES {
            self.delayed.push(Reverse((run_at_ms, queue)));
        }
    }
}

impl Subscription {
    /// Resolves at the next announcement, or at once when one came since the last call; for a listener that has nothing run.
    pub async fn notified(&self) {
        self.notify.notified().await;
    }

    /// Whether a task of one of the queues was announced as due since the last call: then there is no need to look
    /// first whether anything is.
    pub fn take_certain(&self) -> bool {
        self.certain.swap(false, Ordering::SeqCst)
    }

    fn tell(&self) {
        match &self.listener {
            Some(listener) => listener.told(),
            None => self.notify.notify_one(),
        }
    }

    /// Remembers that something becomes due at `run_at_ms`.
    pub fn remember_due(&self, run_at_ms: i64) {
        let mut due = self
            .due
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if due.len() < MAX_DUE_TIMES {
            due.push(Reverse(run_at_ms));
        }
    }

    /// The next known due time.
    pub fn next_due(&self) -> Option<i64> {
        let due = self
            .due
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        due.peek().map(|Reverse(first)| *first)
    }

    /// Forgets the due times that have come. Whether there were any.
    pub fn take_due(&self, now_ms: i64) -> bool {
        let mut due = self
            .due
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = due.len();
        while due.peek().is_some_and(|Reverse(first)| *first <= now_ms) {
            due.pop();
        }
        due.len() < before
    }
}

#[cfg(test)]
mod tests;
