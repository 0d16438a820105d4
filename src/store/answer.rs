//! Whoever waits for an operation, as the thread that carries it out sees them.

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use crate::error::{Error, Result};

/// Told the outcome exactly once: by [`Answer::give`], or when it is dropped because the work was.
pub struct Answer<T>(Option<Box<dyn FnOnce(Result<T>) + Send>>);

impl<T: Send + 'static> Answer<T> {
    /// An answer that `told` takes, on whatever thread has it: it must not block.
    pub fn new(told: impl FnOnce(Result<T>) + Send + 'static) -> Self {
        Self(Some(Box::new(told)))
    }

    /// An answer that gives this one what `convert` makes of its own.
    #[must_use]
    pub fn from<U: Send + 'static>(
        self,
        convert: impl FnOnce(U) -> Result<T> + Send + 'static,
    ) -> Answer<U> {
        Answer::new(move |outcome: Result<U>| self.give(outcome.and_then(convert)))
    }

    /// An answer to wait for.
    #[must_use]
    pub fn awaited() -> (Self, BoxFuture<'static, Result<T>>) {
        let (sender, receiver) = oneshot::channel();
        let answer = Self::new(move |outcome| {
            // Nobody may be waiting any more; the work counts all the same.
            let _ = sender.send(outcome);
        });
        let outcome = async move { receiver.await.unwrap_or_else(|_| Err(gone())) };
        (answer, Box::pin(outcome))
    }
}

impl<T> Answer<T> {
    /// Tells the outcome.
    pub fn give(mut self, outcome: Result<T>) {
        self.tell(outcome);
    }

    fn tell(&mut self, outcome: Result<T>) {
        if let Some(told) = self.0.take() {
            told(outcome);
        }
    }
}

impl<T> Drop for Answer<T> {
    fn drop(&mut self) {
        self.tell(Err(gone()));
    }
}

/// The thread that had the work ended before it answered.
#[must_use]
pub fn gone() -> Error {
    Error::Internal("the database thread ended".to_owned())
}
