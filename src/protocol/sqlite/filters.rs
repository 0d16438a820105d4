//! Statements built from the filters given: an optional filter written into one statement never reaches an index.
//!
//! Each names its index. The planner would choose by statistics, and those may be from when every row looked alike.

use super::with_columns;
use crate::model::Status;
use crate::store::command::{ListFilter, PurgeFilter};

/// A value for a placeholder.
pub type Parameter = rusqlite::types::Value;

/// From this level on there is an index by status and completion.
const STATUS_COMPLETED_LEVEL: u32 = 7;
/// From this level on there is one by queue and completion.
const QUEUE_COMPLETED_LEVEL: u32 = 9;
const QUEUE_COMPLETED: &str = "cairnq_tasks_queue_completed_idx";

/// `list` on a database of this level.
#[must_use]
pub fn list(filter: &ListFilter, level: u32) -> (String, Vec<Parameter>) {
    let mut clauses = Filters::default();
    clauses.when("root_id = ?", filter.root_id.as_deref());
    clauses.when("correlation_id = ?", filter.correlation_id.as_deref());
    clauses.when("queue = ?", filter.queue.as_deref());
    clauses.when("status = ?", filter.status.map(Status::as_str));
    clauses.when("name = ?", filter.name.as_deref());
    let index = if filter.root_id.is_some() {
        Some("cairnq_tasks_root_idx")
    } else if filter.correlation_id.is_some() {
        Some("cairnq_tasks_correlation_idx")
    } else if filter.queue.is_some() && filter.name.is_some() {
        if filter.status.is_none() {
            // The index has the status between the two; naming them all makes five short ranges of it.
            clauses
                .terms
                .push("status in ('queued', 'running', 'succeeded', 'failed', 'canceled')");
        }
        Some("cairnq_tasks_claim_name_idx")
    } else if filter.queue.is_some() {
        Some("cairnq_tasks_claim_idx")
    } else if filter.name.is_some() {
        Some("cairnq_tasks_name_idx")
    } else if filter.status.is_some() {
        Some(if level >= STATUS_COMPLETED_LEVEL {
            "cairnq_tasks_status_completed_idx"
        } else {
            "cairnq_tasks_status_idx"
        })
    } else {
        None
    };
    let mut sql = with_columns("select {task} from cairnq_tasks");
    clauses.finish(&mut sql, index);
    sql.push_str(" order by created_at_ms desc, id desc limit ? offset ?");
    let mut parameters = clauses.parameters;
    parameters.push(filter.limit.into());
    parameters.push(filter.offset.into());
    (sql, parameters)
}

/// Ids to purge, oldest completion first, on a database of this level.
#[must_use]
pub fn purge_select(filter: &PurgeFilter, before_ms: i64, level: u32) -> (String, Vec<Parameter>) {
    let mut clauses = Filters::default();
    // Each of these indexes ends in the completion time. It is the order too, so a limit stops early; where no index
    // has the filter in front of it, passing over the other rows still beats sorting all that match for every call.
    let index = if filter.queue.is_some() && level >= QUEUE_COMPLETED_LEVEL {
        QUEUE_COMPLETED
    } else if filter.status.is_some() && level >= STATUS_COMPLETED_LEVEL {
        "cairnq_tasks_status_completed_idx"
    } else {
        "cairnq_tasks_completed_idx"
    };
    // A partial index is used only when its own condition is repeated in this spelling. Elsewhere the plus keeps the
    // planner from walking three statuses where one is asked for, which would have to be sorted.
    clauses.terms.push(if index == QUEUE_COMPLETED {
        "status in ('succeeded', 'failed', 'canceled')"
    } else {
        "+status in ('succeeded', 'failed', 'canceled')"
    });
    clauses.when("queue = ?", filter.queue.as_deref());
    clauses.when("status = ?", filter.status.map(Status::as_str));
    clauses.when("name = ?", filter.name.as_deref());
    clauses.terms.push("completed_at_ms < ?");
    clauses.parameters.push(before_ms.into());
    let mut sql = "select id from cairnq_tasks".to_owned();
    clauses.finish(&mut sql, Some(index));
    sql.push_str(" order by completed_at_ms limit ?");
    let mut parameters = clauses.parameters;
    parameters.push(filter.limit.into());
    (sql, parameters)
}

#[derive(Default)]
struct Filters {
    terms: Vec<&'static str>,
    parameters: Vec<Parameter>,
}

impl Filters {
    /// Adds `term` when a value is given. Terms are literals of ours, never a caller's text.
    fn when(&mut self, term: &'static str, value: Option<&str>) {
        if let Some(value) = value {
            self.terms.push(term);
            self.parameters.push(value.to_owned().into());
        }
    }

    fn finish(&self, sql: &mut String, index: Option<&str>) {
        if let Some(index) = index {
            sql.push_str(" indexed by ");
            sql.push_str(index);
        }
        if !self.terms.is_empty() {
            sql.push_str(" where ");
            sql.push_str(&self.terms.join(" and "));
        }
    }
}
