//! Noticing commits of other processes: file events on the database and its log.
//!
//! An event only asks the writer to look at `data_version`, on its own connection, so that our own commits wake nobody.
//! They cost events all the same, several each: a writer that is busy pauses the watching and looks by itself.

use std::path::PathBuf;
use std::sync::Weak;
use std::time::{Duration, Instant};

use notify::{Config, Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::files::OpenFiles;
use super::hub::Hub;

/// How long the watching thread rests after an event.
const REST: Duration = Duration::from_millis(1);

/// Elsewhere a paused watcher is made anew by the system, at a cost of milliseconds.
const PAUSES: bool = cfg!(target_os = "linux");

/// Ends the watching when dropped.
pub(super) struct Watcher {
    inner: RecommendedWatcher,
    watched: Vec<PathBuf>,
    paused: bool,
}

impl Watcher {
    /// Whether it makes no events at present.
    #[cfg(test)]
    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Makes no more events. Whether that can be done.
    pub(super) fn pause(&mut self) -> bool {
        if PAUSES && !self.paused {
            for path in &self.watched {
                // What is gone makes no events anyway.
                let _ = self.inner.unwatch(path);
            }
            self.paused = true;
        }
        self.paused
    }

    /// Makes events again. Whether that could be done.
    pub(super) fn resume(&mut self) -> bool {
        self.paused = false;
        self.watch().is_ok()
    }

    fn watch(&mut self) -> notify::Result<()> {
        let mut each = self.watched.iter();
        each.try_for_each(|path| self.inner.watch(path, RecursiveMode::NonRecursive))
    }
}

/// The two files that a commit writes to. Not their folder, where others may write all the time, unless there is no log
/// yet: it comes with the first commit.
fn watched(files: &OpenFiles) -> Vec<PathBuf> {
    let (database, log) = (files.path(), files.log_path());
    if log.exists() {
        vec![database.to_owned(), log]
    } else {
        database
            .parent()
            .map(ToOwned::to_owned)
            .into_iter()
            .collect()
    }
}

/// Watches the database. None when the system offers no file events: the slow poll goes on alone.
pub(super) fn start(files: &OpenFiles, hub: Weak<Hub>) -> Option<Watcher> {
    let name = files.path().file_name()?.to_owned();
    let mut rested = Instant::now();
    let on_event = move |event: notify::Result<Event>| {
        // The log and the shared index carry the database's name as a prefix.
        let ours = |path: &std::path::PathBuf| {
            path.file_name()
                .is_some_and(|file| file.as_encoded_bytes().starts_with(name.as_encoded_bytes()))
        };
        if event.is_ok_and(|event| !event.kind.is_access() && event.paths.iter().any(ours))
            && let Some(hub) = hub.upgrade()
        {
            hub.queue.look();
            // Our own commits make events too, several each. The kernel merges what comes while this thread rests; the
            // first event after a quiet spell is passed on before it does.
            if rested.elapsed() >= REST {
                std::thread::sleep(REST);
                rested = Instant::now();
            }
        }
    };
    let watch = || -> notify::Result<Watcher> {
        let mut watcher = Watcher {
            inner: RecommendedWatcher::new(on_event, Config::default())?,
            watched: watched(files),
            paused: false,
        };
        watcher.watch()?;
        Ok(watcher)
    };
    watch().inspect_err(|error| tracing::warn!(%error, "no file events, other processes' commits are polled for")).ok()
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn only_what_a_commit_writes_to_is_watched() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("its path");
        let path = folder.join("tasks.db");
        let connection = Connection::open(&path).expect("a database");
        let logged = "pragma journal_mode = wal; create table t (x)";
        connection.execute_batch(logged).expect("a log");
        let files = OpenFiles::at(&path).expect("files");
        assert_eq!(watched(&files), [path.clone(), folder.join("tasks.db-wal")]);
        // The last to close removes the log, which the next commit makes anew.
        connection.close().expect("closed");
        assert_eq!(watched(&files), [folder]);
    }
}
