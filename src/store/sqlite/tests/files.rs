//! The file taken from under us: noticed, refused, and recovered from once something is back in its place.

use std::fs;

use rusqlite::Connection;

use super::{Place, SqliteStore, code, count, get, run, submit, text, until};
use crate::error::Result;
use crate::model::Task;
use crate::protocol::MigrateTo;
use crate::store::Backend;
use crate::store::command::{Command, Target};
use crate::store::sqlite::SqliteOptions;

const MOVED: &str = "SQLITE_READONLY_DBMOVED";

/// Whether whoever opens the path now finds the task.
fn is_at_path(place: &Place, task: &Task) -> bool {
    Connection::open(place.path())
        .and_then(|peer| {
            peer.query_row(
                "select count(*) from cairnq_tasks where id = ?1",
                [&task.id],
                |row| row.get::<_, bool>(0),
            )
        })
        .unwrap_or(false)
}

/// Submits until one is accepted. Whatever is accepted has to be where others find it.
fn submit_until_accepted(place: &Place, store: &SqliteStore) -> Task {
    let mut accepted = None;
    until("a submit is accepted again", || {
        accepted = submit(store, "again").ok();
        accepted.is_some()
    });
    let task = accepted.expect("accepted");
    assert!(
        is_at_path(place, &task),
        "accepted into a file that is gone"
    );
    task
}

fn assert_names_file(outcome: Result<Task>, place: &Place, expected: &str) {
    let error = outcome.expect_err("refused");
    assert_eq!(code(&error), expected, "{error}");
    assert!(error.to_string().contains(text(&place.path())), "{error}");
    assert!(error.is_passing());
}

#[test]
fn a_removed_file_takes_no_write_and_is_not_made_anew() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    submit(&store, "before").expect("written");
    for name in ["tasks.db", "tasks.db-wal", "tasks.db-shm"] {
        fs::remove_file(place.file(name)).expect("removed");
    }
    assert_names_file(submit(&store, "refused"), &place, MOVED);
    assert!(submit(&store, "refused").is_err());
    assert!(get(&store, "any").is_err());
    assert!(
        !place.path().exists(),
        "an empty database in its place would look like none was ever lost"
    );
    // Somebody starts over, with a database of its own.
    let other = SqliteStore::new(text(&place.path()), SqliteOptions::default());
    let theirs = submit(&other, "theirs").expect("written");
    submit_until_accepted(&place, &store);
    assert!(get(&store, &theirs.id).expect("read").is_some());
}

#[test]
fn a_file_moved_away_and_back_goes_on_with_everything() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let before = submit(&store, "before").expect("written");
    fs::rename(place.path(), place.file("away.db")).expect("moved");
    assert_names_file(submit(&store, "refused"), &place, MOVED);
    fs::rename(place.file("away.db"), place.path()).expect("moved back");
    let after = submit_until_accepted(&place, &store);
    assert!(get(&store, &before.id).expect("read").is_some());
    assert!(get(&store, &after.id).expect("read").is_some());
}

#[test]
fn another_file_put_over_it_is_used_from_then_on() {
    let place = Place::new();
    let other = SqliteStore::new(text(&place.file("other.db")), SqliteOptions::default());
    let theirs = submit(&other, "theirs").expect("written");
    run(other.close()).expect("closed");
    let store = place.opened(MigrateTo::Default);
    for _ in 0..50 {
        submit(&store, "before").expect("written");
    }
    fs::rename(place.file("other.db"), place.path()).expect("put over");
    assert_names_file(submit(&store, "refused"), &place, MOVED);
    submit_until_accepted(&place, &store);
    // The old log must not have been copied into the new file.
    assert!(get(&store, &theirs.id).expect("read").is_some());
    let peer = place.peer();
    let ok: String = peer
        .query_row("pragma integrity_check", [], |row| row.get(0))
        .expect("checked");
    assert_eq!(ok, "ok");
    assert_eq!(
        count(
            &peer,
            "select count(*) from cairnq_tasks where name = 'before'"
        ),
        0
    );
}

#[test]
fn a_replaced_file_is_noticed_without_any_write() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let before = submit(&store, "before").expect("written");
    fs::write(place.file("other.db"), "").expect("a file");
    fs::rename(place.file("other.db"), place.path()).expect("put over");
    // One use is told; from then on the new, empty database is read.
    let mut told = false;
    until("the new file is read", || match get(&store, &before.id) {
        Ok(found) => found.is_none(),
        Err(error) => {
            told |= code(&error) == MOVED;
            false
        }
    });
    assert!(told, "switched in silence");
}

#[test]
fn a_removed_log_is_noticed_and_what_it_held_is_saved() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let before = submit(&store, "only in the log").expect("written");
    for name in ["tasks.db-wal", "tasks.db-shm"] {
        fs::remove_file(place.file(name)).expect("removed");
    }
    assert_names_file(submit(&store, "refused"), &place, MOVED);
    submit_until_accepted(&place, &store);
    assert!(
        is_at_path(&place, &before),
        "an acknowledged task was lost with the log"
    );
}

#[cfg(unix)]
#[test]
fn a_file_made_read_only_takes_no_write_until_it_is_writable_again() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let before = submit(&store, "before").expect("written");
    let set =
        |mode| fs::set_permissions(place.path(), fs::Permissions::from_mode(mode)).expect("set");
    set(0o444);
    assert_names_file(submit(&store, "refused"), &place, "SQLITE_READONLY");
    assert!(get(&store, &before.id).expect("reads go on").is_some());
    set(0o644);
    submit(&store, "accepted").expect("written");
}

#[test]
fn a_corrupt_page_is_an_error_and_its_repair_needs_no_restart() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let task = submit(&store, "written").expect("written");
    run(store.close()).expect("closed");
    let whole = fs::read(place.path()).expect("read");
    let mut broken = whole.clone();
    for byte in &mut broken[4096..] {
        *byte = 0x5a;
    }
    run(store.connect()).expect("open");
    fs::write(place.path(), &broken).expect("broken");
    let error = run(store.execute(Command::Cancel(Target::Id(task.id.clone())))).unwrap_err();
    assert_eq!(code(&error), "SQLITE_CORRUPT", "{error}");
    assert!(error.to_string().contains(text(&place.path())), "{error}");
    fs::write(place.path(), &whole).expect("repaired");
    until("it works again", || {
        run(store.execute(Command::Cancel(Target::Id(task.id.clone())))).is_ok()
    });
    until("it reads again", || {
        get(&store, &task.id).is_ok_and(|task| task.is_some())
    });
}

#[test]
fn what_is_no_database_is_refused_by_name() {
    let place = Place::new();
    fs::write(place.path(), "no database ".repeat(100)).expect("a file");
    let error = submit(&place.store(), "refused").unwrap_err();
    assert_eq!(code(&error), "SQLITE_NOTADB");
    assert!(error.to_string().contains(text(&place.path())), "{error}");
}
