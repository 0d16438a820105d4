//! The owned writes: what a worker may do to a task while its lease holds. No row touched means the lease is gone.

use std::sync::Arc;

use rusqlite::params;

use super::read;
use super::rows;
use super::transaction::Tx;
use crate::error::{Error, Result};
use crate::model::{Status, Task};
use crate::protocol::sqlite as sql;
use crate::store::command::{Outcome, Owner};

/// Ends the attempt. Gives what the task has become, none when the lease was gone.
pub(super) fn settle(
    tx: &Tx<'_, '_>,
    worker_id: &str,
    task_id: &Arc<str>,
    outcome: &Outcome,
) -> Result<Option<Status>> {
    let now_ms = tx.now_ms;
    match outcome {
        Outcome::Succeed { result, message } => {
            let values = params![task_id, worker_id, now_ms, result, message];
            let written = end(tx, task_id, tx.execute(sql::SUCCEED, values)?);
            Ok(written.then_some(Status::Succeeded))
        }
        Outcome::Complete { result, message } => {
            let values = params![task_id, worker_id, now_ms, result, message];
            if end(tx, task_id, tx.execute(sql::COMPLETE, values)?) {
                return Ok(Some(Status::Succeeded));
            }
            let values = params![task_id, worker_id, now_ms];
            let canceled = end(tx, task_id, tx.execute(sql::COMPLETE_CANCELED, values)?);
            Ok(canceled.then_some(Status::Canceled))
        }
        Outcome::Fail {
            error,
            retryable,
            delay_ms,
        } => {
            let due_ms = now_ms.saturating_add(*delay_ms);
            let ended: Option<(Status, String)> = tx.first(
                sql::FAIL,
                params![task_id, worker_id, now_ms, error, retryable, due_ms],
                |row| Ok((row.get(0)?, rows::text(row, 1)?)),
            )?;
            match &ended {
                Some((Status::Queued, queue)) => tx.announce_queued(queue, due_ms),
                Some(_) => tx.announce_done(Arc::clone(task_id)),
                None => {}
            }
            Ok(ended.map(|(status, _)| status))
        }
    }
}

/// Whether a statement that ends a task found it.
fn end(tx: &Tx<'_, '_>, task_id: &Arc<str>, changed: usize) -> bool {
    if changed > 0 {
        tx.announce_done(Arc::clone(task_id));
    }
    changed > 0
}

/// Renews the leases that are still ours; says for each whether its cancellation was requested.
pub(super) fn renew(tx: &Tx<'_, '_>, owner: &Owner, ids: &[String]) -> Result<Vec<(String, bool)>> {
    let until_ms = tx.now_ms.saturating_add(owner.lease_ms);
    let mut renewed = Vec::with_capacity(ids.len());
    for id in ids {
        let cancel = tx.first(
            sql::RENEW,
            params![id, owner.worker_id, tx.now_ms, until_ms],
            |row| row.get(0),
        )?;
        renewed.extend(cancel.map(|cancel| (id.clone(), cancel)));
    }
    Ok(renewed)
}

/// Hands back tasks that were claimed but never started.
pub(super) fn release(tx: &Tx<'_, '_>, owner: &Owner, ids: &[String]) -> Result<Vec<String>> {
    let mut released = Vec::with_capacity(ids.len());
    for id in ids {
        let back: Option<(Status, String, i64)> = tx.first(
            sql::RELEASE,
            params![id, owner.worker_id, tx.now_ms],
            |row| Ok((row.get(0)?, rows::text(row, 1)?, rows::whole(row, 2)?)),
        )?;
        match &back {
            Some((Status::Queued, queue, run_at_ms)) => tx.announce_queued(queue, *run_at_ms),
            Some(_) => tx.announce_done(id.as_str()),
            None => continue,
        }
        released.push(id.clone());
    }
    Ok(released)
}

/// Replaces progress and message, each only when given.
pub(super) fn progress(
    tx: &Tx<'_, '_>,
    owner: &Owner,
    task_id: &str,
    progress: Option<f64>,
    message: Option<&str>,
) -> Result<bool> {
    Ok(tx.execute(
        sql::PROGRESS,
        params![task_id, owner.worker_id, tx.now_ms, progress, message],
    )? > 0)
}

/// The row an owned write left behind.
pub(super) fn owned_row(tx: &Tx<'_, '_>, task_id: &str, written: bool) -> Result<Task> {
    if !written {
        return Err(Error::lost(task_id));
    }
    read::get(tx, task_id)?.ok_or_else(|| Error::lost(task_id))
}
