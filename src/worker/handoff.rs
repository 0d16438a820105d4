//! Taking a task from the submit that writes it, while the worker has nothing else to do.
//!
//! A worker that stands idle would claim the task a moment later, in a second transaction. It goes by what it has been
//! told: a task that another process submitted in the same moment may be claimed after this one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Instant;

use super::calls::Holding;
use super::host::Event;
use super::{Core, REPLACED_CLAIM};
use crate::store::claimed::ClaimedTask;
use crate::store::command::NewTask;
use crate::store::handoff::{Listener, Place};

/// A worker as those see it who write to its database.
pub(super) struct Ear(Weak<Core>);

impl Ear {
    pub(super) fn of(core: &Arc<Core>) -> Self {
        Self(Arc::downgrade(core))
    }
}

impl Listener for Ear {
    fn told(&self) {
        let Some(core) = self.0.upgrade() else { return };
        core.look.store(true, Ordering::SeqCst);
        // Read after the mark is set: the round under way looks at it when it comes back.
        if !core.full.load(Ordering::SeqCst) {
            core.turn();
        }
    }

    fn place_for(&self, new: &NewTask) -> Option<Place> {
        let core = self.0.upgrade()?;
        // This may be the database's thread, which must not end because of us.
        catch_unwind(AssertUnwindSafe(|| place_for(&core, new))).ok()?
    }
}

fn place_for(core: &Arc<Core>, new: &NewTask) -> Option<Place> {
    let by_host = core.replaced.load(Ordering::Relaxed) & REPLACED_CLAIM != 0;
    if by_host || core.host.is_gone() {
        return None;
    }
    let bytes = new.payload.len() as u64;
    let reserve = || {
        let mut state = core.state();
        // Once more with the state locked, under which the mark is set by what makes room.
        let idle = !core.look.load(Ordering::SeqCst);
        idle.then(|| state.reserve(&new.args.name, bytes)).flatten()
    };
    let holding = core.while_idle(reserve)??;
    let since = Instant::now();
    let filled = Arc::clone(core);
    Some(Place::new(core.owner.clone(), move |task| {
        filled.fill(&holding, task, since);
    }))
}

impl Core {
    fn fill(&self, place: &Holding, task: Option<ClaimedTask>, since: Instant) {
        let came = task.is_some();
        let (ready, stopping) = {
            let mut state = self.state();
            (state.fill(place, task, since), state.stopping)
        };
        if ready {
            self.host.emit(Event::Ready);
        }
        // Whatever was announced meanwhile may have been kept from the place.
        if !came || stopping {
            self.look();
        }
    }
}
