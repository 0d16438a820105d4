//! The claim order: each level's own, by id where the times are the same, across queues and names.

use std::cell::Cell;

use rusqlite::{StatementStatus, params};

use super::{Place, claim, claim_in, owner, scope};
use crate::protocol::{MigrateTo, sqlite as sql};
use crate::store::sqlite::claim::{Limits, draw};
use crate::store::sqlite::statements::{Kind, Statements};
use crate::store::sqlite::transaction::Tx;

/// Id, queue, name, priority, created, due.
type Row = (&'static str, &'static str, &'static str, i64, i64, i64);

fn insert(place: &Place, rows: &[Row]) {
    let peer = place.peer();
    for (id, queue, name, priority, created, due) in rows {
        peer.execute(
            "insert into cairnq_tasks (id, queue, name, status, priority, created_at_ms, run_at_ms, updated_at_ms, payload)
             values (?1, ?2, ?3, 'queued', ?4, ?5, ?6, ?5, '{}')",
            params![id, queue, name, priority, created, due],
        )
        .expect("a row");
    }
}

fn ids(tasks: &[crate::model::Task]) -> Vec<&str> {
    tasks.iter().map(|task| task.id.as_str()).collect()
}

const MIXED: &[Row] = &[
    ("d", "default", "x", 0, 10, 90),
    ("c", "default", "y", 0, 20, 80),
    ("b", "other", "x", 5, 30, 30),
    ("a", "default", "x", -1, 5, 5),
    ("not due", "default", "x", 9, 1, i64::MAX),
];

#[test]
fn each_level_has_its_own_order() {
    for (migrate, order) in [
        (MigrateTo::Default, ["b", "d", "c", "a"]),
        (MigrateTo::Latest, ["b", "c", "d", "a"]),
    ] {
        let place = Place::new();
        let store = place.opened(migrate);
        insert(&place, MIXED);
        let queues = scope(&["other", "default", "other"], None);
        assert_eq!(ids(&claim_in(&store, queues, 10)), order);
    }
}

#[test]
fn names_are_merged_in_the_same_order() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    insert(&place, MIXED);
    let named = |names: &[&str]| claim_in(&store, scope(&["default", "other"], Some(names)), 1);
    assert_eq!(ids(&named(&["y", "x"])), ["b"]);
    assert_eq!(ids(&named(&["y"])), ["c"]);
    assert_eq!(ids(&named(&["z"])), [""; 0]);
    assert_eq!(ids(&named(&[])), [""; 0]);
    assert_eq!(ids(&named(&["x", "x"])), ["d"]);
}

#[test]
fn ids_settle_ties_at_both_levels() {
    for migrate in [MigrateTo::Default, MigrateTo::Latest] {
        let place = Place::new();
        let store = place.opened(migrate);
        insert(
            &place,
            &[
                ("t5", "default", "x", 0, 1, 1),
                ("t2", "default", "y", 0, 1, 1),
                ("t4", "other", "x", 0, 1, 1),
                ("t1", "default", "x", 0, 1, 1),
                ("t3", "other", "y", 0, 1, 1),
            ],
        );
        let both = || scope(&["default", "other"], None);
        assert_eq!(ids(&claim_in(&store, both(), 2)), ["t1", "t2"]);
        let named = scope(&["default", "other"], Some(&["y", "x"]));
        assert_eq!(ids(&claim_in(&store, named, 9)), ["t3", "t4", "t5"]);
    }
}

#[test]
fn a_tie_of_any_size_is_claimed_once_each() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    place
        .peer()
        .execute_batch(
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200)
             insert into cairnq_tasks (id, name, status, payload, run_at_ms, created_at_ms, updated_at_ms)
             select printf('t%03d', 200 - i), 'x', 'queued', '{}', 1, 1, 1 from n",
        )
        .expect("rows");
    let mut seen: Vec<String> = (0..50)
        .flat_map(|_| claim(&store, 5))
        .map(|task| task.id)
        .collect();
    seen.sort();
    assert_eq!(
        seen,
        (0..200).map(|i| format!("t{i:03}")).collect::<Vec<_>>()
    );
}

/// Rows of one tie, in the order of their inserts.
fn insert_tie(place: &Place, ids: &[String]) {
    let peer = place.peer();
    for id in ids {
        peer.execute(
            "insert into cairnq_tasks (id, name, status, payload, run_at_ms, created_at_ms, updated_at_ms)
             values (?1, 'x', 'queued', '{}', 1, 1, 1)",
            params![id],
        )
        .expect("a row");
    }
}

fn numbered(numbers: impl IntoIterator<Item = usize>) -> Vec<String> {
    numbers.into_iter().map(|n| format!("t{n:03}")).collect()
}

#[test]
fn draws_of_few_rows_take_a_tie_by_id_as_well() {
    for step in [1, 5, 7, 31] {
        for draws in [1, 2, 3, 8] {
            let place = Place::new();
            let store = place.opened(MigrateTo::Default);
            // 1 leaves the ids as they rise; the others scatter them over the inserts.
            insert_tie(&place, &numbered((0..32).map(|n| n * step % 32)));
            let mut claimed = Vec::new();
            while claimed.len() < 32 {
                claimed.extend(claim(&store, draws).into_iter().map(|task| task.id));
            }
            assert_eq!(claimed, numbered(0..32), "step {step}, {draws} at once");
        }
    }
}

#[test]
fn one_by_one_a_long_tie_is_taken_by_id_within_the_window() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    let mut order: Vec<usize> = (1..200).collect();
    // Comes into the window of the hundredth draw, and is first from then on.
    order.insert(130, 0);
    insert_tie(&place, &numbered(order));
    let claimed: Vec<String> = (0..200)
        .flat_map(|_| claim(&store, 1))
        .map(|task| task.id)
        .collect();
    let at = claimed.iter().position(|id| id == "t000").expect("t000");
    assert!((67..=99).contains(&at), "drawn as number {at}");
    let others: Vec<_> = claimed.into_iter().filter(|id| id != "t000").collect();
    assert_eq!(others, numbered(1..200));
}

#[test]
fn what_joins_a_tie_later_takes_its_place_in_it() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    insert_tie(&place, &numbered(10..20));
    let one = || claim(&store, 1)[0].id.clone();
    assert_eq!([one(), one()], ["t010", "t011"]);
    insert_tie(&place, &numbered([5, 30]));
    assert_eq!([one(), one()], ["t005", "t012"]);
    place
        .peer()
        .execute_batch("update cairnq_tasks set status = 'queued' where id = 't011'")
        .expect("queued again");
    assert_eq!([one(), one()], ["t011", "t013"]);
}

/// How many virtual machine steps the cursor over a name took, and how often the ids behind a draw were asked for, in
/// `draws` draws of one row from a tie.
fn work_of_draws(draws: usize) -> (i32, i32) {
    let place = Place::new();
    let _store = place.opened(MigrateTo::Default);
    insert_tie(&place, &numbered(0..200));
    let peer = place.peer();
    let statements = Statements::new(&peer);
    let unchanged_at = Cell::new(0);
    let names = ["x".to_owned()];
    let one = Limits {
        rows: 1,
        bytes: None,
        oversize_first: true,
    };
    for number in 0..draws {
        let tx = Tx::new(&peer, &statements, "tasks.db", &unchanged_at);
        let queues = ["default".to_owned()];
        let (taken, _) = draw(&tx, 6, &owner(), &queues, Some(&names), &one).expect("a draw");
        let taken: Vec<_> = taken.iter().map(|(_, task)| &*task.id).collect();
        assert_eq!(taken, [numbered([number])[0].as_str()]);
    }
    let cursor = statements.stream(Kind::CreatedName).expect("the cursor");
    let asked = statements.with(sql::CLAIM_TIE_NAME, |tie| {
        Ok(tie.get_status(StatementStatus::Run))
    });
    let steps = cursor.get_status(StatementStatus::VmStep);
    (steps, asked.expect("a status"))
}

#[test]
fn draws_of_one_row_read_one_row_each_and_seldom_more_ids() {
    let (one, _) = work_of_draws(1);
    let (many, asked) = work_of_draws(40);
    // A second row would take as many steps again, but for the opening of the cursor.
    assert!(many <= 40 * one, "{many} steps in 40 draws, {one} in one");
    assert!(one < 150, "{one} steps for one row");
    assert!(asked <= 4, "ids asked for {asked} times");
}

#[test]
fn a_migration_by_somebody_else_is_noticed() {
    let place = Place::new();
    let store = place.opened(MigrateTo::Default);
    insert(&place, MIXED);
    assert_eq!(ids(&claim(&store, 1)), ["d"]);
    let _latest = place.opened(MigrateTo::Latest);
    insert(&place, &[("e", "default", "x", 0, 1, 95)]);
    // By creation e would be first; by due time it is after c.
    assert_eq!(ids(&claim(&store, 9)), ["c", "e", "a"]);
    let level = "select value from cairnq_meta where key = 'schema_version'";
    let level: String = place
        .peer()
        .query_row(level, [], |row| row.get(0))
        .expect("a level");
    assert_eq!(level, "10");
}
