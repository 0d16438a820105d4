//! The store against real files, from inside: groups are built by holding the writer, faults are made on purpose.

mod files;
mod groups;
mod handoff;
mod inspect;
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod isolation;
mod life;
mod locks;
mod order;
mod plans;
mod processes;
mod rounds;
mod rows;
mod sessions;
mod statements;
mod targets;
mod upkeep;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tempfile::TempDir;

use super::inner::Inner;
use super::location::Location;
use super::transaction::Tx;
use super::{SqliteOptions, SqliteStore};
use crate::error::{Error, Result};
use crate::model::Task;
use crate::protocol::MigrateTo;
use crate::runtime::runtime;
use crate::store::Backend;
use crate::store::answer::Answer;
use crate::store::command::{ClaimScope, Command, NewTask, Outcome, Owner, Reply, Target};
use crate::store::wakes::End;

/// Long enough for a disk that is busy with something else, short enough to end a hanging test.
const DEADLINE: Duration = Duration::from_mins(1);

/// A database file in a directory of its own.
struct Place {
    directory: TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    fn path(&self) -> PathBuf {
        self.file("tasks.db")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn store(&self) -> SqliteStore {
        self.store_with(SqliteOptions::default())
    }

    fn store_with(&self, options: SqliteOptions) -> SqliteStore {
        SqliteStore::new(text(&self.path()), options)
    }

    /// A store that has been opened, at level 6 or 10.
    fn opened(&self, migrate: MigrateTo) -> SqliteStore {
        let store = self.store_with(SqliteOptions {
            migrate,
            ..SqliteOptions::default()
        });
        run(store.connect()).expect("the database opens");
        store
    }

    /// A connection of somebody else.
    fn peer(&self) -> Connection {
        let connection = Connection::open(self.path()).expect("the file opens");
        connection.busy_timeout(DEADLINE).expect("a timeout is set");
        connection
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are UTF-8")
}

fn run<T>(work: impl Future<Output = T>) -> T {
    runtime().block_on(async {
        tokio::time::timeout(DEADLINE, work)
            .await
            .expect("an answer comes")
    })
}

/// Polls until `done`.
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !done() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn submit(store: &SqliteStore, name: &str) -> Result<Task> {
    one(run(
        store.execute(Command::Submit(Box::new(NewTask::named(name))))
    )?)
}

fn one(reply: Reply) -> Result<Task> {
    match reply {
        Reply::Row(Some(task)) => Ok(*task),
        other => Err(Error::Internal(format!("not a row: {other:?}"))),
    }
}

fn get(store: &SqliteStore, id: &str) -> Result<Option<Task>> {
    match run(store.execute(Command::Get(Target::Id(id.to_owned()))))? {
        Reply::Row(task) => Ok(task.map(|task| *task)),
        other => panic!("not a row: {other:?}"),
    }
}

fn owner() -> Owner {
    Owner {
        worker_id: "worker_test".to_owned(),
        lease_ms: 30_000,
    }
}

fn scope(queues: &[&str], names: Option<&[&str]>) -> ClaimScope {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    ClaimScope {
        queues: owned(queues),
        names: names.map(owned),
        owner: owner(),
    }
}

fn claim(store: &SqliteStore, limit: i64) -> Vec<Task> {
    claim_in(store, scope(&["default"], None), limit)
}

fn claim_in(store: &SqliteStore, scope: ClaimScope, limit: i64) -> Vec<Task> {
    match run(store.execute(Command::Claim { scope, limit })) {
        Ok(Reply::Rows(rows)) => rows,
        other => panic!("not rows: {other:?}"),
    }
}

fn complete(id: &str) -> Command {
    Command::Settle {
        owner: owner(),
        task_id: id.to_owned(),
        outcome: Outcome::Complete {
            result: None,
            message: None,
        },
    }
}

fn code(error: &Error) -> &str {
    match error {
        Error::Database {
            code: Some(code), ..
        } => code,
        _ => "",
    }
}

/// Any work of a test, as a member of the writer's next group.
fn write<T: Send + 'static>(
    store: &SqliteStore,
    work: impl FnMut(&Tx<'_, '_>) -> Result<T> + Send + 'static,
) -> impl Future<Output = Result<T>> + Send + 'static {
    let (answer, written) = Answer::awaited();
    Inner::write(&store.inner, false, answer, work);
    written
}

/// The writer in the middle of a transaction, until let go: what is written meanwhile forms its next group.
struct Held {
    release: Sender<()>,
}

fn hold(store: &SqliteStore) -> Held {
    let (release, released): (Sender<()>, Receiver<()>) = channel();
    let (holding, held) = channel();
    let done = write(store, move |_| {
        let _ = holding.send(());
        let _ = released.recv_timeout(DEADLINE);
        Ok(())
    });
    runtime().spawn(done);
    held.recv_timeout(DEADLINE).expect("the writer is held");
    Held { release }
}

impl Held {
    fn release(self) {
        drop(self.release);
    }
}

fn count(connection: &Connection, sql: &str) -> i64 {
    connection
        .query_row(sql, [], |row| row.get(0))
        .expect("a count")
}

/// Resolves when the task has ended.
fn end_of(store: &SqliteStore, task_id: &str) -> tokio::sync::oneshot::Receiver<bool> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    store.wakes().when_done(task_id, move |end| {
        // The test may have seen enough.
        let _ = sender.send(matches!(end, End::Ended(_)));
    });
    receiver
}
