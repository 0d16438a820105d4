//! Whom to trust and who we are: root certificates, and the client's own.

use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::SYSTEM;
use super::verifier::Verifier;
use crate::store::postgres::dsn::Target;

type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// What a handshake goes by; `by_name` says whether the certificate must be for the host.
///
/// Files are read for every connection, so that renewed certificates count without a restart.
pub(super) async fn config(target: &Target, by_name: bool) -> sqlx::Result<Arc<ClientConfig>> {
    let roots = target.ssl_root_cert.clone().unwrap_or_default();
    let identity = target.ssl_cert.clone().zip(target.ssl_key.clone());
    tokio::task::spawn_blocking(move || build(&roots, identity, by_name))
        .await
        .map_err(|error| tls(error.to_string()))?
}

fn build(
    roots: &str,
    identity: Option<(String, String)>,
    by_name: bool,
) -> sqlx::Result<Arc<ClientConfig>> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier::new(trusted(roots)?, by_name, &provider).map_err(tls)?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(tls)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let config = match identity {
        Some((certificate, key)) => {
            let (chain, key) = identity_from(&certificate, &key)?;
            config.with_client_auth_cert(chain, key).map_err(tls)?
        }
        None => config.with_no_client_auth(),
    };
    Ok(Arc::new(config))
}

/// The certificates of a file, or the operating system's.
fn trusted(roots: &str) -> sqlx::Result<Vec<CertificateDer<'static>>> {
    if roots != SYSTEM {
        return certificates(roots);
    }
    let found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        tracing::warn!(%error, "a root certificate of the system cannot be read");
    }
    // One that cannot be understood must not take the others with it.
    let usable =
        |certificate: &CertificateDer<'_>| RootCertStore::empty().add(certificate.clone()).is_ok();
    Ok(found.certs.into_iter().filter(usable).collect())
}

fn identity_from(certificate: &str, key: &str) -> sqlx::Result<Identity> {
    let chain = certificates(certificate)?;
    let key = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| tls(format!("the private key {key} cannot be used: {error}")))?;
    Ok((chain, key))
}

fn certificates(file: &str) -> sqlx::Result<Vec<CertificateDer<'static>>> {
    let unusable = |reason: String| {
        tls(format!(
            "the certificates of {file} cannot be used: {reason}"
        ))
    };
    let found: Vec<_> = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect)
        .map_err(|error| unusable(error.to_string()))?;
    if found.is_empty() {
        return Err(unusable("it holds none in PEM form".to_owned()));
    }
    Ok(found)
}

fn tls(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> sqlx::Error {
    sqlx::Error::Tls(error.into())
}
