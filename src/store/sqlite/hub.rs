//! One hub per database file in the process, whichever stores name it: one writer, the readers, the watcher.
//!
//! Architecture invariant: stores on the same device and inode share one hub, so their writes share transactions and
//! their locks never fight. Stores that may only read it have another one: they must not write through the others'
//! connections, nor lend them theirs.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;

use super::awaited::Awaited;
use super::faults::Faults;
use super::files::{FileId, OpenFiles};
use super::location::Location;
use super::queue::{Entry, Job, Queue};
use super::readers::{Read, Readers};
use super::transaction::Announcements;
use super::{reopen, watch};
use crate::error::{Error, Result};
use crate::store::command::NewTask;
use crate::store::handoff::Place;
use crate::store::wakes::Wakes;

/// A claim over hundreds of cursors and JSON nested 10,000 deep both stay far below this.
const STACK: usize = 8 << 20;

/// The file, and whether it may only be read.
type Key = (FileId, bool);

static HUBS: LazyLock<Mutex<HashMap<Key, Arc<Hub>>>> = LazyLock::new(Mutex::default);

/// Everything the stores of one file share.
pub(super) struct Hub {
    pub(super) location: Location,
    pub(super) busy_timeout: Duration,
    pub(super) queue: Queue,
    pub(super) faults: Arc<Faults>,
    /// How many stores are here. Changed under the lock of [`HUBS`] only.
    stores: AtomicUsize,
    /// Whether any of them may change more than tasks: migrate, take statistics, cut the log.
    keeps: AtomicBool,
    readers: Option<Readers>,
    awaited: Arc<Awaited>,
    listeners: Mutex<Vec<Weak<Wakes>>>,
    writing: Mutex<Option<JoinHandle<()>>>,
    reading: Mutex<Vec<JoinHandle<()>>>,
    watching: Mutex<Option<watch::Watcher>>,
}

fn hubs() -> MutexGuard<'static, HashMap<Key, Arc<Hub>>> {
    HUBS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// None in memory, and when there is no file.
fn key(location: &Location) -> Option<Key> {
    let files = OpenFiles::at(location.path()?)?;
    Some((files.id(), location.is_read_only()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    /// The hub of the file that `connection` was opened on: the one other stores share, or a new one around it.
    pub(super) fn join(
        location: &Location,
        connection: Connection,
        busy_timeout: Duration,
        keeps: bool,
    ) -> Result<Arc<Self>> {
        let key = key(location);
        let mut hubs = hubs();
        if let Some(hub) = key.and_then(|key| hubs.get(&key)) {
            hub.stores.fetch_add(1, Ordering::Relaxed);
            hub.keeps.fetch_or(keeps, Ordering::Relaxed);
            return Ok(Arc::clone(hub));
        }
        let hub = Arc::new(Self {
            location: location.clone(),
            busy_timeout,
            queue: Queue::default(),
            faults: Arc::default(),
            stores: AtomicUsize::new(1),
            keeps: AtomicBool::new(keeps),
            readers: (!location.is_memory()).then(Readers::default),
            awaited: Arc::default(),
            listeners: Mutex::default(),
            writing: Mutex::default(),
            reading: Mutex::default(),
            watching: Mutex::default(),
        });
        if let Err(error) = hub.start(connection) {
            hub.end();
            return Err(error);
        }
        if let Some(key) = key {
            hubs.insert(key, Arc::clone(&hub));
        }
        Ok(hub)
    }

    fn start(self: &Arc<Self>, connection: Connection) -> Result<()> {
        self.watch();
        let shared = Arc::clone(self);
        let writer = spawn("cairnq-writer", move || reopen::run(connection, &shared))?;
        *lock(&self.writing) = Some(writer);
        if let Some(readers) = &self.readers {
            let started =
                readers.start(&self.location, self.busy_timeout, &self.faults, |work| {
                    spawn("cairnq-reader", work)
                })?;
            lock(&self.reading).extend(started);
        }
        Ok(())
    }

    /// Leaves the hub. The last store to leave ends its threads, once everything accepted is written.
    pub(super) fn leave(self: &Arc<Self>) {
        let mut hubs = hubs();
        if self.stores.fetch_sub(1, Ordering::Relaxed) > 1 {
            return;
        }
        hubs.retain(|_, hub| !Arc::ptr_eq(hub, self));
        drop(hubs);
        self.end();
    }

    fn end(&self) {
        self.queue.close();
        if let Some(readers) = &self.readers {
            readers.close();
        }
        lock(&self.watching).take();
    }

    /// Waits until the threads of a hub that every store has left are gone, and with them its connections.
    pub(super) fn wait_closed(&self) {
        let writing = lock(&self.writing).take();
        if let Some(thread) = writing {
            self.wait_for(thread);
        }
        self.wait_for_readers();
    }

    /// Waits until the readers of a closed hub have closed their connections. The writer does so before it closes its own:
    /// of connections that close at one moment none is the last, and it is the last that copies the log into the database
    /// and removes it.
    pub(super) fn wait_for_readers(&self) {
        let reading = std::mem::take(&mut *lock(&self.reading));
        for thread in reading {
            self.wait_for(thread);
        }
    }

    fn wait_for(&self, thread: JoinHandle<()>) {
        if thread.thread().id() != std::thread::current().id() && thread.join().is_err() {
            tracing::error!(path = self.location.name(), "a database thread panicked");
        }
    }

    /// Resolves once everything accepted so far has been answered.
    pub(super) async fn drained(&self) {
        self.queue.drained().await;
    }

    /// Whether every store has left.
    pub(super) fn is_closed(&self) -> bool {
        let _hubs = hubs();
        self.stores.load(Ordering::Relaxed) == 0
    }

    /// The writer is about to close its file, whose inode may then become another file's.
    pub(super) fn leave_file(self: &Arc<Self>) {
        hubs().retain(|_, hub| !Arc::ptr_eq(hub, self));
    }

    /// The writer has opened whatever is at the path now, which may be another file than before.
    pub(super) fn take_file(self: &Arc<Self>) {
        self.watch();
        let Some(key) = key(&self.location) else {
            return;
        };
        let mut hubs = hubs();
        if self.stores.load(Ordering::Relaxed) > 0 {
            // A store that found the new file first keeps its own hub; the database's locks keep the two apart.
            hubs.entry(key).or_insert_with(|| Arc::clone(self));
        }
    }

    /// Listens for file events on the files now at the path.
    fn watch(self: &Arc<Self>) {
        let told = Arc::downgrade(self);
        let files = self.location.path().and_then(OpenFiles::at);
        let watcher = files.and_then(|files| watch::start(&files, told));
        *lock(&self.watching) = watcher;
    }

    /// Whether file events come. In memory there is nobody else whose commits they would tell of.
    pub(super) fn is_watched(&self) -> bool {
        self.location.is_memory() || lock(&self.watching).is_some()
    }

    /// Makes no more file events. Whether that could be done.
    pub(super) fn pause_watching(&self) -> bool {
        lock(&self.watching)
            .as_mut()
            .is_some_and(watch::Watcher::pause)
    }

    #[cfg(test)]
    pub(super) fn is_watching_paused(&self) -> bool {
        lock(&self.watching)
            .as_ref()
            .is_some_and(watch::Watcher::is_paused)
    }

    /// Makes file events again. A watcher that cannot is given up, and the polls take its place.
    pub(super) fn resume_watching(&self) {
        let mut watching = lock(&self.watching);
        if !watching.as_mut().is_some_and(watch::Watcher::resume) {
            watching.take();
        }
    }

    /// Whether the database's upkeep is ours.
    pub(super) fn keeps(&self) -> bool {
        self.keeps.load(Ordering::Relaxed)
    }

    pub(super) fn write(&self, job: Box<dyn Job>, patience: Duration, urgent: bool) {
        self.queue.push([job], patience, urgent);
    }

    /// Makes the announcements of a transaction, then tells whoever waits for its operations what became of them.
    pub(super) fn answer(&self, announcements: &Announcements, ended: Vec<(Entry, Result<()>)>) {
        if !announcements.is_empty() {
            for wakes in self.listeners() {
                survive(|| announcements.publish(&wakes));
            }
        }
        let count = ended.len();
        for (entry, outcome) in ended {
            survive(|| entry.job.finish(outcome));
        }
        self.queue.answered(count);
    }

    /// Answers all of `group` with `error`.
    pub(super) fn refuse(&self, group: Vec<Entry>, error: &Error) {
        let refused = |entry| (entry, Err(error.clone()));
        self.answer(
            &Announcements::default(),
            group.into_iter().map(refused).collect(),
        );
    }

    /// Hands a read to the readers; dropped when the database has none, because its reads go through the writer.
    pub(super) fn read(&self, work: Read) {
        if let Some(readers) = &self.readers {
            readers.push(work);
        }
    }

    /// Announces what commits here to `wakes` from now on.
    pub(super) fn listen(&self, wakes: &Arc<Wakes>) {
        let mut listeners = lock(&self.listeners);
        listeners.retain(|known| {
            known.strong_count() > 0 && !std::ptr::eq(known.as_ptr(), Arc::as_ptr(wakes))
        });
        for other in listeners.iter().filter_map(Weak::upgrade) {
            wakes.learn_from(&other);
        }
        listeners.push(Arc::downgrade(wakes));
    }

    /// Every store's announcements.
    pub(super) fn listeners(&self) -> Vec<Arc<Wakes>> {
        lock(&self.listeners)
            .iter()
            .filter_map(Weak::upgrade)
            .collect()
    }

    /// A place for `new` with a worker of this process.
    pub(super) fn place_for(&self, new: &NewTask) -> Option<Place> {
        let listeners = self.listeners();
        listeners.iter().find_map(|wakes| wakes.place_for(new))
    }

    /// Another process committed: workers look for work, and one read finds which awaited tasks have ended.
    pub(super) fn foreign_commit(&self) {
        let listeners = self.listeners();
        for wakes in &listeners {
            wakes.look_around();
        }
        self.awaited.look(listeners, |read| self.read(read));
    }
}

/// A panic of one listener must not take the writer with it.
fn survive(told: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(told)).is_err() {
        tracing::error!("an answer panicked");
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(STACK)
        .spawn(work)
        .map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))
}
