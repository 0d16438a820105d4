//! Trying an operation again on another connection, where that is safe.

use std::sync::Arc;
use std::time::Duration;

use super::errors::{Failure, Kind};
use super::pool::{Lease, Pool};
use crate::error::Result;

/// Attempts at one operation, first one included.
const LIMIT: u32 = 6;

/// The longest pause between two attempts that were undone for each other's sake.
const MAX_PAUSE_MS: u64 = 50;

/// What a lost connection means for an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhenLost {
    /// Send it again: doing it twice is the same as doing it once, or the operation finds out itself.
    Resend,
    /// Report it: whether it took effect cannot be known.
    Report,
}

/// The state of trying. Use: take a connection, do the work, and hand the failure to [`Attempts::failed`].
pub(super) struct Attempts {
    pool: Arc<Pool>,
    when_lost: WhenLost,
    made: u32,
    resent: bool,
}

impl Attempts {
    pub(super) fn new(pool: &Arc<Pool>, when_lost: WhenLost) -> Self {
        Self {
            pool: Arc::clone(pool),
            when_lost,
            made: 0,
            resent: false,
        }
    }

    /// A connection for the next attempt.
    pub(super) async fn lease(&self) -> Result<Lease> {
        self.pool.take().await
    }

    /// Whether an earlier attempt may have taken effect without our knowing.
    pub(super) fn resent(&self) -> bool {
        self.resent
    }

    /// Cleans up after a failed attempt. Ok means: try again.
    pub(super) async fn failed(
        &mut self,
        lease: Lease,
        failure: Failure,
    ) -> std::result::Result<(), Failure> {
        self.made += 1;
        let kind = failure.kind();
        // A stale plan stays with its connection, so that one is closed too.
        lease.give_up(&failure).await;
        if kind == Kind::Lost {
            self.pool.distrust_idle();
        }
        let again = match kind {
            Kind::Lost => self.when_lost == WhenLost::Resend,
            Kind::Conflict | Kind::Stale => true,
            Kind::Value | Kind::Other => false,
        };
        if !again || self.made >= LIMIT {
            return Err(failure);
        }
        self.resent |= kind == Kind::Lost;
        if kind == Kind::Conflict {
            // Whoever was undone with us tries again too; a pause of a random length lets one of us go first.
            let pause = rand::random_range(0..=MAX_PAUSE_MS.min(1 << self.made));
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
        Ok(())
    }
}

/// Runs `$work`, an expression of `Result<T, Failure>` over `$conn: &mut Conn` and `$resent: bool`, until it succeeds or
/// trying again is pointless. It evaluates to `Result<T, Failure>`.
///
/// A macro, because a closure that borrows its connection cannot yet promise that its future may move between threads.
macro_rules! attempt {
    ($pool:expr, $when_lost:expr, |$conn:ident, $resent:ident| $work:expr) => {{
        let mut attempts = $crate::store::postgres::attempts::Attempts::new($pool, $when_lost);
        loop {
            let mut lease = match attempts.lease().await {
                Ok(lease) => lease,
                Err(error) => break Err($crate::store::postgres::errors::Failure::Refused(error)),
            };
            let $resent = attempts.resent();
            let outcome = {
                let $conn = lease.conn();
                let backend_pid = $conn.backend_pid();
                $pool.watch(backend_pid, async { $work }).await
            };
            match outcome {
                Ok(value) => {
                    lease.give_back();
                    break Ok(value);
                }
                Err(failure) => {
                    if let Err(failure) = attempts.failed(lease, failure).await {
                        break Err(failure);
                    }
                }
            }
        }
    }};
}

pub(super) use attempt;
