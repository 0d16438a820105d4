//! Every statement means something to the schema, at both levels, also to one that peers use differently.

use rusqlite::Connection;

use super::Place;
use crate::protocol::sqlite as sql;
use crate::protocol::{MIGRATE_TARGETS, MigrateTo};
use crate::store::command::{ListFilter, PurgeFilter};

pub(super) fn fixed() -> Vec<&'static str> {
    let mut statements = sql::ALL.to_vec();
    statements.extend([
        sql::BEGIN,
        sql::DATA_VERSION,
        sql::JOURNAL_MODE,
        sql::CHECKPOINT,
        sql::CHECKPOINT_PASSIVE,
    ]);
    statements.extend(sql::rows().iter().map(|text| text.as_str()));
    statements
}

fn prepare_all(connection: &Connection) {
    for statement in fixed() {
        connection
            .prepare(statement)
            .unwrap_or_else(|error| panic!("{error}: {statement}"));
    }
}

#[test]
fn every_statement_prepares_at_both_levels() {
    for migrate in MIGRATE_TARGETS {
        let place = Place::new();
        let _store = place.opened(migrate);
        let connection = place.peer();
        connection.execute_batch("analyze").expect("statistics");
        prepare_all(&connection);
        for filter in super::plans::list_filters() {
            let (statement, parameters) = sql::list(&filter, migrate.level());
            let prepared = connection.prepare(&statement).expect("list prepares");
            assert_eq!(prepared.parameter_count(), parameters.len());
        }
        for filter in super::plans::purge_filters() {
            let (statement, parameters) = sql::purge_select(&filter, 0, migrate.level());
            let prepared = connection.prepare(&statement).expect("purge prepares");
            assert_eq!(prepared.parameter_count(), parameters.len());
        }
    }
}

#[test]
fn every_statement_file_is_known() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol/sql/sqlite");
    let files = std::fs::read_dir(folder).expect("the folder").count();
    // The columns of a task are a part of statements, not one, and an operator's questions have a folder.
    assert_eq!(files, sql::ALL.len() + sql::rows().len() + 2);
}

#[test]
fn no_filter_text_becomes_sql() {
    let odd = "'; drop table cairnq_tasks; --".to_owned();
    let list = ListFilter {
        queue: Some(odd.clone()),
        name: Some(odd.clone()),
        root_id: Some(odd.clone()),
        correlation_id: Some(odd.clone()),
        ..ListFilter::default()
    };
    assert!(!sql::list(&list, 6).0.contains("drop"));
    let purge = PurgeFilter {
        older_than_ms: 0,
        limit: 1,
        status: None,
        name: Some(odd.clone()),
        queue: Some(odd),
    };
    assert!(
        !sql::purge_select(&purge, 0, MigrateTo::Latest.level())
            .0
            .contains("drop")
    );
}
