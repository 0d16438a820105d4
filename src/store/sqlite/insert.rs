//! Writing a new row. What it has in common with the row before stays bound to the statement: of many that is nearly all,
//! and `SQLite` copies each text that is bound.

use std::sync::Arc;

use rusqlite::Statement;

use super::transaction::Tx;
use crate::error::Result;
use crate::protocol::sqlite as sql;
use crate::store::command::{NewTask, SubmitArgs};

/// What the statement has bound that the next row may share.
#[derive(Debug)]
pub(super) struct Bound {
    args: Arc<SubmitArgs>,
    now_ms: i64,
}

/// Writes the row of `new`, due at `run_at_ms`.
pub(super) fn row(tx: &Tx<'_, '_>, new: &NewTask, run_at_ms: i64) -> Result<()> {
    let run = |statement: &mut Statement<'_>| {
        let mut bound = tx.statements.inserted.borrow_mut();
        // Nothing is, should this fail or panic half way: the statement may be gone then, or have half of it bound.
        let before = bound.take();
        let shared = before
            .filter(|before| Arc::ptr_eq(&before.args, &new.args) && before.now_ms == tx.now_ms);
        if shared.is_none() {
            bind_shared(statement, &new.args, tx.now_ms, run_at_ms)?;
        }
        statement.raw_bind_parameter(1, &*new.id)?;
        statement.raw_bind_parameter(4, &*new.payload)?;
        statement.raw_bind_parameter(5, &*new.metadata)?;
        statement.raw_bind_parameter(9, new.args.root_id.as_deref().unwrap_or(&new.id))?;
        let written = statement.raw_execute();
        *bound = Some(shared.unwrap_or_else(|| Bound {
            args: Arc::clone(&new.args),
            now_ms: tx.now_ms,
        }));
        written
    };
    let written = tx.statements.with(sql::TASK_INSERT, run);
    written.map(drop).map_err(|error| tx.error(&error))
}

fn bind_shared(
    statement: &mut Statement<'_>,
    args: &SubmitArgs,
    now_ms: i64,
    run_at_ms: i64,
) -> rusqlite::Result<()> {
    statement.raw_bind_parameter(2, &args.name)?;
    statement.raw_bind_parameter(3, &args.queue)?;
    statement.raw_bind_parameter(6, args.max_attempts)?;
    statement.raw_bind_parameter(7, args.priority)?;
    statement.raw_bind_parameter(8, &args.parent_id)?;
    statement.raw_bind_parameter(10, &args.correlation_id)?;
    statement.raw_bind_parameter(11, run_at_ms)?;
    statement.raw_bind_parameter(12, now_ms)
}
