//! A wall clock that is set back.
//!
//! Times in the database are those of the host's clock. When it is set back by an hour, what was queued a moment ago
//! would not be due for an hour, and the lease of a dead process would hold for an hour longer. Rows tell by themselves
//! that they were written before the step, because their time of change is still to come; whichever process notices
//! first brings them along for all.

use std::time::Instant;

use rusqlite::{Connection, params};

use crate::clock::now_ms;
use crate::protocol::sqlite as sql;

/// A smaller step is waited out; a clock that is slewed makes none.
const SMALLEST_STEP_MS: i64 = 500;

pub(super) struct SetBack {
    seen: (Instant, i64),
    /// How far the clock was set back since the rows were last brought along.
    owed_ms: i64,
}

impl SetBack {
    pub(super) fn new() -> Self {
        Self {
            seen: (Instant::now(), now_ms()),
            owed_ms: 0,
        }
    }

    /// Looks at the clock, and brings the rows along when it was set back. Whether there were any.
    pub(super) fn look(&mut self, connection: &Connection) -> bool {
        self.see(Instant::now(), now_ms());
        if self.owed_ms == 0 {
            return false;
        }
        match bring_along(connection, self.seen.1, self.owed_ms) {
            Ok(rows) => {
                tracing::warn!(ms = self.owed_ms, rows, "the clock was set back");
                self.owed_ms = 0;
                rows > 0
            }
            Err(error) => {
                tracing::debug!(%error, "the clock was set back, and the rows are still ahead");
                false
            }
        }
    }

    fn see(&mut self, at: Instant, wall_ms: i64) {
        let passed = at.duration_since(self.seen.0).as_millis();
        let expected = self
            .seen
            .1
            .saturating_add(i64::try_from(passed).unwrap_or(i64::MAX));
        let back = expected.saturating_sub(wall_ms);
        if back >= SMALLEST_STEP_MS {
            self.owed_ms = self.owed_ms.saturating_add(back);
        }
        self.seen = (at, wall_ms);
    }
}

/// One statement is a transaction of its own. While another process holds the lock it is busy, and the next look tries
/// again.
fn bring_along(connection: &Connection, now_ms: i64, back_ms: i64) -> rusqlite::Result<usize> {
    connection.execute(sql::CLOCK_SET_BACK, params![now_ms, back_ms])
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    fn after(looks: &[(u64, i64)]) -> i64 {
        let (at, wall_ms) = (Instant::now(), 10 * HOUR_MS);
        let mut set_back = SetBack {
            seen: (at, wall_ms),
            owed_ms: 0,
        };
        for (passed_ms, moved_ms) in looks {
            set_back.see(at + Duration::from_millis(*passed_ms), wall_ms + moved_ms);
        }
        set_back.owed_ms
    }

    #[test]
    fn a_clock_that_runs_is_let_run() {
        assert_eq!(after(&[(1_000, 1_000), (2_000, 1_980), (3_000, 2_950)]), 0);
        assert_eq!(
            after(&[(1_000, 1_000 + HOUR_MS), (2_000, 2_000 + HOUR_MS)]),
            0
        );
        // The steady clock may stand still while the host sleeps.
        assert_eq!(after(&[(10, 5 * HOUR_MS)]), 0);
    }

    #[test]
    fn every_step_back_counts_once() {
        assert_eq!(
            after(&[(1_000, 1_000 - HOUR_MS), (2_000, 2_000 - HOUR_MS)]),
            HOUR_MS
        );
        assert_eq!(
            after(&[(1_000, 1_000 - HOUR_MS), (2_000, 1_000 - HOUR_MS)]),
            HOUR_MS + 1_000
        );
    }
}
