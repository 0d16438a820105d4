use super::*;

fn told(wakes: &Wakes, task_id: &str) -> std::sync::mpsc::Receiver<bool> {
    let (sender, receiver) = std::sync::mpsc::channel();
    wakes.when_done(task_id, move |ended| {
        sender
            .send(matches!(ended, End::Ended(_)))
            .expect("a listener");
    });
    receiver
}

#[test]
fn an_end_before_the_waiter_comes_is_remembered_for_who_said_it_would() {
    let wakes = Wakes::default();
    wakes.expect("expected");
    wakes.done("expected");
    wakes.done("unexpected");
    assert_eq!(told(&wakes, "expected").try_recv(), Ok(true));
    assert!(told(&wakes, "unexpected").try_recv().is_err());
    // Once: the next waiter of the same task reads it.
    assert!(told(&wakes, "expected").try_recv().is_err());
}

#[test]
fn a_look_at_the_database_covers_who_is_about_to_come() {
    let wakes = Wakes::default();
    wakes.expect("expected");
    assert_eq!(wakes.awaited_ids(), ["expected"]);
    let waiter = told(&wakes, "expected");
    assert_eq!(wakes.awaited_ids(), ["expected"]);
    wakes.done("expected");
    assert_eq!(waiter.try_recv(), Ok(true));
    assert!(wakes.awaited_ids().is_empty());
}

#[test]
fn who_gives_up_is_told_once() {
    let wakes = Wakes::default();
    let (sender, receiver) = std::sync::mpsc::channel();
    let number = wakes.when_done("task", move |end| sender.send(end).expect("a listener"));
    wakes.give_up("task", number);
    wakes.give_up("task", number);
    wakes.done("task");
    assert!(matches!(
        receiver.iter().collect::<Vec<_>>()[..],
        [End::GivenUp]
    ));
}

#[test]
fn waiters_give_up_each_in_its_time() {
    let wakes = Arc::new(Wakes::default());
    let (sender, receiver) = std::sync::mpsc::channel();
    let wait = |task_id: &'static str, ms| {
        let sender = sender.clone();
        wakes.when_done_within(task_id, Duration::from_millis(ms), move |end| {
            let ended = matches!(end, End::Ended(_));
            sender.send((task_id, ended)).expect("a listener");
        });
    };
    wait("patient", 3_600_000);
    wait("last", 60);
    // Sooner than whatever the timer sleeps for.
    wait("first", 1);
    wait("ended", 2);
    wakes.done("ended");
    let patience = Duration::from_secs(5);
    let mut told: Vec<_> = (0..3)
        .map_while(|_| receiver.recv_timeout(patience).ok())
        .collect();
    told.sort_unstable();
    assert_eq!(told, [("ended", true), ("first", false), ("last", false)]);
    // And again once the timer has come to its end.
    wakes.done("patient");
    assert_eq!(receiver.recv_timeout(patience), Ok(("patient", true)));
    wait("again", 1);
    assert_eq!(receiver.recv_timeout(patience), Ok(("again", false)));
}
