//! Reading a task out of a row, in the column order of `task_columns.sql`.

use std::sync::Arc;

use sqlx::Row as _;
use sqlx::postgres::PgRow;

use crate::model::{Status, Task};
use crate::store::claimed::{ClaimedTask, Shared, has_metadata, root_of};

/// The database's word for a status.
pub(super) fn status(word: &str) -> sqlx::Result<Status> {
    Status::parse(word)
        .ok_or_else(|| sqlx::Error::Decode(format!("unknown task status {word}").into()))
}

/// The task whose columns start at `first`.
pub(super) fn task(row: &PgRow, first: usize) -> sqlx::Result<Task> {
    let integer = |index: usize| row.try_get::<i32, _>(first + index).map(i64::from);
    Ok(Task {
        id: row.try_get(first)?,
        name: row.try_get(first + 1)?,
        queue: row.try_get(first + 2)?,
        status: status(row.try_get(first + 3)?)?,
        payload: row.try_get(first + 4)?,
        result: row.try_get(first + 5)?,
        error: row.try_get(first + 6)?,
        metadata: row.try_get(first + 7)?,
        progress: row.try_get(first + 8)?,
        message: row.try_get(first + 9)?,
        attempt: integer(10)?,
        max_attempts: integer(11)?,
        priority: integer(12)?,
        worker_id: row.try_get(first + 13)?,
        lease_until_ms: row.try_get(first + 14)?,
        run_at_ms: row.try_get(first + 15)?,
        cancel_requested_at_ms: row.try_get(first + 16)?,
        parent_id: row.try_get(first + 17)?,
        root_id: row.try_get(first + 18)?,
        correlation_id: row.try_get(first + 19)?,
        created_at_ms: row.try_get(first + 20)?,
        updated_at_ms: row.try_get(first + 21)?,
        completed_at_ms: row.try_get(first + 22)?,
    })
}

/// Tasks whose columns are all there is.
pub(super) fn tasks(rows: &[PgRow]) -> sqlx::Result<Vec<Task>> {
    rows.iter().map(|row| task(row, 0)).collect()
}

/// The task whose columns, those of `claimed_columns.sql`, start at `first`; in front of it its priority and position.
pub(super) fn claimed(
    row: &PgRow,
    first: usize,
    shared: &mut Shared,
) -> sqlx::Result<(i64, i64, ClaimedTask)> {
    let integer = |index: usize| row.try_get::<i32, _>(first + index).map(i64::from);
    let text = |index: usize| row.try_get::<&str, _>(first + index);
    let (queue, name) = shared.texts(text(2)?, text(1)?);
    let id: Arc<str> = text(0)?.into();
    let metadata = Some(text(4)?).filter(|json| has_metadata(json));
    let root: Option<&str> = row.try_get(first + 7)?;
    let cancel: Option<i64> = row.try_get(first + 9)?;
    let task = ClaimedTask {
        name,
        queue,
        payload: row.try_get(first + 3)?,
        metadata: metadata.map(str::to_owned),
        attempt: integer(5)?,
        max_attempts: integer(6)?,
        root_id: root.map(|root| root_of(&id, root)),
        correlation_id: row.try_get(first + 8)?,
        cancel_requested: cancel.is_some(),
        id,
    };
    Ok((integer(10)?, row.try_get(first + 11)?, task))
}
