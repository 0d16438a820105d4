//! Where a database is: a path, a `file:` URI, or memory.
//!
//! A store names one file for as long as it lives, so a relative path is made absolute when the store is made: its
//! connections are opened at different times, and the program may change its directory in between.

use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::{errors, isolation};
use crate::error::Result;

/// Statements a connection keeps prepared; more than the protocol has.
const STATEMENT_CACHE: usize = 64;

/// Where a store's database is.
#[derive(Debug, Clone)]
pub(super) struct Location {
    name: String,
    place: Place,
}

#[derive(Debug, Clone)]
enum Place {
    /// A private database that lives as long as its connection.
    Memory,
    File {
        path: PathBuf,
        /// What `SQLite` is given: the path, or the URI with its parameters.
        open: PathBuf,
        uri: bool,
        read_only: bool,
    },
}

impl Location {
    pub(super) fn new(target: &str) -> Self {
        let place = match target.strip_prefix("file:") {
            Some(uri) => from_uri(target, uri),
            None if target.is_empty() || target == ":memory:" => Place::Memory,
            None => {
                let path = absolute(Path::new(target));
                Place::File {
                    open: path.clone(),
                    path,
                    uri: false,
                    read_only: false,
                }
            }
        };
        let name = match &place {
            Place::Memory => ":memory:".to_owned(),
            Place::File { path, .. } => path.display().to_string(),
        };
        Self { name, place }
    }

    /// The text errors name the database by.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn is_memory(&self) -> bool {
        matches!(self.place, Place::Memory)
    }

    /// The file, unless the database is in memory. Always absolute; symbolic links are not resolved.
    pub(super) fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Memory => None,
            Place::File { path, .. } => Some(path),
        }
    }

    /// Whether the URI says that the file may only be read.
    pub(super) fn is_read_only(&self) -> bool {
        matches!(
            self.place,
            Place::File {
                read_only: true,
                ..
            }
        )
    }

    /// A connection. Without `create` a missing file is an error instead of an empty database.
    pub(super) fn connect(&self, create: bool) -> Result<Connection> {
        isolation::install();
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags.set(OpenFlags::SQLITE_OPEN_CREATE, create);
        if let Some(path) = self.path()
            && !create
            && path.try_exists().is_ok_and(|exists| !exists)
        {
            return Err(errors::file(
                "SQLITE_CANTOPEN",
                "the database file is gone; put it back, or close the store to start a new one",
                &self.name,
            ));
        }
        let opened = match &self.place {
            Place::Memory => Connection::open_with_flags(":memory:", flags),
            Place::File { open, uri, .. } => {
                flags.set(OpenFlags::SQLITE_OPEN_URI, *uri);
                Connection::open_with_flags(open, flags)
            }
        };
        let connection = opened.map_err(|error| errors::database(&self.name, &error))?;
        connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
        // A plan that may depend on values is made anew for each of them, at the cost of a small transaction. Ours name
        // their indexes.
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
            .map_err(|error| errors::database(&self.name, &error))?;
        Ok(connection)
    }
}

fn from_uri(target: &str, uri: &str) -> Place {
    let uri = uri.split('#').next().unwrap_or_default();
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    // file:///abs and file://localhost/abs name the same file as file:/abs; SQLite refuses any other host.
    let (host, path) = match path.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", path),
    };
    let path = percent_decode(path);
    let has = |wanted: fn(&str) -> bool| query.split('&').any(|word| wanted(&percent_decode(word)));
    if has(|word| matches!(word, "mode=memory" | "vfs=memdb"))
        || path == ":memory:"
        || path.is_empty()
    {
        return Place::Memory;
    }
    if !matches!(host, "" | "localhost") {
        return Place::File {
            path: PathBuf::from(path),
            open: PathBuf::from(target),
            uri: true,
            read_only: false,
        };
    }
    let path = absolute(Path::new(without_slash_before_drive(&path)));
    let mut open = format!("file:{}", percent_encode(&path));
    if !query.is_empty() {
        open.push('?');
        open.push_str(query);
    }
    Place::File {
        path,
        open: PathBuf::from(open),
        uri: true,
        read_only: has(|word| word == "mode=ro" || is_immutable(word)),
    }
}

/// As `SQLite` reads a yes: a word for it, or a number other than 0.
fn is_immutable(word: &str) -> bool {
    word.strip_prefix("immutable=").is_some_and(|value| {
        let yes = ["yes", "true", "on"];
        yes.iter().any(|yes| value.eq_ignore_ascii_case(yes))
            || value.parse::<i32>().is_ok_and(|number| number != 0)
    })
}

/// Of the current directory only when there is one: a path that cannot be resolved fails when it is opened.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// `/C:/tasks.db`, as a URI spells it, is `C:/tasks.db` to Windows.
fn without_slash_before_drive(path: &str) -> &str {
    let bytes = path.as_bytes();
    let drive =
        bytes.len() > 2 && bytes[0] == b'/' && bytes[1].is_ascii_alphabetic() && bytes[2] == b':';
    if cfg!(windows) && drive {
        &path[1..]
    } else {
        path
    }
}

fn percent_encode(path: &Path) -> String {
    let mut text = path.display().to_string();
    if cfg!(windows) {
        text = format!("/{}", text.replace('\\', "/"));
    }
    text.replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23")
}

fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let escape = (bytes[index] == b'%')
            .then(|| text.get(index + 1..index + 3))
            .flatten();
        if let Some(byte) = escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            decoded.push(byte);
            index += 3;
        } else {
            decoded.push(bytes[index]);
            index += 1;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
