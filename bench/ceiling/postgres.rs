//! The loop on one sqlx connection: one statement per round trip, each its own transaction.

use std::time::Instant;

use cairnq_native::ids;
use cairnq_native::protocol::postgres::{
    self as sql, DrawShape, NameMatch, ROUND_HEAD_COLUMNS, RoundShape,
};
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Connection as _, Row as _};

use crate::Outcome;
use crate::job::{Claimed, Job, Measured, Work};

const LEASE_MS: i64 = 30_000;

pub fn run(job: &Job) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut connection = open(&job.target).await?;
        let measured = match job.work {
            Work::Drain => drain(&mut connection, job).await?,
            Work::Insert => insert(&mut connection, job).await?,
        };
        connection.close().await?;
        measured.checked(job.tasks)
    })
}

/// With the settings of our store's sessions.
async fn open(dsn: &str) -> sqlx::Result<PgConnection> {
    let mut connection = PgConnection::connect(dsn).await?;
    sqlx::query(sql::SETTINGS.as_str())
        .bind(None::<String>)
        .bind(false)
        .fetch_one(&mut connection)
        .await?;
    Ok(connection)
}

async fn insert(connection: &mut PgConnection, job: &Job) -> sqlx::Result<Measured> {
    let started = Instant::now();
    let mut transactions = 0;
    let mut done = 0;
    while done < job.tasks {
        let count = job.batch.min(job.tasks - done);
        let ids: Vec<String> = (0..count).map(|_| ids::task_id()).collect();
        let rows = sqlx::query(sql::INSERT.as_str())
            .bind(&ids)
            .bind(vec![job.name.as_str(); count])
            .bind(vec![job.queue.as_str(); count])
            .bind(vec![job.payload.as_str(); count])
            .bind(vec!["{}"; count])
            .bind(vec![3_i64; count])
            .bind(vec![0_i64; count])
            .bind(vec![0_i64; count])
            .bind(vec![None::<&str>; count])
            .bind(&ids)
            .bind(vec![None::<&str>; count])
            .bind(vec![None::<&str>; count])
            .bind(None::<&str>)
            .bind(None::<i64>)
            .fetch_all(&mut *connection)
            .await?;
        done += rows.len();
        transactions += 1;
    }
    Ok(Measured {
        tasks: done,
        transactions,
        elapsed: started.elapsed(),
    })
}

async fn drain(connection: &mut PgConnection, job: &Job) -> sqlx::Result<Measured> {
    let round = sql::round(RoundShape {
        settles: true,
        recovers: true,
        draw: Some(DrawShape {
            walks: 1,
            names: NameMatch::Paired,
            due_order: false,
            budget: false,
        }),
    });
    let worker = ids::worker_id();
    let started = Instant::now();
    let mut transactions = 0;
    let mut done = 0;
    let mut held: Vec<Claimed> = Vec::new();
    loop {
        // Every batch locks its rows in id order.
        held.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        let count = held.len();
        let rows = sqlx::query::<sqlx::Postgres>(AssertSqlSafe(std::sync::Arc::clone(&round)))
            .bind(held.iter().map(|task| task.id.as_str()).collect::<Vec<_>>())
            .bind(vec!["c"; count])
            .bind(vec![None::<&str>; count])
            .bind(vec![None::<&str>; count])
            .bind(vec![None::<&str>; count])
            .bind(vec![0_i64; count])
            .bind(&worker)
            .bind(LEASE_MS)
            .bind(i64::try_from(job.batch).unwrap_or(i64::MAX))
            .bind(vec![job.queue.as_str()])
            .bind(vec![job.name.as_str()])
            .fetch_all(&mut *connection)
            .await?;
        transactions += 1;
        let settled: Option<Vec<String>> = rows[0].try_get(1)?;
        done += settled.map_or(0, |ids| ids.len());
        held = rows[1..].iter().map(claimed).collect::<Result<_, _>>()?;
        if held.is_empty() {
            break;
        }
    }
    Ok(Measured {
        tasks: done,
        transactions,
        elapsed: started.elapsed(),
    })
}

fn claimed(row: &PgRow) -> sqlx::Result<Claimed> {
    let column = |index: usize| ROUND_HEAD_COLUMNS + index;
    Ok(Claimed {
        id: row.try_get(column(0))?,
        name: row.try_get(column(1))?,
        queue: row.try_get(column(2))?,
        payload: row.try_get(column(3))?,
        metadata: row.try_get(column(4))?,
        attempt: row.try_get::<i32, _>(column(5))?.into(),
        max_attempts: row.try_get::<i32, _>(column(6))?.into(),
        root_id: row.try_get(column(7))?,
        correlation_id: row.try_get(column(8))?,
    })
}
