//! A worker's round: outcomes down, tasks up, in one statement whenever one draw is all the claim asks for.

use super::answers::{Answers, settle_apart};
use super::attempts::{WhenLost, attempt};
use super::batch::Batch;
use super::claim::{self, Drawing};
use super::conn::Conn;
use super::draws;
use super::errors::{Failure, Kind};
use super::open::Open;
use super::settle::{self, Changed};
use crate::error::Error;
use crate::protocol::postgres::{self as sql, RoundShape};
use crate::store::claimed::ClaimedTask;
use crate::store::command::Owner;
use crate::store::round::{Round, RoundReply};

type Attempted<T> = std::result::Result<T, Failure>;

/// What a round's statement changed beside the tasks it drew.
pub(super) struct Head {
    pub(super) level: u32,
    pub(super) settled: Vec<Changed>,
    pub(super) recovered: Vec<Changed>,
}

/// Runs a round. Parts fail alone.
pub(super) async fn round(open: &Open, round: Round) -> RoundReply {
    let Round {
        owner,
        settlements,
        releases,
        claim,
    } = round;
    let mut answers = Answers {
        settled: settlements.iter().map(|_| None).collect(),
        released: Ok(()),
    };
    let (mut batch, refused) =
        Batch::of_round(settlements, releases, |id| open.wakes.is_awaited(id));
    for (slot, error) in refused {
        answers.settled[slot] = Some(Err(error));
    }
    if batch.wants_rows() {
        settle_apart(open, &owner, &batch, &mut answers).await;
        batch = Batch::default();
    }
    let Some(plan) = claim else {
        if !batch.is_empty() {
            settle_only(open, &owner, &batch, &mut answers).await;
        }
        return answers.into_reply(None);
    };
    let claimed = draws::claiming(open, &owner, &batch, plan, &mut answers).await;
    answers.into_reply(Some(claimed))
}

/// A round without a claim.
async fn settle_only(open: &Open, owner: &Owner, batch: &Batch, answers: &mut Answers) {
    let outcome: Attempted<_> = attempt!(&open.pool, WhenLost::Resend, |conn, _resent| statement(
        conn,
        owner,
        batch,
        Beside::Nothing
    )
    .await);
    match outcome {
        Ok((head, _)) => answers.take(open, owner, batch, &head.settled).await,
        Err(failure) => settle_after(open, owner, batch, &failure, answers).await,
    }
}

/// What becomes of the outcomes of a statement that failed: told apart where one of them may be the reason or the answer
/// is unknown, failed together where the database could not do it.
pub(super) async fn settle_after(
    open: &Open,
    owner: &Owner,
    batch: &Batch,
    failure: &Failure,
    answers: &mut Answers,
) {
    match failure.kind() {
        Kind::Value | Kind::Lost => settle_apart(open, owner, batch, answers).await,
        Kind::Conflict | Kind::Stale | Kind::Other => answers.fail(batch, &failure.error()),
    }
}

/// What a round's statement does beside writing its outcomes.
#[derive(Clone, Copy)]
pub(super) enum Beside<'a> {
    /// Nothing.
    Nothing,
    /// It recovers expired leases.
    Recovery,
    /// The same, and it draws.
    Draw(&'a Drawing),
}

/// The round's one statement. Its own transaction, unless one is open.
pub(super) async fn statement(
    conn: &mut Conn,
    owner: &Owner,
    batch: &Batch,
    beside: Beside<'_>,
) -> Attempted<(Head, Vec<ClaimedTask>)> {
    let alone = !conn.is_in_transaction();
    if alone {
        conn.enter().await?;
    }
    let drawing = match beside {
        Beside::Draw(drawing) => Some(drawing),
        Beside::Nothing | Beside::Recovery => None,
    };
    let shape = RoundShape {
        settles: !batch.is_empty(),
        recovers: !matches!(beside, Beside::Nothing),
        draw: drawing.map(Drawing::shape),
    };
    let mut query = conn.query_shared(sql::round(shape));
    if shape.settles {
        query = batch.bind(query);
    }
    query = query.bind(&owner.worker_id);
    if let Some(drawing) = drawing {
        query = drawing.bind(query, owner.lease_ms);
    }
    let rows = query.fetch_all(conn.driver()).await?;
    if alone {
        conn.leave().await?;
    }
    let Some((first, drawn)) = rows.split_first() else {
        return Err(Error::Internal("a round answers with one row at least".to_owned()).into());
    };
    let head = Head {
        level: claim::level_of(sqlx::Row::try_get(first, 0)?),
        settled: settle::changed(first, 1)?,
        recovered: settle::changed(first, 4)?,
    };
    Ok((head, claim::claimed(drawn, sql::ROUND_HEAD_COLUMNS)?))
}
