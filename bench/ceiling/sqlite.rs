//! The loop on one rusqlite connection.

use std::time::Instant;

use cairnq_native::clock::now_ms;
use cairnq_native::ids;
use cairnq_native::protocol::{LEASE_EXPIRED, sqlite as sql};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Statement, params};

use crate::Outcome;
use crate::job::{Claimed, Job, Measured, Work};

const LEASE_MS: i64 = 30_000;

pub fn run(job: &Job) -> Outcome {
    let connection = open(&job.target)?;
    match job.work {
        Work::Drain => drain(&connection, job)?.checked(job.tasks),
        Work::Insert => insert(&connection, job)?.checked(job.tasks),
    }
}

/// As our store opens its writer.
fn open(path: &str) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(sql::CONNECTION_SETTINGS)?;
    connection.query_row(sql::SET_WAL, [], |row| row.get::<_, String>(0))?;
    connection.execute_batch(sql::WRITER_SETTINGS)?;
    connection.pragma_update(None, "wal_autocheckpoint", sql::CHECKPOINT_PAGES)?;
    Ok(connection)
}

fn insert(connection: &Connection, job: &Job) -> rusqlite::Result<Measured> {
    let mut begin = connection.prepare(sql::BEGIN)?;
    let mut commit = connection.prepare(sql::COMMIT)?;
    let mut insert = connection.prepare(sql::TASK_INSERT)?;
    let started = Instant::now();
    let mut transactions = 0;
    let mut done = 0;
    while done < job.tasks {
        begin.execute([])?;
        let now = now_ms();
        for _ in 0..job.batch.min(job.tasks - done) {
            let id = ids::task_id();
            let none = None::<&str>;
            done += insert.execute(params![
                id,
                job.name,
                job.queue,
                job.payload,
                "{}",
                3,
                0,
                none,
                id,
                none,
                now,
                now
            ])?;
        }
        commit.execute([])?;
        transactions += 1;
    }
    Ok(Measured {
        tasks: done,
        transactions,
        elapsed: started.elapsed(),
    })
}

fn drain(connection: &Connection, job: &Job) -> rusqlite::Result<Measured> {
    let mut begin = connection.prepare(sql::BEGIN)?;
    let mut commit = connection.prepare(sql::COMMIT)?;
    let mut complete = connection.prepare(sql::COMPLETE)?;
    let mut claim = Claim::new(connection)?;
    let worker = ids::worker_id();
    let started = Instant::now();
    let mut transactions = 0;
    let mut done = 0;
    let mut held: Vec<Claimed> = Vec::new();
    loop {
        begin.execute([])?;
        let now = now_ms();
        for task in held.drain(..) {
            let none = None::<&str>;
            done += complete.execute(params![task.id, worker, now, none, none])?;
        }
        claim.draw(job, &worker, now, &mut held)?;
        commit.execute([])?;
        transactions += 1;
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

/// A claim session: recovery, the database's level, one draw.
struct Claim<'c> {
    recover: Statement<'c>,
    level: Statement<'c>,
    heads: Statement<'c>,
    take: Statement<'c>,
}

impl<'c> Claim<'c> {
    fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            recover: connection.prepare(sql::RECOVER)?,
            level: connection.prepare(sql::SCHEMA_VERSION)?,
            heads: connection.prepare(&sql::CLAIM_HEADS_CREATED_NAME)?,
            take: connection.prepare(sql::CLAIM_TAKE)?,
        })
    }

    fn draw(
        &mut self,
        job: &Job,
        worker: &str,
        now: i64,
        held: &mut Vec<Claimed>,
    ) -> rusqlite::Result<()> {
        let mut expired = self.recover.query(params![now, LEASE_EXPIRED])?;
        while expired.next()?.is_some() {}
        drop(expired);
        self.level.query_row([], |row| row.get::<_, String>(0))?;
        let mut taken = Vec::with_capacity(job.batch);
        {
            let mut rows = self.heads.query(params![job.queue, now, job.name])?;
            while taken.len() < job.batch {
                let Some(row) = rows.next()? else { break };
                taken.push(row.get::<_, i64>(sql::TASK_COLUMN_COUNT)?);
                held.push(Claimed {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    queue: row.get(2)?,
                    payload: row.get(4)?,
                    metadata: row.get(7)?,
                    attempt: row.get::<_, i64>(10)? + 1,
                    max_attempts: row.get(11)?,
                    root_id: row.get(18)?,
                    correlation_id: row.get(19)?,
                });
            }
        }
        for rowid in taken {
            self.take
                .execute(params![rowid, worker, now + LEASE_MS, now])?;
        }
        Ok(())
    }
}
