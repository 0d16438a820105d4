//! A secured stream for a driver that only connects by itself: it connects to a door inside this process, and what it
//! says there travels through TLS. The door is open for one connection and then gone.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy, split};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use super::door::Door;
use crate::runtime::runtime;
use crate::store::postgres::dsn::{Host, Target};

/// The message with which a client asks for TLS: its length, and a number no protocol version has.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

/// How long a closing tunnel may take to say goodbye.
const FAREWELL: Duration = Duration::from_secs(2);

/// Secures a stream to `host`; the options lead through it, once.
pub(super) async fn through(
    options: PgConnectOptions,
    target: &Target,
    host: &Host,
    name: ServerName<'static>,
    config: Arc<ClientConfig>,
) -> sqlx::Result<PgConnectOptions> {
    let server = secured(host, name, config).await?;
    let door = Door::open(host.port)?;
    let options = door.lead(options).ssl_mode(PgSslMode::Disable);
    let patience = target.connect_timeout;
    runtime().spawn(async move {
        match timeout(patience, door.enter()).await {
            Ok(Ok(driver)) => relay(driver, server).await,
            Ok(Err(error)) => tracing::warn!(%error, "the driver did not reach its TLS tunnel"),
            Err(_) => {}
        }
    });
    Ok(options)
}

async fn secured(
    host: &Host,
    name: ServerName<'static>,
    config: Arc<ClientConfig>,
) -> sqlx::Result<TlsStream<TcpStream>> {
    let mut stream = TcpStream::connect((host.reach(), host.port)).await?;
    stream.set_nodelay(true)?;
    stream.write_all(&SSL_REQUEST).await?;
    // One byte and not one more: what came in the clear behind it would be somebody else's.
    match stream.read_u8().await? {
        b'S' => {}
        b'N' => return Err(sqlx::Error::Tls("the server does not support TLS".into())),
        _ => {
            return Err(sqlx::Error::Tls(
                "the server does not understand the request for TLS".into(),
            ));
        }
    }
    TlsConnector::from(config)
        .connect(name, stream)
        .await
        .map_err(
            |error| match error.downcast::<tokio_rustls::rustls::Error>() {
                Ok(error) => sqlx::Error::Tls(error.into()),
                Err(error) => error.into(),
            },
        )
}

/// Carries bytes both ways until one side ends.
async fn relay(driver: impl AsyncRead + AsyncWrite, server: TlsStream<TcpStream>) {
    let (mut from_driver, mut to_driver) = split(driver);
    let (mut from_server, mut to_server) = split(server);
    tokio::select! {
        // Whatever ended it, the driver finds its connection closed and tells why.
        _ = copy(&mut from_server, &mut to_driver) => {}
        _ = copy(&mut from_driver, &mut to_server) => {
            // The server may be out of reach, and nobody waits for this.
            let _ = timeout(FAREWELL, to_server.shutdown()).await;
        }
    }
}
