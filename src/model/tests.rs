use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Status, Task};

/// Any JSON value a column may hold.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|eighths| Value::from(f64::from(eighths) / 8.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::hash_map(any::<String>(), inner, 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn any_status() -> impl Strategy<Value = Status> {
    proptest::sample::select(vec![
        Status::Queued,
        Status::Running,
        Status::Succeeded,
        Status::Failed,
        Status::Canceled,
    ])
}

/// Any row, the impossible ones included: the boundary does not judge.
pub(crate) fn any_task() -> impl Strategy<Value = Task> {
    let texts = (any::<[String; 3]>(), any::<[Option<String>; 5]>());
    let json = (any_json(), any_json(), any_json(), any_json());
    let numbers = (
        any::<[i64; 6]>(),
        any::<[Option<i64>; 3]>(),
        any::<Option<f64>>(),
    );
    (any_status(), texts, json, numbers).prop_map(|(status, texts, json, numbers)| {
        let ([id, name, queue], [message, worker_id, parent_id, root_id, correlation_id]) = texts;
        let (
            [
                attempt,
                max_attempts,
                priority,
                run_at_ms,
                created_at_ms,
                updated_at_ms,
            ],
            times,
            progress,
        ) = numbers;
        let [lease_until_ms, cancel_requested_at_ms, completed_at_ms] = times;
        Task {
            id,
            name,
            queue,
            status,
            payload: json.0.to_string(),
            result: (!json.1.is_null()).then(|| json.1.to_string()),
            error: (!json.2.is_null()).then(|| json.2.to_string()),
            metadata: json.3.to_string(),
            progress: progress.filter(|value| value.is_finite()),
            message,
            attempt,
            max_attempts,
            priority,
            worker_id,
            lease_until_ms,
            run_at_ms,
            cancel_requested_at_ms,
            parent_id,
            root_id,
            correlation_id,
            created_at_ms,
            updated_at_ms,
            completed_at_ms,
        }
    })
}

/// The row as another JSON library reads it; columns of JSON stay text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read<'a> {
    id: String,
    name: String,
    queue: String,
    status: Status,
    #[serde(borrow)]
    payload: &'a RawValue,
    metadata: &'a RawValue,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    progress: Option<&'a RawValue>,
    message: Option<String>,
    attempt: i64,
    max_attempts: i64,
    priority: i64,
    worker_id: Option<String>,
    lease_until_ms: Option<i64>,
    run_at_ms: i64,
    cancel_requested_at_ms: Option<i64>,
    parent_id: Option<String>,
    root_id: Option<String>,
    correlation_id: Option<String>,
    created_at_ms: i64,
    updated_at_ms: i64,
    completed_at_ms: Option<i64>,
}

impl Read<'_> {
    fn into_task(self) -> Task {
        let owned = |raw: &RawValue| raw.get().to_owned();
        Task {
            id: self.id,
            name: self.name,
            queue: self.queue,
            status: self.status,
            payload: owned(self.payload),
            result: self.result.map(owned),
            error: self.error.map(owned),
            metadata: owned(self.metadata),
            progress: self
                .progress
                .map(|raw| raw.get().parse().expect("a number")),
            message: self.message,
            attempt: self.attempt,
            max_attempts: self.max_attempts,
            priority: self.priority,
            worker_id: self.worker_id,
            lease_until_ms: self.lease_until_ms,
            run_at_ms: self.run_at_ms,
            cancel_requested_at_ms: self.cancel_requested_at_ms,
            parent_id: self.parent_id,
            root_id: self.root_id,
            correlation_id: self.correlation_id,
            created_at_ms: self.created_at_ms,
            updated_at_ms: self.updated_at_ms,
            completed_at_ms: self.completed_at_ms,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_row_is_json_that_reads_back_as_the_row(task in any_task()) {
        let mut json = String::new();
        task.write_json(&mut json);
        let read: Read<'_> = serde_json::from_str(&json).expect("a row is JSON");
        prop_assert_eq!(read.into_task(), task);
    }
}
