//! `SQLite`'s errors in our terms: the code stays, and a fault of the file names the file.

use rusqlite::ErrorCode;

use crate::error::Error;

/// The error of a statement on the database at `path`.
pub(super) fn database(path: &str, error: &rusqlite::Error) -> Error {
    let rusqlite::Error::SqliteFailure(cause, text) = error else {
        return Error::Database {
            code: None,
            message: error.to_string(),
            passing: false,
        };
    };
    let Kind {
        code,
        passing,
        names_file,
    } = describe(cause.code);
    let text = text.clone().unwrap_or_else(|| cause.to_string());
    // The low byte is the code itself; the rest says which kind of it, for whoever looks it up.
    let message = match cause.extended_code {
        _ if !names_file => text,
        extended if extended > 0xff => format!("{text} ({code} {extended}, {path})"),
        _ => format!("{text} ({code}, {path})"),
    };
    Error::Database {
        code: Some(code.to_owned()),
        message,
        passing,
    }
}

/// Whether another connection's lock is in the way, and trying again will do.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// The same of an error in our terms.
pub(super) fn is_lock(error: &Error) -> bool {
    matches!(error, Error::Database { code: Some(code), .. } if code == "SQLITE_BUSY" || code == "SQLITE_LOCKED")
}

/// Another process held the write lock for as long as the caller was willing to wait.
pub(super) fn busy() -> Error {
    Error::Database {
        code: Some("SQLITE_BUSY".to_owned()),
        message: "database is locked".to_owned(),
        passing: true,
    }
}

/// A fault of the file at `path` that `SQLite` does not notice by itself.
pub(super) fn file(code: &str, text: &str, path: &str) -> Error {
    Error::Database {
        code: Some(code.to_owned()),
        message: format!("{text} ({code}, {path})"),
        passing: true,
    }
}

/// Whether a connection that met `error` may go on failing after its cause is gone: it holds what it has read, and
/// stays read-only when it was opened so.
pub(super) fn spoils_connection(error: &Error) -> bool {
    let Error::Database {
        code: Some(code), ..
    } = error
    else {
        return false;
    };
    matches!(
        code.as_str(),
        "SQLITE_CORRUPT"
            | "SQLITE_NOTADB"
            | "SQLITE_IOERR"
            | "SQLITE_CANTOPEN"
            | "SQLITE_READONLY"
            | "SQLITE_PROTOCOL"
    )
}

struct Kind {
    /// `SQLite`'s name of it.
    code: &'static str,
    /// Whether it may pass by itself.
    passing: bool,
    /// Whether the file is what is wrong.
    names_file: bool,
}

fn describe(code: ErrorCode) -> Kind {
    let (code, passing, names_file) = match code {
        ErrorCode::DatabaseBusy => ("SQLITE_BUSY", true, false),
        ErrorCode::DatabaseLocked => ("SQLITE_LOCKED", true, false),
        ErrorCode::DiskFull => ("SQLITE_FULL", true, true),
        ErrorCode::ReadOnly => ("SQLITE_READONLY", true, true),
        ErrorCode::SystemIoFailure => ("SQLITE_IOERR", true, true),
        ErrorCode::CannotOpen => ("SQLITE_CANTOPEN", true, true),
        ErrorCode::OutOfMemory => ("SQLITE_NOMEM", true, false),
        ErrorCode::FileLockingProtocolFailed => ("SQLITE_PROTOCOL", true, true),
        ErrorCode::SchemaChanged => ("SQLITE_SCHEMA", true, false),
        ErrorCode::OperationInterrupted => ("SQLITE_INTERRUPT", true, false),
        ErrorCode::DatabaseCorrupt => ("SQLITE_CORRUPT", false, true),
        ErrorCode::NotADatabase => ("SQLITE_NOTADB", false, true),
        ErrorCode::PermissionDenied => ("SQLITE_PERM", false, true),
        ErrorCode::ConstraintViolation => ("SQLITE_CONSTRAINT", false, false),
        ErrorCode::TooBig => ("SQLITE_TOOBIG", false, false),
        ErrorCode::NoLargeFileSupport => ("SQLITE_NOLFS", false, true),
        _ => ("SQLITE_ERROR", false, false),
    };
    Kind {
        code,
        passing,
        names_file,
    }
}
