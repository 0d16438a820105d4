//! What goes up to JavaScript: answers and events, gathered and taken in one crossing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Either, Status};
use napi_derive::napi;
use serde_json::json;

use super::messages::{EVENT, KINDS, Message, Messages, REJECT, RESOLVE, WARNING};
use crate::error::{Error, Result};
use crate::store::Warning;
use crate::store::command::Reply;
use crate::worker::Worker;

/// Weak, so that it never keeps the program running; not callee-handled, so that no error can be passed to it.
type Wake = ThreadsafeFunction<(), (), (), Status, false, true>;

/// The end that native threads hold.
pub(super) struct Bridge {
    wake: Wake,
    waiting: Mutex<Messages>,
    /// A wake is on its way, and whatever is added before the drain goes with it.
    scheduled: AtomicBool,
    /// The JavaScript thread has promised to drain again by itself, and need not be woken for a message.
    looking: AtomicBool,
    /// The JavaScript thread has ended.
    gone: AtomicBool,
    /// Who is told that the event loop turns.
    workers: Mutex<Vec<Weak<Worker>>>,
}

impl Bridge {
    fn waiting(&self) -> MutexGuard<'_, Messages> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn post(&self, id: u32, kind: u8, text: String) {
        self.waiting().push(Message { id, kind, text });
        self.posted();
    }

    /// To be called without the lock that the drain takes: whoever has ended its looking takes what was posted, or has
    /// ended it before.
    fn posted(&self) {
        if !self.looking.load(Ordering::Acquire) {
            self.wake();
        }
    }

    /// Makes the event loop drain, even when nothing waits: that it does is a sign of life.
    pub(super) fn wake(&self) {
        if !self.scheduled.swap(true, Ordering::AcqRel) {
            let status = self.wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
            if status != Status::Ok {
                self.gone.store(true, Ordering::Release);
                self.waiting().take();
            }
        }
    }

    /// Whether the JavaScript thread has ended, so that nothing posted will ever be taken.
    pub(super) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire) || self.wake.aborted()
    }

    /// Answers a request.
    pub(super) fn answer(&self, id: u32, outcome: Result<Reply>) {
        self.answer_as(id, outcome, |reply| reply.to_json());
    }

    /// Answers a request in words of its own.
    pub(super) fn answer_as<T>(&self, id: u32, outcome: Result<T>, text: impl FnOnce(T) -> String) {
        let converted = converted(|| match outcome {
            Ok(reply) => (RESOLVE, text(reply)),
            Err(error) => (REJECT, error.to_json()),
        });
        let (kind, text) = converted.unwrap_or_else(|error| (REJECT, error.to_json()));
        self.post(id, kind, text);
    }

    /// Answers a submit whose task is new.
    pub(super) fn submitted(&self, id: u32, created_at_ms: i64, run_at_ms: i64) {
        match converted(|| (created_at_ms, run_at_ms)) {
            Ok(times) => {
                self.waiting().push_submitted(id, times);
                self.posted();
            }
            Err(error) => self.post(id, REJECT, error.to_json()),
        }
    }

    /// Tells a channel something.
    pub(super) fn event(&self, channel: u32, text: String) {
        self.post(channel, EVENT, text);
    }

    /// Tells the program's operator, by way of `process.emitWarning`.
    pub(super) fn warn(&self, warning: &Warning) {
        let text = json!({ "name": warning.name, "message": warning.message });
        self.post(0, WARNING, text.to_string());
    }

    /// Tells `worker` of every drain from now on.
    pub(super) fn report_life_to(&self, worker: &Arc<Worker>) {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        workers.retain(|known| known.strong_count() > 0);
        workers.push(Arc::downgrade(worker));
    }
}

/// Whoever answers may be the claim loop or a database's thread, and it is not what should end.
fn converted<T>(convert: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(|| {
        crash_point!("conversion");
        convert()
    }))
    .map_err(|_| Error::Internal("converting the answer panicked".to_owned()))
}

/// The one connection of a JavaScript thread to the native side.
#[napi]
pub struct NativeBridge {
    pub(super) inner: Arc<Bridge>,
}

#[napi]
impl NativeBridge {
    /// `onWake` is called on the JavaScript thread whenever messages wait to be drained.
    #[napi(constructor, ts_args_type = "onWake: () => void")]
    pub fn new(on_wake: Wake) -> Self {
        super::log::start();
        let inner = Bridge {
            wake: on_wake,
            waiting: Mutex::default(),
            scheduled: AtomicBool::new(false),
            looking: AtomicBool::new(false),
            gone: AtomicBool::new(false),
            workers: Mutex::default(),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Takes everything that waits. `again`: the caller will drain again at once, and is not to be woken for what comes.
    /// Of each message a number and a JSON text, empty for nothing. The number is five times the request's id, or the
    /// channel of an event, and its kind: 0 resolves, 1 rejects, 2 is an event, 3 a warning, 4 are submits of new tasks,
    /// of which the text has the time of creation, the due time and the requests, separated by commas.
    #[napi(catch_unwind, ts_return_type = "(number | string)[] | null")]
    pub fn drain(&self, again: bool) -> Option<Vec<Either<f64, String>>> {
        let workers: Vec<_> = {
            let workers = self
                .inner
                .workers
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            workers.iter().filter_map(Weak::upgrade).collect()
        };
        for worker in workers {
            worker.sign_of_life();
        }
        // Before the messages are taken: one that comes in between is taken now or wakes again, never forgotten.
        self.inner.scheduled.store(false, Ordering::Release);
        self.inner.looking.store(again, Ordering::Release);
        let waiting = self.inner.waiting().take();
        if waiting.is_empty() {
            return None;
        }
        // One plain array: typed ones cost more to make than a few messages are worth.
        let parts = |Message { id, kind, text }| {
            let head = f64::from(id) * f64::from(KINDS) + f64::from(kind);
            [Either::A(head), Either::B(text)]
        };
        Some(waiting.into_iter().flat_map(parts).collect())
    }
}
