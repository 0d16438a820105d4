//! Opening, closing, opening again: what lives on, what is refused, who shares what.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::{Place, count, get, hold, run, submit, text};
use crate::error::Error;
use crate::protocol::MigrateTo;
use crate::store::Backend;
use crate::store::command::{Command, NewTask, Reply};
use crate::store::sqlite::{SqliteOptions, SqliteStore};

#[test]
fn memory_outlives_close() {
    let store = SqliteStore::new(":memory:", SqliteOptions::default());
    let task = submit(&store, "kept").expect("written");
    for _ in 0..3 {
        run(store.close()).expect("closed");
        assert!(get(&store, &task.id).expect("read").is_some());
    }
    run(store.close()).expect("closed");
    run(store.close()).expect("closed twice");
    assert!(submit(&store, "another").is_ok());
}

#[test]
fn another_protocol_is_refused_until_closed_whoever_has_the_file_open() {
    let place = Place::new();
    let open = place.opened(MigrateTo::Default);
    let set = |version: &str| {
        place
            .peer()
            .execute(
                "update cairnq_meta set value = ?1 where key = 'protocol_version'",
                [version],
            )
            .expect("set")
    };
    set("2");
    let store = place.store();
    for _ in 0..2 {
        let refused = Err(Error::ProtocolVersionMismatch {
            version: "2".to_owned(),
        });
        assert_eq!(run(store.connect()), refused);
        assert_eq!(get(&store, "any").map(drop), refused);
        assert_eq!(submit(&store, "any").map(drop), refused);
    }
    set("1");
    assert!(submit(&store, "still refused").is_err());
    run(store.close()).expect("closed");
    assert!(submit(&store, "accepted").is_ok());
    run(open.close()).expect("closed");
}

#[test]
fn a_store_that_asks_for_the_latest_level_gets_it_beside_one_that_does_not() {
    let place = Place::new();
    let open = place.opened(MigrateTo::Default);
    let latest = place.opened(MigrateTo::Latest);
    let names = "select count(*) from cairnq_migrations";
    assert_eq!(count(&place.peer(), names), 9);
    assert!(submit(&open, "either").is_ok());
    assert!(submit(&latest, "way").is_ok());
}

#[test]
fn stores_of_one_file_share_its_writer_by_whatever_name() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    #[cfg(unix)]
    std::os::unix::fs::symlink(place.path(), place.file("link.db")).expect("a link");
    #[cfg(not(unix))]
    std::fs::hard_link(place.path(), place.file("link.db")).expect("a link");
    let linked = SqliteStore::new(text(&place.file("link.db")), SqliteOptions::default());
    run(linked.connect()).expect("open");
    let held = hold(&store);
    let through_link = linked.execute(Command::Submit(Box::new(NewTask::named("shared"))));
    let direct = store.execute(Command::Submit(Box::new(NewTask::named("shared"))));
    held.release();
    assert!(run(through_link).is_ok());
    assert!(run(direct).is_ok());
    run(store.close()).expect("closed");
    assert!(submit(&linked, "goes on").is_ok());
    assert!(!place.file("link.db-wal").exists());
}

#[test]
fn close_lets_accepted_writes_finish_and_a_second_close_waits_for_them_too() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let held = hold(&store);
    let accepted = store.execute(Command::Submit(Box::new(NewTask::named("accepted"))));
    let mut closes = Box::pin(join_all([store.close(), store.close()]));
    let waits = run(async { tokio::time::timeout(Duration::from_millis(50), &mut closes).await });
    assert!(
        waits.is_err(),
        "closed before an accepted write was answered"
    );
    held.release();
    for closed in run(closes) {
        closed.expect("closed");
    }
    assert!(run(accepted).is_ok());
    // Nothing of ours has the file open any more: the last connection took the log away.
    assert!(!place.file("tasks.db-wal").exists());
}

#[test]
fn opening_and_closing_at_once_loses_no_use() {
    let place = Place::new();
    let stores: Vec<_> = (0..4).map(|_| Arc::new(place.store())).collect();
    let work = stores.iter().map(|store| {
        let store = Arc::clone(store);
        tokio_task(async move {
            for _ in 0..15 {
                let submit = store.execute(Command::Submit(Box::new(NewTask::named("busy"))));
                let list = store.execute(Command::Stats { queue: None });
                let close = store.close();
                let (submitted, listed, closed) = tokio::join!(submit, list, close);
                assert!(
                    matches!(submitted, Ok(Reply::Row(Some(_)))),
                    "{submitted:?}"
                );
                listed.expect("read");
                closed.expect("closed");
            }
        })
    });
    for done in run(join_all(work)) {
        done.expect("no panic");
    }
    let rows = "select count(*) from cairnq_tasks";
    assert_eq!(count(&place.peer(), rows), 60);
}

fn tokio_task(work: impl Future<Output = ()> + Send + 'static) -> tokio::task::JoinHandle<()> {
    crate::runtime::runtime().spawn(work)
}

#[test]
fn a_dropped_store_lets_go_of_the_file() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    submit(&store, "written").expect("written");
    drop(store);
    super::until("the log is gone with its last connection", || {
        !place.file("tasks.db-wal").exists()
    });
}

#[test]
fn a_failing_open_is_tried_again() {
    let place = Place::new();
    let path = place.file("folder/tasks.db");
    std::fs::write(place.file("folder"), "in the way").expect("a file");
    let store = SqliteStore::new(text(&path), SqliteOptions::default());
    let error = submit(&store, "refused").unwrap_err();
    assert_eq!(super::code(&error), "SQLITE_CANTOPEN");
    std::fs::remove_file(place.file("folder")).expect("removed");
    assert!(submit(&store, "accepted").is_ok());
}
