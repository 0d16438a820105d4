//! Bringing a database to its level: the ledger, each migration under one write lock, the protocol check.

use rusqlite::{Connection, params};

use super::errors;
use crate::clock::now_ms;
use crate::error::{Error, Result};
use crate::protocol::{self, MigrateTo, Migration, sqlite as sql};

/// Refuses a database of another protocol. A database without our tables is no other protocol.
pub(super) fn check_protocol(connection: &Connection, path: &str) -> Result<()> {
    let check = || -> rusqlite::Result<Option<String>> {
        if !exists(connection, "table", "cairnq_meta")? {
            return Ok(None);
        }
        let mut statement = connection.prepare(sql::PROTOCOL_VERSION)?;
        let mut rows = statement.query([])?;
        let version = rows
            .next()?
            .map(|row| row.get::<_, String>(0))
            .transpose()?;
        Ok(Some(version.unwrap_or_else(|| "0".to_owned())))
    };
    match check().map_err(|error| errors::database(path, &error))? {
        Some(version) if version != protocol::PROTOCOL_VERSION.to_string() => {
            Err(Error::ProtocolVersionMismatch { version })
        }
        _ => Ok(()),
    }
}

/// Applies what the ledger lacks. An up-to-date database is only read.
pub(super) fn migrate(connection: &Connection, path: &str, to: MigrateTo) -> Result<()> {
    let fail = |error: rusqlite::Error| errors::database(path, &error);
    let wanted = sql::MIGRATIONS
        .iter()
        .filter(|migration| migration.level <= to.level());
    let missing: Vec<&Migration> = {
        let applied = applied(connection).map_err(fail)?;
        wanted
            .filter(|migration| !applied.iter().any(|name| name == migration.name))
            .collect()
    };
    for migration in missing {
        under_write_lock(connection, || apply(connection, migration)).map_err(fail)?;
    }
    if !exists(connection, "index", "cairnq_task_keys_task_id_idx").map_err(fail)? {
        under_write_lock(connection, || connection.execute_batch(sql::KEY_TASK_INDEX))
            .map_err(fail)?;
    }
    Ok(())
}

/// Applies one migration unless another process did while we waited for the lock.
fn apply(connection: &Connection, migration: &Migration) -> rusqlite::Result<()> {
    connection.execute_batch(sql::LEDGER_CREATE)?;
    if applied(connection)?
        .iter()
        .any(|name| name == migration.name)
    {
        return Ok(());
    }
    connection.execute_batch(migration.sql)?;
    connection.execute(sql::LEDGER_ADD, params![migration.name, now_ms()])?;
    tracing::info!(migration = migration.name, "applied");
    Ok(())
}

fn under_write_lock(
    connection: &Connection,
    work: impl FnOnce() -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    connection.execute_batch(sql::BEGIN)?;
    let outcome = work().and_then(|()| connection.execute_batch(sql::COMMIT));
    if outcome.is_err() && !connection.is_autocommit() {
        connection.execute_batch(sql::ROLLBACK)?;
    }
    outcome
}

fn applied(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    if !exists(connection, "table", "cairnq_migrations")? {
        return Ok(Vec::new());
    }
    connection
        .prepare(sql::LEDGER_NAMES)?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// Whether the database is one of ours.
pub(super) fn has_tables(connection: &Connection) -> rusqlite::Result<bool> {
    exists(connection, "table", "cairnq_tasks")
}

fn exists(connection: &Connection, kind: &str, name: &str) -> rusqlite::Result<bool> {
    connection.query_row(sql::TABLE_EXISTS, params![kind, name], |row| row.get(0))
}
