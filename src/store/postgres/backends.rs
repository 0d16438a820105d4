//! The server processes behind this process's own connections: what they notify of has been announced already.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use crate::store::wakes::Wakes;

/// Process ids of backends, of every store that shares one set of announcements.
#[derive(Default)]
pub(super) struct Backends(Mutex<HashSet<i32>>);

/// By the address of the announcements, which is theirs alone for as long as a store holds them.
static BY_WAKES: LazyLock<Mutex<HashMap<usize, Weak<Backends>>>> = LazyLock::new(Mutex::default);

// A poisoned lock means a panic between two assignments of plain data: the data is still whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Backends {
    /// The set that belongs to these announcements.
    pub(super) fn beside(wakes: &Arc<Wakes>) -> Arc<Self> {
        let mut known = lock(&BY_WAKES);
        known.retain(|_, backends| backends.strong_count() > 0);
        let entry = known.entry(Arc::as_ptr(wakes).addr()).or_default();
        entry.upgrade().unwrap_or_else(|| {
            let backends = Arc::default();
            *entry = Arc::downgrade(&backends);
            backends
        })
    }

    pub(super) fn add(&self, backend_pid: i32) {
        lock(&self.0).insert(backend_pid);
    }

    pub(super) fn remove(&self, backend_pid: i32) {
        lock(&self.0).remove(&backend_pid);
    }

    pub(super) fn contains(&self, backend_pid: i32) -> bool {
        lock(&self.0).contains(&backend_pid)
    }
}
