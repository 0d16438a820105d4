//! Drawing tasks: the statement for a worker's queues and names, and the rows it gives.

use std::collections::HashSet;

use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{Postgres, Row as _};

use super::conn::Conn;
use super::errors::Failure;
use super::rows;
use crate::model::Task;
use crate::protocol::DUE_ORDER_LEVEL;
use crate::protocol::postgres::{self as sql, Columns, DrawShape, NameMatch};
use crate::store::claimed::{ClaimedTask, Shared};
use crate::store::command::Owner;

/// Pairs of a queue and a name that are walked one by one. With more, each queue is walked once, past other names.
const MAX_PAIRS: usize = 64;

/// What one draw may take.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    pub(super) rows: i64,
    pub(super) bytes: Option<u64>,
    pub(super) oversize_first: bool,
}

/// A draw, ready to be bound.
pub(super) struct Drawing {
    shape: DrawShape,
    queues: Vec<String>,
    names: Vec<String>,
    limits: Limits,
}

impl Drawing {
    /// None when nothing can match. `names: None` takes every name.
    pub(super) fn new(
        queues: &[String],
        names: Option<&[String]>,
        limits: Limits,
        level: u32,
    ) -> Option<Self> {
        let queues = possible(queues);
        let names = names.map(possible);
        if queues.is_empty() || limits.rows <= 0 || names.as_ref().is_some_and(Vec::is_empty) {
            return None;
        }
        let (matching, queues, names) = match names {
            None => (NameMatch::Any, queues, Vec::new()),
            Some(names) if queues.len() * names.len() <= MAX_PAIRS => {
                let (queues, names) = paired(&queues, &names);
                (NameMatch::Paired, queues, names)
            }
            Some(names) => (NameMatch::Listed, queues, names),
        };
        let shape = DrawShape {
            walks: queues.len(),
            names: matching,
            due_order: level >= DUE_ORDER_LEVEL,
            budget: limits.bytes.is_some(),
        };
        Some(Self {
            shape,
            queues,
            names,
            limits,
        })
    }

    /// Binds the draw's parameters, behind those of the statement around it.
    pub(super) fn bind(
        &self,
        query: Query<'static, Postgres, PgArguments>,
        lease_ms: i64,
    ) -> Query<'static, Postgres, PgArguments> {
        let mut query = query
            .bind(lease_ms)
            .bind(self.limits.rows)
            .bind(&self.queues);
        if self.shape.names != NameMatch::Any {
            query = query.bind(&self.names);
        }
        if let Some(bytes) = self.limits.bytes {
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            query = query.bind(bytes).bind(self.limits.oversize_first);
        }
        query
    }

    /// Runs the draw by itself, in whatever transaction is open.
    pub(super) async fn run(&self, conn: &mut Conn, owner: &Owner) -> Result<Vec<Task>, Failure> {
        let rows = self.rows(conn, owner, Columns::Task).await?;
        let tasks = rows::tasks(&rows)?.into_iter().map(|task| {
            let position = if self.shape.due_order {
                task.run_at_ms
            } else {
                task.created_at_ms
            };
            (task.priority, position, task)
        });
        Ok(in_order(tasks.collect(), |task| &task.id))
    }

    /// The same, of what a worker needs.
    pub(super) async fn run_claimed(
        &self,
        conn: &mut Conn,
        owner: &Owner,
    ) -> Result<Vec<ClaimedTask>, Failure> {
        let rows = self.rows(conn, owner, Columns::Claimed).await?;
        Ok(claimed(&rows, 0)?)
    }

    async fn rows(
        &self,
        conn: &mut Conn,
        owner: &Owner,
        columns: Columns,
    ) -> Result<Vec<PgRow>, Failure> {
        let query = conn
            .query_shared(sql::draw(self.shape, columns))
            .bind(&owner.worker_id);
        let rows = self.bind(query, owner.lease_ms);
        Ok(rows.fetch_all(conn.driver()).await?)
    }

    pub(super) fn shape(&self) -> DrawShape {
        self.shape
    }

    pub(super) fn limit(&self) -> i64 {
        self.limits.rows
    }

    /// Whether it may stop short of its rows for their bytes.
    pub(super) fn is_bounded(&self) -> bool {
        self.shape.budget
    }

    /// The same draw for fewer rows.
    pub(super) fn for_rows(mut self, rows: i64) -> Self {
        self.limits.rows = rows;
        self
    }
}

/// Claimed tasks whose columns start at `first`, in claim order.
pub(super) fn claimed(rows: &[PgRow], first: usize) -> sqlx::Result<Vec<ClaimedTask>> {
    let mut shared = Shared::default();
    let tasks = rows
        .iter()
        .map(|row| rows::claimed(row, first, &mut shared));
    Ok(in_order(tasks.collect::<sqlx::Result<_>>()?, |task| {
        &task.id
    }))
}

/// Claim order, of tasks behind their priority and position. RETURNING promises none.
fn in_order<T>(mut tasks: Vec<(i64, i64, T)>, id: impl Fn(&T) -> &str) -> Vec<T> {
    tasks.sort_unstable_by(|(priority, position, task), (other, behind, than)| {
        (other, position, id(task)).cmp(&(priority, behind, id(than)))
    });
    tasks.into_iter().map(|(_, _, task)| task).collect()
}

/// Distinct values that can be in the database at all: no text column holds a NUL.
pub(super) fn possible(values: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    values
        .iter()
        .filter(|value| !value.contains('\0') && seen.insert(value.as_str()))
        .cloned()
        .collect()
}

/// Every queue with every name.
pub(super) fn paired(queues: &[String], names: &[String]) -> (Vec<String>, Vec<String>) {
    queues
        .iter()
        .flat_map(|queue| names.iter().map(|name| (queue.clone(), name.clone())))
        .unzip()
}

/// What the read-only look found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Probe {
    pub(super) due: bool,
    pub(super) expired: bool,
    pub(super) level: u32,
}

/// Looks whether a claim session would find anything. Takes no lock.
pub(super) async fn probe(
    conn: &mut Conn,
    queues: &[String],
    names: Option<&[String]>,
    level: u32,
) -> Result<Probe, Failure> {
    let queues = possible(queues);
    let (queues, pair_names) = match names {
        Some(names) => paired(&queues, &possible(names)),
        None => (queues, Vec::new()),
    };
    conn.enter().await?;
    let row = conn
        .query(sql::probe(level >= DUE_ORDER_LEVEL, names.is_none()))
        .bind(&queues)
        .bind(&pair_names)
        .fetch_one(conn.driver())
        .await?;
    conn.leave().await?;
    Ok(Probe {
        due: row.try_get(0)?,
        expired: row.try_get(1)?,
        level: level_of(row.try_get(2)?),
    })
}

/// The database's level from its own word; one that cannot be read is the oldest.
pub(super) fn level_of(word: Option<&str>) -> u32 {
    word.and_then(|word| word.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    fn drawing(queues: &[&str], names: Option<&[&str]>, rows: i64) -> Option<DrawShape> {
        let limits = Limits {
            rows,
            bytes: None,
            oversize_first: false,
        };
        let names = names.map(texts);
        Drawing::new(&texts(queues), names.as_deref(), limits, 6).map(|drawing| drawing.shape)
    }

    #[test]
    fn nothing_is_asked_where_nothing_can_match() {
        assert!(drawing(&[], None, 1).is_none());
        assert!(drawing(&["q"], Some(&[]), 1).is_none());
        assert!(drawing(&["q"], None, 0).is_none());
        assert!(drawing(&["q\0"], None, 1).is_none());
    }

    #[test]
    fn pairs_are_walked_until_there_are_too_many() {
        let shape = drawing(&["a", "b", "a"], Some(&["x", "y"]), 1).expect("a draw");
        assert_eq!((shape.walks, shape.names), (4, NameMatch::Paired));
        let names: Vec<String> = (0..40).map(|index| format!("n{index}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let shape = drawing(&["a", "b"], Some(&names), 1).expect("a draw");
        assert_eq!((shape.walks, shape.names), (2, NameMatch::Listed));
    }
}
