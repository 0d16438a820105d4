//! Judging a server's certificate as libpq does.

use std::sync::Arc;

use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::client::{WebPkiServerVerifier, verify_server_name};
use tokio_rustls::rustls::crypto::CryptoProvider;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{
    CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

/// Trusts what its roots have signed, and its roots themselves.
#[derive(Debug)]
pub(super) struct Verifier {
    chain: Arc<WebPkiServerVerifier>,
    roots: Vec<CertificateDer<'static>>,
    by_name: bool,
}

impl Verifier {
    pub(super) fn new(
        roots: Vec<CertificateDer<'static>>,
        by_name: bool,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self, Error> {
        let mut store = RootCertStore::empty();
        for root in &roots {
            store.add(root.clone())?;
        }
        let chain = WebPkiServerVerifier::builder_with_provider(store.into(), Arc::clone(provider))
            .build()
            .map_err(|error| Error::General(error.to_string()))?;
        Ok(Self {
            chain,
            roots,
            by_name,
        })
    }

    /// A self-signed certificate of a server is its own root, and usually says that it is an authority; one that is used
    /// as a server's is refused for that, after its validity in time was found right.
    fn is_root_itself(&self, error: &Error, end_entity: &CertificateDer<'_>) -> bool {
        let Error::InvalidCertificate(CertificateError::Other(other)) = error else {
            return false;
        };
        matches!(
            other.0.downcast_ref::<webpki::Error>(),
            Some(webpki::Error::CaUsedAsEndEntity)
        ) && self.roots.contains(end_entity)
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verdict = self.chain.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        match verdict {
            // The name is looked at last, when everything else was found right.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.by_name => Ok(ServerCertVerified::assertion()),
            Err(error) if self.is_root_itself(&error, end_entity) => {
                if self.by_name {
                    verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                }
                Ok(ServerCertVerified::assertion())
            }
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chain.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chain.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chain.supported_verify_schemes()
    }
}
