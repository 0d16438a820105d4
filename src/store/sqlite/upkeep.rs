//! What the writer does between transactions: it looks for commits of other processes, keeps the statistics fresh and
//! the log small. All of it goes by the clock, so that a database that is never idle is kept as well.

use std::fs;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::busy::Busy;
use super::files::OpenFiles;
use super::hub::Hub;
use super::open;
use super::set_back::SetBack;
use crate::protocol::sqlite as sql;

/// A look at other processes' commits is put off behind our own work no longer than this.
const LOOK_PATIENCE: Duration = Duration::from_millis(2);
/// When to look again after a file event: it can come before the shared header shows the commit.
const LOOK_AGAIN: [Duration; 3] = [
    Duration::from_micros(500),
    Duration::from_millis(2),
    Duration::from_millis(10),
];
/// The poll behind the file events, and the one in their place where the system offers none.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const LOOK_EVERY_UNWATCHED: Duration = Duration::from_millis(20);

/// The poll of a busy writer that has paused the file events, some microseconds each.
const LOOK_EVERY_BUSY: Duration = Duration::from_millis(1);

const KEEP_EVERY: Duration = Duration::from_secs(1);
const OPTIMIZE_EVERY: Duration = Duration::from_mins(1);

/// The log is cut when it has grown past this: in a second without writes to a few megabytes, and in the midst of writes
/// only when it is far past the 16 MB at which it starts over by itself, because a file that is cut has to grow again.
const IDLE_LOG_LIMIT: u64 = 4 << 20;
const BUSY_LOG_LIMIT: u64 = 32 << 20;
/// How long cutting the log waits for readers; other writers wait meanwhile.
const CUT_PATIENCE: Duration = Duration::from_millis(20);

pub(super) struct Upkeep {
    data_version: Option<i64>,
    looked: Instant,
    look_every: Duration,
    /// When the last file event came, and how many of the looks after it were made.
    event: Option<(Instant, usize)>,
    kept: Instant,
    optimized: Instant,
    wrote: bool,
    stale: bool,
    busy: Busy,
    /// The file events are paused.
    paused: bool,
    set_back: SetBack,
}

impl Upkeep {
    pub(super) fn new(connection: &Connection, hub: &Hub) -> Self {
        let now = Instant::now();
        Self {
            data_version: data_version(connection),
            looked: now,
            look_every: look_every(hub),
            event: None,
            kept: now,
            optimized: now,
            wrote: false,
            stale: false,
            busy: Busy::new(now),
            paused: false,
            set_back: SetBack::new(),
        }
    }

    /// A transaction was tried, from `began` until now.
    pub(super) fn wrote(&mut self, began: Instant, hub: &Hub) {
        self.wrote = true;
        self.stale = true;
        self.busy.wrote(began, Instant::now());
        if !self.paused && self.busy.is_busy() && hub.pause_watching() {
            self.paused = true;
            self.look_every = LOOK_EVERY_BUSY;
        }
    }

    /// Whether transactions follow one another without a pause.
    pub(super) fn is_busy(&self) -> bool {
        self.busy.is_busy()
    }

    /// A file event came.
    pub(super) fn look_soon(&mut self) {
        self.event = Some((Instant::now(), 0));
    }

    /// Whether our own work has put off looking for long enough.
    pub(super) fn is_look_overdue(&self) -> bool {
        self.looked.elapsed() >= LOOK_PATIENCE
    }

    /// How long until there is something to do.
    pub(super) fn due_in(&self) -> Duration {
        let keep = KEEP_EVERY.saturating_sub(self.kept.elapsed());
        let due = self.look_in().min(keep);
        if self.paused {
            due.min(self.busy.idle_in(Instant::now()))
        } else {
            due
        }
    }

    fn look_in(&self) -> Duration {
        let poll = self.look_every.saturating_sub(self.looked.elapsed());
        match self.event {
            Some((_, 0)) => Duration::ZERO,
            Some((event, made)) => LOOK_AGAIN[made - 1]
                .saturating_sub(event.elapsed())
                .min(poll),
            None => poll,
        }
    }

    /// Does what is due. Whether that was a look, at which the files want to be checked too.
    pub(super) fn run(
        &mut self,
        connection: &Connection,
        files: Option<&OpenFiles>,
        hub: &Hub,
    ) -> bool {
        if self.paused && self.busy.idle_in(Instant::now()).is_zero() {
            hub.resume_watching();
            self.paused = false;
            self.look_every = look_every(hub);
            // For what was committed before the watching began.
            self.look_soon();
        }
        let looks = self.look_in().is_zero();
        if looks {
            self.look(connection, hub);
        }
        if self.kept.elapsed() >= KEEP_EVERY {
            self.kept = Instant::now();
            if !hub.keeps() {
                return looks;
            }
            if let Some(files) = files {
                let limit = if self.wrote {
                    BUSY_LOG_LIMIT
                } else {
                    IDLE_LOG_LIMIT
                };
                shrink_log(connection, files, limit);
            }
            self.keep(connection);
            if self.set_back.look(connection) {
                hub.foreign_commit();
            }
        }
        looks
    }

    /// Tells the stores when another process has committed since the last look.
    fn look(&mut self, connection: &Connection, hub: &Hub) {
        self.looked = Instant::now();
        // The looks go on after a change: a second commit may be behind the same event.
        self.event = self
            .event
            .filter(|(_, made)| *made < LOOK_AGAIN.len())
            .map(|(event, made)| (event, made + 1));
        let version = data_version(connection);
        if version.is_some() && version != self.data_version {
            self.data_version = version;
            hub.foreign_commit();
        }
    }

    fn keep(&mut self, connection: &Connection) {
        if std::mem::take(&mut self.wrote) {
            open::take_statistics(connection);
        }
        if self.stale && self.optimized.elapsed() >= OPTIMIZE_EVERY {
            self.stale = false;
            self.optimized = Instant::now();
            if let Err(error) = connection.execute_batch(sql::OPTIMIZE) {
                tracing::debug!(%error, "optimize was put off");
            }
        }
    }
}

fn look_every(hub: &Hub) -> Duration {
    if hub.is_watched() {
        LOOK_EVERY
    } else {
        LOOK_EVERY_UNWATCHED
    }
}

/// Cuts a log that a long reader let grow, once that reader has left. Until then it is tried in vain, at no cost.
fn shrink_log(connection: &Connection, files: &OpenFiles, limit: u64) {
    let log = fs::metadata(files.log_path()).map_or(0, |log| log.len());
    if log <= limit {
        return;
    }
    let cut = || {
        connection.busy_timeout(CUT_PATIENCE)?;
        let busy = connection.query_row(sql::CHECKPOINT, [], |row| row.get::<_, bool>(0));
        connection.busy_timeout(Duration::ZERO)?;
        busy
    };
    let busy = cut();
    tracing::debug!(log, ?busy, "cut the log");
}

fn data_version(connection: &Connection) -> Option<i64> {
    let read = || {
        connection
            .prepare_cached(sql::DATA_VERSION)?
            .query_row([], |row| row.get(0))
    };
    read().ok()
}
