//! The operations a client may ask of a store, in the caller's terms, and what they answer.
//!
//! One closed enum, so that the JavaScript boundary is one function and each database is one `match`.

use std::sync::Arc;

use serde::{Deserialize, Deserializer};

use super::inspect::Question;
use super::text::Text;
use crate::model::{Conflict, Status, Task, push_display, push_text};

/// A number of JavaScript as the integer the database keeps: fractions are cut, what is too large is the largest.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    f64::deserialize(deserializer).map(crate::worker::options::whole)
}

/// Who owns a lease, and for how long a renewal holds it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Owner {
    /// The worker's id, written into `worker_id`.
    pub worker_id: String,
    /// Lease length in milliseconds.
    #[serde(default, deserialize_with = "whole")]
    pub lease_ms: i64,
}

/// What a submit asks for beside its texts.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(
    missing_docs,
    reason = "the fields are the submit options of index.d.ts"
)]
pub struct SubmitArgs {
    pub name: String,
    pub queue: String,
    pub key: Option<String>,
    pub conflict: Conflict,
    #[serde(deserialize_with = "whole")]
    pub max_attempts: i64,
    #[serde(deserialize_with = "whole")]
    pub priority: i64,
    pub parent_id: Option<String>,
    pub root_id: Option<String>,
    pub correlation_id: Option<String>,
    /// Milliseconds from the insert until the task is due.
    #[serde(deserialize_with = "whole")]
    pub run_at_delay_ms: i64,
}

/// A task about to be written.
#[derive(Debug, Clone)]
pub struct NewTask {
    /// Made by us, so that the caller knows it without reading the row back.
    pub id: Text,
    /// Shared by the tasks of many submits that ask for the same.
    pub args: Arc<SubmitArgs>,
    /// JSON text, handed over beside the arguments so that it is never parsed.
    pub payload: Text,
    /// JSON text.
    pub metadata: Text,
}

impl NewTask {
    /// What a submit of `name` without payload and options makes.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let args = SubmitArgs {
            name: name.to_owned(),
            queue: "default".to_owned(),
            key: None,
            conflict: Conflict::Reuse,
            max_attempts: 3,
            priority: 0,
            parent_id: None,
            root_id: None,
            correlation_id: None,
            run_at_delay_ms: 0,
        };
        Self {
            id: crate::ids::task_id().into(),
            args: Arc::new(args),
            payload: "{}".into(),
            metadata: "{}".into(),
        }
    }

    /// The key it is submitted under.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.args.key.as_deref()
    }

    /// The same task, but for what `change` does to its arguments.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut SubmitArgs)) -> Self {
        change(Arc::make_mut(&mut self.args));
        self
    }
}

/// Filters of `list`; absent means any.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the fields are the list options of index.d.ts")]
pub struct ListFilter {
    pub status: Option<Status>,
    pub queue: Option<String>,
    pub name: Option<String>,
    pub root_id: Option<String>,
    pub correlation_id: Option<String>,
    #[serde(deserialize_with = "whole")]
    pub limit: i64,
    #[serde(deserialize_with = "whole")]
    pub offset: i64,
}

/// Filters of `purge`; only terminal tasks that completed strictly before `older_than_ms` ago go.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(
    missing_docs,
    reason = "the fields are the purge options of index.d.ts"
)]
pub struct PurgeFilter {
    #[serde(deserialize_with = "whole")]
    pub older_than_ms: i64,
    #[serde(deserialize_with = "whole")]
    pub limit: i64,
    pub status: Option<Status>,
    pub name: Option<String>,
    pub queue: Option<String>,
}

/// Which rows a claim may take, and for whom. `names: None` means every name.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimScope {
    /// Queues to draw from.
    pub queues: Vec<String>,
    /// Names to draw; an empty list draws nothing but still recovers expired leases.
    pub names: Option<Vec<String>>,
    /// The claiming worker.
    #[serde(flatten)]
    pub owner: Owner,
}

impl ClaimScope {
    /// Of the names a draw asks for, those the claim was opened for: nobody looked whether there is anything of others.
    #[must_use]
    pub fn within(&self, names: Vec<String>) -> Vec<String> {
        match &self.names {
            None => names,
            Some(own) => names
                .into_iter()
                .filter(|name| own.contains(name))
                .collect(),
        }
    }
}

/// How a task is named: by id, or by the key that points at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// By id.
    Id(String),
    /// By key, resolved in the operation's own transaction.
    Key(String),
}

/// How an attempt ends.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Succeeded, whatever was cancelled (`succeed`).
    Succeed {
        /// JSON text, none for SQL null.
        result: Option<String>,
        /// Replaces the progress message when given.
        message: Option<String>,
    },
    /// Succeeded, unless a cancel was requested (`complete`).
    Complete {
        /// JSON text, none for SQL null.
        result: Option<String>,
        /// Replaces the progress message when given.
        message: Option<String>,
    },
    /// Failed, or queued again when retryable and attempts are left (`fail`).
    Fail {
        /// The error envelope's JSON text.
        error: String,
        /// Whether another attempt may help.
        retryable: bool,
        /// Milliseconds until the next attempt is due.
        delay_ms: i64,
    },
}

/// A client operation. Owned writes answer [`crate::Error::LostLease`] when they touch no row.
#[derive(Debug, Clone)]
#[allow(
    missing_docs,
    reason = "the variants are the operations of protocol/PROTOCOL.md"
)]
pub enum Command {
    ProtocolVersion,
    Submit(Box<NewTask>),
    SubmitMany(Vec<NewTask>),
    WouldReuse {
        key: String,
        conflict: Conflict,
    },
    Get(Target),
    GetStatus(Target),
    List(ListFilter),
    Cancel(Target),
    Retry {
        target: Target,
        reset_attempt: bool,
    },
    Purge(PurgeFilter),
    Stats {
        queue: Option<String>,
    },
    QueueDepth {
        queue: String,
        max_depth: i64,
    },
    Inspect(Box<Question>),
    Claim {
        scope: ClaimScope,
        limit: i64,
    },
    Heartbeat {
        owner: Owner,
        task_id: String,
    },
    HeartbeatBatch {
        owner: Owner,
        task_ids: Vec<String>,
    },
    Progress {
        owner: Owner,
        task_id: String,
        progress: Option<f64>,
        message: Option<String>,
    },
    Settle {
        owner: Owner,
        task_id: String,
        outcome: Outcome,
    },
}

/// What a [`Command`] answers.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "each variant is the shape its name says")]
pub enum Reply {
    Nothing,
    Bool(bool),
    Number(i64),
    Row(Option<Box<Task>>),
    Rows(Vec<Task>),
    Ids(Vec<String>),
    /// Id and status of one task.
    Status(Option<(String, Status)>),
    /// Queue, status, count.
    Stats(Vec<(String, String, i64)>),
    /// Task id, and whether its cancellation was requested.
    Renewed(Vec<(String, bool)>),
    /// JSON text as it is.
    Json(String),
}

impl Reply {
    /// A row that must be there.
    #[must_use]
    pub fn row(task: Task) -> Self {
        Self::Row(Some(Box::new(task)))
    }

    /// The JSON text JavaScript parses; empty for nothing.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        match self {
            Self::Nothing => {}
            Self::Json(json) => out.push_str(json),
            Self::Bool(value) => push_display(&mut out, value),
            Self::Number(value) => push_display(&mut out, value),
            Self::Row(None) | Self::Status(None) => out.push_str("null"),
            Self::Row(Some(task)) => task.write_json(&mut out),
            Self::Rows(tasks) => array(&mut out, tasks, |out, task| task.write_json(out)),
            Self::Ids(ids) => array(&mut out, ids, |out, id| push_text(out, id)),
            Self::Status(Some((id, status))) => {
                out.push_str("{\"id\":");
                push_text(&mut out, id);
                out.push_str(",\"status\":");
                push_text(&mut out, status.as_str());
                out.push('}');
            }
            Self::Stats(counts) => array(&mut out, counts, |out, (queue, status, count)| {
                out.push('[');
                push_text(out, queue);
                out.push(',');
                push_text(out, status);
                out.push(',');
                push_display(out, count);
                out.push(']');
            }),
            Self::Renewed(flags) => array(&mut out, flags, |out, (id, cancel)| {
                out.push('[');
                push_text(out, id);
                out.push(',');
                push_display(out, cancel);
                out.push(']');
            }),
        }
        out
    }
}

/// Appends a JSON array, one `write` per item.
pub fn array<T>(out: &mut String, items: &[T], write: impl Fn(&mut String, &T)) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}
