//! A task that an idle worker takes from the submit that writes it.

use super::*;
use crate::store::Backend;
use crate::store::command::NewTask;
use crate::store::handoff::Place;
use crate::store::submitted::claimed_row;
use crate::worker::REPLACED_CLAIM;

fn new_task(name: &str) -> NewTask {
    NewTask {
        id: format!("task_{name}").into(),
        ..NewTask::named(name)
    }
}

impl World {
    fn place_for(&self, new: &NewTask) -> Option<Place> {
        self.store.wakes().place_for(new)
    }

    /// A place for `new`, once the worker has found that nothing waits.
    fn place_of(&self, new: &NewTask) -> Place {
        let mut place = None;
        eventually("a place", || {
            place = self.place_for(new);
            place.is_some()
        });
        place.expect("just found")
    }

    fn place(&self) -> Place {
        self.place_of(&new_task("work"))
    }

    /// Runs what is there, and ends.
    fn finish_all(&self) {
        for call in self.take() {
            self.complete(&call);
        }
        self.finish();
    }
}

fn fill(place: Place) {
    let task = claimed_row(new_task("work"), (1, 1), place.owner());
    place.fill(task.into());
}

/// Handlers that are slow to come back, so that what is free stays so.
fn patient() -> Options {
    Options {
        poll_interval_ms: 3_600_000.0,
        lease_ms: 3_600_000.0,
        heartbeat_interval_ms: 3_600_000.0,
        ..options()
    }
}

#[test]
fn an_idle_worker_runs_what_is_written_for_it_and_claims_nothing() {
    let world = World::new(patient(), 1);
    let place = world.place();
    assert_eq!(place.owner().worker_id, "worker_test");
    let claims = world.store.database().claims;
    fill(place);
    let calls = world.take();
    assert_eq!(&*calls[0].tasks[0].task.id, "task_work");
    assert_eq!(calls[0].tasks[0].task.attempt, 1);
    assert_eq!(world.store.database().claims, claims);
    world.complete(&calls[0]);
    world.finish();
    assert_eq!(settled_ids(&world), ["task_work"]);
}

#[test]
fn a_place_is_a_slot_until_it_is_given_back() {
    let world = World::new(patient(), 1);
    let place = world.place();
    assert!(world.place_for(&new_task("work")).is_none());
    world.store.queue("work", 1, 2);
    assert!(world.worker.take().is_empty(), "the slot is spoken for");
    drop(place);
    let calls = world.take();
    assert_eq!(calls.len(), 1, "what came meanwhile has it now");
    world.complete(&calls[0]);
    world.finish();
}

#[test]
fn a_claim_that_meets_what_was_just_handed_over_is_made_up_for() {
    let world = World::new(patient(), 4);
    world.worker.register("narrow", None, Some(1), None);
    world.store.queue("narrow", 2, 2);
    let first = world.take();
    assert_eq!(first.len(), 1, "as many as its ceiling allows");
    let place = world.place();
    // The slot of the other name comes free while the host has not taken what was handed over.
    world.store.before_claim(move || fill(place));
    assert!(world.complete(&first[0]).is_empty());
    assert_eq!(&*world.take()[0].name, "work");
    assert_eq!(&*world.take()[0].name, "narrow");
    world.worker.stop(Some(0.0));
    world.finish();
}

#[test]
fn a_stopped_worker_hands_back_what_is_written_for_it() {
    let world = World::new(patient(), 1);
    let place = world.place();
    world.worker.stop(None);
    assert!(world.place_for(&new_task("work")).is_none());
    assert!(world.host.heard().answers.is_empty(), "run() goes on");
    fill(place);
    eventually("the release", || {
        world.store.database().released == ["task_work"]
    });
    world.finish();
}

#[test]
fn a_place_that_is_given_back_ends_a_stopped_worker() {
    let world = World::new(patient(), 1);
    let place = world.place();
    world.worker.stop(None);
    drop(place);
    world.finish();
}

#[test]
fn only_what_would_be_claimed_at_once_finds_a_place() {
    let world = World::new(patient(), 3);
    // Kept, so that the worker goes on standing idle: one that is given back makes it look once more.
    let place = world.place();
    let foreign = new_task("foreign");
    let elsewhere = new_task("work").with(|args| args.queue = "elsewhere".to_owned());
    let keyed = new_task("work").with(|args| args.key = Some("key".to_owned()));
    let delayed = new_task("work").with(|args| args.run_at_delay_ms = 1);
    for new in [foreign, elsewhere, keyed, delayed] {
        assert!(world.place_for(&new).is_none(), "{new:?}");
    }
    world.worker.replaced(REPLACED_CLAIM);
    assert!(world.place_for(&new_task("work")).is_none());
    world.worker.replaced(0);
    assert!(world.place_for(&new_task("work")).is_some());
    fill(place);
    world.finish_all();
}

#[test]
fn ceilings_hold_for_places() {
    let resources = BTreeMap::from([("gpu".to_owned(), 1)]);
    let options = Options {
        resources,
        ..patient()
    };
    let world = World::new(options, 8);
    world.worker.register("narrow", None, Some(1), None);
    world.worker.register("trains", None, None, Some("gpu"));
    world.worker.register("embeds", None, None, Some("gpu"));
    let narrow = world.place_of(&new_task("narrow"));
    assert!(world.place_for(&new_task("narrow")).is_none());
    let trains = world.place_of(&new_task("trains"));
    assert!(world.place_for(&new_task("embeds")).is_none());
    assert!(world.place_for(&new_task("work")).is_some());
    drop((narrow, trains));
    drop(world.place_of(&new_task("embeds")));
    world.finish();
}

#[test]
fn while_a_byte_budget_is_spent_in_part_nothing_finds_a_place() {
    let options = Options {
        max_in_flight_bytes: Some(100.0),
        ..patient()
    };
    let world = World::new(options, 8);
    // Alone it may pass the budget.
    let large = world.place_of(&NewTask {
        payload: "x".repeat(500).into(),
        ..new_task("work")
    });
    assert!(world.place_for(&new_task("work")).is_none());
    drop(large);
    let small = world.place();
    assert!(
        world.place_for(&new_task("work")).is_none(),
        "something larger may wait for the rest"
    );
    drop(small);
    world.finish();
}
