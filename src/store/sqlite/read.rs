//! What can be asked without a write lock.

use rusqlite::{params, params_from_iter};

use super::rows;
use super::transaction::Tx;
use crate::error::Result;
use crate::model::{Conflict, Status, Task};
use crate::protocol::sqlite as sql;
use crate::store::command::{ListFilter, Target};

/// The database's level now. Asked by whatever depends on it, because a peer may migrate while we run.
pub(super) fn level(tx: &Tx<'_, '_>) -> Result<u32> {
    let version: Option<String> = tx.first(sql::SCHEMA_VERSION, [], |row| row.get(0))?;
    Ok(version
        .and_then(|version| version.parse().ok())
        .unwrap_or(0))
}

pub(super) fn get(tx: &Tx<'_, '_>, id: &str) -> Result<Option<Task>> {
    tx.first(&sql::TASK_GET, params![id], rows::task)
}

/// The id a target names; none when its key points nowhere.
pub(super) fn resolve(tx: &Tx<'_, '_>, target: &Target) -> Result<Option<String>> {
    match target {
        Target::Id(id) => Ok(Some(id.clone())),
        Target::Key(key) => tx.first(sql::KEY_GET, params![key], |row| row.get(0)),
    }
}

/// By key in one statement, so that a key that moves meanwhile leads to its old task or its new one, never to none.
pub(super) fn find(tx: &Tx<'_, '_>, target: &Target) -> Result<Option<Task>> {
    match target {
        Target::Id(id) => get(tx, id),
        Target::Key(key) => tx.first(&sql::TASK_BY_KEY, params![key], rows::task),
    }
}

pub(super) fn status(tx: &Tx<'_, '_>, target: &Target) -> Result<Option<(String, Status)>> {
    let (statement, word) = match target {
        Target::Id(id) => (sql::TASK_STATUS, id),
        Target::Key(key) => (sql::TASK_STATUS_BY_KEY, key),
    };
    tx.first(statement, params![word], |row| {
        Ok((rows::text(row, 0)?, row.get(1)?))
    })
}

/// Whether a keyed submit finds a task to return instead of inserting one.
pub(super) fn would_reuse(tx: &Tx<'_, '_>, key: &str, conflict: Conflict) -> Result<bool> {
    let existing = status(tx, &Target::Key(key.to_owned()))?;
    Ok(existing.is_some_and(|(_, status)| reuses(conflict, status)))
}

/// Whether `conflict` returns an existing task in this state.
pub(super) fn reuses(conflict: Conflict, status: Status) -> bool {
    match conflict {
        Conflict::Reuse => !status.is_terminal(),
        Conflict::ReuseSucceeded => !status.is_terminal() || status == Status::Succeeded,
        Conflict::Reject | Conflict::Replace => false,
    }
}

pub(super) fn list(tx: &Tx<'_, '_>, filter: &ListFilter) -> Result<Vec<Task>> {
    let (sql, parameters) = sql::list(filter, level(tx)?);
    tx.all(&sql, params_from_iter(parameters), rows::task)
}

pub(super) fn stats(tx: &Tx<'_, '_>, queue: Option<&str>) -> Result<Vec<(String, String, i64)>> {
    let read =
        |row: &rusqlite::Row<'_>| Ok((rows::text(row, 0)?, rows::text(row, 1)?, row.get(2)?));
    match queue {
        None => tx.all(sql::STATS, [], read),
        Some(queue) => tx.all(sql::STATS_QUEUE, params![queue], read),
    }
}

/// How many more tasks the queue holds before `max_depth` queued ones are there.
pub(super) fn headroom(tx: &Tx<'_, '_>, queue: &str, max_depth: i64) -> Result<i64> {
    let count: i64 = tx
        .first(sql::QUEUE_DEPTH, params![queue, max_depth], |row| {
            row.get(0)
        })?
        .unwrap_or(0);
    Ok((max_depth - count).max(0))
}
