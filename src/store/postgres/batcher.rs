//! Submits that wait at the same moment travel together: whatever came while the last statement was under way is the
//! next one. Nothing waits for company.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::batch::{Batch, Item};
use super::errors::{Failure, Kind};
use super::lifetime::Session;
use super::open::Open;
use super::{settle, submit};
use crate::error::{Error, Result};
use crate::model::{Status, Task};
use crate::runtime::runtime;
use crate::store::answer::Answer;
use crate::store::command::NewTask;
use crate::store::handoff::Place;
use crate::store::submitted::Submitted;

/// One submit on its way.
struct Waiting {
    new: NewTask,
    answer: Answer<Submitted>,
}

impl Waiting {
    fn answer(self, row: Result<Task>) {
        self.answer
            .give(row.map(|row| Submitted::of_row(&self.new.id, row)));
    }
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

    /// Enqueues a submit. When the inserting task is gone, its answer is dropped, and says so.
    pub(super) fn push(&self, new: NewTask, answer: Answer<Submitted>) {
        let _ = self.inbox.send(Waiting { new, answer });
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
    let tasks: Vec<&NewTask> = batch.iter().map(|waiting| &waiting.new).collect();
    // In company, what came first would be claimed after it.
    let place = match *tasks {
        [only] => open.wakes.place_for(only),
        _ => None,
    };
    let owner = place.as_ref().map(Place::owner);
    match submit::insert_unkeyed(open, &tasks, owner).await {
        Ok(rows) => {
            let claimed = place.and_then(|place| claimed_by(place, &rows));
            for (waiting, row) in batch.into_iter().zip(rows) {
                waiting.answer(Ok(row));
            }
            if let Some((place, task)) = claimed {
                place.fill(task.into());
            }
        }
        // One of them is at fault, or none of them went in: a statement is all or nothing.
        Err(failure) if batch.len() > 1 && matches!(failure.kind(), Kind::Value | Kind::Other) => {
            for waiting in batch {
                let alone = submit::insert_unkeyed(open, &[&waiting.new], None).await;
                waiting.answer(one(alone));
            }
        }
        Err(failure) => {
            let id = batch[0].new.id.to_string();
            let error = failure.into_value_error();
            answer_all(batch, &error);
            if let Some(place) = place {
                // It may have been written all the same, and nobody here will run it.
                let release = Batch::sorted(vec![Item::release(id)]);
                let _ = settle::settle(open, place.owner(), &release).await;
            }
        }
    }
}

/// The task in its place, unless somebody else has had it since: the statement may have been sent again.
fn claimed_by(place: Place, rows: &[Task]) -> Option<(Place, Task)> {
    let ours = |task: &&Task| {
        task.status == Status::Running
            && task.attempt == 1
            && task.worker_id.as_ref() == Some(&place.owner().worker_id)
    };
    let task = rows.first().filter(ours)?.clone();
    Some((place, task))
}

fn one(rows: std::result::Result<Vec<Task>, Failure>) -> Result<Task> {
    let row = rows.map_err(Failure::into_value_error)?.pop();
    row.ok_or_else(|| Error::Internal("an insert gave no row".to_owned()))
}

fn answer_all(batch: Vec<Waiting>, error: &Error) {
    for waiting in batch {
        waiting.answer(Err(error.clone()));
    }
}
