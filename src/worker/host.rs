//! The worker's view of the program it runs in: what it is told, and where its answers go.

use smallvec::SmallVec;

use crate::error::Error;
use crate::store::claimed::ClaimedTask;
use crate::store::command::Reply;

/// Which part of the worker an error came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Finding work.
    Claim,
    /// Running it: leases, settlements.
    Execute,
}

impl Phase {
    /// The word `onError` is given.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Execute => "execute",
        }
    }
}

/// A task handle: names one attempt of one task between us and the host.
pub type Handle = u32;

/// What a call has one of, unless it is a batch. In place: the thread that makes it is not the one that frees it.
pub type OneOrMore<T> = SmallVec<[T; 1]>;

/// Something the host has to know or do.
#[derive(Debug)]
pub enum Event {
    /// Calls are ready to be taken.
    Ready,
    /// These attempts no longer own their tasks.
    Lost(Vec<Handle>),
    /// Something failed; the worker goes on.
    Failed {
        /// Where.
        phase: Phase,
        /// For which task, if for one.
        task_id: Option<String>,
        /// Why.
        error: Error,
    },
    /// The host did not turn its event loop for longer than two heartbeats.
    Blocked {
        /// The first task in play.
        task_id: Option<String>,
        /// How late the loop was, in milliseconds.
        late_ms: u64,
        /// The heartbeat interval, in milliseconds.
        interval_ms: f64,
        /// The lease, in milliseconds.
        lease_ms: f64,
    },
    /// The host claims in our place; it answers with [`super::Worker::plan_end`].
    Claim {
        /// Names this claim in the host's answers.
        request: u32,
    },
    /// The host renews leases in our place; it answers with [`super::Worker::beat_end`].
    Beat {
        /// Names this beat in the host's answer.
        request: u32,
        /// Whose leases.
        task_ids: Vec<String>,
    },
}

/// Where the worker lives.
pub trait Host: Send + Sync + 'static {
    /// Passes an event on. Never blocks.
    fn emit(&self, event: Event);
    /// Answers a request of the host. Never blocks.
    fn answer(&self, request: u32, outcome: Result<Reply, Error>);
    /// Asks the host's event loop for a sign of life; it gives it through [`super::Worker::sign_of_life`].
    fn ping(&self);
    /// Whether the host is gone for good: its thread has ended.
    fn is_gone(&self) -> bool;
}

/// What the host needs to run one task of a call.
#[derive(Debug)]
pub struct Delivered {
    /// The attempt.
    pub handle: Handle,
    /// The row as it was claimed.
    pub task: ClaimedTask,
}

/// One handler call to make.
#[derive(Debug)]
pub struct DeliveredCall {
    /// The call.
    pub call: u32,
    /// Whose handler.
    pub name: std::sync::Arc<str>,
    /// Its tasks: one, or a batch.
    pub tasks: OneOrMore<Delivered>,
}

/// What the host says of a task or a call.
#[derive(Debug)]
pub enum Report {
    /// The handler of this call has returned.
    Done(u32),
    /// The attempt ended with a result (JSON text, none for null).
    Complete(Handle, Option<String>),
    /// The attempt failed with an envelope (JSON text).
    Fail {
        /// The attempt.
        handle: Handle,
        /// The envelope's JSON text.
        error: String,
        /// Whether another attempt may help.
        retryable: bool,
    },
    /// The attempt was settled through a replaced store method.
    Settled(Handle),
    /// The attempt lost its task; nothing is recorded for it.
    Lost(Handle),
}
