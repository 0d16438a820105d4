//! The Postgres dialect: every statement, read from `protocol/` at compile time.
//!
//! `{words in braces}` stand for a piece that several statements share, or that the claim's shape decides. A caller's
//! text never takes their place: values travel as parameters.

mod inspect;

use std::fmt::Write as _;
use std::sync::LazyLock;

pub use claims::{Columns, DrawShape, NameMatch, ROUND_HEAD_COLUMNS, RoundShape, draw, round};
pub use inspect::question;

use super::{LEASE_EXPIRED, Migration};
use crate::store::command::{ListFilter, PurgeFilter};

macro_rules! sql {
    ($name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/protocol/sql/postgres/",
            $name,
            ".sql"
        ))
    };
}

// Below the macro, which it uses.
mod claims;

macro_rules! migrations {
    ($($level:literal $name:literal),* $(,)?) => {
        &[$(Migration {
            name: concat!($name, ".sql"),
            level: $level,
            sql: include_str!(concat!("../../protocol/migrations/postgres/", $name, ".sql")),
        }),*]
    };
}

/// In the order they apply.
pub const MIGRATIONS: &[Migration] = migrations![
    1 "0001_init",
    2 "0002_purge_index",
    3 "0003_notify",
    4 "0004_lease_index",
    5 "0005_clear_terminal_lease",
    6 "0006_claim_name_index",
    7 "0007_purge_status_index",
    8 "0008_claim_due_index",
    9 "0009_purge_queue_index",
    10 "0010_drop_status_index",
];

/// The migration that makes the trigger.
pub const NOTIFY_MIGRATION: &str = "0003_notify.sql";

/// What a trigger without a prefix calls the channel that names queues with new work.
pub const QUEUED_CHANNEL: &str = "cairnq_queued";

/// The same for the ids of tasks that have ended.
pub const DONE_CHANNEL: &str = "cairnq_done";

/// How many columns `{task}` stands for.
pub const TASK_COLUMN_COUNT: usize = 23;

fn filled(sql: &str) -> String {
    sql.replace("{task}", sql!("task_columns").trim_end())
        .replace("{settle}", sql!("settle").trim_end())
        .replace("{outcomes}", sql!("outcomes").trim_end())
        .replace("{recover}", sql!("recover").trim_end())
        .replace("{clock}", sql!("clock").trim_end())
        .replace("{lease_expired}", &format!("'{LEASE_EXPIRED}'"))
}

macro_rules! statements {
    ($($constant:ident = $name:literal;)*) => {
        $(
            #[doc = concat!("`protocol/sql/postgres/", $name, ".sql`")]
            pub static $constant: LazyLock<String> = LazyLock::new(|| filled(sql!($name)));
        )*

        /// Every statement that has one text, by name: a test prepares them all.
        #[must_use]
        pub fn fixed_statements() -> Vec<(&'static str, &'static str)> {
            vec![$(($name, $constant.as_str())),*]
        }
    };
}

statements! {
    SETTINGS = "settings";
    SETTINGS_SCAN = "settings_scan";
    LOCK_TIMEOUT = "lock_timeout";
    SETTLE_ROWS = "settle_rows";
    SETTLED_CHECK = "settled_check";
    RECOVER = "recover_only";
    KEY_LOCK = "key_lock";
    KEY_TASKS = "key_tasks";
    KEY_TARGET = "key_target";
    KEY_STATUS = "key_status";
    TASKS = "tasks";
    TASK_STATUS = "task_status";
    FINISHED = "finished";
    CANCEL = "cancel";
    RETRY = "retry";
    STATS = "stats";
    STATS_QUEUE = "stats_queue";
    QUEUE_DEPTH = "queue_depth";
    RENEW = "renew";
    OWNED = "owned";
    HEARTBEAT = "heartbeat";
    PROGRESS = "progress";
    META = "meta";
    RELATIONS = "relations";
    LEDGER_CREATE = "ledger_create";
    LEDGER_LOCK = "ledger_lock";
    LEDGER_NAMES = "ledger_names";
    LEDGER_ADD = "ledger_add";
    KEY_TASK_INDEX = "key_task_index";
    SCHEMA_NAME = "schema_name";
    SCHEMA_CREATE = "schema_create";
    CHANNEL_PREFIX = "channel_prefix";
    CHANNELS = "channels";
    PING = "ping";
    BACKEND_WORKS = "backend_works";
}

/// Opens a transaction.
pub const BEGIN: &str = "begin";
/// Makes it durable.
pub const COMMIT: &str = "commit";
/// Undoes it.
pub const ROLLBACK: &str = "rollback";

/// Inserts tasks without keys.
pub static INSERT: LazyLock<String> =
    LazyLock::new(|| filled(sql!("insert")).replace("{point}", ""));

/// Inserts tasks and points their keys at them.
pub static INSERT_KEYED: LazyLock<String> =
    LazyLock::new(|| filled(&sql!("insert").replace("{point}", sql!("insert_point").trim_end())));

/// The read-only look whether a claim session would find anything.
#[must_use]
pub fn probe(due_order: bool, any_name: bool) -> &'static str {
    static TEXTS: LazyLock<[[String; 2]; 2]> = LazyLock::new(|| {
        [sql!("probe_created"), sql!("probe_due")].map(|text| {
            [" and t.name = p.name", ""].map(|name| filled(&text.replace("{name}", name)))
        })
    });
    &TEXTS[usize::from(due_order)][usize::from(any_name)]
}

/// Adds one `column = $n` per value given: an optional filter written into one statement never reaches an index.
fn filters<'a>(first: usize, values: &[(&str, Option<&'a str>)]) -> (Vec<String>, Vec<&'a str>) {
    let mut terms = Vec::new();
    let mut parameters = Vec::new();
    for (column, value) in values {
        if let Some(value) = value {
            terms.push(format!("t.{column} = ${}::text", first + parameters.len()));
            parameters.push(*value);
        }
    }
    (terms, parameters)
}

/// `list` from the filters given. Its parameters start at `$3`, behind limit and offset.
#[must_use]
pub fn list(filter: &ListFilter) -> (String, Vec<&str>) {
    let (terms, parameters) = filters(
        3,
        &[
            ("root_id", filter.root_id.as_deref()),
            ("correlation_id", filter.correlation_id.as_deref()),
            ("queue", filter.queue.as_deref()),
            ("status", filter.status.map(crate::model::Status::as_str)),
            ("name", filter.name.as_deref()),
        ],
    );
    let clause = if terms.is_empty() {
        String::new()
    } else {
        format!("\nwhere {}", terms.join(" and "))
    };
    (
        filled(&sql!("list").replace("{filters}", &clause)),
        parameters,
    )
}

/// `purge` from the filters given. Its parameters start at `$3`, behind the age and the limit.
#[must_use]
pub fn purge(filter: &PurgeFilter) -> (String, Vec<&str>) {
    let (terms, parameters) = filters(
        3,
        &[
            ("status", filter.status.map(crate::model::Status::as_str)),
            ("name", filter.name.as_deref()),
            ("queue", filter.queue.as_deref()),
        ],
    );
    let clause = terms.iter().fold(String::new(), |mut clause, term| {
        // Writing to a String cannot fail.
        let _ = write!(clause, " and {term}");
        clause
    });
    (
        filled(&sql!("purge").replace("{filters}", &clause)),
        parameters,
    )
}
