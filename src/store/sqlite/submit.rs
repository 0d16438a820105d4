//! Inserting tasks, and what a key does about the task already under it.

use rusqlite::params;

use super::manage;
use super::read::{self, reuses};
use super::transaction::Tx;
use crate::error::{Error, Result};
use crate::model::{Conflict, Status, Task};
use crate::protocol::sqlite as sql;
use crate::store::command::{NewTask, Target};

/// One submit: the new task, or the existing one its key leads to.
pub(super) fn submit(tx: &Tx<'_, '_>, new: &NewTask) -> Result<Task> {
    match &new.key {
        None => insert(tx, new),
        Some(key) => keyed(tx, new, key),
    }
}

/// All of them or none. Where a key may refuse one of them, a savepoint spares the neighbours in the group a repetition;
/// otherwise it would only have every page copied that the rows touch, and the writer undoes what a failure leaves behind.
pub(super) fn submit_many(tx: &Tx<'_, '_>, tasks: &[NewTask]) -> Result<Vec<Task>> {
    let refusable = |new: &NewTask| new.key.is_some() && new.conflict == Conflict::Reject;
    let all = || tasks.iter().map(|new| submit(tx, new)).collect();
    if tasks.iter().any(refusable) {
        tx.atomically(all)
    } else {
        all()
    }
}

fn keyed(tx: &Tx<'_, '_>, new: &NewTask, key: &str) -> Result<Task> {
    if let Some(existing) = read::find(tx, &Target::Key(key.to_owned()))? {
        if new.conflict == Conflict::Reject {
            return Err(Error::AlreadyExists {
                key: key.to_owned(),
            });
        }
        if reuses(new.conflict, existing.status) {
            return Ok(existing);
        }
        if !existing.status.is_terminal() {
            manage::cancel(tx, &existing.id)?;
        }
    }
    let task = insert(tx, new)?;
    tx.execute(sql::KEY_POINT, params![key, task.id, tx.now_ms])?;
    Ok(task)
}

fn insert(tx: &Tx<'_, '_>, new: &NewTask) -> Result<Task> {
    let task = Task {
        id: new.id.clone(),
        name: new.name.clone(),
        queue: new.queue.clone(),
        status: Status::Queued,
        payload: new.payload.clone(),
        result: None,
        error: None,
        metadata: new.metadata.clone(),
        progress: None,
        message: None,
        attempt: 0,
        max_attempts: new.max_attempts,
        priority: new.priority,
        worker_id: None,
        lease_until_ms: None,
        run_at_ms: tx.now_ms.saturating_add(new.run_at_delay_ms),
        cancel_requested_at_ms: None,
        parent_id: new.parent_id.clone(),
        root_id: Some(new.root_id.clone().unwrap_or_else(|| new.id.clone())),
        correlation_id: new.correlation_id.clone(),
        created_at_ms: tx.now_ms,
        updated_at_ms: tx.now_ms,
        completed_at_ms: None,
    };
    tx.execute(
        sql::TASK_INSERT,
        params![
            task.id,
            task.name,
            task.queue,
            task.payload,
            task.metadata,
            task.max_attempts,
            task.priority,
            task.parent_id,
            task.root_id,
            task.correlation_id,
            task.run_at_ms,
            tx.now_ms
        ],
    )?;
    tx.announce_queued(&task.queue, task.run_at_ms);
    Ok(task)
}
