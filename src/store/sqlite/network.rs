//! Whether a database lies on another host's disk, where `SQLite`'s locks and shared memory cannot be relied on.

use std::fs;
use std::path::{Path, PathBuf};

use crate::store::Warning;

/// Types of file systems that are, or may be, shared with another kernel. Those that only look like it, such as FUSE
/// over a local disk, are not here.
const REMOTE: &[&str] = &[
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "fuse.blobfuse2",
    "fuse.ceph-fuse",
    "fuse.davfs",
    "fuse.gcsfuse",
    "fuse.glusterfs",
    "fuse.goofys",
    "fuse.juicefs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "gfs2",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "ocfs2",
    "orangefs",
    "smb3",
    "smbfs",
    "virtiofs",
];

/// What to tell whoever opens the database at `path`. Nothing on systems that keep no list of mounts where Linux does.
pub(super) fn warning(path: &Path) -> Option<Warning> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let path = fs::canonicalize(path).ok()?;
    let kind = kind(&mounts, &path).filter(|kind| REMOTE.contains(kind))?;
    Some(Warning {
        name: "NetworkFileSystemWarning",
        message: format!(
            "the database {} lies on a network file system ({kind}), where SQLite's locks and shared memory cannot be \
             relied on: use a local disk, or Postgres for several hosts",
            path.display()
        ),
    })
}

/// The type of the file system that `path` is on: the one mounted last on the longest part of it.
fn kind<'m>(mounts: &'m str, path: &Path) -> Option<&'m str> {
    mounts
        .lines()
        .filter_map(|line| {
            let (before, after) = line.split_once(" - ")?;
            let point = PathBuf::from(unescaped(before.split(' ').nth(4)?));
            let depth = point.components().count();
            let kind = after.split(' ').next()?;
            path.starts_with(&point).then_some((depth, kind))
        })
        .max_by_key(|(depth, _)| *depth)
        .map(|(_, kind)| kind)
}

/// Blanks and backslashes in a mount point are written as three octal digits.
fn unescaped(text: &str) -> String {
    [
        ("\\040", " "),
        ("\\011", "\t"),
        ("\\012", "\n"),
        ("\\134", "\\"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (escape, plain)| {
        text.replace(escape, plain)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:40 / /mnt/share rw,relatime shared:2 - nfs4 host:/export rw
31 30 254:1 / /mnt/share/local rw,relatime - xfs /dev/vdb rw
32 22 0:41 / /mnt/two\\040words rw,relatime - cifs //host/share rw
33 22 0:42 / /mnt/over rw,relatime - nfs host:/export rw
34 22 254:2 / /mnt/over rw,relatime - ext4 /dev/vdc rw
";

    #[test]
    fn the_deepest_and_latest_mount_decides() {
        for (path, expected) in [
            ("/srv/tasks.db", "ext4"),
            ("/mnt/share/tasks.db", "nfs4"),
            ("/mnt/shared/tasks.db", "ext4"),
            ("/mnt/share/local/deep/tasks.db", "xfs"),
            ("/mnt/two words/tasks.db", "cifs"),
            ("/mnt/over/tasks.db", "ext4"),
        ] {
            assert_eq!(kind(MOUNTS, Path::new(path)), Some(expected), "{path}");
        }
        assert_eq!(kind("nonsense", Path::new("/srv")), None);
    }

    #[test]
    fn a_local_disk_is_not_warned_of() {
        let directory = tempfile::tempdir().expect("a directory");
        assert!(warning(directory.path()).is_none());
    }
}
