//! Locks that nobody else in the process can drop.
//!
//! `SQLite` locks files with `fcntl`, and such a lock belongs to the process: it does not keep out another copy of
//! `SQLite` in the same program (better-sqlite3, node:sqlite), and it is gone as soon as anybody in the process closes
//! any descriptor of the file, be it `fs.copyFile`. The first costs a corrupt database, the second does too.
//!
//! Linux also has locks that belong to an open file description. With those, the other copies are kept out as if they
//! were other processes, and nobody's `close` touches ours. `SQLite` lets a program replace the system calls it makes,
//! so our copy takes such locks, and keeps a descriptor open rather than closing it under somebody else's locks.
//!
//! docs/sqlite-in-one-process.md says what follows for users, on which system.

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod calls;
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod descriptors;

/// Has our copy of `SQLite` make its system calls through us, from before its first file on.
pub(super) fn install() {
    #[cfg(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    calls::install();
}
