//! Lease renewals, on a connection of their own: a pool whose connections all wait for something must not cost a lease.

use std::sync::Arc;
use std::time::Duration;

use sqlx::Row as _;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::conn::Conn;
use super::connect::Connector;
use super::errors::{Failure, Kind};
use crate::error::{Error, Result};
use crate::protocol::postgres as sql;
use crate::runtime::runtime;
use crate::store::command::Owner;

/// Leases in one statement. More are renewed in several, so that no answer waits for all of them.
const CHUNK: usize = 2_000;

/// How long the server may wait for a lock, a whole table's for example. A longer wait is an error, and tried again.
const LOCK_TIMEOUT: &str = "2s";

/// Bounds of how long an answer may take before the connection counts as dead, within which it is a third of the lease.
const SHORTEST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Ids still owned, each with whether its cancel was requested.
pub(super) type Renewed = Vec<(String, bool)>;

struct Request {
    owner: Owner,
    ids: Vec<String>,
    reply: oneshot::Sender<Result<Renewed>>,
}

/// The way to the task that owns the connection. It starts with the first renewal.
pub(super) struct Renewals {
    requests: mpsc::UnboundedSender<Request>,
    task: tokio::sync::Mutex<Option<tokio::task::JoinHandle<()>>>,
    stop: tokio::sync::watch::Sender<bool>,
}

impl Renewals {
    pub(super) fn new(connector: Arc<Connector>) -> Self {
        let (requests, inbox) = mpsc::unbounded_channel();
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let task = runtime().spawn(serve(connector, inbox, stopped));
        Self {
            requests,
            task: tokio::sync::Mutex::new(Some(task)),
            stop,
        }
    }

    pub(super) async fn renew(&self, owner: Owner, ids: Vec<String>) -> Result<Renewed> {
        let (reply, answer) = oneshot::channel();
        let sent = self.requests.send(Request { owner, ids, reply });
        let closed = || Error::Invalid("the store was closed".to_owned());
        sent.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    pub(super) async fn close(&self) {
        self.stop.send_replace(true);
        if let Some(task) = self.task.lock().await.take() {
            // A panic in it has been reported to whoever waited.
            let _ = task.await;
        }
    }
}

async fn serve(
    connector: Arc<Connector>,
    mut inbox: mpsc::UnboundedReceiver<Request>,
    mut stopped: tokio::sync::watch::Receiver<bool>,
) {
    let mut conn: Option<Conn> = None;
    loop {
        let request = tokio::select! {
            biased;
            request = inbox.recv() => request,
            _ = stopped.wait_for(|stop| *stop) => None,
        };
        let Some(Request { owner, ids, reply }) = request else {
            break;
        };
        // Whoever stopped waiting has lost interest in the leases too.
        let _ = reply.send(answer(&connector, &mut conn, &owner, &ids).await);
    }
    if let Some(conn) = conn {
        conn.close().await;
    }
}

/// Renews on the connection at hand, and once more on a new one when it turns out to be dead.
async fn answer(
    connector: &Connector,
    conn: &mut Option<Conn>,
    owner: &Owner,
    ids: &[String],
) -> Result<Renewed> {
    let mut renewed = Vec::with_capacity(ids.len());
    let ids = sorted(ids);
    for chunk in ids.chunks(CHUNK) {
        let was_open = conn.is_some();
        let mut outcome = try_once(connector, conn, owner, chunk).await;
        if was_open
            && matches!(&outcome, Err(failure) if matches!(failure.kind(), Kind::Lost | Kind::Stale))
        {
            outcome = try_once(connector, conn, owner, chunk).await;
        }
        renewed.extend(outcome.map_err(Failure::into_error)?);
    }
    Ok(renewed)
}

async fn try_once(
    connector: &Connector,
    slot: &mut Option<Conn>,
    owner: &Owner,
    ids: &[String],
) -> std::result::Result<Renewed, Failure> {
    // Taken out of its slot: a connection that fails or is cut off in the middle must not be used again.
    let mut conn = match slot.take() {
        Some(conn) => conn,
        None => connect(connector).await?,
    };
    let wait = Duration::from_millis(u64::try_from(owner.lease_ms / 3).unwrap_or(0))
        .clamp(SHORTEST_WAIT, LONGEST_WAIT);
    match timeout(wait, renew(&mut conn, owner, ids)).await {
        Ok(Ok(renewed)) => {
            *slot = Some(conn);
            Ok(renewed)
        }
        Ok(Err(failure)) => {
            if matches!(failure.kind(), Kind::Other | Kind::Value | Kind::Conflict)
                && conn.undo().await.is_ok()
            {
                *slot = Some(conn);
            }
            Err(failure)
        }
        Err(_) => Err(Failure::Unanswered(wait)),
    }
}

async fn connect(connector: &Connector) -> std::result::Result<Conn, Failure> {
    let mut conn = connector.connect().await?;
    if !connector.is_pooler() {
        conn.query(sql::LOCK_TIMEOUT.as_str())
            .persistent(false)
            .bind(LOCK_TIMEOUT)
            .fetch_one(conn.driver())
            .await?;
    }
    Ok(conn)
}

/// Rows are locked in id order, as everywhere.
fn sorted(ids: &[String]) -> Vec<String> {
    let mut ids = super::claim::possible(ids);
    ids.sort_unstable();
    ids
}

/// Renews what is not locked, then looks whether the rest is still owned: a row that somebody holds for the moment, its own
/// settlement for example, is not lost. It is renewed by the next beat.
pub(super) async fn renew(
    conn: &mut Conn,
    owner: &Owner,
    ids: &[String],
) -> std::result::Result<Renewed, Failure> {
    conn.enter().await?;
    let query = conn
        .query(sql::RENEW.as_str())
        .bind(ids)
        .bind(&owner.worker_id)
        .bind(owner.lease_ms);
    let rows = query.fetch_all(conn.driver()).await?;
    conn.leave().await?;
    let mut renewed = flags(&rows)?;
    if renewed.len() < ids.len() {
        let known: std::collections::HashSet<&str> =
            renewed.iter().map(|(id, _)| id.as_str()).collect();
        let rest: Vec<String> = ids
            .iter()
            .filter(|id| !known.contains(id.as_str()))
            .cloned()
            .collect();
        conn.enter().await?;
        let query = conn
            .query(sql::OWNED.as_str())
            .bind(rest)
            .bind(&owner.worker_id);
        let rows = query.fetch_all(conn.driver()).await?;
        conn.leave().await?;
        renewed.extend(flags(&rows)?);
    }
    Ok(renewed)
}

fn flags(rows: &[sqlx::postgres::PgRow]) -> sqlx::Result<Renewed> {
    rows.iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
        .collect()
}

/// `heartbeatBatch`, on a connection like any other operation.
pub(super) async fn heartbeat_batch(
    conn: &mut Conn,
    owner: &Owner,
    ids: &[String],
) -> std::result::Result<Renewed, Failure> {
    let mut renewed = Vec::with_capacity(ids.len());
    for chunk in sorted(ids).chunks(CHUNK) {
        renewed.extend(renew(conn, owner, chunk).await?);
    }
    Ok(renewed)
}
