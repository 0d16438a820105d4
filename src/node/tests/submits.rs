use serde_json::{Value, json};

use crate::model::tests::any_task;
use crate::node::submits::{Tasks, answer_many, read, read_turn};
use crate::store::submitted::Submitted;
use proptest::prelude::*;

const fn at(created_at_ms: i64, run_at_ms: i64) -> Submitted {
    Submitted::New {
        created_at_ms,
        run_at_ms,
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn new_tasks_in_a_row_with_the_same_times_are_told_as_one() {
    assert_eq!(answer_many(&[]), "[]");
    let submitted = [at(1, 1), at(1, 1), at(1, 5), at(2, 2)];
    assert_eq!(
        parsed(&answer_many(&submitted)),
        json!([[2, 1, 1], [1, 1, 5], [1, 2, 2]])
    );
}

proptest! {
    #[test]
    fn a_task_that_was_there_is_told_in_full_each_time(task in any_task()) {
        let existing = || Submitted::Existing(Box::new(task.clone()));
        let submitted = [at(1, 1), existing(), existing(), at(1, 1)];
        let mut row = String::new();
        task.write_json(&mut row);
        let row = parsed(&row);
        prop_assert_eq!(
            parsed(&answer_many(&submitted)),
            json!([[1, 1, 1], row, row, [1, 1, 1]])
        );
    }

    #[test]
    fn a_turn_is_read_or_refused(turn in any::<String>(), texts in any::<String>()) {
        let _ = read_turn(&turn, &texts);
    }
}

#[test]
fn a_turn_brings_each_submit_its_request_and_its_texts() {
    let task = json!(["n", "q", null, "reuse", 3, 0, null, null, null, 0]);
    let turn = json!([[4, 9], [1], [task, task]]).to_string();
    let (turn, made) = read_turn(&turn, "1\n{}\n\"two\"\n{\"m\":1}").expect("a turn");
    assert_eq!((turn.requests, turn.awaited), (vec![4, 9], vec![1]));
    let texts = |index: usize| {
        let task = &made.tasks[index];
        (&*task.payload, &*task.metadata)
    };
    assert_eq!(texts(0), ("1", "{}"));
    assert_eq!(texts(1), ("\"two\"", "{\"m\":1}"));
    assert!(read_turn("[[4],[],[[\"n\"]]]", "").is_err());
}

#[test]
fn a_row_of_null_is_as_the_one_before_it() {
    let (one, other) = (
        json!(["n", "q", "k", "replace", 4, 2, "p", "r", "c", 9]),
        json!(["m", "q", null, "reuse", 3, 0, null, null, null, 0]),
    );
    let rows = json!([one, null, null, other, null]).to_string();
    let told = json!([one, one, one, other, other]).to_string();
    let texts = (0..5).map(|index| format!("{index}\n{{}}"));
    let texts = texts.collect::<Vec<_>>().join("\n");
    let (tasks, expected) = (read(&rows, &texts), read(&told, &texts));
    let (Tasks { mut tasks, ids }, expected) = (tasks.expect("rows"), expected.expect("rows"));
    // Between tasks of one time the ids decide, and they are the order of the submits.
    assert!(tasks.is_sorted_by(|one, next| *one.id < *next.id));
    assert!(ids.lines().eq(tasks.iter().map(|task| &*task.id)));
    for (task, expected) in tasks.iter_mut().zip(&expected.tasks) {
        task.id.clone_from(&expected.id);
    }
    assert_eq!(format!("{tasks:?}"), format!("{:?}", expected.tasks));
    assert!(read("[null]", "1\n{}").is_err());
}
