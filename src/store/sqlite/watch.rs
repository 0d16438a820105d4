//! Noticing commits of other processes: file events on the database's directory.
//!
//! An event only asks the writer to look at `data_version`, on its own connection, so that our own commits wake nobody.
//! They cost events all the same, several each: a writer that is busy pauses the watching and looks by itself.

use std::path::{Path, PathBuf};
use std::sync::Weak;
use std::time::{Duration, Instant};

use notify::{Config, Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::hub::Hub;

/// How long the watching thread rests after an event.
const REST: Duration = Duration::from_millis(1);

/// Elsewhere a paused watcher is made anew by the system, at a cost of milliseconds.
const PAUSES: bool = cfg!(target_os = "linux");

/// Ends the watching when dropped.
pub(super) struct Watcher {
    inner: RecommendedWatcher,
    folder: PathBuf,
    paused: bool,
}

impl Watcher {
    /// Whether it makes no events at present.
    #[cfg(test)]
    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Makes no more events. Whether that could be done.
    pub(super) fn pause(&mut self) -> bool {
        self.paused = self.paused || (PAUSES && self.inner.unwatch(&self.folder).is_ok());
        self.paused
    }

    /// Makes events again. Whether that could be done.
    pub(super) fn resume(&mut self) -> bool {
        let resumed = self.inner.watch(&self.folder, RecursiveMode::NonRecursive);
        self.paused = resumed.is_err();
        !self.paused
    }
}

/// Watches the folder of `database`. None when the system offers no file events: the slow poll goes on alone.
pub(super) fn start(database: &Path, hub: Weak<Hub>) -> Option<Watcher> {
    let folder = database
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let name = database.file_name()?.to_owned();
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
        let mut inner = RecommendedWatcher::new(on_event, Config::default())?;
        inner.watch(folder, RecursiveMode::NonRecursive)?;
        Ok(Watcher {
            inner,
            folder: folder.to_owned(),
            paused: false,
        })
    };
    watch().inspect_err(|error| tracing::warn!(%error, "no file events, other processes' commits are polled for")).ok()
}
