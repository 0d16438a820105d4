//! Bringing the database to the level this SDK works with.

use std::collections::HashSet;

use sqlx::Row as _;

use super::conn::Conn;
use super::errors::Failure;
use crate::error::Error;
use crate::protocol::postgres as sql;
use crate::protocol::{MigrateTo, Migration, PROTOCOL_VERSION};

/// Tries at creating the schema or the ledger: processes that do it at one moment can collide in the system catalog.
const CREATE_TRIES: u32 = 5;

/// What is there already.
struct Found {
    meta: bool,
    ledger: bool,
    key_index: bool,
}

/// Migrates where something is missing. A database that lacks nothing is only read.
pub(super) async fn run(
    conn: &mut Conn,
    schema: Option<&str>,
    to: MigrateTo,
) -> Result<(), Failure> {
    if to == MigrateTo::Never {
        return only_look(conn).await;
    }
    if schema.is_some() {
        create(conn, schema, sql::SCHEMA_CREATE.as_str()).await?;
    }
    let found = find(conn).await?;
    if found.meta {
        check_version(conn).await?;
    }
    let wanted: Vec<&Migration> = sql::MIGRATIONS
        .iter()
        .filter(|migration| migration.level <= to.level())
        .collect();
    let applied = if found.ledger {
        names(conn).await?
    } else {
        HashSet::new()
    };
    if wanted
        .iter()
        .any(|migration| !applied.contains(migration.name))
    {
        if !found.ledger {
            create(conn, None, sql::LEDGER_CREATE.as_str()).await?;
        }
        for migration in wanted
            .iter()
            .filter(|migration| !applied.contains(migration.name))
        {
            apply(conn, schema, migration).await?;
        }
        check_version(conn).await?;
    }
    if !found.key_index {
        make_key_index(conn).await?;
    }
    Ok(())
}

/// Refuses a database that would have to be changed before it could be used.
async fn only_look(conn: &mut Conn) -> Result<(), Failure> {
    if !find(conn).await?.meta {
        return Err(Error::no_tables("the database").into());
    }
    check_version(conn).await
}

async fn find(conn: &mut Conn) -> Result<Found, Failure> {
    conn.enter().await?;
    let row = conn
        .query(sql::RELATIONS.as_str())
        .persistent(false)
        .fetch_one(conn.driver())
        .await?;
    conn.leave().await?;
    Ok(Found {
        meta: row.try_get(0)?,
        ledger: row.try_get(1)?,
        key_index: row.try_get(2)?,
    })
}

/// The names in the ledger.
async fn names(conn: &mut Conn) -> Result<HashSet<String>, Failure> {
    conn.enter().await?;
    let names = names_in_transaction(conn).await?;
    conn.leave().await?;
    Ok(names)
}

async fn names_in_transaction(conn: &mut Conn) -> Result<HashSet<String>, Failure> {
    let rows = conn
        .query(sql::LEDGER_NAMES.as_str())
        .persistent(false)
        .fetch_all(conn.driver())
        .await?;
    Ok(rows
        .iter()
        .map(|row| row.try_get(0))
        .collect::<sqlx::Result<_>>()?)
}

/// Refuses a database of another protocol.
pub(super) async fn check_version(conn: &mut Conn) -> Result<(), Failure> {
    let version = version(conn).await?;
    if version == PROTOCOL_VERSION.to_string() {
        return Ok(());
    }
    Err(Error::ProtocolVersionMismatch { version }.into())
}

/// The database's protocol version; `0` when nobody wrote one.
pub(super) async fn version(conn: &mut Conn) -> Result<String, Failure> {
    conn.enter().await?;
    let query = conn
        .query(sql::META.as_str())
        .persistent(false)
        .bind("protocol_version");
    let row = query.fetch_optional(conn.driver()).await?;
    conn.leave().await?;
    Ok(match row {
        Some(row) => row.try_get(0)?,
        None => "0".to_owned(),
    })
}

/// Runs a script that creates something unless it exists; `schema` is what it finds as `cairnq.schema`.
async fn create(
    conn: &mut Conn,
    schema: Option<&str>,
    script: &'static str,
) -> Result<(), Failure> {
    for _ in 1..CREATE_TRIES {
        match create_once(conn, schema, script).await {
            Err(Failure::Sql(error)) if collided(&error) => conn.undo().await?,
            outcome => return outcome,
        }
    }
    create_once(conn, schema, script).await
}

async fn create_once(
    conn: &mut Conn,
    schema: Option<&str>,
    script: &'static str,
) -> Result<(), Failure> {
    conn.begin().await?;
    if let Some(schema) = schema {
        name_schema(conn, schema).await?;
    }
    conn.script(script).await?;
    Ok(conn.leave().await?)
}

/// Tells the scripts of this transaction which schema is ours.
async fn name_schema(conn: &mut Conn, schema: &str) -> Result<(), Failure> {
    conn.query(sql::SCHEMA_NAME.as_str())
        .bind(schema)
        .fetch_one(conn.driver())
        .await?;
    Ok(())
}

/// "if not exists" looks before it leaps: what appears in between is a duplicate key in the catalog.
fn collided(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code)
        .is_some_and(|code| matches!(&*code, "23505" | "42P06" | "42P07" | "42710"))
}

/// Checks and applies one migration under the ledger's lock, so that it happens once however many processes start.
async fn apply(
    conn: &mut Conn,
    schema: Option<&str>,
    migration: &Migration,
) -> Result<(), Failure> {
    conn.begin().await?;
    conn.script(sql::LEDGER_LOCK.as_str()).await?;
    if !names_in_transaction(conn).await?.contains(migration.name) {
        conn.script(migration.sql).await?;
        if let (Some(schema), sql::NOTIFY_MIGRATION) = (schema, migration.name) {
            name_schema(conn, schema).await?;
            conn.script(sql::CHANNEL_PREFIX.as_str()).await?;
        }
        conn.query(sql::LEDGER_ADD.as_str())
            .persistent(false)
            .bind(migration.name)
            .execute(conn.driver())
            .await?;
        tracing::info!(migration = migration.name, "applied");
    }
    Ok(conn.leave().await?)
}

/// Our additive index. A role that may not create one, or a server that takes no writes, works without it: purge is then
/// slow where there are many keys, and nothing else.
async fn make_key_index(conn: &mut Conn) -> Result<(), Failure> {
    conn.begin().await?;
    conn.script(sql::LEDGER_LOCK.as_str()).await?;
    let made = conn.script(sql::KEY_TASK_INDEX.as_str()).await;
    match made {
        Ok(()) => Ok(conn.leave().await?),
        Err(error) if error.as_database_error().is_some() => {
            tracing::warn!(%error, "the index on cairnq_task_keys (task_id) could not be created");
            Ok(conn.undo().await?)
        }
        Err(error) => Err(error.into()),
    }
}
