//! An open store: its connections, and what it has learned about the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use sqlx::Row as _;

use super::attempts::{WhenLost, attempt};
use super::backends::Backends;
use super::claim;
use super::connect::Connector;
use super::errors::Failure;
use super::listen::{Channels, Listener};
use super::migrate;
use super::options::PostgresOptions;
use super::pool::Pool;
use super::renewals::Renewals;
use crate::error::Result;
use crate::protocol::postgres as sql;
use crate::store::wakes::Wakes;

/// Everything operations need.
pub(super) struct Open {
    pub(super) pool: Arc<Pool>,
    pub(super) wakes: Arc<Wakes>,
    pub(super) renewals: Renewals,
    /// The database's level, which another process may raise at any time: every claim and every probe reads it anew.
    level: AtomicU32,
    /// Whether the last claim made several draws, so that the next one had better start as a transaction.
    pub(super) many_draws: AtomicBool,
    listener: Listener,
}

impl Open {
    /// Connects, and brings the schema up to date.
    pub(super) async fn new(
        connector: Arc<Connector>,
        options: &PostgresOptions,
        wakes: Arc<Wakes>,
    ) -> Result<Arc<Self>> {
        let pool = Pool::new(
            Arc::clone(&connector),
            options.max(),
            Backends::beside(&wakes),
        );
        let to = options.migrate.unwrap_or_default();
        let schema = connector.schema().map(str::to_owned);
        let facts: std::result::Result<(u32, Channels), Failure> =
            attempt!(&pool, WhenLost::Resend, |conn, _resent| {
                async {
                    migrate::run(conn, schema.as_deref(), to).await?;
                    conn.enter().await?;
                    let level = conn
                        .query(sql::META.as_str())
                        .persistent(false)
                        .bind("schema_version");
                    let level = level.fetch_optional(conn.driver()).await?;
                    let prefix: String = conn
                        .query(sql::CHANNELS.as_str())
                        .persistent(false)
                        .fetch_one(conn.driver())
                        .await?
                        .try_get(0)?;
                    conn.leave().await?;
                    let level = match &level {
                        Some(row) => claim::level_of(row.try_get(0)?),
                        None => 0,
                    };
                    Ok::<_, Failure>((level, Channels::new(&prefix)))
                }
                .await
            });
        let (level, channels) = match facts {
            Ok(facts) => facts,
            Err(failure) => {
                pool.close().await;
                return Err(failure.into_error());
            }
        };
        Ok(Arc::new(Self {
            renewals: Renewals::new(Arc::clone(&connector)),
            listener: Listener::new(connector, Arc::clone(&pool), Arc::clone(&wakes), channels),
            pool,
            wakes,
            level: AtomicU32::new(level),
            many_draws: AtomicBool::new(false),
        }))
    }

    /// Starts hearing of other processes' commits.
    pub(super) fn listen(&self) {
        self.listener.start();
    }

    /// Closes every connection. Nothing may be under way.
    pub(super) async fn close(&self) {
        self.listener.stop().await;
        self.renewals.close().await;
        self.pool.close().await;
    }

    pub(super) fn level(&self) -> u32 {
        self.level.load(Relaxed)
    }

    pub(super) fn set_level(&self, level: u32) {
        self.level.store(level, Relaxed);
    }
}
