//! Submits whose tasks are claimed by the statement that writes them.

use std::sync::{Arc, Mutex};

use cairnq_native::store::Backend as _;
use cairnq_native::store::answer::Answer;
use cairnq_native::store::command::NewTask;
use cairnq_native::store::handoff::{Listener, Place};
use sqlx::Executor as _;
use tokio::sync::{mpsc, oneshot};

use super::proxy::Mode;
use super::support::*;

/// A worker with one place, which says whether a task came into it.
struct Idle(Mutex<Option<oneshot::Sender<bool>>>);

impl Listener for Idle {
    fn told(&self) {}

    fn place_for(&self, _: &NewTask) -> Option<Place> {
        let filled = self.0.lock().expect("no panic").take()?;
        Some(Place::new(owner("idle"), move |task| {
            filled.send(task.is_some()).expect("a listener");
        }))
    }
}

#[test]
fn a_task_whose_insert_went_unanswered_goes_back_to_the_queue() {
    World::run(|world| async move {
        let (proxy, store) = world.proxied().await;
        // Has the connection know the statement: it is to be sent in one piece.
        submit(&store, NewTask::named("before"))
            .await
            .expect("submit");
        let (sender, filled) = oneshot::channel();
        let listener = Idle(Mutex::new(Some(sender)));
        let _subscription = store
            .wakes()
            .subscribe_with(&["default".to_owned()], listener);

        let mut locker = world.connection().await;
        locker
            .execute("begin; lock table cairnq_tasks in access exclusive mode")
            .await
            .expect("locked");
        let proxy = Arc::new(proxy);
        let (answers, mut answered) = mpsc::unbounded_channel();
        let network = Arc::clone(&proxy);
        let answer = Answer::new(move |outcome| {
            // Before anything else is tried.
            network.set(Mode::Pass);
            answers.send(outcome).expect("a listener");
        });
        store.submit_for(vec![(NewTask::named("handed"), answer)]);
        until("the insert waits for the lock", async || {
            world
                .number(
                    "select count(*) from pg_stat_activity
                    where datname = current_database() and wait_event_type = 'Lock'",
                )
                .await
                == 1
        })
        .await;
        proxy.set(Mode::SwallowAnswers);
        locker.execute("commit").await.expect("unlocked");
        until("the task is written and claimed", async || {
            world
                .number("select count(*) from cairnq_tasks where status = 'running' and worker_id = 'idle'")
                .await
                == 1
        })
        .await;
        proxy.set(Mode::Cut);

        let outcome = within("the answer", answered.recv()).await.expect("given");
        assert!(
            matches!(&outcome, Err(error) if error.is_passing()),
            "{outcome:?}"
        );
        assert!(
            !within("the place", filled).await.expect("told"),
            "nobody runs it"
        );
        let back = "select count(*) from cairnq_tasks where name = 'handed' and status = 'queued' and attempt = 0
            and worker_id is null and lease_until_ms is null";
        until("the task is back", async || world.number(back).await == 1).await;
    });
}
