//! Calls on their way up: one JSON text that describes them, and each payload as it is.
//!
//! Payloads stay strings of their own, so that JavaScript parses each when a handler wants it.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::model::{push_display, push_optional, push_text};
use crate::store::claimed::{ClaimedTask, has_metadata, root_of};
use crate::store::command::array;
use crate::worker::host::{Delivered, DeliveredCall, Report};

/// The calls as texts: the description first, then the payloads in task order. None when there are none.
pub(super) fn texts(calls: Vec<DeliveredCall>) -> Option<Vec<String>> {
    if calls.is_empty() {
        return None;
    }
    let mut description = String::with_capacity(calls.len() * 128);
    array(&mut description, &calls, |out, call| {
        out.push('[');
        push_display(out, call.call);
        out.push(',');
        push_text(out, &call.name);
        out.push(',');
        array(out, &call.tasks, describe);
        out.push(']');
    });
    let mut texts = vec![description];
    texts.extend(
        calls
            .into_iter()
            .flat_map(|call| call.tasks)
            .map(|delivered| delivered.task.payload),
    );
    Some(texts)
}

fn describe(out: &mut String, Delivered { handle, task }: &Delivered) {
    out.push('[');
    push_display(out, handle);
    out.push(',');
    push_text(out, &task.id);
    out.push(',');
    push_text(out, &task.queue);
    out.push(',');
    push_display(out, task.attempt);
    out.push(',');
    push_display(out, task.max_attempts);
    out.push(',');
    push_optional(out, task.root_id.as_deref());
    out.push(',');
    push_optional(out, task.correlation_id.as_deref());
    out.push(',');
    push_optional(out, task.metadata.as_deref());
    out.push(']');
}

/// Outcomes on their way down: pairs of kind and reference, and a line of text for each kind that has one.
pub(super) fn reports(codes: &[u32], text: &str) -> Result<Vec<Report>, String> {
    let mut lines = text.split('\n');
    let mut line = || lines.next().unwrap_or_default().to_owned();
    codes
        .chunks_exact(2)
        .map(|pair| {
            let (kind, reference) = (pair[0], pair[1]);
            Ok(match kind {
                0 => Report::Done(reference),
                1 => Report::Complete(reference, Some(line()).filter(|text| !text.is_empty())),
                2 => Report::Fail {
                    handle: reference,
                    error: line(),
                    retryable: true,
                },
                3 => Report::Fail {
                    handle: reference,
                    error: line(),
                    retryable: false,
                },
                4 => Report::Settled(reference),
                5 => Report::Lost(reference),
                other => return Err(format!("unknown outcome kind {other}")),
            })
        })
        .collect()
}

/// A row claimed by a replaced claimSession: the Task that JavaScript holds, without its payload.
#[derive(Deserialize)]
struct ClaimedRow<'a> {
    id: String,
    name: String,
    queue: String,
    attempt: i64,
    max_attempts: i64,
    #[serde(borrow, default)]
    metadata: Option<&'a RawValue>,
    #[serde(default)]
    root_id: Option<String>,
    #[serde(default)]
    correlation_id: Option<String>,
    #[serde(default)]
    cancel_requested_at_ms: Option<i64>,
}

/// Rows claimed by the host, with their payload texts: one each, or a task would be leased and never run.
pub(super) fn claimed_rows(rows: &str, payloads: Vec<String>) -> Result<Vec<ClaimedTask>, String> {
    let rows: Vec<ClaimedRow<'_>> =
        serde_json::from_str(rows).map_err(|error| error.to_string())?;
    if rows.len() != payloads.len() {
        let (rows, payloads) = (rows.len(), payloads.len());
        return Err(format!("{rows} claimed tasks with {payloads} payloads"));
    }
    Ok(rows
        .into_iter()
        .zip(payloads)
        .map(|(row, payload)| row.into_task(payload))
        .collect())
}

impl ClaimedRow<'_> {
    fn into_task(self, payload: String) -> ClaimedTask {
        let metadata = self.metadata.map(RawValue::get);
        let metadata = metadata.filter(|json| has_metadata(json));
        let id: Arc<str> = self.id.into();
        ClaimedTask {
            name: self.name.into(),
            queue: self.queue.into(),
            payload,
            metadata: metadata.map(str::to_owned),
            attempt: self.attempt,
            max_attempts: self.max_attempts,
            root_id: self.root_id.map(|root| root_of(&id, &root)),
            id,
            correlation_id: self.correlation_id,
            cancel_requested: self.cancel_requested_at_ms.is_some(),
        }
    }
}
