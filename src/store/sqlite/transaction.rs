//! What an operation sees of the transaction it runs in.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use rusqlite::{Connection, Params, Row};

use super::errors;
use super::statements::Statements;
use crate::clock::now_ms;
use crate::error::Result;
use crate::model::Task;
use crate::protocol::sqlite as sql;
use crate::store::wakes::Wakes;

/// Something to announce once the transaction is durable.
#[derive(PartialEq)]
enum Wake {
    Queued {
        queue: String,
        run_at_ms: i64,
    },
    Done {
        task_id: Arc<str>,
        /// Its row, where somebody here waits for it.
        row: Option<Box<Task>>,
    },
}

impl Wake {
    /// Whether it tells of this already: thousands of rows for one queue at one time are one piece of news.
    fn says(&self, task_queue: &str, due_ms: i64) -> bool {
        matches!(self, Self::Queued { queue, run_at_ms } if queue == task_queue && *run_at_ms == due_ms)
    }
}

/// One operation's view of the connection: its prepared statements, one clock reading, and what it wants announced.
pub(super) struct Tx<'t, 'c> {
    pub(super) connection: &'c Connection,
    pub(super) statements: &'t Statements<'c>,
    pub(super) now_ms: i64,
    path: &'t str,
    /// What the connection's count of changed rows would be had this operation changed none.
    unchanged_at: &'t Cell<u64>,
    wakes: RefCell<Vec<Wake>>,
    spoiled: Cell<bool>,
}

/// What committed operations announce.
#[derive(Default)]
pub(super) struct Announcements(Vec<Wake>);

impl<'t, 'c> Tx<'t, 'c> {
    /// `unchanged_at` tells the caller afterwards whether a failed operation left changes behind.
    pub(super) fn new(
        connection: &'c Connection,
        statements: &'t Statements<'c>,
        path: &'t str,
        unchanged_at: &'t Cell<u64>,
    ) -> Self {
        unchanged_at.set(connection.total_changes());
        Self {
            connection,
            statements,
            now_ms: now_ms(),
            path,
            unchanged_at,
            wakes: RefCell::default(),
            spoiled: Cell::new(false),
        }
    }

    /// Whether an error has rolled the whole transaction back: nothing more may be written, it would be on its own.
    pub(super) fn is_over(&self) -> bool {
        self.connection.is_autocommit()
    }

    /// Whether the connection met a fault that it may keep.
    pub(super) fn is_spoiled(&self) -> bool {
        self.spoiled.get()
    }

    /// Runs a statement and says how many rows it touched.
    pub(super) fn execute(&self, sql: &'static str, parameters: impl Params) -> Result<usize> {
        self.statements
            .with(sql, |statement| statement.execute(parameters))
            .map_err(|error| self.error(&error))
    }

    /// The first row of a statement.
    pub(super) fn first<T>(
        &self,
        sql: &'static str,
        parameters: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let first = self.statements.with(sql, |statement| {
            let mut rows = statement.query(parameters)?;
            rows.next()?.map(read).transpose()
        });
        first.map_err(|error| self.error(&error))
    }

    /// Every row of a statement whose text may have been put together for it.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let read_all = || {
            self.connection
                .prepare_cached(sql)?
                .query_map(parameters, read)?
                .collect::<rusqlite::Result<_>>()
        };
        read_all().map_err(|error: rusqlite::Error| self.error(&error))
    }

    /// Runs `work` so that its failure undoes only its own writes.
    pub(super) fn atomically<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let announced = self.wakes.borrow().len();
        let first = self.unchanged_at.get() == self.connection.total_changes();
        self.execute(sql::SAVEPOINT, [])?;
        let outcome = work();
        if outcome.is_ok() {
            self.execute(sql::SAVEPOINT_KEEP, [])?;
            return outcome;
        }
        self.wakes.borrow_mut().truncate(announced);
        // A full disk has rolled the whole transaction back already; then there is no savepoint left.
        if !self.is_over() {
            self.connection
                .execute_batch(sql::SAVEPOINT_UNDO)
                .map_err(|error| self.error(&error))?;
            if first {
                self.unchanged_at.set(self.connection.total_changes());
            }
        }
        outcome
    }

    /// A task of `queue` became queued.
    pub(super) fn announce_queued(&self, queue: &str, run_at_ms: i64) {
        let mut wakes = self.wakes.borrow_mut();
        if !wakes.last().is_some_and(|last| last.says(queue, run_at_ms)) {
            wakes.push(Wake::Queued {
                queue: queue.to_owned(),
                run_at_ms,
            });
        }
    }

    /// A task reached a terminal state.
    pub(super) fn announce_done(&self, task_id: impl Into<Arc<str>>) {
        self.wakes.borrow_mut().push(Wake::Done {
            task_id: task_id.into(),
            row: None,
        });
    }

    /// Ends the operation, keeping what it wants announced.
    pub(super) fn into_announcements(self) -> Announcements {
        Announcements(self.wakes.into_inner())
    }

    pub(super) fn error(&self, error: &rusqlite::Error) -> crate::Error {
        let error = errors::database(self.path, error);
        if errors::spoils_connection(&error) {
            self.spoiled.set(true);
        }
        error
    }
}

impl Announcements {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds those of another operation of the same transaction.
    pub(super) fn add(&mut self, other: Self) {
        for wake in other.0 {
            if self.0.last() != Some(&wake) {
                self.0.push(wake);
            }
        }
    }

    /// Adds the rows of the tasks that ended, as far as `read` gives them.
    pub(super) fn add_rows(&mut self, mut read: impl FnMut(&str) -> Option<Task>) {
        for wake in &mut self.0 {
            if let Wake::Done { task_id, row } = wake {
                *row = read(task_id).map(Box::new);
            }
        }
    }

    /// Tells workers and waiters. Called after COMMIT only.
    pub(super) fn publish(&self, wakes: &Wakes) {
        for wake in &self.0 {
            match wake {
                Wake::Queued { queue, run_at_ms } => wakes.queued(queue, *run_at_ms),
                Wake::Done { row: Some(row), .. } => wakes.done_as(row),
                Wake::Done { task_id, .. } => wakes.done(task_id),
            }
        }
    }
}
