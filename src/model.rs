//! A task as the database keeps it, and the words it is described with.

use std::fmt::Write as _;

use serde::Deserialize;

/// The five states of a task, spelled as the database spells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Waiting to be claimed, perhaps not due yet.
    Queued,
    /// Leased to a worker.
    Running,
    /// Ended with a result.
    Succeeded,
    /// Ended with an error.
    Failed,
    /// Ended because someone asked.
    Canceled,
}

impl Status {
    /// The database's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
        }
    }

    /// The state behind the database's word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "queued" => Self::Queued,
            "running" => Self::Running,
            "succeeded" => Self::Succeeded,
            "failed" => Self::Failed,
            "canceled" => Self::Canceled,
            _ => return None,
        })
    }

    /// Whether nothing but `retry` leads out of it.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Canceled)
    }
}

/// What a keyed submit does about the task already under its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conflict {
    /// Return it while it is queued or running.
    Reuse,
    /// Return it also once it has succeeded.
    ReuseSucceeded,
    /// Refuse.
    Reject,
    /// Cancel it if it is live, and take the key.
    Replace,
}

/// One row of `cairnq_tasks`. JSON columns stay the text they were written as.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    missing_docs,
    reason = "the fields are the columns that protocol/PROTOCOL.md describes"
)]
pub struct Task {
    pub id: String,
    pub name: String,
    pub queue: String,
    pub status: Status,
    pub payload: String,
    pub result: Option<String>,
    pub error: Option<String>,
    pub metadata: String,
    pub progress: Option<f64>,
    pub message: Option<String>,
    pub attempt: i64,
    pub max_attempts: i64,
    pub priority: i64,
    pub worker_id: Option<String>,
    pub lease_until_ms: Option<i64>,
    pub run_at_ms: i64,
    pub cancel_requested_at_ms: Option<i64>,
    pub parent_id: Option<String>,
    pub root_id: Option<String>,
    pub correlation_id: Option<String>,
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
    pub completed_at_ms: Option<i64>,
}

impl Task {
    /// Appends the row as one JSON object; the JSON columns are spliced in as they are, never parsed.
    pub fn write_json(&self, out: &mut String) {
        out.push_str("{\"id\":");
        push_text(out, &self.id);
        field(out, "name", |out| push_text(out, &self.name));
        field(out, "queue", |out| push_text(out, &self.queue));
        field(out, "status", |out| push_text(out, self.status.as_str()));
        field(out, "payload", |out| out.push_str(&self.payload));
        field(out, "metadata", |out| out.push_str(&self.metadata));
        field(out, "result", |out| push_raw(out, self.result.as_deref()));
        field(out, "error", |out| push_raw(out, self.error.as_deref()));
        field(out, "progress", |out| match self.progress {
            Some(value) if value.is_finite() => push_display(out, value),
            _ => out.push_str("null"),
        });
        field(out, "message", |out| {
            push_optional(out, self.message.as_deref());
        });
        field(out, "attempt", |out| push_display(out, self.attempt));
        field(out, "max_attempts", |out| {
            push_display(out, self.max_attempts);
        });
        field(out, "priority", |out| push_display(out, self.priority));
        field(out, "worker_id", |out| {
            push_optional(out, self.worker_id.as_deref());
        });
        field(out, "lease_until_ms", |out| {
            push_time(out, self.lease_until_ms);
        });
        field(out, "run_at_ms", |out| push_display(out, self.run_at_ms));
        field(out, "cancel_requested_at_ms", |out| {
            push_time(out, self.cancel_requested_at_ms);
        });
        field(out, "parent_id", |out| {
            push_optional(out, self.parent_id.as_deref());
        });
        field(out, "root_id", |out| {
            push_optional(out, self.root_id.as_deref());
        });
        field(out, "correlation_id", |out| {
            push_optional(out, self.correlation_id.as_deref());
        });
        field(out, "created_at_ms", |out| {
            push_display(out, self.created_at_ms);
        });
        field(out, "updated_at_ms", |out| {
            push_display(out, self.updated_at_ms);
        });
        field(out, "completed_at_ms", |out| {
            push_time(out, self.completed_at_ms);
        });
        out.push('}');
    }
}

fn field(out: &mut String, name: &str, value: impl FnOnce(&mut String)) {
    out.push_str(",\"");
    out.push_str(name);
    out.push_str("\":");
    value(out);
}

/// Appends `text` as a JSON string.
pub fn push_text(out: &mut String, text: &str) {
    // Serialising a str cannot fail: there is no custom Serialize in the way.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// Appends `text` as a JSON string, or `null`.
pub fn push_optional(out: &mut String, text: Option<&str>) {
    match text {
        Some(text) => push_text(out, text),
        None => out.push_str("null"),
    }
}

fn push_raw(out: &mut String, json: Option<&str>) {
    out.push_str(json.unwrap_or("null"));
}

fn push_time(out: &mut String, value: Option<i64>) {
    match value {
        Some(value) => push_display(out, value),
        None => out.push_str("null"),
    }
}

/// Appends a number in its plain spelling.
pub fn push_display(out: &mut String, value: impl std::fmt::Display) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{value}");
}

#[cfg(test)]
pub(crate) mod tests;
