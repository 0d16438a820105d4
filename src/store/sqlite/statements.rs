//! A connection's prepared statements, beside the cache that rusqlite keeps by text.
//!
//! That cache hashes a text of hundreds of bytes twice for every row, and keeps one statement per text, where a claim
//! over ten names has ten cursors of one text open. Ours are found by address, and pooled.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

use rusqlite::{Connection, PrepFlags, Statement};

use super::insert::Bound;
use super::sorted::Sorted;
use crate::protocol::sqlite as sql;

/// Cursors kept per kind; a claim over more names prepares the rest anew.
const KEPT: usize = 128;

/// Which claimable rows a stream yields, in claim order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// All names, below level 8.
    Created,
    /// One name, below level 8.
    CreatedName,
    /// All names, from level 8 on.
    Due,
    /// One name, from level 8 on.
    DueName,
}

impl Kind {
    const COUNT: usize = 4;

    fn sql(self) -> &'static str {
        match self {
            Self::Created => &sql::CLAIM_HEADS_CREATED,
            Self::CreatedName => &sql::CLAIM_HEADS_CREATED_NAME,
            Self::Due => &sql::CLAIM_HEADS_DUE,
            Self::DueName => &sql::CLAIM_HEADS_DUE_NAME,
        }
    }
}

/// The statements of one connection.
pub(super) struct Statements<'c> {
    connection: &'c Connection,
    /// By the address of a text that never changes.
    fixed: RefCell<Vec<(*const str, Statement<'c>)>>,
    idle: [RefCell<Vec<Statement<'c>>>; Kind::COUNT],
    /// What its claims have found out.
    pub(super) sorted: RefCell<Sorted>,
    /// What its insert has bound.
    pub(super) inserted: RefCell<Option<Bound>>,
}

impl<'c> Statements<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            fixed: RefCell::default(),
            idle: Default::default(),
            sorted: RefCell::default(),
            inserted: RefCell::default(),
        }
    }

    /// Lets `work` use the statement of `sql`. There are as many as texts in the program.
    pub(super) fn with<T>(
        &self,
        sql: &'static str,
        work: impl FnOnce(&mut Statement<'c>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let known = {
            let mut fixed = self.fixed.borrow_mut();
            // What was used last is most often wanted next, and stands last.
            let place = fixed.iter().rposition(|(text, _)| std::ptr::eq(*text, sql));
            place.map(|place| fixed.swap_remove(place).1)
        };
        let mut statement = match known {
            Some(statement) => statement,
            None => self
                .connection
                .prepare_with_flags(sql, PrepFlags::SQLITE_PREPARE_PERSISTENT)?,
        };
        let outcome = work(&mut statement);
        self.fixed.borrow_mut().push((sql, statement));
        outcome
    }

    /// A cursor nobody else uses; it returns to the pool when dropped.
    pub(super) fn stream(&self, kind: Kind) -> rusqlite::Result<Stream<'_, 'c>> {
        let idle = self.idle[kind as usize].borrow_mut().pop();
        let statement = match idle {
            Some(statement) => statement,
            None => self.connection.prepare(kind.sql())?,
        };
        Ok(Stream {
            statement: Some(statement),
            home: &self.idle[kind as usize],
        })
    }
}

/// A statement on loan from the pool.
pub(super) struct Stream<'s, 'c> {
    statement: Option<Statement<'c>>,
    home: &'s RefCell<Vec<Statement<'c>>>,
}

impl<'c> Deref for Stream<'_, 'c> {
    type Target = Statement<'c>;

    fn deref(&self) -> &Statement<'c> {
        self.statement
            .as_ref()
            .expect("a stream holds its statement until it is dropped")
    }
}

impl<'c> DerefMut for Stream<'_, 'c> {
    fn deref_mut(&mut self) -> &mut Statement<'c> {
        self.statement
            .as_mut()
            .expect("a stream holds its statement until it is dropped")
    }
}

impl Drop for Stream<'_, '_> {
    fn drop(&mut self) {
        let mut idle = self.home.borrow_mut();
        if idle.len() < KEPT {
            idle.extend(self.statement.take());
        }
    }
}
