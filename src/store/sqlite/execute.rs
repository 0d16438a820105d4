//! Which part of the store carries out which command.

use std::sync::Arc;

use super::claim::{self, Limits};
use super::{Inner, inspect, manage, read, settle};
use crate::protocol::PROTOCOL_VERSION;
use crate::store::answer::Answer;
use crate::store::command::{Command, Reply};
use crate::store::submitted::{row_told, rows_told};

/// Enqueues `command` for `answer`.
pub(super) fn execute(store: &Arc<Inner>, command: Command, answer: Answer<Reply>) {
    match command {
        Command::ProtocolVersion => store.read(answer, |_| Ok(Reply::Number(PROTOCOL_VERSION))),
        Command::Submit(new) => {
            let answer = row_told(&new, answer);
            store.submit(vec![(*new, answer)]);
        }
        Command::SubmitMany(tasks) => {
            let answer = rows_told(&tasks, answer);
            store.submit_many(tasks.into(), answer);
        }
        Command::WouldReuse { key, conflict } => store.read(answer, move |tx| {
            read::would_reuse(tx, &key, conflict).map(Reply::Bool)
        }),
        Command::Get(target) => store.read(answer, move |tx| {
            Ok(Reply::Row(read::find(tx, &target)?.map(Box::new)))
        }),
        Command::GetStatus(target) => store.read(answer, move |tx| {
            read::status(tx, &target).map(Reply::Status)
        }),
        Command::List(filter) => {
            store.read(answer, move |tx| read::list(tx, &filter).map(Reply::Rows));
        }
        Command::Cancel(target) => store.write(false, answer, move |tx| {
            Ok(Reply::Row(
                manage::cancel_target(tx, &target)?.map(Box::new),
            ))
        }),
        Command::Retry {
            target,
            reset_attempt,
        } => store.write(false, answer, move |tx| {
            Ok(Reply::Row(
                manage::retry(tx, &target, reset_attempt)?.map(Box::new),
            ))
        }),
        Command::Purge(filter) => store.write(false, answer, move |tx| {
            manage::purge(tx, &filter).map(Reply::Ids)
        }),
        Command::Stats { queue } => store.read(answer, move |tx| {
            read::stats(tx, queue.as_deref()).map(Reply::Stats)
        }),
        Command::QueueDepth { queue, max_depth } => store.read(answer, move |tx| {
            read::headroom(tx, &queue, max_depth).map(Reply::Number)
        }),
        Command::Inspect(question) => store.read(answer, move |tx| inspect::answer(tx, &question)),
        Command::Claim { scope, limit } => store.write(false, answer, move |tx| {
            tx.atomically(|| {
                claim::recover(tx)?;
                let limits = Limits {
                    rows: usize::try_from(limit).unwrap_or(0),
                    bytes: None,
                    oversize_first: true,
                };
                let level = read::level(tx)?;
                let names = scope.names.as_deref();
                let drawn = claim::draw(tx, level, &scope.owner, &scope.queues, names, &limits)?;
                claim::whole_rows(tx, &drawn).map(Reply::Rows)
            })
        }),
        Command::Heartbeat { owner, task_id } => store.write(true, answer, move |tx| {
            let ours = !settle::renew(tx, &owner, std::slice::from_ref(&task_id))?.is_empty();
            settle::owned_row(tx, &task_id, ours).map(Reply::row)
        }),
        Command::HeartbeatBatch { owner, task_ids } => store.write(true, answer, move |tx| {
            settle::renew(tx, &owner, &task_ids).map(Reply::Renewed)
        }),
        Command::Progress {
            owner,
            task_id,
            progress,
            message,
        } => store.write(false, answer, move |tx| {
            let ours = settle::progress(tx, &owner, &task_id, progress, message.as_deref())?;
            settle::owned_row(tx, &task_id, ours).map(Reply::row)
        }),
        Command::Settle {
            owner,
            task_id,
            outcome,
        } => store.write(false, answer, move |tx| {
            let ours =
                settle::settle(tx, &owner.worker_id, &task_id.as_str().into(), &outcome)?.is_some();
            settle::owned_row(tx, &task_id, ours).map(Reply::row)
        }),
    }
}
