//! What can go wrong, with the facts a caller needs to act: one enum from the database up to JavaScript.

use serde_json::{Map, Value, json};

/// Everything an operation can reject with. Cloned when one cause fails a whole group of operations.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An owned write found the task no longer leased to this worker.
    #[error("lost lease on task {task_id}")]
    LostLease {
        /// The task whose lease is gone.
        task_id: String,
    },
    /// A keyed submit with conflict `reject` found a task under the key.
    #[error("task with key {key} already exists")]
    AlreadyExists {
        /// The key that is taken.
        key: String,
    },
    /// The database speaks another protocol version.
    #[error("storage protocol_version={version}, SDK supports 1")]
    ProtocolVersionMismatch {
        /// What the database says; `0` when the row is missing.
        version: String,
    },
    /// A value that the database cannot hold as JSON.
    #[error("{0}")]
    Serialization(String),
    /// The database or its driver refused.
    #[error("{message}")]
    Database {
        /// The driver's code: `SQLITE_BUSY`, an SQLSTATE such as `25006`; none for a broken connection.
        code: Option<String>,
        /// The driver's message, with the file's name where that helps.
        message: String,
        /// Whether the same statement may succeed later without anyone changing it.
        passing: bool,
    },
    /// An argument that JavaScript should not have let through.
    #[error("{0}")]
    Invalid(String),
    /// An error of a replaced store method, as the JSON it came as and goes back as.
    #[error("a replaced store method failed: {0}")]
    Foreign(String),
    /// A fault of ours; the text says where.
    #[error("internal error: {0}")]
    Internal(String),
}

/// The result of everything that touches a database.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Whether trying again later, unchanged, makes sense: busy, full disk, dropped connection.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Database { passing: true, .. })
    }

    /// A database without our tables, opened by somebody who must not make them.
    #[must_use]
    pub fn no_tables(name: &str) -> Self {
        Self::Database {
            code: Some("CAIRNQ_NO_TABLES".to_owned()),
            message: format!(
                "{name} has no cairnq tables: a worker or client that opens it makes them"
            ),
            passing: true,
        }
    }

    /// The lease of `task_id` is gone.
    #[must_use]
    pub fn lost(task_id: &str) -> Self {
        Self::LostLease {
            task_id: task_id.to_owned(),
        }
    }

    /// The text JavaScript rebuilds the error class from.
    #[must_use]
    pub fn to_json(&self) -> String {
        if let Self::Foreign(json) = self {
            return json.clone();
        }
        let mut fields = Map::new();
        fields.insert("message".into(), Value::String(self.to_string()));
        let name = match self {
            Self::LostLease { task_id } => {
                fields.insert("taskId".into(), json!(task_id));
                "LostLease"
            }
            Self::AlreadyExists { key } => {
                fields.insert("key".into(), json!(key));
                "AlreadyExists"
            }
            Self::ProtocolVersionMismatch { version } => {
                fields.insert("version".into(), json!(version));
                "ProtocolVersionMismatch"
            }
            Self::Serialization(_) => "SerializationError",
            Self::Database { code, .. } => {
                if let Some(code) = code {
                    fields.insert("code".into(), json!(code));
                }
                "Error"
            }
            Self::Invalid(_) | Self::Foreign(_) | Self::Internal(_) => "Error",
        };
        fields.insert("name".into(), json!(name));
        Value::Object(fields).to_string()
    }
}
