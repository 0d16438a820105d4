//! A panic of ours in a turn ends the worker, and everyone who waits hears of it.

use super::*;
use crate::store::command::Reply;

const REQUEST: u32 = 7;

/// The settlement and a claim share a round, and telling the host of the claim panics.
#[test]
fn the_answer_of_a_round_is_told_though_the_turn_that_brings_it_panics() {
    let world = World::new(options(), 2);
    world.store.queue("work", 1, 2);
    let calls = world.take();
    world.store.add("work", 1, 2);
    world.host.panic_when_ready();
    let handle = calls[0].tasks[0].handle;
    world
        .worker
        .settle_one(REQUEST, handle, Report::Complete(handle, None));
    let answer = world
        .host
        .hear("the answer", |heard| heard.answers.remove(&REQUEST));
    assert!(matches!(answer, Ok(Reply::Row(_))), "{answer:?}");
    let run = world
        .host
        .hear("the end of run()", |heard| heard.answers.remove(&RUN));
    assert!(matches!(run, Err(Error::Internal(_))), "{run:?}");
    assert_eq!(settled_ids(&world).len(), 1);
}

#[test]
fn nothing_is_claimed_after_a_panic() {
    let world = World::new(options(), 1);
    world.host.panic_when_ready();
    world.store.queue("work", 1, 2);
    let run = world
        .host
        .hear("the end of run()", |heard| heard.answers.remove(&RUN));
    assert!(run.is_err());
    let claims = world.store.database().claims;
    world.store.queue("work", 1, 2);
    assert_eq!(world.store.database().claims, claims);
    assert!(world.worker.take().is_empty());
}
