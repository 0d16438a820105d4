//! What work costs on `SQLite`, in statements and commits: a guard against regressions that no clock takes part in.
//!
//! One test, because what counts statements sees every connection of the process.

mod statements;

use std::sync::Arc;

use cairnq_native::runtime::runtime;
use cairnq_native::store::Backend;
use cairnq_native::store::claimed::ClaimedTask;
use cairnq_native::store::command::{Command, NewTask, Outcome, Owner, Reply};
use cairnq_native::store::round::{ClaimPlan, Draw, Planner, Round, Settled, Settlement};
use cairnq_native::store::sqlite::{SqliteOptions, SqliteStore};
use statements::{Counts, counted};

const NAME: &str = "noop";
const BATCH: usize = 64;

#[test]
fn statements_and_commits_per_task() {
    statements::watch();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("tasks.db");
    let store: Arc<dyn Backend> = Arc::new(SqliteStore::new(
        file.to_str().expect("a path in UTF-8"),
        SqliteOptions::default(),
    ));
    runtime().block_on(async {
        store.connect().await.expect("the store opens");
        submits(&*store).await;
        rounds(&*store).await;
        renewals(&*store).await;
        upkeep(&*store).await;
        store.close().await.expect("the store closes");
    });
}

async fn submits(store: &dyn Backend) {
    let lone = counted(|| store.execute(Command::Submit(Box::new(NewTask::named(NAME)))))
        .await
        .0;
    assert_eq!(
        lone,
        Counts {
            begins: 1,
            commits: 1,
            others: 1
        },
        "a submit is one insert in one transaction"
    );

    let tasks = (0..1_000).map(|_| NewTask::named(NAME)).collect();
    let (many, reply) = counted(|| store.execute(Command::SubmitMany(tasks))).await;
    assert!(matches!(reply, Ok(Reply::Rows(rows)) if rows.len() == 1_000));
    assert_eq!(many.commits, 1);
    assert_eq!(many.others, 1_000, "an insert each: {many:?}");
}

/// Settling a batch and claiming the next is one transaction: two statements a task and a handful a round.
async fn rounds(store: &dyn Backend) {
    let mut held = Vec::new();
    for round in 0..5 {
        let settling = held.len();
        let (counts, tasks) = counted(|| fused(store, std::mem::take(&mut held))).await;
        held = tasks;
        assert_eq!(held.len(), BATCH);
        assert_eq!((counts.begins, counts.commits), (1, 1), "round {round}");
        let fixed = counts.others - settling - BATCH;
        assert!(
            fixed <= 6,
            "round {round} took {fixed} statements besides its rows"
        );
    }
}

async fn renewals(store: &dyn Backend) {
    let held = fused(store, Vec::new()).await;
    let ids: Vec<_> = held.into_iter().map(|task| task.id.to_string()).collect();
    let (counts, renewed) = counted(|| store.renew(owner(), ids)).await;
    assert_eq!(renewed.expect("renewed").len(), BATCH);
    assert_eq!(
        counts,
        Counts {
            begins: 1,
            commits: 1,
            others: BATCH
        },
        "a beat is one transaction"
    );
}

/// What the writer does by the clock is no cost of the work it happens to fall into.
async fn upkeep(store: &dyn Backend) {
    let between = statements::outside();
    let mut submits = 0;
    let (counts, ()) = counted(async || {
        while statements::outside() == between {
            let submitted = store
                .execute(Command::Submit(Box::new(NewTask::named(NAME))))
                .await;
            submitted.expect("submitted");
            submits += 1;
        }
    })
    .await;
    assert_eq!(
        counts,
        Counts {
            begins: submits,
            commits: submits,
            others: submits
        }
    );
}

async fn fused(store: &dyn Backend, settle: Vec<ClaimedTask>) -> Vec<ClaimedTask> {
    let settlements: Vec<_> = settle
        .into_iter()
        .map(|task| Settlement {
            queue: task.queue,
            task_id: task.id,
            outcome: Outcome::Complete {
                result: None,
                message: None,
            },
            want_row: false,
        })
        .collect();
    let reply = store
        .round(Round {
            owner: owner(),
            settlements,
            releases: Vec::new(),
            claim: Some(ClaimPlan {
                queues: vec!["default".to_owned()],
                names: vec![NAME.to_owned()],
                probe: false,
                planner: Box::new(OneDraw::default()),
            }),
        })
        .await;
    for settled in reply.settled {
        assert!(matches!(settled, Ok(Settled::Written(_, None))));
    }
    let (planner, outcome) = reply.claimed.expect("a claim was asked for");
    outcome.expect("claimed");
    let planner = planner.into_any().downcast::<OneDraw>();
    planner.expect("the planner that was given").rows
}

/// A session of one draw.
#[derive(Default)]
struct OneDraw {
    drawn: bool,
    rows: Vec<ClaimedTask>,
}

impl Planner for OneDraw {
    fn next_draw(&mut self) -> Option<Draw> {
        (!std::mem::replace(&mut self.drawn, true)).then(|| Draw {
            names: vec![NAME.to_owned()],
            limit: u32::try_from(BATCH).expect("a small batch"),
            max_bytes: None,
            oversize_first: false,
        })
    }

    fn record(&mut self, rows: Vec<ClaimedTask>) {
        self.rows = rows;
    }

    fn restart(&mut self) {
        *self = Self::default();
    }

    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any + Send> {
        self
    }
}

fn owner() -> Owner {
    Owner {
        worker_id: "worker_cost".to_owned(),
        lease_ms: 30_000,
    }
}
