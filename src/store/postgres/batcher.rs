//! Submits that wait at the same moment travel together: whatever came while the last statement was under way is the
//! next one. Nothing waits for company.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use super::errors::{Failure, Kind};
use super::lifetime::Session;
use super::open::Open;
use super::submit;
use crate::error::{Error, Result};
use crate::model::Task;
use crate::runtime::runtime;
use crate::store::command::NewTask;

/// One submit on its way.
struct Waiting {
    new: Box<NewTask>,
    reply: oneshot::Sender<Result<Task>>,
}

/// The way to the task that inserts.
pub(super) struct Batcher {
    inbox: mpsc::UnboundedSender<Waiting>,
}

impl Batcher {
    /// Ends when the batcher is dropped and everything accepted is written.
    pub(super) fn start(session: &Arc<Session>) -> Self {
        let (inbox, waiting) = mpsc::unbounded_channel();
        runtime().spawn(serve(Arc::downgrade(session), waiting));
        Self { inbox }
    }

    /// Enqueues a submit; the answer comes from the receiver.
    pub(super) fn push(&self, new: Box<NewTask>) -> oneshot::Receiver<Result<Task>> {
        let (reply, answer) = oneshot::channel();
        // When the inserting task is gone the receiver says so.
        let _ = self.inbox.send(Waiting { new, reply });
        answer
    }
}

async fn serve(session: std::sync::Weak<Session>, mut inbox: mpsc::UnboundedReceiver<Waiting>) {
    let mut held_back = None;
    loop {
        let first = match held_back.take() {
            Some(waiting) => waiting,
            None => match inbox.recv().await {
                Some(waiting) => waiting,
                None => return,
            },
        };
        let mut size = submit::bytes(&first.new);
        let mut batch = vec![first];
        while batch.len() < submit::MAX_ROWS {
            let Ok(waiting) = inbox.try_recv() else { break };
            size += submit::bytes(&waiting.new);
            if size > submit::MAX_BYTES {
                held_back = Some(waiting);
                break;
            }
            batch.push(waiting);
        }
        let open = match session.upgrade() {
            Some(session) => session.open().await,
            None => Err(Error::Invalid("the store was closed".to_owned())),
        };
        match open {
            Ok(open) => insert(&open, batch).await,
            Err(error) => answer_all(batch, &error),
        }
    }
}

async fn insert(open: &Open, batch: Vec<Waiting>) {
    let tasks: Vec<&NewTask> = batch.iter().map(|waiting| waiting.new.as_ref()).collect();
    match submit::insert_unkeyed(open, &tasks).await {
        Ok(rows) => {
            for (waiting, row) in batch.into_iter().zip(rows) {
                answer(waiting.reply, Ok(row));
            }
        }
        // One of them is at fault, or none of them went in: a statement is all or nothing.
        Err(failure) if batch.len() > 1 && matches!(failure.kind(), Kind::Value | Kind::Other) => {
            for waiting in batch {
                let alone = submit::insert_unkeyed(open, &[waiting.new.as_ref()]).await;
                answer(waiting.reply, one(alone));
            }
        }
        Err(failure) => {
            let error = failure.into_value_error();
            answer_all(batch, &error);
        }
    }
}

fn one(rows: std::result::Result<Vec<Task>, Failure>) -> Result<Task> {
    let row = rows.map_err(Failure::into_value_error)?.pop();
    row.ok_or_else(|| Error::Internal("an insert gave no row".to_owned()))
}

fn answer_all(batch: Vec<Waiting>, error: &Error) {
    for waiting in batch {
        answer(waiting.reply, Err(error.clone()));
    }
}

fn answer(reply: oneshot::Sender<Result<Task>>, outcome: Result<Task>) {
    // Whoever dropped the answer did not drop the task: it stays submitted.
    let _ = reply.send(outcome);
}
