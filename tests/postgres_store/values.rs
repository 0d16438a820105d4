//! What jsonb and text columns cannot hold, keys, and inserts by the set.

use cairnq_native::error::Error;
use cairnq_native::model::{Conflict, Status};
use cairnq_native::store::Backend as _;
use cairnq_native::store::command::{Command, ListFilter, NewTask, Outcome, Reply, Target};

use super::support::*;

#[test]
fn a_submit_jsonb_cannot_hold_is_refused_and_its_neighbours_are_not() {
    World::run(|world| async move {
        let store = world.store();
        let payload = |text: &str| NewTask {
            payload: text.into(),
            ..NewTask::named("n")
        };
        for text in [r#""\u0000""#, r#"{"k\u0000":1}"#, r#""\ud800""#] {
            assert!(
                matches!(
                    submit(&store, payload(text)).await,
                    Err(Error::Serialization(_))
                ),
                "{text}"
            );
        }
        let metadata = NewTask {
            metadata: r#""\u0000""#.into(),
            ..NewTask::named("n")
        };
        assert!(matches!(
            submit(&store, metadata).await,
            Err(Error::Serialization(_))
        ));
        assert!(matches!(
            submit(&store, NewTask::named("n\0")).await,
            Err(Error::Serialization(_))
        ));
        let kept = submit(&store, payload(r#""\\u0000""#))
            .await
            .expect("an escaped backslash is fine");
        assert_eq!(
            get(&store, &kept.id).await.expect("a row").payload,
            r#""\\u0000""#
        );
        // Too deep for the server, found out by the server: alone, under a key, and together with others in one statement.
        let deep = payload(&format!("{}{}", "[".repeat(200_000), "]".repeat(200_000)));
        let keyed = deep.clone().with(|args| args.key = Some("k".to_owned()));
        for refused in [
            submit(&store, deep.clone()).await.map(drop),
            submit(&store, keyed).await.map(drop),
            store
                .execute(Command::SubmitMany(vec![payload("1"), deep.clone()]))
                .await
                .map(drop),
        ] {
            assert!(
                matches!(refused, Err(Error::Serialization(_))),
                "{refused:?}"
            );
        }
        let together = [payload("1"), deep, payload("2")]
            .map(|new| store.execute(Command::Submit(Box::new(new))));
        let [one, two, three] = together;
        one.await.expect("a number");
        let refused = two.await;
        assert!(
            matches!(refused, Err(Error::Serialization(_))),
            "{refused:?}"
        );
        three.await.expect("a number");
        assert_eq!(world.number("select count(*) from cairnq_tasks").await, 3);
    });
}

#[test]
fn an_error_with_nul_is_stored_with_a_replacement() {
    World::run(|world| async move {
        let store = world.store();
        submit(&store, NewTask::named("n")).await.expect("submit");
        let held = claim(&store, "w", 1).await;
        let outcome = Outcome::Fail {
            error: r#"{"message":"a\u0000b"}"#.into(),
            retryable: false,
            delay_ms: 0,
        };
        let settle = Command::Settle {
            owner: owner("w"),
            task_id: held[0].id.clone(),
            outcome,
        };
        store.execute(settle).await.expect("settled");
        let error = get(&store, &held[0].id)
            .await
            .expect("a row")
            .error
            .expect("an error");
        assert_eq!(error, "{\"message\": \"a\u{fffd}b\"}");
    });
}

#[test]
fn lookups_of_what_cannot_exist_find_nothing() {
    World::run(|world| async move {
        let store = world.store();
        let id = || Target::Id("a\0".into());
        assert_eq!(
            store.execute(Command::Get(id())).await,
            Ok(Reply::Row(None))
        );
        assert_eq!(
            store
                .execute(Command::GetStatus(Target::Key("a\0".into())))
                .await,
            Ok(Reply::Status(None))
        );
        assert_eq!(
            store.execute(Command::Cancel(id())).await,
            Ok(Reply::Row(None))
        );
        let list = ListFilter {
            queue: Some("a\0".into()),
            limit: 10,
            ..ListFilter::default()
        };
        assert_eq!(
            store.execute(Command::List(list)).await,
            Ok(Reply::Rows(Vec::new()))
        );
        let beat = Command::Heartbeat {
            owner: owner("w"),
            task_id: "a\0".into(),
        };
        assert_eq!(
            store.execute(beat).await,
            Err(Error::LostLease {
                task_id: "a\0".into()
            })
        );
    });
}

#[test]
fn every_conflict_strategy_in_every_state() {
    World::run(|world| async move {
        let store = world.store();
        let states = ["queued", "running", "succeeded", "failed", "canceled"];
        for (conflict, reused) in [
            (Conflict::Reuse, &["queued", "running"][..]),
            (
                Conflict::ReuseSucceeded,
                &["queued", "running", "succeeded"][..],
            ),
            (Conflict::Replace, &[][..]),
            (Conflict::Reject, &[][..]),
        ] {
            for state in states {
                let key = format!("{conflict:?}-{state}");
                let first = submit(&store, keyed(&key, Conflict::Reuse))
                    .await
                    .expect("submit");
                let lease = if state == "running" {
                    "9999999999999"
                } else {
                    "null"
                };
                world.sql(&format!("update cairnq_tasks set status = '{state}', lease_until_ms = {lease} where id = '{}'", first.id)).await;
                let second = submit(&store, keyed(&key, conflict)).await;
                if conflict == Conflict::Reject {
                    assert_eq!(
                        second,
                        Err(Error::AlreadyExists { key: key.clone() }),
                        "{key}"
                    );
                    continue;
                }
                let second = second.expect("submit");
                assert_eq!(second.id == first.id, reused.contains(&state), "{key}");
                let first = get(&store, &first.id).await.expect("a row");
                if conflict == Conflict::Replace && state == "queued" {
                    assert_eq!(first.status, Status::Canceled);
                }
                if conflict == Conflict::Replace && state == "running" {
                    assert!(first.cancel_requested_at_ms.is_some());
                }
            }
        }
    });
}

#[test]
fn one_key_submitted_from_everywhere_at_once_is_one_task() {
    World::run(|world| async move {
        let stores = [world.store(), world.store()];
        stores[0].connect().await.expect("connect");
        let submits: Vec<_> = (0..40)
            .map(|index| {
                stores[index % 2].execute(Command::Submit(Box::new(keyed("k", Conflict::Reuse))))
            })
            .collect();
        for submit in submits {
            assert!(submit.await.is_ok());
        }
        assert_eq!(world.number("select count(*) from cairnq_tasks").await, 1);
    });
}

#[test]
fn submit_many_is_all_or_none_in_order_and_knows_its_own_keys() {
    World::run(|world| async move {
        let store = world.store();
        let taken = submit(&store, keyed("taken", Conflict::Reuse))
            .await
            .expect("submit");
        let tasks = vec![
            NewTask::named("a"),
            keyed("taken", Conflict::Reuse),
            keyed("fresh", Conflict::Reuse),
            keyed("fresh", Conflict::Reuse),
            keyed("fresh", Conflict::Replace),
            NewTask::named("b"),
        ];
        let made: Vec<String> = tasks.iter().map(|new| new.id.to_string()).collect();
        let rows = submit_many(&store, tasks).await;
        let wanted = [&made[0], &taken.id, &made[2], &made[2], &made[4], &made[5]];
        assert_eq!(rows.iter().map(|row| &row.id).collect::<Vec<_>>(), wanted);
        assert_eq!(
            get(&store, &made[2]).await.expect("a row").status,
            Status::Canceled
        );
        let before = world.number("select count(*) from cairnq_tasks").await;
        let refused = store
            .execute(Command::SubmitMany(vec![
                NewTask::named("a"),
                keyed("fresh", Conflict::Reject),
            ]))
            .await;
        assert_eq!(
            refused,
            Err(Error::AlreadyExists {
                key: "fresh".into()
            })
        );
        assert_eq!(
            world.number("select count(*) from cairnq_tasks").await,
            before
        );
        assert!(submit_many(&store, Vec::new()).await.is_empty());
        let rows = submit_many(&store, (0..2_500).map(|_| NewTask::named("n")).collect()).await;
        assert!(rows.is_sorted_by(
            |one, other| (one.created_at_ms, &one.id) < (other.created_at_ms, &other.id)
        ));
    });
}
