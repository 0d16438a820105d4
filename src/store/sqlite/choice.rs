//! Which rows a draw takes: one cursor per queue and name, merged in claim order, so that neither a backlog of other
//! names nor a second queue is ever sorted or scanned.

use std::cmp::Reverse;

use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::{Row, Rows, params};

use super::claim::Limits;
use super::rows;
use super::statements::Kind;
use super::transaction::Tx;
use crate::model::Task;
use crate::protocol::{DUE_ORDER_LEVEL, sqlite as sql};

/// Rows with their rowids, and whether the byte bound ended the choice.
pub(super) type Chosen = (Vec<(i64, Task)>, bool);

/// Below level 8 the index does not hold the id that settles ties, so that many rows of a tie are looked at together.
/// More of one tie come from one process, whose ids rise with the order of its inserts anyway.
const TIE_WINDOW: usize = 32;

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
        heads.extend(Head::new(rows, due_order)?);
    }
    merge(&mut heads, limits)
}

fn merge(heads: &mut Vec<Head<'_>>, limits: &Limits) -> rusqlite::Result<Chosen> {
    let mut chosen = Vec::new();
    let mut bytes = 0_u64;
    while chosen.len() < limits.rows {
        let Some(first) = heads.iter().filter_map(Head::place).min() else {
            break;
        };
        let mut next: Option<usize> = None;
        for index in 0..heads.len() {
            if heads[index].place() == Some(first) {
                heads[index].look_ahead()?;
                if next.is_none_or(|next| heads[index].id() < heads[next].id()) {
                    next = Some(index);
                }
            }
        }
        let Some(head) = next.map(|index| &mut heads[index]) else {
            break;
        };
        let Some((rowid, task)) = head.tie.pop() else {
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

/// The place of a row in the claim order, but for the id: priority, and the time its level goes by.
type Place = (Reverse<i64>, i64);

/// A cursor, and the rows taken from it that the order has not come to yet.
struct Head<'s> {
    rows: Rows<'s>,
    due_order: bool,
    /// The place of the row the cursor stands on.
    next: Option<Place>,
    /// Rows of one place, the first in order last.
    tie: Vec<(i64, Task)>,
    tie_place: Place,
}

impl<'s> Head<'s> {
    /// None when there are no rows.
    fn new(rows: Rows<'s>, due_order: bool) -> rusqlite::Result<Option<Self>> {
        let mut head = Self {
            rows,
            due_order,
            next: None,
            tie: Vec::new(),
            tie_place: (Reverse(0), 0),
        };
        head.advance()?;
        Ok(head.next.is_some().then_some(head))
    }

    fn place(&self) -> Option<Place> {
        if self.tie.is_empty() {
            self.next
        } else {
            Some(self.tie_place)
        }
    }

    fn id(&self) -> Option<&str> {
        self.tie.last().map(|(_, task)| task.id.as_str())
    }

    /// Takes the next rows from the cursor, so far as only their ids can say which is first.
    fn look_ahead(&mut self) -> rusqlite::Result<()> {
        let (true, Some(place)) = (self.tie.is_empty(), self.next) else {
            return Ok(());
        };
        self.tie_place = place;
        let window = if self.due_order { 1 } else { TIE_WINDOW };
        while self.next == Some(place) && self.tie.len() < window {
            let Some(row) = self.rows.get() else { break };
            let taken = (row.get(sql::TASK_COLUMN_COUNT)?, rows::task(row)?);
            self.tie.push(taken);
            self.advance()?;
        }
        self.tie.sort_unstable_by(|(_, a), (_, b)| b.id.cmp(&a.id));
        Ok(())
    }

    fn advance(&mut self) -> rusqlite::Result<()> {
        self.rows.advance()?;
        self.next = self
            .rows
            .get()
            .map(|row| place(row, self.due_order))
            .transpose()?;
        Ok(())
    }
}

fn place(row: &Row<'_>, due_order: bool) -> rusqlite::Result<Place> {
    let time = if due_order {
        rows::RUN_AT_MS
    } else {
        rows::CREATED_AT_MS
    };
    Ok((
        Reverse(rows::whole(row, rows::PRIORITY)?),
        rows::whole(row, time)?,
    ))
}

/// A queue named twice must not be drawn twice.
fn distinct(words: &[String]) -> impl Iterator<Item = &String> {
    words
        .iter()
        .enumerate()
        .filter(|(index, word)| !words[..*index].contains(word))
        .map(|(_, word)| word)
}
