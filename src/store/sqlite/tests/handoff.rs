//! Submits whose tasks are claimed in the transaction that writes them.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use super::{DEADLINE, Place, count, hold, one, owner, run};
use crate::model::Status;
use crate::protocol::MigrateTo;
use crate::store::Backend;
use crate::store::claimed::ClaimedTask;
use crate::store::command::{Command, NewTask};
use crate::store::handoff::{Listener, Place as Slot};
use crate::store::wakes::Subscription;

/// A worker that has a place for everything, and what it was given.
struct Idle {
    taken: Mutex<Sender<Option<ClaimedTask>>>,
}

impl Listener for Idle {
    fn told(&self) {}

    fn place_for(&self, _: &NewTask) -> Option<Slot> {
        let taken = self.taken.lock().expect("no panic").clone();
        Some(Slot::new(owner(), move |task| {
            taken.send(task).expect("a listener");
        }))
    }
}

fn idle_worker(store: &dyn Backend) -> (Arc<Subscription>, Receiver<Option<ClaimedTask>>) {
    let (sender, taken) = channel();
    let listener = Idle {
        taken: Mutex::new(sender),
    };
    let queues = ["default".to_owned()];
    (store.wakes().subscribe_with(&queues, listener), taken)
}

fn submit(name: &str) -> Command {
    Command::Submit(Box::new(NewTask::named(name)))
}

#[test]
fn a_lone_submit_is_claimed_where_it_is_written() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    // Of another store on the same file.
    let other = place.opened(MigrateTo::Default);
    let (_subscription, taken) = idle_worker(&other);
    let answered = one(run(store.execute(submit("lone"))).expect("written")).expect("a row");
    assert_eq!((answered.status, answered.attempt), (Status::Queued, 0));
    // The caller is answered first.
    let told = taken.recv_timeout(DEADLINE).expect("told");
    let task = told.expect("a task");
    assert_eq!(*task.id, *answered.id);
    assert_eq!(task.attempt, 1);
    let claimed = "select count(*) from cairnq_tasks where status = 'running' and attempt = 1
        and worker_id is not null and lease_until_ms > created_at_ms and updated_at_ms = created_at_ms";
    assert_eq!(count(&place.peer(), claimed), 1);
}

#[test]
fn in_company_a_submit_is_queued() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let (_subscription, taken) = idle_worker(&store);
    let held = hold(&store);
    let both = [
        store.execute(submit("first")),
        store.execute(submit("second")),
    ];
    held.release();
    for one in both {
        run(one).expect("written");
    }
    assert!(taken.try_recv().is_err());
    let queued = "select count(*) from cairnq_tasks where status = 'queued'";
    assert_eq!(count(&place.peer(), queued), 2);
}

#[test]
fn the_place_of_what_cannot_be_written_is_given_back() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let first = one(run(store.execute(submit("first"))).expect("written")).expect("a row");
    let (_subscription, taken) = idle_worker(&store);
    let mut clash = NewTask::named("clash");
    clash.id = first.id.into();
    let command = Command::Submit(Box::new(clash));
    run(store.execute(command)).expect_err("the id is taken");
    assert!(taken.recv_timeout(DEADLINE).expect("told").is_none());
}
