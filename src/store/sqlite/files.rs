//! Whether the files at the database's path are still those the writer has open.
//!
//! `SQLite` in WAL mode goes on writing to a file that was removed or replaced, and every such commit is lost. Asking
//! costs a `stat` per file, one to three microseconds each: the writer asks for the database before it begins, and for
//! all of them before it tells anybody of a commit.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use super::errors;
use crate::error::Error;

/// A file by device and inode.
pub(super) type FileId = (u64, u64);

/// What the writer has open.
#[derive(Debug)]
pub(super) struct OpenFiles {
    database: Opened,
    /// The log and the shared index: another process that makes them anew shares no lock with us any more.
    beside: Vec<Opened>,
}

#[derive(Debug)]
struct Opened {
    path: PathBuf,
    id: FileId,
}

/// What is wrong with the files.
#[derive(Debug)]
pub(super) enum Fault {
    /// They are not the ones we have open: only new connections can help.
    Moved(Error),
    /// Nobody may write to the database; ours would still succeed, because it was opened before.
    ReadOnly(Error),
}

impl OpenFiles {
    /// The files of a connection just opened on `path`. None when there is no such file.
    pub(super) fn at(path: &Path) -> Option<Self> {
        // The log lies beside the file itself, not beside a symbolic link to it.
        let path = fs::canonicalize(path).ok()?;
        let beside = ["-wal", "-shm"]
            .iter()
            .filter_map(|suffix| Opened::at(with_suffix(&path, suffix)))
            .collect();
        Some(Self {
            database: Opened::at(path)?,
            beside,
        })
    }

    pub(super) fn id(&self) -> FileId {
        self.database.id
    }

    /// The database's path without symbolic links.
    pub(super) fn path(&self) -> &Path {
        &self.database.path
    }

    pub(super) fn log_path(&self) -> PathBuf {
        with_suffix(&self.database.path, "-wal")
    }

    /// What has happened to the files since they were opened.
    pub(super) fn fault(&self) -> Option<Fault> {
        self.database_fault().or_else(|| self.fault_beside())
    }

    /// What has happened to the database itself.
    pub(super) fn database_fault(&self) -> Option<Fault> {
        match fs::metadata(&self.database.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => self.moved(
                "the database file was removed or moved while open; put it back, or close the store",
            ),
            Ok(now) if id(&now, &self.database.path) != Some(self.database.id) => {
                self.moved("another file was put over the database while it was open")
            }
            Ok(now) if now.permissions().readonly() => {
                let name = self.database.path.display().to_string();
                let error = errors::file("SQLITE_READONLY", "the database is read-only", &name);
                Some(Fault::ReadOnly(error))
            }
            // What cannot be seen is not known: SQLite's own error will say what it means.
            Ok(_) | Err(_) => None,
        }
    }

    fn fault_beside(&self) -> Option<Fault> {
        if self.beside.iter().all(Opened::is_in_place) {
            None
        } else {
            self.moved("the database's -wal or -shm file was removed or replaced while open")
        }
    }

    #[allow(clippy::unnecessary_wraps, reason = "what its callers give")]
    fn moved(&self, text: &str) -> Option<Fault> {
        let name = self.database.path.display().to_string();
        let error = errors::file("SQLITE_READONLY_DBMOVED", text, &name);
        Some(Fault::Moved(error))
    }

    /// Takes the log of a database that another file was put over out of that file's way: `SQLite` would copy it in.
    pub(super) fn clear_left_behind(&self) {
        let replaced = fs::metadata(&self.database.path)
            .is_ok_and(|now| id(&now, &self.database.path) != Some(self.database.id));
        if !replaced {
            return;
        }
        for file in self.beside.iter().filter(|file| file.is_in_place()) {
            let removed = fs::remove_file(&file.path);
            tracing::warn!(path = %file.path.display(), ?removed, "removed what the replaced database left behind");
        }
    }
}

impl Opened {
    fn at(path: PathBuf) -> Option<Self> {
        let id = file_id(&path)?;
        Some(Self { path, id })
    }

    fn is_in_place(&self) -> bool {
        file_id(&self.path) == Some(self.id)
    }
}

/// The file at `path`, links followed.
pub(super) fn file_id(path: &Path) -> Option<FileId> {
    id(&fs::metadata(path).ok()?, path)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems cannot always tell")]
fn id(file: &Metadata, _path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    Some((file.dev(), file.ino()))
}

/// Without inodes the canonical path stands in for the file, which cannot be replaced while it is open.
#[cfg(not(unix))]
fn id(_file: &Metadata, path: &Path) -> Option<FileId> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    fs::canonicalize(path).ok()?.hash(&mut hasher);
    Some((0, hasher.finish()))
}
