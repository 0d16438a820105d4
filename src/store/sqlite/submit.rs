//! Inserting tasks, and what a key does about the task already under it.

use rusqlite::params;

use super::claim;
use super::insert;
use super::manage;
use super::queue::Job;
use super::read::{self, reuses};
use super::transaction::Tx;
use crate::error::{Error, Result};
use crate::model::Conflict;
use crate::protocol::sqlite as sql;
use crate::store::answer::Answer;
use crate::store::command::{NewTask, Owner, Target};
use crate::store::handoff::Place;
use crate::store::parts::Parts;
use crate::store::submitted::{Submitted, claimed_row};

/// A submit of its own. One that has the transaction for itself may find a place for its task, which is then claimed in
/// the same transaction.
pub(super) struct SubmitJob {
    new: NewTask,
    place: Option<Place>,
    submitted: Option<Submitted>,
    answer: Answer<Submitted>,
}

impl SubmitJob {
    pub(super) fn boxed(new: NewTask, answer: Answer<Submitted>) -> Box<dyn Job> {
        Box::new(Self {
            new,
            place: None,
            submitted: None,
            answer,
        })
    }
}

impl Job for SubmitJob {
    fn find_place(&mut self, find: &dyn Fn(&NewTask) -> Option<Place>) {
        self.place = find(&self.new);
    }

    fn run(&mut self, tx: &Tx<'_, '_>) -> Result<()> {
        let submitted = match &self.place {
            Some(place) => insert(tx, &self.new, Some(place.owner())),
            None => submit(tx, &self.new),
        };
        self.submitted = Some(submitted?);
        Ok(())
    }

    fn finish(self: Box<Self>, outcome: Result<()>) {
        let Self {
            new,
            place,
            submitted,
            answer,
        } = *self;
        let outcome = outcome.and_then(|()| {
            submitted.ok_or_else(|| Error::Internal("a submit led to no task".into()))
        });
        let claimed = place.zip(outcome.as_ref().ok().and_then(Submitted::times));
        answer.give(outcome);
        if let Some((place, times)) = claimed {
            let task = claimed_row(new, times, place.owner());
            place.fill(task.into());
        }
    }
}

/// The new task, or the existing one its key leads to.
pub(super) fn submit(tx: &Tx<'_, '_>, new: &NewTask) -> Result<Submitted> {
    match new.key() {
        None => insert(tx, new, None),
        Some(key) => keyed(tx, new, key),
    }
}

/// All of them or none. The first are written while the last are on their way: the one who hands them over only puts
/// texts together, and is done before this is.
pub(super) fn submit_many(tx: &Tx<'_, '_>, parts: &mut Parts) -> Result<Vec<Submitted>> {
    let mut submitted = Vec::new();
    loop {
        for new in &parts.so_far()[submitted.len()..] {
            submitted.push(submit(tx, new)?);
        }
        if !parts.wait()? {
            return Ok(submitted);
        }
    }
}

fn keyed(tx: &Tx<'_, '_>, new: &NewTask, key: &str) -> Result<Submitted> {
    if let Some(existing) = read::find(tx, &Target::Key(key.to_owned()))? {
        if new.args.conflict == Conflict::Reject {
            return Err(Error::AlreadyExists {
                key: key.to_owned(),
            });
        }
        if reuses(new.args.conflict, existing.status) {
            return Ok(Submitted::Existing(Box::new(existing)));
        }
        if !existing.status.is_terminal() {
            manage::cancel(tx, &existing.id)?;
        }
    }
    let inserted = insert(tx, new, None)?;
    tx.execute(sql::KEY_POINT, params![key, &*new.id, tx.now_ms])?;
    Ok(inserted)
}

/// The new task, claimed for `owner`; queued and announced where there is none.
fn insert(tx: &Tx<'_, '_>, new: &NewTask, owner: Option<&Owner>) -> Result<Submitted> {
    let run_at_ms = tx.now_ms.saturating_add(new.args.run_at_delay_ms);
    insert::row(tx, new, run_at_ms)?;
    match owner {
        Some(owner) => claim::take(tx, [tx.connection.last_insert_rowid()], owner)?,
        None => tx.announce_queued(&new.args.queue, run_at_ms),
    }
    Ok(Submitted::New {
        created_at_ms: tx.now_ms,
        run_at_ms,
    })
}
