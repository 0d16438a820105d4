//! The texts of an operator's questions, filled in for a database's level. A caller's text never becomes part of one.

use std::fmt::Write as _;

use super::DUE_ORDER_LEVEL;
use crate::store::inspect::{Access, Filter, Question, Term, Value};

/// A file of `protocol/sql/*/inspect/`.
macro_rules! sql {
    ($dialect:literal, $name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/protocol/sql/",
            $dialect,
            "/inspect/",
            $name,
            ".sql"
        ))
    };
}

/// The text of a question in one dialect; what a dialect has alone, or not at all, comes behind the rest.
macro_rules! template {
    ($dialect:literal, $ask:expr, $($own:pat => $text:expr),+ $(,)?) => {
        match $ask {
            Ask::Queues => sql!($dialect, "queues"),
            Ask::Counts => sql!($dialect, "counts"),
            Ask::Groups => sql!($dialect, "groups"),
            Ask::Tally => sql!($dialect, "tally"),
            Ask::Finished => sql!($dialect, "finished"),
            Ask::FinishedByName => sql!($dialect, "finished_by_name"),
            Ask::Activity => sql!($dialect, "activity"),
            Ask::Matching => sql!($dialect, "matching"),
            Ask::Gather => sql!($dialect, "gather"),
            Ask::Walk => sql!($dialect, "walk"),
            Ask::Boundary => sql!($dialect, "boundary"),
            Ask::Keys => sql!($dialect, "keys"),
            Ask::Family => sql!($dialect, "family"),
            Ask::Running => sql!($dialect, "running"),
            Ask::SilentAttempts => sql!($dialect, "silent_attempts"),
            Ask::LeaseFailures => sql!($dialect, "lease_failures"),
            Ask::Meta => sql!($dialect, "meta"),
            Ask::Ledger => sql!($dialect, "ledger"),
            Ask::Indexes => sql!($dialect, "indexes"),
            Ask::Statistics => sql!($dialect, "statistics"),
            Ask::Storage => sql!($dialect, "storage"),
            $($own => $text,)+
        }
    };
}

pub(super) use {sql, template};

/// From this level on there is an index by status and completion.
const STATUS_COMPLETED_LEVEL: u32 = 7;

/// What the two dialects do not share.
pub(super) struct Dialect {
    /// In front of a text parameter's number.
    pub mark: &'static str,
    /// Behind it.
    pub cast: &'static str,
    /// The time in ms since 1970.
    pub clock: &'static str,
    /// A task's columns without its payload, result and metadata.
    pub light: &'static str,
}

/// The text of a question, and the values of all its placeholders.
pub(super) fn filled(
    template: &str,
    question: &Question,
    level: u32,
    dialect: &Dialect,
) -> (String, Vec<Value>) {
    let mut values = question.values.clone();
    let (leading, more) = question.filter.split(question.by);
    let mut text = template.trim_end().to_owned();
    if text.contains("{terms}") {
        let mut terms = conditions(&leading, "t", &mut values, dialect);
        if question.by == Some(Access::QueueName) && question.filter.status.is_none() {
            // The index has the status between queue and name; naming them all makes five short ranges of it.
            terms.push(
                "t.status in ('queued', 'running', 'succeeded', 'failed', 'canceled')".to_owned(),
            );
        }
        text = text.replace("{terms}", &terms.join(" and "));
    }
    if text.contains("{more}") {
        let alias = if text.contains(") m where") { "m" } else { "t" };
        let terms = conditions(&more, alias, &mut values, dialect).iter().fold(
            String::new(),
            |mut all, term| {
                // Writing to a String cannot fail.
                let _ = write!(all, " and {term}");
                all
            },
        );
        text = text.replace("{more}", &terms);
    }
    let looked_at: Vec<String> = std::iter::once("t.id".to_owned())
        .chain(more.iter().map(|(column, _)| format!("t.{column}")))
        .collect();
    let columns = format!(
        "{}{}",
        dialect.light.trim_end(),
        if question.full {
            ", t.payload, t.result, t.metadata"
        } else {
            ""
        }
    );
    let by_status = level >= STATUS_COMPLETED_LEVEL;
    let text = text
        .replace("{columns}", &columns)
        .replace("{looked_at}", &looked_at.join(", "))
        .replace("{clock}", dialect.clock.trim_end())
        .replace(
            "{order}",
            if level >= DUE_ORDER_LEVEL {
                "run_at_ms"
            } else {
                "created_at_ms"
            },
        )
        .replace("{index}", question.by.map_or("", |by| index(by, level)))
        .replace(
            "{index_order}",
            question
                .by
                .map_or("", |by| index_order(by, &question.filter)),
        )
        .replace(
            "{failed}",
            if by_status {
                " and t.status = 'failed'"
            } else {
                ""
            },
        )
        .replace(
            "{failed_index}",
            if by_status {
                "cairnq_tasks_status_completed_idx"
            } else {
                "cairnq_tasks_completed_idx"
            },
        );
    (text, values)
}

fn conditions(
    terms: &[Term<'_>],
    alias: &str,
    values: &mut Vec<Value>,
    dialect: &Dialect,
) -> Vec<String> {
    terms
        .iter()
        .map(|(column, value)| {
            values.push(Value::Text(Some((*value).to_owned())));
            let (mark, cast) = (dialect.mark, dialect.cast);
            format!("{alias}.{column} = {mark}{}{cast}", values.len())
        })
        .collect()
}

fn index(by: Access, level: u32) -> &'static str {
    match by {
        Access::Root => "cairnq_tasks_root_idx",
        Access::Correlation => "cairnq_tasks_correlation_idx",
        Access::QueueName => "cairnq_tasks_claim_name_idx",
        Access::Queue => "cairnq_tasks_claim_idx",
        Access::Name => "cairnq_tasks_name_idx",
        Access::Status if level >= STATUS_COMPLETED_LEVEL => "cairnq_tasks_status_completed_idx",
        Access::Status => "cairnq_tasks_status_idx",
    }
}

/// An order that only the wanted index has, for a planner that takes no index by name: Postgres may otherwise walk all
/// tasks of a status for those of one queue.
fn index_order(by: Access, filter: &Filter) -> &'static str {
    match by {
        Access::Queue => " order by t.status, t.priority desc",
        Access::QueueName if filter.status.is_some() => " order by t.priority desc",
        _ => "",
    }
}
