//! What is asked of the loop, and what it answers.

use std::time::Duration;

use serde::Deserialize;

/// Read from the one argument, JSON.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    pub backend: Backend,
    pub work: Work,
    /// A migrated database: a file's path, or a DSN.
    pub target: String,
    /// How many tasks: to insert, or queued and waiting to be drained.
    pub tasks: usize,
    /// Tasks per transaction.
    pub batch: usize,
    /// JSON text of each task inserted.
    #[serde(default = "empty_object")]
    pub payload: String,
    /// The handler's name and the queue, as the template was filled.
    pub name: String,
    pub queue: String,
}

fn empty_object() -> String {
    "{}".to_owned()
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    Sqlite,
    Postgres,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// Settle what was claimed and claim the next, in one transaction, until nothing is queued.
    Drain,
    /// Insert, one transaction per batch.
    Insert,
}

/// One answer.
#[derive(Debug)]
pub struct Measured {
    pub tasks: usize,
    pub transactions: usize,
    pub elapsed: Duration,
}

impl Measured {
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "tasks": self.tasks,
            "transactions": self.transactions,
            "seconds": self.elapsed.as_secs_f64(),
        })
    }

    /// Refuses a rate over work that was not all done.
    pub fn checked(self, expected: usize) -> Result<Self, Box<dyn std::error::Error>> {
        if self.tasks == expected {
            Ok(self)
        } else {
            Err(format!("{} of {expected} tasks were done", self.tasks).into())
        }
    }
}

/// A task as a handler would be given it. Nothing looks at it here; building it is part of claiming.
#[derive(Debug)]
#[allow(dead_code)]
pub struct Claimed {
    pub id: String,
    pub name: String,
    pub queue: String,
    pub payload: String,
    pub metadata: String,
    pub attempt: i64,
    pub max_attempts: i64,
    pub root_id: Option<String>,
    pub correlation_id: Option<String>,
}
