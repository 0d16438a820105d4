//! The `SQLite` dialect: every statement, read from `protocol/` at compile time.

mod filters;
mod inspect;

use std::sync::LazyLock;

use super::Migration;

pub use filters::{Parameter, list, purge_select};
pub use inspect::question;

macro_rules! sql {
    ($name:literal) => {
        include_str!(concat!("../../protocol/sql/sqlite/", $name, ".sql"))
    };
}

macro_rules! migrations {
    ($($level:literal $name:literal),* $(,)?) => {
        &[$(Migration {
            name: concat!($name, ".sql"),
            level: $level,
            sql: include_str!(concat!("../../protocol/migrations/sqlite/", $name, ".sql")),
        }),*]
    };
}

/// In the order they apply.
pub const MIGRATIONS: &[Migration] = migrations![
    1 "0001_init",
    2 "0002_purge_index",
    4 "0004_lease_index",
    5 "0005_clear_terminal_lease",
    6 "0006_claim_name_index",
    7 "0007_purge_status_index",
    8 "0008_claim_due_index",
    9 "0009_purge_queue_index",
    10 "0010_drop_status_index",
];

/// The columns of a task in the order [`crate::store::sqlite`] reads them.
const TASK_COLUMNS: &str = sql!("task_columns");

/// How many columns that is: what follows them in a statement starts at this index.
pub const TASK_COLUMN_COUNT: usize = 23;

fn with_columns(sql: &str) -> String {
    sql.replace("{task}", TASK_COLUMNS.trim_end())
}

macro_rules! row_statements {
    ($($(#[$doc:meta])* $constant:ident = $name:literal;)*) => {
        $($(#[$doc])* pub static $constant: LazyLock<String> = LazyLock::new(|| with_columns(sql!($name)));)*

        /// All of them that read a whole task.
        #[cfg(test)]
        pub(crate) fn rows() -> Vec<&'static LazyLock<String>> {
            vec![$(&$constant),*]
        }
    };
}

row_statements! {
    /// One task by id.
    TASK_GET = "task_get";
    /// The same by rowid.
    TASK_AT = "task_at";
    /// The task a key leads to.
    TASK_BY_KEY = "task_by_key";
    /// Claimable rows of a queue in the order below level 8.
    CLAIM_HEADS_CREATED = "claim_heads_created";
    /// The same of one name.
    CLAIM_HEADS_CREATED_NAME = "claim_heads_created_name";
    /// Claimable rows of a queue in the order from level 8 on.
    CLAIM_HEADS_DUE = "claim_heads_due";
    /// The same of one name.
    CLAIM_HEADS_DUE_NAME = "claim_heads_due_name";
}

macro_rules! statements {
    ($($constant:ident = $name:literal;)*) => {
        $(#[doc = concat!("`protocol/sql/sqlite/", $name, ".sql`")] pub const $constant: &str = sql!($name);)*

        /// All of them that do not.
        #[cfg(test)]
        pub(crate) const ALL: &[&str] = &[$($constant),*];
    };
}

statements! {
    CLOCK_SET_BACK = "clock_set_back";
    TASK_INSERT = "task_insert";
    TASK_STATUS = "task_status";
    TASK_STATUS_BY_KEY = "task_status_by_key";
    KEY_GET = "key_get";
    KEY_POINT = "key_point";
    CANCEL = "cancel";
    RETRY = "retry";
    PURGE_DELETE = "purge_delete";
    STATS = "stats";
    STATS_QUEUE = "stats_queue";
    QUEUE_DEPTH = "queue_depth";
    SCHEMA_VERSION = "schema_version";
    PROTOCOL_VERSION = "protocol_version";
    CLAIM_TAKE = "claim_take";
    CLAIM_TIE = "claim_tie";
    CLAIM_TIE_NAME = "claim_tie_name";
    PROBE_DUE = "probe_due";
    PROBE_DUE_NAME = "probe_due_name";
    PROBE_EXPIRED = "probe_expired";
    RECOVER = "recover";
    RENEW = "renew";
    PROGRESS = "progress";
    RELEASE = "release";
    SUCCEED = "succeed";
    COMPLETE = "complete";
    COMPLETE_CANCELED = "complete_canceled";
    FAIL = "fail";
    LEDGER_CREATE = "ledger_create";
    LEDGER_ADD = "ledger_add";
    LEDGER_NAMES = "ledger_names";
    TABLE_EXISTS = "table_exists";
    KEY_TASK_INDEX = "key_task_index";
    ANY_TASK = "any_task";
    HAS_STATISTICS = "has_statistics";
}

/// Takes the write lock now: a read transaction that turned into a write would be refused whatever the timeout.
pub const BEGIN: &str = "begin immediate";
/// Makes a transaction durable.
pub const COMMIT: &str = "commit";
/// Undoes a transaction.
pub const ROLLBACK: &str = "rollback";
/// Opens a part of a transaction that can fail alone.
pub const SAVEPOINT: &str = "savepoint member";
/// Keeps that part.
pub const SAVEPOINT_KEEP: &str = "release member";
/// Undoes that part.
pub const SAVEPOINT_UNDO: &str = "rollback to member; release member";
/// Statistics for the planner; bounded, so that a million rows cost what a thousand do.
pub const ANALYZE: &str = "pragma analysis_limit = 400; analyze cairnq_tasks";
/// Refreshes statistics that went stale.
pub const OPTIMIZE: &str = "pragma analysis_limit = 400; pragma optimize";
/// Bytes of a page.
pub const PAGE_SIZE: &str = "pragma page_size";
/// Changes when another connection has committed.
pub const DATA_VERSION: &str = "pragma data_version";
/// Copies the log into the database and cuts the file, if no reader holds it.
pub const CHECKPOINT: &str = "pragma wal_checkpoint(truncate)";
/// Copies what it can of the log into the database, waiting for nobody.
pub const CHECKPOINT_PASSIVE: &str = "pragma wal_checkpoint(passive)";
/// Names the journal mode in force.
pub const JOURNAL_MODE: &str = "pragma journal_mode";
/// Switches to write-ahead logging. Ignores the busy timeout.
pub const SET_WAL: &str = "pragma journal_mode = wal";

/// Settings of every connection. `temp_store` is the one with a large effect: statement journals stay off the disk.
pub const CONNECTION_SETTINGS: &str =
    "pragma synchronous = normal; pragma temp_store = memory; pragma foreign_keys = on;";

/// Pages in the log when a busy writer copies it back: measured 10 to 25 % faster for small transactions than `SQLite`'s
/// 1,000. Whoever holds the connection sees to it.
pub const CHECKPOINT_PAGES: u32 = 4_000;

/// Settings of the writing connection. The log is cut to the 17 MB that [`CHECKPOINT_PAGES`] take when it starts over; our
/// writer cuts it further when it has nothing to write. JSON comes from `JSON.stringify` and is not checked a second time
/// by the column's constraint, which would also refuse nesting past 1,000.
pub const WRITER_SETTINGS: &str =
    "pragma journal_size_limit = 17825792; pragma ignore_check_constraints = on;";

/// Settings of a reading connection.
pub const READER_SETTINGS: &str = "pragma query_only = on;";
