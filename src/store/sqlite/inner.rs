//! A store's life: closed, opening, open, and what its uses wait for meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::oneshot;

use super::SqliteOptions;
use super::hub::Hub;
use super::jobs::{RoundJob, Write};
use super::location::Location;
use super::submit::SubmitJob;
use super::transaction::Tx;
use super::{network, open, submit};
use crate::error::{Error, Result};
use crate::protocol::MigrateTo;
use crate::runtime::runtime;
use crate::store::Warning;
use crate::store::answer::Answer;
use crate::store::command::NewTask;
use crate::store::parts::Parts;
use crate::store::round::{Round, RoundReply};
use crate::store::submitted::Submitted;
use crate::store::wakes::Wakes;

/// What a store's futures hold on to.
pub(super) struct Inner {
    location: Location,
    options: SqliteOptions,
    pub(super) wakes: Arc<Wakes>,
    state: Mutex<State>,
    warnings: Mutex<Vec<Warning>>,
}

type Deferred = Box<dyn FnOnce(Result<&Arc<Hub>>) + Send>;

enum State {
    /// Closed, or never opened. The hub left last may still have accepted writes to finish.
    Closed(Weak<Hub>),
    /// Being opened; these uses wait for it, in order.
    Opening(Vec<Deferred>),
    Open(Arc<Hub>),
    /// A closed in-memory database: it lives as long as the store, or closing would lose it.
    Parked(Arc<Hub>),
    /// Another protocol version; refused until closed.
    Refused(Error),
}

impl Inner {
    pub(super) fn new(target: &str, options: SqliteOptions) -> Self {
        Self {
            location: Location::new(target),
            options,
            wakes: Arc::default(),
            state: Mutex::new(State::Closed(Weak::new())),
            warnings: Mutex::default(),
        }
    }

    pub(super) fn take_warnings(&self) -> Vec<Warning> {
        std::mem::take(&mut *self.warnings())
    }

    fn warnings(&self) -> MutexGuard<'_, Vec<Warning>> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn patience(&self) -> Duration {
        Duration::from_millis(self.options.busy_timeout_ms)
    }

    /// Hands `work` the open hub: now, or once the opening under way is done. Uses keep their order.
    pub(super) fn with_hub(
        self: &Arc<Self>,
        work: impl FnOnce(Result<&Arc<Hub>>) + Send + 'static,
    ) {
        let mut state = self.state();
        match &mut *state {
            State::Open(hub) => work(Ok(hub)),
            State::Refused(error) => work(Err(error.clone())),
            State::Opening(waiting) => waiting.push(Box::new(work)),
            State::Parked(hub) => {
                let hub = Arc::clone(hub);
                *state = State::Open(Arc::clone(&hub));
                work(Ok(&hub));
            }
            State::Closed(_) => {
                *state = State::Opening(vec![Box::new(work)]);
                let inner = Arc::clone(self);
                runtime().spawn_blocking(move || {
                    // Whoever waits must hear of it, whatever happens.
                    let opened = catch_unwind(AssertUnwindSafe(|| inner.open()));
                    inner.finish_opening(&opened.unwrap_or_else(|_| {
                        Err(Error::Internal("opening the database panicked".to_owned()))
                    }));
                });
            }
        }
    }

    /// Opens the database, and joins the hub of its file. The opening is made in full for each store, because each has
    /// to see its own protocol version and its own level, whoever opened the file before.
    fn open(&self) -> Result<Arc<Hub>> {
        let connection = open::writer(&self.location, self.patience(), self.options.migrate)?;
        let keeps = self.options.migrate != MigrateTo::Never;
        let hub = Hub::join(&self.location, connection, self.patience(), keeps)?;
        hub.listen(&self.wakes);
        if let Some(warning) = self.location.path().and_then(network::warning) {
            tracing::warn!(name = warning.name, "{}", warning.message);
            self.warnings().push(warning);
        }
        Ok(hub)
    }

    fn finish_opening(&self, opened: &Result<Arc<Hub>>) {
        let mut state = self.state();
        let next = match opened {
            Ok(hub) => State::Open(Arc::clone(hub)),
            Err(error @ Error::ProtocolVersionMismatch { .. }) => State::Refused(error.clone()),
            Err(_) => State::Closed(Weak::new()),
        };
        // Still under the lock, so that a use that comes now does not overtake those that waited.
        if let State::Opening(waiting) = std::mem::replace(&mut *state, next) {
            for work in waiting {
                work(opened.as_ref().map_err(Clone::clone));
            }
        }
    }

    /// Runs `work` in the writer's next transaction.
    pub(super) fn write<T: Send + 'static>(
        self: &Arc<Self>,
        urgent: bool,
        answer: Answer<T>,
        work: impl FnMut(&Tx<'_, '_>) -> Result<T> + Send + 'static,
    ) {
        let patience = self.patience();
        self.with_hub(move |hub| match hub {
            Ok(hub) => hub.write(Write::boxed(work, answer), patience, urgent),
            Err(error) => answer.give(Err(error)),
        });
    }

    /// Runs submits that came together, each in its own right, in the writer's next transaction.
    pub(super) fn submit(self: &Arc<Self>, submits: Vec<(NewTask, Answer<Submitted>)>) {
        let patience = self.patience();
        self.with_hub(move |hub| match hub {
            Ok(hub) => {
                let job = |(new, answer)| SubmitJob::boxed(new, answer);
                hub.queue
                    .push(submits.into_iter().map(job), patience, false);
            }
            Err(error) => {
                for (_, answer) in submits {
                    answer.give(Err(error.clone()));
                }
            }
        });
    }

    /// Runs a submit of all or none in the writer's next transaction.
    pub(super) fn submit_many(self: &Arc<Self>, mut parts: Parts, answer: Answer<Vec<Submitted>>) {
        self.write(false, answer, move |tx| submit::submit_many(tx, &mut parts));
    }

    /// Runs `work` beside the writer; in memory there is only the writer to read with.
    pub(super) fn read<T: Send + 'static>(
        self: &Arc<Self>,
        answer: Answer<T>,
        mut work: impl FnMut(&Tx<'_, '_>) -> Result<T> + Send + 'static,
    ) {
        if self.location.is_memory() {
            return self.write(false, answer, work);
        }
        self.with_hub(move |hub| match hub {
            Ok(hub) => hub.read(Box::new(move |tx| answer.give(tx.and_then(&mut work)))),
            Err(error) => answer.give(Err(error)),
        });
    }

    /// Lets accepted writes finish, then closes; ends no sooner than another `close()` under way.
    pub(super) async fn close(self: Arc<Self>) -> Result<()> {
        let opening = matches!(&*self.state(), State::Opening(_));
        if opening {
            let (reply, opened) = oneshot::channel();
            self.with_hub(move |_| reply.send(()).unwrap_or_default());
            let _ = opened.await;
        }
        let Some((hub, leaves)) = self.start_closing() else {
            return Ok(());
        };
        hub.drained().await;
        if leaves {
            hub.leave();
            if hub.is_closed() {
                let _ = runtime().spawn_blocking(move || hub.wait_closed()).await;
            }
        }
        Ok(())
    }

    /// Closes the door to further uses. Gives the hub to wait for, and whether it is for the caller to leave it.
    fn start_closing(&self) -> Option<(Arc<Hub>, bool)> {
        let mut state = self.state();
        match std::mem::replace(&mut *state, State::Closed(Weak::new())) {
            State::Open(hub) if self.location.is_memory() => {
                *state = State::Parked(Arc::clone(&hub));
                Some((hub, false))
            }
            State::Open(hub) => {
                *state = State::Closed(Arc::downgrade(&hub));
                Some((hub, true))
            }
            // Another close() is under way, and this one ends no sooner.
            State::Closed(left) => {
                *state = State::Closed(Weak::clone(&left));
                left.upgrade().map(|hub| (hub, false))
            }
            other @ (State::Opening(_) | State::Parked(_)) => {
                *state = other;
                None
            }
            State::Refused(_) => None,
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let State::Open(hub) | State::Parked(hub) = &*self.state() {
            hub.leave();
        }
    }
}

impl Inner {
    pub(super) fn round(self: &Arc<Self>, round: Round, answer: Answer<RoundReply>) {
        let patience = self.patience();
        self.with_hub(move |hub| match hub {
            Ok(hub) => hub.write(RoundJob::boxed(round, answer), patience, false),
            Err(error) => answer.give(Err(error)),
        });
    }
}
