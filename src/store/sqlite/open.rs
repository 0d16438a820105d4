//! Opening connections: their settings, write-ahead logging, migrations, statistics.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::errors;
use super::location::Location;
use super::migrate;
use crate::error::{Error, Result};
use crate::protocol::{MigrateTo, sqlite as sql};

/// How long a database is tried that is locked and may not have write-ahead logging yet.
const WAL_PATIENCE: Duration = Duration::from_secs(5);
const WAL_RETRY: Duration = Duration::from_millis(10);

/// The longest wait `SQLite` can be told: 24 days.
const LONGEST_WAIT: Duration = Duration::from_millis(i32::MAX as u64);

/// A writing connection to a database that is made when missing.
pub(super) fn writer(
    location: &Location,
    busy_timeout: Duration,
    migrate_to: MigrateTo,
) -> Result<Connection> {
    if migrate_to == MigrateTo::Never {
        return untouched(location, busy_timeout);
    }
    if let Some(folder) = location.path().and_then(Path::parent) {
        fs::create_dir_all(folder).map_err(|error| Error::Database {
            code: Some("SQLITE_CANTOPEN".to_owned()),
            message: format!("cannot create the folder {}: {error}", folder.display()),
            passing: true,
        })?;
    }
    prepare(location.connect(true)?, location, busy_timeout, migrate_to)
}

/// A writing connection to a database that was open before: a file that is gone is not replaced by an empty one.
pub(super) fn writer_again(
    location: &Location,
    busy_timeout: Duration,
    changes: bool,
) -> Result<Connection> {
    if !changes {
        return untouched(location, busy_timeout);
    }
    let connection = location.connect(false)?;
    prepare(connection, location, busy_timeout, MigrateTo::Default)
}

/// A connection to a database as it is. Opening it makes nothing and changes nothing.
fn untouched(location: &Location, busy_timeout: Duration) -> Result<Connection> {
    if location
        .path()
        .is_some_and(|path| path.try_exists().is_ok_and(|exists| !exists))
    {
        return Err(errors::file(
            "SQLITE_CANTOPEN",
            "there is no such file",
            location.name(),
        ));
    }
    let connection = location.connect(false)?;
    let fail = |error: rusqlite::Error| errors::database(location.name(), &error);
    connection
        .busy_timeout(busy_timeout.min(LONGEST_WAIT))
        .and_then(|()| connection.execute_batch(sql::CONNECTION_SETTINGS))
        .map_err(fail)?;
    migrate::check_protocol(&connection, location.name())?;
    if !migrate::has_tables(&connection).map_err(fail)? {
        return Err(Error::no_tables(location.name()));
    }
    connection
        .execute_batch(sql::WRITER_SETTINGS)
        .map_err(fail)?;
    connection.busy_timeout(Duration::ZERO).map_err(fail)?;
    Ok(connection)
}

/// Makes the database ready to use: migrated, logged, with statistics.
fn prepare(
    connection: Connection,
    location: &Location,
    busy_timeout: Duration,
    migrate_to: MigrateTo,
) -> Result<Connection> {
    let fail = |error: rusqlite::Error| errors::database(location.name(), &error);
    take_into_use(&connection, location)?;
    connection
        .busy_timeout(busy_timeout.min(LONGEST_WAIT))
        .map_err(fail)?;
    migrate::migrate(&connection, location.name(), migrate_to)?;
    connection
        .execute_batch(sql::WRITER_SETTINGS)
        .map_err(fail)?;
    // From here on the writer does its own waiting, so that each caller's patience counts.
    connection.busy_timeout(Duration::ZERO).map_err(fail)?;
    take_statistics(&connection);
    Ok(connection)
}

/// A connection that reads beside the writer.
pub(super) fn reader(location: &Location, busy_timeout: Duration) -> Result<Connection> {
    let connection = location.connect(false)?;
    connection
        .busy_timeout(busy_timeout.min(LONGEST_WAIT))
        .and_then(|()| connection.execute_batch(sql::CONNECTION_SETTINGS))
        .and_then(|()| connection.execute_batch(sql::READER_SETTINGS))
        .map_err(|error| errors::database(location.name(), &error))?;
    Ok(connection)
}

/// Waits for the database to be ours to use: until it has write-ahead logging, another connection's lock keeps even
/// readers out, and the switch to it ignores the busy timeout.
fn take_into_use(connection: &Connection, location: &Location) -> Result<()> {
    let path = location.name();
    connection
        .busy_timeout(Duration::ZERO)
        .map_err(|error| errors::database(path, &error))?;
    let deadline = Instant::now() + WAL_PATIENCE;
    loop {
        match try_to_take(connection, location) {
            Ok(true) => return Ok(()),
            Err(error) if !errors::is_lock(&error) => return Err(error),
            _ if Instant::now() >= deadline => {
                return Err(Error::Database {
                    code: Some("SQLITE_BUSY".to_owned()),
                    message: "could not switch the database to WAL mode: it stayed locked by another connection"
                        .to_owned(),
                    passing: true,
                });
            }
            _ => std::thread::sleep(WAL_RETRY),
        }
    }
}

/// Whether the database is in use, with write-ahead logging unless it is in memory.
fn try_to_take(connection: &Connection, location: &Location) -> Result<bool> {
    let path = location.name();
    let fail = |error: rusqlite::Error| errors::database(path, &error);
    connection
        .execute_batch(sql::CONNECTION_SETTINGS)
        .map_err(fail)?;
    migrate::check_protocol(connection, path)?;
    if location.is_memory() {
        return Ok(true);
    }
    let is_wal = |sql: &str| {
        let mode = connection.query_row(sql, [], |row| row.get::<_, String>(0));
        mode.map(|mode| mode == "wal").map_err(fail)
    };
    Ok(is_wal(sql::JOURNAL_MODE)? || is_wal(sql::SET_WAL)?)
}

/// Takes statistics when there are none, unless another process is writing: our own statements are pinned to their
/// indexes, so this serves the peers and can wait.
pub(super) fn take_statistics(connection: &Connection) {
    let flag = |sql: &str, parameters: &[&str]| {
        connection
            .query_row(sql, rusqlite::params_from_iter(parameters), |row| {
                row.get::<_, bool>(0)
            })
            .unwrap_or(false)
    };
    let known =
        flag(sql::TABLE_EXISTS, &["table", "sqlite_stat1"]) && flag(sql::HAS_STATISTICS, &[]);
    if !known
        && flag(sql::ANY_TASK, &[])
        && let Err(error) = connection.execute_batch(sql::ANALYZE)
    {
        tracing::debug!(%error, "statistics were not taken");
    }
}
