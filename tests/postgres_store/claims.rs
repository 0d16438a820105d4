//! Claim order, sharing between workers, sessions.

use std::collections::HashSet;

use cairnq_native::store::Backend as _;
use cairnq_native::store::command::{Command, NewTask, Reply};

use super::support::*;

fn placed(name: &str, queue: &str, priority: i64) -> NewTask {
    NewTask::named(name).with(|args| {
        queue.clone_into(&mut args.queue);
        args.priority = priority;
    })
}

#[test]
fn several_queues_and_names_keep_one_order() {
    for latest in [false, true] {
        World::run(|world| async move {
            let migrate = latest.then_some(cairnq_native::protocol::MigrateTo::Latest);
            let store = world.store_with(cairnq_native::store::postgres::PostgresOptions {
                migrate,
                ..Default::default()
            });
            let mut tasks = Vec::new();
            for index in 0..60_i64 {
                let name = ["a", "b", "other"][usize::try_from(index % 3).expect("small")];
                let queue = ["p", "q"][usize::try_from(index % 2).expect("small")];
                tasks.push(placed(name, queue, index % 4));
            }
            let rows = submit_many(&store, tasks).await;
            let mut wanted: Vec<_> = rows.iter().filter(|task| task.name != "other").collect();
            wanted.sort_by_key(|task| (-task.priority, task.created_at_ms, task.id.clone()));
            let wanted: Vec<&str> = wanted.iter().map(|task| task.id.as_str()).collect();
            let mut got = Vec::new();
            for limit in [1, 7, 12, 50] {
                let tasks =
                    claim_scope(&store, scope(&["p", "q"], Some(&["a", "b"]), "w"), limit).await;
                got.extend(tasks.into_iter().map(|task| task.id));
            }
            assert_eq!(got, wanted, "latest: {latest}");
            let many: Vec<String> = (0..80)
                .map(|index| format!("n{index}"))
                .chain(["other".to_owned()])
                .collect();
            let many: Vec<&str> = many.iter().map(String::as_str).collect();
            let rest = claim_scope(&store, scope(&["p", "q"], Some(&many), "w"), 100).await;
            assert_eq!(rest.len(), 20, "more pairs than are walked one by one");
            store.close().await.expect("close");
        });
    }
}

#[test]
fn workers_share_a_backlog_without_a_task_twice() {
    World::run(|world| async move {
        let store = world.store();
        let names = ["a", "b", "c"];
        let total = 3_000;
        submit_many(
            &store,
            (0..total)
                .map(|index| NewTask::named(names[index % 3]))
                .collect(),
        )
        .await;
        let mut workers = Vec::new();
        for index in 0..6 {
            let store = std::sync::Arc::clone(&store);
            workers.push(tokio::spawn(async move {
                let mut mine = Vec::new();
                loop {
                    let scope = scope(&["default"], Some(&names), &format!("w{index}"));
                    let tasks = claim_scope(&store, scope, 40).await;
                    if tasks.is_empty() {
                        return mine;
                    }
                    mine.extend(tasks.into_iter().map(|task| task.id));
                }
            }));
        }
        let mut all = Vec::new();
        for worker in workers {
            all.extend(worker.await.expect("a worker"));
        }
        assert_eq!(all.len(), total);
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), total);
    });
}

#[test]
fn a_peer_that_migrates_while_we_run_is_noticed() {
    World::run(|world| async move {
        let store = world.store();
        let first = submit(
            &store,
            NewTask::named("n").with(|args| args.run_at_delay_ms = 1),
        )
        .await
        .expect("submit");
        let second = submit(&store, NewTask::named("n")).await.expect("submit");
        world
            .sql(&format!(
                "update cairnq_tasks set run_at_ms = 2 where id = '{}'",
                first.id
            ))
            .await;
        world
            .sql(&format!(
                "update cairnq_tasks set run_at_ms = 1 where id = '{}'",
                second.id
            ))
            .await;
        let latest = cairnq_native::store::postgres::PostgresOptions {
            migrate: Some(cairnq_native::protocol::MigrateTo::Latest),
            ..Default::default()
        };
        world.store_with(latest).connect().await.expect("migrated");
        let rows = claim_scope(&store, scope(&["default"], None, "w"), 1).await;
        assert_eq!(
            ids(&rows),
            [second.id.as_str()],
            "the order of level 10: due first"
        );
    });
}

#[test]
fn a_session_commits_or_rolls_back_what_it_drew() {
    World::run(|world| async move {
        let store = world.store();
        let wanted = || scope(&["default"], Some(&["a", "b"]), "w");
        assert!(store.open_claim(wanted()).await.expect("a look").is_none());
        submit_many(
            &store,
            vec![
                NewTask::named("a"),
                NewTask::named("b"),
                NewTask::named("c"),
            ],
        )
        .await;
        let mut session = store
            .open_claim(wanted())
            .await
            .expect("a look")
            .expect("a session");
        assert_eq!(
            session
                .draw(texts(&["a", "c"]), 5)
                .await
                .expect("a draw")
                .len(),
            1,
            "only names of the scope"
        );
        assert!(
            session
                .draw(texts(&[]), 5)
                .await
                .expect("a draw")
                .is_empty()
        );
        assert!(
            session
                .draw(texts(&["b"]), 0)
                .await
                .expect("a draw")
                .is_empty()
        );
        session.close(false).await.expect("rolled back");
        assert_eq!(
            world
                .number("select count(*) from cairnq_tasks where status = 'running'")
                .await,
            0
        );
        let mut session = store
            .open_claim(wanted())
            .await
            .expect("a look")
            .expect("a session");
        assert_eq!(
            session.draw(texts(&["a"]), 5).await.expect("a draw").len(),
            1
        );
        session.close(true).await.expect("committed");
        assert_eq!(
            world
                .number("select count(*) from cairnq_tasks where status = 'running'")
                .await,
            1
        );
        drop(
            store
                .open_claim(wanted())
                .await
                .expect("a look")
                .expect("a session"),
        );
        within("closing after a dropped session", store.close())
            .await
            .expect("close");
    });
}

#[test]
fn names_absent_take_everything_and_an_empty_list_recovers_only() {
    World::run(|world| async move {
        let store = world.store();
        submit_many(&store, vec![NewTask::named("a"), NewTask::named("b")]).await;
        let held = claim_scope(&store, scope(&["default"], Some(&["a"]), "gone"), 5).await;
        world
            .sql("update cairnq_tasks set lease_until_ms = 1 where status = 'running'")
            .await;
        assert!(
            claim_scope(&store, scope(&["default"], Some(&[]), "w"), 5)
                .await
                .is_empty()
        );
        assert_eq!(
            get(&store, &held[0].id)
                .await
                .expect("a row")
                .status
                .as_str(),
            "queued"
        );
        assert_eq!(
            claim_scope(&store, scope(&["default"], None, "w"), 5)
                .await
                .len(),
            2
        );
    });
}

#[test]
fn a_renewal_skips_rows_that_are_locked_and_still_calls_them_owned() {
    World::run(|world| async move {
        use sqlx::Executor as _;
        let store = world.store();
        submit_many(&store, (0..3).map(|_| NewTask::named("n")).collect()).await;
        let held = claim(&store, "w", 3).await;
        world
            .sql("update cairnq_tasks set lease_until_ms = lease_until_ms - 20000")
            .await;
        let mut locker = world.connection().await;
        locker.execute("begin").await.expect("begin");
        let lock = format!(
            "select 1 from cairnq_tasks where id = '{}' for update",
            held[1].id
        );
        locker
            .fetch_all(sqlx::AssertSqlSafe(lock))
            .await
            .expect("locked");
        let asked: Vec<String> = ids(&held)
            .into_iter()
            .chain(["task_unknown"])
            .map(str::to_owned)
            .collect();
        let renewed = within("a renewal", store.renew(owner("w"), asked))
            .await
            .expect("renewed");
        let mut owned: Vec<&str> = renewed.iter().map(|(id, _)| id.as_str()).collect();
        owned.sort_unstable();
        assert_eq!(owned, ids(&held));
        let moved = "select count(*) from cairnq_tasks where lease_until_ms > extract(epoch from clock_timestamp()) * 1000 + 20000";
        assert_eq!(world.number(moved).await, 2);
        assert!(
            store
                .renew(owner("other"), vec![held[0].id.clone()])
                .await
                .expect("an answer")
                .is_empty()
        );
        let batch = Command::HeartbeatBatch {
            owner: owner("w"),
            task_ids: vec![held[0].id.clone()],
        };
        assert_eq!(
            store.execute(batch).await,
            Ok(Reply::Renewed(vec![(held[0].id.clone(), false)]))
        );
    });
}
