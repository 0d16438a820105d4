//! Which rows a draw takes: one cursor per queue and name, merged in claim order, so that neither a backlog of other
//! names nor a second queue is ever sorted or scanned.

use rusqlite::params;

use super::claim::Limits;
use super::head::Head;
use super::sorted::Scope;
use super::statements::Kind;
use super::transaction::Tx;
use crate::protocol::DUE_ORDER_LEVEL;
use crate::store::claimed::ClaimedTask;

/// Rows with their rowids, and whether the byte bound ended the choice.
pub(super) type Chosen = (Vec<(i64, ClaimedTask)>, bool);

/// The claimable rows of `queues` and `names`, in claim order, as far as the limits go.
pub(super) fn choose(
    tx: &Tx<'_, '_>,
    level: u32,
    queues: &[String],
    names: Option<&[String]>,
    limits: &Limits,
) -> rusqlite::Result<Chosen> {
    let due_order = level >= DUE_ORDER_LEVEL;
    let mut streams = Vec::new();
    for queue in distinct(queues) {
        match names {
            None => {
                let kind = if due_order { Kind::Due } else { Kind::Created };
                streams.push((tx.statements.stream(kind)?, queue, None));
            }
            Some(names) => {
                let kind = if due_order {
                    Kind::DueName
                } else {
                    Kind::CreatedName
                };
                for name in distinct(names) {
                    streams.push((tx.statements.stream(kind)?, queue, Some(name)));
                }
            }
        }
    }
    let mut heads = Vec::with_capacity(streams.len());
    for (stream, queue, name) in &mut streams {
        let queue: &String = queue;
        let rows = match name.as_deref() {
            None => stream.query(params![queue, tx.now_ms])?,
            Some(name) => stream.query(params![queue, tx.now_ms, name])?,
        };
        let name = name.as_deref().map(String::as_str);
        let scope = Scope { queue, name };
        heads.push(Head::new(scope, rows, due_order));
    }
    merge(tx, &mut heads, limits)
}

fn merge(tx: &Tx<'_, '_>, heads: &mut [Head<'_>], limits: &Limits) -> rusqlite::Result<Chosen> {
    let mut chosen = Vec::new();
    let mut bytes = 0_u64;
    while chosen.len() < limits.rows {
        let mut first = None;
        for head in &mut *heads {
            let place = head.place()?;
            first = first.into_iter().chain(place).min();
        }
        let Some(first) = first else { break };
        let mut next: Option<usize> = None;
        for index in 0..heads.len() {
            if heads[index].place()? == Some(first) {
                heads[index].look_ahead(tx, limits.rows - chosen.len())?;
                if next.is_none_or(|next| heads[index].id() < heads[next].id()) {
                    next = Some(index);
                }
            }
        }
        let Some((rowid, task)) = next.and_then(|index| heads[index].take()) else {
            break;
        };
        if let Some(most) = limits.bytes {
            bytes += task.payload.len() as u64;
            let alone = limits.oversize_first && chosen.is_empty();
            if bytes > most && !alone {
                return Ok((chosen, true));
            }
        }
        chosen.push((rowid, task));
    }
    Ok((chosen, false))
}

/// A queue named twice must not be drawn twice.
fn distinct(words: &[String]) -> impl Iterator<Item = &String> {
    words
        .iter()
        .enumerate()
        .filter(|(index, word)| !words[..*index].contains(word))
        .map(|(_, word)| word)
}
