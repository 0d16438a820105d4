//! Claiming: recovery of expired leases, and draws in the claim order of the database's level.

use rusqlite::params;

use super::choice::{Chosen, choose};
use super::rows;
use super::transaction::Tx;
use crate::error::Result;
use crate::model::{Status, Task};
use crate::protocol::{LEASE_EXPIRED, sqlite as sql};
use crate::store::command::Owner;
use crate::store::round::Draw;

/// Ends the leases whose time has passed, whatever the queue or name.
pub(super) fn recover(tx: &Tx<'_, '_>) -> Result<()> {
    let ended: Vec<(String, String, Status)> =
        tx.all(sql::RECOVER, params![tx.now_ms, LEASE_EXPIRED], |row| {
            Ok((rows::text(row, 0)?, rows::text(row, 1)?, row.get(2)?))
        })?;
    for (id, queue, status) in ended {
        if status == Status::Queued {
            tx.announce_queued(&queue, tx.now_ms);
        } else {
            tx.announce_done(id);
        }
    }
    Ok(())
}

/// Whether a claim would find something: a due row of these names, or any expired lease.
pub(super) fn probe(tx: &Tx<'_, '_>, queues: &[String], names: Option<&[String]>) -> Result<bool> {
    let found = |sql: &'static str, parameters: &[&dyn rusqlite::ToSql]| -> Result<bool> {
        Ok(tx
            .first(sql, parameters, |row| row.get(0))?
            .unwrap_or(false))
    };
    for queue in queues {
        match names {
            None if found(sql::PROBE_DUE, params![queue, tx.now_ms])? => return Ok(true),
            None => {}
            Some(names) => {
                for name in names {
                    if found(sql::PROBE_DUE_NAME, params![queue, tx.now_ms, name])? {
                        return Ok(true);
                    }
                }
            }
        }
    }
    found(sql::PROBE_EXPIRED, params![tx.now_ms])
}

/// Claims up to the draw's limit, in claim order.
pub(super) fn draw(
    tx: &Tx<'_, '_>,
    level: u32,
    owner: &Owner,
    queues: &[String],
    names: Option<&[String]>,
    limits: &Limits,
) -> Result<Chosen> {
    if limits.rows == 0 {
        return Ok((Vec::new(), false));
    }
    let (mut chosen, cut_short) =
        choose(tx, level, queues, names, limits).map_err(|error| tx.error(&error))?;
    take(tx, chosen.iter().map(|(rowid, _)| *rowid), owner)?;
    for (_, task) in &mut chosen {
        task.attempt += 1;
    }
    Ok((chosen, cut_short))
}

/// The whole rows of what was drawn, for a caller who wants more than a worker needs.
pub(super) fn whole_rows(tx: &Tx<'_, '_>, (drawn, _): &Chosen) -> Result<Vec<Task>> {
    let rows = drawn
        .iter()
        .map(|(rowid, _)| tx.first(&sql::TASK_AT, [rowid], rows::task));
    rows.filter_map(Result::transpose).collect()
}

/// Claims queued rows.
pub(super) fn take(
    tx: &Tx<'_, '_>,
    rowids: impl IntoIterator<Item = i64>,
    owner: &Owner,
) -> Result<()> {
    let lease_until_ms = tx.now_ms.saturating_add(owner.lease_ms);
    let taken = tx.statements.with(sql::CLAIM_TAKE, |statement| {
        // Once for all of them: `SQLite` copies a text that is bound.
        statement.raw_bind_parameter(2, &owner.worker_id)?;
        statement.raw_bind_parameter(3, lease_until_ms)?;
        statement.raw_bind_parameter(4, tx.now_ms)?;
        rowids.into_iter().try_for_each(|rowid| {
            statement.raw_bind_parameter(1, rowid)?;
            statement.raw_execute().map(drop)
        })
    });
    taken.map_err(|error| tx.error(&error))
}

/// How much one draw may take.
pub(super) struct Limits {
    pub(super) rows: usize,
    pub(super) bytes: Option<u64>,
    pub(super) oversize_first: bool,
}

impl From<&Draw> for Limits {
    fn from(draw: &Draw) -> Self {
        Self {
            rows: draw.limit as usize,
            bytes: draw.max_bytes,
            oversize_first: draw.oversize_first,
        }
    }
}
