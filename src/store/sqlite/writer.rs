//! The one thread that writes to a file: group commit.
//!
//! Whatever waited while the last transaction was under way goes into the next; nothing waits to form a group, and a
//! lone write commits alone. A member that fails, fails alone. Nobody is answered before COMMIT, nor when the commit
//! went to a file that is no longer at the database's path.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::alert::Alert;
use super::checkpoint::Checkpoint;
use super::errors;
use super::files::{Fault, OpenFiles};
use super::hub::Hub;
use super::queue::{Entry, Next};
use super::read;
use super::statements::Statements;
use super::transaction::{Announcements, Tx};
use super::upkeep::Upkeep;
use crate::error::{Error, Result};
use crate::protocol::sqlite as sql;

/// How often the lock of another process is tried: at first, and once it has been held for long.
const LOCK_RETRY: [Duration; 2] = [Duration::from_micros(500), Duration::from_millis(2)];
const HELD_FOR_LONG: Duration = Duration::from_millis(50);
/// How often what waits in the queue is asked for its patience while another process holds the lock.
const EXPIRE_EVERY: Duration = Duration::from_millis(5);

/// Why [`serve`] came to an end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Every store has closed, and everything accepted is written.
    Closed,
    /// The connection is of no more use.
    Broken,
}

/// Writes on `connection`, beginning with `first`, for as long as it serves.
pub(super) fn serve(
    connection: &Connection,
    files: Option<&OpenFiles>,
    hub: &Hub,
    first: Option<Vec<Entry>>,
) -> End {
    let statements = Statements::new(connection);
    let mut checkpoint = Checkpoint::new(connection, files, &hub.location);
    let mut upkeep = Upkeep::new(connection, hub);
    let mut writer = Writer {
        connection,
        statements: &statements,
        files,
        hub,
        unchanged_at: Cell::new(0),
        busy_since: None,
        began: false,
        broken: false,
    };
    let mut alert = Alert::new();
    let mut next = first.map_or(Next::Idle, Next::Group);
    loop {
        let wrote = matches!(next, Next::Group(_));
        match next {
            Next::Group(group) => {
                let began = Instant::now();
                writer.group(group);
                if std::mem::take(&mut writer.began) {
                    checkpoint.committed(connection, upkeep.is_busy());
                    upkeep.wrote(began, hub);
                }
            }
            Next::Look => upkeep.look_soon(),
            Next::Idle => {}
            Next::Closed => return End::Closed,
        }
        if upkeep.run(connection, files, hub)
            && !writer.broken
            && let Some(error) = writer.moved()
        {
            hub.faults.tell(error);
        }
        if writer.broken {
            return End::Broken;
        }
        if wrote && let Some(alert) = &mut alert {
            alert.look(|| hub.queue.has_news());
        }
        next = hub.queue.next(upkeep.due_in(), upkeep.is_look_overdue());
    }
}

struct Writer<'w, 'c> {
    connection: &'c Connection,
    statements: &'w Statements<'c>,
    files: Option<&'w OpenFiles>,
    hub: &'w Hub,
    unchanged_at: Cell<u64>,
    /// Since when another process has been seen to hold the write lock.
    busy_since: Option<Instant>,
    /// A transaction was opened.
    began: bool,
    broken: bool,
}

impl Writer<'_, '_> {
    /// Commits the group, or finds out which of its members cannot be.
    fn group(&mut self, group: Vec<Entry>) {
        let Some(group) = self.sound(group).and_then(|group| self.needed(group)) else {
            return;
        };
        let Some(mut group) = self.begin(group) else {
            return;
        };
        // In company, what came first would be claimed after it.
        if let [only] = &mut *group {
            only.job.find_place(&|new| self.hub.place_for(new));
        }
        let mut outcomes = Vec::with_capacity(group.len());
        for index in 0..group.len() {
            let outcome = self.member(&mut group[index]);
            if self.connection.is_autocommit() {
                // A full disk, an I/O error or a panic undid the whole transaction.
                return self.one_by_one(group, outcome.err());
            }
            let spoils_group = group.len() > 1 && self.left_changes();
            if outcome.is_err() && (spoils_group || group[index].job.is_worth_repeating()) {
                self.undo();
                return self.one_by_one(group, None);
            }
            outcomes.push(outcome);
        }
        self.add_awaited_rows(&mut outcomes);
        let all_failed = outcomes.iter().all(Result::is_err);
        let end = if all_failed {
            sql::ROLLBACK
        } else {
            sql::COMMIT
        };
        crash_point!("before-commit");
        match self.execute(end) {
            Ok(()) => {
                crash_point!("after-commit");
                let ended = group.into_iter().zip(outcomes).collect();
                self.committed(ended);
            }
            Err(error) => {
                self.undo();
                self.one_by_one(group, Some(error));
            }
        }
    }

    /// Each member in a transaction of its own, so that only those fail that cannot be written.
    fn one_by_one(&mut self, group: Vec<Entry>, cause: Option<Error>) {
        if let (1, Some(cause)) = (group.len(), cause) {
            return self.hub.refuse(group, &cause);
        }
        for entry in group {
            self.alone(entry);
        }
    }

    /// One member in a transaction of its own; again where a part of it failed and the next run leaves that out.
    fn alone(&mut self, entry: Entry) {
        let begun = self.sound(vec![entry]).and_then(|alone| self.begin(alone));
        let Some(mut entry) = begun.and_then(|mut alone| alone.pop()) else {
            return;
        };
        let outcome = self
            .member(&mut entry)
            .and_then(|announcements| self.execute(sql::COMMIT).map(|()| announcements));
        self.undo();
        if outcome.is_err() && entry.job.is_worth_repeating() {
            return self.alone(entry);
        }
        self.committed(vec![(entry, outcome)]);
    }

    /// Answers everyone, unless what was committed went where nobody will look for it.
    fn committed(&mut self, ended: Vec<(Entry, Result<Announcements>)>) {
        let moved = self.moved();
        let mut announcements = Announcements::default();
        let mut settle = |outcome: Result<Announcements>| match &moved {
            Some(error) => outcome.and(Err(error.clone())),
            None => outcome.map(|of_one| announcements.add(of_one)),
        };
        let ended = ended
            .into_iter()
            .map(|(entry, outcome)| (entry, settle(outcome)))
            .collect();
        self.hub.answer(&announcements, ended);
    }

    /// The group, unless nothing may be written now.
    fn sound(&mut self, group: Vec<Entry>) -> Option<Vec<Entry>> {
        let fault = self.hub.faults.take_untold().or_else(|| self.fault());
        if let Some(error) = fault {
            self.hub.refuse(group, &error);
            return None;
        }
        Some(group)
    }

    /// The group, unless a look shows that none of it needs the write lock.
    fn needed(&mut self, group: Vec<Entry>) -> Option<Vec<Entry>> {
        let tx = Tx::new(
            self.connection,
            self.statements,
            self.hub.location.name(),
            &self.unchanged_at,
        );
        // What cannot be looked at goes the long way, where errors and panics are seen to.
        let idle = |entry: &Entry| {
            let looked = catch_unwind(AssertUnwindSafe(|| entry.job.finds_nothing(&tx)));
            matches!(looked, Ok(Ok(true)))
        };
        if !group.iter().all(idle) {
            return Some(group);
        }
        let found = group.into_iter().map(|entry| (entry, Ok(()))).collect();
        self.hub.answer(&Announcements::default(), found);
        None
    }

    /// Takes the write lock, waiting for another process as long as each member is willing to. Gives back who is left.
    fn begin(&mut self, mut group: Vec<Entry>) -> Option<Vec<Entry>> {
        let mut expired_at = Instant::now();
        loop {
            let begun = self.connection.prepare_cached(sql::BEGIN);
            let Err(error) = begun.and_then(|mut begin| begin.execute([])) else {
                self.busy_since = None;
                self.began = true;
                return Some(group);
            };
            if !errors::is_busy(&error) {
                let error = self.error(&error);
                self.hub.refuse(group, &error);
                return None;
            }
            let now = Instant::now();
            let since = *self.busy_since.get_or_insert(now);
            let (over, waiting) = group
                .into_iter()
                .partition(|entry| entry.is_expired(since, now));
            self.hub.refuse(over, &errors::busy());
            group = waiting;
            if now - expired_at >= EXPIRE_EVERY {
                expired_at = now;
                self.hub
                    .refuse(self.hub.queue.expired(since, now), &errors::busy());
            }
            if group.is_empty() {
                return None;
            }
            let held_for_long = now - since >= HELD_FOR_LONG;
            std::thread::sleep(LOCK_RETRY[usize::from(held_for_long)]);
        }
    }

    /// Runs one operation. What it announces is told once it is durable.
    fn member(&mut self, entry: &mut Entry) -> Result<Announcements> {
        let path = self.hub.location.name();
        let tx = Tx::new(self.connection, self.statements, path, &self.unchanged_at);
        // A panic is a fault of ours in one operation; the thread and its other callers go on.
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            entry.job.run(&tx).map(|()| tx.into_announcements())
        }));
        let outcome = outcome.unwrap_or_else(|_| {
            self.undo();
            Err(Error::Internal("a write panicked".to_owned()))
        });
        if let Err(error) = &outcome {
            self.broken |= self.is_spoiled_by(error);
        }
        outcome
    }

    /// Reads the tasks that ended and are waited for, as they are about to be committed: a reader would have to be woken
    /// for each. One that cannot be read here is read by its waiter.
    fn add_awaited_rows(&self, outcomes: &mut [Result<Announcements>]) {
        let mut waited_on = self.hub.listeners();
        waited_on.retain(|wakes| wakes.has_waiters());
        if waited_on.is_empty() {
            return;
        }
        let path = self.hub.location.name();
        let tx = Tx::new(self.connection, self.statements, path, &self.unchanged_at);
        for announcements in outcomes.iter_mut().flatten() {
            announcements.add_rows(|task_id| {
                let awaited = waited_on.iter().any(|wakes| wakes.is_awaited(task_id));
                awaited.then(|| read::get(&tx, task_id).ok()).flatten()?
            });
        }
    }

    /// Whether the operation that ran last changed something that it did not undo.
    fn left_changes(&self) -> bool {
        self.connection.total_changes() != self.unchanged_at.get()
    }

    fn undo(&mut self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.execute(sql::ROLLBACK)
        {
            tracing::error!(%error, "rollback failed");
        }
    }

    fn execute(&mut self, sql: &str) -> Result<()> {
        let run = || self.connection.prepare_cached(sql)?.execute([]).map(drop);
        run().map_err(|error| self.error(&error))
    }

    fn error(&mut self, error: &rusqlite::Error) -> Error {
        let error = errors::database(self.hub.location.name(), error);
        self.broken |= self.is_spoiled_by(&error);
        error
    }

    /// A database in memory lives in its connection and is never opened again.
    fn is_spoiled_by(&self, error: &Error) -> bool {
        self.files.is_some() && errors::spoils_connection(error)
    }

    /// Why nothing may be written now.
    fn fault(&mut self) -> Option<Error> {
        let fault = self.files?.database_fault()?;
        self.broken |= matches!(fault, Fault::Moved(_));
        let (Fault::ReadOnly(error) | Fault::Moved(error)) = fault;
        Some(error)
    }

    /// Why what was committed just now may not be where the next reader looks for it.
    fn moved(&mut self) -> Option<Error> {
        let Fault::Moved(error) = self.files?.fault()? else {
            return None;
        };
        self.broken = true;
        Some(error)
    }
}
