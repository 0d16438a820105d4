//! The system calls our copy of `SQLite` makes in place of the C library's.
//!
//! Architecture invariant: the only unsafe code of the store but for one system call in `writeback`, and none of it
//! touches memory that `SQLite` did not hand over for the length of the call.
#![allow(
    unsafe_code,
    reason = "SQLite takes its system calls as C functions, and file locks have no safe interface"
)]

use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_int};
use std::fs;
use std::mem::{MaybeUninit, transmute};
use std::os::fd::RawFd;
use std::sync::{LazyLock, Mutex, MutexGuard, Once, PoisonError};

use rusqlite::ffi;

use super::super::files::FileId;
use super::descriptors::{Access, Descriptors, Lock};

static DESCRIPTORS: LazyLock<Mutex<Descriptors>> = LazyLock::new(Mutex::default);

fn descriptors() -> MutexGuard<'static, Descriptors> {
    DESCRIPTORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `SQLite` keeps a system call as, whatever its signature.
type Call = unsafe extern "C" fn();

pub(super) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: a null name asks for the default VFS, which lives as long as the process.
        let vfs = unsafe { ffi::sqlite3_vfs_find(std::ptr::null()) };
        // SAFETY: `vfs` is null or points to that VFS.
        let Some(set) = (unsafe { vfs.as_ref() }).and_then(|vfs| vfs.xSetSystemCall) else {
            tracing::warn!("this SQLite takes no system calls; locks stay those of the process");
            return;
        };
        // SAFETY: SQLite casts each pointer back to the signature it has for that name, which is the one given here.
        // Its fcntl is declared variadic; on the architectures this is built for, a variadic argument travels where a
        // third argument does.
        let calls: [(&CStr, Call); 3] = unsafe {
            [
                (
                    c"open",
                    transmute::<extern "C" fn(*const c_char, c_int, c_int) -> c_int, Call>(open),
                ),
                (
                    c"close",
                    transmute::<extern "C" fn(c_int) -> c_int, Call>(close),
                ),
                (
                    c"fcntl",
                    transmute::<extern "C" fn(c_int, c_int, *mut libc::flock) -> c_int, Call>(
                        control,
                    ),
                ),
            ]
        };
        for (name, call) in calls {
            // SAFETY: no connection of this copy of SQLite exists yet, so no thread is in the middle of a call.
            let code = unsafe { set(vfs, name.as_ptr(), Some(call)) };
            debug_assert_eq!(code, ffi::SQLITE_OK, "SQLite has this system call");
        }
    });
}

/// Opens a file, or gives a descriptor of it that was kept open.
extern "C" fn open(path: *const c_char, flags: c_int, mode: c_int) -> c_int {
    let access = flags & libc::O_ACCMODE;
    let mut books = descriptors();
    if books.has_idle() {
        release(&mut books);
        if flags & libc::O_EXCL == 0
            && let Some(fd) = stat(path).and_then(|file| books.reuse(file, access))
        {
            return fd;
        }
    }
    // SAFETY: SQLite hands over a path that ends in a zero byte.
    let fd = unsafe { libc::open(path, flags | libc::O_CLOEXEC, mode) };
    if fd >= 0
        && let Some(file) = regular_file(fd)
    {
        books.opened(fd, file, access);
    }
    fd
}

/// Closes a descriptor, unless that would drop locks which somebody else in the process has on the file.
extern "C" fn close(fd: c_int) -> c_int {
    let mut books = descriptors();
    if books.closed(fd) {
        release(&mut books);
        return 0;
    }
    drop(books);
    // SAFETY: SQLite opened it and gives it up.
    unsafe { libc::close(fd) }
}

/// Closes what was kept, as far as nobody else in the process has the files open any more.
fn release(books: &mut Descriptors) {
    // Without a list of descriptors nobody can be ruled out.
    let Some(elsewhere) = open_elsewhere(books) else {
        return;
    };
    for fd in books.take_closable(&elsewhere) {
        // SAFETY: SQLite has given it up, and the books have forgotten it.
        unsafe { libc::close(fd) };
    }
}

/// The files that somebody else in the process has open.
fn open_elsewhere(books: &Descriptors) -> Option<HashSet<FileId>> {
    let all = fs::read_dir("/proc/self/fd").ok()?;
    let numbers = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    Some(
        numbers
            .filter(|fd| !books.is_ours(*fd))
            .filter_map(regular_file)
            .collect(),
    )
}

/// `fcntl` as `SQLite` calls it: for locks, and for the close-on-exec flag, which has a plain number in place of a lock.
extern "C" fn control(fd: c_int, command: c_int, argument: *mut libc::flock) -> c_int {
    let of_description = match command {
        libc::F_SETLK => libc::F_OFD_SETLK,
        libc::F_SETLKW => libc::F_OFD_SETLKW,
        libc::F_GETLK => libc::F_OFD_GETLK,
        // SAFETY: handed on as it came.
        _ => return unsafe { libc::fcntl(fd, command, argument) },
    };
    let Some(holder) = lock_holder(fd) else {
        // SAFETY: handed on as it came.
        return unsafe { libc::fcntl(fd, command, argument) };
    };
    // SAFETY: with these commands SQLite hands over a lock that lives for the length of the call. The owner has to be
    // zero for this kind of lock, and SQLite never sets it.
    unsafe {
        (*argument).l_pid = 0;
        libc::fcntl(holder, of_description, argument)
    }
}

/// The descriptor that holds the locks of the file behind `fd`; none when they are the process's.
fn lock_holder(fd: RawFd) -> Option<RawFd> {
    let mut books = descriptors();
    let (lock, access) = books.lock(fd)?;
    match lock {
        Lock::On(holder) => Some(holder),
        Lock::OfProcess => None,
        Lock::Unknown => {
            let holder = new_holder(fd, access);
            if holder.is_none() {
                tracing::warn!(
                    "no locks of open file descriptions here; see docs/sqlite-in-one-process.md"
                );
            }
            books.set_lock(fd, holder.map_or(Lock::OfProcess, Lock::On));
            holder
        }
    }
}

/// A descriptor for the locks of the file behind `fd`. It outlives the connection that was first to lock, because the
/// others of this process count on its locks.
fn new_holder(fd: RawFd, access: Access) -> Option<RawFd> {
    let mut holder = -1;
    if access == libc::O_RDONLY {
        // A later connection may want to write, and a write lock needs a descriptor that could.
        let path = format!("/proc/self/fd/{fd}\0");
        // SAFETY: the path ends in a zero byte.
        holder = unsafe { libc::open(path.as_ptr().cast(), libc::O_RDWR | libc::O_CLOEXEC) };
    }
    if holder < 0 {
        // SAFETY: duplicates a descriptor that SQLite has open; both stand for one description, and so for its locks.
        holder = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3) };
    }
    (holder >= 0 && knows_such_locks(holder)).then_some(holder)
}

fn knows_such_locks(fd: RawFd) -> bool {
    // SAFETY: all zero is a lock on the whole file, owned by nobody.
    let mut lock: libc::flock = unsafe { MaybeUninit::zeroed().assume_init() };
    lock.l_type = libc::c_short::try_from(libc::F_RDLCK).unwrap_or_default();
    // SAFETY: `lock` lives for the length of the call.
    unsafe { libc::fcntl(fd, libc::F_OFD_GETLK, &raw mut lock) == 0 }
}

fn regular_file(fd: RawFd) -> Option<FileId> {
    let mut found = MaybeUninit::uninit();
    // SAFETY: `found` lives for the length of the call, and is filled in when it succeeds.
    let found = unsafe {
        if libc::fstat(fd, found.as_mut_ptr()) != 0 {
            return None;
        }
        found.assume_init()
    };
    file_id(&found)
}

fn stat(path: *const c_char) -> Option<FileId> {
    let mut found = MaybeUninit::uninit();
    // SAFETY: as above; SQLite hands over a path that ends in a zero byte.
    let found = unsafe {
        if libc::stat(path, found.as_mut_ptr()) != 0 {
            return None;
        }
        found.assume_init()
    };
    file_id(&found)
}

fn file_id(found: &libc::stat) -> Option<FileId> {
    (found.st_mode & libc::S_IFMT == libc::S_IFREG).then_some((found.st_dev, found.st_ino))
}
