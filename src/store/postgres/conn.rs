//! One connection, and the little that transactions need.
//!
//! A connection is owned by whoever uses it and is never cancelled in the middle of a statement: the driver would leave it
//! inside a transaction. Behind a pooler everything, a single statement too, runs inside an explicit transaction, because
//! only that keeps the server's connection in place between the messages of one statement.

use std::sync::Arc;

use sqlx::postgres::{PgArguments, PgConnection, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Postgres, Row as _};

use crate::protocol::postgres as sql;

/// A connection and what is known about it.
pub(super) struct Conn {
    pg: PgConnection,
    pooler: bool,
    schema: Option<String>,
    backend_pid: i32,
    in_transaction: bool,
}

impl Conn {
    pub(super) fn new(pg: PgConnection, pooler: bool, schema: Option<String>) -> Self {
        Self {
            pg,
            pooler,
            schema,
            backend_pid: 0,
            in_transaction: false,
        }
    }

    /// Applies the session's settings; whether the server refuses writes.
    pub(super) async fn settle_in(&mut self) -> sqlx::Result<bool> {
        self.in_transaction = self.pooler;
        if self.pooler {
            self.pg.execute(sql::BEGIN).await?;
        }
        let row = self.apply_settings().await?;
        self.backend_pid = row.try_get(8)?;
        let read_only: bool = row.try_get::<bool, _>(9)? || row.try_get::<bool, _>(10)?;
        self.leave().await?;
        Ok(read_only)
    }

    async fn apply_settings(&mut self) -> sqlx::Result<PgRow> {
        let query = sqlx::query(sql::SETTINGS.as_str())
            .bind(self.schema.clone())
            .bind(self.pooler);
        query.persistent(false).fetch_one(&mut self.pg).await
    }

    /// The server process behind the connection.
    pub(super) fn backend_pid(&self) -> i32 {
        self.backend_pid
    }

    /// Whether a transaction is open.
    pub(super) fn is_in_transaction(&self) -> bool {
        self.in_transaction
    }

    /// Opens a transaction.
    pub(super) async fn begin(&mut self) -> sqlx::Result<()> {
        // Set first: a begin whose answer is lost must be undone too.
        self.in_transaction = true;
        self.pg.execute(sql::BEGIN).await?;
        if self.pooler {
            self.apply_settings().await?;
        }
        Ok(())
    }

    /// Prepares for one statement that is its own transaction.
    pub(super) async fn enter(&mut self) -> sqlx::Result<()> {
        if self.pooler {
            self.begin().await
        } else {
            Ok(())
        }
    }

    /// Commits whatever transaction is open.
    pub(super) async fn leave(&mut self) -> sqlx::Result<()> {
        if self.in_transaction {
            crash_point!("before-commit");
            self.pg.execute(sql::COMMIT).await?;
            self.in_transaction = false;
        }
        crash_point!("after-commit");
        Ok(())
    }

    /// Undoes whatever transaction is open.
    pub(super) async fn undo(&mut self) -> sqlx::Result<()> {
        if self.in_transaction {
            self.pg.execute(sql::ROLLBACK).await?;
            self.in_transaction = false;
        }
        Ok(())
    }

    /// A query with one of the fixed texts.
    pub(super) fn query(&self, text: &'static str) -> Query<'static, Postgres, PgArguments> {
        sqlx::query(text).persistent(!self.pooler)
    }

    /// A query with a text built by `protocol::postgres` and kept there.
    pub(super) fn query_shared(&self, text: Arc<str>) -> Query<'static, Postgres, PgArguments> {
        sqlx::query::<Postgres>(AssertSqlSafe(text)).persistent(!self.pooler)
    }

    /// A query with a text built by `protocol::postgres` for this call, so not worth keeping.
    pub(super) fn query_once(text: String) -> Query<'static, Postgres, PgArguments> {
        sqlx::query::<Postgres>(AssertSqlSafe(text)).persistent(false)
    }

    /// The driver's connection, to run a query on.
    pub(super) fn driver(&mut self) -> &mut PgConnection {
        &mut self.pg
    }

    /// Runs a text of several statements.
    pub(super) async fn script(&mut self, text: &'static str) -> sqlx::Result<()> {
        self.pg.execute(sqlx::raw_sql(text)).await.map(|_| ())
    }

    /// Says good-bye to the server.
    pub(super) async fn close(self) {
        // The connection is given up either way.
        let _ = self.pg.close().await;
    }
}
