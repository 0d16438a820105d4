//! Locks of other connections: whose patience counts, and what needs no lock at all.

use std::time::{Duration, Instant};

use super::{Place, code, get, hold, run, submit};
use crate::error::Error;
use crate::protocol::MigrateTo;
use crate::store::Backend;
use crate::store::command::{Command, NewTask};
use crate::store::sqlite::SqliteOptions;

fn patient_for(ms: u64) -> SqliteOptions {
    SqliteOptions {
        busy_timeout_ms: ms,
        ..SqliteOptions::default()
    }
}

fn assert_busy(error: &Error) {
    assert_eq!(code(error), "SQLITE_BUSY", "{error}");
}

#[test]
fn each_caller_waits_as_long_as_it_said() {
    let place = Place::new();
    let patient = place.store_with(patient_for(15_000));
    let hasty = place.store_with(patient_for(100));
    run(patient.connect()).expect("open");
    run(hasty.connect()).expect("open");
    let peer = place.peer();
    peer.execute_batch("begin immediate").expect("the lock");
    let from = Instant::now();
    let waits = patient.execute(Command::Submit(Box::new(NewTask::named("waits"))));
    // Comes while the writer already waits on behalf of the patient one.
    assert_busy(&submit(&hasty, "refused").unwrap_err());
    let gave_up = from.elapsed();
    assert!(gave_up >= Duration::from_millis(100), "{gave_up:?}");
    assert!(gave_up < Duration::from_secs(4), "{gave_up:?}");
    peer.execute_batch("commit").expect("let go");
    assert!(run(waits).is_ok());
}

#[test]
fn waiting_behind_our_own_work_does_not_count() {
    let place = Place::new();
    let store = place.store_with(patient_for(300));
    run(store.connect()).expect("open");
    let held = hold(&store);
    let waits = store.execute(Command::Submit(Box::new(NewTask::named("waits"))));
    std::thread::sleep(Duration::from_millis(400));
    let peer = place.peer();
    let locking = std::thread::spawn(move || {
        peer.execute_batch("begin immediate").expect("the lock");
        peer
    });
    held.release();
    // Whoever of the two comes first: the write has its 300 ms from when the lock is first in the way.
    let peer = locking.join().expect("locked");
    peer.execute_batch("commit").expect("let go");
    assert!(run(waits).is_ok());
}

#[test]
fn a_read_waits_for_no_writer() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let task = submit(&store, "there").expect("written");
    let peer = place.peer();
    peer.execute_batch("begin immediate").expect("the lock");
    let held = store.execute(Command::Submit(Box::new(NewTask::named("waits"))));
    assert!(get(&store, &task.id).expect("read").is_some());
    peer.execute_batch("rollback").expect("let go");
    assert!(run(held).is_ok());
}

#[test]
fn a_migrated_database_opens_while_somebody_writes() {
    let place = Place::new();
    let first = place.opened(MigrateTo::Latest);
    let task = submit(&first, "there").expect("written");
    run(first.close()).expect("closed");
    let peer = place.peer();
    peer.execute_batch("begin immediate").expect("the lock");
    for migrate in [MigrateTo::Default, MigrateTo::Latest] {
        let store = place.opened(migrate);
        assert!(get(&store, &task.id).expect("read").is_some());
        run(store.close()).expect("closed");
    }
    peer.execute_batch("rollback").expect("let go");
}

#[test]
fn the_longest_timeout_is_no_overflow() {
    let place = Place::new();
    let store = place.store_with(patient_for(u64::MAX));
    assert!(submit(&store, "accepted").is_ok());
}

#[test]
fn timeouts_are_read_as_javascript_writes_them() {
    for (json, ms) in [
        ("{}", 5_000),
        (r#"{"busyTimeoutMs":250.7}"#, 250),
        (r#"{"busyTimeoutMs":-1}"#, 0),
        (r#"{"busyTimeoutMs":1e300}"#, i64::MAX.unsigned_abs()),
    ] {
        let options: SqliteOptions = serde_json::from_str(json).expect("options");
        assert_eq!(options.busy_timeout_ms, ms, "{json}");
    }
}
