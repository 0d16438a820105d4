//! The one tokio runtime of the process.
//!
//! It is ours rather than napi's because napi ties its own to the life of a JavaScript environment, and a
//! `worker_thread` that ends must not take the timers of the main thread with it. Nothing starts before first use.

use std::panic::AssertUnwindSafe;
use std::sync::OnceLock;

use futures_util::future::FutureExt;
use tokio::runtime::{Builder, Runtime};

use crate::error::{Error, Result};

/// Two threads: every task here waits for a database or a timer, none of them computes.
const THREADS: usize = 2;

/// Threads that open and close stores, which means waiting for files and locks; each rests for ten seconds before it
/// goes. More openings wait for one of them.
const OPENING_THREADS: usize = 64;

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// The shared runtime, started by the first caller.
///
/// # Panics
/// When the operating system refuses to start a thread.
pub fn runtime() -> &'static Runtime {
    RUNTIME.get_or_init(|| {
        Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(OPENING_THREADS)
            .thread_name("cairnq")
            .enable_all()
            .build()
            .expect("the operating system starts two threads")
    })
}

/// `work`, whose panic becomes an error like any other: whoever waits for the answer gets one. `what` names it there.
///
/// # Errors
/// Those of `work`, and [`Error::Internal`] when it panicked.
pub async fn guarded<T>(what: &str, work: impl Future<Output = Result<T>>) -> Result<T> {
    // The state that work shares with others is behind locks that forgive poisoning, or in the database.
    let outcome = AssertUnwindSafe(work).catch_unwind().await;
    outcome.unwrap_or_else(|_| Err(Error::Internal(format!("{what} panicked"))))
}
