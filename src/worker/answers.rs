//! What a round brought back, applied to the books: who is settled, who lost, what is sent again.

use std::sync::Arc;
use std::time::Instant;

use super::Core;
use super::host::{Event, Handle, Phase};
use super::outbox::Pending;
use super::state::State;
use super::tasks::Progress;
use crate::error::{Error, Result};
use crate::model::push_text;
use crate::store::command::{Outcome, Reply};
use crate::store::round::Settled;

/// What to tell the host once the lock is free.
#[derive(Default)]
struct News {
    events: Vec<Event>,
    answers: Vec<(u32, Result<Reply>)>,
    lost: Vec<Handle>,
}

impl News {
    fn failed(&mut self, task_id: &str, error: Error) {
        self.events.push(Event::Failed {
            phase: Phase::Execute,
            task_id: Some(task_id.to_owned()),
            error,
        });
    }

    fn tell(mut self, core: &Core) {
        if !self.lost.is_empty() {
            self.events.push(Event::Lost(self.lost));
        }
        for event in self.events {
            core.host.emit(event);
        }
        for (request, outcome) in self.answers {
            core.host.answer(request, outcome);
        }
    }
}

/// Applies the answers of a round's settlements.
pub(super) fn settled(core: &Core, pending: Vec<Pending>, outcomes: Vec<Result<Settled>>) {
    let mut news = News::default();
    let now = Instant::now();
    {
        let mut state = core.state();
        state.outbox.under_way -= pending.len();
        for (pending, outcome) in pending.into_iter().zip(outcomes) {
            match outcome {
                Ok(Settled::Written(became, row)) => {
                    state.stats.settlement_ended(now - pending.since);
                    if let Some(attempt) = state.tasks.remove(pending.handle) {
                        state.stats.of(attempt.name).settled(became);
                        tracing::debug!(
                            task = &*attempt.task_id,
                            attempt = attempt.number,
                            "settled"
                        );
                    }
                    news.answers.extend(
                        pending
                            .request
                            .map(|request| (request, Ok(Reply::Row(row)))),
                    );
                }
                Ok(Settled::Lost) => lost(&mut state, &mut news, &pending),
                Err(error) => failed(&mut state, &mut news, pending, error),
            }
        }
    }
    news.tell(core);
}

/// Outcomes whose attempts were gone before they could be sent.
pub(super) fn void(core: &Core, pending: Vec<Pending>) {
    for request in pending.into_iter().filter_map(|pending| pending.request) {
        core.host.answer(
            request,
            Err(Error::LostLease {
                task_id: String::new(),
            }),
        );
    }
}

/// Applies the answer of a round's releases.
pub(super) fn released(core: &Core, handles: Vec<Handle>, outcome: &Result<()>) {
    let mut news = News::default();
    {
        let mut state = core.state();
        state.outbox.under_way -= handles.len();
        let now = Instant::now();
        let again = outcome.as_ref().is_err_and(Error::is_passing);
        for handle in handles {
            if again
                && state
                    .tasks
                    .get(handle)
                    .is_some_and(|attempt| attempt.lease_ends > now)
            {
                state.outbox.release_again(handle, now);
            } else if let Some(attempt) = state.tasks.remove(handle) {
                match outcome {
                    Ok(()) => state.stats.of(attempt.name).released += 1,
                    Err(error) => news.failed(&attempt.task_id, error.clone()),
                }
            }
        }
    }
    news.tell(core);
}

fn lost(state: &mut State, news: &mut News, pending: &Pending) {
    let Some(attempt) = state.lose(pending.handle) else {
        return;
    };
    news.lost.push(pending.handle);
    let error = Error::lost(&attempt.task_id);
    match pending.request {
        Some(request) => news.answers.push((request, Err(error))),
        None => news.failed(&attempt.task_id, error),
    }
}

fn failed(state: &mut State, news: &mut News, pending: Pending, error: Error) {
    let now = Instant::now();
    let Some(attempt) = state.tasks.get_mut(pending.handle) else {
        news.answers
            .extend(pending.request.map(|request| (request, Err(error))));
        return;
    };
    let task_id = Arc::clone(&attempt.task_id);
    if error.is_passing() && attempt.lease_ends > now {
        // The handler has done its work; only the writing failed, so only the writing is done again.
        if pending.failures == 0 {
            news.failed(&task_id, error);
        }
        state.outbox.send_again(pending, now);
        return;
    }
    match (pending.request, &pending.outcome, &error) {
        (Some(request), ..) => {
            attempt.progress = Progress::Running;
            news.answers.push((request, Err(error)));
        }
        (None, Outcome::Complete { .. }, Error::Serialization(why)) => {
            let outcome = Outcome::Fail {
                error: unserializable(why),
                retryable: false,
                delay_ms: 0,
            };
            state
                .outbox
                .push(Pending::new(pending.handle, outcome, None));
        }
        (None, ..) => {
            state.lose(pending.handle);
            news.lost.push(pending.handle);
            news.failed(&task_id, error);
        }
    }
}

/// The envelope of a result the database cannot hold.
fn unserializable(why: &str) -> String {
    let mut envelope =
        String::from(r#"{"type":"SerializationError","code":"unserializable_result","message":"#);
    push_text(
        &mut envelope,
        &format!("handler result is not JSON-serializable: {why}"),
    );
    envelope.push_str(r#","retryable":false,"details":{}}"#);
    envelope
}
