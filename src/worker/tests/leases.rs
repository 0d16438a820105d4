//! Leases kept, lost and given up.

use super::*;

#[test]
fn a_renewal_that_crosses_a_settlement_is_no_lost_lease() {
    let world = World::new(options(), 1);
    // The settlement is put off, and the renewal meanwhile finds the task no longer ours.
    world
        .store
        .database()
        .settle_errors
        .extend([busy(), busy()]);
    world.store.queue("work", 1, 2);
    let calls = world.take();
    let id = calls[0].tasks[0].task.id.to_string();
    assert!(world.complete(&calls[0]).is_empty());
    assert_eq!(world.failure(Phase::Execute), busy());
    world.store.database().stolen.push(id);
    let before = world.store.database().renewals.len();
    eventually("a renewal", || {
        world.store.database().renewals.len() > before
    });
    world.store.database().stolen.clear();
    eventually("the settlement", || settled_ids(&world).len() == 1);
    assert!(
        !world
            .host
            .heard()
            .events
            .iter()
            .any(|event| matches!(event, Event::Lost(_)))
    );
    world.finish();
}

#[test]
fn a_stolen_lease_is_lost_alone() {
    let world = World::new(options(), 2);
    world.store.queue("work", 2, 2);
    let mut calls = world.take();
    if calls.len() < 2 {
        calls.extend(world.take());
    }
    let stolen = &calls[0].tasks[0];
    world
        .store
        .database()
        .stolen
        .push(stolen.task.id.to_string());
    assert_eq!(world.lost(), [stolen.handle]);
    assert_eq!(
        world.worker.attempt_state(stolen.handle),
        2,
        "readable before the host has turned its loop"
    );
    assert_eq!(world.worker.attempt_state(calls[1].tasks[0].handle), 0);
    for call in &calls {
        assert!(world.complete(call).is_empty());
    }
    world.finish();
    assert_eq!(settled_ids(&world), [calls[1].tasks[0].task.id.to_string()]);
}

#[test]
fn a_failing_renewal_gives_a_lease_up_only_when_its_time_has_passed() {
    let world = World::new(options(), 1);
    world.store.queue("work", 1, 2);
    let calls = world.take();
    let claimed = std::time::Instant::now();
    world
        .store
        .database()
        .renew_errors
        .extend((0..1_000).map(|_| busy()));
    assert_eq!(world.lost(), [calls[0].tasks[0].handle]);
    assert!(
        claimed.elapsed() >= Duration::from_millis(350),
        "lost after {:?}",
        claimed.elapsed()
    );
    assert!(
        world.store.database().renewals.len() > 3,
        "and it was tried again and again until then"
    );
    assert!(world.complete(&calls[0]).is_empty());
    world.finish();
}

#[test]
fn a_blocked_host_is_reported_once_and_its_leases_are_kept() {
    let world = World::new(options(), 1);
    world.store.queue("work", 1, 2);
    let calls = world.take();
    eventually("four beats", || world.store.database().renewals.len() >= 4);
    assert_eq!(
        world.host.heard().pings,
        1,
        "one sign is asked for at a time"
    );
    world.worker.sign_of_life();
    let late = world.host.hear("the report", |heard| {
        heard.events.iter().find_map(|event| match event {
            Event::Blocked { late_ms, .. } => Some(*late_ms),
            _ => None,
        })
    });
    assert!(late > 60, "{late}");
    assert!(world.complete(&calls[0]).is_empty());
    world.finish();
    assert_eq!(settled_ids(&world).len(), 1);
}

#[test]
fn a_wedged_host_loses_its_leases_in_the_end() {
    let world = World::new(
        Options {
            max_blocked_ms: 100.0,
            ..options()
        },
        1,
    );
    world.store.queue("work", 1, 2);
    let calls = world.take();
    assert_eq!(world.lost(), [calls[0].tasks[0].handle]);
    world.worker.stop(Some(0.0));
    world.finish();
}
