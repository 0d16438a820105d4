//! A task handed to a worker of this process by the transaction that inserts it: it is written as claimed, so that no
//! second transaction claims it and nobody has to be woken for it.

use super::claimed::ClaimedTask;
use super::command::{NewTask, Owner};

/// Who listens for work, and may have a place for a task about to be written.
pub trait Listener: Send + Sync {
    /// There may be work. Runs on the thread that announces it, so it must not wait.
    fn told(&self);
    /// A place for `new`, which is due at once; none where the listener has none, or where something may wait that goes
    /// first. Runs on the thread that is about to write, so it must not wait either.
    fn place_for(&self, new: &NewTask) -> Option<Place>;
}

/// A worker's place for one task, held free for it until it is filled or dropped.
pub struct Place {
    owner: Owner,
    filled: Option<Filled>,
}

type Filled = Box<dyn FnOnce(Option<ClaimedTask>) + Send>;

impl Place {
    /// A place of `owner`. `filled` is told of the task, or that none came.
    pub fn new(owner: Owner, filled: impl FnOnce(Option<ClaimedTask>) + Send + 'static) -> Self {
        Self {
            owner,
            filled: Some(Box::new(filled)),
        }
    }

    /// Whose lease the task is to be written with.
    #[must_use]
    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// The task is in the database, claimed for the owner. To be called after COMMIT only.
    pub fn fill(mut self, task: ClaimedTask) {
        self.tell(Some(task));
    }

    fn tell(&mut self, task: Option<ClaimedTask>) {
        if let Some(filled) = self.filled.take() {
            filled(task);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.tell(None);
    }
}
