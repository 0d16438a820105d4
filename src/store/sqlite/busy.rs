//! Whether our own commits follow one another so closely that file events would tell of little else.

use std::time::{Duration, Instant};

/// Commits with no longer pause between them are one stretch of work.
const PAUSE: Duration = Duration::from_millis(2);
/// A stretch this long makes the writer busy, and a pause this long makes it idle again.
const BUSY_AFTER: Duration = Duration::from_millis(10);
const IDLE_AFTER: Duration = Duration::from_millis(20);

/// The writer's present stretch of work.
#[derive(Debug)]
pub(super) struct Busy {
    since: Instant,
    last: Instant,
}

impl Busy {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            since: now,
            last: now,
        }
    }

    /// A transaction has ended, and what had to follow it. How long they took is no pause, or large ones would make
    /// nobody busy.
    pub(super) fn wrote(&mut self, began: Instant, ended: Instant) {
        if began.duration_since(self.last) > PAUSE {
            self.since = ended;
        }
        self.last = ended;
    }

    /// Whether the writer has been at work without a pause for long enough.
    pub(super) fn is_busy(&self) -> bool {
        self.last.duration_since(self.since) >= BUSY_AFTER
    }

    /// How long until a busy writer counts as idle.
    pub(super) fn idle_in(&self, now: Instant) -> Duration {
        IDLE_AFTER.saturating_sub(now.duration_since(self.last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_without_a_pause_makes_busy_and_a_pause_ends_it() {
        let began = Instant::now();
        let at = |ms| began + Duration::from_millis(ms);
        let mut busy = Busy::new(began);
        for ms in [100, 102, 104, 106, 108] {
            busy.wrote(at(ms), at(ms));
            assert!(!busy.is_busy(), "after {ms} ms");
        }
        busy.wrote(at(110), at(110));
        assert!(busy.is_busy());
        assert_eq!(busy.idle_in(at(120)), Duration::from_millis(10));
        assert_eq!(busy.idle_in(at(200)), Duration::ZERO);
        busy.wrote(at(120), at(120));
        assert!(!busy.is_busy(), "a new stretch has begun");
    }

    #[test]
    fn transactions_that_take_long_make_busy_as_well() {
        let began = Instant::now();
        let at = |ms| began + Duration::from_millis(ms);
        let mut busy = Busy::new(began);
        busy.wrote(at(50), at(90));
        assert!(!busy.is_busy(), "one of them, however long");
        for ms in [91, 97] {
            busy.wrote(at(ms), at(ms + 5));
        }
        assert!(busy.is_busy());
    }
}
