//! The ceiling: what this machine's database does when a bare loop issues the protocol's own statements.
//!
//! No Node, no store, no scheduler, no second thread: one connection, the SQL of `protocol/`, the settings our store
//! opens with. The benchmark quotes our rates as a share of what this prints, measured in the same run.

#![allow(missing_docs)]

mod job;
mod postgres;
mod sqlite;

use std::error::Error;
use std::process::ExitCode;

use job::{Job, Measured};

type Outcome = Result<Measured, Box<dyn Error>>;

fn main() -> ExitCode {
    let job: Job = match std::env::args()
        .nth(1)
        .ok_or_else(|| "usage: ceiling '{\"backend\": ..., \"work\": ...}'".to_owned())
        .and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()))
    {
        Ok(job) => job,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    match run(&job) {
        Ok(measured) => {
            println!("{}", measured.json());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(job: &Job) -> Outcome {
    match job.backend {
        job::Backend::Sqlite => sqlite::run(job),
        job::Backend::Postgres => postgres::run(job),
    }
}
