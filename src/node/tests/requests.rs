use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::model::Conflict;
use crate::model::tests::any_json;
use crate::node::requests::{Request, read};
use crate::node::submits;
use crate::store::command::{Command, Outcome};

const OPERATIONS: &[&str] = &[
    "connect",
    "close",
    "claimOpen",
    "claimDraw",
    "claimClose",
    "claimWake",
    "taskDoneWake",
    "taskEnd",
    "protocolVersion",
    "wouldReuse",
    "get",
    "getByKey",
    "getStatus",
    "getStatusByKey",
    "list",
    "cancel",
    "cancelByKey",
    "retry",
    "retryByKey",
    "purge",
    "stats",
    "queueDepth",
    "claim",
    "heartbeat",
    "heartbeatBatch",
    "progress",
    "succeed",
    "complete",
    "fail",
];

/// Fields that some operation reads.
const FIELDS: &[&str] = &[
    "id",
    "key",
    "conflict",
    "resetAttempt",
    "queue",
    "maxDepth",
    "queues",
    "names",
    "limit",
    "workerId",
    "leaseMs",
    "taskId",
    "taskIds",
    "retryable",
    "progress",
    "message",
    "delayMs",
    "session",
    "commit",
    "ms",
    "name",
    "maxAttempts",
    "priority",
    "runAtDelayMs",
    "olderThanMs",
    "offset",
    "status",
];

/// Fields the operations read, with values of any kind: more often nearly right than plain noise.
fn any_arguments() -> impl Strategy<Value = Value> {
    proptest::collection::vec((proptest::sample::select(FIELDS), any_json()), 0..12).prop_map(
        |entries| {
            entries
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_request_is_read_or_refused(
        operation in proptest::sample::select(OPERATIONS),
        arguments in any_arguments(),
        texts: Vec<String>,
    ) {
        if let Err(error) = read(operation, &arguments.to_string(), texts) {
            prop_assert!(error.starts_with("malformed arguments: "), "{error}");
        }
    }

    #[test]
    fn noise_is_refused(operation: String, arguments: String, texts: Vec<String>) {
        prop_assume!(!OPERATIONS.contains(&operation.as_str()));
        prop_assert!(read(&operation, &arguments, texts).is_err());
    }

    #[test]
    fn a_submit_arrives_as_it_was_sent(
        name: String,
        queue: String,
        key: Option<String>,
        correlation_id: Option<String>,
        numbers: [i32; 3],
        payload in any_json(),
        metadata in any_json(),
    ) {
        let row = json!([
            name, queue, key, "reuse-succeeded", numbers[0], numbers[1], null, null, correlation_id, numbers[2],
        ]);
        let texts = [payload.to_string(), metadata.to_string()];
        let tasks = submits::read(&json!([row, row]).to_string(), &[texts.join("\n"), texts.join("\n")].join("\n"));
        let new = tasks.expect("read").tasks.pop().expect("two");
        let args = Arc::unwrap_or_clone(new.args);
        prop_assert_eq!((args.name, args.queue, args.key), (name, queue, key));
        prop_assert_eq!(args.conflict, Conflict::ReuseSucceeded);
        prop_assert_eq!(
            [args.max_attempts, args.priority, args.run_at_delay_ms],
            numbers.map(i64::from)
        );
        prop_assert_eq!(args.correlation_id, correlation_id);
        prop_assert_eq!([&*new.payload, &*new.metadata], texts);
    }

    #[test]
    fn any_submits_are_read_or_refused(rows in any_json(), texts: String) {
        if let Err(error) = submits::read(&rows.to_string(), &texts) {
            prop_assert!(error.starts_with("malformed arguments: "), "{error}");
        }
    }

    #[test]
    fn a_failure_keeps_its_text(error in any_json(), retryable: bool, delay_ms in 0.0..1e18, task_id: String) {
        let arguments = json!({
            "taskId": task_id, "workerId": "w", "retryable": retryable, "delayMs": delay_ms,
        });
        let text = error.to_string();
        let Ok(Request::Store(Command::Settle { outcome: Outcome::Fail { error, .. }, task_id: read_id, .. })) =
            read("fail", &arguments.to_string(), vec![text.clone()])
        else {
            return Err(TestCaseError::fail("not read as a failure"));
        };
        prop_assert_eq!((error, read_id), (text, task_id));
    }
}
