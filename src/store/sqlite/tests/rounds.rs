//! A worker's round as a member of a group: its parts fail alone, and it is answered in every case.

use futures_util::future::join_all;

use super::super::jobs::RoundJob;
use super::{Place, claim, count, get, hold, owner, run, submit};
use crate::error::{Error, Result};
use crate::model::Status;
use crate::protocol::MigrateTo;
use crate::store::Backend;
use crate::store::answer::Answer;
use crate::store::claimed::ClaimedTask;
use crate::store::command::{Command, NewTask, Outcome};
use crate::store::round::{ClaimPlan, Draw, Planner, Round, Settled, Settlement};

/// Draws one task of each name.
struct OneOfEach {
    names: Vec<&'static str>,
    next: usize,
    rows: usize,
}

impl Planner for OneOfEach {
    fn next_draw(&mut self) -> Option<Draw> {
        let name = *self.names.get(self.next)?;
        self.next += 1;
        Some(Draw {
            names: vec![name.to_owned()],
            limit: 1,
            max_bytes: None,
            oversize_first: true,
        })
    }

    fn record(&mut self, rows: Vec<ClaimedTask>) {
        self.rows += rows.len();
    }

    fn restart(&mut self) {
        (self.next, self.rows) = (0, 0);
    }

    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any + Send> {
        self
    }
}

#[test]
fn a_claim_that_fails_takes_nothing_and_leaves_the_rest_of_its_round_and_group_alone() {
    let names = ["sound", "poison"];
    for neighbours in [0, 2] {
        let place = Place::new();
        let store = place.opened(MigrateTo::Default);
        let ended = submit(&store, "ended").expect("written");
        claim(&store, 1);
        for name in names {
            submit(&store, name).expect("written");
        }
        let trigger = "create trigger refuse before update on cairnq_tasks
            when new.name = 'poison' and new.status = 'running' begin select raise(abort, 'poison'); end";
        place.peer().execute_batch(trigger).expect("a trigger");
        let held = hold(&store);
        let round = store.round(Round {
            owner: owner(),
            settlements: vec![Settlement {
                task_id: ended.id.as_str().into(),
                queue: "default".into(),
                outcome: Outcome::Complete {
                    result: None,
                    message: None,
                },
                want_row: false,
            }],
            releases: Vec::new(),
            claim: Some(ClaimPlan {
                queues: vec!["default".to_owned()],
                names: names.map(str::to_owned).to_vec(),
                probe: false,
                planner: Box::new(OneOfEach {
                    names: names.to_vec(),
                    next: 0,
                    rows: 0,
                }),
            }),
        });
        let beside: Vec<_> = (0..neighbours)
            .map(|_| store.execute(Command::Submit(Box::new(NewTask::named("beside")))))
            .collect();
        held.release();
        let reply = run(round);
        assert!(matches!(
            reply.settled[..],
            [Ok(Settled::Written(Status::Succeeded, None))]
        ));
        let (planner, claimed) = reply.claimed.expect("a claim was asked for");
        assert!(
            claimed
                .as_ref()
                .is_err_and(|error| error.to_string().contains("poison")),
            "{claimed:?}"
        );
        let drawn = planner
            .into_any()
            .downcast::<OneOfEach>()
            .expect("ours")
            .rows;
        assert_eq!(drawn, 0, "what was drawn was undone");
        assert!(run(join_all(beside)).iter().all(Result::is_ok));
        let running = "select count(*) from cairnq_tasks where status = 'running'";
        assert_eq!(count(&place.peer(), running), 0);
        let row = get(&store, &ended.id).expect("read").expect("a row");
        assert_eq!(row.status, Status::Succeeded);
    }
}

/// A round that never reached the database has to be answered, or its worker would claim nothing more.
#[test]
fn a_round_that_is_dropped_is_answered() {
    let (answer, reply) = Answer::awaited();
    let round = Round {
        owner: owner(),
        settlements: Vec::new(),
        releases: Vec::new(),
        claim: None,
    };
    drop(RoundJob::boxed(round, answer));
    assert!(matches!(run(reply), Err(Error::Internal(_))));
}
