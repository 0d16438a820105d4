//! Push wake-ups between stores, and installations that leave each other alone.

use std::sync::Arc;
use std::time::Duration;

use cairnq_native::store::Backend as _;
use cairnq_native::store::command::{Command, NewTask, Target};
use cairnq_native::store::postgres::{PostgresOptions, PostgresStore};
use cairnq_native::store::wakes::End;
use tokio::time::timeout;

use super::support::*;

/// Until the store's listening connection is there.
async fn listening(world: &Arc<World>, count: i64) {
    until("a listening connection", || async {
        let text = "select count(*) from pg_stat_activity where datname = current_database() and query like 'LISTEN%'";
        world.number(text).await >= count
    })
    .await;
}

#[test]
fn a_submit_elsewhere_wakes_the_workers_of_its_queue_alone() {
    World::run(|world| async move {
        let (here, there) = (world.store(), world.store());
        here.connect().await.expect("connect");
        let mine = here.wakes().subscribe(&texts(&["default"]));
        let others = here.wakes().subscribe(&texts(&["other"]));
        listening(&world, 1).await;
        let long = "q".repeat(9_000);
        submit(&there, NewTask::named("n").with(|args| args.queue = long))
            .await
            .expect("a queue too long for a notification");
        submit(&there, NewTask::named("n")).await.expect("submit");
        within("a wake", mine.notified()).await;
        assert!(
            timeout(Duration::from_millis(50), others.notified())
                .await
                .is_err()
        );
    });
}

#[test]
fn the_end_of_a_task_elsewhere_wakes_its_waiter() {
    World::run(|world| async move {
        let (here, there) = (world.store(), world.store());
        here.connect().await.expect("connect");
        let task = submit(&here, NewTask::named("n")).await.expect("submit");
        let done = end_of(&here, &task.id);
        listening(&world, 1).await;
        there
            .execute(Command::Cancel(Target::Id(task.id)))
            .await
            .expect("cancel");
        within("a wake", done).await.expect("woken");
    });
}

#[test]
fn own_commits_wake_without_a_detour() {
    World::run(|world| async move {
        let store = world.store();
        let mine = store.wakes().subscribe(&texts(&["default"]));
        let task = submit(&store, NewTask::named("n")).await.expect("submit");
        within("a wake", mine.notified()).await;
        let done = end_of(&store, &task.id);
        let held = claim(&store, "w", 1).await;
        store.round(round("w", vec![complete(&held[0], "1")])).await;
        let End::Ended(Some(row)) = within("a wake", done).await.expect("woken") else {
            panic!("the row was at hand")
        };
        assert_eq!(Some(*row), get(&store, &task.id).await);
    });
}

#[test]
fn a_lost_listener_comes_back_and_looks_at_what_it_missed() {
    World::run(|world| async move {
        let (here, there) = (world.store(), world.store());
        here.connect().await.expect("connect");
        let task = submit(&here, NewTask::named("n")).await.expect("submit");
        let mine = here.wakes().subscribe(&texts(&["default"]));
        let done = end_of(&here, &task.id);
        listening(&world, 1).await;
        world
            .sql("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'LISTEN%'")
            .await;
        there
            .execute(Command::Cancel(Target::Id(task.id)))
            .await
            .expect("cancel");
        within("the look", mine.notified()).await;
        within("the missed end", done).await.expect("woken");
        listening(&world, 1).await;
        submit(&there, NewTask::named("n")).await.expect("submit");
        within("a wake", mine.notified()).await;
    });
}

#[test]
fn a_store_used_again_after_close_listens_again() {
    World::run(|world| async move {
        let (here, there) = (world.store(), world.store());
        let mine = here.wakes().subscribe(&texts(&["default"]));
        here.connect().await.expect("connect");
        here.close().await.expect("close");
        let open = "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
        until("no connection", || async { world.number(open).await == 0 }).await;
        here.connect().await.expect("connect");
        listening(&world, 1).await;
        submit(&there, NewTask::named("n")).await.expect("submit");
        within("a wake", mine.notified()).await;
    });
}

#[test]
fn schemas_are_installations_that_do_not_hear_each_other() {
    World::run(|world| async move {
        let long = "s".repeat(63);
        let in_schema = |schema: &str| -> Arc<PostgresStore> {
            world.store_with(PostgresOptions {
                schema: Some(schema.to_owned()),
                ..PostgresOptions::default()
            })
        };
        let stores = [
            world.store(),
            in_schema("Some \"Schema\""),
            in_schema(&long),
        ];
        for (index, store) in stores.iter().enumerate() {
            store.connect().await.expect("connect");
            let task = submit(store, NewTask::named("n")).await.expect("submit");
            for (other, store) in stores.iter().enumerate().take(index + 1) {
                assert_eq!(get(store, &task.id).await.is_some(), other == index);
            }
        }
        let ears: Vec<_> = stores
            .iter()
            .map(|store| store.wakes().subscribe(&texts(&["default"])))
            .collect();
        listening(&world, 3).await;
        for (index, schema) in [None, Some("Some \"Schema\""), Some(long.as_str())]
            .into_iter()
            .enumerate()
        {
            let peer = schema.map_or_else(|| world.store(), in_schema);
            submit(&peer, NewTask::named("n")).await.expect("submit");
            within("a wake", ears[index].notified()).await;
            for (other, ear) in ears.iter().enumerate() {
                let heard = timeout(Duration::from_millis(30), ear.notified())
                    .await
                    .is_ok();
                assert!(!heard, "{other} heard {index}");
            }
        }
    });
}

#[test]
fn behind_a_pooler_everything_works_and_nothing_listens() {
    World::run(|world| async move {
        let store = world.store_with(PostgresOptions {
            pooler: Some(true),
            schema: Some("pooled".to_owned()),
            ..PostgresOptions::default()
        });
        let ear = store.wakes().subscribe(&texts(&["default"]));
        submit_many(&store, (0..3).map(|_| NewTask::named("n")).collect()).await;
        within("an own wake", ear.notified()).await;
        let rows = claim_round(&store, &["default"], vec![draw(&["n"], 2), draw(&["n"], 5)]).await;
        assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        let reply = store
            .round(round(
                "w",
                rows[0].iter().map(|task| complete(task, "1")).collect(),
            ))
            .await;
        assert!(reply.settled.iter().all(Result::is_ok));
        let renewed = store
            .renew(owner("w"), vec![rows[1][0].id.to_string()])
            .await
            .expect("renewed");
        assert_eq!(renewed.len(), 1);
        assert!(get(&store, &rows[0][0].id).await.is_some());
        let prepared = "select count(*) from pg_stat_activity where datname = current_database() and query like 'LISTEN%'";
        assert_eq!(world.number(prepared).await, 0);
        store.close().await.expect("close");
    });
}
