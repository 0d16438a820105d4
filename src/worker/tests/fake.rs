//! A database and a host in memory, which fail when told to.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, FutureExt, ready};

use crate::error::{Error, Result};
use crate::model::{Status, Task};
use crate::store::answer::Answer;
use crate::store::command::{ClaimScope, Command, Outcome, Owner, Reply};
use crate::store::round::{Planner, Round, RoundReply, Settled};
use crate::store::wakes::Wakes;
use crate::store::{Backend, ClaimSession};
use crate::worker::host::{Event, Handle, Host};

/// How long a test waits for what must happen.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the fake database was asked and holds.
#[derive(Default)]
pub(super) struct Database {
    pub(super) queued: VecDeque<Task>,
    pub(super) settled: Vec<(String, Outcome)>,
    pub(super) released: Vec<String>,
    pub(super) renewals: Vec<Vec<String>>,
    pub(super) claims: usize,
    /// Of each round, how many outcomes it brought and whether it claimed.
    pub(super) rounds: Vec<(usize, bool)>,
    pub(super) largest_claim_bytes: usize,
    /// Errors for the next settlements, first come first served.
    pub(super) settle_errors: VecDeque<Error>,
    pub(super) claim_errors: VecDeque<Error>,
    pub(super) renew_errors: VecDeque<Error>,
    /// Leases somebody else has taken over.
    pub(super) stolen: Vec<String>,
}

type Interlude = Box<dyn FnOnce() + Send>;

#[derive(Default)]
pub(super) struct FakeStore {
    database: Mutex<Database>,
    wakes: Arc<Wakes>,
    /// Done before the next claim of a round, once.
    before_claim: Mutex<Option<Interlude>>,
    /// Queues a task when it has been asked so many times more how many rounds may be under way.
    queues_after: Mutex<Option<usize>>,
    /// Two rounds may be under way at once.
    two_at_once: bool,
}

impl FakeStore {
    /// A store that does two rounds at once.
    pub(super) fn two_at_once() -> Self {
        Self {
            two_at_once: true,
            ..Self::default()
        }
    }

    pub(super) fn database(&self) -> MutexGuard<'_, Database> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues tasks of `name` with a payload of `bytes` bytes, and wakes the worker.
    pub(super) fn queue(&self, name: &str, count: usize, bytes: usize) {
        self.add(name, count, bytes);
        self.wakes.queued("default", 0);
    }

    /// What happens after the settlements of the next round that claims, and before its claim.
    pub(super) fn before_claim(&self, interlude: impl FnOnce() + Send + 'static) {
        *self.interlude() = Some(Box::new(interlude));
    }

    fn interlude(&self) -> MutexGuard<'_, Option<Interlude>> {
        self.before_claim
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a task of `work` in the middle of whatever asks, for the `asked`th time from now, how many rounds may be under
    /// way.
    pub(super) fn queue_when_asked(&self, asked: usize) {
        *self.queues_after() = Some(asked);
    }

    /// Whether that is still to come.
    pub(super) fn is_to_queue(&self) -> bool {
        self.queues_after().is_some()
    }

    fn queues_after(&self) -> MutexGuard<'_, Option<usize>> {
        self.queues_after
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues them unannounced.
    pub(super) fn add(&self, name: &str, count: usize, bytes: usize) {
        let mut database = self.database();
        for _ in 0..count {
            let number = database.queued.len() + database.settled.len();
            database.queued.push_back(task(name, number, bytes));
        }
    }
}

fn task(name: &str, number: usize, bytes: usize) -> Task {
    Task {
        id: format!("task_{name}_{number}"),
        name: name.to_owned(),
        queue: "default".to_owned(),
        status: Status::Queued,
        payload: "x".repeat(bytes),
        result: None,
        error: None,
        metadata: "{}".to_owned(),
        progress: None,
        message: None,
        attempt: 0,
        max_attempts: 3,
        priority: 0,
        worker_id: None,
        lease_until_ms: None,
        run_at_ms: 0,
        cancel_requested_at_ms: None,
        parent_id: None,
        root_id: None,
        correlation_id: None,
        created_at_ms: 0,
        updated_at_ms: 0,
        completed_at_ms: None,
    }
}

impl Database {
    fn claim(&mut self, planner: &mut dyn Planner) -> Result<()> {
        self.claims += 1;
        if let Some(error) = self.claim_errors.pop_front() {
            return Err(error);
        }
        while let Some(draw) = planner.next_draw() {
            let mut rows = Vec::new();
            let mut bytes = 0;
            let mut cut_short = false;
            while rows.len() < draw.limit as usize {
                let Some(at) = self
                    .queued
                    .iter()
                    .position(|task| draw.names.contains(&task.name))
                else {
                    break;
                };
                bytes += self.queued[at].payload.len();
                let alone = draw.oversize_first && rows.is_empty();
                if draw.max_bytes.is_some_and(|most| bytes as u64 > most) && !alone {
                    cut_short = true;
                    break;
                }
                let mut task = self.queued.remove(at).expect("a position just found");
                task.attempt += 1;
                rows.push(task.into());
            }
            self.largest_claim_bytes = self.largest_claim_bytes.max(bytes);
            planner.record(rows);
            if cut_short {
                planner.cut_short();
            }
        }
        Ok(())
    }
}

impl Backend for FakeStore {
    fn connect(&self) -> BoxFuture<'static, Result<()>> {
        ready(Ok(())).boxed()
    }

    fn close(&self) -> BoxFuture<'static, Result<()>> {
        ready(Ok(())).boxed()
    }

    fn execute_for(&self, _: Command, answer: Answer<Reply>) {
        answer.give(Err(Error::Invalid(
            "the fake database has no such operation".to_owned(),
        )));
    }

    fn round_for(&self, round: Round, answer: Answer<RoundReply>) {
        let mut database = self.database();
        let load = (round.settlements.len(), round.claim.is_some());
        database.rounds.push(load);
        let mut settled = Vec::new();
        for settlement in round.settlements {
            let task_id = settlement.task_id.to_string();
            settled.push(match database.settle_errors.pop_front() {
                Some(error) => Err(error),
                None if database.stolen.contains(&task_id) => Ok(Settled::Lost),
                None => {
                    let became = match &settlement.outcome {
                        Outcome::Fail {
                            retryable: true, ..
                        } => Status::Queued,
                        Outcome::Fail { .. } => Status::Failed,
                        Outcome::Complete { .. } | Outcome::Succeed { .. } => Status::Succeeded,
                    };
                    database.settled.push((task_id, settlement.outcome));
                    Ok(Settled::Written(became, None))
                }
            });
        }
        database.released.extend(round.releases);
        drop(database);
        let claimed = round.claim.map(|mut plan| {
            let interlude = self.interlude().take();
            if let Some(interlude) = interlude {
                interlude();
            }
            let outcome = self.database().claim(plan.planner.as_mut());
            (plan.planner, outcome)
        });
        answer.give(Ok(RoundReply {
            settled,
            released: Ok(()),
            claimed,
        }));
    }

    fn renew(&self, _: Owner, ids: Vec<String>) -> BoxFuture<'static, Result<Vec<(String, bool)>>> {
        let mut database = self.database();
        database.renewals.push(ids.clone());
        let outcome = match database.renew_errors.pop_front() {
            Some(error) => Err(error),
            None => Ok(ids
                .into_iter()
                .filter(|id| !database.stolen.contains(id))
                .map(|id| (id, false))
                .collect()),
        };
        ready(outcome).boxed()
    }

    fn open_claim(
        &self,
        _: ClaimScope,
    ) -> BoxFuture<'static, Result<Option<Box<dyn ClaimSession>>>> {
        ready(Ok(None)).boxed()
    }

    fn wakes(&self) -> &Arc<Wakes> {
        &self.wakes
    }

    fn rounds_in_flight(&self) -> usize {
        let left = self.queues_after().take();
        match left {
            Some(0) => self.queue("work", 1, 2),
            Some(left) => *self.queues_after() = Some(left - 1),
            None => {}
        }
        1 + usize::from(self.two_at_once)
    }
}

/// A host that only listens; the test drives the worker in its place.
#[derive(Default)]
pub(super) struct FakeHost {
    heard: Mutex<Heard>,
    arrived: Condvar,
    panics: AtomicBool,
    when_lost: Mutex<Option<WhenLost>>,
}

type WhenLost = Box<dyn Fn(&[Handle]) + Send>;

#[derive(Default)]
pub(super) struct Heard {
    pub(super) events: Vec<Event>,
    pub(super) answers: HashMap<u32, Result<Reply>>,
    pub(super) pings: usize,
}

impl FakeHost {
    /// Waits until `found` gives something.
    pub(super) fn hear<T>(&self, what: &str, mut found: impl FnMut(&mut Heard) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(found) = found(&mut heard) {
                return found;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "waited in vain for {what}; heard {:?} and {} pings",
                heard.events,
                heard.pings
            );
            heard = self
                .arrived
                .wait_timeout(heard, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// What it does at once when leases are lost.
    pub(super) fn when_lost(&self, heeds: impl Fn(&[Handle]) + Send + 'static) {
        *self.when_lost.lock().expect("no panic while it is held") = Some(Box::new(heeds));
    }

    /// Panics the next time it is told that calls are ready.
    pub(super) fn panic_when_ready(&self) {
        self.panics.store(true, Ordering::SeqCst);
    }

    pub(super) fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, change: impl FnOnce(&mut Heard)) {
        change(&mut self.heard());
        self.arrived.notify_all();
    }
}

impl Host for FakeHost {
    fn emit(&self, event: Event) {
        let fatal = matches!(event, Event::Ready) && self.panics.swap(false, Ordering::SeqCst);
        assert!(!fatal, "a panic that the test asked for");
        if let Event::Lost(handles) = &event
            && let Some(heeds) = &*self.when_lost.lock().expect("no panic while it is held")
        {
            heeds(handles);
        }
        self.note(|heard| heard.events.push(event));
    }

    fn answer(&self, request: u32, outcome: Result<Reply>) {
        self.note(|heard| drop(heard.answers.insert(request, outcome)));
    }

    fn ping(&self) {
        self.note(|heard| heard.pings += 1);
    }

    fn is_gone(&self) -> bool {
        false
    }
}

/// Waits until `condition` holds.
pub(super) fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
