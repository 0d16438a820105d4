//! What became of a submit. A new task is what was handed over and the database's times, so its row need not travel.

use std::sync::Arc;

use super::answer::Answer;
use super::command::{NewTask, Owner, Reply};
use crate::error::Error;
use crate::model::{Status, Task};

/// The task a submit led to.
#[derive(Debug, Clone, PartialEq)]
pub enum Submitted {
    /// One made of what was submitted, under the submit's own id.
    New {
        /// When it was created, by the database's clock.
        created_at_ms: i64,
        /// When it is due.
        run_at_ms: i64,
    },
    /// One that was there, under the submit's key.
    Existing(Box<Task>),
}

impl Submitted {
    /// What the row it led to says of the submit that was given `id`.
    #[must_use]
    pub fn of_row(id: &str, row: Task) -> Self {
        if row.id == id {
            Self::New {
                created_at_ms: row.created_at_ms,
                run_at_ms: row.run_at_ms,
            }
        } else {
            Self::Existing(Box::new(row))
        }
    }

    /// The times of a new task, when it was created and when it is due.
    #[must_use]
    pub fn times(&self) -> Option<(i64, i64)> {
        match *self {
            Self::New {
                created_at_ms,
                run_at_ms,
            } => Some((created_at_ms, run_at_ms)),
            Self::Existing(_) => None,
        }
    }

    /// The row it led to.
    #[must_use]
    pub fn into_row(self, new: NewTask) -> Task {
        match self {
            Self::New {
                created_at_ms,
                run_at_ms,
            } => row(new, created_at_ms, run_at_ms),
            Self::Existing(task) => *task,
        }
    }
}

/// The answer to `new` by its row.
pub(super) fn told_by_row(new: &NewTask, answer: Answer<Submitted>) -> Answer<Reply> {
    let id = new.id.clone();
    answer.from(move |reply| match reply {
        Reply::Row(Some(row)) => Ok(Submitted::of_row(&id, *row)),
        _ => Err(Error::Internal("a submit gave no row".to_owned())),
    })
}

/// The answer to many by their rows.
pub(super) fn told_by_rows(new: &[NewTask], answer: Answer<Vec<Submitted>>) -> Answer<Reply> {
    let ids: Vec<_> = new.iter().map(|new| new.id.clone()).collect();
    answer.from(move |reply| match reply {
        Reply::Rows(rows) => {
            let rows = ids.iter().zip(rows);
            Ok(rows.map(|(id, row)| Submitted::of_row(id, row)).collect())
        }
        _ => Err(Error::Internal("submits gave no rows".to_owned())),
    })
}

/// The row that answers `new`, told by what became of it.
pub(super) fn row_told(new: &NewTask, answer: Answer<Reply>) -> Answer<Submitted> {
    let new = new.clone();
    answer.from(|submitted: Submitted| Ok(Reply::row(submitted.into_row(new))))
}

/// The rows that answer many, told by what became of them.
pub(super) fn rows_told(new: &[NewTask], answer: Answer<Reply>) -> Answer<Vec<Submitted>> {
    let new = new.to_vec();
    answer.from(|submitted: Vec<Submitted>| {
        let rows = submitted.into_iter().zip(new);
        Ok(Reply::Rows(
            rows.map(|(one, new)| one.into_row(new)).collect(),
        ))
    })
}

/// The row of a task that was claimed for `owner` when it was inserted.
#[must_use]
pub fn claimed_row(new: NewTask, (created_at_ms, run_at_ms): (i64, i64), owner: &Owner) -> Task {
    Task {
        status: Status::Running,
        attempt: 1,
        worker_id: Some(owner.worker_id.clone()),
        lease_until_ms: Some(created_at_ms.saturating_add(owner.lease_ms)),
        ..row(new, created_at_ms, run_at_ms)
    }
}

/// The row of a task just inserted.
#[must_use]
pub fn row(new: NewTask, created_at_ms: i64, run_at_ms: i64) -> Task {
    let args = Arc::unwrap_or_clone(new.args);
    Task {
        root_id: Some(args.root_id.unwrap_or_else(|| new.id.to_string())),
        id: new.id.to_string(),
        name: args.name,
        queue: args.queue,
        status: Status::Queued,
        payload: new.payload.to_string(),
        result: None,
        error: None,
        metadata: new.metadata.to_string(),
        progress: None,
        message: None,
        attempt: 0,
        max_attempts: args.max_attempts,
        priority: args.priority,
        worker_id: None,
        lease_until_ms: None,
        run_at_ms,
        cancel_requested_at_ms: None,
        parent_id: args.parent_id,
        correlation_id: args.correlation_id,
        created_at_ms,
        updated_at_ms: created_at_ms,
        completed_at_ms: None,
    }
}
