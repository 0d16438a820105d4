//! The life of an open store: opened by the first use, shared by concurrent ones, closed when everything accepted is done.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};
use tokio::sync::watch;

use super::batcher::Batcher;
use super::connect::Connector;
use super::open::Open;
use super::options::PostgresOptions;
use crate::error::{Error, Result};
use crate::runtime::runtime;
use crate::store::wakes::Wakes;

type Opening = Shared<BoxFuture<'static, Result<Arc<Open>>>>;

/// What one session needs to open, time and again if it must.
pub(super) struct Blueprint {
    pub(super) connector: Arc<Connector>,
    pub(super) options: PostgresOptions,
    pub(super) wakes: Arc<Wakes>,
}

/// From a first use to the next close.
pub(super) struct Session {
    blueprint: Arc<Blueprint>,
    opening: Mutex<Option<Opening>>,
    batcher: OnceLock<Batcher>,
    under_way: watch::Sender<usize>,
}

/// Counts one operation as under way until it is dropped.
pub(super) struct UnderWay(Arc<Session>);

impl Session {
    pub(super) fn new(blueprint: Arc<Blueprint>) -> Arc<Self> {
        let session = Arc::new(Self {
            blueprint,
            opening: Mutex::default(),
            batcher: OnceLock::new(),
            under_way: watch::channel(0).0,
        });
        session.batcher.get_or_init(|| Batcher::start(&session));
        session
    }

    pub(super) fn batcher(self: &Arc<Self>) -> &Batcher {
        self.batcher.get_or_init(|| Batcher::start(self))
    }

    /// Accepts one operation.
    pub(super) fn enter(self: &Arc<Self>) -> UnderWay {
        self.under_way.send_modify(|count| *count += 1);
        UnderWay(Arc::clone(self))
    }

    /// The open store. A failure is forgotten, so that the next use tries again; that the database speaks another protocol
    /// is not, until the store is closed.
    pub(super) async fn open(&self) -> Result<Arc<Open>> {
        let opening = {
            let mut opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
            opening
                .get_or_insert_with(|| start(&self.blueprint))
                .clone()
        };
        let outcome = opening.clone().await;
        if let Err(error) = &outcome
            && !matches!(error, Error::ProtocolVersionMismatch { .. })
        {
            let mut current = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
            if current
                .as_ref()
                .is_some_and(|current| current.ptr_eq(&opening))
            {
                *current = None;
            }
        }
        outcome
    }

    /// Waits for everything accepted, then closes what was opened.
    pub(super) async fn close(&self) {
        // The sender is ours, so waiting on it cannot fail.
        let _ = self
            .under_way
            .subscribe()
            .wait_for(|count| *count == 0)
            .await;
        let opening = self
            .opening
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(opening) = opening
            && let Ok(open) = opening.await
        {
            open.close().await;
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.send_modify(|count| *count -= 1);
    }
}

/// Opens in a task of its own: a caller that gives up must not leave a connection in the middle of a migration.
fn start(blueprint: &Arc<Blueprint>) -> Opening {
    let blueprint = Arc::clone(blueprint);
    let task = runtime().spawn(async move {
        Open::new(
            Arc::clone(&blueprint.connector),
            &blueprint.options,
            Arc::clone(&blueprint.wakes),
        )
        .await
    });
    async move {
        task.await
            .unwrap_or_else(|error| Err(Error::Internal(format!("opening the store: {error}"))))
    }
    .boxed()
    .shared()
}

/// The session in use, if any.
#[derive(Default)]
pub(super) struct Current(Mutex<Option<Arc<Session>>>);

impl Current {
    /// The session in use, begun if there is none.
    pub(super) fn get(&self, blueprint: &Arc<Blueprint>) -> Arc<Session> {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(current.get_or_insert_with(|| Session::new(Arc::clone(blueprint))))
    }

    /// Ends the session in use: the next use begins another.
    pub(super) fn take(&self) -> Option<Arc<Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
