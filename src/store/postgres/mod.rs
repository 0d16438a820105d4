//! Tasks in Postgres, for as many hosts as there are.
//!
//! Architecture invariant: every operation runs in a task of its own that nobody cancels, because a connection dropped in
//! the middle of a statement may be inside a transaction.

mod answers;
mod attempts;
mod backends;
mod batch;
mod batcher;
mod claim;
mod claim_session;
mod conn;
mod connect;
mod draws;
mod dsn;
mod errors;
mod inspect;
mod json;
mod lifetime;
mod listen;
mod migrate;
mod open;
mod options;
mod pool;
mod queries;
mod renewals;
mod rounds;
mod rows;
mod settle;
mod submit;
mod tls;
mod watchdog;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use futures_util::future::BoxFuture;

pub use options::PostgresOptions;

use crate::error::{Error, Result};
use crate::runtime::{guarded, runtime};
use crate::store::answer::Answer;
use crate::store::command::{ClaimScope, Command, NewTask, Outcome, Owner, Reply};
use crate::store::round::{Round, RoundReply};
use crate::store::submitted::{Submitted, row_told, told_by_row};
use crate::store::wakes::Wakes;
use crate::store::{Backend, ClaimSession};
use attempts::{WhenLost, attempt};
use connect::Connector;
use errors::Failure;
use lifetime::{Blueprint, Current, Session};
use open::Open;
use queries::Change;

/// Rounds of one worker under way at once: while one waits for its commit, the next is on its way.
const ROUNDS_IN_FLIGHT: usize = 2;

/// A store on a Postgres database.
pub struct PostgresStore {
    blueprint: Arc<Blueprint>,
    current: Current,
    /// Whether anybody has asked for the announcements: only then is there a connection that listens.
    heard: Arc<AtomicBool>,
}

impl PostgresStore {
    /// A store that connects with its first use. `dsn` is a URL, a libpq `key=value` string, or empty for the `PG*`
    /// variables alone.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a DSN or an option that cannot be meant; it never repeats the DSN.
    pub fn new(dsn: &str, options: PostgresOptions) -> Result<Arc<Self>> {
        let options = options.checked()?;
        let connector = Arc::new(Connector::new(dsn, &options)?);
        Ok(Arc::new(Self {
            blueprint: Arc::new(Blueprint {
                connector,
                wakes: Wakes::of_database((dsn, &options.schema)),
                options,
            }),
            current: Current::default(),
            heard: Arc::default(),
        }))
    }

    /// Starts `work` on the open store at once, whether or not the answer is waited for.
    fn start<T, F>(
        &self,
        work: impl FnOnce(Arc<Open>) -> F + Send + 'static,
    ) -> BoxFuture<'static, Result<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send,
    {
        let (answer, done) = Answer::awaited();
        self.start_for(answer, work);
        done
    }

    fn start_for<T, F>(&self, answer: Answer<T>, work: impl FnOnce(Arc<Open>) -> F + Send + 'static)
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send,
    {
        let session = self.current.get(&self.blueprint);
        let under_way = session.enter();
        let opening = self.open(session);
        runtime().spawn(async move {
            let worked = async { work(opening.await?).await };
            let outcome = guarded("a Postgres operation", worked).await;
            drop(under_way);
            answer.give(outcome);
        });
    }

    fn open(
        &self,
        session: Arc<Session>,
    ) -> impl Future<Output = Result<Arc<Open>>> + Send + 'static {
        let heard = Arc::clone(&self.heard);
        async move {
            let open = session.open().await?;
            if heard.load(Relaxed) {
                open.listen();
            }
            Ok(open)
        }
    }
}

fn broken(error: &tokio::task::JoinError) -> Error {
    Error::Internal(format!("a Postgres operation ended early: {error}"))
}

impl Backend for PostgresStore {
    fn connect(&self) -> BoxFuture<'static, Result<()>> {
        self.start(|_open| async { Ok(()) })
    }

    fn close(&self) -> BoxFuture<'static, Result<()>> {
        let session = self.current.take();
        let task = runtime().spawn(async move {
            if let Some(session) = session {
                session.close().await;
            }
        });
        Box::pin(async move { task.await.map_err(|error| broken(&error)) })
    }

    fn execute_for(&self, command: Command, answer: Answer<Reply>) {
        match command {
            Command::Submit(new) if new.key().is_none() => {
                let answer = row_told(&new, answer);
                self.submit_for(vec![(*new, answer)]);
            }
            command => self.start_for(answer, |open| async move { execute(&open, command).await }),
        }
    }

    fn submit_for(&self, submits: Vec<(NewTask, Answer<Submitted>)>) {
        let session = self.current.get(&self.blueprint);
        for (new, answer) in submits {
            if new.key().is_some() {
                let answer = told_by_row(&new, answer);
                self.execute_for(Command::Submit(Box::new(new)), answer);
            } else if let Err(error) = submit::check(&new) {
                answer.give(Err(error));
            } else {
                // The count goes down when the insert is over.
                let under_way = session.enter();
                let answer = answer.from(move |submitted| {
                    drop(under_way);
                    Ok(submitted)
                });
                session.batcher().push(new, answer);
            }
        }
    }

    fn round_for(&self, round: Round, answer: Answer<RoundReply>) {
        let session = self.current.get(&self.blueprint);
        let under_way = session.enter();
        let opening = self.open(session);
        runtime().spawn(async move {
            let reply = match opening.await {
                Ok(open) => Ok(rounds::round(&open, round).await),
                Err(error) => Err(error),
            };
            drop(under_way);
            answer.give(reply);
        });
    }

    fn renew(
        &self,
        owner: Owner,
        ids: Vec<String>,
    ) -> BoxFuture<'static, Result<Vec<(String, bool)>>> {
        self.start(|open| async move { open.renewals.renew(owner, ids).await })
    }

    fn open_claim(
        &self,
        scope: ClaimScope,
    ) -> BoxFuture<'static, Result<Option<Box<dyn ClaimSession>>>> {
        // The session is under way for as long as the claim is open, not only until it has opened.
        let under_way = self.current.get(&self.blueprint).enter();
        self.start(|open| claim_session::open(open, scope, under_way))
    }

    fn wakes(&self) -> &Arc<Wakes> {
        // Hearing is a use like any other: whoever only listens does nothing else that would open the store. Why it
        // cannot open, or that it was closed meanwhile, is told to whatever uses it next.
        self.heard.store(true, Relaxed);
        drop(self.start(|_open| async { Ok(()) }));
        &self.blueprint.wakes
    }

    fn rounds_in_flight(&self) -> usize {
        ROUNDS_IN_FLIGHT
    }
}

async fn execute(open: &Open, command: Command) -> Result<Reply> {
    Ok(match command {
        Command::ProtocolVersion => Reply::Number(protocol_version(open).await?),
        Command::Submit(new) => {
            Reply::Row(submit_many(open, vec![*new]).await?.pop().map(Box::new))
        }
        Command::SubmitMany(tasks) => Reply::Rows(submit_many(open, tasks).await?),
        Command::WouldReuse { key, conflict } => {
            Reply::Bool(queries::would_reuse(open, key, conflict).await?)
        }
        Command::Get(target) => Reply::Row(queries::get(open, &target).await?.map(Box::new)),
        Command::GetStatus(target) => Reply::Status(queries::status(open, &target).await?),
        Command::List(filter) => Reply::Rows(queries::list(open, &filter).await?),
        Command::Cancel(target) => Reply::Row(
            queries::change(open, &target, Change::Cancel)
                .await?
                .map(Box::new),
        ),
        Command::Retry {
            target,
            reset_attempt,
        } => Reply::Row(
            queries::change(open, &target, Change::Retry { reset_attempt })
                .await?
                .map(Box::new),
        ),
        Command::Purge(filter) => Reply::Ids(queries::purge(open, &filter).await?),
        Command::Stats { queue } => Reply::Stats(queries::stats(open, queue.as_deref()).await?),
        Command::QueueDepth { queue, max_depth } => {
            Reply::Number(queries::queue_depth(open, &queue, max_depth).await?)
        }
        Command::Inspect(question) => inspect::answer(open, &question).await?,
        Command::Claim { scope, limit } => {
            Reply::Rows(claim_session::claim(open, &scope, limit).await?)
        }
        Command::Heartbeat { owner, task_id } => {
            Reply::row(queries::heartbeat(open, &owner, &task_id).await?)
        }
        Command::HeartbeatBatch { owner, task_ids } => {
            let renewed: std::result::Result<_, Failure> =
                attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
                    renewals::heartbeat_batch(conn, &owner, &task_ids).await
                });
            Reply::Renewed(renewed.map_err(Failure::into_error)?)
        }
        Command::Progress {
            owner,
            task_id,
            progress,
            message,
        } => Reply::row(
            queries::progress(open, &owner, &task_id, progress, message.as_deref()).await?,
        ),
        Command::Settle {
            owner,
            task_id,
            outcome,
        } => Reply::row(settle_one(open, &owner, task_id, outcome).await?),
    })
}

async fn settle_one(
    open: &Open,
    owner: &Owner,
    task_id: String,
    outcome: Outcome,
) -> Result<crate::model::Task> {
    if task_id.contains('\0') {
        return Err(Error::lost(&task_id));
    }
    settle::settle_one(open, owner, task_id, outcome).await
}

async fn submit_many(
    open: &Open,
    tasks: Vec<crate::store::command::NewTask>,
) -> Result<Vec<crate::model::Task>> {
    tasks.iter().try_for_each(submit::check)?;
    submit::submit_all(open, &tasks).await
}

async fn protocol_version(open: &Open) -> Result<i64> {
    let version: std::result::Result<String, Failure> =
        attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
            migrate::version(conn).await
        });
    let version = version.map_err(Failure::into_error)?;
    version
        .parse()
        .map_err(|_| Error::ProtocolVersionMismatch { version })
}
