//! What a caller may choose about a Postgres store.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::protocol::MigrateTo;

/// Options of a Postgres store, from the JSON of the JavaScript side.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PostgresOptions {
    /// Connections for everything but renewals and LISTEN, which have one of their own each. Default 10, at least 1.
    pub max: Option<usize>,
    /// The schema of tables, trigger and channels, made when missing. Default: wherever `search_path` leads.
    pub schema: Option<String>,
    /// How far to migrate: to level 6, or with `"latest"` to the newest level known.
    pub migrate: Option<MigrateTo>,
    /// Whether the server is reached through a pooler that hands out a connection per transaction, such as pgbouncer in
    /// transaction mode: nothing then outlives a transaction, and there are no push wake-ups. Default false; the DSN
    /// parameter `pgbouncer=true` says the same.
    pub pooler: Option<bool>,
}

const DEFAULT_MAX: usize = 10;

/// A schema's name is an identifier: it has room for 63 bytes.
const MAX_SCHEMA_BYTES: usize = 63;

impl PostgresOptions {
    /// Refuses what no database could serve.
    pub(super) fn checked(self) -> Result<Self> {
        if self.max == Some(0) {
            return Err(Error::Invalid(
                "max must be an integer >= 1, got 0".to_owned(),
            ));
        }
        if let Some(schema) = &self.schema
            && (schema.is_empty() || schema.len() > MAX_SCHEMA_BYTES || schema.contains('\0'))
        {
            return Err(Error::Invalid(format!(
                "schema must be a name of 1 to {MAX_SCHEMA_BYTES} bytes, got {schema:?}"
            )));
        }
        Ok(self)
    }

    pub(super) fn max(&self) -> usize {
        self.max.unwrap_or(DEFAULT_MAX)
    }
}
