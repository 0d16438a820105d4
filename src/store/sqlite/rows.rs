//! Reading a task out of a row, in the column order of `task_columns.sql`.

use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};

use crate::model::{Status, Task};
use crate::store::round::ClaimedTask;

impl FromSql for Status {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Self::parse(value.as_str()?).ok_or(FromSqlError::InvalidType)
    }
}

/// Text as `SQLite` holds it. A peer may have stored bytes that are not UTF-8; they are replaced, not refused, because
/// one odd row must not stop a queue.
struct Text(String);

impl FromSql for Text {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            // Checked first: to replace what is wrong, a text is walked byte by byte.
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                Ok(Self(str::from_utf8(bytes).map_or_else(
                    |_| String::from_utf8_lossy(bytes).into_owned(),
                    str::to_owned,
                )))
            }
            ValueRef::Integer(number) => Ok(Self(number.to_string())),
            ValueRef::Real(number) => Ok(Self(number.to_string())),
            ValueRef::Null => Err(FromSqlError::InvalidType),
        }
    }
}

pub(super) fn text(row: &Row<'_>, index: usize) -> rusqlite::Result<String> {
    Ok(row.get::<_, Text>(index)?.0)
}

/// A whole number. A peer may have stored a fraction; it is cut, for the same reason.
struct Whole(i64);

impl FromSql for Whole {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            #[allow(
                clippy::cast_possible_truncation,
                reason = "the cast saturates, and a fraction is meant to be cut"
            )]
            ValueRef::Real(number) => Ok(Self(number as i64)),
            value => value.as_i64().map(Self),
        }
    }
}

pub(super) fn whole(row: &Row<'_>, index: usize) -> rusqlite::Result<i64> {
    Ok(row.get::<_, Whole>(index)?.0)
}

fn optional_whole(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<i64>> {
    Ok(row.get::<_, Option<Whole>>(index)?.map(|number| number.0))
}

fn optional_text(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<String>> {
    Ok(row.get::<_, Option<Text>>(index)?.map(|text| text.0))
}

const ID: usize = 0;
const NAME: usize = 1;
const QUEUE: usize = 2;
const PAYLOAD: usize = 4;
const METADATA: usize = 7;
const ATTEMPT: usize = 10;
const MAX_ATTEMPTS: usize = 11;
pub(super) const PRIORITY: usize = 12;
pub(super) const RUN_AT_MS: usize = 15;
const CANCEL_REQUESTED_AT_MS: usize = 16;
const ROOT_ID: usize = 18;
const CORRELATION_ID: usize = 19;
pub(super) const CREATED_AT_MS: usize = 20;

/// The task in the first columns of `row`.
pub(super) fn task(row: &Row<'_>) -> rusqlite::Result<Task> {
    Ok(Task {
        id: text(row, ID)?,
        name: text(row, NAME)?,
        queue: text(row, QUEUE)?,
        status: row.get(3)?,
        payload: text(row, PAYLOAD)?,
        result: optional_text(row, 5)?,
        error: optional_text(row, 6)?,
        metadata: text(row, METADATA)?,
        progress: row.get(8)?,
        message: optional_text(row, 9)?,
        attempt: whole(row, ATTEMPT)?,
        max_attempts: whole(row, MAX_ATTEMPTS)?,
        priority: whole(row, PRIORITY)?,
        worker_id: optional_text(row, 13)?,
        lease_until_ms: optional_whole(row, 14)?,
        run_at_ms: whole(row, RUN_AT_MS)?,
        cancel_requested_at_ms: optional_whole(row, CANCEL_REQUESTED_AT_MS)?,
        parent_id: optional_text(row, 17)?,
        root_id: optional_text(row, ROOT_ID)?,
        correlation_id: optional_text(row, CORRELATION_ID)?,
        created_at_ms: whole(row, CREATED_AT_MS)?,
        updated_at_ms: whole(row, 21)?,
        completed_at_ms: optional_whole(row, 22)?,
    })
}

/// What a worker needs of the task in the first columns of `row`.
pub(super) fn claimed(row: &Row<'_>) -> rusqlite::Result<ClaimedTask> {
    Ok(ClaimedTask {
        id: text(row, ID)?,
        name: text(row, NAME)?,
        queue: text(row, QUEUE)?,
        payload: text(row, PAYLOAD)?,
        metadata: text(row, METADATA)?,
        attempt: whole(row, ATTEMPT)?,
        max_attempts: whole(row, MAX_ATTEMPTS)?,
        root_id: optional_text(row, ROOT_ID)?,
        correlation_id: optional_text(row, CORRELATION_ID)?,
        cancel_requested: optional_whole(row, CANCEL_REQUESTED_AT_MS)?.is_some(),
    })
}
