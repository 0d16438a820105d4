//! Hearing of other processes' commits: `LISTEN` on a connection of its own.
//!
//! Correctness never needs a notification. A listener that is lost comes back with growing pauses, and what happened in
//! between is made up for by one look: every worker polls, and every awaited task is checked.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::Row as _;
use sqlx::postgres::{PgListener, PgNotification, PgPoolOptions};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::backends::Backends;
use super::connect::Connector;
use super::errors::Failure;
use super::pool::Pool;
use crate::error::{Error, Result};
use crate::protocol::postgres as sql;
use crate::runtime::runtime;
use crate::store::wakes::Wakes;

/// Pauses before another attempt to listen.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// A listener that has heard nothing for this long asks the server for an answer.
const SILENCE: Duration = Duration::from_secs(10);

/// How long that answer may take before the connection counts as dead.
const PATIENCE: Duration = Duration::from_secs(5);

/// The channels of one installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Channels {
    queued: String,
    done: String,
}

impl Channels {
    pub(super) fn new(prefix: &str) -> Self {
        Self {
            queued: format!("{prefix}{}", sql::QUEUED_CHANNEL),
            done: format!("{prefix}{}", sql::DONE_CHANNEL),
        }
    }
}

/// The task that listens, once somebody wants to hear.
pub(super) struct Listener {
    ear: Arc<Ear>,
    stop: watch::Sender<bool>,
    task: Mutex<Option<JoinHandle<()>>>,
}

struct Ear {
    connector: Arc<Connector>,
    pool: Arc<Pool>,
    wakes: Arc<Wakes>,
    backends: Arc<Backends>,
    channels: Channels,
}

impl Listener {
    pub(super) fn new(
        connector: Arc<Connector>,
        pool: Arc<Pool>,
        wakes: Arc<Wakes>,
        channels: Channels,
    ) -> Self {
        let backends = Backends::beside(&wakes);
        Self {
            ear: Arc::new(Ear {
                connector,
                pool,
                wakes,
                backends,
                channels,
            }),
            stop: watch::channel(false).0,
            task: Mutex::default(),
        }
    }

    /// Starts listening, unless it has. Behind a pooler LISTEN is accepted and hears nothing, so there is none.
    pub(super) fn start(&self) {
        if self.ear.connector.is_pooler() {
            return;
        }
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        if task.is_none() && !*self.stop.borrow() {
            *task = Some(runtime().spawn(Arc::clone(&self.ear).run(self.stop.subscribe())));
        }
    }

    pub(super) async fn stop(&self) {
        self.stop.send_replace(true);
        let task = self
            .task
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(task) = task {
            // Nothing it could have panicked over concerns whoever closes the store.
            let _ = task.await;
        }
    }
}

impl Ear {
    async fn run(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        let mut pause = FIRST_PAUSE;
        let mut interrupted = false;
        loop {
            // While a server is away the driver itself keeps trying until its patience ends; closing must not wait for that.
            let connected = tokio::select! {
                connected = self.connect() => connected,
                _ = stop.wait_for(|stop| *stop) => return,
            };
            match connected {
                Ok(mut listener) => {
                    pause = FIRST_PAUSE;
                    if interrupted {
                        self.catch_up().await;
                    }
                    tokio::select! {
                        error = self.hear(&mut listener) => {
                            tracing::warn!(%error, "the listening connection was lost");
                        }
                        _ = stop.wait_for(|stop| *stop) => return,
                    }
                }
                Err(error) => tracing::warn!(%error, "cannot listen"),
            }
            interrupted = true;
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = stop.wait_for(|stop| *stop) => return,
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn connect(&self) -> Result<PgListener> {
        let patience = self.connector.patience();
        let mut failed = Error::Internal("a DSN without a host".to_owned());
        for candidate in self.connector.candidates()? {
            let attempt = async {
                let options = self.connector.options(&candidate).await?;
                // The driver listens only on a connection of one of its own pools.
                let pool = PgPoolOptions::new()
                    .max_connections(1)
                    .idle_timeout(None)
                    .max_lifetime(None);
                let pool = pool.acquire_timeout(patience).connect_with(options).await?;
                let mut listener = PgListener::connect_with(&pool).await?;
                listener.ignore_pool_close_event(true);
                listener.eager_reconnect(false);
                listener
                    .listen_all([self.channels.queued.as_str(), self.channels.done.as_str()])
                    .await?;
                Ok::<_, sqlx::Error>(listener)
            };
            match timeout(patience, attempt).await {
                Ok(Ok(listener)) => return Ok(listener),
                Ok(Err(error)) => failed = Failure::from(error).into_error(),
                Err(_) => failed = Failure::Unanswered(patience).into_error(),
            }
        }
        Err(failed)
    }

    /// Listens until the connection is lost.
    async fn hear(&self, listener: &mut PgListener) -> Error {
        loop {
            match timeout(SILENCE, listener.try_recv()).await {
                Ok(Ok(Some(notification))) => self.pass_on(&notification),
                Ok(Ok(None)) => return lost("the server closed it"),
                Ok(Err(error)) => return Failure::from(error).into_error(),
                // A network that swallows packets looks like silence: only an answer tells.
                Err(_) => match timeout(
                    PATIENCE,
                    sqlx::query(sql::PING.as_str()).execute(&mut *listener),
                )
                .await
                {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => return Failure::from(error).into_error(),
                    Err(_) => return Failure::Unanswered(PATIENCE).into_error(),
                },
            }
        }
    }

    fn pass_on(&self, notification: &PgNotification) {
        // Our own commits have been announced already, without a detour.
        if i32::try_from(notification.process_id()).is_ok_and(|pid| self.backends.contains(pid)) {
            return;
        }
        if notification.channel() == self.channels.queued {
            self.wakes.queued(notification.payload(), 0);
        } else if notification.channel() == self.channels.done {
            self.wakes.done(notification.payload());
        }
    }

    /// Makes up for what nobody heard.
    async fn catch_up(&self) {
        self.wakes.look_around();
        let awaited = super::claim::possible(&self.wakes.awaited_ids());
        if awaited.is_empty() {
            return;
        }
        match self.finished(&awaited).await {
            Ok(ids) => ids.iter().for_each(|id| self.wakes.done(id)),
            // Whoever waits polls too.
            Err(error) => tracing::warn!(%error, "cannot look at awaited tasks"),
        }
    }

    async fn finished(&self, awaited: &[String]) -> Result<Vec<String>> {
        let mut lease = self.pool.take().await?;
        let outcome: sqlx::Result<Vec<String>> = async {
            let conn = lease.conn();
            let rows = conn
                .query(sql::FINISHED.as_str())
                .bind(awaited)
                .fetch_all(conn.driver())
                .await?;
            rows.iter().map(|row| row.try_get(0)).collect()
        }
        .await;
        match outcome {
            Ok(ids) => {
                lease.give_back();
                Ok(ids)
            }
            Err(error) => Err(Failure::from(error).into_error()),
        }
    }
}

fn lost(reason: &str) -> Error {
    Error::Database {
        code: None,
        message: format!("listening stopped: {reason}"),
        passing: true,
    }
}
