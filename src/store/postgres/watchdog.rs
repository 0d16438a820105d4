//! Telling a slow statement from a dead connection.
//!
//! A network that swallows packets looks like a server that is busy. Nothing in the protocol tells them apart, and no fixed
//! deadline is right: behind somebody's table lock a statement may rightly take minutes. So the server is asked, over
//! another connection, whether it still works on the statement.

use std::future::Future;
use std::time::Duration;

use sqlx::Row as _;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};

use super::conn::Conn;
use super::connect::Connector;
use super::errors::Failure;
use crate::protocol::postgres as sql;

/// How long a statement goes unquestioned.
const FIRST_QUESTION: Duration = Duration::from_secs(5);

/// Between two questions about one statement.
const NEXT_QUESTION: Duration = Duration::from_secs(2);

/// How long the answer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bad answers in a row that make a connection dead: one may fall between two statements of a transaction.
const BAD_ANSWERS: u32 = 3;

/// Behind a pooler the server process is not ours to ask about; a statement this old is given up.
const POOLER_LIMIT: Duration = Duration::from_mins(2);

/// The connection that asks. It is made with the first question.
#[derive(Default)]
pub(super) struct Watchdog {
    asking: Mutex<Option<Conn>>,
}

impl Watchdog {
    /// Runs `work` on the connection of `backend_pid` until it ends or the connection is found dead. The connection must
    /// then not be used again: `work` was cut off in the middle.
    pub(super) async fn watch<T>(
        &self,
        connector: &Connector,
        backend_pid: i32,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let began = Instant::now();
        tokio::select! {
            biased;
            outcome = work => outcome,
            () = self.until_dead(connector, backend_pid, began) => Err(Failure::Unanswered(began.elapsed())),
        }
    }

    async fn until_dead(&self, connector: &Connector, backend_pid: i32, began: Instant) {
        sleep(FIRST_QUESTION).await;
        let mut bad = 0;
        loop {
            let works = self.works(connector, backend_pid).await;
            bad = if works { 0 } else { bad + 1 };
            let given_up = connector.is_pooler() && began.elapsed() > POOLER_LIMIT;
            if bad >= BAD_ANSWERS || given_up {
                tracing::warn!(backend_pid, "a connection does not answer");
                return;
            }
            sleep(NEXT_QUESTION).await;
        }
    }

    /// Whether the server works on what that process was given. Behind a pooler: whether it can be reached.
    async fn works(&self, connector: &Connector, backend_pid: i32) -> bool {
        let mut asking = self.asking.lock().await;
        // Taken out of its place: a connection that is cut off in the middle must not be used again.
        let before = asking.take();
        let answer = async {
            let mut conn = match before {
                Some(conn) => conn,
                None => connector.connect().await.ok()?,
            };
            let works = state(&mut conn, backend_pid).await.ok()?;
            Some((conn, works))
        };
        match timeout(PATIENCE, answer).await {
            Ok(Some((conn, works))) => {
                *asking = Some(conn);
                works || connector.is_pooler()
            }
            Ok(None) | Err(_) => false,
        }
    }

    pub(super) async fn close(&self) {
        if let Some(conn) = self.asking.lock().await.take() {
            conn.close().await;
        }
    }
}

async fn state(conn: &mut Conn, backend_pid: i32) -> Result<bool, Failure> {
    conn.enter().await?;
    let row = conn
        .query(sql::BACKEND_WORKS.as_str())
        .bind(backend_pid)
        .fetch_one(conn.driver())
        .await?;
    conn.leave().await?;
    Ok(row.try_get(0)?)
}
