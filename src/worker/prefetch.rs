//! How many claimed tasks may be held ready, so that a freed slot need not wait for a claim.
//!
//! A held task is withheld from every other worker, so it must start soon: with the automatic setting no task
//! is to wait longer than about [`WAIT_MS`]. What decides that is how fast the handlers would use held
//! tasks up. That is their completion rate **while handlers run**: the time in which nothing runs is spent
//! waiting for the database, and is what holding tasks saves.

use std::collections::VecDeque;

/// How long a held task may wait for its slot, about.
pub const WAIT_MS: f64 = 10.0;
/// The most tasks held with the automatic setting.
pub const TASKS_MAX: u32 = 256;
/// The most payload bytes held with the automatic setting.
pub const BYTES_MAX: u64 = 4_000_000;

/// A rate is taken over so much time, or over so many calls one after another: one handler of 20 us at a time spends
/// most of a millisecond waiting for the next claim, and the time would take long to gather.
const WINDOW_MS: f64 = 5.0;
const WINDOW_CALLS: u64 = 16;
/// The same for calls that run at once, in generations of them, since they may all end together.
const WINDOW_GENERATIONS: u64 = 4;
/// The slowest of so many windows counts, so that a burst passes. Of fewer a part is believed: what is held after one
/// window may last three times as long as it says.
const WINDOWS: usize = 3;
/// A rate is forgotten after so long without a completion: the tasks that come next may be of another kind.
const STALE_MS: f64 = 100.0;

/// The worker's `prefetch` option.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Prefetch {
    /// As many tasks as the handlers use up in [`WAIT_MS`], at most [`TASKS_MAX`] and [`BYTES_MAX`].
    #[default]
    Auto,
    /// So many tasks, however slow the handlers are; 0 claims nothing that cannot start at once.
    Fixed(u32),
}

/// What has completed since the last observation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Completed {
    /// Handler calls; a batch is one.
    pub calls: u32,
    /// The tasks of those calls.
    pub tasks: u32,
}

/// Observes completions and says how many tasks to hold. Times are milliseconds of any steady clock.
#[derive(Debug)]
pub struct Governor {
    setting: Prefetch,
    /// Tasks per millisecond in the last windows, the oldest first.
    rates: VecDeque<f64>,
    window_ms: f64,
    /// The same time, once for each call that ran in it.
    window_call_ms: f64,
    window_calls: u64,
    window_tasks: u64,
    /// Time since the last completion in which handlers ran.
    silent_ms: f64,
    completed_at_ms: f64,
    observed_at_ms: f64,
    running_calls: u32,
    payload_bytes: f64,
}

impl Governor {
    /// A governor that has seen nothing; the automatic setting begins at 0.
    #[must_use]
    pub fn new(setting: Prefetch) -> Self {
        Self {
            setting,
            rates: VecDeque::with_capacity(WINDOWS),
            window_ms: 0.0,
            window_call_ms: 0.0,
            window_calls: 0,
            window_tasks: 0,
            silent_ms: 0.0,
            completed_at_ms: f64::NEG_INFINITY,
            observed_at_ms: 0.0,
            running_calls: 0,
            payload_bytes: 0.0,
        }
    }

    /// Takes note of what has completed since the last observation, and of how many calls run from now on.
    /// To be called at every completion and at every start: the calls that run now are taken to run up to the
    /// next observation.
    pub fn observe(&mut self, now_ms: f64, completed: Completed, running_calls: u32) {
        let busy_ms = self.busy_ms(now_ms);
        if self.is_silent(now_ms) {
            self.forget();
        } else {
            self.window_ms += busy_ms;
            self.window_call_ms += busy_ms * f64::from(self.running_calls);
            self.window_calls += u64::from(completed.calls);
            self.window_tasks += u64::from(completed.tasks);
            // Windows end at completions only, so that each spans whole intervals between them.
            let calls = WINDOW_CALLS.max(WINDOW_GENERATIONS * u64::from(self.running_calls));
            let enough = self.window_ms >= WINDOW_MS || self.window_calls >= calls;
            if completed.calls > 0 && enough && self.window_ms > 0.0 {
                self.close_window();
            }
        }
        self.silent_ms += busy_ms;
        if completed.calls > 0 {
            self.silent_ms = 0.0;
            self.completed_at_ms = now_ms;
        }
        self.observed_at_ms = now_ms;
        self.running_calls = running_calls;
    }

    /// Takes note of the size of claimed payloads.
    pub fn claimed(&mut self, tasks: u32, bytes: u64) {
        if tasks == 0 {
            return;
        }
        let mean = approximate(bytes) / f64::from(tasks);
        // Up at once, because the bound is on what is held; down slowly, because sizes mix.
        self.payload_bytes = mean.max(self.payload_bytes * 0.75 + mean * 0.25);
    }

    /// How many tasks to hold at this moment.
    #[must_use]
    pub fn target_tasks(&self, now_ms: f64) -> u32 {
        match self.setting {
            Prefetch::Fixed(tasks) => tasks,
            Prefetch::Auto if self.is_silent(now_ms) => 0,
            Prefetch::Auto => {
                let slowest = self.rates.iter().copied().reduce(f64::min).unwrap_or(0.0);
                let believed = approximate(self.rates.len() as u64) / approximate(WINDOWS as u64);
                whole(slowest * believed * WAIT_MS).min(TASKS_MAX)
            }
        }
    }

    /// How many more tasks may be claimed to be held, beside those that are. Payload sizes are not known
    /// before the claim, so [`BYTES_MAX`] is kept by the size of the payloads claimed lately.
    #[must_use]
    pub fn extra_tasks(&self, now_ms: f64, held_tasks: u32, held_bytes: u64) -> u32 {
        let extra = self.target_tasks(now_ms).saturating_sub(held_tasks);
        match self.setting {
            Prefetch::Fixed(_) => extra,
            Prefetch::Auto => extra.min(whole(
                approximate(bytes_left(held_bytes)) / self.payload_bytes.max(1.0),
            )),
        }
    }

    fn busy_ms(&self, now_ms: f64) -> f64 {
        if self.running_calls > 0 {
            (now_ms - self.observed_at_ms).max(0.0)
        } else {
            0.0
        }
    }

    /// Whether a task held since the last completion would have waited too long, or there is nothing recent
    /// to go by.
    fn is_silent(&self, now_ms: f64) -> bool {
        self.silent_ms + self.busy_ms(now_ms) > WAIT_MS || now_ms - self.completed_at_ms > STALE_MS
    }

    fn close_window(&mut self) {
        if self.rates.len() == WINDOWS {
            self.rates.pop_front();
        }
        // Of slow handlers none is held however many run at once: they end when they like, and a claim costs
        // them next to nothing.
        let mean_call_ms = self.window_call_ms / approximate(self.window_calls);
        let rate = approximate(self.window_tasks) / self.window_ms;
        self.rates
            .push_back(if mean_call_ms > WAIT_MS { 0.0 } else { rate });
        self.clear_window();
    }

    fn forget(&mut self) {
        self.rates.clear();
        self.clear_window();
    }

    fn clear_window(&mut self) {
        self.window_ms = 0.0;
        self.window_call_ms = 0.0;
        self.window_calls = 0;
        self.window_tasks = 0;
    }
}

/// How many more payload bytes may be held ready with the automatic setting.
#[must_use]
pub fn bytes_left(held_bytes: u64) -> u64 {
    BYTES_MAX.saturating_sub(held_bytes)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a rate or a mean needs no more than 52 bits"
)]
fn approximate(count: u64) -> f64 {
    count as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "never negative, and a cast from floating point saturates"
)]
fn whole(number: f64) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests;
