//! Making a connection: which server, how protected, and the settings every statement counts on.

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::timeout;

use super::conn::Conn;
use super::dsn::{self, Host, Target};
use super::errors::{Failure, Kind};
use super::options::PostgresOptions;
use super::tls::{self, Protection};
use crate::error::{Error, Result};

/// One way to try: a host, and how the connection to it is protected.
pub(super) struct Candidate {
    host: Host,
    login: PgConnectOptions,
    protection: Protection,
}

/// Statements a connection keeps prepared: each shape of a claim is one.
const STATEMENT_CACHE: usize = 256;

/// Makes connections of one store.
pub(super) struct Connector {
    target: Target,
    schema: Option<String>,
    pooler: bool,
}

impl Connector {
    pub(super) fn new(dsn: &str, options: &PostgresOptions) -> Result<Self> {
        let target = Target::new(&dsn::parse(dsn)?, |name| std::env::var(name).ok())?;
        let pooler = options.pooler.unwrap_or(target.pooler);
        Ok(Self {
            target,
            schema: options.schema.clone(),
            pooler,
        })
    }

    /// Whether nothing outlives a transaction.
    pub(super) fn is_pooler(&self) -> bool {
        self.pooler
    }

    pub(super) fn schema(&self) -> Option<&str> {
        self.schema.as_deref()
    }

    /// A connection that is ready for work. Hosts are tried in order; the error is the last one's.
    pub(super) async fn connect(&self) -> Result<Conn> {
        let mut failed = None;
        for candidate in self.candidates()? {
            match self.attempt(&candidate).await {
                Ok(conn) => return Ok(conn),
                Err(Attempt::Unfit(error)) => failed = Some(error),
                Err(Attempt::Failed(failure)) => {
                    let refused = refuses_us(&failure);
                    let error = explain(&candidate.host, failure);
                    if refused {
                        return Err(error);
                    }
                    failed = Some(error);
                }
            }
        }
        Err(failed.unwrap_or_else(|| Error::Internal("a DSN without a host".to_owned())))
    }

    /// Every way to try, in order.
    pub(super) fn candidates(&self) -> Result<Vec<Candidate>> {
        let mut candidates = Vec::new();
        for host in &self.target.hosts {
            for protection in tls::attempts(&self.target, host)? {
                candidates.push(Candidate {
                    host: host.clone(),
                    login: self.login(host)?,
                    protection,
                });
            }
        }
        Ok(candidates)
    }

    /// The options for one connection.
    pub(super) async fn options(&self, candidate: &Candidate) -> sqlx::Result<PgConnectOptions> {
        let Candidate {
            host,
            login,
            protection,
        } = candidate;
        tls::protect(login.clone(), &self.target, host, *protection).await
    }

    /// How long one attempt may take.
    pub(super) fn patience(&self) -> Duration {
        self.target.connect_timeout
    }

    /// The driver reads `.pgpass` for a URL, and takes server options as they are only from one. The password is never
    /// part of it.
    fn login(&self, host: &Host) -> Result<PgConnectOptions> {
        let target = &self.target;
        let mut url = format!(
            "postgres://{}@{}:{}/{}",
            escaped(target.user.as_deref().unwrap_or_default()),
            if host.is_socket() {
                escaped(host.reach())
            } else if is_plain(host.label()) {
                // The line of a password file is looked for under the name in the URL.
                host.label().to_owned()
            } else {
                "localhost".to_owned()
            },
            host.port,
            escaped(target.database.as_deref().unwrap_or_default()),
        );
        if let Some(options) = &target.options {
            url.push_str("?options=");
            url.push_str(&escaped(options));
        }
        let mut options = PgConnectOptions::from_str(&url)
            .map_err(|_| Error::Invalid("invalid Postgres connection string".to_owned()))?
            .statement_cache_capacity(STATEMENT_CACHE)
            .disable_statement_logging();
        if !host.is_socket() {
            options = options.host(host.reach());
        }
        if self.pooler {
            // A start-up parameter that pgbouncer does not track is refused.
            options = options.extra_float_digits(None);
        }
        if let Some(password) = &target.password {
            options = options.password(password);
        }
        if let Some(name) = &target.application_name {
            options = options.application_name(name);
        }
        Ok(options)
    }

    async fn attempt(&self, candidate: &Candidate) -> std::result::Result<Conn, Attempt> {
        let patience = self.patience();
        let ready = async {
            let pg = PgConnection::connect_with(&self.options(candidate).await?).await?;
            let mut conn = Conn::new(pg, self.pooler, self.schema.clone());
            let facts = conn.settle_in().await?;
            Ok::<_, sqlx::Error>((conn, facts))
        };
        let (conn, read_only) = match timeout(patience, ready).await {
            Ok(Ok(ready)) => ready,
            Ok(Err(error)) => return Err(Attempt::Failed(error.into())),
            Err(_) => return Err(Attempt::Failed(Failure::Unanswered(patience))),
        };
        if self.target.read_write && read_only {
            return Err(Attempt::Unfit(Error::Database {
                code: Some("25006".to_owned()),
                message: "the server does not take writes, and target_session_attrs asks for one that does".to_owned(),
                passing: true,
            }));
        }
        Ok(conn)
    }
}

/// Whether the server was reached and does not want us: libpq then asks no other host.
fn refuses_us(failure: &Failure) -> bool {
    let Failure::Sql(sqlx::Error::Database(error)) = failure else {
        return false;
    };
    error.code().is_some_and(|code| {
        (code.starts_with("28") || code.starts_with("3D")) && !tls::may_prefer_another(&code)
    })
}

/// The error with the server's name, which the driver leaves out.
fn explain(host: &Host, failure: Failure) -> Error {
    let lost = failure.kind() == Kind::Lost;
    match failure.into_error() {
        Error::Database {
            code: None,
            message,
            passing,
        } if lost => Error::Database {
            code: None,
            message: format!(
                "cannot reach Postgres at {}:{}: {message}",
                host.label(),
                host.port
            ),
            passing,
        },
        error => error,
    }
}

/// Whether a URL takes the name as it is: one with brackets or other characters is set apart from it.
fn is_plain(host: &str) -> bool {
    host.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
}

/// Why one attempt did not give a connection.
enum Attempt {
    Failed(Failure),
    Unfit(Error),
}

fn escaped(text: &str) -> String {
    use std::fmt::Write as _;
    text.bytes()
        .fold(String::with_capacity(text.len()), |mut out, byte| {
            if byte.is_ascii_alphanumeric() {
                out.push(char::from(byte));
            } else {
                // Writing to a String cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
            out
        })
}
