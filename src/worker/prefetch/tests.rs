//! The governor on synthetic clocks.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::{BYTES_MAX, Completed, Governor, Prefetch, TASKS_MAX, WAIT_MS, bytes_left};

const NONE: Completed = Completed { calls: 0, tasks: 0 };
const ONE: Completed = Completed { calls: 1, tasks: 1 };

fn auto() -> Governor {
    Governor::new(Prefetch::Auto)
}

/// One slot that is never empty: a completion every `handler_ms` from `from_ms` on. Gives the time after.
fn run_one_slot(governor: &mut Governor, from_ms: f64, handler_ms: f64, tasks: u32) -> f64 {
    governor.observe(from_ms, NONE, 1);
    (1..=tasks).fold(from_ms, |_, task| {
        let now = from_ms + f64::from(task) * handler_ms;
        governor.observe(now, ONE, 1);
        now
    })
}

#[test]
fn auto_begins_at_zero() {
    assert_eq!(auto().target_tasks(0.0), 0);
    let mut governor = auto();
    governor.observe(1.0, ONE, 1);
    governor.observe(1.1, ONE, 1);
    assert_eq!(governor.target_tasks(1.1), 0);
}

#[test]
fn fixed_is_what_was_asked_for_whatever_happens() {
    let mut governor = Governor::new(Prefetch::Fixed(7));
    assert_eq!(governor.target_tasks(0.0), 7);
    governor.observe(0.0, NONE, 1);
    assert_eq!(governor.target_tasks(60_000.0), 7);
    assert_eq!(governor.extra_tasks(60_000.0, 3, BYTES_MAX), 4);
    assert_eq!(governor.extra_tasks(60_000.0, 9, 0), 0);
    assert_eq!(Governor::new(Prefetch::Fixed(0)).extra_tasks(0.0, 0, 0), 0);
}

#[test]
fn fast_handlers_are_given_what_they_use_up_in_ten_milliseconds() {
    for (handler_ms, target) in [(0.25, 40), (0.125, 80), (2.5, 4), (1.0 / 64.0, TASKS_MAX)] {
        let mut governor = auto();
        let now = run_one_slot(&mut governor, 0.0, handler_ms, 5_000);
        assert_eq!(
            governor.target_tasks(now),
            target,
            "handlers of {handler_ms} ms"
        );
    }
}

#[test]
fn handlers_of_microseconds_need_not_gather_milliseconds() {
    let mut governor = auto();
    let mut now = 0.0;
    for _ in 0..64 {
        governor.observe(now, NONE, 1);
        now += 0.02;
        governor.observe(now, ONE, 0);
        // The next claim.
        now += 0.5;
    }
    assert_eq!(governor.target_tasks(now), TASKS_MAX);
}

#[test]
fn it_grows_with_what_was_seen() {
    // Windows of 20 completions, 5 ms each.
    let mut governor = auto();
    let mut now = 0.0;
    for target in [13, 26, 40, 40] {
        now = run_one_slot(&mut governor, now, 0.25, 20);
        assert_eq!(governor.target_tasks(now), target, "at {now} ms");
    }
}

#[test]
fn handlers_of_more_than_ten_milliseconds_are_given_nothing() {
    let mut governor = auto();
    governor.observe(0.0, NONE, 1);
    for task in 1..=200 {
        let now = f64::from(task) * 10.01;
        governor.observe(now, ONE, 1);
        assert_eq!(governor.target_tasks(now), 0, "at {now} ms");
    }
}

#[test]
fn slow_handlers_are_given_nothing_however_many_run_at_once() {
    let mut governor = auto();
    governor.observe(0.0, NONE, 100);
    for tick in 1..2_000 {
        let now = f64::from(tick) * 0.5;
        governor.observe(now, ONE, 100);
        assert_eq!(
            governor.target_tasks(now),
            0,
            "handlers of 50 ms, two ending each ms"
        );
    }
}

#[test]
fn a_look_between_completions_changes_nothing() {
    let mut governor = auto();
    governor.observe(0.0, NONE, 1);
    for task in 0..30 {
        let start = f64::from(task) * 4.0;
        governor.observe(start + 1.5, NONE, 1);
        governor.observe(start + 4.0, ONE, 1);
    }
    assert_eq!(governor.target_tasks(120.0), 2);
}

#[test]
fn the_tasks_of_a_batch_count_one_by_one() {
    let mut governor = auto();
    governor.observe(0.0, NONE, 1);
    for call in 1..20 {
        let five = Completed { calls: 1, tasks: 5 };
        governor.observe(f64::from(call) * 2.5, five, 1);
    }
    assert_eq!(governor.target_tasks(47.5), 20);
}

#[test]
fn a_burst_raises_nothing() {
    // 256 handlers of a second end together; then 256 more run.
    let mut governor = auto();
    governor.observe(0.0, NONE, 256);
    for second in 1..5 {
        for call in 0..256 {
            governor.observe(
                f64::from(second) * 1000.0 + f64::from(call) * 0.01,
                ONE,
                256,
            );
        }
        assert_eq!(governor.target_tasks(f64::from(second) * 1000.0 + 3.0), 0);
        assert_eq!(governor.target_tasks(f64::from(second) * 1000.0 + 500.0), 0);
    }
}

#[test]
fn silence_while_handlers_run_ends_it() {
    let mut governor = auto();
    let now = run_one_slot(&mut governor, 0.0, 0.25, 1_000);
    assert_eq!(governor.target_tasks(now + 9.0), 40);
    assert_eq!(governor.target_tasks(now + 10.5), 0);
    // One completion does not bring it back; it has to grow again.
    governor.observe(now + 11.0, ONE, 1);
    governor.observe(now + 11.25, ONE, 1);
    assert_eq!(governor.target_tasks(now + 11.25), 0);
    let now = run_one_slot(&mut governor, now + 11.25, 0.25, 1_000);
    assert_eq!(governor.target_tasks(now), 40);
}

#[test]
fn waiting_for_the_database_is_not_the_handlers_slowness() {
    // Each round: 20 tasks in 2 ms, then 30 ms in which the next claim is under way and nothing runs.
    let mut governor = auto();
    for round in 0..50 {
        let start = f64::from(round) * 32.0;
        run_one_slot(&mut governor, start, 0.125, 15);
        governor.observe(start + 2.0, ONE, 0);
        let after_claim = start + 31.0;
        let expected = if round < 12 { 0..=80 } else { 80..=80 };
        assert!(
            expected.contains(&governor.target_tasks(after_claim)),
            "round {round}"
        );
    }
}

#[test]
fn a_rate_is_forgotten_when_nothing_has_run_for_a_while() {
    let mut governor = auto();
    let now = run_one_slot(&mut governor, 0.0, 0.25, 1_000);
    governor.observe(now + 0.25, ONE, 0);
    assert_eq!(governor.target_tasks(now + 90.0), 40);
    assert_eq!(governor.target_tasks(now + 110.0), 0);
    governor.observe(now + 110.0, NONE, 1);
    governor.observe(now + 110.25, ONE, 1);
    assert_eq!(governor.target_tasks(now + 110.25), 0);
}

#[test]
fn a_clock_that_steps_back_does_no_harm() {
    let mut governor = auto();
    let now = run_one_slot(&mut governor, 1_000.0, 0.25, 1_000);
    governor.observe(now - 500.0, ONE, 1);
    assert!(governor.target_tasks(now - 500.0) <= TASKS_MAX);
    let now = run_one_slot(&mut governor, now - 500.0, 2.5, 100);
    assert_eq!(
        governor.target_tasks(now),
        4,
        "the time stepped back over is not waited for"
    );
}

#[test]
fn large_payloads_are_held_up_to_the_byte_cap() {
    let mut governor = auto();
    let now = run_one_slot(&mut governor, 0.0, 1.0 / 64.0, 5_000);
    assert_eq!(
        governor.extra_tasks(now, 0, 0),
        TASKS_MAX,
        "small until seen otherwise"
    );
    governor.claimed(4, 200_000);
    assert_eq!(governor.extra_tasks(now, 0, 0), 80);
    assert_eq!(governor.extra_tasks(now, 60, 3_000_000), 20);
    assert_eq!(governor.extra_tasks(now, 80, BYTES_MAX + 1), 0);
    governor.claimed(0, 0);
    assert_eq!(
        governor.extra_tasks(now, 0, 0),
        80,
        "an empty claim says nothing about sizes"
    );
    for _ in 0..100 {
        governor.claimed(10, 200);
    }
    assert_eq!(governor.extra_tasks(now, 0, 0), TASKS_MAX);
    assert_eq!(bytes_left(1_000_000), 3_000_000);
}

#[test]
fn what_is_held_already_counts() {
    let mut governor = auto();
    let now = run_one_slot(&mut governor, 0.0, 0.25, 1_000);
    assert_eq!(governor.extra_tasks(now, 15, 0), 25);
    assert_eq!(governor.extra_tasks(now, 41, 0), 0);
}

/// Plays a worker whose queue never ends; held tasks are topped up at every completion. Gives how long the
/// tasks that were held waited.
fn waits_of_held_tasks(slots: u32, handler_ms: f64, jitter: &[f64], tasks: u32) -> Vec<f64> {
    let mut governor = auto();
    let mut jitter = jitter.iter().cycle();
    let mut duration = || handler_ms * jitter.next().expect("some jitter");
    let mut ends: Vec<f64> = (0..slots).map(|_| duration()).collect();
    let mut held: VecDeque<f64> = VecDeque::new();
    let mut waits = Vec::new();
    governor.observe(0.0, NONE, slots);
    for _ in 0..tasks {
        let slot = (0..ends.len())
            .min_by(|&a, &b| ends[a].total_cmp(&ends[b]))
            .expect("a slot");
        let now = ends[slot];
        governor.observe(now, ONE, slots);
        if let Some(since) = held.pop_front() {
            waits.push(now - since);
        }
        ends[slot] = now + duration();
        let count = u32::try_from(held.len()).expect("few");
        let extra = governor.extra_tasks(now, count, 0);
        held.extend((0..extra).map(|_| now));
    }
    waits
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn held_tasks_start_within_about_ten_milliseconds(
        slots in 1..16_u32,
        handler_ms in 0.02..40.0_f64,
        jitter in prop::collection::vec(0.7..1.3_f64, 1..20),
    ) {
        let waits = waits_of_held_tasks(slots, handler_ms, &jitter, 3_000);
        let longest = waits.into_iter().fold(0.0, f64::max);
        // When slots end in step, or the next handler is the slow one, that handler comes on top. A rate is that of some
        // sixteen calls, and so is as exact as their mean.
        let handler = handler_ms * jitter.iter().copied().fold(0.0, f64::max);
        prop_assert!(
            longest <= 1.1 * WAIT_MS + 1.2 * handler,
            "one waited {longest} ms behind {handler} ms"
        );
    }

    #[test]
    fn one_slot_of_slow_handlers_holds_nothing_however_often_it_is_observed(
        handlers_ms in prop::collection::vec(10.01..500.0_f64, 1..60),
        looks in prop::collection::vec(0.0..1.0_f64, 1..60),
        idle_ms in prop::collection::vec(0.0..200.0_f64, 1..60),
    ) {
        let mut governor = auto();
        let mut now = 0.0;
        for (at, handler_ms) in handlers_ms.iter().enumerate() {
            governor.observe(now, NONE, 1);
            let look = now + handler_ms * looks[at % looks.len()];
            governor.observe(look, NONE, 1);
            prop_assert_eq!(governor.target_tasks(look), 0);
            now += handler_ms;
            governor.observe(now, ONE, 0);
            prop_assert_eq!(governor.target_tasks(now), 0);
            now += idle_ms[at % idle_ms.len()];
        }
    }

    #[test]
    fn the_target_never_exceeds_its_maximum(
        events in prop::collection::vec((0.0..20.0_f64, 0..5_000_u32, 0..3_u32), 1..200),
    ) {
        let mut governor = auto();
        let mut now = 0.0;
        for (after_ms, tasks, running) in events {
            now += after_ms;
            governor.observe(now, Completed { calls: tasks, tasks }, running);
            prop_assert!(governor.target_tasks(now) <= TASKS_MAX);
        }
    }
}
