use proptest::prelude::*;
use serde_json::{Value, json};

use crate::model::Task;
use crate::model::tests::any_task;
use crate::node::delivery::{claimed_rows, reports, texts};
use crate::worker::host::{Delivered, DeliveredCall, Report};

/// One outcome as the glue spells it: the pair of numbers, and the line of text when the kind has one.
fn spelled(report: &Report) -> (u32, u32, Option<String>) {
    match report {
        Report::Done(call) => (0, *call, None),
        Report::Complete(handle, result) => (1, *handle, Some(result.clone().unwrap_or_default())),
        Report::Fail {
            handle,
            error,
            retryable,
        } => (if *retryable { 2 } else { 3 }, *handle, Some(error.clone())),
        Report::Settled(handle) => (4, *handle, None),
        Report::Lost(handle) => (5, *handle, None),
    }
}

/// JSON.stringify never emits a raw newline, so a line is a whole JSON text.
fn line() -> impl Strategy<Value = String> {
    any::<String>().prop_map(|text| json!(text).to_string())
}

fn any_report() -> impl Strategy<Value = Report> {
    prop_oneof![
        any::<u32>().prop_map(Report::Done),
        (any::<u32>(), proptest::option::of(line()))
            .prop_map(|(handle, result)| Report::Complete(handle, result)),
        (any::<u32>(), line(), any::<bool>()).prop_map(|(handle, error, retryable)| {
            Report::Fail {
                handle,
                error,
                retryable,
            }
        }),
        any::<u32>().prop_map(Report::Settled),
        any::<u32>().prop_map(Report::Lost),
    ]
}

/// The calls as JavaScript reads them, written a second time with a JSON library.
fn description(calls: &[DeliveredCall]) -> Value {
    let task = |Delivered { handle, task }: &Delivered| {
        json!([
            handle,
            &*task.id,
            &*task.queue,
            task.attempt,
            task.max_attempts,
            task.root_id.as_deref(),
            task.correlation_id,
            task.metadata
        ])
    };
    calls
        .iter()
        .map(|call| {
            let tasks: Vec<Value> = call.tasks.iter().map(task).collect();
            json!([call.call, &*call.name, tasks])
        })
        .collect()
}

/// What a replaced claimSession hands down for a row.
fn described(task: &Task) -> Value {
    let metadata: Value = serde_json::from_str(&task.metadata).expect("metadata is JSON");
    json!({
        "id": task.id,
        "name": task.name,
        "queue": task.queue,
        "attempt": task.attempt,
        "max_attempts": task.max_attempts,
        "metadata": metadata,
        "root_id": task.root_id,
        "cancel_requested_at_ms": task.cancel_requested_at_ms,
        "unknown": ["to", "us"],
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn outcomes_come_down_as_they_were(sent in proptest::collection::vec(any_report(), 0..20)) {
        let spelled_out: Vec<_> = sent.iter().map(spelled).collect();
        let codes: Vec<u32> = spelled_out.iter().flat_map(|(kind, about, _)| [*kind, *about]).collect();
        let lines: Vec<&str> = spelled_out.iter().filter_map(|(.., line)| line.as_deref()).collect();
        let read = reports(&codes, &lines.join("\n")).expect("well formed");
        prop_assert_eq!(read.iter().map(spelled).collect::<Vec<_>>(), spelled_out);
    }

    #[test]
    fn garbage_for_outcomes_is_read_or_refused(codes in proptest::collection::vec(any::<u32>(), 0..9), text: String) {
        if let Ok(read) = reports(&codes, &text) {
            prop_assert_eq!(read.len(), codes.len() / 2);
        }
    }

    #[test]
    fn calls_go_up_as_they_are(tasks in proptest::collection::vec(any_task(), 0..6), name: String, first: u32) {
        let payloads: Vec<String> = tasks.iter().map(|task| task.payload.clone()).collect();
        let calls: Vec<DeliveredCall> = tasks
            .chunks(2)
            .map(|tasks| DeliveredCall {
                call: first,
                name: name.as_str().into(),
                tasks: tasks.iter().map(|task| Delivered { handle: first, task: task.clone().into() }).collect(),
            })
            .collect();
        let expected = description(&calls);
        match texts(calls) {
            None => prop_assert!(payloads.is_empty()),
            Some(texts) => {
                let (about, sent) = texts.split_first().expect("a description at least");
                prop_assert_eq!(serde_json::from_str::<Value>(about).expect("JSON"), expected);
                prop_assert_eq!(sent, payloads);
            }
        }
    }

    #[test]
    fn rows_of_a_replaced_claim_are_read(tasks in proptest::collection::vec(any_task(), 0..4)) {
        let rows: Vec<Value> = tasks.iter().map(described).collect();
        let payloads = tasks.iter().map(|task| task.payload.clone()).collect();
        let read = claimed_rows(&json!(rows).to_string(), payloads).expect("well formed");
        prop_assert_eq!(read.len(), tasks.len());
        for (read, sent) in read.iter().zip(&tasks) {
            prop_assert_eq!((&*read.id, &*read.name, &*read.queue), (&*sent.id, &*sent.name, &*sent.queue));
            prop_assert_eq!(read.root_id.as_deref(), sent.root_id.as_deref());
            prop_assert_eq!((read.attempt, &read.payload), (sent.attempt, &sent.payload));
            prop_assert_eq!(read.cancel_requested, sent.cancel_requested_at_ms.is_some());
            let metadata: Value = serde_json::from_str(read.metadata.as_deref().unwrap_or("{}")).expect("metadata is JSON");
            let sent: Value = serde_json::from_str(&sent.metadata).expect("metadata is JSON");
            // No metadata is empty metadata.
            let sent = if sent.is_null() { json!({}) } else { sent };
            prop_assert_eq!(metadata, sent);
        }
    }

    #[test]
    fn garbage_for_rows_is_refused(text: String) {
        if let Ok(rows) = claimed_rows(&text, vec!["{}".to_owned()]) {
            prop_assert_eq!(rows.len(), 1);
        }
    }

    #[test]
    fn rows_and_payloads_that_do_not_pair_are_refused(
        tasks in proptest::collection::vec(any_task(), 0..4),
        payloads in 0_usize..6,
    ) {
        let rows: Vec<Value> = tasks.iter().map(described).collect();
        let read = claimed_rows(&json!(rows).to_string(), vec!["{}".to_owned(); payloads]);
        if tasks.len() == payloads {
            prop_assert_eq!(read.expect("as many of each").len(), payloads);
        } else {
            let refusal = read.expect_err("not as many of each");
            prop_assert_eq!(refusal, format!("{} claimed tasks with {payloads} payloads", tasks.len()));
        }
    }
}
