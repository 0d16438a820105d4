//! Where the database is and how to log in: the forms of a data source name, brought to libpq's keywords.
//!
//! Precedence as in libpq: the DSN, then the `PG*` variables, then the defaults. Nothing here does I/O, and no error
//! repeats the text it complains about, because that text may be a password.

mod hosts;
mod keyvalue;
mod target;
mod url;

use std::collections::BTreeMap;

pub(super) use hosts::Host;
pub(super) use target::{SslMode, Target};

use crate::error::{Error, Result};

/// libpq's keywords and their values, each decoded.
#[derive(Default, Clone, PartialEq, Eq)]
pub(super) struct Keywords(BTreeMap<String, String>);

impl Keywords {
    fn set(&mut self, key: &str, value: impl Into<String>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// The value, if there is one and it is not empty: libpq takes an empty value for an absent one.
    fn get(&self, key: &str) -> Option<&str> {
        self.0
            .get(key)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }
}

/// Reads a DSN in any of its forms.
pub(super) fn parse(dsn: &str) -> Result<Keywords> {
    if dsn.contains('\0') {
        return Err(invalid("it holds a NUL character"));
    }
    match ["postgres://", "postgresql://"]
        .iter()
        .find_map(|scheme| strip_scheme(dsn, scheme))
    {
        Some(rest) => url::parse(rest),
        None => keyvalue::parse(dsn),
    }
}

/// Schemes are compared without regard to case.
fn strip_scheme<'a>(dsn: &'a str, scheme: &str) -> Option<&'a str> {
    let start = dsn.get(..scheme.len())?;
    start
        .eq_ignore_ascii_case(scheme)
        .then(|| &dsn[scheme.len()..])
}

/// A DSN that cannot be used. `reason` must not quote it.
fn invalid(reason: &str) -> Error {
    Error::Invalid(format!("invalid Postgres connection string: {reason}"))
}
