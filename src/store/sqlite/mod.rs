//! The `SQLite` store: a file on one host, shared by the processes that name it.
//!
//! rusqlite is the one way we talk to `SQLite`, hot and cold: its statements run on the thread that holds the
//! connection, where sqlx hands every one to a thread of its own (115 to 190 us against 17 to 25 measured).

mod alert;
mod awaited;
mod busy;
mod checkpoint;
mod choice;
mod claim;
mod errors;
mod execute;
mod faults;
mod files;
mod head;
mod hub;
mod inner;
mod insert;
mod inspect;
mod isolation;
mod jobs;
mod location;
mod manage;
mod migrate;
mod network;
mod open;
mod queue;
mod read;
mod readers;
mod reopen;
mod rows;
mod session;
mod set_back;
mod settle;
mod sorted;
mod statements;
mod submit;
mod transaction;
mod upkeep;
mod watch;
mod writeback;
mod writer;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Deserializer};
use tokio::sync::oneshot;

use super::answer::{Answer, gone};
use super::command::{ClaimScope, Command, NewTask, Owner, Reply};
use super::parts::Parts;
use super::round::{Round, RoundReply};
use super::submitted::Submitted;
use super::wakes::Wakes;
use super::{Backend, ClaimSession, Warning};
use crate::error::Result;
use crate::protocol::MigrateTo;
use inner::Inner;

/// Renewals per transaction: other writers get their turn between chunks.
const RENEWALS_PER_GROUP: usize = 500;

/// How a `SQLite` store behaves.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SqliteOptions {
    /// Milliseconds another process's write lock is waited for. Default 5000.
    #[serde(deserialize_with = "milliseconds")]
    pub busy_timeout_ms: u64,
    /// How far to migrate on opening. Default: to level 6.
    pub migrate: MigrateTo,
}

/// As JavaScript writes them: fractions are cut, and what is too long is as long as can be.
fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<u64, D::Error> {
    f64::deserialize(deserializer).map(|ms| crate::worker::options::whole(ms).max(0).unsigned_abs())
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            busy_timeout_ms: 5_000,
            migrate: MigrateTo::Default,
        }
    }
}

/// A store on a `SQLite` file, a `file:` URI or `:memory:`.
pub struct SqliteStore {
    inner: Arc<Inner>,
}

impl SqliteStore {
    /// A store on `target`. Nothing is opened yet.
    #[must_use]
    pub fn new(target: &str, options: SqliteOptions) -> Self {
        Self {
            inner: Arc::new(Inner::new(target, options)),
        }
    }
}

impl Backend for SqliteStore {
    fn connect(&self) -> BoxFuture<'static, Result<()>> {
        let (reply, opened) = oneshot::channel();
        self.inner
            .with_hub(move |hub| drop(reply.send(hub.map(drop))));
        Box::pin(async move { opened.await.unwrap_or_else(|_| Err(gone())) })
    }

    fn close(&self) -> BoxFuture<'static, Result<()>> {
        Box::pin(Arc::clone(&self.inner).close())
    }

    fn execute_for(&self, command: Command, answer: Answer<Reply>) {
        execute::execute(&self.inner, command, answer);
    }

    fn submit_for(&self, submits: Vec<(NewTask, Answer<Submitted>)>) {
        self.inner.submit(submits);
    }

    fn submit_many_for(self: Arc<Self>, parts: Parts, answer: Answer<Vec<Submitted>>) {
        self.inner.submit_many(parts, answer);
    }

    fn round_for(&self, round: Round, answer: Answer<RoundReply>) {
        self.inner.round(round, answer);
    }

    fn renew(
        &self,
        owner: Owner,
        ids: Vec<String>,
    ) -> BoxFuture<'static, Result<Vec<(String, bool)>>> {
        let chunks: Vec<_> = ids
            .chunks(RENEWALS_PER_GROUP)
            .map(|chunk| {
                let (owner, chunk) = (owner.clone(), chunk.to_vec());
                let (answer, renewed) = Answer::awaited();
                self.inner
                    .write(true, answer, move |tx| settle::renew(tx, &owner, &chunk));
                renewed
            })
            .collect();
        Box::pin(async move {
            let mut renewed = Vec::new();
            for chunk in chunks {
                renewed.extend(chunk.await?);
            }
            Ok(renewed)
        })
    }

    fn open_claim(
        &self,
        scope: ClaimScope,
    ) -> BoxFuture<'static, Result<Option<Box<dyn ClaimSession>>>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            let (queues, names) = (scope.queues.clone(), scope.names.clone());
            let (answer, due) = Answer::awaited();
            inner.read(answer, move |tx| {
                claim::probe(tx, &queues, names.as_deref())
            });
            if !due.await? {
                return Ok(None);
            }
            let (opened, session) = oneshot::channel();
            let patience = inner.patience();
            inner.with_hub(move |hub| match hub {
                Ok(hub) => hub.write(session::serve(scope, opened), patience, false),
                Err(error) => drop(opened.send(Err(error))),
            });
            let session = session.await.unwrap_or_else(|_| Err(gone()))?;
            Ok(Some(Box::new(session) as Box<dyn ClaimSession>))
        })
    }

    fn wakes(&self) -> &Arc<Wakes> {
        &self.inner.wakes
    }

    fn take_warnings(&self) -> Vec<Warning> {
        self.inner.take_warnings()
    }

    fn rounds_in_flight(&self) -> usize {
        1
    }
}

#[cfg(test)]
mod tests;
