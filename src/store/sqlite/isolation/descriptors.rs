//! Which descriptors our copy of `SQLite` has, on which files, and which of them are kept though it closed them.

use std::collections::{HashMap, HashSet};
use std::os::fd::RawFd;

use super::super::files::FileId;

/// Read, write or both, as `open` was asked for it.
pub(super) type Access = i32;

/// The books. They make no system call; whoever keeps them does.
#[derive(Default)]
pub(super) struct Descriptors {
    open: HashMap<RawFd, (FileId, Access)>,
    files: HashMap<FileId, File>,
}

#[derive(Default)]
struct File {
    open: usize,
    /// Closed by `SQLite`, kept because closing them would drop the locks of somebody else in the process.
    idle: Vec<(RawFd, Access)>,
    lock: Lock,
}

/// Where the locks of a file are.
#[derive(Default, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// Nothing was locked yet.
    #[default]
    Unknown,
    /// All of them on this descriptor, which is ours alone.
    On(RawFd),
    /// The system knows no such locks for this file: they are the process's, as everywhere else.
    OfProcess,
}

impl Descriptors {
    pub(super) fn opened(&mut self, fd: RawFd, file: FileId, access: Access) {
        self.open.insert(fd, (file, access));
        self.files.entry(file).or_default().open += 1;
    }

    /// A kept descriptor of `file` to use again.
    pub(super) fn reuse(&mut self, file: FileId, access: Access) -> Option<RawFd> {
        let known = self.files.get_mut(&file)?;
        let index = known.idle.iter().position(|(_, kept)| *kept == access)?;
        let (fd, access) = known.idle.swap_remove(index);
        self.opened(fd, file, access);
        Some(fd)
    }

    /// `SQLite` is done with `fd`. False when it never was in the books, and can simply be closed.
    pub(super) fn closed(&mut self, fd: RawFd) -> bool {
        let Some((file, access)) = self.open.remove(&fd) else {
            return false;
        };
        if let Some(known) = self.files.get_mut(&file) {
            known.open -= 1;
            known.idle.push((fd, access));
        }
        true
    }

    pub(super) fn has_idle(&self) -> bool {
        self.files.values().any(|file| !file.idle.is_empty())
    }

    /// Takes out every kept descriptor of the files that nobody else in the process has open: those can be closed.
    pub(super) fn take_closable(&mut self, elsewhere: &HashSet<FileId>) -> Vec<RawFd> {
        let mut closable = Vec::new();
        self.files.retain(|id, file| {
            if elsewhere.contains(id) {
                return true;
            }
            closable.extend(file.idle.drain(..).map(|(fd, _)| fd));
            if file.open > 0 {
                return true;
            }
            if let Lock::On(fd) = file.lock {
                closable.push(fd);
            }
            false
        });
        closable
    }

    /// Whether `fd` is one of ours.
    pub(super) fn is_ours(&self, fd: RawFd) -> bool {
        self.open.contains_key(&fd)
            || self.files.values().any(|file| {
                file.lock == Lock::On(fd) || file.idle.iter().any(|(kept, _)| *kept == fd)
            })
    }

    /// Where the locks asked for on `fd` are. None when the file is not in the books.
    pub(super) fn lock(&self, fd: RawFd) -> Option<(Lock, Access)> {
        let (file, access) = self.open.get(&fd)?;
        Some((self.files.get(file)?.lock, *access))
    }

    /// Decides where the locks of the file behind `fd` are, for as long as it is open.
    pub(super) fn set_lock(&mut self, fd: RawFd, lock: Lock) {
        if let Some(file) = self
            .open
            .get(&fd)
            .and_then(|(file, _)| self.files.get_mut(file))
        {
            file.lock = lock;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: FileId = (1, 1);
    const OTHER: FileId = (1, 2);

    fn elsewhere(files: &[FileId]) -> HashSet<FileId> {
        files.iter().copied().collect()
    }

    #[test]
    fn a_descriptor_is_closable_once_nobody_else_has_the_file() {
        let mut books = Descriptors::default();
        books.opened(10, FILE, 2);
        books.opened(11, FILE, 2);
        books.set_lock(10, Lock::On(12));
        assert!(books.closed(10));
        assert_eq!(books.take_closable(&elsewhere(&[FILE])), [0; 0]);
        assert_eq!(books.take_closable(&elsewhere(&[OTHER])), [10]);
        assert_eq!(books.lock(11), Some((Lock::On(12), 2)));
        assert!(books.closed(11));
        assert_eq!(books.take_closable(&elsewhere(&[])), [11, 12]);
        assert!(!books.is_ours(12));
    }

    #[test]
    fn a_kept_descriptor_is_used_again_for_the_same_access() {
        let mut books = Descriptors::default();
        books.opened(10, FILE, 2);
        books.closed(10);
        assert!(books.has_idle());
        assert_eq!(books.reuse(FILE, 0), None);
        assert_eq!(books.reuse(OTHER, 2), None);
        assert_eq!(books.reuse(FILE, 2), Some(10));
        assert!(!books.has_idle());
        assert_eq!(books.take_closable(&elsewhere(&[])), [0; 0]);
    }

    #[test]
    fn what_was_never_opened_through_us_is_nobodys_business() {
        let mut books = Descriptors::default();
        assert!(!books.closed(10));
        assert_eq!(books.lock(10), None);
    }
}
