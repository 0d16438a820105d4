//! No program of operations leaves a row in an impossible state; odd rows of others stop nothing.

use proptest::prelude::*;
use rusqlite::Connection;

use super::{Place, claim, count, get, owner, run};
use crate::protocol::{MIGRATE_TARGETS, MigrateTo};
use crate::store::Backend;
use crate::store::command::{Command, NewTask, Outcome, PurgeFilter, Target};
use crate::store::round::Round;
use crate::store::submitted;

/// What SPEC-minded readers of a row rely on, each a query that finds whoever breaks it.
const IMPOSSIBLE: &[&str] = &[
    "(lease_until_ms is not null) <> (status = 'running')",
    "status = 'running' and worker_id is null",
    "status = 'queued' and (worker_id is not null or progress is not null or message is not null)",
    "status = 'queued' and cancel_requested_at_ms is not null",
    "(completed_at_ms is not null) <> (status in ('succeeded', 'failed', 'canceled'))",
    "status = 'failed' and error is null",
    "status = 'succeeded' and progress is not 1.0",
    "attempt < 0",
    "updated_at_ms < created_at_ms",
];

fn assert_possible(connection: &Connection) {
    for condition in IMPOSSIBLE {
        let broken = format!("select count(*) from cairnq_tasks where {condition}");
        assert_eq!(count(connection, &broken), 0, "{condition}");
    }
    let keys =
        "select count(*) from cairnq_task_keys where task_id not in (select id from cairnq_tasks)";
    assert_eq!(count(connection, keys), 0);
}

#[derive(Debug, Clone)]
enum Step {
    Submit,
    Claim,
    Settle(usize, u8),
    Progress(usize),
    Release(usize),
    Cancel(usize),
    Retry(usize, bool),
    Expire(usize),
    Purge,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Submit),
        3 => Just(Step::Claim),
        4 => (0..20_usize, 0..4_u8).prop_map(|(index, how)| Step::Settle(index, how)),
        1 => (0..20_usize).prop_map(Step::Progress),
        1 => (0..20_usize).prop_map(Step::Release),
        2 => (0..20_usize).prop_map(Step::Cancel),
        2 => (0..20_usize, any::<bool>()).prop_map(|(index, reset)| Step::Retry(index, reset)),
        1 => (0..20_usize).prop_map(Step::Expire),
        1 => Just(Step::Purge),
    ]
}

fn outcome(how: u8) -> Outcome {
    match how {
        0 => Outcome::Succeed {
            result: Some("1".to_owned()),
            message: Some("done".to_owned()),
        },
        1 => Outcome::Complete {
            result: None,
            message: None,
        },
        retryable => Outcome::Fail {
            error: "{}".to_owned(),
            retryable: retryable == 2,
            delay_ms: 0,
        },
    }
}

fn play(store: &super::SqliteStore, peer: &Connection, ids: &mut Vec<String>, step: &Step) {
    let id = |index: &usize| {
        ids.get(index % ids.len().max(1))
            .cloned()
            .unwrap_or_default()
    };
    let command = match step {
        Step::Submit => {
            let new = NewTask::named("any").with(|args| {
                args.key = Some(format!("key {}", ids.len() % 3));
                args.max_attempts = 2;
            });
            ids.push(new.id.to_string());
            Command::Submit(Box::new(new))
        }
        Step::Claim => {
            claim(store, 3);
            return;
        }
        Step::Settle(index, how) => Command::Settle {
            owner: owner(),
            task_id: id(index),
            outcome: outcome(*how),
        },
        Step::Progress(index) => Command::Progress {
            owner: owner(),
            task_id: id(index),
            progress: Some(0.5),
            message: Some("half".to_owned()),
        },
        Step::Release(index) => {
            let round = Round {
                owner: owner(),
                settlements: Vec::new(),
                releases: vec![id(index)],
                claim: None,
            };
            run(store.round(round)).released.expect("released");
            return;
        }
        Step::Cancel(index) => Command::Cancel(Target::Id(id(index))),
        Step::Retry(index, reset_attempt) => Command::Retry {
            target: Target::Id(id(index)),
            reset_attempt: *reset_attempt,
        },
        Step::Expire(index) => {
            peer.execute(
                "update cairnq_tasks set lease_until_ms = 1 where id = ?1 and status = 'running'",
                [id(index)],
            )
            .expect("expired");
            return;
        }
        Step::Purge => Command::Purge(PurgeFilter {
            older_than_ms: -1,
            limit: 2,
            status: None,
            name: None,
            queue: None,
        }),
    };
    // A settlement of a task that is not ours is refused, and that is as it should be.
    let _ = run(store.execute(command));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_row_is_ever_impossible(steps in prop::collection::vec(step(), 1..60), latest: bool) {
        let place = Place::new();
        let migrate = MIGRATE_TARGETS[usize::from(latest)];
        let store = place.opened(migrate);
        let peer = place.peer();
        let mut ids = Vec::new();
        for step in &steps {
            play(&store, &peer, &mut ids, step);
            assert_possible(&peer);
        }
    }
}

#[test]
fn odd_values_of_others_stop_no_queue() {
    for migrate in MIGRATE_TARGETS {
        let place = Place::new();
        let store = place.opened(migrate);
        place
            .peer()
            .execute_batch(
                "insert into cairnq_tasks
                   (id, name, queue, status, payload, priority, max_attempts, run_at_ms, created_at_ms, updated_at_ms)
                 values
                   ('a', 'x', 'default', 'queued', '{}', 1.5, 2.5, 10.25, 5.75, 5.75),
                   ('b', cast(x'ff61' as text), 'default', 'queued', '{}', 0, 3, 1, 1, 1),
                   ('c', 'x', 'default', 'queued', '{}', 0, 3, 2, 2, 2)",
            )
            .expect("rows");
        let claimed = claim(&store, 9);
        let ids: Vec<_> = claimed.iter().map(|task| task.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c"]);
        assert_eq!(claimed[0].priority, 1);
    }
}

#[test]
fn expired_leases_of_odd_queues_are_recovered() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let peer = place.peer();
    peer.execute_batch(
        "insert into cairnq_tasks
           (id, name, queue, status, payload, worker_id, lease_until_ms, attempt, run_at_ms, created_at_ms, updated_at_ms)
         values ('a', 'x', cast(x'ff' as text), 'running', '{}', 'gone', 1, 1, 1, 1, 1)",
    )
    .expect("a row");
    claim(&store, 1);
    assert_eq!(
        count(
            &peer,
            "select count(*) from cairnq_tasks where status = 'queued'"
        ),
        1
    );
}

#[test]
fn a_row_holds_nothing_of_the_row_before() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let plain = NewTask::named("plain");
    let full = NewTask::named("full").with(|args| {
        args.queue = "elsewhere".to_owned();
        args.max_attempts = 7;
        args.priority = -3;
        args.parent_id = Some("parent".to_owned());
        args.root_id = Some("root".to_owned());
        args.correlation_id = Some("correlation".to_owned());
        args.run_at_delay_ms = 60_000;
    });
    let like = |new: &NewTask, payload: &str| NewTask {
        id: crate::ids::task_id().into(),
        payload: payload.into(),
        metadata: format!("{{\"of\":{payload}}}").into(),
        ..new.clone()
    };
    let tasks: Vec<_> = [&plain, &plain, &full, &full, &plain, &full]
        .iter()
        .zip(["1", "2", "3", "4", "5", "6"])
        .map(|(new, payload)| like(new, payload))
        .collect();
    run(store.execute(Command::SubmitMany(tasks.clone()))).expect("written");
    for new in tasks {
        let row = get(&store, &new.id).expect("read").expect("a row");
        let at = row.created_at_ms;
        let due = at + new.args.run_at_delay_ms;
        assert_eq!(row, submitted::row(new, at, due));
    }
}
