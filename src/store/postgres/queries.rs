//! What clients ask: reads, and changes of single tasks.

use sqlx::Postgres;
use sqlx::Row as _;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;

use super::attempts::{WhenLost, attempt};
use super::conn::Conn;
use super::errors::Failure;
use super::json;
use super::open::Open;
use super::rows;
use super::submit::reuses;
use crate::error::{Error, Result};
use crate::model::{Conflict, Status, Task};
use crate::protocol::postgres as sql;
use crate::store::command::{ListFilter, Owner, PurgeFilter, Target};

type Attempted<T> = std::result::Result<T, Failure>;

/// One statement that reads or changes at most one thing.
async fn one_row(
    conn: &mut Conn,
    query: Query<'static, Postgres, PgArguments>,
) -> Attempted<Option<PgRow>> {
    conn.enter().await?;
    let row = query.fetch_optional(conn.driver()).await?;
    conn.leave().await?;
    Ok(row)
}

fn first_task(row: Option<&PgRow>) -> sqlx::Result<Option<Task>> {
    row.map(|row| rows::task(row, 0)).transpose()
}

/// Whether a text can be in a column at all.
fn possible(text: &str) -> bool {
    !text.contains('\0')
}

fn text_of(target: &Target) -> &str {
    match target {
        Target::Id(text) | Target::Key(text) => text,
    }
}

pub(super) async fn get(open: &Open, target: &Target) -> Result<Option<Task>> {
    if !possible(text_of(target)) {
        return Ok(None);
    }
    let row: Attempted<Option<Task>> = attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
        async {
            let query = match target {
                Target::Id(id) => conn.query(sql::TASKS.as_str()).bind(vec![id.as_str()]),
                Target::Key(key) => conn.query(sql::KEY_TASKS.as_str()).bind(vec![key.as_str()]),
            };
            Ok::<_, Failure>(first_task(one_row(conn, query).await?.as_ref())?)
        }
        .await
    });
    row.map_err(Failure::into_error)
}

pub(super) async fn status(open: &Open, target: &Target) -> Result<Option<(String, Status)>> {
    if !possible(text_of(target)) {
        return Ok(None);
    }
    let row: Attempted<Option<PgRow>> = attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
        async {
            let query = match target {
                Target::Id(id) => conn.query(sql::TASK_STATUS.as_str()).bind(id),
                Target::Key(key) => conn.query(sql::KEY_STATUS.as_str()).bind(key),
            };
            one_row(conn, query).await
        }
        .await
    });
    let Some(row) = row.map_err(Failure::into_error)? else {
        return Ok(None);
    };
    let read = || Ok((row.try_get(0)?, rows::status(row.try_get(1)?)?));
    read()
        .map(Some)
        .map_err(|error: sqlx::Error| Failure::from(error).into_error())
}

/// Whether a submit under `key` would return the task that is there.
pub(super) async fn would_reuse(open: &Open, key: String, conflict: Conflict) -> Result<bool> {
    Ok(status(open, &Target::Key(key))
        .await?
        .is_some_and(|(_, status)| reuses(conflict, status)))
}

pub(super) async fn list(open: &Open, filter: &ListFilter) -> Result<Vec<Task>> {
    let texts = [
        &filter.queue,
        &filter.name,
        &filter.root_id,
        &filter.correlation_id,
    ];
    if texts.into_iter().flatten().any(|text| !possible(text)) {
        return Ok(Vec::new());
    }
    let (text, parameters) = sql::list(filter);
    let rows: Attempted<Vec<Task>> = attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
        async {
            conn.begin().await?;
            if parameters.is_empty() {
                conn.query(sql::SETTINGS_SCAN.as_str())
                    .fetch_one(conn.driver())
                    .await?;
            }
            let mut query = Conn::query_once(text.clone())
                .bind(filter.limit)
                .bind(filter.offset);
            for parameter in &parameters {
                query = query.bind(*parameter);
            }
            let rows = query.fetch_all(conn.driver()).await?;
            conn.leave().await?;
            Ok::<_, Failure>(rows::tasks(&rows)?)
        }
        .await
    });
    rows.map_err(Failure::into_error)
}

pub(super) async fn stats(open: &Open, queue: Option<&str>) -> Result<Vec<(String, String, i64)>> {
    if queue.is_some_and(|queue| !possible(queue)) {
        return Ok(Vec::new());
    }
    let rows: Attempted<Vec<PgRow>> = attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
        async {
            conn.begin().await?;
            let query = if let Some(queue) = queue {
                conn.query(sql::STATS_QUEUE.as_str()).bind(queue)
            } else {
                conn.query(sql::SETTINGS_SCAN.as_str())
                    .fetch_one(conn.driver())
                    .await?;
                conn.query(sql::STATS.as_str()).persistent(false)
            };
            let rows = query.fetch_all(conn.driver()).await?;
            conn.leave().await?;
            Ok::<_, Failure>(rows)
        }
        .await
    });
    let rows = rows.map_err(Failure::into_error)?;
    let counts: sqlx::Result<_> = rows
        .iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)))
        .collect();
    counts.map_err(|error| Failure::from(error).into_error())
}

pub(super) async fn queue_depth(open: &Open, queue: &str, max_depth: i64) -> Result<i64> {
    if !possible(queue) {
        return Ok(max_depth);
    }
    let headroom: Attempted<i64> = attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
        async {
            let query = conn
                .query(sql::QUEUE_DEPTH.as_str())
                .bind(queue)
                .bind(max_depth);
            let row = one_row(conn, query).await?;
            Ok::<_, Failure>(row.map_or(Ok(max_depth), |row| row.try_get(0))?)
        }
        .await
    });
    headroom.map_err(Failure::into_error)
}

/// What changes one task by its name.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Cancel,
    Retry { reset_attempt: bool },
}

impl Change {
    fn query(self, conn: &Conn, id: &str) -> Query<'static, Postgres, PgArguments> {
        match self {
            Self::Cancel => conn.query(sql::CANCEL.as_str()).bind(vec![id]),
            Self::Retry { reset_attempt } => {
                conn.query(sql::RETRY.as_str()).bind(id).bind(reset_attempt)
            }
        }
    }

    /// Whether a task in this state may owe it to a first sending whose answer was lost.
    fn may_have_done(self, status: Status) -> bool {
        match self {
            Self::Cancel => status == Status::Canceled,
            Self::Retry { .. } => status == Status::Queued,
        }
    }
}

/// Cancels or retries; none when the task's state does not allow it.
pub(super) async fn change(open: &Open, target: &Target, change: Change) -> Result<Option<Task>> {
    if !possible(text_of(target)) {
        return Ok(None);
    }
    let task: Attempted<Option<Task>> = attempt!(&open.pool, WhenLost::Resend, |conn, resent| {
        change_once(conn, target, change, resent).await
    });
    let task = task.map_err(Failure::into_error)?;
    if let Some(task) = &task {
        super::settle::announce_row(&open.wakes, task, 0);
    }
    Ok(task)
}

async fn change_once(
    conn: &mut Conn,
    target: &Target,
    change: Change,
    resent: bool,
) -> Attempted<Option<Task>> {
    let id = match target {
        Target::Id(id) => {
            conn.enter().await?;
            id.clone()
        }
        Target::Key(key) => {
            conn.begin().await?;
            conn.query(sql::KEY_LOCK.as_str())
                .bind(vec![key.as_str()])
                .fetch_one(conn.driver())
                .await?;
            let row = conn
                .query(sql::KEY_TARGET.as_str())
                .bind(key)
                .fetch_optional(conn.driver())
                .await?;
            let Some(row) = row else {
                conn.leave().await?;
                return Ok(None);
            };
            row.try_get(0)?
        }
    };
    let row = change
        .query(conn, &id)
        .fetch_optional(conn.driver())
        .await?;
    let mut task = first_task(row.as_ref())?;
    if task.is_none() && resent {
        let row = conn
            .query(sql::TASKS.as_str())
            .bind(vec![id])
            .fetch_optional(conn.driver())
            .await?;
        task = first_task(row.as_ref())?.filter(|task| change.may_have_done(task.status));
    }
    conn.leave().await?;
    Ok(task)
}

/// Deletes terminal tasks. Sent twice it deletes the next ones too, which are as old.
pub(super) async fn purge(open: &Open, filter: &PurgeFilter) -> Result<Vec<String>> {
    if [&filter.name, &filter.queue]
        .into_iter()
        .flatten()
        .any(|text| !possible(text))
    {
        return Ok(Vec::new());
    }
    let (text, parameters) = sql::purge(filter);
    let rows: Attempted<Vec<PgRow>> = attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
        async {
            conn.begin().await?;
            let mut query = Conn::query_once(text.clone())
                .bind(filter.older_than_ms)
                .bind(filter.limit);
            for parameter in &parameters {
                query = query.bind(*parameter);
            }
            let rows = query.fetch_all(conn.driver()).await?;
            conn.leave().await?;
            Ok::<_, Failure>(rows)
        }
        .await
    });
    let rows = rows.map_err(Failure::into_error)?;
    let ids: sqlx::Result<_> = rows.iter().map(|row| row.try_get(0)).collect();
    ids.map_err(|error| Failure::from(error).into_error())
}

/// Extends one lease.
pub(super) async fn heartbeat(open: &Open, owner: &Owner, task_id: &str) -> Result<Task> {
    owned(open, task_id, |conn| {
        conn.query(sql::HEARTBEAT.as_str())
            .bind(task_id.to_owned())
            .bind(&owner.worker_id)
            .bind(owner.lease_ms)
    })
    .await
}

/// Reports progress; what is absent stays as it was.
pub(super) async fn progress(
    open: &Open,
    owner: &Owner,
    task_id: &str,
    progress: Option<f64>,
    message: Option<&str>,
) -> Result<Task> {
    let message = message.map(json::storable_text);
    owned(open, task_id, |conn| {
        let query = conn
            .query(sql::PROGRESS.as_str())
            .bind(task_id.to_owned())
            .bind(&owner.worker_id);
        query.bind(progress).bind(message.as_deref())
    })
    .await
}

/// An owned write that leaves the task running. Doing it twice is doing it once.
async fn owned(
    open: &Open,
    task_id: &str,
    query: impl Fn(&Conn) -> Query<'static, Postgres, PgArguments>,
) -> Result<Task> {
    if !possible(task_id) {
        return Err(Error::lost(task_id));
    }
    let task: Attempted<Option<Task>> = attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
        async {
            let query = query(conn);
            Ok::<_, Failure>(first_task(one_row(conn, query).await?.as_ref())?)
        }
        .await
    });
    task.map_err(Failure::into_error)?
        .ok_or_else(|| Error::lost(task_id))
}
