//! Where the driver connects inside this process, once.

use std::io;

use sqlx::postgres::PgConnectOptions;

#[cfg(not(unix))]
pub(super) use other::Door;
#[cfg(unix)]
pub(super) use unix::Door;

#[cfg(unix)]
mod unix {
    use std::path::PathBuf;

    use tokio::net::{UnixListener, UnixStream};

    use super::{PgConnectOptions, io};

    /// A Unix socket that lets nobody but this process in.
    pub(in super::super) struct Door {
        listener: UnixListener,
        place: Place,
    }

    impl Door {
        pub(in super::super) fn open(port: u16) -> io::Result<Self> {
            let place = Place::new()?;
            // The name that the driver makes of directory and port.
            let listener = UnixListener::bind(place.path().join(format!(".s.PGSQL.{port}")))?;
            Ok(Self { listener, place })
        }

        /// Options that lead here. The port has to be the one the door was opened for.
        pub(in super::super) fn lead(&self, options: PgConnectOptions) -> PgConnectOptions {
            options.socket(self.place.path())
        }

        pub(in super::super) async fn enter(self) -> io::Result<UnixStream> {
            let ours = i32::try_from(std::process::id()).ok();
            loop {
                let (stream, _) = self.listener.accept().await?;
                if stream.peer_cred()?.pid() == ours {
                    return Ok(stream);
                }
            }
        }
    }

    /// Linux has sockets that need no file system, which a container may not let us write to.
    #[cfg(target_os = "linux")]
    struct Place(PathBuf);

    #[cfg(target_os = "linux")]
    impl Place {
        #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
        fn new() -> io::Result<Self> {
            // A name that begins with NUL is no file's.
            let name = format!("\0cairnq-{:032x}", rand::random::<u128>());
            Ok(Self(PathBuf::from(name)))
        }

        fn path(&self) -> &PathBuf {
            &self.0
        }
    }

    /// A directory that only this user can enter, gone with the door.
    #[cfg(not(target_os = "linux"))]
    struct Place(tempfile::TempDir);

    #[cfg(not(target_os = "linux"))]
    impl Place {
        fn new() -> io::Result<Self> {
            tempfile::Builder::new()
                .prefix("cairnq-")
                .tempdir()
                .map(Self)
        }

        fn path(&self) -> &std::path::Path {
            self.0.path()
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::net::{Ipv4Addr, TcpListener as Blocking};

    use tokio::net::{TcpListener, TcpStream};

    use super::{PgConnectOptions, io};

    /// A port of the loopback interface.
    pub(in super::super) struct Door {
        listener: TcpListener,
        port: u16,
    }

    impl Door {
        pub(in super::super) fn open(_port: u16) -> io::Result<Self> {
            let listener = Blocking::bind((Ipv4Addr::LOCALHOST, 0))?;
            let port = listener.local_addr()?.port();
            listener.set_nonblocking(true)?;
            let listener = TcpListener::from_std(listener)?;
            Ok(Self { listener, port })
        }

        pub(in super::super) fn lead(&self, options: PgConnectOptions) -> PgConnectOptions {
            options.host("127.0.0.1").port(self.port)
        }

        pub(in super::super) async fn enter(self) -> io::Result<TcpStream> {
            let stream = self.listener.accept().await?.0;
            stream.set_nodelay(true)?;
            Ok(stream)
        }
    }
}
