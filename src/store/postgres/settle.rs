//! Writing outcomes: many in one statement, and one by one when one of them is refused.

use std::collections::HashMap;

use sqlx::Row as _;
use sqlx::postgres::PgRow;

use super::attempts::{WhenLost, attempt};
use super::batch::{Batch, Item};
use super::conn::Conn;
use super::errors::{Failure, Kind};
use super::open::Open;
use super::rows;
use crate::clock::now_ms;
use crate::error::{Error, Result};
use crate::model::{Status, Task};
use crate::protocol::postgres as sql;
use crate::store::command::{Outcome, Owner};
use crate::store::wakes::Wakes;

/// Tells whoever listens what a task has become. `due_in_ms` counts when it was queued again.
pub(super) fn announce(wakes: &Wakes, id: &str, status: Status, queue: &str, due_in_ms: i64) {
    match status {
        Status::Queued => wakes.queued(queue, now_ms().saturating_add(due_in_ms)),
        Status::Succeeded | Status::Failed | Status::Canceled => wakes.done(id),
        Status::Running => {}
    }
}

/// The same with the row at hand, which spares whoever waits for its end a read.
pub(super) fn announce_row(wakes: &Wakes, task: &Task, due_in_ms: i64) {
    if task.status.is_terminal() {
        wakes.done_as(task);
    } else {
        announce(wakes, &task.id, task.status, &task.queue, due_in_ms);
    }
}

type Rows = std::result::Result<HashMap<String, Task>, Failure>;

/// Writes a batch and gives the settled rows by id. Whatever it lacks had no lease any more, or, when this is sent a second
/// time, may have been written by the first.
async fn write(conn: &mut Conn, owner: &Owner, batch: &Batch, resent: bool) -> Rows {
    let mut rows = run(conn, sql::SETTLE_ROWS.as_str(), owner, batch).await?;
    if resent && rows.len() < batch.items.len() {
        let missing = batch
            .items
            .iter()
            .filter(|item| !rows.contains_key(&item.id))
            .cloned()
            .collect();
        let written = run(
            conn,
            sql::SETTLED_CHECK.as_str(),
            owner,
            &Batch { items: missing },
        )
        .await?;
        rows.extend(written);
    }
    Ok(rows)
}

async fn run(conn: &mut Conn, text: &'static str, owner: &Owner, batch: &Batch) -> Rows {
    conn.enter().await?;
    let rows = batch
        .bind(conn.query(text))
        .bind(&owner.worker_id)
        .fetch_all(conn.driver())
        .await?;
    conn.leave().await?;
    Ok(by_id(&rows)?)
}

fn by_id(rows: &[PgRow]) -> sqlx::Result<HashMap<String, Task>> {
    Ok(rows::tasks(rows)?
        .into_iter()
        .map(|task| (task.id.clone(), task))
        .collect())
}

/// The rows of outcomes that found no lease but are in the table already.
///
/// An answer that was lost with its connection makes the worker, or us, send the outcome again; the second sending finds
/// the task settled, which is not a lost lease.
pub(super) async fn already_written(
    open: &Open,
    owner: &Owner,
    lost: &Batch,
) -> Result<HashMap<String, Task>> {
    let rows: Rows = attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
        run(conn, sql::SETTLED_CHECK.as_str(), owner, lost).await
    });
    rows.map_err(Failure::into_error)
}

/// The answer to one outcome: its row, or none when the lease was gone.
pub(super) type Answer = Result<Option<Task>>;

/// Writes outcomes and answers each, in the batch's order. Resending is safe: an outcome that is already in the table
/// finds no lease, and is then recognised.
pub(super) async fn settle(open: &Open, owner: &Owner, batch: &Batch) -> Vec<Answer> {
    match write_with_retries(open, owner, batch).await {
        Ok(rows) => answers(batch, rows),
        Err(failure) if failure.kind() == Kind::Value && batch.items.len() > 1 => {
            let mut answers = Vec::with_capacity(batch.items.len());
            for item in &batch.items {
                answers.push(settle_alone(open, owner, item).await);
            }
            answers
        }
        Err(failure) if failure.kind() == Kind::Value && batch.items.len() == 1 => {
            vec![after_refusal(open, owner, &batch.items[0], failure).await]
        }
        Err(failure) => {
            let error = failure.into_error();
            batch.items.iter().map(|_| Err(error.clone())).collect()
        }
    }
}

async fn settle_alone(open: &Open, owner: &Owner, item: &Item) -> Answer {
    let batch = Batch {
        items: vec![item.clone()],
    };
    match write_with_retries(open, owner, &batch).await {
        Ok(mut rows) => Ok(rows.remove(&item.id)),
        Err(failure) if failure.kind() == Kind::Value => {
            after_refusal(open, owner, item, failure).await
        }
        Err(failure) => Err(failure.into_error()),
    }
}

/// A result that cannot be stored is the caller's to fail with; an error that cannot be stored is stored in short.
async fn after_refusal(open: &Open, owner: &Owner, item: &Item, failure: Failure) -> Answer {
    let Some(reduced) = item.reduced() else {
        return Err(failure.into_value_error());
    };
    let batch = Batch {
        items: vec![reduced],
    };
    let mut rows = write_with_retries(open, owner, &batch)
        .await
        .map_err(Failure::into_error)?;
    Ok(rows.remove(&item.id))
}

async fn write_with_retries(open: &Open, owner: &Owner, batch: &Batch) -> Rows {
    let rows = attempt!(&open.pool, WhenLost::Resend, |conn, resent| write(
        conn, owner, batch, resent
    )
    .await)?;
    for (id, item) in batch.by_id() {
        if let Some(task) = rows.get(id) {
            announce_row(&open.wakes, task, item.delay_ms);
        }
    }
    Ok(rows)
}

fn answers(batch: &Batch, mut rows: HashMap<String, Task>) -> Vec<Answer> {
    batch
        .items
        .iter()
        .map(|item| Ok(rows.remove(&item.id)))
        .collect()
}

/// `succeed`, `complete` and `fail` of one task.
pub(super) async fn settle_one(
    open: &Open,
    owner: &Owner,
    task_id: String,
    outcome: Outcome,
) -> Result<Task> {
    let item = Item::settle(task_id, outcome)?;
    let id = item.id.clone();
    settle_alone(open, owner, &item)
        .await?
        .ok_or_else(|| Error::lost(&id))
}

/// A row's id, what it has become, and its queue.
pub(super) type Changed = (String, Status, String);

/// Ids, statuses and queues of rows, as a statement's arrays give them.
pub(super) fn changed(row: &PgRow, first: usize) -> sqlx::Result<Vec<Changed>> {
    let ids: Option<Vec<String>> = row.try_get(first)?;
    let statuses: Option<Vec<String>> = row.try_get(first + 1)?;
    let queues: Option<Vec<String>> = row.try_get(first + 2)?;
    ids.unwrap_or_default()
        .into_iter()
        .zip(statuses.unwrap_or_default())
        .zip(queues.unwrap_or_default())
        .map(|((id, status), queue)| Ok((id, rows::status(&status)?, queue)))
        .collect()
}
