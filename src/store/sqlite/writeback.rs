//! Has the system save the log while it grows.
//!
//! Before `SQLite` copies the log into the database it has all of it saved, and everyone waits for the disk: for 4,000
//! pages some 15 ms, a quarter of what small transactions take. What was handed to the disk by then is not waited for.
//! This only asks the system to begin: nothing is promised earlier or later than before.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;

use crate::protocol::sqlite as sql;
use crate::runtime::runtime;

/// Bytes of the log that are handed over at once.
const STEP: u64 = 1 << 20;
/// What the system saves at once. The last such page of the log is still being written to.
const SYSTEM_PAGE: u64 = 4096;
/// The log begins with so many bytes, and each of its pages with the others.
const HEADER: u64 = 32;
const PAGE_HEADER: u64 = 24;

/// Which part of the log was handed over.
#[derive(Debug)]
struct Handed {
    page: u64,
    to: u64,
}

impl Handed {
    /// The part to hand over next, now that the log has `pages`, if there is enough of it.
    fn next(&mut self, pages: u32) -> Option<Range<u64>> {
        let end = HEADER + u64::from(pages) * (PAGE_HEADER + self.page);
        let end = end - end % SYSTEM_PAGE;
        if end < self.to {
            // The log has started over.
            self.to = 0;
        }
        let next = self.to..end;
        (end - self.to >= STEP).then(|| {
            self.to = end;
            next
        })
    }
}

/// Follows the log of one connection.
#[derive(Debug)]
pub(super) struct Writeback {
    log: PathBuf,
    handed: Handed,
    under_way: Arc<AtomicBool>,
}

impl Writeback {
    /// None where the system cannot be asked.
    pub(super) fn new(connection: &Connection, log: PathBuf) -> Option<Self> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        let page = connection.query_row(sql::PAGE_SIZE, [], |row| row.get::<_, u32>(0));
        Some(Self {
            log,
            handed: Handed {
                page: page.ok()?.into(),
                to: 0,
            },
            under_way: Arc::default(),
        })
    }

    /// The log has `pages` after a commit.
    pub(super) fn committed(&mut self, pages: u32) {
        if self.under_way.load(Ordering::Acquire) {
            return;
        }
        let Some(part) = self.handed.next(pages) else {
            return;
        };
        let (log, under_way) = (self.log.clone(), Arc::clone(&self.under_way));
        under_way.store(true, Ordering::Release);
        runtime().spawn_blocking(move || {
            // What goes wrong here goes wrong again where it counts, in the checkpoint.
            if let Err(error) = begin_saving(&log, &part) {
                tracing::debug!(%error, ?part, "the log was not handed over");
            }
            under_way.store(false, Ordering::Release);
        });
    }
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the call has no safe interface")]
fn begin_saving(log: &Path, part: &Range<u64>) -> std::io::Result<()> {
    use std::fs::File;
    use std::io::Error;
    use std::os::fd::AsRawFd;

    let log = File::open(log)?;
    let offset = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    let (from, length) = (offset(part.start), offset(part.end - part.start));
    // SAFETY: the descriptor is open for the length of the call, which touches no memory of ours.
    let done = unsafe {
        libc::sync_file_range(log.as_raw_fd(), from, length, libc::SYNC_FILE_RANGE_WRITE)
    };
    if done == 0 {
        Ok(())
    } else {
        Err(Error::last_os_error())
    }
}

#[cfg(not(target_os = "linux"))]
fn begin_saving(_log: &Path, _part: &Range<u64>) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handed() -> Handed {
        Handed { page: 4096, to: 0 }
    }

    #[test]
    fn parts_follow_one_another_and_leave_out_the_page_being_written() {
        let mut handed = handed();
        assert_eq!(handed.next(100), None, "too little");
        let first = handed.next(300).expect("a megabyte");
        assert_eq!(first, 0..1_232_896);
        assert!(first.end <= 32 + 300 * 4120 && first.end.is_multiple_of(SYSTEM_PAGE));
        assert_eq!(handed.next(301), None);
        assert_eq!(handed.next(600).expect("another").start, first.end);
    }

    #[test]
    fn a_log_that_starts_over_is_handed_over_from_its_beginning() {
        let mut handed = handed();
        handed.next(4_000).expect("all of it");
        assert_eq!(handed.next(10), None);
        assert_eq!(handed.next(300).expect("the new log").start, 0);
    }

    #[test]
    fn an_empty_log_has_nothing_to_hand_over() {
        assert_eq!(handed().next(0), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_takes_a_part_of_a_file_and_says_what_is_wrong() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        std::fs::write(&log, vec![7; 1 << 16]).expect("a file");
        begin_saving(&log, &(0..1 << 16)).expect("the system takes it");
        let missing = begin_saving(&folder.path().join("none"), &(0..1)).expect_err("no file");
        assert_eq!(missing.kind(), std::io::ErrorKind::NotFound);
    }
}
