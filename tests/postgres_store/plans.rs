//! Every statement is one the server accepts, and the ones that run often reach an index whatever the planner knows.

use cairnq_native::protocol::postgres::{self as sql, Columns, DrawShape, NameMatch, RoundShape};
use cairnq_native::store::Backend as _;
use cairnq_native::store::command::{Command, ListFilter, NewTask, PurgeFilter, Reply};
use cairnq_native::store::inspect::Question;
use cairnq_native::store::postgres::PostgresOptions;
use sqlx::{AssertSqlSafe, Executor as _, Row as _, SqlSafeStr as _};

use super::support::*;

fn shapes(due_order: bool) -> Vec<DrawShape> {
    let mut shapes = Vec::new();
    for names in [NameMatch::Paired, NameMatch::Listed, NameMatch::Any] {
        for walks in [1, 2, 64] {
            for budget in [false, true] {
                shapes.push(DrawShape {
                    walks,
                    names,
                    due_order,
                    budget,
                });
            }
        }
    }
    shapes
}

#[test]
fn the_server_accepts_every_statement() {
    for latest in [false, true] {
        World::run(|world| async move {
            let migrate = latest.then_some(cairnq_native::protocol::MigrateTo::Latest);
            world
                .store_with(PostgresOptions {
                    migrate,
                    ..PostgresOptions::default()
                })
                .connect()
                .await
                .expect("connect");
            let mut texts: Vec<String> = sql::fixed_statements()
                .into_iter()
                .map(|(_, text)| text.to_owned())
                .collect();
            texts.extend([sql::INSERT.clone(), sql::INSERT_KEYED.clone()]);
            let drawing = shapes(latest);
            for draw in drawing.iter().copied().map(Some).chain([None]) {
                for (settles, recovers) in [(true, true), (true, false), (false, true)] {
                    let shape = RoundShape {
                        settles,
                        recovers,
                        draw,
                    };
                    texts.push(sql::round(shape).to_string());
                }
            }
            for shape in drawing {
                for columns in [Columns::Task, Columns::Claimed] {
                    texts.push(sql::draw(shape, columns).to_string());
                }
            }
            for any_name in [false, true] {
                texts.push(sql::probe(latest, any_name).to_owned());
            }
            let mut connection = world.connection().await;
            for text in texts {
                let prepared = (&mut connection)
                    .prepare(AssertSqlSafe(text.clone()).into_sql_str())
                    .await;
                if let Err(error) = prepared {
                    panic!("{error}\n{text}");
                }
            }
        });
    }
}

/// Queues a backlog without telling the planner, after the plans were made on an empty table.
#[test]
fn a_backlog_the_planner_knows_nothing_of_is_never_read_whole() {
    for latest in [false, true] {
        World::run(|world| async move {
            let migrate = latest.then_some(cairnq_native::protocol::MigrateTo::Latest);
            let options = PostgresOptions {
                max: Some(1),
                migrate,
                ..PostgresOptions::default()
            };
            let store = world.store_with(options);
            store.connect().await.expect("connect");
            world
                .sql("alter table cairnq_tasks set (autovacuum_enabled = off)")
                .await;
            exercise(&store).await;
            let tasks = |count: usize| {
                (0..count).map(|index| {
                    NewTask::named(["a", "b"][index % 2])
                        .with(|args| args.queue = format!("q{}", index % 3))
                })
            };
            submit_many(&store, tasks(20_000).collect()).await;
            let before = reads(&world).await;
            exercise(&store).await;
            let read = reads(&world).await - before;
            assert!(
                read < 6_000,
                "latest: {latest}, rows and index entries read: {read}"
            );
        });
    }
}

/// One of each operation that runs often.
async fn exercise(store: &cairnq_native::store::postgres::PostgresStore) {
    let queues = ["q0", "q1", "q2"];
    for _ in 0..3 {
        let rows = claim_round(store, &queues, vec![draw(&["a", "b"], 8)])
            .await
            .concat();
        let settlements = rows.iter().map(|task| complete(task, "1")).collect();
        store.round(round("w", settlements)).await;
        let rows = claim_round(store, &queues[..1], vec![draw(&["a"], 8)])
            .await
            .concat();
        store
            .renew(
                owner("w"),
                ids(&rows).into_iter().map(str::to_owned).collect(),
            )
            .await
            .expect("renewed");
        let settlements = rows.iter().map(|task| fail(task, "{}", false)).collect();
        let claim = Some(plan(&["nothing"], vec![draw(&["a"], 1)], true));
        store
            .round(cairnq_native::store::round::Round {
                claim,
                ..round("w", settlements)
            })
            .await;
        let idle = Some(plan(&["nothing", "there"], vec![draw(&["a"], 1)], true));
        store
            .round(cairnq_native::store::round::Round {
                claim: idle,
                ..round("w", Vec::new())
            })
            .await;
        let depth = Command::QueueDepth {
            queue: "q1".into(),
            max_depth: 10,
        };
        store.execute(depth).await.expect("depth");
        let purge = PurgeFilter {
            older_than_ms: 0,
            limit: 5,
            status: None,
            name: None,
            queue: None,
        };
        store.execute(Command::Purge(purge)).await.expect("purge");
        let list = ListFilter {
            root_id: Some("none".into()),
            limit: 5,
            ..ListFilter::default()
        };
        store.execute(Command::List(list)).await.expect("list");
        submit(store, keyed("k", cairnq_native::model::Conflict::Replace))
            .await
            .expect("keyed");
    }
}

/// Rows and index entries the server has read in the tasks table.
async fn reads(world: &World) -> i64 {
    // Statistics of other sessions arrive when those are idle for a moment.
    tokio::time::sleep(std::time::Duration::from_millis(1_200)).await;
    let rows = world
        .sql("select (select seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_user_tables where relname = 'cairnq_tasks') \
              + (select sum(idx_tup_read)::bigint from pg_stat_user_indexes where relname = 'cairnq_tasks')")
        .await;
    rows[0].try_get(0).expect("a number")
}

/// What an operator asks with bounds of 50, on queues and names of the backlog.
fn questions() -> Vec<serde_json::Value> {
    let groups = r#"[{"queue":"q0","status":"queued","name":"a"},{"queue":"q1","status":"queued","name":"b"}]"#;
    let queues = r#"["q0","q1","q2"]"#;
    let mut asked = vec![
        serde_json::json!({"ask": "queues", "values": [50]}),
        serde_json::json!({"ask": "counts", "values": [queues, 50, 50]}),
        serde_json::json!({"ask": "groups", "values": [queues, 50]}),
        serde_json::json!({"ask": "tally", "values": [groups, 50]}),
        serde_json::json!({"ask": "finished", "values": [0, 50]}),
        serde_json::json!({"ask": "finished_by_name", "values": [0, 50]}),
        serde_json::json!({"ask": "activity", "values": [1_000_000, "task_", 50]}),
        serde_json::json!({"ask": "walk", "values": [50, null, 50], "filter": {"name": "a"}}),
        serde_json::json!({"ask": "walk", "values": [50, "task_x", 50], "full": true}),
        serde_json::json!({"ask": "boundary", "values": [50, null]}),
        serde_json::json!({"ask": "keys", "values": ["none", 50]}),
        serde_json::json!({"ask": "family", "values": ["none", 50]}),
        serde_json::json!({"ask": "running", "values": [50]}),
        serde_json::json!({"ask": "silent_attempts", "values": [queues, 50, 50]}),
        serde_json::json!({"ask": "lease_failures", "values": [0, 50]}),
        serde_json::json!({"ask": "meta"}),
        serde_json::json!({"ask": "ledger"}),
        serde_json::json!({"ask": "indexes"}),
        serde_json::json!({"ask": "statistics"}),
        serde_json::json!({"ask": "storage"}),
        serde_json::json!({"ask": "sessions", "values": [0, 50]}),
        serde_json::json!({"ask": "trigger"}),
    ];
    for (by, filter) in [
        (
            "root",
            serde_json::json!({"rootId": "none", "parentId": "none"}),
        ),
        ("correlation", serde_json::json!({"correlationId": "none"})),
        ("queueName", serde_json::json!({"queue": "q0", "name": "a"})),
        (
            "queueName",
            serde_json::json!({"queue": "q0", "name": "a", "status": "failed"}),
        ),
        ("queue", serde_json::json!({"queue": "q0"})),
        (
            "queue",
            serde_json::json!({"queue": "q0", "status": "queued"}),
        ),
        ("name", serde_json::json!({"name": "a", "status": "failed"})),
        (
            "status",
            serde_json::json!({"status": "queued", "name": "none"}),
        ),
    ] {
        asked.push(
            serde_json::json!({"ask": "matching", "values": [50], "filter": filter, "by": by}),
        );
        asked.push(serde_json::json!({"ask": "gather", "values": [50, null, 50], "filter": filter, "by": by}));
    }
    asked
}

/// The bounds hold in what the server reads, not only in what it answers.
#[test]
fn an_operators_questions_read_little_of_a_backlog_the_planner_knows_nothing_of() {
    for latest in [false, true] {
        World::run(|world| async move {
            let options = PostgresOptions {
                max: Some(1),
                migrate: latest.then_some(cairnq_native::protocol::MigrateTo::Latest),
                ..PostgresOptions::default()
            };
            let store = world.store_with(options);
            store.connect().await.expect("connect");
            world
                .sql("alter table cairnq_tasks set (autovacuum_enabled = off)")
                .await;
            let tasks = |count: usize| {
                (0..count).map(|index| {
                    NewTask::named(["a", "b"][index % 2])
                        .with(|args| args.queue = format!("q{}", index % 3))
                })
            };
            submit_many(&store, tasks(20_000).collect()).await;
            let before = reads(&world).await;
            let asked = questions();
            for question in &asked {
                let read: Question = serde_json::from_value(question.clone()).expect("a question");
                let answer = store.execute(Command::Inspect(Box::new(read))).await;
                assert!(
                    matches!(answer, Ok(Reply::Json(_))),
                    "{question}: {answer:?}"
                );
            }
            let read = reads(&world).await - before;
            assert!(
                read < 12_000,
                "latest: {latest}, rows and index entries read by {} questions: {read}",
                asked.len()
            );
        });
    }
}
