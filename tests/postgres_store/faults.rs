//! Connections that break, hang or are refused.

use std::time::{Duration, Instant};

use cairnq_native::error::Error;
use cairnq_native::model::Status;
use cairnq_native::store::Backend as _;
use cairnq_native::store::command::{Command, NewTask, Target};
use cairnq_native::store::postgres::{PostgresOptions, PostgresStore};
use cairnq_native::store::round::Settled;

use super::proxy::Mode;
use super::support::*;

#[test]
fn every_operation_survives_the_end_of_all_connections() {
    World::run(|world| async move {
        let store = world.store();
        submit_many(&store, (0..4).map(|_| NewTask::named("n")).collect()).await;
        let held = claim(&store, "w", 4).await;
        store
            .renew(owner("w"), vec![held[0].id.clone()])
            .await
            .expect("renewed");
        world.terminate_all().await;
        submit(&store, NewTask::named("n")).await.expect("submit");
        world.terminate_all().await;
        submit(&store, keyed("k", cairnq_native::model::Conflict::Reuse))
            .await
            .expect("keyed submit");
        world.terminate_all().await;
        let reply = store
            .round(round(
                "w",
                vec![complete(&held[0], "1"), complete(&held[1], "2")],
            ))
            .await;
        assert!(
            reply
                .settled
                .iter()
                .all(|settled| matches!(settled, Ok(Settled::Written(..)))),
            "{:?}",
            reply.settled
        );
        world.terminate_all().await;
        let renewed = store
            .renew(owner("w"), vec![held[2].id.clone()])
            .await
            .expect("renewed");
        assert_eq!(renewed, [(held[2].id.clone(), false)]);
        world.terminate_all().await;
        assert_eq!(
            get(&store, &held[0].id).await.expect("a row").status,
            Status::Succeeded
        );
        world.terminate_all().await;
        let cancel = store
            .execute(Command::Cancel(Target::Id(held[2].id.clone())))
            .await;
        assert!(cancel.is_ok(), "{cancel:?}");
        store.close().await.expect("close");
    });
}

#[test]
fn a_server_that_takes_no_writes_is_a_passing_error_with_its_code() {
    World::run(|world| async move {
        let store = world.store();
        submit(&store, NewTask::named("n")).await.expect("submit");
        world.set_read_only(true).await;
        world.terminate_all().await;
        let refused = submit(&store, NewTask::named("n"))
            .await
            .expect_err("read-only");
        assert!(
            matches!(&refused, Error::Database { code: Some(code), passing: true, .. } if code == "25006"),
            "{refused:?}"
        );
        world.set_read_only(false).await;
        world.terminate_all().await;
        submit(&store, NewTask::named("n")).await.expect("submit");
    });
}

#[test]
fn an_unreachable_server_is_a_passing_error_that_names_it_and_keeps_the_password() {
    World::run(|_| async {
        let store = PostgresStore::new(
            "postgres://u:hunter2@127.0.0.1:1/d",
            PostgresOptions::default(),
        )
        .expect("a store");
        let error = store.connect().await.expect_err("nobody listens");
        let text = format!("{error} {error:?}");
        assert!(
            error.is_passing() && text.contains("127.0.0.1:1") && !text.contains("hunter2"),
            "{text}"
        );
    });
}

#[test]
fn a_network_that_swallows_everything_is_noticed_and_the_outcome_is_not_lost() {
    World::run(|world| async move {
        let (proxy, store) = world.proxied().await;
        submit_many(&store, (0..2).map(|_| NewTask::named("n")).collect()).await;
        let held = claim(&store, "w", 2).await;
        proxy.set(Mode::Swallow);
        let settled = store.round(round("w", vec![complete(&held[0], "1")]));
        let renewed = store.renew(
            cairnq_native::store::command::Owner {
                lease_ms: 3_000,
                ..owner("w")
            },
            vec![held[1].id.clone()],
        );
        let began = Instant::now();
        let error = within("a renewal", renewed).await.expect_err("no answer");
        assert!(
            error.is_passing() && began.elapsed() < Duration::from_secs(10),
            "{error:?}"
        );
        let reply = within("noticing", settled).await;
        assert!(
            matches!(&reply.settled[0], Err(error) if error.is_passing()),
            "{:?}",
            reply.settled[0]
        );
        proxy.set(Mode::Cut);
        proxy.set(Mode::Pass);
        let reply = within(
            "settling again",
            store.round(round("w", vec![complete(&held[0], "1")])),
        )
        .await;
        assert!(
            matches!(reply.settled[0], Ok(Settled::Written(..))),
            "{:?}",
            reply.settled[0]
        );
    });
}

#[test]
fn a_long_table_lock_is_waited_for() {
    World::run(|world| async move {
        use sqlx::Executor as _;
        let store = world.store();
        submit(&store, NewTask::named("n")).await.expect("submit");
        let mut locker = world.connection().await;
        locker
            .execute("begin; lock table cairnq_tasks in access exclusive mode")
            .await
            .expect("locked");
        let waiting = store.execute(Command::Submit(Box::new(NewTask::named("n"))));
        // Longer than it takes to call a connection dead.
        tokio::time::sleep(Duration::from_secs(14)).await;
        locker.execute("commit").await.expect("unlocked");
        assert!(within("the submit", waiting).await.is_ok());
    });
}

#[test]
fn a_renewal_behind_a_table_lock_fails_in_time_to_be_tried_again() {
    World::run(|world| async move {
        use sqlx::Executor as _;
        let store = world.store();
        submit(&store, NewTask::named("n")).await.expect("submit");
        let held = claim(&store, "w", 1).await;
        let ids = vec![held[0].id.clone()];
        store.renew(owner("w"), ids.clone()).await.expect("renewed");
        let mut locker = world.connection().await;
        locker
            .execute("begin; lock table cairnq_tasks in access exclusive mode")
            .await
            .expect("locked");
        let error = within("a renewal", store.renew(owner("w"), ids.clone()))
            .await
            .expect_err("locked");
        assert!(
            matches!(&error, Error::Database { code: Some(code), passing: true, .. } if code == "55P03"),
            "{error:?}"
        );
        locker.execute("commit").await.expect("unlocked");
        assert_eq!(
            store.renew(owner("w"), ids).await.expect("renewed").len(),
            1
        );
    });
}

#[test]
fn overlapping_settlements_cancels_and_purges_never_show_a_deadlock() {
    World::run(|world| async move {
        let store = world.store();
        let total = 400;
        submit_many(&store, (0..total).map(|_| NewTask::named("n")).collect()).await;
        let held = claim(&store, "w", i64::from(total)).await;
        let mut work = Vec::new();
        for chunk in held.chunks(40) {
            let backwards: Vec<_> = chunk
                .iter()
                .rev()
                .map(|task| fail(task, r#"{"m":1}"#, true))
                .collect();
            work.push(tokio::spawn({
                let (store, ids) = (std::sync::Arc::clone(&store), ids_of(chunk));
                async move {
                    let settled = store.round(round("w", backwards));
                    let renewed = store.renew(owner("w"), ids.clone());
                    for id in ids {
                        store
                            .execute(Command::Cancel(Target::Id(id)))
                            .await
                            .expect("cancel");
                    }
                    renewed.await.expect("renewed");
                    let purge = cairnq_native::store::command::PurgeFilter {
                        older_than_ms: 0,
                        limit: 1_000,
                        status: None,
                        name: None,
                        queue: None,
                    };
                    store.execute(Command::Purge(purge)).await.expect("purge");
                    for settled in settled.await.settled {
                        assert!(settled.is_ok(), "{settled:?}");
                    }
                }
            }));
        }
        for work in work {
            within("overlapping work", work).await.expect("no panic");
        }
    });
}

fn ids_of(tasks: &[cairnq_native::model::Task]) -> Vec<String> {
    ids(tasks).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_plan_that_went_stale_is_made_anew() {
    World::run(|world| async move {
        let store = world.store_with(PostgresOptions {
            max: Some(1),
            ..PostgresOptions::default()
        });
        let task = submit(&store, NewTask::named("n")).await.expect("submit");
        assert!(get(&store, &task.id).await.is_some());
        world
            .sql("alter table cairnq_tasks alter column worker_id type varchar(100)")
            .await;
        assert!(get(&store, &task.id).await.is_some());
        submit(&store, NewTask::named("n")).await.expect("submit");
        assert_eq!(claim(&store, "w", 5).await.len(), 2);
    });
}
