//! TLS with libpq's meaning of `sslmode`.
//!
//! The driver's own handshake always trusts the roots it was built with beside the ones it is given, refuses a self-signed
//! certificate that is its own root, and checks the very name it connects to. So it only serves where the certificate is
//! not looked at; where it is, the handshake is ours and the driver gets the secured stream through a [`tunnel`].

mod door;
mod trust;
mod tunnel;
mod verifier;

use std::path::Path;

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use tokio_rustls::rustls::pki_types::ServerName;

use super::dsn::{Host, SslMode, Target};
use crate::error::{Error, Result};

/// `sslrootcert=system`: the roots the operating system trusts.
const SYSTEM: &str = "system";

/// One way to protect a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protection {
    /// No TLS.
    Plain,
    /// TLS if the server offers it; the certificate is not looked at.
    Offered,
    /// TLS; the certificate is not looked at.
    Encrypted,
    /// TLS; a trusted root has signed the certificate.
    Trusted,
    /// TLS; a trusted root has signed the certificate, and it is for this host.
    Verified,
}

/// The ways to protect a connection to `host`, in the order libpq tries them.
pub(super) fn attempts(target: &Target, host: &Host) -> Result<Vec<Protection>> {
    use Protection::{Encrypted, Offered, Plain, Trusted, Verified};
    if host.is_socket() {
        // libpq never encrypts a socket, whatever the mode.
        return Ok(vec![Plain]);
    }
    let rooted = match target.ssl_root_cert.as_deref() {
        None => false,
        Some(SYSTEM) => true,
        Some(file) => is_there(file, target.ssl_mode)?,
    };
    Ok(match target.ssl_mode {
        SslMode::Disable => vec![Plain],
        // With a root at hand, the modes that ask for no check make one all the same.
        SslMode::Allow if rooted => vec![Plain, Trusted],
        SslMode::Allow => vec![Plain, Encrypted],
        SslMode::Prefer if rooted => vec![Trusted, Plain],
        SslMode::Prefer => vec![Offered, Plain],
        SslMode::Require if rooted => vec![Trusted],
        SslMode::Require | SslMode::NoVerify => vec![Encrypted],
        SslMode::VerifyCa | SslMode::VerifyFull if !rooted => {
            return Err(Error::Invalid(
                "sslmode=verify-ca and verify-full need a root certificate: give sslrootcert, \
                 put one at ~/.postgresql/root.crt, or say sslrootcert=system"
                    .to_owned(),
            ));
        }
        SslMode::VerifyCa => vec![Trusted],
        SslMode::VerifyFull => vec![Verified],
    })
}

/// Whether the file of roots exists. libpq does without it, except where a check was asked for by name.
fn is_there(file: &str, mode: SslMode) -> Result<bool> {
    if Path::new(file).exists() {
        return Ok(true);
    }
    if matches!(mode, SslMode::VerifyCa | SslMode::VerifyFull) {
        return Err(Error::Invalid(format!(
            "the root certificate file {file} does not exist: correct sslrootcert, say sslrootcert=system, \
             or choose an sslmode that does not check the server's certificate"
        )));
    }
    if !matches!(mode, SslMode::Disable | SslMode::NoVerify) {
        tracing::warn!(
            file,
            "sslrootcert does not exist, so the server's certificate is not checked"
        );
    }
    Ok(false)
}

/// The options to connect with, once TLS stands if the certificate is to be checked.
pub(super) async fn protect(
    options: PgConnectOptions,
    target: &Target,
    host: &Host,
    protection: Protection,
) -> sqlx::Result<PgConnectOptions> {
    let mode = match protection {
        Protection::Plain => PgSslMode::Disable,
        Protection::Offered => PgSslMode::Prefer,
        Protection::Encrypted => PgSslMode::Require,
        Protection::Trusted | Protection::Verified => {
            let by_name = protection == Protection::Verified;
            let name = peer_name(host, by_name)?;
            let config = trust::config(target, by_name).await?;
            return tunnel::through(options, target, host, name, config).await;
        }
    };
    let options = options.ssl_mode(mode);
    Ok(match (&target.ssl_cert, &target.ssl_key) {
        (Some(cert), Some(key)) => options.ssl_client_cert(cert).ssl_client_key(key),
        _ => options,
    })
}

/// The name to ask the server for, which is the one its certificate has to carry when it is checked `by_name`.
fn peer_name(host: &Host, by_name: bool) -> sqlx::Result<ServerName<'static>> {
    if by_name && host.name.is_none() {
        return Err(sqlx::Error::Tls(
            "sslmode=verify-full checks the certificate against host, and only hostaddr was given"
                .into(),
        ));
    }
    ServerName::try_from(host.label().to_owned()).map_err(|error| sqlx::Error::Tls(error.into()))
}

/// Whether a server that answered with this code may still take a connection that is protected another way: no line of
/// its `pg_hba.conf` lets this kind in.
pub(super) fn may_prefer_another(code: &str) -> bool {
    code == "28000"
}
