//! The writer's life: it serves on one connection until that breaks, and opens another when the cause is gone.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;

use super::files::OpenFiles;
use super::hub::Hub;
use super::open;
use super::queue::{Entry, Next};
use super::writer::{self, End};
use crate::protocol::sqlite as sql;

/// How often a database that nobody uses is tried again.
const RETRY_EVERY: Duration = Duration::from_millis(250);

/// Runs until every store of the file has closed and everything accepted is written.
pub(super) fn run(first: Connection, hub: &Arc<Hub>) {
    // Should this thread ever panic, nobody may wait for it for ever.
    let _end = EndsQueue(hub);
    let mut connection = first;
    let mut group = None;
    loop {
        let files = hub.location.path().and_then(OpenFiles::at);
        match serve(&connection, files.as_ref(), hub, group.take()) {
            End::Closed => {
                hub.wait_for_readers();
                return;
            }
            // It is the database itself that lives in this connection.
            End::Broken if files.is_none() => continue,
            End::Broken => {}
        }
        hub.leave_file();
        if let Some(files) = files {
            leave(connection, &files);
        }
        hub.faults.reopen();
        match again(hub) {
            Some(reopened) => (connection, group) = reopened,
            None => return,
        }
    }
}

/// Serves, and takes a panic for a broken connection: it was in the middle of something.
fn serve(
    connection: &Connection,
    files: Option<&OpenFiles>,
    hub: &Arc<Hub>,
    first: Option<Vec<Entry>>,
) -> End {
    let served = catch_unwind(AssertUnwindSafe(|| {
        writer::serve(connection, files, hub, first)
    }));
    served.unwrap_or_else(|_| {
        tracing::error!(path = hub.location.name(), "the writer panicked");
        if !connection.is_autocommit()
            && let Err(error) = connection.execute_batch(sql::ROLLBACK)
        {
            tracing::error!(%error, "rollback failed");
        }
        hub.queue.lost_taken();
        End::Broken
    })
}

/// Closes a connection that is of no more use, saving what its log holds.
fn leave(connection: Connection, files: &OpenFiles) {
    // The log may be gone from its path while the database is still there.
    let saved = connection.query_row(sql::CHECKPOINT_PASSIVE, [], |row| row.get::<_, i64>(0));
    tracing::debug!(?saved, "leaving a broken connection");
    drop(connection);
    files.clear_left_behind();
}

/// Another connection, and what came while there was none to try it with. None when every store closed meanwhile.
fn again(hub: &Arc<Hub>) -> Option<(Connection, Option<Vec<Entry>>)> {
    let mut group = None;
    loop {
        match open::writer_again(&hub.location, hub.busy_timeout, hub.keeps()) {
            Ok(connection) => {
                tracing::info!(path = hub.location.name(), "opened the database again");
                hub.take_file();
                return Some((connection, group));
            }
            Err(error) => {
                if let Some(group) = group.take() {
                    hub.refuse(group, &hub.faults.take_untold().unwrap_or(error));
                }
            }
        }
        match hub.queue.next(RETRY_EVERY, false) {
            Next::Group(waiting) => group = Some(waiting),
            Next::Look | Next::Idle => {}
            Next::Closed => return None,
        }
    }
}

struct EndsQueue<'h>(&'h Hub);

impl Drop for EndsQueue<'_> {
    fn drop(&mut self) {
        self.0.queue.end();
    }
}
