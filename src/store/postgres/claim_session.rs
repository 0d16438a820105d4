//! A claim whose draws come one by one from outside, and `claim`, which is one with a single draw.

use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::Row as _;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::attempts::{WhenLost, attempt};
use super::claim::{self, Drawing, Limits};
use super::conn::Conn;
use super::errors::Failure;
use super::lifetime::UnderWay;
use super::open::Open;
use super::pool::Lease;
use super::rows;
use super::settle::{Changed, announce};
use crate::error::{Error, Result};
use crate::model::Task;
use crate::protocol::postgres as sql;
use crate::runtime::runtime;
use crate::store::ClaimSession;
use crate::store::command::ClaimScope;

/// How long a caller may be silent: the rows it has drawn are locked, and its connection serves nobody else.
const SILENCE: Duration = Duration::from_mins(1);

/// Recovery in one statement ends here; more expired leases than this take another.
const RECOVERED_AT_ONCE: usize = 1_000;

type Attempted<T> = std::result::Result<T, Failure>;
type Recovered = Vec<Changed>;

/// Claims in one transaction: recovery first, then the draw, which sees what it gave back.
pub(super) async fn claim(open: &Open, scope: &ClaimScope, limit: i64) -> Result<Vec<Task>> {
    let outcome: Attempted<(Recovered, Vec<Task>)> =
        attempt!(&open.pool, WhenLost::Report, |conn, _resent| {
            async {
                let recovered = begin(conn, open).await?;
                let tasks = match drawing(open, scope, scope.names.as_deref(), limit) {
                    Some(drawing) => drawing.run(conn, &scope.owner).await?,
                    None => Vec::new(),
                };
                conn.leave().await?;
                Ok::<_, Failure>((recovered, tasks))
            }
            .await
        });
    let (recovered, tasks) = outcome.map_err(Failure::into_error)?;
    announce_all(open, &recovered);
    Ok(tasks)
}

fn announce_all(open: &Open, recovered: &Recovered) {
    for (id, status, queue) in recovered {
        announce(&open.wakes, id, *status, queue, 0);
    }
}

fn drawing(
    open: &Open,
    scope: &ClaimScope,
    names: Option<&[String]>,
    limit: i64,
) -> Option<Drawing> {
    let limits = Limits {
        rows: limit,
        bytes: None,
        oversize_first: true,
    };
    Drawing::new(&scope.queues, names, limits, open.level())
}

/// Opens the transaction, reads the database's level and recovers expired leases.
async fn begin(conn: &mut Conn, open: &Open) -> Attempted<Recovered> {
    conn.begin().await?;
    let level = conn
        .query(sql::META.as_str())
        .bind("schema_version")
        .fetch_optional(conn.driver())
        .await?;
    if let Some(row) = level {
        open.set_level(claim::level_of(row.try_get(0)?));
    }
    let mut recovered = Vec::new();
    loop {
        let rows = conn
            .query(sql::RECOVER.as_str())
            .fetch_all(conn.driver())
            .await?;
        for row in &rows {
            recovered.push((
                row.try_get(0)?,
                rows::status(row.try_get(1)?)?,
                row.try_get(2)?,
            ));
        }
        if rows.len() < RECOVERED_AT_ONCE {
            return Ok(recovered);
        }
    }
}

enum Ask {
    Draw {
        names: Vec<String>,
        limit: i64,
        reply: oneshot::Sender<Result<Vec<Task>>>,
    },
    Close {
        commit: bool,
        reply: oneshot::Sender<Result<()>>,
    },
}

/// The caller's end of an open session. Dropping it rolls back.
struct Session {
    asks: mpsc::UnboundedSender<Ask>,
}

/// Opens a session; none when the look finds nothing to do.
pub(super) async fn open(
    open: std::sync::Arc<Open>,
    scope: ClaimScope,
    under_way: UnderWay,
) -> Result<Option<Box<dyn ClaimSession>>> {
    let level = open.level();
    let found: Attempted<claim::Probe> = attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
        claim::probe(conn, &scope.queues, scope.names.as_deref(), level).await
    });
    let found = found.map_err(Failure::into_error)?;
    open.set_level(found.level);
    if !found.due && !found.expired {
        return Ok(None);
    }
    let mut lease = open.pool.take().await?;
    let conn = lease.conn();
    let begun = open
        .pool
        .watch(conn.backend_pid(), begin(conn, &open))
        .await;
    let recovered = match begun {
        Ok(recovered) => recovered,
        Err(failure) => {
            lease.give_up(&failure).await;
            return Err(failure.into_error());
        }
    };
    let (asks, inbox) = mpsc::unbounded_channel();
    runtime().spawn(async move {
        let outcome = serve(&open, &scope, lease, inbox).await;
        if let Some((committed, reply)) = outcome {
            if committed.is_ok() {
                announce_all(&open, &recovered);
            }
            // A caller that does not wait for the end has its rows all the same.
            let _ = reply.send(committed);
        }
        drop(under_way);
    });
    Ok(Some(Box::new(Session { asks })))
}

/// Serves the caller until it closes. None when the session ended some other way, rolled back.
async fn serve(
    open: &Open,
    scope: &ClaimScope,
    mut lease: Lease,
    mut inbox: mpsc::UnboundedReceiver<Ask>,
) -> Option<(Result<()>, oneshot::Sender<Result<()>>)> {
    loop {
        match timeout(SILENCE, inbox.recv()).await {
            Ok(Some(Ask::Draw {
                names,
                limit,
                reply,
            })) => match draw(open, scope, &mut lease, names, limit).await {
                // A caller that has stopped waiting for its draw learns at the end what became of it.
                Ok(tasks) => drop(reply.send(Ok(tasks))),
                Err(failure) => {
                    let error = failure.error();
                    drop(reply.send(Err(error.clone())));
                    lease.give_up(&failure).await;
                    return refuse_the_rest(inbox, error).await;
                }
            },
            Ok(Some(Ask::Close { commit, reply })) => {
                return Some((end(open, lease, commit).await, reply));
            }
            Ok(None) | Err(_) => {
                lease.give_up(&Failure::Refused(over())).await;
                return None;
            }
        }
    }
}

async fn draw(
    open: &Open,
    scope: &ClaimScope,
    lease: &mut Lease,
    names: Vec<String>,
    limit: i64,
) -> Attempted<Vec<Task>> {
    let names = scope.within(names);
    let Some(drawing) = drawing(open, scope, Some(&names), limit) else {
        return Ok(Vec::new());
    };
    let conn = lease.conn();
    open.pool
        .watch(conn.backend_pid(), drawing.run(conn, &scope.owner))
        .await
}

/// Commits or rolls back.
async fn end(open: &Open, mut lease: Lease, commit: bool) -> Result<()> {
    if !commit {
        lease.give_up(&Failure::Refused(over())).await;
        return Ok(());
    }
    let conn = lease.conn();
    let committed = open
        .pool
        .watch(conn.backend_pid(), async { Ok(conn.leave().await?) })
        .await;
    match committed {
        Ok(()) => {
            lease.give_back();
            Ok(())
        }
        Err(failure) => {
            lease.give_up(&failure).await;
            Err(failure.into_error())
        }
    }
}

/// After a failure the transaction is gone: whatever the caller asks is answered with the reason, until it closes.
async fn refuse_the_rest(
    mut inbox: mpsc::UnboundedReceiver<Ask>,
    error: Error,
) -> Option<(Result<()>, oneshot::Sender<Result<()>>)> {
    loop {
        match inbox.recv().await? {
            Ask::Draw { reply, .. } => drop(reply.send(Err(error.clone()))),
            Ask::Close { reply, .. } => return Some((Err(error), reply)),
        }
    }
}

fn over() -> Error {
    Error::Invalid("the claim session is over: its transaction was rolled back".to_owned())
}

impl ClaimSession for Session {
    fn draw(&mut self, names: Vec<String>, limit: i64) -> BoxFuture<'static, Result<Vec<Task>>> {
        let (reply, answer) = oneshot::channel();
        let sent = self.asks.send(Ask::Draw {
            names,
            limit,
            reply,
        });
        Box::pin(async move {
            sent.map_err(|_| over())?;
            answer.await.map_err(|_| over())?
        })
    }

    fn close(self: Box<Self>, commit: bool) -> BoxFuture<'static, Result<()>> {
        let (reply, answer) = oneshot::channel();
        let sent = self.asks.send(Ask::Close { commit, reply });
        Box::pin(async move {
            let outcome = match sent {
                Ok(()) => answer.await.unwrap_or_else(|_| Err(over())),
                Err(_) => Err(over()),
            };
            if commit { outcome } else { Ok(()) }
        })
    }
}
