//! The counters tell what happened to every attempt.

use serde_json::{Value, json};

use super::fake::eventually;
use super::{World, options};
use crate::error::Error;
use crate::worker::host::Report;
use crate::worker::options::Options;

fn stats(world: &World) -> Value {
    serde_json::to_value(world.worker.stats()).expect("plain data")
}

/// Waits until the counters say so.
fn eventually_counts(world: &World, field: &str, wanted: &Value) {
    eventually(field, || stats(world).pointer(field) == Some(wanted));
}

#[test]
fn each_attempt_is_counted_when_it_begins_and_when_it_ends() {
    let world = World::new(
        Options {
            resources: [("gpu".to_owned(), 2)].into(),
            ..options()
        },
        4,
    );
    world.worker.register("heavy", None, None, Some("gpu"));
    world.store.queue("work", 3, 10);
    let mut calls = world.take();
    while calls.len() < 3 {
        calls.extend(world.take());
    }
    world.store.queue("heavy", 1, 7);
    calls.extend(world.take());
    let before = stats(&world);
    assert_eq!(before["slots"], 4);
    assert_eq!(before["runningCalls"], 4);
    assert_eq!(before["bytes"], 37);
    assert_eq!(before["inFlight"]["running"], 4);
    assert_eq!(before["names"]["work"]["claimed"], 3);
    assert_eq!(
        before["resources"]["gpu"],
        json!({"capacity": 2, "inUse": 1})
    );

    let handle = |call: usize| calls[call].tasks[0].handle;
    let fail = |call: usize, retryable| Report::Fail {
        handle: handle(call),
        error: "{}".to_owned(),
        retryable,
    };
    let done = calls.iter().map(|call| Report::Done(call.call));
    let mut reports = vec![
        Report::Complete(handle(0), None),
        fail(1, true),
        fail(2, false),
        Report::Lost(handle(3)),
    ];
    reports.extend(done);
    drop(world.worker.settle(reports));
    eventually_counts(&world, "/totals/failed", &json!(1));
    eventually_counts(&world, "/inFlight/settling", &json!(0));
    let after = stats(&world);
    let work = &after["names"]["work"];
    for field in ["succeeded", "retried", "failed"] {
        assert_eq!(work[field], 1, "{field}");
    }
    assert_eq!(after["names"]["heavy"]["lost"], 1);
    assert_eq!(after["totals"]["started"], 4);
    assert_eq!(after["runs"]["count"], 3);
    assert_eq!(after["settlements"]["count"], 3);
    assert_eq!(after["bytes"], 0);
    world.finish();
}

#[test]
fn what_runs_out_of_time_is_lost_or_handed_back_is_told_apart() {
    let world = World::new(
        Options {
            max_run_ms: Some(30.0),
            ..options()
        },
        1,
    );
    world.store.queue("work", 1, 1);
    drop(world.take());
    eventually_counts(&world, "/names/work/timedOut", &json!(1));
    eventually_counts(&world, "/names/work/retried", &json!(1));
    world.finish();

    let world = World::new(options(), 1);
    world.store.queue("work", 1, 1);
    let calls = world.take();
    let stolen = calls[0].tasks[0].task.id.to_string();
    world.store.database().stolen.push(stolen);
    drop(world.complete(&calls[0]));
    eventually_counts(&world, "/totals/lost", &json!(1));
    world.finish();

    let world = World::new(
        Options {
            prefetch: Some(4.0),
            ..options()
        },
        1,
    );
    world.store.queue("work", 3, 1);
    let calls = world.take();
    eventually_counts(&world, "/inFlight/ready", &json!(2));
    world.worker.stop(None);
    eventually_counts(&world, "/totals/released", &json!(2));
    drop(world.complete(&calls[0]));
    eventually_counts(&world, "/totals/succeeded", &json!(1));
}

#[test]
fn claims_are_counted_with_what_they_brought() {
    let world = World::new(options(), 1);
    eventually("an empty claim", || stats(&world)["emptyClaims"] != 0);
    world
        .store
        .database()
        .claim_errors
        .push_back(Error::Database {
            code: None,
            message: "away".to_owned(),
            passing: true,
        });
    eventually_counts(&world, "/failedClaims", &json!(1));
    let claims = stats(&world)["claims"]["count"].as_u64();
    assert!(claims > Some(0));
    world.finish();
}
