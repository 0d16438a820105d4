//! A worker's round: settlements, releases, recovery, draws.

use cairnq_native::error::Error;
use cairnq_native::model::{Status, Task};
use cairnq_native::store::Backend as _;
use cairnq_native::store::claimed::ClaimedTask;
use cairnq_native::store::command::{Command, NewTask, Outcome, Target};
use cairnq_native::store::round::{Round, Settled};

use super::support::*;

fn written(settled: &cairnq_native::Result<Settled>) -> bool {
    matches!(settled, Ok(Settled::Written(..)))
}

#[test]
fn a_round_settles_every_outcome_and_claims_in_one_go() {
    World::run(|world| async move {
        let store = world.store();
        submit_many(&store, (0..6).map(|_| NewTask::named("n")).collect()).await;
        let held = claim(&store, "w", 4).await;
        store
            .execute(Command::Cancel(Target::Id(held[3].id.clone())))
            .await
            .expect("cancel");
        let settlements = vec![
            complete(&held[2], "[2]"),
            fail(&held[1], r#"{"message":"again"}"#, true),
            fail(&held[0], r#"{"message":"never"}"#, false),
            complete(&held[3], "3"),
        ];
        let claim = Some(plan(&["default"], vec![draw(&["n"], 5)], false));
        let reply = store
            .round(Round {
                claim,
                ..round("w", settlements)
            })
            .await;
        assert!(reply.settled.iter().all(written), "{:?}", reply.settled);
        let rows = drawn(reply);
        assert_eq!(rows[0].len(), 2, "what was queued before the round");
        for task in &rows[0] {
            let row = get(&store, &task.id).await.expect("a row");
            assert_eq!((row.status, row.attempt), (Status::Running, 1));
            assert_eq!(task.attempt, 1);
        }
        let task = |index: usize| get(&store, &held[index].id);
        assert_eq!(task(2).await.expect("a row").result.as_deref(), Some("[2]"));
        let again = task(1).await.expect("a row");
        assert_eq!(
            (again.status, again.worker_id, again.lease_until_ms),
            (Status::Queued, None, None)
        );
        assert_eq!(task(0).await.expect("a row").status, Status::Failed);
        let canceled = task(3).await.expect("a row");
        assert_eq!((canceled.status, canceled.result), (Status::Canceled, None));
        store.close().await.expect("close");
    });
}

#[test]
fn outcomes_without_a_lease_are_lost_and_a_second_sending_is_recognised() {
    World::run(|world| async move {
        let store = world.store();
        submit_many(&store, (0..4).map(|_| NewTask::named("n")).collect()).await;
        let held = claim(&store, "w", 4).await;
        let stranger = store
            .round(round("other", vec![complete(&held[0], "1")]))
            .await;
        assert!(matches!(stranger.settled[0], Ok(Settled::Lost)));
        let outcomes = || {
            vec![
                complete(&held[0], r#"{"b":1,"a":2}"#),
                fail(&held[1], r#"{"m":1}"#, true),
                fail(&held[2], r#"{"m":2}"#, false),
            ]
        };
        assert!(
            store
                .round(round("w", outcomes()))
                .await
                .settled
                .iter()
                .all(written)
        );
        // The answer of the first is taken to be lost on the way: the worker sends the same again.
        assert!(
            store
                .round(round("w", outcomes()))
                .await
                .settled
                .iter()
                .all(written)
        );
        // Another outcome for a settled task is not a second sending.
        let other = store
            .round(round(
                "w",
                vec![complete(&held[0], "2"), fail(&held[2], r#"{"m":3}"#, false)],
            ))
            .await;
        assert!(
            other
                .settled
                .iter()
                .all(|settled| matches!(settled, Ok(Settled::Lost))),
            "{:?}",
            other.settled
        );
    });
}

#[test]
fn a_settled_row_comes_back_when_it_is_wanted() {
    World::run(|world| async move {
        let store = world.store();
        submit_many(&store, (0..2).map(|_| NewTask::named("n")).collect()).await;
        let held = claim(&store, "w", 2).await;
        let mut settlements = vec![complete(&held[1], "1"), complete(&held[0], "2")];
        settlements[0].want_row = true;
        let reply = store.round(round("w", settlements)).await;
        let Ok(Settled::Written(_, Some(row))) = &reply.settled[0] else {
            panic!("{:?}", reply.settled[0])
        };
        assert_eq!(
            (row.id.as_str(), row.status, row.result.as_deref()),
            (held[1].id.as_str(), Status::Succeeded, Some("1"))
        );
        assert!(matches!(reply.settled[1], Ok(Settled::Written(_, None))));
    });
}

#[test]
fn a_released_task_is_as_it_was_before_the_claim() {
    World::run(|world| async move {
        let store = world.store();
        let before = submit_many(&store, vec![NewTask::named("n"), NewTask::named("n")]).await;
        let held = claim(&store, "w", 2).await;
        store
            .execute(Command::Cancel(Target::Id(held[1].id.clone())))
            .await
            .expect("cancel");
        let releases = held.iter().map(|task| task.id.clone()).collect();
        let reply = store
            .round(Round {
                releases,
                ..round("w", Vec::new())
            })
            .await;
        reply.released.expect("released");
        let after = get(&store, &before[0].id).await.expect("a row");
        assert_eq!(
            Task {
                updated_at_ms: 0,
                ..after
            },
            Task {
                updated_at_ms: 0,
                ..before[0].clone()
            }
        );
        let canceled = get(&store, &before[1].id).await.expect("a row");
        assert_eq!(
            (canceled.status, canceled.lease_until_ms),
            (Status::Canceled, None),
            "cancel outranks the hand-back"
        );
        assert!(canceled.completed_at_ms.is_some());
    });
}

#[test]
fn expired_leases_are_recovered_and_drawn_in_the_same_round() {
    World::run(|world| async move {
        let store = world.store();
        submit_many(&store, (0..3).map(|_| NewTask::named("n")).collect()).await;
        let held = claim(&store, "gone", 3).await;
        world
            .sql("update cairnq_tasks set lease_until_ms = 1")
            .await;
        let claim = Some(plan(&["default"], vec![draw(&["n"], 10)], true));
        let rows = drawn(
            store
                .round(Round {
                    claim,
                    ..round("w", Vec::new())
                })
                .await,
        );
        assert_eq!(ids(&rows[0]), ids(&held));
        assert!(rows[0].iter().all(|task| task.attempt == 2));
    });
}

#[test]
fn several_draws_are_one_claim_and_a_round_that_finds_nothing_draws_nothing() {
    World::run(|world| async move {
        let store = world.store();
        for name in ["a", "b", "c"] {
            submit_many(&store, (0..3).map(|_| NewTask::named(name)).collect()).await;
        }
        // Twice: the store learns from the first round that this worker makes several draws.
        for taken in [1, 2] {
            let draws = vec![
                draw(&["a"], 1),
                draw(&[], 5),
                draw(&["b", "c"], 2),
                draw(&["a"], 0),
            ];
            let rows = claim_round(&store, &["default"], draws).await;
            let sizes: Vec<usize> = rows.iter().map(Vec::len).collect();
            assert_eq!(sizes, [1, 0, 2, 0], "round {taken}");
        }
        let idle = Some(plan(&["elsewhere"], vec![draw(&["a"], 1)], true));
        assert!(
            drawn(
                store
                    .round(Round {
                        claim: idle,
                        ..round("w", Vec::new())
                    })
                    .await
            )
            .is_empty()
        );
    });
}

#[test]
fn a_byte_budget_leaves_queued_what_does_not_fit() {
    World::run(|world| async move {
        let store = world.store();
        let of_size = |bytes: usize| NewTask {
            payload: format!("\"{}\"", "x".repeat(bytes - 2)).into(),
            ..NewTask::named("n")
        };
        submit_many(
            &store,
            vec![of_size(100), of_size(100), of_size(100), of_size(500)],
        )
        .await;
        let bounded = |max_bytes, oversize_first| cairnq_native::store::round::Draw {
            max_bytes: Some(max_bytes),
            oversize_first,
            ..draw(&["n"], 10)
        };
        let sizes = |rows: &[Vec<ClaimedTask>]| {
            rows[0]
                .iter()
                .map(|task| task.payload.len())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            sizes(&claim_round(&store, &["default"], vec![bounded(250, false)]).await),
            [100, 100]
        );
        assert_eq!(
            sizes(&claim_round(&store, &["default"], vec![bounded(99, false)]).await),
            [0_usize; 0]
        );
        assert_eq!(
            sizes(&claim_round(&store, &["default"], vec![bounded(99, true)]).await),
            [100]
        );
        assert_eq!(
            sizes(&claim_round(&store, &["default"], vec![bounded(99, true)]).await),
            [500]
        );
    });
}

#[test]
fn one_outcome_the_database_refuses_does_not_spoil_its_neighbours() {
    World::run(|world| async move {
        let store = world.store();
        submit_many(&store, (0..5).map(|_| NewTask::named("n")).collect()).await;
        let held = claim(&store, "w", 4).await;
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        let settlements = vec![
            complete(&held[0], "1"),
            complete(&held[1], &deep),
            complete(&held[2], r#""\u0000""#),
            fail(
                &held[3],
                &format!(r#"{{"type":"T","code":"c","message":"m","details":{deep}}}"#),
                false,
            ),
        ];
        let claim = Some(plan(&["default"], vec![draw(&["n"], 5)], false));
        let reply = store
            .round(Round {
                claim,
                ..round("w", settlements)
            })
            .await;
        assert!(written(&reply.settled[0]), "{:?}", reply.settled[0]);
        assert!(
            matches!(&reply.settled[1], Err(Error::Serialization(_))),
            "{:?}",
            reply.settled[1]
        );
        assert!(
            matches!(&reply.settled[2], Err(Error::Serialization(_))),
            "{:?}",
            reply.settled[2]
        );
        assert!(written(&reply.settled[3]), "{:?}", reply.settled[3]);
        assert_eq!(drawn(reply)[0].len(), 1, "the claim goes on");
        let failed = get(&store, &held[3].id).await.expect("a row");
        assert_eq!(failed.status, Status::Failed);
        assert!(
            failed
                .error
                .expect("an error")
                .contains(r#""message": "m""#)
        );
        for index in [1, 2] {
            assert_eq!(
                get(&store, &held[index].id).await.expect("a row").status,
                Status::Running
            );
        }
    });
}

#[test]
fn a_whole_settlement_goes_through_execute_too() {
    World::run(|world| async move {
        let store = world.store();
        submit(&store, NewTask::named("n")).await.expect("submit");
        let held = claim(&store, "w", 1).await;
        let settle = |worker: &str| Command::Settle {
            owner: owner(worker),
            task_id: held[0].id.clone(),
            outcome: Outcome::Succeed {
                result: Some("1".into()),
                message: Some("a\0b".into()),
            },
        };
        let lost = store.execute(settle("other")).await;
        assert_eq!(
            lost,
            Err(Error::LostLease {
                task_id: held[0].id.clone()
            })
        );
        store.execute(settle("w")).await.expect("settled");
        assert_eq!(
            get(&store, &held[0].id)
                .await
                .expect("a row")
                .message
                .as_deref(),
            Some("a\u{fffd}b")
        );
        let twice = store.execute(settle("w")).await;
        assert!(
            matches!(twice, Err(Error::LostLease { .. })),
            "the public operation knows no second sending"
        );
    });
}
