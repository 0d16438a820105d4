//! A claim session whose draws come one by one from outside, with the write lock held between them.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::claim::{self, Limits};
use super::queue::Job;
use super::read;
use super::transaction::Tx;
use crate::error::{Error, Result};
use crate::model::Task;
use crate::store::ClaimSession;
use crate::store::command::ClaimScope;

/// How long the lock is held for a caller that asks for nothing: everybody else's writes wait behind it.
const SILENCE: Duration = Duration::from_secs(5);

enum Ask {
    Draw {
        names: Vec<String>,
        limit: i64,
        reply: oneshot::Sender<Result<Vec<Task>>>,
    },
    Close {
        commit: bool,
        reply: oneshot::Sender<Result<()>>,
    },
}

/// The caller's end.
pub(super) struct Session {
    asks: Sender<Ask>,
}

/// The writer's end.
pub(super) struct Serve {
    scope: ClaimScope,
    asks: Receiver<Ask>,
    opened: Option<oneshot::Sender<Result<Session>>>,
    session: Option<Session>,
    closed: Option<oneshot::Sender<Result<()>>>,
}

/// A session to run on the writer; `opened` is told once the lock is held and recovery is done.
pub(super) fn serve(scope: ClaimScope, opened: oneshot::Sender<Result<Session>>) -> Box<dyn Job> {
    let (asks, receiver) = channel();
    Box::new(Serve {
        scope,
        asks: receiver,
        opened: Some(opened),
        session: Some(Session { asks }),
        closed: None,
    })
}

impl Serve {
    fn converse(&mut self, tx: &Tx<'_, '_>) -> Result<()> {
        claim::recover(tx)?;
        let level = read::level(tx)?;
        if let (Some(opened), Some(session)) = (self.opened.take(), self.session.take()) {
            // A caller that gave up drops its end; then the first receive below ends the session.
            let _ = opened.send(Ok(session));
        }
        loop {
            match self.asks.recv_timeout(SILENCE) {
                Ok(Ask::Draw {
                    names,
                    limit,
                    reply,
                }) => {
                    let names = self.scope.within(names);
                    let limits = Limits {
                        rows: usize::try_from(limit).unwrap_or(0),
                        bytes: None,
                        oversize_first: true,
                    };
                    let drawn = claim::draw(
                        tx,
                        level,
                        &self.scope.owner,
                        &self.scope.queues,
                        Some(&names),
                        &limits,
                    )
                    .and_then(|drawn| claim::whole_rows(tx, &drawn));
                    let failed = drawn.as_ref().err().cloned();
                    let _ = reply.send(drawn);
                    if let Some(error) = failed {
                        return Err(error);
                    }
                }
                Ok(Ask::Close { commit, reply }) => {
                    self.closed = Some(reply);
                    return if commit {
                        Ok(())
                    } else {
                        Err(Error::Invalid("the claim was rolled back".to_owned()))
                    };
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Error::Invalid(format!(
                        "the claim session made no draw for {} s and was rolled back",
                        SILENCE.as_secs()
                    )));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::Invalid("the claim session was dropped".to_owned()));
                }
            }
        }
    }
}

impl Job for Serve {
    fn run(&mut self, tx: &Tx<'_, '_>) -> Result<()> {
        self.converse(tx)
    }

    fn finish(mut self: Box<Self>, outcome: Result<()>) {
        if let Some(opened) = self.opened.take() {
            let failed = outcome
                .clone()
                .err()
                .unwrap_or_else(|| Error::Internal("a claim never opened".to_owned()));
            let _ = opened.send(Err(failed));
        }
        if let Some(closed) = self.closed.take() {
            let _ = closed.send(outcome);
        }
    }

    fn alone(&self) -> bool {
        true
    }
}

impl ClaimSession for Session {
    fn draw(&mut self, names: Vec<String>, limit: i64) -> BoxFuture<'static, Result<Vec<Task>>> {
        let (reply, answer) = oneshot::channel();
        let sent = self.asks.send(Ask::Draw {
            names,
            limit,
            reply,
        });
        Box::pin(async move {
            if sent.is_ok() {
                answer.await.unwrap_or_else(|_| Err(over()))
            } else {
                Err(over())
            }
        })
    }

    fn close(self: Box<Self>, commit: bool) -> BoxFuture<'static, Result<()>> {
        let (reply, answer) = oneshot::channel();
        let sent = self.asks.send(Ask::Close { commit, reply });
        Box::pin(async move {
            match if sent.is_ok() {
                answer.await.unwrap_or_else(|_| Err(over()))
            } else {
                Err(over())
            } {
                Err(Error::Invalid(_)) if !commit => Ok(()),
                outcome => outcome,
            }
        })
    }
}

fn over() -> Error {
    Error::Invalid("the claim session is over: its transaction was rolled back".to_owned())
}
