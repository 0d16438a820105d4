//! The connections that work is done on: at most `max`, made when needed, handed out in the order of asking.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::backends::Backends;
use super::conn::Conn;
use super::connect::Connector;
use super::errors::{Failure, Kind};
use super::watchdog::Watchdog;
use crate::error::{Error, Result};

/// An idle connection is closed when it has not been needed for this long.
const IDLE: Duration = Duration::from_mins(5);

/// The pool of one open store.
pub(super) struct Pool {
    connector: Arc<Connector>,
    permits: Arc<Semaphore>,
    state: Mutex<State>,
    backends: Arc<Backends>,
    watchdog: Watchdog,
}

#[derive(Default)]
struct State {
    /// The most recently used one last, so that the others fall idle.
    idle: Vec<(Conn, Instant)>,
    closed: bool,
}

/// A connection taken out of the pool. Dropping it closes the connection; [`Lease::give_back`] keeps it.
pub(super) struct Lease {
    conn: Option<Conn>,
    pool: Arc<Pool>,
    _permit: OwnedSemaphorePermit,
}

impl Pool {
    pub(super) fn new(connector: Arc<Connector>, max: usize, backends: Arc<Backends>) -> Arc<Self> {
        Arc::new(Self {
            connector,
            permits: Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS))),
            state: Mutex::default(),
            backends,
            watchdog: Watchdog::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock means a panic between two assignments of plain data: the data is still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection, once one of the `max` is free. Waits without limit: whoever holds one is at work.
    pub(super) async fn take(self: &Arc<Self>) -> Result<Lease> {
        let permit = Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .map_err(|_| closed())?;
        let idle = self.state().idle.pop();
        let conn = match idle {
            Some((conn, _)) => conn,
            None => self.connector.connect().await?,
        };
        if self.state().closed {
            return Err(closed());
        }
        self.backends.add(conn.backend_pid());
        Ok(Lease {
            conn: Some(conn),
            pool: Arc::clone(self),
            _permit: permit,
        })
    }

    /// Runs `work` on a connection taken from here, and cuts it off when that connection turns out to be dead.
    pub(super) async fn watch<T>(
        &self,
        backend_pid: i32,
        work: impl Future<Output = std::result::Result<T, Failure>>,
    ) -> std::result::Result<T, Failure> {
        self.watchdog
            .watch(&self.connector, backend_pid, work)
            .await
    }

    /// Closes idle connections. After one was lost the others most likely are, and each would fail one more caller.
    pub(super) fn distrust_idle(&self) {
        let idle = std::mem::take(&mut self.state().idle);
        for (conn, _) in &idle {
            self.backends.remove(conn.backend_pid());
        }
    }

    /// Closes every idle connection and those that come back later.
    pub(super) async fn close(&self) {
        let idle = {
            let mut state = self.state();
            state.closed = true;
            std::mem::take(&mut state.idle)
        };
        self.permits.close();
        for (conn, _) in idle {
            self.backends.remove(conn.backend_pid());
            conn.close().await;
        }
        self.watchdog.close().await;
    }
}

fn closed() -> Error {
    Error::Invalid("the store was closed".to_owned())
}

impl Lease {
    pub(super) fn conn(&mut self) -> &mut Conn {
        self.conn
            .as_mut()
            .expect("a lease holds its connection until it is given back")
    }

    /// Ends the use of the connection after a failure: keeps it when it can be brought out of its transaction.
    pub(super) async fn give_up(mut self, failure: &Failure) {
        let usable = !matches!(failure.kind(), Kind::Lost | Kind::Stale);
        if usable && self.conn().undo().await.is_ok() {
            self.give_back();
        }
    }

    /// Keeps the connection for the next taker. It must not be inside a transaction.
    pub(super) fn give_back(mut self) {
        let Some(conn) = self.conn.take() else { return };
        let now = Instant::now();
        let mut state = self.pool.state();
        if state.closed {
            self.pool.backends.remove(conn.backend_pid());
            return;
        }
        let unused = state
            .idle
            .iter()
            .take_while(|(_, since)| now.duration_since(*since) > IDLE)
            .count();
        let unused: Vec<(Conn, Instant)> = state.idle.drain(..unused).collect();
        for (conn, _) in &unused {
            self.pool.backends.remove(conn.backend_pid());
        }
        state.idle.push((conn, now));
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(conn) = &self.conn {
            self.pool.backends.remove(conn.backend_pid());
        }
    }
}
