//! The claimable rows of one queue, or of one name in it, in claim order.
//!
//! A row is read in full, payload and all, so no more of them are than a draw may take.

use std::cmp::Reverse;

use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::{Row, Rows, ToSql, params};

use super::rows;
use super::sorted::{Place, Scope};
use super::transaction::Tx;
use crate::protocol::sqlite as sql;
use crate::store::claimed::{ClaimedTask, Shared};

/// Below level 8 the index does not hold the id that settles ties, so that many rows of a tie are looked at together.
/// More of one tie come from one process, whose ids rise with the order of its inserts anyway.
const TIE_WINDOW: usize = 32;

/// A cursor, and the rows taken from it that the order has not come to yet.
pub(super) struct Head<'s> {
    scope: Scope<'s>,
    shared: Shared,
    rows: Rows<'s>,
    due_order: bool,
    /// The row the cursor stands on has been taken, or it stands before the first.
    behind: bool,
    /// The place of the row the cursor stands on.
    next: Option<Place>,
    /// Rows of one place with their rowids, the first in order last.
    tie: Vec<(i64, ClaimedTask)>,
    tie_place: Place,
}

impl<'s> Head<'s> {
    pub(super) fn new(scope: Scope<'s>, rows: Rows<'s>, due_order: bool) -> Self {
        Self {
            scope,
            shared: Shared::default(),
            rows,
            due_order,
            behind: true,
            next: None,
            tie: Vec::new(),
            tie_place: (Reverse(0), 0),
        }
    }

    /// The place of the next row. None when there are no more.
    pub(super) fn place(&mut self) -> rusqlite::Result<Option<Place>> {
        if !self.tie.is_empty() {
            return Ok(Some(self.tie_place));
        }
        self.advance()?;
        Ok(self.next)
    }

    /// The next row's id, once it has been looked at.
    pub(super) fn id(&self) -> Option<&str> {
        self.tie.last().map(|(_, task)| &*task.id)
    }

    /// The next row with its rowid, once it has been looked at.
    pub(super) fn take(&mut self) -> Option<(i64, ClaimedTask)> {
        self.tie.pop()
    }

    /// Makes sure of the next row, where only ids can say which of a tie that is. `wanted` more will be taken at most.
    pub(super) fn look_ahead(&mut self, tx: &Tx<'_, '_>, wanted: usize) -> rusqlite::Result<()> {
        let (true, Some(place)) = (self.tie.is_empty(), self.next) else {
            return Ok(());
        };
        self.tie_place = place;
        let window = if self.due_order { 1 } else { TIE_WINDOW };
        while self.next == Some(place) {
            let Some(row) = self.rows.get() else { break };
            let task = rows::claimed(row, &mut self.shared)?;
            let taken = (row.get(sql::TASK_COLUMN_COUNT)?, task);
            self.tie.push(taken);
            self.behind = true;
            if self.tie.len() == window.min(wanted) {
                break;
            }
            self.advance()?;
        }
        let ids_tell = self.behind && self.tie.len() < window;
        let last = self.tie.last().map(|(rowid, _)| *rowid);
        self.tie.sort_unstable_by(|(_, a), (_, b)| b.id.cmp(&a.id));
        if let (true, Some(last)) = (ids_tell, last) {
            self.let_earlier_in(tx, last, window - self.tie.len())?;
        }
        Ok(())
    }

    /// Lets those of the next `rest` rows of the tie, after rowid `last`, take the places of greater ids. What was taken is
    /// all that the draw still wants, so the cursor, which would come to these rows again, does not go on.
    fn let_earlier_in(&mut self, tx: &Tx<'_, '_>, last: i64, rest: usize) -> rusqlite::Result<()> {
        if self.is_followed_by_later(tx, last, rest)? {
            return Ok(());
        }
        let mut following = Vec::with_capacity(rest);
        self.following(tx, last, rest, |id, rowid| {
            following.push((id, rowid));
            true
        })?;
        following.sort_unstable();
        for (id, rowid) in following {
            if self
                .tie
                .first()
                .is_none_or(|(_, greatest)| *greatest.id < *id)
            {
                break;
            }
            let read = |row: &Row<'_>| rows::claimed(row, &mut self.shared);
            let task = tx.statements.with(&sql::TASK_AT, |statement| {
                statement.query_row([rowid], read)
            })?;
            let place = self.tie.partition_point(|(_, other)| *other.id > *id);
            self.tie.insert(place, (rowid, task));
            self.tie.remove(0);
        }
        Ok(())
    }

    /// Whether the ids rise from the last row taken to the end of the window, as those of one process do.
    fn is_followed_by_later(
        &self,
        tx: &Tx<'_, '_>,
        last: i64,
        rest: usize,
    ) -> rusqlite::Result<bool> {
        let Some((_, greatest)) = self.tie.first().filter(|(rowid, _)| *rowid == last) else {
            return Ok(false);
        };
        let mut sorted = tx.statements.sorted.borrow_mut();
        let (known, from) = sorted.following(self.scope, self.tie_place, last, &greatest.id);
        if known >= rest {
            return Ok(true);
        }
        // Where draws follow one another, further than this one has to, so that the next need not look.
        let further = if known > 0 { TIE_WINDOW } else { 0 };
        let mut rise = true;
        self.following(tx, from, rest - known + further, |id, rowid| {
            rise = sorted.add(rowid, &id);
            rise
        })?;
        Ok(rise)
    }

    /// Shows the ids and rowids of the next `most` rows of the tie after rowid `from`, as long as `see` wants them.
    fn following(
        &self,
        tx: &Tx<'_, '_>,
        from: i64,
        most: usize,
        mut see: impl FnMut(String, i64) -> bool,
    ) -> rusqlite::Result<()> {
        let (Scope { queue, name }, now_ms) = (self.scope, tx.now_ms);
        let (Reverse(priority), created_at_ms) = self.tie_place;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let mut show = |sql, place: &[&dyn ToSql]| {
            tx.statements.with(sql, |statement| {
                let mut rows = statement.query(place)?;
                while let Some(row) = rows.next()? {
                    if !see(rows::text(row, 0)?, row.get(1)?) {
                        break;
                    }
                }
                Ok(())
            })
        };
        match name {
            None => show(
                sql::CLAIM_TIE,
                params![queue, now_ms, priority, created_at_ms, from, most],
            ),
            Some(name) => show(
                sql::CLAIM_TIE_NAME,
                params![queue, now_ms, priority, created_at_ms, from, most, name],
            ),
        }
    }

    /// Goes to the next row that has not been taken.
    fn advance(&mut self) -> rusqlite::Result<()> {
        if !self.behind {
            return Ok(());
        }
        self.behind = false;
        self.rows.advance()?;
        let due_order = self.due_order;
        let place = |row| place(row, due_order);
        self.next = self.rows.get().map(place).transpose()?;
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
