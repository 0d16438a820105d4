//! Reading a task out of a row, in the column order of `task_columns.sql`.

use std::borrow::Cow;
use std::sync::Arc;

use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, Type, ValueRef};

use crate::model::{Status, Task};
use crate::store::claimed::{ClaimedTask, Shared, has_metadata, root_of};

impl FromSql for Status {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Self::parse(value.as_str()?).ok_or(FromSqlError::InvalidType)
    }
}

/// Text as `SQLite` holds it, none for null. A peer may have stored bytes that are not UTF-8; they are replaced, not
/// refused, because one odd row must not stop a queue.
fn text_at<'r>(row: &'r Row<'_>, index: usize) -> rusqlite::Result<Option<Cow<'r, str>>> {
    Ok(match row.get_ref(index)? {
        // Checked first: to replace what is wrong, a text is walked byte by byte.
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(
            str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed),
        ),
        ValueRef::Integer(number) => Some(number.to_string().into()),
        ValueRef::Real(number) => Some(number.to_string().into()),
        ValueRef::Null => None,
    })
}

fn present<'r>(row: &'r Row<'_>, index: usize) -> rusqlite::Result<Cow<'r, str>> {
    let null = || rusqlite::Error::InvalidColumnType(index, "a text".to_owned(), Type::Null);
    text_at(row, index)?.ok_or_else(null)
}

pub(super) fn text(row: &Row<'_>, index: usize) -> rusqlite::Result<String> {
    Ok(present(row, index)?.into_owned())
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
    Ok(text_at(row, index)?.map(Cow::into_owned))
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
pub(super) fn claimed(row: &Row<'_>, shared: &mut Shared) -> rusqlite::Result<ClaimedTask> {
    let (queue, name) = shared.texts(&present(row, QUEUE)?, &present(row, NAME)?);
    let id: Arc<str> = present(row, ID)?.into();
    let root = text_at(row, ROOT_ID)?;
    let metadata = present(row, METADATA)?;
    Ok(ClaimedTask {
        name,
        queue,
        payload: text(row, PAYLOAD)?,
        metadata: has_metadata(&metadata).then(|| metadata.into_owned()),
        attempt: whole(row, ATTEMPT)?,
        max_attempts: whole(row, MAX_ATTEMPTS)?,
        root_id: root.map(|root| root_of(&id, &root)),
        correlation_id: optional_text(row, CORRELATION_ID)?,
        cancel_requested: optional_whole(row, CANCEL_REQUESTED_AT_MS)?.is_some(),
        id,
    })
}
