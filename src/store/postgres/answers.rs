//! What a round answers, gathered as its parts come in.

use std::collections::HashMap;

use super::batch::{Batch, Item};
use super::open::Open;
use super::settle::{self, Changed};
use crate::error::{Error, Result};
use crate::model::{Status, Task};
use crate::store::command::Owner;
use crate::store::round::{Planner, RoundReply, Settled};

/// The answers gathered so far, one place per settlement.
pub(super) struct Answers {
    pub(super) settled: Vec<Option<Result<Settled>>>,
    pub(super) released: Result<()>,
}

impl Answers {
    pub(super) fn into_reply(self, claimed: Option<(Box<dyn Planner>, Result<()>)>) -> RoundReply {
        // A settlement left without an answer shared its task with an earlier one of the same round.
        let settled = self
            .settled
            .into_iter()
            .map(|answer| answer.unwrap_or(Ok(Settled::Lost)))
            .collect();
        RoundReply {
            settled,
            released: self.released,
            claimed,
        }
    }

    pub(super) fn fail(&mut self, batch: &Batch, error: &Error) {
        for item in &batch.items {
            match item.slot {
                Some(slot) => self.settled[slot] = Some(Err(error.clone())),
                None => self.released = Err(error.clone()),
            }
        }
    }

    /// Takes what a round's statement wrote, and looks after the outcomes that found no lease.
    pub(super) async fn take(
        &mut self,
        open: &Open,
        owner: &Owner,
        batch: &Batch,
        settled: &[Changed],
    ) {
        let items = batch.by_id();
        let mut written: HashMap<&str, Status> = HashMap::new();
        for (id, status, queue) in settled {
            let delay_ms = items.get(id.as_str()).map_or(0, |item| item.delay_ms);
            settle::announce(&open.wakes, id, *status, queue, delay_ms);
            written.insert(id, *status);
        }
        let mut lost = Batch::default();
        for item in &batch.items {
            let Some(slot) = item.slot else { continue };
            match written.get(item.id.as_str()) {
                Some(&status) => self.settled[slot] = Some(Ok(Settled::Written(status, None))),
                None => lost.items.push(item.clone()),
            }
        }
        if lost.is_empty() {
            return;
        }
        let found = settle::already_written(open, owner, &lost).await;
        for item in &lost.items {
            let Some(slot) = item.slot else { continue };
            self.settled[slot] = Some(match &found {
                Ok(rows) => match rows.get(&item.id) {
                    Some(task) => Ok(Settled::Written(task.status, None)),
                    None => Ok(Settled::Lost),
                },
                Err(error) => Err(error.clone()),
            });
        }
    }
}

/// Settles apart from the claim, each outcome answered for itself.
pub(super) async fn settle_apart(open: &Open, owner: &Owner, batch: &Batch, answers: &mut Answers) {
    let results = settle::settle(open, owner, batch).await;
    let mut lost = Batch::default();
    for (item, answer) in batch.items.iter().zip(results) {
        let answer = match answer {
            Ok(Some(task)) => Ok(written(item, task)),
            Ok(None) => {
                lost.items.push(item.clone());
                Ok(Settled::Lost)
            }
            Err(error) => Err(error),
        };
        match item.slot {
            Some(slot) => answers.settled[slot] = Some(answer),
            None => answers.released = answer.map(|_| ()),
        }
    }
    if lost.is_empty() {
        return;
    }
    if let Ok(mut rows) = settle::already_written(open, owner, &lost).await {
        for item in &lost.items {
            if let (Some(slot), Some(task)) = (item.slot, rows.remove(&item.id)) {
                answers.settled[slot] = Some(Ok(written(item, task)));
            }
        }
    }
}

fn written(item: &Item, task: Task) -> Settled {
    Settled::Written(task.status, item.want_row.then(|| Box::new(task)))
}
