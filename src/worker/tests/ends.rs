//! Calls that end otherwise than by returning.

use super::*;

#[test]
fn stop_hands_back_what_was_not_started() {
    let world = World::new(
        Options {
            prefetch: Some(4.0),
            ..options()
        },
        1,
    );
    world.store.queue("work", 3, 2);
    let calls = world.take();
    eventually("two tasks to be held", || {
        world.store.database().queued.is_empty()
    });
    world.worker.stop(None);
    eventually("the release", || world.store.database().released.len() == 2);
    assert!(
        world.complete(&calls[0]).is_empty(),
        "a stopped worker starts nothing"
    );
    world.finish();
    assert_eq!(settled_ids(&world), [calls[0].tasks[0].task.id.to_string()]);
}

#[test]
fn a_call_out_of_time_frees_its_slot_and_its_late_return_is_ignored() {
    let world = World::new(
        Options {
            max_run_ms: Some(50.0),
            ..options()
        },
        1,
    );
    world.store.queue("work", 2, 2);
    let first = world.take();
    assert_eq!(world.lost(), [first[0].tasks[0].handle]);
    // The host turns its loop and so shows that it is not wedged.
    world.worker.sign_of_life();
    let second = world.take();
    assert!(world.complete(&first[0]).is_empty());
    assert!(world.complete(&second[0]).is_empty());
    world.finish();
    let settled = world.store.database().settled.clone();
    assert_eq!(settled.len(), 2);
    assert!(
        matches!(&settled[0].1, Outcome::Fail { error, retryable: true, .. } if error.contains("handler_timeout"))
    );
    assert!(matches!(settled[1].1, Outcome::Complete { .. }));
}

#[test]
fn an_abandoned_call_goes_back_to_the_queue() {
    let world = World::new(options(), 1);
    world.store.queue("work", 1, 2);
    let calls = world.take();
    world.worker.stop(Some(20.0));
    assert_eq!(world.lost(), [calls[0].tasks[0].handle]);
    world.finish();
    assert_eq!(
        world.store.database().released,
        [calls[0].tasks[0].task.id.to_string()]
    );
}

/// The handler may have ended before the database has the failure that the time limit wrote.
#[test]
fn the_failure_of_a_call_out_of_time_is_written_though_its_handler_ends_at_once() {
    let world = World::new(
        Options {
            max_run_ms: Some(50.0),
            ..options()
        },
        1,
    );
    world.heed_losses();
    world.store.queue("work", 1, 2);
    world.take();
    assert_eq!(world.lost().len(), 1);
    world.finish();
    let settled = world.store.database().settled.clone();
    assert!(
        matches!(&settled[..], [(_, Outcome::Fail { error, .. })] if error.contains("handler_timeout")),
        "{settled:?}"
    );
}

#[test]
fn an_abandoned_call_goes_back_though_its_handler_ends_at_once() {
    let world = World::new(options(), 1);
    world.heed_losses();
    world.store.queue("work", 1, 2);
    let calls = world.take();
    world.worker.stop(Some(20.0));
    world.finish();
    assert_eq!(
        world.store.database().released,
        [calls[0].tasks[0].task.id.to_string()]
    );
}
