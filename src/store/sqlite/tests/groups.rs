//! Group commit: who shares a transaction, who fails, who is told what.

use std::sync::Arc;

use futures_util::future::join_all;
use rusqlite::Connection;

use super::super::submit;
use super::{Place, claim, code, complete, count, end_of, get, hold, one, owner, run, text, write};
use crate::error::{Error, Result};

use crate::model::{Conflict, Status};
use crate::protocol::MigrateTo;
use crate::store::Backend;
use crate::store::answer::Answer;
use crate::store::command::{Command, NewTask, Outcome};
use crate::store::parts::parts;
use crate::store::round::{Round, Settled, Settlement};
use crate::store::submitted::Submitted;

fn command(new: NewTask) -> Command {
    Command::Submit(Box::new(new))
}

const ROWS: &str = "select count(*) from cairnq_tasks";

#[test]
fn what_waits_together_shares_a_transaction_and_a_lone_write_does_not_wait() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let seen_by_others = || {
        let path = place.path();
        move |tx: &super::Tx<'_, '_>| {
            submit::submit(tx, &NewTask::named("member"))?;
            let other = Connection::open(&path).expect("a connection");
            Ok(count(&other, ROWS))
        }
    };
    let held = hold(&store);
    let members: Vec<_> = (0..5).map(|_| write(&store, seen_by_others())).collect();
    held.release();
    let seen: Result<Vec<_>> = run(join_all(members)).into_iter().collect();
    assert_eq!(
        seen,
        Ok(vec![0; 5]),
        "one transaction, invisible until its end"
    );
    assert_eq!(run(write(&store, seen_by_others())), Ok(5));
}

#[test]
fn only_the_member_that_cannot_be_written_fails() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let first =
        one(run(store.execute(command(NewTask::named("first")))).expect("written")).expect("a row");
    let mut clash = NewTask::named("clash");
    clash.id = first.id.into();
    let held = hold(&store);
    let before = store.execute(command(NewTask::named("before")));
    let clashes = store.execute(command(clash));
    let too_big = write(&store, |tx| {
        tx.execute(
            "insert into cairnq_meta values ('big', zeroblob(2000000000))",
            [],
        )
    });
    let after = store.execute(command(NewTask::named("after")));
    held.release();
    assert!(run(before).is_ok());
    assert_eq!(code(&run(clashes).unwrap_err()), "SQLITE_CONSTRAINT");
    assert_eq!(code(&run(too_big).unwrap_err()), "SQLITE_TOOBIG");
    assert!(run(after).is_ok());
    assert_eq!(count(&place.peer(), ROWS), 3);
}

#[test]
fn a_member_that_fails_half_way_leaves_nothing_behind() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let held = hold(&store);
    let before = store.execute(command(NewTask::named("before")));
    let half = write(&store, |tx| {
        submit::submit(tx, &NewTask::named("half"))?;
        Err::<(), _>(Error::Invalid("changed its mind".to_owned()))
    });
    let after = store.execute(command(NewTask::named("after")));
    held.release();
    assert!(run(before).is_ok());
    assert!(run(half).is_err());
    assert!(run(after).is_ok());
    let peer = place.peer();
    assert_eq!(count(&peer, ROWS), 2);
    assert_eq!(
        count(
            &peer,
            "select count(*) from cairnq_tasks where name = 'half'"
        ),
        0
    );
}

#[test]
fn a_refused_batch_costs_its_neighbours_nothing_but_another_run() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    assert!(run(store.execute(command(keyed(Conflict::Reuse)))).is_ok());
    let held = hold(&store);
    let before = store.execute(command(NewTask::named("before")));
    let batch = store.execute(Command::SubmitMany(vec![
        NewTask::named("one of them"),
        keyed(Conflict::Reject),
    ]));
    let (giver, parts) = parts();
    giver.give(vec![NewTask::named("in parts")]);
    let (answer, in_parts) = Answer::awaited();
    let store = Arc::new(store);
    Arc::clone(&store).submit_many_for(parts, answer);
    held.release();
    giver.give(vec![NewTask::named("in parts"), keyed(Conflict::Reuse)]);
    giver.end();
    assert!(run(before).is_ok());
    assert!(matches!(run(batch), Err(Error::AlreadyExists { .. })));
    let submitted = run(in_parts).expect("all of it");
    assert!(
        matches!(
            submitted[..],
            [
                Submitted::New { .. },
                Submitted::New { .. },
                Submitted::Existing(_)
            ]
        ),
        "{submitted:?}"
    );
    assert_eq!(count(&place.peer(), ROWS), 4);
}

#[test]
fn a_submit_that_is_given_up_half_way_leaves_nothing_behind() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let (giver, parts) = parts();
    let (answer, given_up) = Answer::awaited();
    let store = Arc::new(store);
    Arc::clone(&store).submit_many_for(parts, answer);
    giver.give(vec![NewTask::named("half")]);
    drop(giver);
    assert!(matches!(run(given_up), Err(Error::Invalid(_))));
    assert!(run(store.execute(command(NewTask::named("later")))).is_ok());
    assert_eq!(count(&place.peer(), ROWS), 1);
}

fn keyed(conflict: Conflict) -> NewTask {
    NewTask::named("keyed").with(|args| {
        args.key = Some("k".to_owned());
        args.conflict = conflict;
    })
}

#[test]
fn a_panic_in_one_operation_is_an_error_of_that_operation() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let held = hold(&store);
    let before = store.execute(command(NewTask::named("before")));
    let panics = write(&store, |tx| {
        submit::submit(tx, &NewTask::named("half"))?;
        assert!(tx.now_ms < 0, "a panic on purpose");
        Ok(())
    });
    let after = store.execute(command(NewTask::named("after")));
    held.release();
    assert!(run(before).is_ok());
    assert!(matches!(run(panics), Err(Error::Internal(_))));
    assert!(run(after).is_ok());
    assert_eq!(count(&place.peer(), ROWS), 2);
    assert!(run(store.execute(command(NewTask::named("later")))).is_ok());
}

#[test]
fn a_panicking_read_does_not_use_up_the_readers() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    for _ in 0..6 {
        let (answer, read) = Answer::awaited();
        store.inner.read(answer, |tx| {
            assert!(tx.now_ms < 0, "a panic on purpose");
            Ok(())
        });
        assert!(run(read).is_err());
    }
    assert_eq!(get(&store, "none"), Ok(None));
}

/// No page more than the database has now.
fn fill_up(store: &super::SqliteStore) {
    run(write(store, |tx| {
        let pages: i64 = tx
            .connection
            .query_row("pragma page_count", [], |row| row.get(0))
            .expect("a count");
        tx.connection
            .query_row(&format!("pragma max_page_count = {pages}"), [], |_| Ok(()))
            .expect("a limit");
        Ok(())
    }))
    .expect("limited");
}

fn make_room(store: &super::SqliteStore) {
    run(write(store, |tx| {
        tx.connection
            .query_row("pragma max_page_count = 1000000", [], |_| Ok(()))
            .expect("a limit");
        Ok(())
    }))
    .expect("no longer limited");
}

#[test]
fn a_full_database_refuses_what_needs_room_and_only_that() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    run(store.execute(command(NewTask::named("claimed")))).expect("written");
    let claimed = claim(&store, 1);
    fill_up(&store);
    let mut large = NewTask::named("large");
    large.payload = format!("\"{}\"", "x".repeat(100_000)).into();
    let held = hold(&store);
    let renew = store.renew(owner(), vec![claimed[0].id.clone()]);
    let refused = store.execute(command(large.clone()));
    let settle = store.execute(complete(&claimed[0].id));
    held.release();
    assert_eq!(run(renew).expect("renewed").len(), 1);
    let error = run(refused).unwrap_err();
    assert_eq!(code(&error), "SQLITE_FULL");
    assert!(error.is_passing());
    assert!(error.to_string().contains(text(&place.path())), "{error}");
    let row = one(run(settle).expect("settled")).expect("a row");
    assert_eq!(row.status, Status::Succeeded);
    make_room(&store);
    assert!(run(store.execute(command(large))).is_ok());
}

/// When the disk is full `SQLite` undoes the whole transaction, and every statement after that would commit alone.
#[test]
fn a_round_that_loses_its_transaction_settles_nothing_on_the_side() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    for _ in 0..3 {
        run(store.execute(command(NewTask::named("claimed")))).expect("written");
    }
    let tasks = claim(&store, 3);
    fill_up(&store);
    let settlement = |index: usize, result: String| Settlement {
        task_id: tasks[index].id.as_str().into(),
        queue: "default".into(),
        outcome: Outcome::Complete {
            result: Some(result),
            message: None,
        },
        want_row: false,
    };
    let round = Round {
        owner: owner(),
        settlements: vec![
            settlement(0, "1".to_owned()),
            settlement(1, format!("\"{}\"", "x".repeat(200_000))),
            settlement(2, "3".to_owned()),
        ],
        releases: Vec::new(),
        claim: None,
    };
    let reply = run(store.round(round));
    assert!(
        reply
            .settled
            .iter()
            .all(|settled| code_of(settled) == "SQLITE_FULL")
    );
    let running = "select count(*) from cairnq_tasks where status = 'running'";
    assert_eq!(count(&place.peer(), running), 3);
}

fn code_of(settled: &Result<Settled>) -> &str {
    settled.as_ref().err().map_or("", code)
}

/// What the store does to a group whose commit fails must not tell a member that its lease is lost.
#[test]
fn a_round_in_a_group_that_had_to_be_undone_is_settled_once() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    for _ in 0..3 {
        run(store.execute(command(NewTask::named("claimed")))).expect("written");
    }
    let tasks = claim(&store, 3);
    fill_up(&store);
    let settlements = tasks
        .iter()
        .map(|task| Settlement {
            task_id: task.id.as_str().into(),
            queue: "default".into(),
            outcome: Outcome::Complete {
                result: Some("1".to_owned()),
                message: None,
            },
            want_row: true,
        })
        .collect();
    let mut large = NewTask::named("large");
    large.payload = format!("\"{}\"", "x".repeat(100_000)).into();
    let held = hold(&store);
    let round = store.round(Round {
        owner: owner(),
        settlements,
        releases: Vec::new(),
        claim: None,
    });
    let refused = store.execute(command(large));
    held.release();
    let reply = run(round);
    for settled in reply.settled {
        match settled {
            Ok(Settled::Written(_, Some(task))) => assert_eq!(task.status, Status::Succeeded),
            other => panic!("not settled: {other:?}"),
        }
    }
    assert!(run(refused).is_err());
}

#[test]
fn nobody_is_told_before_the_commit() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let held = hold(&store);
    let mut writes: Vec<_> = (0..10)
        .map(|_| Box::pin(store.execute(command(NewTask::named("early")))))
        .collect();
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let (inside, reached) = std::sync::mpsc::channel();
    let last = write(&store, move |_| {
        let _ = inside.send(());
        let _ = gate.recv_timeout(super::DEADLINE);
        Ok(())
    });
    held.release();
    reached
        .recv_timeout(super::DEADLINE)
        .expect("the group is under way");
    for early in &mut writes {
        use futures_util::FutureExt;
        assert!(early.now_or_never().is_none(), "told before the commit");
    }
    drop(open);
    run(last).expect("committed");
    assert!(run(join_all(writes)).iter().all(Result::is_ok));
}

#[test]
fn what_is_undone_is_announced_to_nobody() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let mut awaited = end_of(&store, "task_x");
    let failed = write(&store, |tx| {
        tx.atomically(|| {
            tx.announce_done("task_x");
            Err::<(), _>(Error::Invalid("no".to_owned()))
        })
        .or(Ok(()))
    });
    run(failed).expect("the member goes on");
    assert!(awaited.try_recv().is_err(), "announced what was undone");
}
