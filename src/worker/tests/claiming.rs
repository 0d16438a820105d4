//! What is claimed, held and handed back.

use std::time::Instant;

use super::*;
use crate::worker::outbox::Pending;
use crate::worker::state::State;

#[test]
fn tasks_held_by_foresight_go_back_when_no_slot_comes_free() {
    let world = World::new(
        Options {
            prefetch: None,
            ..options()
        },
        1,
    );
    world.store.queue("work", 100_000, 2);
    // Handlers that return at once make the worker hold tasks ready: the next comes back in the same crossing.
    let mut calls = world.take();
    let mut streak = 0;
    while streak < 100 {
        world.worker.sign_of_life();
        let call = calls.pop().expect("one call at a time");
        calls = world.complete(&call);
        streak = if calls.is_empty() { 0 } else { streak + 1 };
        if calls.is_empty() {
            calls = world.take();
        }
    }
    // The last one does not return.
    eventually("the release", || {
        !world.store.database().released.is_empty()
    });
    let claims = world.store.database().claims;
    let renewals = world.store.database().renewals.len();
    eventually("a beat", || {
        world.store.database().renewals.len() > renewals
    });
    assert_eq!(
        world.store.database().claims,
        claims,
        "and are not claimed again at once"
    );
    world.worker.stop(Some(0.0));
    world.finish();
}

/// What the rounds brought down that settled `count` tasks at once, with as many more queued.
fn rounds_after(store: FakeStore, count: u32) -> Vec<(usize, bool)> {
    let world = World::on(store, options(), count);
    world.store.queue("work", 2 * count as usize, 2);
    let calls = world.take();
    assert_eq!(calls.len(), count as usize);
    world.store.database().rounds.clear();
    let next = world.complete_all(&calls);
    let next = if next.is_empty() { world.take() } else { next };
    let rounds = world.store.database().rounds.clone();
    world.complete_all(&next);
    world.finish();
    assert_eq!(settled_ids(&world).len(), 2 * count as usize);
    rounds
}

#[test]
fn many_outcomes_and_a_claim_go_beside_each_other_where_two_rounds_may_be_under_way() {
    let two = rounds_after(FakeStore::two_at_once(), 40);
    assert_eq!(two, [(40, false), (0, true)]);
    let few = rounds_after(FakeStore::two_at_once(), 8);
    assert_eq!(few, [(8, true)]);
    let one_at_a_time = FakeStore::default();
    assert_eq!(rounds_after(one_at_a_time, 40), [(40, true)]);
}

#[test]
fn where_there_is_place_for_one_of_them_what_a_handler_waits_for_goes_first() {
    let mut state = State::new(&options(), 2);
    let complete = || Outcome::Complete {
        result: None,
        message: None,
    };
    for handle in 0..40 {
        state.outbox.push(Pending::new(handle, complete(), None));
    }
    let goes = |state: &State, another: bool| {
        let load = state.load(true, another, Instant::now());
        (load.outcomes, load.claim)
    };
    assert_eq!(goes(&state, true), (true, false), "the claim right behind");
    assert_eq!(goes(&state, false), (false, true));
    state.outbox.push(Pending::new(40, complete(), Some(7)));
    assert_eq!(goes(&state, false), (true, false));
}

#[test]
fn tasks_held_on_request_stay() {
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
    // Three beats are twice as long as the automatic setting would hold them.
    let renewals = world.store.database().renewals.len();
    eventually("three beats", || {
        world.worker.sign_of_life();
        world.store.database().renewals.len() >= renewals + 3
    });
    assert_eq!(world.store.database().released, Vec::<String>::new());
    assert_eq!(
        world.complete(&calls[0]).len(),
        1,
        "the next starts in the same crossing"
    );
    world.worker.stop(Some(0.0));
    world.finish();
}

#[test]
fn nothing_is_claimed_for_a_wedged_host() {
    let world = World::new(
        Options {
            max_run_ms: Some(30.0),
            ..options()
        },
        1,
    );
    world.store.queue("work", 2, 2);
    let calls = world.take();
    assert_eq!(world.lost(), [calls[0].tasks[0].handle]);
    eventually("the timeout's settlement", || {
        settled_ids(&world).len() == 1
    });
    let claims = world.store.database().claims;
    // Time itself is the subject: three polls pass.
    std::thread::sleep(Duration::from_millis(150));
    assert_eq!(
        world.store.database().claims,
        claims,
        "three polls have passed"
    );
    world.worker.sign_of_life();
    assert_eq!(world.take().len(), 1);
    world.worker.stop(Some(0.0));
    world.finish();
}

#[test]
fn what_is_announced_while_the_loop_goes_to_sleep_is_claimed() {
    // The loop asks a few times a turn, and the last time when it works out for how long to sleep.
    for asked in 0..12 {
        let world = World::new(
            Options {
                poll_interval_ms: 3_600_000.0,
                ..options()
            },
            1,
        );
        eventually("the first claim", || world.store.database().claims > 0);
        world.store.queue_when_asked(asked);
        let mut turns = 0;
        while world.store.is_to_queue() {
            turns += 1;
            let claims = world.store.database().claims;
            world
                .worker
                .register(&format!("other {turns}"), None, None, None);
            eventually("a claim", || {
                world.store.database().claims > claims || !world.store.is_to_queue()
            });
        }
        let calls = world.take();
        assert!(world.complete(&calls[0]).is_empty());
        world.finish();
    }
}

#[test]
fn claiming_rests_after_an_error_and_goes_on() {
    let world = World::new(options(), 1);
    let before = world.store.database().claims;
    world.store.database().claim_errors.extend([busy(), busy()]);
    world.store.queue("work", 1, 2);
    let began = std::time::Instant::now();
    assert_eq!(world.failure(Phase::Claim), busy());
    assert_eq!(world.failure(Phase::Claim), busy());
    let calls = world.take();
    assert!(
        began.elapsed() >= Duration::from_millis(450),
        "two rests of 250 ms, took {:?}",
        began.elapsed()
    );
    assert!(
        world.store.database().claims - before <= 8,
        "no flood of claims"
    );
    assert!(world.complete(&calls[0]).is_empty());
    world.finish();
}

#[test]
fn the_byte_budget_holds_and_a_payload_larger_than_it_runs_alone() {
    let world = World::new(
        Options {
            max_in_flight_bytes: Some(100.0),
            ..options()
        },
        10,
    );
    world.store.queue("work", 5, 40);
    world.store.queue("work", 1, 500);
    world.store.queue("work", 1, 40);
    let mut running = Vec::new();
    let mut done = 0;
    while done < 7 {
        if running.is_empty() {
            running = world.take();
        }
        let tasks = running.iter().flat_map(|call| &call.tasks);
        let bytes: usize = tasks.map(|task| task.task.payload.len()).sum();
        let alone = bytes == 500 && running.len() == 1;
        assert!(
            bytes <= 100 || alone,
            "{bytes} bytes in {} calls",
            running.len()
        );
        let call = running.remove(0);
        running.extend(world.complete(&call));
        done += 1;
    }
    world.finish();
    assert_eq!(settled_ids(&world).len(), 7);
}

#[test]
fn what_is_held_is_offered_the_slot_that_the_time_limit_frees() {
    let world = World::new(
        Options {
            max_run_ms: Some(50.0),
            prefetch: Some(4.0),
            ..options()
        },
        1,
    );
    world.store.queue("work", 2, 2);
    assert_eq!(world.take().len(), 1);
    world.lost();
    world.host.hear("an offer", |heard| {
        let offered = heard
            .events
            .iter()
            .any(|event| matches!(event, Event::Ready));
        offered.then_some(())
    });
    let held = world.worker.take();
    assert_eq!(held.len(), 1);
    world.complete(&held[0]);
    world.finish();
}
