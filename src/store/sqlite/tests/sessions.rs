//! Claim sessions whose draws come from outside: what they keep from others, and how they end.

use super::{Place, claim, count, run, scope, submit};
use crate::protocol::MigrateTo;
use crate::store::command::{Command, NewTask};
use crate::store::{Backend, ClaimSession};

fn open(store: &super::SqliteStore) -> Box<dyn ClaimSession> {
    run(store.open_claim(scope(&["default"], None)))
        .expect("opened")
        .expect("something is due")
}

const RUNNING: &str = "select count(*) from cairnq_tasks where status = 'running'";

#[test]
fn nothing_is_claimed_before_it_is_closed() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    for _ in 0..3 {
        submit(&store, "due").expect("written");
    }
    let names = || vec!["due".to_owned()];
    let mut session = open(&store);
    assert_eq!(run(session.draw(names(), 2)).expect("drawn").len(), 2);
    assert_eq!(run(session.draw(names(), 0)).expect("drawn").len(), 0);
    assert_eq!(run(session.draw(names(), -1)).expect("drawn").len(), 0);
    assert_eq!(run(session.draw(Vec::new(), 2)).expect("drawn").len(), 0);
    assert_eq!(count(&place.peer(), RUNNING), 0);
    run(session.close(true)).expect("committed");
    assert_eq!(count(&place.peer(), RUNNING), 2);
}

#[test]
fn a_session_given_up_claims_nothing_and_lets_others_write() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    submit(&store, "due").expect("written");
    let names = || vec!["due".to_owned()];
    let mut session = open(&store);
    run(session.draw(names(), 1)).expect("drawn");
    let waits = store.execute(Command::Submit(Box::new(NewTask::named("waits"))));
    run(session.close(false)).expect("rolled back");
    run(waits).expect("written");
    let mut session = open(&store);
    run(session.draw(names(), 1)).expect("drawn");
    drop(session);
    assert_eq!(claim(&store, 9).len(), 2);
}

#[test]
fn a_silent_session_is_ended_and_says_so() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    submit(&store, "due").expect("written");
    let session = open(&store);
    submit(&store, "comes through once the session was silent for long").expect("written");
    let error = run(session.close(true)).unwrap_err();
    assert!(error.to_string().contains("rolled back"), "{error}");
    assert_eq!(count(&place.peer(), RUNNING), 0);
}

#[test]
fn no_session_is_opened_when_nothing_is_due() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let opened = run(store.open_claim(scope(&["default"], None))).expect("asked");
    assert!(opened.is_none());
}
