//! Several processes on one file. Each test starts itself again as its peers, told so by a variable.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command as Process, Stdio};

use futures_util::future::join_all;

use super::{Place, SqliteStore, claim, complete, count, run, submit, text, write};
use crate::error::Error;
use crate::protocol::MigrateTo;
use crate::store::Backend;
use crate::store::command::{Command, NewTask};
use crate::store::sqlite::SqliteOptions;

const PEER_OF: &str = "CAIRNQ_TEST_PEER_OF";

/// The database this process is a peer on; none in the test itself.
pub(super) fn peer_of() -> Option<PathBuf> {
    std::env::var_os(PEER_OF).map(PathBuf::from)
}

/// This test once more, as a peer on the place's database.
pub(super) fn peer(test: &str, place: &Place) -> Child {
    Process::new(std::env::current_exe().expect("this program"))
        .args(["--exact", &format!("store::sqlite::tests::{test}")])
        .arg("--nocapture")
        .env(PEER_OF, place.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a peer starts")
}

/// What a peer printed as `told: ...`, and whether it ended well.
pub(super) fn ended(mut peer: Child) -> (Vec<String>, bool) {
    let lines = BufReader::new(peer.stdout.take().expect("its output"))
        .lines()
        .map_while(std::result::Result::ok)
        .filter_map(|line| Some(line.split_once("told: ")?.1.to_owned()))
        .collect();
    (lines, peer.wait().expect("it ends").success())
}

pub(super) fn tell(what: &str) {
    println!("told: {what}");
}

fn store_of(path: &std::path::Path, migrate: MigrateTo) -> SqliteStore {
    SqliteStore::new(
        text(path),
        SqliteOptions {
            migrate,
            ..SqliteOptions::default()
        },
    )
}

#[test]
fn processes_that_start_together_migrate_once() {
    if let Some(path) = peer_of() {
        let store = store_of(&path, MigrateTo::Latest);
        submit(&store, "started").expect("open and written");
        run(store.close()).expect("closed");
        return;
    }
    let place = Place::new();
    let peers: Vec<_> = (0..6)
        .map(|_| {
            peer(
                "processes::processes_that_start_together_migrate_once",
                &place,
            )
        })
        .collect();
    for peer in peers {
        assert!(ended(peer).1, "a peer failed");
    }
    let connection = place.peer();
    assert_eq!(count(&connection, "select count(*) from cairnq_tasks"), 6);
    assert_eq!(
        count(&connection, "select count(*) from cairnq_migrations"),
        9
    );
}

#[test]
fn eight_processes_contend_and_none_is_told_busy() {
    const EACH: usize = 60;
    if let Some(path) = peer_of() {
        let store = store_of(&path, MigrateTo::Default);
        for round in 0..EACH / 10 {
            let submits = (0..10)
                .map(|_| store.execute(Command::Submit(Box::new(NewTask::named("contended")))));
            for submitted in run(join_all(submits)) {
                submitted.unwrap_or_else(|error| panic!("round {round}: {error}"));
            }
            for task in claim(&store, 10) {
                run(store.execute(complete(&task.id))).expect("settled");
            }
        }
        return;
    }
    let place = Place::new();
    let peers: Vec<_> = (0..8)
        .map(|_| {
            peer(
                "processes::eight_processes_contend_and_none_is_told_busy",
                &place,
            )
        })
        .collect();
    for peer in peers {
        assert!(ended(peer).1, "a peer failed");
    }
    let connection = place.peer();
    let total = i64::try_from(8 * EACH).expect("small");
    assert_eq!(
        count(&connection, "select count(*) from cairnq_tasks"),
        total
    );
    let once = "select count(*) from cairnq_tasks where attempt > 1";
    assert_eq!(count(&connection, once), 0);
    let ok: String = connection
        .query_row("pragma integrity_check", [], |row| row.get(0))
        .expect("checked");
    assert_eq!(ok, "ok");
}

#[test]
fn a_process_that_dies_before_the_commit_has_acknowledged_nothing() {
    if let Some(path) = peer_of() {
        let store = store_of(&path, MigrateTo::Default);
        tell(&submit(&store, "first").expect("written").id);
        let held = super::hold(&store);
        let second = store.execute(Command::Submit(Box::new(NewTask::named("second"))));
        let dies = write(&store, |_| -> Result<(), Error> { std::process::abort() });
        held.release();
        run(async {
            if second.await.is_ok() {
                tell("acknowledged what was never committed");
            }
            let _ = dies.await;
        });
        return;
    }
    let place = Place::new();
    let peer = peer(
        "processes::a_process_that_dies_before_the_commit_has_acknowledged_nothing",
        &place,
    );
    let (told, ended_well) = ended(peer);
    assert!(!ended_well, "it was to die");
    let store = place.store();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(super::get(&store, &told[0]).expect("read").is_some());
    assert_eq!(count(&place.peer(), "select count(*) from cairnq_tasks"), 1);
}

/// Connections are opened at different times; all of them are to the file the store was made for.
#[test]
fn a_relative_path_stays_the_same_file_when_the_program_changes_its_directory() {
    if let Some(path) = peer_of() {
        let directory = path.parent().expect("a folder");
        std::env::set_current_dir(directory).expect("there");
        let store = SqliteStore::new("tasks.db", SqliteOptions::default());
        let task = submit(&store, "here").expect("written");
        std::env::set_current_dir(std::env::temp_dir()).expect("elsewhere");
        assert!(super::get(&store, &task.id).expect("read").is_some());
        run(store.close()).expect("closed");
        assert!(super::get(&store, &task.id).expect("read").is_some());
        return;
    }
    let place = Place::new();
    let test =
        "processes::a_relative_path_stays_the_same_file_when_the_program_changes_its_directory";
    assert!(ended(peer(test, &place)).1, "the peer failed");
    assert_eq!(count(&place.peer(), "select count(*) from cairnq_tasks"), 1);
}

/// What a panic in the writer itself leaves behind: an error for whoever was in that transaction, and a writer.
#[test]
fn a_panicking_writer_is_back_for_the_next_write() {
    if let Some(path) = peer_of() {
        for target in [text(&path), ":memory:"] {
            let store = SqliteStore::new(target, SqliteOptions::default());
            let mut outcomes = Vec::new();
            for _ in 0..4 {
                outcomes.push(submit(&store, "either way").is_ok());
            }
            tell(&format!("{outcomes:?}"));
            run(store.close()).expect("closed");
        }
        return;
    }
    let place = Place::new();
    let test = "a_panicking_writer_is_back_for_the_next_write";
    let peer = Process::new(std::env::current_exe().expect("this program"))
        .args([
            "--exact",
            &format!("store::sqlite::tests::processes::{test}"),
        ])
        .arg("--nocapture")
        .env(PEER_OF, place.path())
        .env("CAIRNQ_CRASH_POINT", "before-commit:panic:2")
        .stdout(Stdio::piped())
        .spawn()
        .expect("a peer starts");
    let (told, ended_well) = ended(peer);
    assert!(ended_well, "the process went down with its writer");
    assert_eq!(
        told,
        ["[true, false, true, true]", "[true, true, true, true]"]
    );
}
