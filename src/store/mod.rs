//! The seam between what cairnq does and the database that keeps it.
//!
//! Architecture invariant: nothing above this folder knows a dialect, and nothing in it knows JavaScript.

pub mod answer;
pub mod claimed;
pub mod command;
pub mod handoff;
pub mod inspect;
pub mod parts;
pub mod postgres;
pub mod round;
pub mod sqlite;
pub mod submitted;
pub mod text;
pub mod wakes;

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::error::Result;
use crate::model::Task;
use crate::runtime::runtime;
use answer::Answer;
use command::{ClaimScope, Command, NewTask, Owner, Reply};
use parts::Parts;
use round::{Round, RoundReply};
use submitted::{Submitted, told_by_row, told_by_rows};
use wakes::Wakes;

/// A database that keeps tasks.
///
/// Every method enqueues its work before it returns: two calls made in order reach the database in order, whether
/// or not the first future has been polled. Dropping a future does not undo the work. Opening is lazy, shared by
/// concurrent first uses, and tried again by the next use when it fails.
pub trait Backend: Send + Sync + 'static {
    /// Opens the database and brings its schema up to date.
    fn connect(&self) -> BoxFuture<'static, Result<()>>;
    /// Lets accepted writes finish, then closes. The next use opens again.
    fn close(&self) -> BoxFuture<'static, Result<()>>;
    /// A client operation.
    fn execute(&self, command: Command) -> BoxFuture<'static, Result<Reply>> {
        let (answer, done) = Answer::awaited();
        self.execute_for(command, answer);
        done
    }
    /// A client operation whose answer is told where it is known, which saves a change of threads.
    fn execute_for(&self, command: Command, answer: Answer<Reply>);
    /// Submits that were made together and have nothing else to do with each other.
    fn submit_for(&self, submits: Vec<(NewTask, Answer<Submitted>)>) {
        for (new, answer) in submits {
            let answer = told_by_row(&new, answer);
            self.execute_for(Command::Submit(Box::new(new)), answer);
        }
    }
    /// A submit of all or none of what comes.
    fn submit_many_for(self: Arc<Self>, parts: Parts, answer: Answer<Vec<Submitted>>) {
        runtime().spawn(async move {
            match parts.gather().await {
                Ok(tasks) => {
                    let answer = told_by_rows(&tasks, answer);
                    self.execute_for(Command::SubmitMany(tasks), answer);
                }
                Err(error) => answer.give(Err(error)),
            }
        });
    }
    /// A worker's round: settlements, releases, then a claim session.
    fn round(&self, round: Round) -> BoxFuture<'static, RoundReply> {
        let settlements = round.settlements.len();
        let (answer, reply) = Answer::awaited();
        self.round_for(round, answer);
        let reply = async move {
            reply
                .await
                .unwrap_or_else(|error| RoundReply::failed(settlements, &error))
        };
        Box::pin(reply)
    }
    /// A worker's round whose answer is told where it is known. An answer that is no error is told where the store may be
    /// used at once.
    fn round_for(&self, round: Round, answer: Answer<RoundReply>);
    /// Renews leases ahead of all other work: the ids still owned, each with whether its cancel was requested.
    fn renew(
        &self,
        owner: Owner,
        ids: Vec<String>,
    ) -> BoxFuture<'static, Result<Vec<(String, bool)>>>;
    /// A claim session whose draws the caller makes one by one; none when the probe finds nothing due.
    fn open_claim(
        &self,
        scope: ClaimScope,
    ) -> BoxFuture<'static, Result<Option<Box<dyn ClaimSession>>>>;
    /// Where commits are announced.
    fn wakes(&self) -> &Arc<Wakes>;
    /// What an opening found that the program's operator should know of. Each is given once.
    fn take_warnings(&self) -> Vec<Warning> {
        Vec::new()
    }
    /// How many rounds of one worker may be under way at once. One where a single writer serialises them anyway.
    fn rounds_in_flight(&self) -> usize;
}

/// Something that works, but not as well as it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What programs know it by.
    pub name: &'static str,
    /// What people read.
    pub message: String,
}

/// An open claim transaction: recovery is done, draws follow, and nothing is claimed before `close(true)`.
pub trait ClaimSession: Send {
    /// Claims up to `limit` rows of `names`, in claim order.
    fn draw(&mut self, names: Vec<String>, limit: i64) -> BoxFuture<'static, Result<Vec<Task>>>;
    /// Commits, or rolls back.
    fn close(self: Box<Self>, commit: bool) -> BoxFuture<'static, Result<()>>;
}
