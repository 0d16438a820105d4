//! The worker against a database and a host that fail on purpose: what JavaScript tests cannot provoke at will.

mod claiming;
mod ends;
mod fake;
mod handoff;
mod leases;
mod panics;
mod settlements;
mod stats;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::Worker;
use super::host::{DeliveredCall, Event, Phase, Report};
use super::options::Options;
use crate::error::Error;
use crate::store::command::Outcome;
use fake::{FakeHost, FakeStore, eventually};

const RUN: u32 = 1_000;

struct World {
    store: Arc<FakeStore>,
    host: Arc<FakeHost>,
    worker: Arc<Worker>,
}

fn options() -> Options {
    Options {
        worker_id: "worker_test".to_owned(),
        queues: vec!["default".to_owned()],
        lease_ms: 400.0,
        heartbeat_interval_ms: 60.0,
        poll_interval_ms: 50.0,
        claim_batch: None,
        retry_backoff_ms: 1000.0,
        retry_backoff_max_ms: 30_000.0,
        max_run_ms: None,
        max_in_flight_bytes: None,
        resources: BTreeMap::new(),
        max_blocked_ms: 0.0,
        prefetch: Some(0.0),
    }
}

impl World {
    fn new(options: Options, concurrency: u32) -> Self {
        Self::on(FakeStore::default(), options, concurrency)
    }

    fn on(store: FakeStore, options: Options, concurrency: u32) -> Self {
        let (store, host) = (Arc::new(store), Arc::new(FakeHost::default()));
        let worker = Arc::new(Worker::new(
            Arc::clone(&store) as _,
            Arc::clone(&host) as _,
            options,
        ));
        worker.register("work", None, None, None);
        worker.run(RUN, concurrency);
        Self {
            store,
            host,
            worker,
        }
    }

    /// Waits for the next calls, as the JavaScript side does.
    fn take(&self) -> Vec<DeliveredCall> {
        let is_ready = |event: &Event| matches!(event, Event::Ready);
        loop {
            self.host.heard().events.retain(|event| !is_ready(event));
            // Without the lock on what was heard: to take calls may bring the next.
            let calls = self.worker.take();
            if !calls.is_empty() {
                return calls;
            }
            self.host.hear("ready calls", |heard| {
                heard.events.iter().any(is_ready).then_some(())
            });
        }
    }

    fn complete(&self, call: &DeliveredCall) -> Vec<DeliveredCall> {
        self.complete_all(std::slice::from_ref(call))
    }

    /// Completes calls whose outcomes go down together.
    fn complete_all(&self, calls: &[DeliveredCall]) -> Vec<DeliveredCall> {
        let mut reports = Vec::new();
        for call in calls {
            let tasks = call.tasks.iter();
            reports.extend(tasks.map(|task| Report::Complete(task.handle, None)));
            reports.push(Report::Done(call.call));
        }
        self.worker.settle(reports)
    }

    /// From now on handlers whose leases are lost end at once, as those do that heed the signal.
    fn heed_losses(&self) {
        let worker = Arc::downgrade(&self.worker);
        self.host.when_lost(move |handles| {
            let lost = handles.iter().map(|&handle| Report::Lost(handle));
            if let Some(worker) = worker.upgrade() {
                drop(worker.settle(lost.collect()));
            }
        });
    }

    fn finish(&self) {
        self.worker.stop(None);
        self.host
            .hear("the end of run()", |heard| heard.answers.remove(&RUN))
            .expect("run() resolves");
    }

    fn failure(&self, phase: Phase) -> Error {
        self.host.hear("an error", |heard| {
            let at = heard
                .events
                .iter()
                .position(|event| matches!(event, Event::Failed { phase: p, .. } if *p == phase))?;
            match heard.events.remove(at) {
                Event::Failed { error, .. } => Some(error),
                _ => None,
            }
        })
    }

    fn lost(&self) -> Vec<u32> {
        self.host.hear("a lost lease", |heard| {
            heard.events.iter().find_map(|event| match event {
                Event::Lost(handles) => Some(handles.clone()),
                _ => None,
            })
        })
    }
}

fn busy() -> Error {
    Error::Database {
        code: Some("SQLITE_BUSY".to_owned()),
        message: "database is locked".to_owned(),
        passing: true,
    }
}

fn settled_ids(world: &World) -> Vec<String> {
    world
        .store
        .database()
        .settled
        .iter()
        .map(|(id, _)| id.clone())
        .collect()
}
