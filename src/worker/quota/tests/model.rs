//! The scheduler once more, slow and obvious: every question is answered by counting the calls there are,
//! and a draw grows by one call as long as nothing forbids it.

use super::world::{Got, World};

/// Calls a session has drawn for a source so far.
struct Drawn {
    source: usize,
    calls: u32,
    rows: u32,
}

/// What the next session must draw, in order. Touches nothing but the model's own memory.
pub fn session(world: &mut World) -> Vec<Got> {
    let mut drawn: Vec<Drawn> = Vec::new();
    let mut got = Vec::new();
    for source in world.model_order.clone() {
        if slots_left(world, &drawn) == 0 && tasks_to_hold(world, &drawn) == 0 {
            break;
        }
        let calls = calls_to_ask(world, &drawn, source);
        if calls == 0 {
            continue;
        }
        let batch = world.sources[source].batch();
        let limit_rows = calls * batch;
        let rows = limit_rows.min(world.queued_of(source));
        let mut left = rows;
        let mut made = 0;
        while left > 0 {
            left -= left.min(batch);
            made += 1;
        }
        drawn.push(Drawn {
            source,
            calls: made,
            rows,
        });
        got.push(Got {
            source,
            limit_rows,
            rows,
        });
    }
    for one in got.iter().filter(|one| one.rows > 0) {
        world.model_order.retain(|&source| source != one.source);
        world.model_order.push(one.source);
    }
    got
}

fn calls_to_ask(world: &World, drawn: &[Drawn], source: usize) -> u32 {
    let slots = slots_left(world, drawn);
    let hold = tasks_to_hold(world, drawn);
    let batch = world.sources[source].batch();
    let into_slots = largest(|calls| calls <= slots && own_allows(world, drawn, source, calls));
    let with_held = largest(|calls| calls <= slots || (calls - slots) * batch <= hold);
    let calls = if own_allows(world, drawn, source, with_held) {
        with_held
    } else {
        into_slots
    };
    let its_turn = slots == 0 && hold > 0 && own_allows(world, drawn, source, 1);
    let calls = if calls == 0 && its_turn { 1 } else { calls };
    match world.config.claim_batch {
        Some(most) => calls.min(1.max(largest(|calls| calls * batch <= most))),
        None => calls,
    }
}

fn own_allows(world: &World, drawn: &[Drawn], source: usize, calls: u32) -> bool {
    let name = world.sources[source].names()[0];
    let rules = world.config.names[name];
    let name_fits = rules
        .concurrency
        .is_none_or(|most| world.calls_of_name(name) + calls <= most);
    let resource_fits = rules.resource.is_none_or(|resource| {
        let this_session: u32 = drawn
            .iter()
            .filter(|one| world.sources[one.source].resource() == Some(resource))
            .map(|one| one.calls)
            .sum();
        world.calls_of_resource(resource) + this_session + calls <= world.config.capacity[resource]
    });
    name_fits && resource_fits
}

fn slots_left(world: &World, drawn: &[Drawn]) -> u32 {
    let asked: u32 = drawn.iter().map(|one| one.calls).sum();
    (world.running() + asked..world.config.concurrency)
        .count()
        .try_into()
        .expect("few slots")
}

/// Walks the drawn calls in order: the first ones find a slot, the tasks of the others are held.
fn tasks_to_hold(world: &World, drawn: &[Drawn]) -> u32 {
    let mut running = world.running();
    let mut held = world.held_tasks();
    for one in drawn {
        let mut left = one.rows;
        while left > 0 {
            let tasks = left.min(world.sources[one.source].batch());
            left -= tasks;
            if running < world.config.concurrency {
                running += 1;
            } else {
                held += tasks;
            }
        }
    }
    world.prefetch.saturating_sub(held)
}

fn largest(fits: impl Fn(u32) -> bool) -> u32 {
    (1..=1_000)
        .take_while(|&calls| fits(calls))
        .last()
        .unwrap_or(0)
}
