//! Finding out, after a commit of another process, which of the awaited tasks have ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::read;
use super::readers::Read;
use super::transaction::Tx;
use crate::error::Result;
use crate::store::command::Target;
use crate::store::wakes::Wakes;

/// At most one look waits to begin, however fast others commit and however many tasks are awaited.
#[derive(Default)]
pub(super) struct Awaited {
    waits: Arc<AtomicBool>,
}

impl Awaited {
    /// Has `read` look on behalf of `listeners`, unless a look that has not begun yet will see the same.
    pub(super) fn look(&self, listeners: Vec<Arc<Wakes>>, read: impl FnOnce(Read)) {
        if listeners.iter().all(|wakes| wakes.awaited_ids().is_empty())
            || self.waits.swap(true, Ordering::AcqRel)
        {
            return;
        }
        let waits = Arc::clone(&self.waits);
        read(Box::new(move |tx: Result<&Tx<'_, '_>>| {
            waits.store(false, Ordering::Release);
            let Ok(tx) = tx else { return };
            for wakes in &listeners {
                wake_ended(tx, wakes);
            }
        }));
    }
}

fn wake_ended(tx: &Tx<'_, '_>, wakes: &Wakes) {
    for id in wakes.awaited_ids() {
        let status = read::status(tx, &Target::Id(id.clone()));
        if matches!(status, Ok(Some((_, status))) if status.is_terminal()) {
            wakes.done(&id);
        }
    }
}
