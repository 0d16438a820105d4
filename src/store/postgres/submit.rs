//! Inserting tasks: by the set, and under their keys' locks where they have keys.

use std::collections::{HashMap, HashSet};

use sqlx::Row as _;
use sqlx::postgres::PgRow;

use super::attempts::{WhenLost, attempt};
use super::conn::Conn;
use super::errors::Failure;
use super::json;
use super::open::Open;
use super::rows;
use super::settle::announce;
use crate::error::{Error, Result};
use crate::model::{Conflict, Status, Task};
use crate::protocol::postgres as sql;
use crate::store::command::{NewTask, Owner};
use crate::store::submitted::{claimed_row, row};

/// Bounds of one insert statement.
pub(super) const MAX_ROWS: usize = 1_000;
pub(super) const MAX_BYTES: usize = 8 << 20;

/// Whether a keyed submit returns the task that is there.
pub(super) const fn reuses(conflict: Conflict, status: Status) -> bool {
    match conflict {
        Conflict::Reuse => matches!(status, Status::Queued | Status::Running),
        Conflict::ReuseSucceeded => {
            matches!(status, Status::Queued | Status::Running | Status::Succeeded)
        }
        Conflict::Reject | Conflict::Replace => false,
    }
}

/// Refuses what no column could hold, before anything is written.
pub(super) fn check(new: &NewTask) -> Result<()> {
    json::check(&new.payload)?;
    json::check(&new.metadata)?;
    let texts = [
        Some(&new.args.name),
        Some(&new.args.queue),
        new.args.key.as_ref(),
        new.args.parent_id.as_ref(),
        new.args.root_id.as_ref(),
    ];
    if texts
        .into_iter()
        .chain([new.args.correlation_id.as_ref()])
        .flatten()
        .any(|text| text.contains('\0'))
    {
        return Err(Error::Serialization(
            "a text that holds a NUL character cannot be stored by Postgres".to_owned(),
        ));
    }
    Ok(())
}

/// How much of a statement a task takes.
pub(super) fn bytes(new: &NewTask) -> usize {
    new.payload.len() + new.metadata.len()
}

/// Inserts tasks that have no keys, in one statement; claimed for `owner`, if there is one. Sent twice, the second time
/// changes nothing and finds the rows of the first: their ids are ours, so nobody else can have made them.
pub(super) async fn insert_unkeyed(
    open: &Open,
    tasks: &[&NewTask],
    owner: Option<&Owner>,
) -> std::result::Result<Vec<Task>, Failure> {
    let rows: Vec<Task> = attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
        async {
            conn.enter().await?;
            let rows = insert(conn, tasks, false, owner).await?;
            conn.leave().await?;
            Ok::<_, Failure>(rows)
        }
        .await
    })?;
    announce_all(open, tasks.iter().copied(), &rows);
    Ok(rows)
}

fn announce_all<'a>(open: &Open, submits: impl Iterator<Item = &'a NewTask>, rows: &[Task]) {
    for (new, row) in submits.zip(rows) {
        if *new.id == *row.id && row.status == Status::Queued {
            announce(
                &open.wakes,
                &row.id,
                Status::Queued,
                &row.queue,
                new.args.run_at_delay_ms,
            );
        }
    }
}

/// All or none of them, with or without keys. Answers in the order of the submits.
pub(super) async fn submit_all(open: &Open, tasks: &[NewTask]) -> Result<Vec<Task>> {
    let mut keys: Vec<&str> = tasks.iter().filter_map(NewTask::key).collect();
    keys.sort_unstable();
    keys.dedup();
    let outcome: std::result::Result<(Vec<Task>, Vec<Task>), Failure> = attempt!(
        &open.pool,
        WhenLost::Resend,
        |conn, resent| transaction(conn, tasks, &keys, resent).await
    );
    let (rows, replaced) = outcome.map_err(Failure::into_value_error)?;
    for task in replaced {
        if task.status == Status::Canceled {
            open.wakes.done_as(&task);
        }
    }
    announce_all(open, tasks.iter(), &rows);
    Ok(rows)
}

/// The rows, and the tasks that were cancelled to make place for them.
async fn transaction(
    conn: &mut Conn,
    tasks: &[NewTask],
    keys: &[&str],
    resent: bool,
) -> std::result::Result<(Vec<Task>, Vec<Task>), Failure> {
    conn.begin().await?;
    if !keys.is_empty() {
        conn.query(sql::KEY_LOCK.as_str())
            .bind(keys)
            .fetch_one(conn.driver())
            .await?;
    }
    // Under the lock, because the first sending may only now be coming to its end.
    if resent && let Some(rows) = already_there(conn, tasks).await? {
        conn.leave().await?;
        return Ok((rows, Vec::new()));
    }
    let (mut rows, mut replaced) = (Vec::with_capacity(tasks.len()), Vec::new());
    for segment in segments(tasks) {
        let (more, canceled) = write_segment(conn, segment).await?;
        rows.extend(more);
        replaced.extend(canceled);
    }
    conn.leave().await?;
    Ok((rows, replaced))
}

/// The rows when the transaction had been committed: it is all or none, so one new row stands for all of them.
async fn already_there(
    conn: &mut Conn,
    tasks: &[NewTask],
) -> std::result::Result<Option<Vec<Task>>, Failure> {
    let found = by_ids(conn, tasks.iter().map(|new| &*new.id).collect()).await?;
    if found.is_empty() {
        return Ok(None);
    }
    let keys: Vec<&str> = tasks.iter().filter_map(NewTask::key).collect();
    let existing = by_keys(conn, &keys).await?;
    let row = |new: &NewTask| {
        let reused = || new.key().and_then(|key| existing.get(key));
        found.get(&*new.id).or_else(reused).cloned()
    };
    Ok(tasks.iter().map(row).collect())
}

async fn by_ids(
    conn: &mut Conn,
    ids: Vec<&str>,
) -> std::result::Result<HashMap<String, Task>, Failure> {
    let rows = conn
        .query(sql::TASKS.as_str())
        .bind(ids)
        .fetch_all(conn.driver())
        .await?;
    Ok(rows::tasks(&rows)?
        .into_iter()
        .map(|task| (task.id.clone(), task))
        .collect())
}

async fn by_keys(
    conn: &mut Conn,
    keys: &[&str],
) -> std::result::Result<HashMap<String, Task>, Failure> {
    let rows = conn
        .query(sql::KEY_TASKS.as_str())
        .bind(keys)
        .fetch_all(conn.driver())
        .await?;
    let pair = |row: &PgRow| Ok((row.try_get(sql::TASK_COLUMN_COUNT)?, rows::task(row, 0)?));
    Ok(rows.iter().map(pair).collect::<sqlx::Result<_>>()?)
}

/// Runs of submits that one statement can insert: bounded, and no key twice, since the second depends on the first.
fn segments(tasks: &[NewTask]) -> Vec<&[NewTask]> {
    let mut segments = Vec::new();
    let (mut start, mut size, mut keys) = (0, 0, HashSet::new());
    for (index, new) in tasks.iter().enumerate() {
        let repeats = new.key().is_some_and(|key| keys.contains(key));
        if index > start && (repeats || index - start == MAX_ROWS || size + bytes(new) > MAX_BYTES)
        {
            segments.push(&tasks[start..index]);
            (start, size) = (index, 0);
            keys.clear();
        }
        size += bytes(new);
        keys.extend(new.key());
    }
    if start < tasks.len() {
        segments.push(&tasks[start..]);
    }
    segments
}

async fn write_segment(
    conn: &mut Conn,
    segment: &[NewTask],
) -> std::result::Result<(Vec<Task>, Vec<Task>), Failure> {
    let keys: Vec<&str> = segment.iter().filter_map(NewTask::key).collect();
    let existing = if keys.is_empty() {
        HashMap::new()
    } else {
        by_keys(conn, &keys).await?
    };
    let (mut fresh, mut replaced) = (Vec::with_capacity(segment.len()), Vec::new());
    for new in segment {
        match new.key().and_then(|key| existing.get(key)) {
            None => fresh.push(new),
            Some(_) if new.args.conflict == Conflict::Reject => {
                return Err(Error::AlreadyExists {
                    key: new.key().unwrap_or_default().to_owned(),
                }
                .into());
            }
            Some(task) if reuses(new.args.conflict, task.status) => {}
            Some(task) => {
                if !task.status.is_terminal() {
                    replaced.push(task.id.as_str());
                }
                fresh.push(new);
            }
        }
    }
    let canceled = if replaced.is_empty() {
        Vec::new()
    } else {
        replaced.sort_unstable();
        let rows = conn
            .query(sql::CANCEL.as_str())
            .bind(&replaced)
            .fetch_all(conn.driver())
            .await?;
        rows::tasks(&rows)?
    };
    let inserted = insert(conn, &fresh, !keys.is_empty(), None).await?;
    let mut inserted: HashMap<String, Task> = inserted
        .into_iter()
        .map(|task| (task.id.clone(), task))
        .collect();
    let row = |new: &NewTask| {
        let reused = || new.key().and_then(|key| existing.get(key)).cloned();
        inserted.remove(&*new.id).or_else(reused)
    };
    let rows: Option<Vec<Task>> = segment.iter().map(row).collect();
    let rows = rows.ok_or_else(|| Error::Internal("a submitted task has no row".to_owned()))?;
    Ok((rows, canceled))
}

/// Inserts in one statement, in whatever transaction is open. A row is built from what was submitted: only the times are
/// the database's.
async fn insert(
    conn: &mut Conn,
    tasks: &[&NewTask],
    keyed: bool,
    owner: Option<&Owner>,
) -> std::result::Result<Vec<Task>, Failure> {
    fn column<'a, T>(tasks: &[&'a NewTask], value: impl Fn(&'a NewTask) -> T) -> Vec<T> {
        tasks.iter().map(|new| value(new)).collect()
    }
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    let text = if keyed {
        sql::INSERT_KEYED.as_str()
    } else {
        sql::INSERT.as_str()
    };
    let rows = conn
        .query(text)
        .bind(column(tasks, |new| &*new.id))
        .bind(column(tasks, |new| new.args.name.as_str()))
        .bind(column(tasks, |new| new.args.queue.as_str()))
        .bind(column(tasks, |new| &*new.payload))
        .bind(column(tasks, |new| &*new.metadata))
        .bind(column(tasks, |new| new.args.max_attempts))
        .bind(column(tasks, |new| new.args.priority))
        .bind(column(tasks, |new| new.args.run_at_delay_ms))
        .bind(column(tasks, |new| new.args.parent_id.as_deref()))
        .bind(column(tasks, |new| {
            Some(new.args.root_id.as_deref().unwrap_or(&new.id))
        }))
        .bind(column(tasks, |new| new.args.correlation_id.as_deref()))
        .bind(column(tasks, |new| new.key()))
        .bind(owner.map(|owner| owner.worker_id.as_str()))
        .bind(owner.map(|owner| owner.lease_ms))
        .fetch_all(conn.driver())
        .await?;
    let mut inserted = HashMap::with_capacity(rows.len());
    for row in &rows {
        inserted.insert(row.try_get::<&str, _>(0)?, row);
    }
    if inserted.len() == tasks.len() {
        let made = |new: &&NewTask| task(new, inserted[&*new.id], owner);
        return Ok(tasks.iter().map(made).collect::<sqlx::Result<_>>()?);
    }
    let mut there = by_ids(conn, column(tasks, |new| &*new.id)).await?;
    let rows: Option<Vec<Task>> = tasks.iter().map(|new| there.remove(&*new.id)).collect();
    rows.ok_or_else(|| Error::Internal("a submitted task has no row".to_owned()).into())
}

fn task(new: &NewTask, inserted: &PgRow, owner: Option<&Owner>) -> sqlx::Result<Task> {
    let times: (i64, i64) = (inserted.try_get(1)?, inserted.try_get(2)?);
    let made = match owner {
        None => row(new.clone(), times.0, times.1),
        // As every later attempt will see it.
        Some(owner) => Task {
            payload: inserted.try_get(3)?,
            metadata: inserted.try_get(4)?,
            ..claimed_row(new.clone(), times, owner)
        },
    };
    Ok(Task {
        max_attempts: new.args.max_attempts.min(i64::from(i32::MAX)),
        ..made
    })
}
