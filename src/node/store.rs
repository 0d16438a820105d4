//! A store as JavaScript holds it: one method, and what is open on its behalf.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi_derive::napi;
use tokio::time::timeout;

use super::bridge::{Bridge, NativeBridge};
use super::requests::{self, Request};
use super::submits::{NativeSubmit, Tasks};
use super::{invalid, submits};
use crate::error::{Error, Result};
use crate::runtime::{guarded, runtime};
use crate::store::answer::Answer;
use crate::store::command::{Command, NewTask, Reply, Target};
use crate::store::parts::parts;
use crate::store::postgres::{PostgresOptions, PostgresStore};
use crate::store::sqlite::{SqliteOptions, SqliteStore};
use crate::store::submitted::Submitted;
use crate::store::wakes::End;
use crate::store::{Backend, ClaimSession};
use crate::worker::options::duration;

/// Claim sessions that JavaScript has open; one is out of the table while it draws.
#[derive(Default)]
struct Sessions {
    open: HashMap<u32, Box<dyn ClaimSession>>,
    last: u32,
}

/// A store. Answers come through the bridge, under the id each request was given.
#[napi]
pub struct NativeStore {
    pub(super) backend: Arc<dyn Backend>,
    bridge: Arc<Bridge>,
    sessions: Arc<Mutex<Sessions>>,
}

#[napi]
impl NativeStore {
    /// A store of a kind on a target. Nothing is opened before the first request.
    #[napi(
        constructor,
        ts_args_type = "bridge: NativeBridge, kind: 'sqlite' | 'postgres', target: string, options: string"
    )]
    pub fn new(
        bridge: &NativeBridge,
        kind: String,
        target: String,
        options: String,
    ) -> napi::Result<Self> {
        let backend: Arc<dyn Backend> = match kind.as_str() {
            "sqlite" => {
                let options: SqliteOptions = requests::arguments(&options).map_err(invalid)?;
                Arc::new(SqliteStore::new(&target, options))
            }
            "postgres" => {
                let options: PostgresOptions = requests::arguments(&options).map_err(invalid)?;
                PostgresStore::new(&target, options).map_err(invalid)?
            }
            other => return Err(invalid(format!("unknown store kind {other}"))),
        };
        Ok(Self {
            backend,
            bridge: Arc::clone(&bridge.inner),
            sessions: Arc::default(),
        })
    }

    /// Begins `operation`; see lib/store.js for the operations, their arguments and texts.
    #[napi(catch_unwind)]
    pub fn request(
        &self,
        id: u32,
        operation: String,
        args: String,
        texts: Vec<String>,
    ) -> napi::Result<()> {
        let request = requests::read(&operation, &args, texts).map_err(invalid)?;
        match request {
            Request::Connect => self.answer(id, map_nothing(self.backend.connect())),
            Request::Close => self.answer(id, map_nothing(self.backend.close())),
            Request::Store(command) => self.execute(id, command, |reply| reply.to_json()),
            Request::ClaimOpen(scope) => {
                let (opened, sessions) =
                    (self.backend.open_claim(scope), Arc::clone(&self.sessions));
                self.answer(id, async move {
                    let session = opened.await?;
                    Ok(session.map_or(Reply::Row(None), |session| {
                        Reply::Number(lock(&sessions).add(session))
                    }))
                });
            }
            Request::ClaimDraw {
                session,
                names,
                limit,
            } => {
                let sessions = Arc::clone(&self.sessions);
                self.answer(id, async move {
                    let mut open = lock(&sessions)
                        .open
                        .remove(&session)
                        .ok_or_else(no_session)?;
                    let drawn = open.draw(names, limit).await;
                    lock(&sessions).open.insert(session, open);
                    drawn.map(Reply::Rows)
                });
            }
            Request::ClaimClose { session, commit } => {
                let sessions = Arc::clone(&self.sessions);
                self.answer(id, async move {
                    let open = lock(&sessions)
                        .open
                        .remove(&session)
                        .ok_or_else(no_session)?;
                    open.close(commit).await.map(|()| Reply::Nothing)
                });
            }
            Request::ClaimWake { queues, ms } => {
                let subscription = self.backend.wakes().subscribe(&queues);
                self.answer(id, async move {
                    Ok(Reply::Bool(
                        timeout(duration(ms), subscription.notified()).await.is_ok(),
                    ))
                });
            }
            Request::TaskDoneWake { id: task_id, ms } => {
                let answer = self.answer_with(id, |reply: Reply| reply.to_json());
                self.when_done(&task_id, ms, move |end| {
                    answer.give(Ok(Reply::Bool(matches!(end, End::Ended(_)))));
                });
            }
            Request::TaskEnd { id: task_id, ms } => {
                let answer = self.answer_with(id, |reply: Reply| reply.to_json());
                let (backend, get) = (
                    Arc::clone(&self.backend),
                    Command::Get(Target::Id(task_id.clone())),
                );
                self.when_done(&task_id, ms, move |end| match end {
                    End::Ended(None) => backend.execute_for(get, answer),
                    End::Ended(row) => answer.give(Ok(Reply::Row(row))),
                    End::GivenUp => answer.give(Ok(Reply::Row(None))),
                });
            }
        }
        Ok(())
    }

    /// Begins submits that have nothing to do with each other: the requests of the rows, the numbers of the rows for whose
    /// tasks `taskEnd` is asked next, and the rows. See lib/submits.js for the rows and texts. Gives the tasks' ids, one a
    /// line.
    #[napi(catch_unwind)]
    pub fn submit(&self, turn: String, texts: String) -> napi::Result<String> {
        let (turn, Tasks { tasks, ids }) = submits::read_turn(&turn, &texts).map_err(invalid)?;
        for task in turn.awaited.iter().filter_map(|&row| tasks.get(row)) {
            self.backend.wakes().expect(&task.id);
        }
        let answered = |(request, new): (u32, NewTask)| (new, self.answer_submit(request));
        let submits = turn.requests.into_iter().zip(tasks).map(answered).collect();
        self.backend.submit_for(submits);
        Ok(ids)
    }

    /// Begins a submit of all or none of the rows that are added next. A transaction may be waiting for them.
    #[napi(catch_unwind)]
    pub fn submit_many(&self, id: u32) -> NativeSubmit {
        let (giver, parts) = parts();
        let answer = self.answer_with(id, |submitted: Vec<Submitted>| {
            submits::answer_many(&submitted)
        });
        Arc::clone(&self.backend).submit_many_for(parts, answer);
        NativeSubmit::new(giver)
    }

    /// Tells whether the task ended within the time, as soon as that is known.
    fn when_done(&self, task_id: &str, ms: f64, told: impl FnOnce(End) + Send + 'static) {
        let wakes = self.backend.wakes();
        wakes.when_done_within(task_id, duration(ms), told);
    }

    fn execute(
        &self,
        id: u32,
        command: Command,
        text: impl FnOnce(Reply) -> String + Send + 'static,
    ) {
        self.backend
            .execute_for(command, self.answer_with(id, text));
    }

    fn answer_with<T: Send + 'static>(
        &self,
        id: u32,
        text: impl FnOnce(T) -> String + Send + 'static,
    ) -> Answer<T> {
        let (bridge, backend) = (Arc::clone(&self.bridge), Arc::clone(&self.backend));
        Answer::new(move |outcome| {
            warn(&bridge, &*backend);
            bridge.answer_as(id, outcome, text);
        })
    }

    fn answer_submit(&self, id: u32) -> Answer<Submitted> {
        let (bridge, backend) = (Arc::clone(&self.bridge), Arc::clone(&self.backend));
        Answer::new(move |outcome| {
            warn(&bridge, &*backend);
            match outcome {
                Ok(Submitted::New {
                    created_at_ms,
                    run_at_ms,
                }) => bridge.submitted(id, created_at_ms, run_at_ms),
                Ok(Submitted::Existing(task)) => bridge.answer(id, Ok(Reply::Row(Some(task)))),
                Err(error) => bridge.answer(id, Err(error)),
            }
        })
    }

    fn answer(&self, id: u32, work: impl Future<Output = Result<Reply>> + Send + 'static) {
        let (bridge, backend) = (Arc::clone(&self.bridge), Arc::clone(&self.backend));
        runtime().spawn(async move {
            let outcome = guarded("the operation", work).await;
            warn(&bridge, &*backend);
            bridge.answer(id, outcome);
        });
    }
}

/// Any request may have been the one that opened the database.
fn warn(bridge: &Bridge, backend: &dyn Backend) {
    for warning in backend.take_warnings() {
        bridge.warn(&warning);
    }
}

async fn map_nothing(work: impl Future<Output = Result<()>>) -> Result<Reply> {
    work.await.map(|()| Reply::Nothing)
}

fn lock(sessions: &Mutex<Sessions>) -> MutexGuard<'_, Sessions> {
    sessions.lock().unwrap_or_else(PoisonError::into_inner)
}

fn no_session() -> Error {
    Error::Invalid("the claim session is over, or another draw of it is under way".to_owned())
}

impl Sessions {
    fn add(&mut self, session: Box<dyn ClaimSession>) -> i64 {
        self.last = self.last.wrapping_add(1);
        self.open.insert(self.last, session);
        i64::from(self.last)
    }
}
