//! What must hold in every world. The checks that hold at every session (ceilings, one draw per source,
//! agreement with the model) are made by [`World::claim`].

use proptest::prelude::*;

use super::world::{Config, Step, World, any_config, any_steps};

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn every_session_agrees_with_the_model_and_keeps_every_ceiling(
        config in any_config(),
        steps in any_steps(),
    ) {
        let mut world = World::new(config);
        for step in &steps {
            world.apply(step);
        }
    }

    #[test]
    fn no_source_is_passed_over_more_often_than_there_are_others(
        config in any_config(),
        steps in any_steps(),
        prefetch in prop_oneof![Just(0), 1..20_u32],
    ) {
        let mut world = World::new(config);
        world.prefetch = prefetch;
        // Everything has work at any time, so that every source competes with every other.
        world.queued.fill(1_000_000);
        for step in &steps {
            world.apply(step);
            let others = world.sources.len() - 1;
            for (source, &times) in world.passed_over.iter().enumerate() {
                prop_assert!(times <= others, "source {source} was passed over {times} times");
            }
        }
    }

    #[test]
    fn no_source_is_passed_over_for_long_when_queues_run_dry_and_fill(
        config in any_config(),
        steps in any_steps(),
    ) {
        let mut world = World::new(config);
        for step in &steps {
            world.apply(step);
            let others = world.sources.len() - 1;
            prop_assert!(world.passed_over.iter().all(|&times| times <= others));
        }
    }

    #[test]
    fn no_slot_stays_free_while_something_could_run(config in any_config(), steps in any_steps()) {
        let mut world = World::new(config);
        for step in &steps {
            world.apply(step);
            if matches!(step, Step::Claim) {
                while world.claim().iter().any(|got| got.rows > 0) {}
                let runnable = (0..world.sources.len())
                    .find(|&source| world.queued_of(source) > 0 && world.has_own_room(source));
                let all_busy = world.running() == world.config.concurrency;
                prop_assert!(all_busy || runnable.is_none(), "source {runnable:?} could run");
            }
        }
    }

    #[test]
    fn a_session_not_worth_repeating_left_nothing_for_a_free_slot(
        config in any_config(),
        steps in any_steps(),
    ) {
        let mut world = World::new(config);
        for step in &steps {
            world.apply(step);
            if matches!(step, Step::Claim) && !world.worth_repeating {
                let running = world.running();
                world.claim();
                prop_assert_eq!(world.running(), running, "the repeated session filled a slot");
            }
        }
    }

    #[test]
    fn a_session_worth_repeating_fills_a_slot_when_there_is_more(
        config in any_config(),
        steps in any_steps(),
    ) {
        let mut world = World::new(config);
        world.queued.fill(1_000_000);
        for step in &steps {
            world.apply(step);
            if matches!(step, Step::Claim) && world.worth_repeating {
                let running = world.running();
                world.claim();
                prop_assert!(world.running() > running);
            }
        }
    }

    #[test]
    fn everything_queued_runs_in_the_end(config in any_config(), steps in any_steps(), prefetch in 0..20_u32) {
        let mut world = World::new(config);
        for step in &steps {
            world.apply(step);
        }
        world.prefetch = prefetch;
        let work = |world: &World| world.queued.iter().sum::<u32>() + tasks_in_flight(world);
        let mut left = work(&world);
        while left > 0 {
            world.claim();
            world.apply(&Step::Finish(0));
            let now = work(&world);
            prop_assert!(now < left, "a round in which nothing ran");
            left = now;
        }
    }
}

fn tasks_in_flight(world: &World) -> u32 {
    world.calls.iter().map(|call| call.tasks).sum()
}

/// The worlds above must be able to tell: each kind of ceiling binds in some of them.
#[test]
fn the_worlds_reach_every_ceiling() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let [mut slots, mut names, mut resources, mut held] = [0_u32; 4];
    for _ in 0..300 {
        let tree = (any_config(), any_steps())
            .new_tree(&mut runner)
            .expect("a world");
        let (config, steps): (Config, Vec<Step>) = tree.current();
        let mut world = World::new(config);
        for step in &steps {
            world.apply(step);
            slots += u32::from(world.running() == world.config.concurrency);
            held += u32::from(world.held_tasks() > 0);
            names += u32::from(
                world
                    .config
                    .names
                    .iter()
                    .enumerate()
                    .any(|(name, rules)| rules.concurrency == Some(world.calls_of_name(name))),
            );
            resources += u32::from(
                (0..world.config.capacity.len())
                    .any(|r| world.calls_of_resource(r) == world.config.capacity[r]),
            );
        }
    }
    for (what, times) in [
        ("slots", slots),
        ("names", names),
        ("resources", resources),
        ("held", held),
    ] {
        assert!(times > 100, "{what} bound in {times} steps only");
    }
}
