//! What the writer sees to between transactions.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{Place, count, end_of, run, submit, until};
use crate::protocol::MigrateTo;
use crate::store::Backend;
use crate::store::command::{Command, NewTask};

fn large() -> NewTask {
    let mut new = NewTask::named("large");
    new.payload = format!("\"{}\"", "x".repeat(4_000)).into();
    new
}

fn log_size(place: &Place) -> u64 {
    fs::metadata(place.file("tasks.db-wal")).map_or(0, |log| log.len())
}

/// A log far past its limit, kept so by a reader; gives the reader.
fn grow_log(place: &Place, store: &super::SqliteStore) -> rusqlite::Connection {
    let reader = place.peer();
    reader.execute_batch("begin").expect("a transaction");
    count(&reader, "select count(*) from cairnq_tasks");
    for _ in 0..5 {
        let tasks = (0..1_000).map(|_| large()).collect();
        run(store.execute(Command::SubmitMany(tasks))).expect("written");
    }
    assert!(log_size(place) > 20 << 20, "{}", log_size(place));
    reader
}

#[test]
fn the_log_shrinks_after_a_long_reader_leaves_though_nobody_writes() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let reader = grow_log(&place, &store);
    // Long enough for the writer to have tried in vain.
    std::thread::sleep(Duration::from_millis(2_500));
    reader.execute_batch("commit").expect("left");
    until("the log is small", || log_size(&place) <= 4 << 20);
}

#[test]
fn the_log_shrinks_after_a_long_reader_leaves_though_writes_never_pause() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let reader = grow_log(&place, &store);
    reader.execute_batch("commit").expect("left");
    // No smaller than a busy writer lets it grow anyway: a file that is cut has to grow again.
    until("the log is small", || {
        submit(&store, "small").expect("written");
        log_size(&place) <= 17 << 20
    });
}

#[test]
fn statistics_are_taken_of_a_database_that_is_never_idle() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let peer = place.peer();
    until("statistics", || {
        submit(&store, "small").expect("written");
        let known = "select count(*) from sqlite_schema where name = 'sqlite_stat1'";
        count(&peer, known) == 1
            && count(
                &peer,
                "select count(*) from sqlite_stat1 where tbl = 'cairnq_tasks'",
            ) > 0
    });
}

#[test]
fn a_commit_of_somebody_else_wakes_workers_and_waiters() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let task = submit(&store, "awaited").expect("written");
    let subscription = store.wakes().subscribe(&["default".to_owned()]);
    run(async {
        // What our own submit announced.
        let own = tokio::time::timeout(Duration::from_millis(100), subscription.notified());
        let _ = own.await;
    });
    let done = end_of(&store, &task.id);
    let peer = place.peer();
    peer.execute(
        "update cairnq_tasks set status = 'canceled', completed_at_ms = 1 where id = ?1",
        [&task.id],
    )
    .expect("ended");
    run(done).expect("told");
    run(subscription.notified());
}

#[test]
fn our_own_commits_are_no_news() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let elsewhere = store.wakes().subscribe(&["elsewhere".to_owned()]);
    let woken = std::sync::Arc::new(AtomicBool::new(false));
    let sees = std::sync::Arc::clone(&woken);
    let listens = crate::runtime::runtime().spawn(async move {
        elsewhere.notified().await;
        sees.store(true, Ordering::Relaxed);
    });
    for _ in 0..50 {
        submit(&store, "here").expect("written");
    }
    // Every look after the last file event, and a poll.
    std::thread::sleep(Duration::from_millis(1_100));
    assert!(!woken.load(Ordering::Relaxed));
    listens.abort();
}

#[test]
fn a_link_to_a_database_is_watched_where_the_database_is() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    run(store.close()).expect("closed");
    let elsewhere = Place::new();
    #[cfg(unix)]
    std::os::unix::fs::symlink(place.path(), elsewhere.path()).expect("a link");
    #[cfg(not(unix))]
    std::fs::hard_link(place.path(), elsewhere.path()).expect("a link");
    let linked = elsewhere.opened(MigrateTo::Default);
    let task = submit(&linked, "awaited").expect("written");
    let done = end_of(&linked, &task.id);
    let from = std::time::Instant::now();
    place
        .peer()
        .execute(
            "update cairnq_tasks set status = 'canceled', completed_at_ms = 1 where id = ?1",
            [&task.id],
        )
        .expect("ended");
    run(done).expect("told");
    assert!(
        from.elapsed() < Duration::from_millis(900),
        "only the slow poll noticed"
    );
}

/// Other systems make a paused watcher anew, so there it is never paused.
#[cfg(target_os = "linux")]
#[test]
fn a_busy_writer_pauses_the_file_events_and_notices_others_all_the_same() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let peer = place.peer();
    peer.busy_timeout(Duration::from_secs(5)).expect("patience");
    let paused = || {
        let (told, is) = std::sync::mpsc::channel();
        let hub = move |hub: crate::Result<&std::sync::Arc<super::super::hub::Hub>>| {
            let _ = told.send(hub.is_ok_and(|hub| hub.is_watching_paused()));
        };
        store.inner.with_hub(hub);
        is.recv().expect("an answer")
    };
    let cancel = |task: &crate::model::Task| {
        let sql = "update cairnq_tasks set status = 'canceled', completed_at_ms = 1 where id = ?1";
        peer.execute(sql, [&task.id]).expect("ended");
    };
    let awaited = submit(&store, "awaited").expect("written");
    let mut done = end_of(&store, &awaited.id);
    // Without a rest between two looks, or the writer would not be busy.
    let work_until = |what: &str, met: &mut dyn FnMut() -> bool| {
        let from = std::time::Instant::now();
        while !met() {
            assert!(from.elapsed() < super::DEADLINE, "waited in vain: {what}");
            submit(&store, "small").expect("written");
        }
    };
    work_until("the pause", &mut || paused());
    cancel(&awaited);
    work_until("the news while busy", &mut || done.try_recv() == Ok(true));
    until("the end of the pause", || !paused());
    let awaited = submit(&store, "awaited").expect("written");
    let done = end_of(&store, &awaited.id);
    let from = std::time::Instant::now();
    cancel(&awaited);
    assert_eq!(run(done), Ok(true));
    assert!(
        from.elapsed() < Duration::from_millis(900),
        "only the slow poll noticed"
    );
}

fn pages_copied(place: &Place) -> i64 {
    // What is in the database file itself, whatever its log still holds.
    let bytes = fs::metadata(place.path()).expect("the database").len();
    i64::try_from(bytes / 4096).expect("small")
}

#[test]
fn the_log_is_copied_beside_a_writer_that_is_not_busy_and_starts_over() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let from = std::time::Instant::now();
    let mut largest = 0;
    // Each of these writes a hundred pages and more, and after each the writer has a pause.
    while pages_copied(&place) < 6_000 {
        assert!(from.elapsed() < super::DEADLINE, "the log was never copied");
        let tasks = (0..50).map(|_| large()).collect();
        run(store.execute(Command::SubmitMany(tasks))).expect("written");
        largest = largest.max(log_size(&place));
        std::thread::sleep(Duration::from_millis(7));
    }
    // It would hold more than 6,000 pages had it never started over.
    assert!(largest < 5_500 * 4_120, "{largest}");
    run(store.close()).expect("closed");
    assert_eq!(log_size(&place), 0, "the last to close removes the log");
}
