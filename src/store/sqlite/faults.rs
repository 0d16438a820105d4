//! What the connections of one file tell each other about its faults.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// Shared by the writer, which notices, and the readers, which have to reopen.
#[derive(Default)]
pub(super) struct Faults {
    generation: AtomicU64,
    untold: Mutex<Option<Error>>,
}

impl Faults {
    /// Rises whenever connections opened before are of no more use.
    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Every connection has to be opened again.
    pub(super) fn reopen(&self) {
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// A fault that no operation met: the next one is told, or it would pass in silence.
    pub(super) fn tell(&self, error: Error) {
        *self.lock() = Some(error);
    }

    /// The fault to tell, once.
    pub(super) fn take_untold(&self) -> Option<Error> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Error>> {
        self.untold.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
