//! What an operator asks of a database: bounded, indexed reads that change nothing and answer as JSON.
//!
//! A question is a text of `protocol/sql/*/inspect/` and the values of its placeholders. The shapes people see are made
//! in `lib/inspect/`; here is only what has to be true of every question.

use serde::Deserialize;

use crate::model::Status;

/// One question.
#[derive(Debug, Clone, Deserialize)]
pub struct Question {
    /// Which.
    pub ask: Ask,
    /// The values of its placeholders, in order; the comment on top of each text says what they are.
    #[serde(default)]
    pub values: Vec<Value>,
    /// Which tasks, for the questions that go by a filter.
    #[serde(default)]
    pub filter: Filter,
    /// The index that finds them.
    #[serde(default)]
    pub by: Option<Access>,
    /// Whether payload, result and metadata come with a task.
    #[serde(default)]
    pub full: bool,
}

/// The value of a placeholder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Number(i64),
    /// A text, or null.
    Text(Option<String>),
}

/// The questions, each with a text of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each is described in its text")]
pub enum Ask {
    Queues,
    Counts,
    Groups,
    Tally,
    Finished,
    FinishedByName,
    Activity,
    Matching,
    Gather,
    Walk,
    Boundary,
    Keys,
    Family,
    Running,
    SilentAttempts,
    LeaseFailures,
    Meta,
    Ledger,
    Indexes,
    Statistics,
    Storage,
    /// Postgres only, as are those that follow.
    Sessions,
    Trigger,
    Notify,
}

/// An index that finds the tasks of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Access {
    /// By root.
    Root,
    /// By correlation.
    Correlation,
    /// By queue, status and name, whatever the status when none is given.
    QueueName,
    /// By queue, and status when one is given.
    Queue,
    /// By name.
    Name,
    /// By status.
    Status,
}

/// Which tasks; absent means any.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(missing_docs, reason = "the fields are the columns they filter")]
pub struct Filter {
    pub status: Option<Status>,
    pub queue: Option<String>,
    pub name: Option<String>,
    pub root_id: Option<String>,
    pub correlation_id: Option<String>,
    pub parent_id: Option<String>,
}

/// A column and the value it must have.
pub type Term<'f> = (&'static str, &'f str);

impl Filter {
    fn terms(&self) -> impl Iterator<Item = Term<'_>> {
        [
            ("root_id", self.root_id.as_deref()),
            ("correlation_id", self.correlation_id.as_deref()),
            ("queue", self.queue.as_deref()),
            ("status", self.status.map(Status::as_str)),
            ("name", self.name.as_deref()),
            ("parent_id", self.parent_id.as_deref()),
        ]
        .into_iter()
        .filter_map(|(column, value)| Some((column, value?)))
    }

    /// The terms an index answers, and those left to look at row by row.
    #[must_use]
    pub fn split(&self, by: Option<Access>) -> (Vec<Term<'_>>, Vec<Term<'_>>) {
        self.terms()
            .partition(|(column, _)| by.is_some_and(|by| by.answers(column)))
    }
}

impl Access {
    fn answers(self, column: &str) -> bool {
        match self {
            Self::Root => column == "root_id",
            Self::Correlation => column == "correlation_id",
            Self::QueueName => matches!(column, "queue" | "status" | "name"),
            Self::Queue => matches!(column, "queue" | "status"),
            Self::Name => column == "name",
            Self::Status => column == "status",
        }
    }
}
