//! Copying the log into the database, beside the writer where that costs nobody anything.
//!
//! `SQLite` copies in the commit that finds the log long, and everyone waits for the disk: some 15 ms for 4,000 pages. At a
//! leisurely pace another connection copies instead, which holds up no writer. What is written meanwhile is copied in the
//! same way, and when little is left the writer does it, because a log starts over only if all of it was copied between
//! two transactions. A busy writer copies by itself: writing to a log that is being saved would slow every commit down.

use std::cell::Cell;
use std::os::raw::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use rusqlite::hooks::Wal;

use super::files::OpenFiles;
use super::location::Location;
use super::writeback::Writeback;
use crate::protocol::sqlite as sql;
use crate::runtime::runtime;

/// Pages in the log when copying beside the writer begins.
const FIRST_PAGES: u32 = 3_000;
/// So many the writer copies itself, in a millisecond or two.
const LAST_PAGES: u32 = 400;
/// How many more before it is tried again, after a reader or another process was in the way.
const RETRY_PAGES: u32 = 1_000;
/// A log that outgrows the copying is copied by the writer: 32 MB.
const MOST_PAGES: u32 = 8_000;

thread_local! {
    /// Pages in the log after this thread's last commit.
    static LOG_PAGES: Cell<u32> = const { Cell::new(0) };
}

#[expect(clippy::unnecessary_wraps, reason = "the shape of the hook")]
fn note(_log: &Wal, pages: c_int) -> rusqlite::Result<()> {
    LOG_PAGES.set(u32::try_from(pages).unwrap_or(0));
    Ok(())
}

/// How far a copy came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Copied {
    /// Pages the log had.
    log: u32,
    /// Pages of it that are in the database now.
    done: u32,
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// Copy on beside the writer.
    Again,
    /// Copy the rest on the writer's thread.
    Finish,
    /// Nothing before the log has so many pages.
    Later(u32),
}

/// What comes after a copy, when the log has `pages` by now. None: there was no copy to be made.
fn after_copy(copied: Option<Copied>, pages: u32) -> Step {
    match copied {
        Some(Copied { log, .. }) if log > pages => Step::Later(FIRST_PAGES),
        Some(Copied { log, done }) if done < log => Step::Later(pages + RETRY_PAGES),
        Some(Copied { log, .. }) if pages < MOST_PAGES && pages - log > LAST_PAGES => Step::Again,
        Some(_) => Step::Finish,
        None => Step::Later(pages + RETRY_PAGES),
    }
}

#[derive(Debug)]
enum State {
    Idle,
    UnderWay,
    Ended(Option<Copied>),
}

/// A copy beside the writer, as both threads see it.
struct Pass {
    state: Mutex<State>,
    ended: Condvar,
}

impl Pass {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the writer's log short.
pub(super) struct Checkpoint {
    location: Location,
    pass: Arc<Pass>,
    next_at: u32,
    writeback: Option<Writeback>,
}

impl Checkpoint {
    /// Takes the place of `SQLite`'s own automatic checkpoints on the writer's connection.
    pub(super) fn new(
        connection: &Connection,
        files: Option<&OpenFiles>,
        location: &Location,
    ) -> Self {
        LOG_PAGES.set(0);
        connection.wal_hook(Some(note));
        Self {
            location: location.clone(),
            pass: Arc::new(Pass {
                state: Mutex::new(State::Idle),
                ended: Condvar::new(),
            }),
            next_at: FIRST_PAGES,
            writeback: files.and_then(|files| Writeback::new(connection, files.log_path())),
        }
    }

    /// Does what is due after a commit, whose callers have been answered.
    pub(super) fn committed(&mut self, connection: &Connection, busy: bool) {
        let pages = LOG_PAGES.get();
        if let Some(writeback) = &mut self.writeback {
            writeback.committed(pages);
        }
        let mut state = self.pass.state();
        match *state {
            State::Ended(copied) => {
                *state = State::Idle;
                drop(state);
                self.go_on(copied, pages, connection);
            }
            State::Idle if busy => {
                drop(state);
                if pages >= self.next_at.max(sql::CHECKPOINT_PAGES) {
                    self.finish(pages, connection);
                }
            }
            State::Idle if pages >= self.next_at => {
                *state = State::UnderWay;
                drop(state);
                self.begin();
            }
            State::Idle | State::UnderWay => {}
        }
    }

    fn go_on(&mut self, copied: Option<Copied>, pages: u32, connection: &Connection) {
        match after_copy(copied, pages) {
            Step::Again => self.next_at = 0,
            Step::Later(pages) => self.next_at = pages,
            Step::Finish => self.finish(pages, connection),
        }
        tracing::debug!(?copied, pages, next_at = self.next_at, "copied the log");
    }

    /// Copies on the writer's thread, between two transactions.
    fn finish(&mut self, pages: u32, connection: &Connection) {
        self.next_at = match copy(connection) {
            Some(Copied { log, done }) if log == done => FIRST_PAGES,
            _ => pages + RETRY_PAGES,
        };
    }

    /// Copies on another connection, which is closed again before the writer's can be.
    fn begin(&self) {
        let (location, pass) = (self.location.clone(), Arc::clone(&self.pass));
        runtime().spawn_blocking(move || {
            let copy = || copy(&location.connect(false).ok()?);
            let copied = catch_unwind(AssertUnwindSafe(copy)).unwrap_or(None);
            *pass.state() = State::Ended(copied);
            pass.ended.notify_all();
        });
    }
}

/// The writer closes its connection last.
impl Drop for Checkpoint {
    fn drop(&mut self) {
        let mut state = self.pass.state();
        while matches!(*state, State::UnderWay) {
            state = self
                .pass
                .ended
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Copies what no reader keeps from it. None when another process is copying, or something failed: it is tried again.
fn copy(connection: &Connection) -> Option<Copied> {
    let copied = connection.query_row(sql::CHECKPOINT_PASSIVE, [], |row| {
        Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
    });
    let (log, done) = copied
        .inspect_err(|error| tracing::debug!(%error, "the log was not copied"))
        .ok()?;
    Some(Copied {
        log: u32::try_from(log).ok()?,
        done: u32::try_from(done).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(log: u32, done: u32, pages: u32) -> Step {
        after_copy(Some(Copied { log, done }), pages)
    }

    #[test]
    fn what_was_written_meanwhile_is_copied_until_little_is_left() {
        assert_eq!(after(3_000, 3_000, 3_800), Step::Again);
        assert_eq!(after(3_800, 3_800, 4_000), Step::Finish);
    }

    #[test]
    fn who_is_in_the_way_is_given_time() {
        assert_eq!(after(3_000, 10, 3_100), Step::Later(4_100));
        assert_eq!(after_copy(None, 3_100), Step::Later(4_100));
    }

    #[test]
    fn a_log_that_started_over_meanwhile_is_left_alone() {
        assert_eq!(after(3_000, 3_000, 12), Step::Later(FIRST_PAGES));
    }

    #[test]
    fn a_log_that_outgrows_the_copying_is_finished_by_the_writer() {
        assert_eq!(after(7_000, 7_000, 8_000), Step::Finish);
    }
}
