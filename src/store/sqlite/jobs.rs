//! The shapes in which operations travel to the writer: one closure and its answer, or a worker's round.

use super::claim::{self, Limits};
use super::queue::Job;
use super::read;
use super::settle;
use super::transaction::Tx;
use crate::error::{Error, Result};
use crate::store::answer::Answer;
use crate::store::round::{ClaimPlan, Round, RoundReply, Settled, Settlement};

/// One operation: a closure that may run again from the start, and whoever waits for its value.
pub(super) struct Write<T, F> {
    work: F,
    value: Option<T>,
    answer: Answer<T>,
}

impl<T, F> Write<T, F>
where
    T: Send + 'static,
    F: FnMut(&Tx<'_, '_>) -> Result<T> + Send + 'static,
{
    pub(super) fn boxed(work: F, answer: Answer<T>) -> Box<dyn Job> {
        Box::new(Self {
            work,
            value: None,
            answer,
        })
    }
}

impl<T, F> Job for Write<T, F>
where
    T: Send + 'static,
    F: FnMut(&Tx<'_, '_>) -> Result<T> + Send + 'static,
{
    fn run(&mut self, tx: &Tx<'_, '_>) -> Result<()> {
        self.value = Some((self.work)(tx)?);
        Ok(())
    }

    fn finish(self: Box<Self>, outcome: Result<()>) {
        let Self { value, answer, .. } = *self;
        let outcome = outcome
            .and_then(|()| value.ok_or_else(|| Error::Internal("a write gave no value".into())));
        answer.give(outcome);
    }
}

/// What a run does about the round's claim.
enum Claiming {
    /// It is tried with the rest.
    Tried,
    /// It failed, and with it the run.
    Failed(Error),
    /// It is left out, because it failed so in an earlier run.
    LeftOut(Error),
}

/// A worker's round in one transaction: what it settles frees what it claims.
pub(super) struct RoundJob {
    round: Round,
    settled: Vec<Result<Settled>>,
    released: Result<()>,
    claimed: Result<()>,
    claiming: Claiming,
    answer: Answer<RoundReply>,
}

impl RoundJob {
    pub(super) fn boxed(round: Round, answer: Answer<RoundReply>) -> Box<dyn Job> {
        Box::new(Self {
            round,
            settled: Vec::new(),
            released: Ok(()),
            claimed: Ok(()),
            claiming: Claiming::Tried,
            answer,
        })
    }

    fn reply(&mut self) -> RoundReply {
        let planner = self.round.claim.take().map(|plan| plan.planner);
        RoundReply {
            settled: std::mem::take(&mut self.settled),
            released: self.released.clone(),
            claimed: planner.map(|planner| (planner, self.claimed.clone())),
        }
    }

    /// Each part fails alone, except when the failure ends the transaction: then nothing more is done, because every
    /// further statement would commit by itself. A claim that fails fails the whole run, and the next leaves it out: behind
    /// a savepoint it would have every page copied that it touches, at every round.
    fn parts(&mut self, tx: &Tx<'_, '_>) -> Result<()> {
        if let Claiming::Failed(error) = &self.claiming {
            self.claiming = Claiming::LeftOut(error.clone());
        }
        let owner = &self.round.owner;
        self.settled.clear();
        for one in &self.round.settlements {
            let settled = settle_one(tx, &owner.worker_id, one);
            self.settled.push(unless_over(tx, settled)?);
        }
        if !self.round.releases.is_empty() {
            let released = tx.atomically(|| settle::release(tx, owner, &self.round.releases));
            self.released = unless_over(tx, released.map(drop))?;
        }
        if let Some(plan) = &mut self.round.claim {
            plan.planner.restart();
            if let Claiming::LeftOut(error) = &self.claiming {
                self.claimed = Err(error.clone());
            } else if let Err(error) = claim_all(tx, owner, plan) {
                plan.planner.restart();
                self.claiming = Claiming::Failed(error.clone());
                return Err(error);
            }
        }
        Ok(())
    }
}

fn unless_over<T>(tx: &Tx<'_, '_>, part: Result<T>) -> Result<Result<T>> {
    match part {
        Err(error) if tx.is_over() => Err(error),
        part => Ok(part),
    }
}

fn settle_one(tx: &Tx<'_, '_>, worker_id: &str, settlement: &Settlement) -> Result<Settled> {
    let settle = || settle::settle(tx, worker_id, &settlement.task_id, &settlement.outcome);
    if !settlement.want_row {
        let became = settle()?;
        return Ok(became.map_or(Settled::Lost, |status| Settled::Written(status, None)));
    }
    // Written but not readable must not look like failed.
    tx.atomically(|| {
        let Some(became) = settle()? else {
            return Ok(Settled::Lost);
        };
        let row = read::get(tx, &settlement.task_id)?;
        Ok(Settled::Written(became, row.map(Box::new)))
    })
}

fn claim_all(
    tx: &Tx<'_, '_>,
    owner: &crate::store::command::Owner,
    plan: &mut ClaimPlan,
) -> Result<()> {
    claim::recover(tx)?;
    let level = read::level(tx)?;
    while let Some(draw) = plan.planner.next_draw() {
        let (drawn, cut_short) = claim::draw(
            tx,
            level,
            owner,
            &plan.queues,
            Some(&draw.names),
            &Limits::from(&draw),
        )?;
        plan.planner
            .record(drawn.into_iter().map(|(_, task)| task).collect());
        if cut_short {
            plan.planner.cut_short();
        }
    }
    Ok(())
}

impl Job for RoundJob {
    fn finds_nothing(&self, tx: &Tx<'_, '_>) -> Result<bool> {
        let Round {
            settlements,
            releases,
            claim,
            ..
        } = &self.round;
        match claim {
            Some(plan) if plan.probe && settlements.is_empty() && releases.is_empty() => {
                Ok(!claim::probe(tx, &plan.queues, Some(&plan.names))?)
            }
            _ => Ok(false),
        }
    }

    fn run(&mut self, tx: &Tx<'_, '_>) -> Result<()> {
        self.parts(tx)
    }

    fn is_worth_repeating(&self) -> bool {
        matches!(self.claiming, Claiming::Failed(_))
    }

    fn finish(mut self: Box<Self>, outcome: Result<()>) {
        let reply = outcome.map(|()| self.reply());
        self.answer.give(reply);
    }
}
