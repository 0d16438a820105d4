//! Counts the statements every `SQLite` connection of this process runs, through `SQLite`'s own trace hook.

#![allow(
    unsafe_code,
    reason = "the hooks are SQLite's C interface, reached before the store opens its connections"
)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::future::Future;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::ffi;

static BEGINS: AtomicUsize = AtomicUsize::new(0);
static COMMITS: AtomicUsize = AtomicUsize::new(0);
static OTHERS: AtomicUsize = AtomicUsize::new(0);
static OUTSIDE: AtomicUsize = AtomicUsize::new(0);

/// Statements that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Transactions opened.
    pub begins: usize,
    /// Transactions committed.
    pub commits: usize,
    /// Everything else in a transaction. What runs between transactions is upkeep, which goes by the clock and not by
    /// the work.
    pub others: usize,
}

/// Begins `work`, which may not wait to be polled, and counts what ran until it ended, in whatever thread.
pub async fn counted<F: Future>(work: impl FnOnce() -> F) -> (Counts, F::Output) {
    let before = now();
    let value = work().await;
    let after = now();
    let counts = Counts {
        begins: after.begins - before.begins,
        commits: after.commits - before.commits,
        others: after.others - before.others,
    };
    (counts, value)
}

fn now() -> Counts {
    Counts {
        begins: BEGINS.load(Ordering::SeqCst),
        commits: COMMITS.load(Ordering::SeqCst),
        others: OTHERS.load(Ordering::SeqCst),
    }
}

/// How many statements of upkeep ran so far.
pub fn outside() -> usize {
    OUTSIDE.load(Ordering::SeqCst)
}

/// Watches every connection opened from now on.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the hook has the type SQLite calls it by, and lives as long as the program.
        let status = unsafe { ffi::sqlite3_auto_extension(Some(trace_connection)) };
        assert_eq!(status, ffi::SQLITE_OK);
    });
}

unsafe extern "C" fn trace_connection(
    connection: *mut ffi::sqlite3,
    _error: *mut *mut c_char,
    _api: *const ffi::sqlite3_api_routines,
) -> c_int {
    // SAFETY: the connection is the one being opened, and the callback keeps nothing.
    unsafe {
        ffi::sqlite3_trace_v2(
            connection,
            c_uint::try_from(ffi::SQLITE_TRACE_STMT).unwrap_or_default(),
            Some(count),
            std::ptr::null_mut(),
        )
    }
}

unsafe extern "C" fn count(
    _event: c_uint,
    _context: *mut c_void,
    statement: *mut c_void,
    text: *mut c_void,
) -> c_int {
    // SAFETY: for SQLITE_TRACE_STMT the last argument is the statement's text, alive during the call.
    let text = unsafe { CStr::from_ptr(text.cast()) }.to_bytes();
    // SAFETY: and the one before it is the statement, which belongs to an open connection.
    let in_transaction =
        unsafe { ffi::sqlite3_get_autocommit(ffi::sqlite3_db_handle(statement.cast())) } == 0;
    let counter = match text {
        b"begin immediate" => &BEGINS,
        b"commit" => &COMMITS,
        // Looks at other processes' commits come with every file event.
        b"pragma data_version" => return 0,
        _ if in_transaction => &OTHERS,
        _ => &OUTSIDE,
    };
    counter.fetch_add(1, Ordering::SeqCst);
    0
}
