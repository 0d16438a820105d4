//! Nobody else in the process drops our locks, and we drop nobody's.
#![allow(
    unsafe_code,
    reason = "plays another copy of SQLite, whose locks are made by fcntl"
)]

use std::fs::File;
use std::os::fd::AsRawFd;

use super::processes::{ended, peer, peer_of, tell};
use super::{Place, get, hold, run, submit, text};
use crate::protocol::MigrateTo;
use crate::store::Backend;
use crate::store::sqlite::{SqliteOptions, SqliteStore};

/// The lock a connection of another copy of `SQLite` holds for as long as it is open: the process's, on one byte.
fn foreign_lock(file: &File) -> bool {
    lock(file, libc::F_RDLCK)
}

fn lock(file: &File, kind: libc::c_int) -> bool {
    // SAFETY: all zero is a lock by nobody on nothing.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::c_short::try_from(kind).expect("small");
    lock.l_start = 7;
    lock.l_len = 1;
    // SAFETY: `lock` lives for the length of the call.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &raw mut lock) == 0 }
}

fn open(place: &Place, name: &str) -> File {
    File::options()
        .read(true)
        .write(true)
        .open(place.file(name))
        .expect("the file opens")
}

/// What `fs.copyFile` and the `close()` of another library come down to.
#[test]
fn a_descriptor_closed_elsewhere_in_the_process_leaves_our_locks_alone() {
    const TEST: &str =
        "isolation::a_descriptor_closed_elsewhere_in_the_process_leaves_our_locks_alone";
    if let Some(path) = peer_of() {
        let options = SqliteOptions {
            busy_timeout_ms: 0,
            ..SqliteOptions::default()
        };
        let store = SqliteStore::new(text(&path), options);
        tell(&format!("{}", submit(&store, "theirs").is_ok()));
        return;
    }
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    submit(&store, "ours").expect("written");
    let held = hold(&store);
    for name in ["tasks.db", "tasks.db-wal", "tasks.db-shm"] {
        drop(open(&place, name));
    }
    assert_eq!(
        ended(peer(TEST, &place)).0,
        ["false"],
        "two writers at once"
    );
    held.release();
    assert_eq!(ended(peer(TEST, &place)).0, ["true"]);
}

#[test]
fn closing_our_store_leaves_the_locks_of_others_alone() {
    const TEST: &str = "isolation::closing_our_store_leaves_the_locks_of_others_alone";
    if let Some(path) = peer_of() {
        let file = File::options()
            .read(true)
            .write(true)
            .open(path)
            .expect("the file opens");
        tell(&format!("{}", lock(&file, libc::F_WRLCK)));
        return;
    }
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let task = submit(&store, "ours").expect("written");
    let theirs = open(&place, "tasks.db");
    assert!(foreign_lock(&theirs));
    let mut descriptors = Vec::new();
    for _ in 0..20 {
        assert!(get(&store, &task.id).expect("read").is_some());
        run(store.close()).expect("closed");
        descriptors.push(open_descriptors(&place));
        run(store.connect()).expect("open");
    }
    run(store.close()).expect("closed");
    assert_eq!(
        ended(peer(TEST, &place)).0,
        ["false"],
        "their lock was dropped"
    );
    // Ours is closed and theirs is one; what is kept besides is used again by the next opening.
    assert!(descriptors[19] <= descriptors[4], "{descriptors:?}");
    drop(theirs);
    run(store.connect()).expect("open");
    run(store.close()).expect("closed");
    assert_eq!(open_descriptors(&place), 0, "kept for nobody");
    assert_eq!(ended(peer(TEST, &place)).0, ["true"]);
}

fn open_descriptors(place: &Place) -> usize {
    std::fs::read_dir("/proc/self/fd")
        .expect("a list")
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
        .filter(|file| file.starts_with(place.directory.path()))
        .count()
}
