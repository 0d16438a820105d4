//! Submits on their way down, and what is said of them on the way up.

use std::sync::Arc;

use napi_derive::napi;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::invalid;
use super::requests::arguments;
use crate::ids::task_id;
use crate::model::push_display;
use crate::store::command::{NewTask, SubmitArgs};
use crate::store::parts::Giver;
use crate::store::submitted::Submitted;

/// Submits of one turn: the request of each, the rows whose tasks' ends are asked for next, and the rows.
#[derive(Deserialize)]
pub(super) struct Turn {
    pub(super) ids: Vec<u32>,
    pub(super) awaited: Vec<usize>,
    #[serde(deserialize_with = "rows")]
    pub(super) tasks: Vec<NewTask>,
}

/// Tasks from rows: the values of [`SubmitArgs`] in their order, or null for a task whose are those of the one before it.
fn rows<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<NewTask>, D::Error> {
    let rows: Vec<Option<SubmitArgs>> = Vec::deserialize(deserializer)?;
    let mut before = None;
    let task = |row: Option<SubmitArgs>| {
        before = row.map(Arc::new).or_else(|| before.take());
        let args = before.clone();
        Ok(NewTask {
            // In their order, which decides between tasks of one time.
            id: task_id(),
            args: args.ok_or_else(|| D::Error::custom("the first row is null"))?,
            payload: String::new(),
            metadata: String::new(),
        })
    };
    rows.into_iter().map(task).collect()
}

/// The submits of a turn, from a JSON array of a [`Turn`]'s parts and the texts of its tasks.
pub(super) fn read_turn(turn: &str, texts: &str) -> Result<Turn, String> {
    let mut turn: Turn = arguments(turn)?;
    add_texts(&mut turn.tasks, texts)?;
    Ok(turn)
}

/// Tasks from a JSON array of their rows, and from one text that holds a line for each payload and one for each metadata.
/// JSON made by `JSON.stringify` holds no newline.
pub(super) fn read(json: &str, texts: &str) -> Result<Vec<NewTask>, String> {
    #[derive(Deserialize)]
    struct Rows(#[serde(deserialize_with = "rows")] Vec<NewTask>);
    let Rows(mut tasks) = arguments(json)?;
    add_texts(&mut tasks, texts)?;
    Ok(tasks)
}

fn add_texts(tasks: &mut [NewTask], texts: &str) -> Result<(), String> {
    let mut lines = texts.split('\n');
    for task in tasks {
        let (Some(payload), Some(metadata)) = (lines.next(), lines.next()) else {
            return Err("malformed arguments: a submit without its texts".to_owned());
        };
        payload.clone_into(&mut task.payload);
        metadata.clone_into(&mut task.metadata);
    }
    Ok(())
}

/// The ids of tasks, one a line.
pub(super) fn ids(tasks: &[NewTask]) -> String {
    let ids: Vec<&str> = tasks.iter().map(|new| new.id.as_str()).collect();
    ids.join("\n")
}

/// What became of submits of all or none: how many in a row are new with the same times, or a task a key led to.
pub(super) fn answer_many(submitted: &[Submitted]) -> String {
    let mut out = String::from("[");
    let mut rest = submitted;
    while let Some(first) = rest.first() {
        if out.len() > 1 {
            out.push(',');
        }
        let mut same = 1;
        match first {
            Submitted::New {
                created_at_ms,
                run_at_ms,
            } => {
                same = rest.iter().take_while(|one| *one == first).count();
                out.push('[');
                push_display(&mut out, same);
                out.push(',');
                push_display(&mut out, created_at_ms);
                out.push(',');
                push_display(&mut out, run_at_ms);
                out.push(']');
            }
            Submitted::Existing(task) => task.write_json(&mut out),
        }
        rest = &rest[same..];
    }
    out.push(']');
    out
}

/// A submit of many tasks that are on their way down.
#[napi]
pub struct NativeSubmit {
    giver: Option<Giver>,
}

impl NativeSubmit {
    pub(super) fn new(giver: Giver) -> Self {
        Self { giver: Some(giver) }
    }
}

#[napi]
impl NativeSubmit {
    /// Hands over the next rows with their texts, and gives the tasks' ids, one a line.
    #[napi(catch_unwind)]
    pub fn add(&mut self, rows: String, texts: String) -> napi::Result<String> {
        let tasks = read(&rows, &texts).map_err(invalid)?;
        let ids = ids(&tasks);
        if let Some(giver) = &self.giver {
            giver.give(tasks);
        }
        Ok(ids)
    }

    /// There are no more, or, unless `complete`, the submit is given up and nothing of it written.
    #[napi(catch_unwind)]
    pub fn end(&mut self, complete: bool) {
        let giver = self.giver.take();
        if complete && let Some(giver) = giver {
            giver.end();
        }
    }
}
