//! Outcomes on their way to the database, as the arrays of one statement.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use sqlx::Postgres;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;

use super::json;
use crate::error::{Error, Result};
use crate::model::push_text;
use crate::store::command::Outcome;
use crate::store::round::Settlement;

/// One outcome, checked.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) id: String,
    /// The place of its settlement in the round; none for a task that is handed back.
    pub(super) slot: Option<usize>,
    pub(super) want_row: bool,
    /// Somebody here waits for the task's end, and gets it from the row.
    awaited: bool,
    kind: &'static str,
    result: Option<String>,
    error: Option<String>,
    message: Option<String>,
    pub(super) delay_ms: i64,
}

/// Outcomes in id order: every batch locks its rows in that order, so that no two wait for each other.
#[derive(Debug, Clone, Default)]
pub(super) struct Batch {
    pub(super) items: Vec<Item>,
}

impl Item {
    fn new(id: String, kind: &'static str) -> Self {
        Self {
            id,
            slot: None,
            want_row: false,
            awaited: false,
            kind,
            result: None,
            error: None,
            message: None,
            delay_ms: 0,
        }
    }

    /// An outcome the database will take, or why it never would.
    pub(super) fn settle(task_id: String, outcome: Outcome) -> Result<Self> {
        match outcome {
            Outcome::Succeed { result, message } => Self::success(task_id, "s", result, message),
            Outcome::Complete { result, message } => Self::success(task_id, "c", result, message),
            Outcome::Fail {
                error,
                retryable,
                delay_ms,
            } => Ok(Self {
                error: Some(json::storable(&error).into_owned()),
                delay_ms,
                ..Self::new(task_id, if retryable { "r" } else { "f" })
            }),
        }
    }

    fn success(
        id: String,
        kind: &'static str,
        result: Option<String>,
        message: Option<String>,
    ) -> Result<Self> {
        if let Some(result) = &result {
            json::check(result)?;
        }
        let message = message.map(|message| json::storable_text(&message).into_owned());
        Ok(Self {
            result,
            message,
            ..Self::new(id, kind)
        })
    }

    /// A task that was claimed and never started.
    pub(super) fn release(id: String) -> Self {
        Self::new(id, "x")
    }

    /// The same failure with an envelope reduced to what any database can hold; none for anything but a failure.
    pub(super) fn reduced(&self) -> Option<Self> {
        let error = self.error.as_deref()?;
        Some(Self {
            error: Some(reduced_envelope(error)),
            ..self.clone()
        })
    }
}

/// What is kept of an envelope that was refused.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    code: Cow<'a, str>,
    #[serde(borrow, default)]
    message: Cow<'a, str>,
    #[serde(default)]
    retryable: bool,
}

/// A message longer than this is not what a person reads.
const MAX_MESSAGE_CHARS: usize = 10_000;

fn reduced_envelope(error: &str) -> String {
    let kept = serde_json::from_str(error).unwrap_or(Envelope {
        kind: "TaskError".into(),
        code: "task_error".into(),
        message: "the error could not be stored".into(),
        retryable: false,
    });
    let message: String = kept.message.chars().take(MAX_MESSAGE_CHARS).collect();
    let mut out = String::from("{\"type\":");
    push_text(&mut out, &kept.kind);
    out.push_str(",\"code\":");
    push_text(&mut out, &kept.code);
    out.push_str(",\"message\":");
    push_text(&mut out, &message);
    out.push_str(if kept.retryable {
        ",\"retryable\":true"
    } else {
        ",\"retryable\":false"
    });
    out.push_str(",\"details\":{}}");
    json::storable(&out).into_owned()
}

impl Batch {
    /// Sorts a round's outcomes. Those that can never be written are answered at once, by slot.
    pub(super) fn of_round(
        settlements: Vec<Settlement>,
        releases: Vec<String>,
        is_awaited: impl Fn(&str) -> bool,
    ) -> (Self, Vec<(usize, Error)>) {
        let mut items = Vec::with_capacity(settlements.len() + releases.len());
        let mut refused = Vec::new();
        for (slot, settlement) in settlements.into_iter().enumerate() {
            match Item::settle(settlement.task_id.to_string(), settlement.outcome) {
                Ok(item) => items.push(Item {
                    slot: Some(slot),
                    want_row: settlement.want_row,
                    awaited: is_awaited(&item.id),
                    ..item
                }),
                Err(error) => refused.push((slot, error)),
            }
        }
        items.extend(releases.into_iter().map(Item::release));
        (Self::sorted(items), refused)
    }

    pub(super) fn sorted(mut items: Vec<Item>) -> Self {
        items.sort_by(|one, other| one.id.cmp(&other.id));
        // One statement can touch a row once: the first outcome of a task is the one that counts.
        items.dedup_by(|later, first| later.id == first.id);
        Self { items }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether somebody waits for a row of it.
    pub(super) fn wants_rows(&self) -> bool {
        self.items.iter().any(|item| item.want_row || item.awaited)
    }

    pub(super) fn by_id(&self) -> HashMap<&str, &Item> {
        self.items
            .iter()
            .map(|item| (item.id.as_str(), item))
            .collect()
    }

    /// Binds `$1` to `$6`.
    pub(super) fn bind(
        &self,
        query: Query<'static, Postgres, PgArguments>,
    ) -> Query<'static, Postgres, PgArguments> {
        fn column<'a, T>(items: &'a [Item], value: impl Fn(&'a Item) -> T) -> Vec<T> {
            items.iter().map(value).collect()
        }
        let items = &self.items;
        query
            .bind(column(items, |item| item.id.as_str()))
            .bind(column(items, |item| item.kind))
            .bind(column(items, |item| item.result.as_deref()))
            .bind(column(items, |item| item.error.as_deref()))
            .bind(column(items, |item| item.message.as_deref()))
            .bind(column(items, |item| item.delay_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_envelope_keeps_what_people_read() {
        let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
        let error =
            format!(r#"{{"type":"T","code":"c","message":"m","retryable":true,"details":{deep}}}"#);
        assert_eq!(
            reduced_envelope(&error),
            r#"{"type":"T","code":"c","message":"m","retryable":true,"details":{}}"#
        );
        assert!(reduced_envelope("[1]").contains("could not be stored"));
    }

    #[test]
    fn an_outcome_somebody_waits_for_is_written_with_its_row() {
        let wants_rows = |awaited: &str| {
            let settlement = Settlement {
                task_id: "a".into(),
                queue: "default".into(),
                outcome: Outcome::Succeed {
                    result: None,
                    message: None,
                },
                want_row: false,
            };
            let (batch, _) = Batch::of_round(vec![settlement], Vec::new(), |id| id == awaited);
            batch.wants_rows()
        };
        assert!(wants_rows("a"));
        assert!(!wants_rows("b"));
    }

    #[test]
    fn a_batch_is_in_id_order_and_holds_a_task_once() {
        let batch = Batch::sorted(
            ["b", "a", "b"]
                .map(|id| Item::release(id.to_owned()))
                .into(),
        );
        assert_eq!(
            batch
                .items
                .iter()
                .map(|item| item.id.as_str())
                .collect::<Vec<_>>(),
            ["a", "b"]
        );
    }
}
