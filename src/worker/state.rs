//! What one worker knows, and every way it changes. No I/O and no waiting: the lock around it is held for moments.

mod claiming;

pub(super) use claiming::Claimed;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::calls::Calls;
use super::host::{DeliveredCall, Event, Handle, Report};
use super::options::{self, Options};
use super::outbox::{Outbox, Pending};
use super::prefetch::{Completed, Governor, Prefetch};
use super::quota::Turns;
use super::registry::Registry;
use super::stats::Stats;
use super::tasks::{Attempt, Progress, Tasks};
use crate::backoff::retry_delay_ms;
use crate::model::push_text;
use crate::store::command::Outcome;

/// How long the automatic setting holds a task when no slot comes free.
const HELD_TOO_LONG: Duration = Duration::from_millis(100);
/// When to look again whether held tasks are stuck.
const STALE_LOOK: Duration = Duration::from_millis(10);

/// A worker's state.
pub struct State {
    pub(super) registry: Registry,
    pub(super) calls: Calls,
    pub(super) tasks: Tasks,
    pub(super) outbox: Outbox,
    pub(super) stats: Stats,
    pub(super) stopping: bool,
    /// Requests of `run()` to answer when everything is over.
    pub(super) runs: Vec<u32>,
    prefetch: Prefetch,
    governor: Governor,
    turns: Turns,
    began: Instant,
    resources: Vec<u32>,
    claim_batch: Option<u32>,
    max_bytes: Option<u64>,
    backoff: (f64, f64),
    lease: Duration,
    max_run: Option<Duration>,
    /// One round is under way at a time, and its claim is planned when its outcomes are written.
    serial: bool,
}

impl State {
    pub(super) fn new(options: &Options, rounds_in_flight: usize) -> Self {
        let prefetch = options.prefetch.map_or(Prefetch::Auto, |tasks| {
            Prefetch::Fixed(options::count(tasks))
        });
        Self {
            registry: Registry::new(options.resources.keys().cloned()),
            calls: Calls::default(),
            tasks: Tasks::default(),
            outbox: Outbox::default(),
            stats: Stats::default(),
            stopping: false,
            runs: Vec::new(),
            prefetch,
            governor: Governor::new(prefetch),
            turns: Turns::default(),
            began: Instant::now(),
            resources: options.resources.values().copied().collect(),
            claim_batch: options.claim_batch.map(options::count),
            max_bytes: options.max_in_flight_bytes.map(options::bytes),
            backoff: (options.retry_backoff_ms, options.retry_backoff_max_ms),
            lease: options::duration(options.lease_ms),
            max_run: options.max_run_ms.map(options::duration),
            serial: rounds_in_flight == 1,
        }
    }

    /// Each resource's name, how much of it there is, and how much is held.
    pub(super) fn resources(&self) -> impl Iterator<Item = (&str, u32, u32)> {
        let named = self.registry.resources().iter().zip(&self.resources);
        named.enumerate().map(|(index, (name, &capacity))| {
            (name.as_str(), capacity, self.calls.resource_calls(index))
        })
    }

    fn steady_ms(&self) -> f64 {
        self.began.elapsed().as_secs_f64() * 1000.0
    }

    /// Starts as many ready calls as there are free slots.
    pub(super) fn take(&mut self) -> Vec<DeliveredCall> {
        let mut taken = Vec::new();
        let now = Instant::now();
        let deadline = self.max_run.map(|max_run| now + max_run);
        while !self.stopping
            && let Some((call, name, mut tasks)) = self.calls.start_next(deadline)
        {
            tasks.retain(|delivered| self.begin(delivered.handle, now));
            if tasks.is_empty() {
                self.finish(call);
                continue;
            }
            taken.push(DeliveredCall {
                call,
                name: Arc::clone(&self.registry.names()[name]),
                tasks,
            });
        }
        let now = self.steady_ms();
        self.governor
            .observe(now, Completed::default(), self.calls.running_count());
        taken
    }

    /// The host may run it, unless its lease ended while it was held (a process that was stopped for a while): it is
    /// somebody else's by now.
    fn begin(&mut self, handle: Handle, now: Instant) -> bool {
        match self.tasks.get_mut(handle) {
            Some(attempt) if attempt.lease_ends > now => {
                attempt.progress = Progress::Running;
                attempt.began = now;
                self.stats.of(attempt.name).started += 1;
                true
            }
            _ => {
                self.give_up(handle);
                false
            }
        }
    }

    /// Forgets everything in play: the attempts, and the outcomes that nobody will send any more.
    pub(super) fn reset(&mut self) -> (Vec<Handle>, Vec<Pending>) {
        self.calls.take_unstarted();
        for call in self.calls.running_ids() {
            self.calls.finish(call);
        }
        self.calls.slots = 0;
        let handles: Vec<Handle> = self.tasks.iter().map(|(handle, _)| handle).collect();
        for &handle in &handles {
            self.lose(handle);
        }
        (handles, std::mem::take(&mut self.outbox).into_outcomes())
    }

    /// Takes what the host says of its calls.
    pub(super) fn report(&mut self, reports: Vec<Report>) {
        let mut completed = Completed::default();
        for report in reports {
            match report {
                Report::Complete(handle, result) => {
                    self.settle(
                        handle,
                        Outcome::Complete {
                            result,
                            message: None,
                        },
                        None,
                    );
                }
                Report::Fail {
                    handle,
                    error,
                    retryable,
                } => {
                    self.fail(handle, error, retryable, None);
                }
                Report::Settled(handle) => {
                    self.tasks.remove(handle);
                }
                Report::Lost(handle) => self.give_up(handle),
                Report::Done(call) => {
                    if let Some(tasks) = self.finish(call) {
                        completed.calls += 1;
                        completed.tasks += tasks;
                    }
                }
            }
        }
        let now = self.steady_ms();
        self.governor
            .observe(now, completed, self.calls.running_count());
    }

    /// Frees what a call held. Its attempts that nobody settled are renewed no longer, so that their leases end.
    fn finish(&mut self, call: u32) -> Option<u32> {
        let finished = self.calls.finish(call)?;
        for &handle in &finished.handles {
            if self
                .tasks
                .get(handle)
                .is_some_and(|attempt| attempt.progress == Progress::Running)
            {
                self.give_up(handle);
            }
        }
        u32::try_from(finished.handles.len()).ok()
    }

    /// Sends an outcome down. False when the attempt is not running any more, and the outcome therefore void.
    pub(super) fn settle(
        &mut self,
        handle: Handle,
        outcome: Outcome,
        request: Option<u32>,
    ) -> bool {
        match self.tasks.get_mut(handle) {
            Some(attempt) if attempt.progress == Progress::Running => {
                attempt.progress = Progress::Settling;
                self.stats.ran(attempt.began.elapsed());
                self.outbox.push(Pending::new(handle, outcome, request));
                true
            }
            _ => false,
        }
    }

    /// Fails an attempt, with the backoff of its number.
    pub(super) fn fail(
        &mut self,
        handle: Handle,
        error: String,
        retryable: bool,
        request: Option<u32>,
    ) -> bool {
        let Some(attempt) = self.tasks.get(handle) else {
            return false;
        };
        let (base, max) = self.backoff;
        let delay_ms = if retryable {
            retry_delay_ms(attempt.number, base, max, rand::random())
        } else {
            0
        };
        self.settle(
            handle,
            Outcome::Fail {
                error,
                retryable,
                delay_ms,
            },
            request,
        )
    }

    /// Ends a call whose time is over: its contexts are lost, its unsettled tasks fail, its slot is free.
    pub(super) fn time_out(&mut self, call: u32, max_run_ms: f64) -> Option<Event> {
        let running = self.calls.running(call)?;
        let (handles, name_index) = (running.handles.clone(), running.holding.name);
        let mut error =
            String::from(r#"{"type":"HandlerTimeout","code":"handler_timeout","message":"#);
        let name = &self.registry.names()[name_index];
        push_text(
            &mut error,
            &format!(
                "handler for {name} exceeded maxRunMs={max_run_ms}ms; the attempt was abandoned"
            ),
        );
        error.push_str(r#","retryable":true,"details":{}}"#);
        for &handle in &handles {
            if self.fail(handle, error.clone(), true, None) {
                self.stats.of(name_index).timed_out += 1;
            }
            self.tasks.remember_lost(handle);
        }
        self.finish(call);
        Some(Event::Lost(handles.into_vec()))
    }

    /// Gives up every running call: its contexts are lost, its unsettled tasks go back to the queue.
    pub(super) fn abandon(&mut self) -> Option<Event> {
        let mut lost = Vec::new();
        for call in self.calls.running_ids() {
            let Some(running) = self.calls.finish(call) else {
                continue;
            };
            for handle in running.handles {
                if self
                    .tasks
                    .get(handle)
                    .is_some_and(|attempt| attempt.progress == Progress::Running)
                {
                    self.release(handle);
                }
                self.tasks.remember_lost(handle);
                lost.push(handle);
            }
        }
        (!lost.is_empty()).then_some(Event::Lost(lost))
    }

    /// Hands back everything that was claimed but never started.
    pub(super) fn release_unstarted(&mut self) -> usize {
        let unstarted = self.calls.take_unstarted();
        for call in &unstarted {
            for delivered in &call.tasks {
                self.release(delivered.handle);
            }
        }
        unstarted.len()
    }

    /// When tasks held by the automatic setting have waited too long for a slot; none while slots come free as foreseen.
    pub(super) fn stale_at(&self, now: Instant) -> Option<Instant> {
        let since = self
            .calls
            .ready_since()
            .filter(|_| self.calls.free_slots() == 0)?;
        match self.prefetch {
            Prefetch::Fixed(_) => None,
            Prefetch::Auto if self.governor.target_tasks(self.steady_ms()) == 0 => {
                Some(since + HELD_TOO_LONG)
            }
            Prefetch::Auto => Some((since + HELD_TOO_LONG).max(now + STALE_LOOK)),
        }
    }

    /// Gives such tasks back to the queue, where another worker may start them.
    pub(super) fn release_stale(&mut self, now: Instant) {
        if self.stale_at(now).is_some_and(|at| at <= now) {
            self.release_unstarted();
        }
    }

    fn release(&mut self, handle: Handle) {
        if let Some(attempt) = self.tasks.get_mut(handle) {
            attempt.progress = Progress::Releasing;
            self.outbox.release(handle);
        }
    }

    /// The attempt's lease is gone. An event when a handler still has it.
    pub(super) fn lose(&mut self, handle: Handle) -> Option<Attempt> {
        let attempt = self.tasks.remove(handle)?;
        if attempt.progress != Progress::Releasing {
            self.stats.of(attempt.name).lost += 1;
            self.tasks.remember_lost(handle);
        }
        Some(attempt)
    }

    /// Nothing will be recorded for the attempt; its host knows. Unless something is already on its way: the handler of a
    /// call that was ended for it (the time limit, a stop) hears that its lease is gone before the database has the reason.
    fn give_up(&mut self, handle: Handle) {
        let on_its_way = |attempt: &Attempt| {
            matches!(attempt.progress, Progress::Settling | Progress::Releasing)
        };
        if self.tasks.get(handle).is_some_and(on_its_way) {
            return;
        }
        if let Some(attempt) = self.tasks.remove(handle) {
            self.stats.of(attempt.name).lost += 1;
        }
    }

    /// Whether a call has a time limit.
    pub(super) fn has_deadlines(&self) -> bool {
        self.max_run.is_some()
    }

    /// Whether everything a stopped worker started is over.
    pub(super) fn is_over(&self) -> bool {
        self.stopping
            && self.calls.running_count() == 0
            && self.calls.ready_tasks() == 0
            && self.calls.reserved() == 0
            && self.outbox.not_durable() == 0
    }
}
