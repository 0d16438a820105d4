//! Postgres's and the driver's errors in our terms, and what each says about trying again.

use std::time::Duration;

use sqlx::postgres::PgDatabaseError;

use crate::error::Error;

/// Why an attempt at an operation ended.
#[derive(Debug)]
pub(super) enum Failure {
    /// The driver or the server.
    Sql(sqlx::Error),
    /// A decision of ours inside the transaction, such as a key that is taken.
    Refused(Error),
    /// The server did not answer and no longer knows the statement.
    Unanswered(Duration),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

/// What a failure says about the connection and about trying again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The connection is gone, and with it the knowledge whether the statement took effect.
    Lost,
    /// The server undid the transaction for the sake of another one: nothing took effect.
    Conflict,
    /// A statement prepared before the schema changed: nothing took effect, a new connection prepares it anew.
    Stale,
    /// A value the database cannot hold: nothing took effect, and never will.
    Value,
    /// Anything else.
    Other,
}

impl Failure {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Refused(_) => Kind::Other,
            Self::Unanswered(_) => Kind::Lost,
            Self::Sql(error) => match server_error(error) {
                Some(server) => kind_of_code(server.code()),
                None if is_broken(error) => Kind::Lost,
                None => Kind::Other,
            },
        }
    }

    pub(super) fn error(&self) -> Error {
        match self {
            Self::Refused(error) => error.clone(),
            Self::Sql(error) => database(error),
            Self::Unanswered(waited) => Error::Database {
                code: None,
                message: format!(
                    "the Postgres server did not answer for {} ms",
                    waited.as_millis()
                ),
                passing: true,
            },
        }
    }

    pub(super) fn into_error(self) -> Error {
        self.error()
    }

    /// What a task's own value is refused with.
    pub(super) fn into_value_error(self) -> Error {
        match self.kind() {
            Kind::Value => Error::Serialization(self.error().to_string()),
            _ => self.error(),
        }
    }
}

fn server_error(error: &sqlx::Error) -> Option<&PgDatabaseError> {
    error
        .as_database_error()
        .and_then(|error| error.try_downcast_ref::<PgDatabaseError>())
}

fn kind_of_code(code: &str) -> Kind {
    match code {
        // Serialization failure, deadlock.
        "40001" | "40P01" => Kind::Conflict,
        // "cached plan must not change result type"; a prepared statement that a pooler or DISCARD took away.
        "0A000" | "26000" => Kind::Stale,
        // A transaction cut for idling, a statement that outlived the server's patience for a session, and the ways in
        // which an administrator or a crash ends one.
        "25P03" | "57P01" | "57P02" | "57P03" | "57P04" | "57P05" => Kind::Lost,
        _ if code.starts_with("08") => Kind::Lost,
        // Data exceptions and program limits: \u0000 or a lone surrogate in jsonb, nesting, 256 MB.
        _ if code.starts_with("22") || code.starts_with("54") => Kind::Value,
        _ => Kind::Other,
    }
}

/// Whether the driver, not the server, says that the connection cannot be used any more.
fn is_broken(error: &sqlx::Error) -> bool {
    matches!(
        error,
        sqlx::Error::Io(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
    )
}

/// The error of a statement or of a connection attempt. The driver's texts never hold a password.
pub(super) fn database(error: &sqlx::Error) -> Error {
    match server_error(error) {
        Some(server) => Error::Database {
            code: Some(server.code().to_owned()),
            message: server.message().to_owned(),
            passing: is_passing(server.code()),
        },
        None => Error::Database {
            code: None,
            message: error.to_string(),
            passing: is_broken(error),
        },
    }
}

fn is_passing(code: &str) -> bool {
    matches!(code.get(..2), Some("08" | "40" | "53"))
        // Read-only transaction, lock timeout, query canceled, I/O error.
        || matches!(code, "25006" | "55P03" | "57014" | "58030" | "25P03")
        || code.starts_with("57P")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_pass_by_themselves() {
        for code in [
            "08006", "25006", "40001", "40P01", "53100", "53300", "55P03", "57P01", "57P03",
            "57014",
        ] {
            assert!(is_passing(code), "{code}");
        }
        for code in ["22P02", "23505", "28P01", "3D000", "42P01", "42501"] {
            assert!(!is_passing(code), "{code}");
        }
    }

    #[test]
    fn a_value_is_told_from_a_fault() {
        assert_eq!(kind_of_code("22P05"), Kind::Value);
        assert_eq!(kind_of_code("54001"), Kind::Value);
        assert_eq!(kind_of_code("57P01"), Kind::Lost);
        assert_eq!(kind_of_code("0A000"), Kind::Stale);
        assert_eq!(kind_of_code("42P01"), Kind::Other);
    }

    #[test]
    fn a_broken_connection_passes_and_has_no_code() {
        let error = sqlx::Error::Io(std::io::ErrorKind::UnexpectedEof.into());
        let Error::Database { code, passing, .. } = database(&error) else {
            panic!("a database error")
        };
        assert_eq!((code, passing), (None, true));
        assert_eq!(Failure::from(error).kind(), Kind::Lost);
    }
}
