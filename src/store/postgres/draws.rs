//! The claim of a round: as many draws as its planner asks for.

use std::sync::atomic::Ordering::Relaxed;

use super::answers::{Answers, settle_apart};
use super::attempts::{WhenLost, attempt};
use super::batch::{Batch, Item};
use super::claim::{self, Drawing, Limits};
use super::conn::Conn;
use super::errors::{Failure, Kind};
use super::open::Open;
use super::rounds::{Beside, Head, settle_after, statement};
use super::settle;
use crate::error::Result;
use crate::model::Status;
use crate::store::claimed::ClaimedTask;
use crate::store::command::Owner;
use crate::store::round::{ClaimPlan, Draw, Planner};

type Attempted<T> = std::result::Result<T, Failure>;

/// A round with a claim.
pub(super) async fn claiming(
    open: &Open,
    owner: &Owner,
    batch: &Batch,
    plan: ClaimPlan,
    answers: &mut Answers,
) -> (Box<dyn Planner>, Result<()>) {
    let ClaimPlan {
        queues,
        names,
        probe,
        mut planner,
    } = plan;
    if probe && batch.is_empty() {
        match look(open, &queues, &names).await {
            Ok(true) => {}
            Ok(false) => return (planner, Ok(())),
            Err(error) => return (planner, Err(error)),
        }
    }
    let outcome = draw_all(open, owner, batch, &queues, planner.as_mut(), answers).await;
    if outcome.is_err() {
        planner.restart();
    }
    (planner, outcome)
}

/// Whether anything is due, or any lease has run out.
async fn look(open: &Open, queues: &[String], names: &[String]) -> Result<bool> {
    let level = open.level();
    let found: Attempted<claim::Probe> = attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
        claim::probe(conn, queues, Some(names), level).await
    });
    let found = found.map_err(Failure::into_error)?;
    open.set_level(found.level);
    Ok(found.due || found.expired)
}

async fn draw_all(
    open: &Open,
    owner: &Owner,
    batch: &Batch,
    queues: &[String],
    planner: &mut dyn Planner,
    answers: &mut Answers,
) -> Result<()> {
    let together = open.many_draws.load(Relaxed);
    let outcome: Attempted<Drawn> = if together {
        attempt!(&open.pool, WhenLost::Report, |conn, _resent| {
            planner.restart();
            transaction(conn, open, owner, batch, queues, planner).await
        })
    } else {
        let first = next_drawing(open, queues, planner);
        let outcome: Attempted<_> = attempt!(&open.pool, WhenLost::Report, |conn, _resent| {
            let beside = first.as_ref().map_or(Beside::Recovery, Beside::Draw);
            statement(conn, owner, batch, beside).await
        });
        outcome.map(|(head, tasks)| Drawn {
            head,
            draws: usize::from(first.is_some()),
            tasks,
            first,
        })
    };
    match outcome {
        Ok(drawn) => {
            open.set_level(drawn.head.level);
            answers.take(open, owner, batch, &drawn.head.settled).await;
            for (id, status, queue) in &drawn.head.recovered {
                settle::announce(&open.wakes, id, *status, queue, 0);
            }
            if together {
                open.many_draws.store(drawn.draws > 1, Relaxed);
                return Ok(());
            }
            finish(open, owner, queues, planner, drawn).await
        }
        Err(failure) => {
            let kind = failure.kind();
            if kind == Kind::Value && !batch.is_empty() {
                settle_apart(open, owner, batch, answers).await;
                planner.restart();
                return Box::pin(draw_all(
                    open,
                    owner,
                    &Batch::default(),
                    queues,
                    planner,
                    answers,
                ))
                .await;
            }
            let error = failure.error();
            settle_after(open, owner, batch, &failure, answers).await;
            Err(error)
        }
    }
}

/// What the database gave, before the planner has seen the tasks of the first draw.
struct Drawn {
    head: Head,
    draws: usize,
    first: Option<Drawing>,
    tasks: Vec<ClaimedTask>,
}

/// Hands the first draw to the planner, and makes the draws it asks for beyond it.
async fn finish(
    open: &Open,
    owner: &Owner,
    queues: &[String],
    planner: &mut dyn Planner,
    drawn: Drawn,
) -> Result<()> {
    let Drawn {
        head,
        first,
        mut tasks,
        ..
    } = drawn;
    let Some(first) = first else { return Ok(()) };
    let missing = first.limit() - i64::try_from(tasks.len()).unwrap_or(i64::MAX);
    let requeued = head
        .recovered
        .iter()
        .any(|(_, status, _)| *status == Status::Queued);
    if requeued && missing > 0 && !first.is_bounded() {
        // The statement's draw did not see what its recovery gave back.
        let more = first.for_rows(missing);
        let drawn: Attempted<Vec<ClaimedTask>> = attempt!(
            &open.pool,
            WhenLost::Report,
            |conn, _resent| alone(conn, owner, &more).await
        );
        // What was drawn before stays ours; the next round comes back for the rest.
        tasks.extend(drawn.unwrap_or_default());
    }
    let held: Vec<String> = tasks.iter().map(|task| task.id.to_string()).collect();
    planner.record(tasks);
    let Some(next) = next_drawing(open, queues, planner) else {
        return Ok(());
    };
    open.many_draws.store(true, Relaxed);
    match draw_rest(open, owner, queues, planner, next).await {
        Ok(()) => Ok(()),
        Err(error) => {
            // The round failed, so nobody will run what its first statement has committed.
            let releases = Batch::sorted(held.into_iter().map(Item::release).collect());
            let _ = settle::settle(open, owner, &releases).await;
            Err(error)
        }
    }
}

async fn draw_rest(
    open: &Open,
    owner: &Owner,
    queues: &[String],
    planner: &mut dyn Planner,
    next: Drawing,
) -> Result<()> {
    // No second attempt: the planner cannot forget these draws without forgetting the first.
    let mut lease = open.pool.take().await?;
    let conn = lease.conn();
    let outcome = open
        .pool
        .watch(conn.backend_pid(), async {
            conn.begin().await?;
            let mut next = Some(next);
            while let Some(drawing) = next {
                planner.record(drawing.run_claimed(conn, owner).await?);
                next = next_drawing(open, queues, planner);
            }
            Ok(conn.leave().await?)
        })
        .await;
    match outcome {
        Ok(()) => lease.give_back(),
        Err(failure) => {
            lease.give_up(&failure).await;
            return Err(failure.into_error());
        }
    }
    Ok(())
}

/// All draws of a claim in one transaction.
async fn transaction(
    conn: &mut Conn,
    open: &Open,
    owner: &Owner,
    batch: &Batch,
    queues: &[String],
    planner: &mut dyn Planner,
) -> Attempted<Drawn> {
    conn.begin().await?;
    let mut draws = 0;
    let (head, _) = statement(conn, owner, batch, Beside::Recovery).await?;
    while let Some(drawing) = next_drawing(open, queues, planner) {
        draws += 1;
        planner.record(drawing.run_claimed(conn, owner).await?);
    }
    conn.leave().await?;
    Ok(Drawn {
        head,
        draws,
        first: None,
        tasks: Vec::new(),
    })
}

/// The planner's next draw that can match anything.
fn next_drawing(open: &Open, queues: &[String], planner: &mut dyn Planner) -> Option<Drawing> {
    loop {
        let Draw {
            names,
            limit,
            max_bytes,
            oversize_first,
        } = planner.next_draw()?;
        let limits = Limits {
            rows: i64::from(limit),
            bytes: max_bytes,
            oversize_first,
        };
        if let Some(drawing) = Drawing::new(queues, Some(&names), limits, open.level()) {
            return Some(drawing);
        }
        planner.record(Vec::new());
    }
}

async fn alone(conn: &mut Conn, owner: &Owner, drawing: &Drawing) -> Attempted<Vec<ClaimedTask>> {
    conn.enter().await?;
    let tasks = drawing.run_claimed(conn, owner).await?;
    conn.leave().await?;
    Ok(tasks)
}
