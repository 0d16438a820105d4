//! Inserting tasks, and what a key does about the task already under it.

use rusqlite::params;

use super::manage;
use super::read::{self, reuses};
use super::transaction::Tx;
use crate::error::{Error, Result};
use crate::model::Conflict;
use crate::protocol::sqlite as sql;
use crate::store::command::{NewTask, Target};
use crate::store::parts::Parts;
use crate::store::submitted::Submitted;

/// One submit: the new task, or the existing one its key leads to.
pub(super) fn submit(tx: &Tx<'_, '_>, new: &NewTask) -> Result<Submitted> {
    match &new.key {
        None => insert(tx, new),
        Some(key) => keyed(tx, new, key),
    }
}

/// All of them or none. The first are written while the last are on their way: the one who hands them over only puts
/// texts together, and is done before this is.
pub(super) fn submit_many(tx: &Tx<'_, '_>, parts: &mut Parts) -> Result<Vec<Submitted>> {
    let mut submitted = Vec::new();
    loop {
        for new in &parts.so_far()[submitted.len()..] {
            submitted.push(submit(tx, new)?);
        }
        if !parts.wait()? {
            return Ok(submitted);
        }
    }
}

fn keyed(tx: &Tx<'_, '_>, new: &NewTask, key: &str) -> Result<Submitted> {
    if let Some(existing) = read::find(tx, &Target::Key(key.to_owned()))? {
        if new.conflict == Conflict::Reject {
            return Err(Error::AlreadyExists {
                key: key.to_owned(),
            });
        }
        if reuses(new.conflict, existing.status) {
            return Ok(Submitted::Existing(Box::new(existing)));
        }
        if !existing.status.is_terminal() {
            manage::cancel(tx, &existing.id)?;
        }
    }
    let inserted = insert(tx, new)?;
    tx.execute(sql::KEY_POINT, params![key, new.id, tx.now_ms])?;
    Ok(inserted)
}

fn insert(tx: &Tx<'_, '_>, new: &NewTask) -> Result<Submitted> {
    let run_at_ms = tx.now_ms.saturating_add(new.run_at_delay_ms);
    tx.execute(
        sql::TASK_INSERT,
        params![
            new.id,
            new.name,
            new.queue,
            new.payload,
            new.metadata,
            new.max_attempts,
            new.priority,
            new.parent_id,
            new.root_id.as_ref().unwrap_or(&new.id),
            new.correlation_id,
            run_at_ms,
            tx.now_ms
        ],
    )?;
    tx.announce_queued(&new.queue, run_at_ms);
    Ok(Submitted::New {
        created_at_ms: tx.now_ms,
        run_at_ms,
    })
}
