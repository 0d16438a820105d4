//! Submits on their way down, and what is said of them on the way up.

use std::sync::Arc;

use napi_derive::napi;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::invalid;
use super::requests::arguments;
use crate::ids::task_ids;
use crate::model::push_display;
use crate::store::command::{NewTask, SubmitArgs};
use crate::store::parts::Giver;
use crate::store::submitted::Submitted;
use crate::store::text::Text;

/// Submits of one turn: the request of each, the rows whose tasks' ends are asked for next, and the rows.
#[derive(Deserialize)]
pub(super) struct Turn {
    pub(super) requests: Vec<u32>,
    pub(super) awaited: Vec<usize>,
    rows: Rows,
}

/// What each task asks for.
#[derive(Deserialize)]
struct Rows(#[serde(deserialize_with = "shared")] Vec<Arc<SubmitArgs>>);

/// Tasks that came down together.
pub(super) struct Tasks {
    pub(super) tasks: Vec<NewTask>,
    /// Their ids, one a line.
    pub(super) ids: String,
}

/// From the values of [`SubmitArgs`] in their order, or null for those of the row before.
fn shared<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Arc<SubmitArgs>>, D::Error> {
    let rows: Vec<Option<SubmitArgs>> = Vec::deserialize(deserializer)?;
    let mut before = None;
    let args = |row: Option<SubmitArgs>| {
        before = row.map(Arc::new).or_else(|| before.take());
        before
            .clone()
            .ok_or_else(|| D::Error::custom("the first row is null"))
    };
    rows.into_iter().map(args).collect()
}

/// The submits of a turn, from a JSON array of a [`Turn`]'s parts and the texts of its tasks.
pub(super) fn read_turn(turn: &str, texts: &str) -> Result<(Turn, Tasks), String> {
    let mut turn: Turn = arguments(turn)?;
    let rows = std::mem::take(&mut turn.rows.0);
    Ok((turn, tasks(rows, texts)?))
}

/// Tasks from a JSON array of their rows, and from one text that holds a line for each payload and one for each metadata.
/// JSON made by `JSON.stringify` holds no newline.
pub(super) fn read(json: &str, texts: &str) -> Result<Tasks, String> {
    let Rows(rows) = arguments(json)?;
    tasks(rows, texts)
}

fn tasks(rows: Vec<Arc<SubmitArgs>>, texts: &str) -> Result<Tasks, String> {
    let ids = task_ids(rows.len());
    let (pieces, texts) = (ids.as_str().into(), texts.into());
    let mut lines = Text::split(&texts, '\n');
    let mut line = || {
        let line = lines.next();
        line.ok_or_else(|| "malformed arguments: a submit without its texts".to_owned())
    };
    let task = |(args, id)| {
        Ok(NewTask {
            id,
            args,
            payload: line()?,
            metadata: line()?,
        })
    };
    let tasks = rows.into_iter().zip(Text::split(&pieces, '\n')).map(task);
    let tasks = tasks.collect::<Result<_, String>>()?;
    Ok(Tasks { tasks, ids })
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
        let Tasks { tasks, ids } = read(&rows, &texts).map_err(invalid)?;
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
