//! The Postgres dialect: every statement, read from `protocol/` at compile time.
//!
//! `{words in braces}` stand for a piece that several statements share, or that the claim's shape decides. A caller's
//! text never takes their place: values travel as parameters.

mod inspect;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

pub use inspect::question;

use super::{LEASE_EXPIRED, Migration};
use crate::store::command::{ListFilter, PurgeFilter};

macro_rules! sql {
    ($name:literal) => {
        include_str!(concat!("../../protocol/sql/postgres/", $name, ".sql"))
    };
}

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

/// Columns of a round's answer in front of a task's.
pub const ROUND_HEAD_COLUMNS: usize = 7;

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

/// Which names a draw takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameMatch {
    /// One walk per pair of a queue and a name, from two arrays that run in parallel.
    Paired,
    /// One walk per queue that leaves out names that are not in a set.
    Listed,
    /// Every name.
    Any,
}

/// What decides the text of a draw, and its parameters: lease, limit and queues, then names unless all are taken, then
/// bytes and whether the first row may pass them when there is a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DrawShape {
    /// Ordered walks to merge.
    pub walks: usize,
    /// The names.
    pub names: NameMatch,
    /// Whether the database orders claims by due time (level 8 on) instead of creation time.
    pub due_order: bool,
    /// Whether payload bytes are bounded.
    pub budget: bool,
}

/// What decides the text of a round, and its parameters: the outcomes' six if it settles, the worker, the draw's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RoundShape {
    /// Whether it brings outcomes.
    pub settles: bool,
    /// Whether expired leases are recovered, as they are before every draw.
    pub recovers: bool,
    /// The draw it ends with.
    pub draw: Option<DrawShape>,
}

/// Which columns a draw gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Columns {
    /// The whole row, as `task_columns.sql` has it.
    Task,
    /// What a worker needs to run it and to know its place, as `claimed_columns.sql` has it.
    Claimed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Text {
    Round(RoundShape),
    Draw(DrawShape, Columns),
}

/// Bytes of statement texts kept. Shapes are as many as a program has lists of queues, and their texts grow with those;
/// past this the texts are forgotten and built anew as they are asked for.
const KEPT_BYTES: usize = 4 << 20;

#[derive(Default)]
struct Texts {
    built: HashMap<Text, Arc<str>>,
    bytes: usize,
}

static TEXTS: LazyLock<Mutex<Texts>> = LazyLock::new(Mutex::default);

impl Texts {
    /// Built once per shape, so that a connection meets the same text again and prepares it once.
    fn get(&mut self, text: Text) -> Arc<str> {
        if let Some(built) = self.built.get(&text) {
            return Arc::clone(built);
        }
        let built: Arc<str> = match text {
            Text::Round(shape) => round_text(shape).into(),
            Text::Draw(shape, columns) => draw_only_text(shape, columns).into(),
        };
        if self.bytes + built.len() > KEPT_BYTES {
            *self = Self::default();
        }
        self.bytes += built.len();
        self.built.insert(text, Arc::clone(&built));
        built
    }
}

fn built(text: Text) -> Arc<str> {
    TEXTS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(text)
}

/// A round.
#[must_use]
pub fn round(shape: RoundShape) -> Arc<str> {
    built(Text::Round(shape))
}

/// A draw by itself: the worker comes first, the draw's parameters behind it.
#[must_use]
pub fn draw(shape: DrawShape, columns: Columns) -> Arc<str> {
    built(Text::Draw(shape, columns))
}

fn round_text(shape: RoundShape) -> String {
    let part = |there: bool, change: &str| {
        if there {
            format!("{change}\n{}", sql!("round_changed").trim_end())
        } else {
            sql!("round_unchanged").trim_end().to_owned()
        }
    };
    let worker = if shape.settles { 7 } else { 1 };
    let text = sql!("round")
        .replace("{settled}", &part(shape.settles, "{settle}"))
        .replace("{recovered}", &part(shape.recovers, "{recover}"));
    filled(&match shape.draw {
        None => text
            .replace("{draw}", "")
            .replace("{no_task}", "")
            .replace("{drawn}", ""),
        Some(draw) => text
            .replace("{no_task}", sql!("round_no_task").trim_end())
            .replace("{drawn}", sql!("round_drawn").trim_end())
            .replace("{claimed}", &claimed_columns(draw, "::text"))
            .replace("{draw}", &draw_text(draw, Columns::Claimed, worker)),
    })
}

fn draw_only_text(shape: DrawShape, columns: Columns) -> String {
    let text = sql!("draw_only").replace("{draw}", &draw_text(shape, columns, 1));
    filled(&text.replace(
        "{columns}",
        &match columns {
            Columns::Task => "{task}".to_owned(),
            Columns::Claimed => claimed_columns(shape, "::text"),
        },
    ))
}

/// JSON leaves the statement as text, and until then keeps its form: a large value may still be where it is stored.
fn claimed_columns(shape: DrawShape, json_as: &str) -> String {
    sql!("claimed_columns")
        .trim_end()
        .replace("{text}", json_as)
        .replace("{order}", order(shape))
}

fn order(shape: DrawShape) -> &'static str {
    if shape.due_order {
        "run_at_ms"
    } else {
        "created_at_ms"
    }
}

/// `worker` is the number of its parameter; the draw's come behind it.
fn draw_text(shape: DrawShape, columns: Columns, worker: usize) -> String {
    let first = worker + 1;
    let names = first + 3;
    let bytes = if shape.names == NameMatch::Any {
        names
    } else {
        names + 1
    };
    let name_filter = |branch: usize| match shape.names {
        NameMatch::Paired => format!(" and t.name = (${names}::text[])[{branch}]"),
        NameMatch::Listed => format!(" and t.name = any(${names}::text[])"),
        NameMatch::Any => String::new(),
    };
    let mut picked = if shape.walks == 1 {
        sql!("picked_one").replace("{name}", &name_filter(1))
    } else {
        let branches: Vec<String> = (1..=shape.walks)
            .map(|branch| {
                sql!("picked_branch")
                    .trim_end()
                    .replace("{name}", &name_filter(branch))
                    .replace("{branch}", &branch.to_string())
            })
            .collect();
        sql!("picked_merged").replace("{branches}", &branches.join("\n    union all\n"))
    };
    let size = if shape.budget {
        ", octet_length(t.payload::text) as bytes"
    } else {
        ""
    };
    picked = picked.replace("{size}", size);
    picked.push_str(if shape.budget {
        sql!("picked_budget")
    } else {
        sql!("picked_all")
    });
    sql!("draw")
        .trim_end()
        .replace("{picked}", picked.trim_end())
        .replace("{order}", order(shape))
        .replace(
            "{returned}",
            &match columns {
                Columns::Task => "t.*".to_owned(),
                Columns::Claimed => claimed_columns(shape, ""),
            },
        )
        .replace("{worker}", &format!("${worker}"))
        .replace("{lease}", &format!("${first}"))
        .replace("{limit}", &format!("${}", first + 1))
        .replace("{queues}", &format!("${}", first + 2))
        .replace("{bytes}", &format!("${bytes}"))
        .replace("{oversize_first}", &format!("${}", bytes + 1))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statement_texts_are_kept_within_their_bound() {
        let mut texts = Texts::default();
        let text = |walks| {
            let shape = DrawShape {
                walks,
                names: NameMatch::Any,
                due_order: true,
                budget: true,
            };
            Text::Draw(shape, Columns::Task)
        };
        for walks in 1..1_000 {
            let first = texts.get(text(walks));
            assert!(Arc::ptr_eq(&first, &texts.get(text(walks))), "built twice");
            let kept: usize = texts.built.values().map(|text| text.len()).sum();
            assert_eq!(kept, texts.bytes);
            assert!(kept <= KEPT_BYTES, "{kept} bytes of {walks} walks");
        }
        assert!(texts.built.len() < 999, "nothing was forgotten");
    }
}
