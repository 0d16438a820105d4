//! Every hot statement reaches its index whatever the statistics say: none, taken while everything was queued, or
//! taken when everything was finished, as we take them or by somebody else in full.

use rusqlite::{Connection, StatementStatus, params_from_iter};

use super::statements::fixed;
use super::{Location, Place, text};
use crate::model::Status;
use crate::protocol::sqlite as sql;
use crate::protocol::{MIGRATE_TARGETS, MigrateTo};
use crate::store::command::{ListFilter, PurgeFilter};

/// Every combination of filters.
pub(super) fn list_filters() -> Vec<ListFilter> {
    let word = |set: bool| set.then(|| "word".to_owned());
    (0..32_u32)
        .map(|bits| ListFilter {
            status: (bits & 1 != 0).then_some(Status::Failed),
            queue: word(bits & 2 != 0),
            name: word(bits & 4 != 0),
            root_id: word(bits & 8 != 0),
            correlation_id: word(bits & 16 != 0),
            limit: 100,
            offset: 0,
        })
        .collect()
}

pub(super) fn purge_filters() -> Vec<PurgeFilter> {
    let word = |set: bool| set.then(|| "word".to_owned());
    (0..8_u32)
        .map(|bits| PurgeFilter {
            older_than_ms: 0,
            limit: 1_000,
            status: (bits & 1 != 0).then_some(Status::Failed),
            queue: word(bits & 2 != 0),
            name: word(bits & 4 != 0),
        })
        .collect()
}

const ALL_QUEUED: &str = "update cairnq_tasks set status = 'queued', completed_at_ms = null";
const ALL_FINISHED: &str =
    "update cairnq_tasks set status = 'succeeded', completed_at_ms = run_at_ms";
const ANALYZE_IN_FULL: &str = "pragma analysis_limit = 0; analyze";

/// A connection of ours to a database in which every row looks alike, so that statistics call every index useless.
fn backlog(place: &Place, migrate: MigrateTo) -> Connection {
    let _store = place.opened(migrate);
    let location = Location::new(text(&place.path()));
    let connection = location.connect(false).expect("a connection");
    connection
        .execute_batch(
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
             insert into cairnq_tasks
               (id, name, queue, status, payload, root_id, correlation_id, run_at_ms, created_at_ms, updated_at_ms)
             select printf('task_%05d', i), 'word', 'word', 'queued', '{}', 'word', 'word', 1, i, i from n",
        )
        .expect("a backlog");
    connection
}

pub(super) fn plan(connection: &Connection, statement: &str) -> String {
    let mut explained = connection
        .prepare(&format!("explain query plan {statement}"))
        .unwrap_or_else(|error| panic!("{error}: {statement}"));
    // The parameters' values do not matter to a plan here, only that there are as many.
    let parameters = vec![rusqlite::types::Null; explained.parameter_count()];
    let steps: Vec<String> = explained
        .query_map(params_from_iter(parameters), |row| row.get(3))
        .and_then(Iterator::collect)
        .unwrap_or_else(|error| panic!("{error}: {statement}"));
    steps.join("; ")
}

pub(super) fn in_every_state(check: impl Fn(&Connection, MigrateTo, &str)) {
    for migrate in MIGRATE_TARGETS {
        let place = Place::new();
        let connection = backlog(&place, migrate);
        check(&connection, migrate, "no statistics");
        for (rows, state) in [(ALL_QUEUED, "all queued"), (ALL_FINISHED, "all finished")] {
            connection.execute_batch(rows).expect("rows");
            for analyze in [sql::ANALYZE, ANALYZE_IN_FULL] {
                connection.execute_batch(analyze).expect("statistics");
                check(&connection, migrate, &format!("{state}, {analyze}"));
            }
        }
    }
}

#[test]
fn hot_statements_keep_their_index() {
    let by_id = "USING INDEX sqlite_autoindex_cairnq_tasks_1 (id=?)";
    let claim = "cairnq_tasks_claim_idx (queue=? AND status=?)";
    let claim_name = "cairnq_tasks_claim_name_idx (queue=? AND status=? AND name=?)";
    let lease = "cairnq_tasks_lease_idx (lease_until_ms>? AND lease_until_ms<?)";
    in_every_state(|connection, migrate, state| {
        let (heads, heads_name) = match migrate {
            MigrateTo::Default => (&sql::CLAIM_HEADS_CREATED, &sql::CLAIM_HEADS_CREATED_NAME),
            _ => (&sql::CLAIM_HEADS_DUE, &sql::CLAIM_HEADS_DUE_NAME),
        };
        for (statement, index) in [
            (heads.as_str(), claim),
            (heads_name.as_str(), claim_name),
            (sql::PROBE_DUE, claim),
            (sql::PROBE_DUE_NAME, claim_name),
            (sql::PROBE_EXPIRED, lease),
            (sql::RECOVER, lease),
            (sql::QUEUE_DEPTH, claim),
            (sql::CLAIM_TAKE, "USING INTEGER PRIMARY KEY"),
            (sql::RENEW, by_id),
            (sql::COMPLETE, by_id),
            (sql::COMPLETE_CANCELED, by_id),
            (sql::SUCCEED, by_id),
            (sql::FAIL, by_id),
            (sql::RELEASE, by_id),
            (sql::PROGRESS, by_id),
            (sql::CANCEL, by_id),
            (sql::RETRY, by_id),
            (sql::PURGE_DELETE, "sqlite_autoindex_cairnq_tasks_1 (id=?)"),
            (sql::TASK_GET.as_str(), by_id),
            (sql::TASK_BY_KEY.as_str(), by_id),
            (sql::TASK_STATUS, by_id),
            (sql::TASK_STATUS_BY_KEY, by_id),
            (sql::STATS, "COVERING INDEX cairnq_tasks_claim_idx"),
            (sql::STATS_QUEUE, "cairnq_tasks_claim_idx (queue=?)"),
        ] {
            let plan = plan(connection, statement);
            assert!(plan.contains(index), "{state}: {plan}: {statement}");
            assert!(
                !plan.contains("TEMP B-TREE"),
                "{state}: {plan}: {statement}"
            );
        }
    });
}

/// From level 8 on the index holds the id, and nobody asks.
#[test]
fn the_ids_of_a_tie_are_read_from_where_the_draw_stands() {
    in_every_state(|connection, migrate, state| {
        if migrate != MigrateTo::Default {
            return;
        }
        for statement in [sql::CLAIM_TIE, sql::CLAIM_TIE_NAME] {
            let plan = plan(connection, statement);
            let place = "priority=? AND created_at_ms=? AND rowid>?)";
            assert!(plan.contains(place), "{state}: {plan}: {statement}");
        }
    });
}

#[test]
fn every_list_filter_reaches_an_index() {
    in_every_state(|connection, migrate, state| {
        for filter in list_filters() {
            let (statement, _) = sql::list(&filter, migrate.level());
            let plan = plan(connection, &statement);
            let filtered = statement.contains(" where ");
            assert_eq!(
                plan.starts_with("SEARCH cairnq_tasks USING INDEX"),
                filtered,
                "{state}: {plan}: {statement}"
            );
        }
    });
}

#[test]
fn a_purge_walks_the_oldest_first_and_sorts_nothing() {
    in_every_state(|connection, migrate, state| {
        for filter in purge_filters() {
            let (statement, _) = sql::purge_select(&filter, 0, migrate.level());
            let plan = plan(connection, &statement);
            assert!(
                plan.contains("completed_at_ms<?"),
                "{state}: {plan}: {statement}"
            );
            assert!(
                !plan.contains("TEMP B-TREE"),
                "{state}: {plan}: {statement}"
            );
            if migrate == MigrateTo::Latest && filter.queue.is_some() {
                assert!(plan.contains("(queue=? AND completed_at_ms<?)"), "{plan}");
            }
        }
    });
}

#[test]
fn a_purged_row_finds_its_keys_by_index() {
    let place = Place::new();
    let connection = backlog(&place, MigrateTo::Default);
    let plan = plan(
        &connection,
        "delete from cairnq_task_keys where task_id = ?1",
    );
    assert!(plan.contains("cairnq_task_keys_task_id_idx"), "{plan}");
}

/// How often a statement was prepared again while it ran with one set of values after another.
fn prepared_again(connection: &Connection, statement: &str) -> i32 {
    let mut statement = connection.prepare(statement).expect("it prepares");
    let count = statement.parameter_count();
    if count == 0 {
        return 0;
    }
    for value in ["a", "b", "c"] {
        let values = vec![value; count];
        // What the schema refuses has run far enough.
        let mut rows = statement.query(params_from_iter(values)).expect("it runs");
        while let Ok(Some(_)) = rows.next() {}
    }
    statement.get_status(StatementStatus::RePrepare)
}

#[test]
fn no_statement_is_prepared_again_for_other_values() {
    for migrate in MIGRATE_TARGETS {
        let place = Place::new();
        let connection = backlog(&place, migrate);
        connection.execute_batch(ALL_QUEUED).expect("rows");
        connection
            .execute_batch(ANALYZE_IN_FULL)
            .expect("statistics");
        connection.execute_batch("begin").expect("a transaction");
        let again: Vec<_> = fixed()
            .into_iter()
            .filter(|statement| prepared_again(&connection, statement) > 0)
            .collect();
        assert_eq!(again, <[&str; 0]>::default(), "{migrate:?}");
    }
}
