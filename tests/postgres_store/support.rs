//! A fresh database per test, and short ways to say what a test does.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use cairnq_native::error::Result;
use cairnq_native::model::{Conflict, Task};
use cairnq_native::store::Backend;
use cairnq_native::store::claimed::ClaimedTask;
use cairnq_native::store::command::{ClaimScope, Command, NewTask, Outcome, Owner, Reply, Target};
use cairnq_native::store::postgres::{PostgresOptions, PostgresStore};
use cairnq_native::store::round::{ClaimPlan, Draw, Planner, Round, RoundReply, Settlement};
use cairnq_native::store::wakes::End;
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

static SERIAL: AtomicU32 = AtomicU32::new(0);

/// A database of its own on the test server.
pub struct World {
    pub dsn: String,
    admin: String,
    name: String,
}

impl World {
    /// Runs `body` in a fresh database, unless there is no server.
    pub fn run<F: Future<Output = ()>>(body: impl FnOnce(Arc<World>) -> F) {
        let Ok(admin) = std::env::var("CAIRNQ_TEST_PG_DSN") else {
            eprintln!("skipped: CAIRNQ_TEST_PG_DSN names no Postgres server");
            return;
        };
        cairnq_native::runtime::runtime().block_on(async {
            let name = format!(
                "cairnq_rust_{}_{}",
                std::process::id(),
                SERIAL.fetch_add(1, Ordering::Relaxed)
            );
            execute(&admin, &format!("create database {name}")).await;
            let (server, _) = admin.rsplit_once('/').expect("a URL with a database");
            let world = Arc::new(World {
                dsn: format!("{server}/{name}"),
                admin,
                name,
            });
            body(Arc::clone(&world)).await;
            execute(
                &world.admin,
                &format!("drop database {} with (force)", world.name),
            )
            .await;
        });
    }

    pub fn store(&self) -> Arc<PostgresStore> {
        self.store_with(PostgresOptions::default())
    }

    pub fn store_with(&self, options: PostgresOptions) -> Arc<PostgresStore> {
        PostgresStore::new(&self.dsn, options).expect("a valid DSN")
    }

    pub async fn connection(&self) -> PgConnection {
        PgConnection::connect(&self.dsn)
            .await
            .expect("a connection")
    }

    pub async fn sql(&self, text: &str) -> Vec<PgRow> {
        let mut connection = self.connection().await;
        let rows = connection
            .fetch_all(sqlx::raw_sql(AssertSqlSafe(text.to_owned())))
            .await;
        rows.unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    pub async fn number(&self, text: &str) -> i64 {
        use sqlx::Row as _;
        self.sql(text).await[0].try_get(0).expect("a number")
    }

    /// Ends every server process of the database but the asking one.
    pub async fn terminate_all(&self) {
        self.sql("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()")
            .await;
    }

    /// Whether new connections take writes.
    pub async fn set_read_only(&self, on: bool) {
        let word = if on { "on" } else { "off" };
        let text = format!(
            "alter database {} set default_transaction_read_only = {word}",
            self.name
        );
        execute(&self.admin, &text).await;
    }
}

async fn execute(dsn: &str, text: &str) {
    let mut connection = PgConnection::connect(dsn).await.expect("the test server");
    connection
        .execute(AssertSqlSafe(text.to_owned()))
        .await
        .unwrap_or_else(|error| panic!("{text}: {error}"));
}

/// Waits until `condition` holds.
pub async fn until<F: Future<Output = bool>>(what: &str, condition: impl Fn() -> F) {
    let poll = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    within(what, poll).await;
}

/// The outcome of `future`, which must not take long.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    let patience = Duration::from_mins(1);
    tokio::time::timeout(patience, future)
        .await
        .unwrap_or_else(|_| panic!("{what} took longer than {patience:?}"))
}

pub fn owner(worker_id: &str) -> Owner {
    Owner {
        worker_id: worker_id.to_owned(),
        lease_ms: 30_000,
    }
}

pub fn keyed(key: &str, conflict: Conflict) -> NewTask {
    NewTask::named("keyed").with(|args| {
        args.key = Some(key.to_owned());
        args.conflict = conflict;
    })
}

pub async fn submit(store: &PostgresStore, new: NewTask) -> Result<Task> {
    match store.execute(Command::Submit(Box::new(new))).await? {
        Reply::Row(Some(task)) => Ok(*task),
        other => panic!("a submit answered {other:?}"),
    }
}

pub async fn submit_many(store: &PostgresStore, tasks: Vec<NewTask>) -> Vec<Task> {
    match store
        .execute(Command::SubmitMany(tasks))
        .await
        .expect("submitMany")
    {
        Reply::Rows(tasks) => tasks,
        other => panic!("submitMany answered {other:?}"),
    }
}

pub async fn get(store: &PostgresStore, id: &str) -> Option<Task> {
    match store
        .execute(Command::Get(Target::Id(id.to_owned())))
        .await
        .expect("get")
    {
        Reply::Row(task) => task.map(|task| *task),
        other => panic!("get answered {other:?}"),
    }
}

pub async fn claim(store: &PostgresStore, worker_id: &str, limit: i64) -> Vec<Task> {
    claim_scope(store, scope(&["default"], None, worker_id), limit).await
}

pub async fn claim_scope(store: &PostgresStore, scope: ClaimScope, limit: i64) -> Vec<Task> {
    match store
        .execute(Command::Claim { scope, limit })
        .await
        .expect("claim")
    {
        Reply::Rows(tasks) => tasks,
        other => panic!("claim answered {other:?}"),
    }
}

pub fn scope(queues: &[&str], names: Option<&[&str]>, worker_id: &str) -> ClaimScope {
    ClaimScope {
        queues: texts(queues),
        names: names.map(texts),
        owner: owner(worker_id),
    }
}

pub fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

/// A task by its whole row, or as a worker knows it.
pub trait Known {
    fn id(&self) -> &str;
    fn queue(&self) -> &str;
}

impl Known for Task {
    fn id(&self) -> &str {
        &self.id
    }

    fn queue(&self) -> &str {
        &self.queue
    }
}

impl Known for ClaimedTask {
    fn id(&self) -> &str {
        &self.id
    }

    fn queue(&self) -> &str {
        &self.queue
    }
}

pub fn complete(task: &impl Known, result: &str) -> Settlement {
    settlement(
        task,
        Outcome::Complete {
            result: Some(result.to_owned()),
            message: None,
        },
    )
}

pub fn fail(task: &impl Known, error: &str, retryable: bool) -> Settlement {
    settlement(
        task,
        Outcome::Fail {
            error: error.to_owned(),
            retryable,
            delay_ms: 0,
        },
    )
}

pub fn settlement(task: &impl Known, outcome: Outcome) -> Settlement {
    Settlement {
        task_id: task.id().into(),
        queue: Arc::from(task.queue()),
        outcome,
        want_row: false,
    }
}

pub fn round(worker_id: &str, settlements: Vec<Settlement>) -> Round {
    Round {
        owner: owner(worker_id),
        settlements,
        releases: Vec::new(),
        claim: None,
    }
}

/// Makes the draws it was given, one after the other, and keeps what they brought.
#[derive(Default)]
pub struct Script {
    pub draws: Vec<Draw>,
    pub next: usize,
    pub rows: Vec<Vec<ClaimedTask>>,
}

impl Planner for Script {
    fn next_draw(&mut self) -> Option<Draw> {
        let draw = self.draws.get(self.next).cloned();
        self.next += usize::from(draw.is_some());
        draw
    }

    fn record(&mut self, rows: Vec<ClaimedTask>) {
        self.rows.push(rows);
    }

    fn restart(&mut self) {
        self.next = 0;
        self.rows.clear();
    }

    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any + Send> {
        self
    }
}

pub fn draw(names: &[&str], limit: u32) -> Draw {
    Draw {
        names: texts(names),
        limit,
        max_bytes: None,
        oversize_first: false,
    }
}

pub fn plan(queues: &[&str], draws: Vec<Draw>, probe: bool) -> ClaimPlan {
    let names = draws.iter().flat_map(|draw| draw.names.clone()).collect();
    ClaimPlan {
        queues: texts(queues),
        names,
        probe,
        planner: Box::new(Script {
            draws,
            ..Script::default()
        }),
    }
}

/// The rows of each draw.
pub fn drawn(reply: RoundReply) -> Vec<Vec<ClaimedTask>> {
    let (planner, outcome) = reply.claimed.expect("a claim");
    outcome.expect("the claim succeeds");
    planner
        .into_any()
        .downcast::<Script>()
        .expect("the script")
        .rows
}

pub async fn claim_round(
    store: &PostgresStore,
    queues: &[&str],
    draws: Vec<Draw>,
) -> Vec<Vec<ClaimedTask>> {
    let claim = Some(plan(queues, draws, false));
    drawn(
        store
            .round(Round {
                claim,
                ..round("w", Vec::new())
            })
            .await,
    )
}

pub fn ids(tasks: &[impl Known]) -> Vec<&str> {
    tasks.iter().map(Known::id).collect()
}

/// Resolves when the task has ended.
pub fn end_of(store: &PostgresStore, task_id: &str) -> tokio::sync::oneshot::Receiver<End> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    store.wakes().when_done(task_id, move |end| {
        // The test may have seen enough.
        let _ = sender.send(end);
    });
    receiver
}
