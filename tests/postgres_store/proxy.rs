//! A TCP proxy that can swallow traffic or cut it.

use std::sync::Arc;

use cairnq_native::store::postgres::{PostgresOptions, PostgresStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::support::World;

/// What happens to bytes in both directions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Pass,
    /// Connections stay open and nothing arrives, new ones included.
    Swallow,
    /// What is sent arrives, and nothing comes back.
    SwallowAnswers,
    /// Open connections are cut, new ones refused at once.
    Cut,
}

pub struct Proxy {
    pub port: u16,
    mode: Arc<watch::Sender<Mode>>,
}

impl Proxy {
    pub async fn before(address: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let mode = Arc::new(watch::channel(Mode::Pass).0);
        let modes = Arc::clone(&mode);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if *modes.borrow() != Mode::Cut {
                    tokio::spawn(serve(client, address.clone(), modes.subscribe()));
                }
            }
        });
        Self { port, mode }
    }

    pub fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }
}

async fn serve(client: TcpStream, address: String, mut mode: watch::Receiver<Mode>) {
    let Ok(server) = TcpStream::connect(address).await else {
        return;
    };
    let (client_reader, client_writer) = client.into_split();
    let (server_reader, server_writer) = server.into_split();
    tokio::select! {
        () = pump(client_reader, server_writer, mode.clone(), &[Mode::Swallow]) => {}
        () = pump(server_reader, client_writer, mode.clone(), &[Mode::Swallow, Mode::SwallowAnswers]) => {}
        _ = mode.wait_for(|mode| *mode == Mode::Cut) => {}
    }
}

async fn pump(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    mut mode: watch::Receiver<Mode>,
    held_in: &[Mode],
) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match from.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(length) => {
                let now = mode.wait_for(|mode| !held_in.contains(mode)).await;
                // What was held back when the connection is cut never arrives.
                let cut = now.map_or(true, |now| *now == Mode::Cut);
                if cut || to.write_all(&buffer[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}

impl World {
    /// A store whose connections go through a proxy.
    pub async fn proxied(&self) -> (Proxy, Arc<PostgresStore>) {
        let (login, rest) = self.dsn.split_once('@').expect("a URL with a user");
        let (address, database) = rest.split_once('/').expect("a URL with a database");
        let proxy = Proxy::before(address.to_owned()).await;
        let options = PostgresOptions {
            max: Some(2),
            ..PostgresOptions::default()
        };
        let port = proxy.port;
        let dsn = format!("{login}@127.0.0.1:{port}/{database}?connect_timeout=2&sslmode=disable");
        let store = PostgresStore::new(&dsn, options).expect("a store");
        (proxy, store)
    }
}
