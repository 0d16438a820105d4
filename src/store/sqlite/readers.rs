//! Connections that read beside the writer, and never wait for it.

use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::faults::Faults;
use super::location::Location;
use super::open;
use super::statements::Statements;
use super::transaction::Tx;
use crate::error::Result;

/// Reading threads per file: one long `list` does not hold up a `get`.
const THREADS: usize = 2;

/// A read; it is told when no connection could be opened for it.
pub(super) type Read = Box<dyn FnOnce(Result<&Tx<'_, '_>>) + Send>;

#[derive(Default)]
struct Waiting {
    reads: VecDeque<Read>,
    closed: bool,
}

#[derive(Default)]
struct Inbox {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

/// The readers' inbox.
#[derive(Default, Clone)]
pub(super) struct Readers(Arc<Inbox>);

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next read; none once the inbox is closed and empty.
    fn next(&self) -> Option<Read> {
        let mut waiting = self.lock();
        loop {
            if let Some(read) = waiting.reads.pop_front() {
                return Some(read);
            }
            if waiting.closed {
                return None;
            }
            waiting = self
                .arrived
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Readers {
    pub(super) fn push(&self, read: Read) {
        self.0.lock().reads.push_back(read);
        self.0.arrived.notify_one();
    }

    pub(super) fn close(&self) {
        self.0.lock().closed = true;
        self.0.arrived.notify_all();
    }

    /// Starts the threads. Each opens its connection at its first read, and again after one broke.
    pub(super) fn start(
        &self,
        location: &Location,
        busy_timeout: Duration,
        faults: &Arc<Faults>,
        spawn: impl Fn(Box<dyn FnOnce() + Send>) -> Result<JoinHandle<()>>,
    ) -> Result<Vec<JoinHandle<()>>> {
        (0..THREADS)
            .map(|_| {
                let reader = Reader {
                    inbox: Arc::clone(&self.0),
                    location: location.clone(),
                    busy_timeout,
                    faults: Arc::clone(faults),
                };
                spawn(Box::new(move || {
                    let mut next = reader.inbox.next();
                    while let Some(read) = next {
                        next = reader.serve(read).or_else(|| reader.inbox.next());
                    }
                }))
            })
            .collect()
    }
}

struct Reader {
    inbox: Arc<Inbox>,
    location: Location,
    busy_timeout: Duration,
    faults: Arc<Faults>,
}

impl Reader {
    /// Serves reads on one connection, beginning with `first`, until the inbox closes or the connection is of no more
    /// use. Gives back the read that needs another one.
    fn serve(&self, first: Read) -> Option<Read> {
        // Before another connection is tried, whose failure would hide what happened.
        if let Some(error) = self.faults.take_untold() {
            first(Err(error));
            return None;
        }
        let generation = self.faults.generation();
        let connection = match open::reader(&self.location, self.busy_timeout) {
            Ok(connection) => connection,
            Err(error) => {
                first(Err(error));
                return None;
            }
        };
        let statements = Statements::new(&connection);
        let mut next = Some(first);
        while let Some(read) = next {
            if self.faults.generation() != generation {
                return Some(read);
            }
            if let Some(error) = self.faults.take_untold() {
                read(Err(error));
            } else {
                let unchanged_at = Cell::new(0);
                let tx = Tx::new(
                    &connection,
                    &statements,
                    self.location.name(),
                    &unchanged_at,
                );
                // A panic is a fault of ours in one read; whoever waits sees its answer dropped.
                let outcome = catch_unwind(AssertUnwindSafe(|| read(Ok(&tx))));
                if outcome.is_err() || tx.is_spoiled() {
                    return None;
                }
            }
            next = self.inbox.next();
        }
        None
    }
}
