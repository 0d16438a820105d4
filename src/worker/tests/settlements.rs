//! What becomes of outcomes that the database does not take at once.

use super::*;

#[test]
fn a_settlement_that_fails_for_a_passing_reason_is_sent_again_and_the_handler_is_not() {
    let world = World::new(options(), 1);
    world
        .store
        .database()
        .settle_errors
        .extend([busy(), busy()]);
    world.store.queue("work", 1, 2);
    let calls = world.take();
    assert!(world.complete(&calls[0]).is_empty());
    assert_eq!(
        world.failure(Phase::Execute),
        busy(),
        "the first failure is reported"
    );
    eventually("the settlement", || settled_ids(&world).len() == 1);
    world.finish();
    let failures = world
        .host
        .heard()
        .events
        .iter()
        .filter(|event| matches!(event, Event::Failed { .. }))
        .count();
    assert_eq!(failures, 0, "and only the first");
}

#[test]
fn a_settlement_that_cannot_be_written_before_the_lease_ends_is_reported_lost() {
    let world = World::new(
        Options {
            lease_ms: 200.0,
            heartbeat_interval_ms: 10_000.0,
            ..options()
        },
        1,
    );
    world
        .store
        .database()
        .settle_errors
        .extend((0..100).map(|_| busy()));
    world.store.queue("work", 1, 2);
    let calls = world.take();
    assert!(world.complete(&calls[0]).is_empty());
    assert_eq!(world.failure(Phase::Execute), busy());
    assert_eq!(
        world.failure(Phase::Execute),
        busy(),
        "the second report is the last: the outcome is given up"
    );
    world.finish();
    assert_eq!(settled_ids(&world), Vec::<String>::new());
}

#[test]
fn a_result_the_database_cannot_hold_fails_its_task_for_good() {
    let world = World::new(options(), 1);
    world
        .store
        .database()
        .settle_errors
        .push_back(Error::Serialization("no".to_owned()));
    world.store.queue("work", 1, 2);
    let calls = world.take();
    assert!(world.complete(&calls[0]).is_empty());
    eventually("the failure", || settled_ids(&world).len() == 1);
    let outcome = world.store.database().settled[0].1.clone();
    let Outcome::Fail {
        error, retryable, ..
    } = outcome
    else {
        panic!("{outcome:?}")
    };
    assert!(
        error.contains("unserializable_result") && !retryable,
        "{error}"
    );
    world.finish();
}
