//! What the keywords mean: hosts to try, how to log in, how to protect the connection.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::hosts::{Host, hosts};
use super::{Keywords, invalid};
use crate::error::Result;

/// libpq waits for ever by default, and then for the kernel; a store that cannot tell is worse than one that retries.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// libpq rounds a timeout of one second up, because it counts whole ones.
const SHORTEST_CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Where libpq looks for certificates, below the home directory.
const HOME_FOLDER: &str = ".postgresql";

/// libpq's `sslmode`, and the one node-postgres adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SslMode {
    Disable,
    Allow,
    Prefer,
    Require,
    /// Encrypted, and the certificate is not looked at even when a root is given (node-postgres).
    NoVerify,
    VerifyCa,
    VerifyFull,
}

/// Everything a connection needs. Its `Debug` does not show the password.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) hosts: Vec<Host>,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) database: Option<String>,
    pub(crate) ssl_mode: SslMode,
    /// The file of trusted roots; `system` for the ones everybody trusts.
    pub(crate) ssl_root_cert: Option<String>,
    pub(crate) ssl_cert: Option<String>,
    pub(crate) ssl_key: Option<String>,
    pub(crate) application_name: Option<String>,
    /// Command-line options for the server process, as libpq spells them.
    pub(crate) options: Option<String>,
    /// How long one attempt at one host may take.
    pub(crate) connect_timeout: Duration,
    /// Whether only a server that takes writes will do.
    pub(crate) read_write: bool,
    /// Whether a pooler is in between, from the DSN.
    pub(crate) pooler: bool,
}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Target")
            .field("hosts", &self.hosts)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

impl Target {
    /// Interprets keywords; `variable` reads the environment.
    pub(crate) fn new(
        keywords: &Keywords,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let get = |key: &str, name: &str| {
            keywords
                .get(key)
                .map(str::to_owned)
                .or_else(|| variable(name).filter(|value| !value.is_empty()))
        };
        let home_file = |name: &str| {
            let path = PathBuf::from(variable("HOME")?)
                .join(HOME_FOLDER)
                .join(name);
            path.is_file().then(|| path.to_string_lossy().into_owned())
        };
        let ssl_root_cert = get("sslrootcert", "PGSSLROOTCERT");
        let mode = get("sslmode", "PGSSLMODE");
        let ssl_mode = match (mode.as_deref(), ssl_root_cert.as_deref()) {
            (None, Some("system")) => SslMode::VerifyFull,
            (None, _) => SslMode::Prefer,
            (Some(word), _) => ssl_mode(word)?,
        };
        if ssl_root_cert.as_deref() == Some("system") && ssl_mode != SslMode::VerifyFull {
            return Err(invalid("sslrootcert=system asks for sslmode=verify-full"));
        }
        let read_write = match get("target_session_attrs", "PGTARGETSESSIONATTRS").as_deref() {
            None | Some("any" | "prefer-standby") => false,
            Some("read-write" | "primary") => true,
            Some(_) => {
                return Err(invalid(
                    "target_session_attrs must be any, read-write or primary",
                ));
            }
        };
        Ok(Self {
            hosts: hosts(
                get("host", "PGHOST").as_deref(),
                get("hostaddr", "PGHOSTADDR").as_deref(),
                get("port", "PGPORT").as_deref(),
            )?,
            user: get("user", "PGUSER"),
            password: get("password", "PGPASSWORD"),
            database: get("dbname", "PGDATABASE"),
            ssl_mode,
            ssl_root_cert: ssl_root_cert.or_else(|| home_file("root.crt")),
            ssl_cert: get("sslcert", "PGSSLCERT").or_else(|| home_file("postgresql.crt")),
            ssl_key: get("sslkey", "PGSSLKEY").or_else(|| home_file("postgresql.key")),
            application_name: get("application_name", "PGAPPNAME")
                .or_else(|| keywords.get("fallback_application_name").map(str::to_owned)),
            options: get("options", "PGOPTIONS"),
            connect_timeout: connect_timeout(
                get("connect_timeout", "PGCONNECT_TIMEOUT").as_deref(),
            )?,
            read_write,
            pooler: keywords.get("pgbouncer") == Some("true"),
        })
    }
}

fn ssl_mode(word: &str) -> Result<SslMode> {
    Ok(match word {
        "disable" => SslMode::Disable,
        "allow" => SslMode::Allow,
        "prefer" => SslMode::Prefer,
        "require" => SslMode::Require,
        "no-verify" => SslMode::NoVerify,
        "verify-ca" => SslMode::VerifyCa,
        "verify-full" => SslMode::VerifyFull,
        _ => {
            return Err(invalid(
                "sslmode must be disable, allow, prefer, require, verify-ca, verify-full or no-verify",
            ));
        }
    })
}

fn connect_timeout(text: Option<&str>) -> Result<Duration> {
    let Some(text) = text else {
        return Ok(CONNECT_TIMEOUT);
    };
    let seconds: i64 = text
        .trim()
        .parse()
        .map_err(|_| invalid("connect_timeout must be a number of seconds"))?;
    Ok(u64::try_from(seconds)
        .ok()
        .filter(|seconds| *seconds > 0)
        .map_or(CONNECT_TIMEOUT, |seconds| {
            Duration::from_secs(seconds).max(SHORTEST_CONNECT_TIMEOUT)
        }))
}

#[cfg(test)]
mod tests;
