//! What an operator or a client does to tasks that exist: cancel, retry, purge.

use rusqlite::{params, params_from_iter};

use super::read;
use super::transaction::Tx;
use crate::error::Result;
use crate::model::{Status, Task};
use crate::protocol::sqlite as sql;
use crate::store::command::{PurgeFilter, Target};

/// Cancels the task a target names; none when there is nothing left to cancel.
pub(super) fn cancel_target(tx: &Tx<'_, '_>, target: &Target) -> Result<Option<Task>> {
    match read::resolve(tx, target)? {
        Some(id) => cancel(tx, &id),
        None => Ok(None),
    }
}

/// A queued task ends at once; a running one is asked to.
pub(super) fn cancel(tx: &Tx<'_, '_>, id: &str) -> Result<Option<Task>> {
    if tx.execute(sql::CANCEL, params![id, tx.now_ms])? == 0 {
        return Ok(None);
    }
    let task = read::get(tx, id)?;
    if task
        .as_ref()
        .is_some_and(|task| task.status == Status::Canceled)
    {
        tx.announce_done(id);
    }
    Ok(task)
}

/// Queues a failed or canceled task again.
pub(super) fn retry(tx: &Tx<'_, '_>, target: &Target, reset_attempt: bool) -> Result<Option<Task>> {
    let Some(id) = read::resolve(tx, target)? else {
        return Ok(None);
    };
    if tx.execute(sql::RETRY, params![id, tx.now_ms, reset_attempt])? == 0 {
        return Ok(None);
    }
    let task = read::get(tx, &id)?;
    if let Some(task) = &task {
        tx.announce_queued(&task.queue, task.run_at_ms);
    }
    Ok(task)
}

/// Deletes terminal tasks, oldest completion first; their keys go with them.
pub(super) fn purge(tx: &Tx<'_, '_>, filter: &PurgeFilter) -> Result<Vec<String>> {
    let before_ms = tx.now_ms.saturating_sub(filter.older_than_ms);
    let (sql, parameters) = sql::purge_select(filter, before_ms, read::level(tx)?);
    let ids: Vec<String> = tx.all(&sql, params_from_iter(parameters), |row| row.get(0))?;
    for id in &ids {
        tx.execute(sql::PURGE_DELETE, params![id])?;
    }
    Ok(ids)
}
