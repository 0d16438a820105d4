//! Submits on their way down, and what is said of them on the way up.

use super::requests::arguments;
use crate::model::{Task, push_display, push_text};
use crate::store::command::{NewTask, Reply, array};

/// Tasks from a JSON array of their fields' values, in the order of [`NewTask`], and from one text that holds a line
/// for each payload and one for each metadata. JSON made by `JSON.stringify` holds no newline.
pub(super) fn read(rows: &str, texts: &str) -> Result<Vec<NewTask>, String> {
    let mut tasks: Vec<NewTask> = arguments(rows)?;
    let mut lines = texts.split('\n');
    for task in &mut tasks {
        let (Some(payload), Some(metadata)) = (lines.next(), lines.next()) else {
            return Err("malformed arguments: a submit without its texts".to_owned());
        };
        payload.clone_into(&mut task.payload);
        metadata.clone_into(&mut task.metadata);
    }
    Ok(tasks)
}

/// The answer to submits that were given `ids`. A row made of what was handed over is told by what is new about it;
/// another, which a key led to, in full.
pub(super) fn answer(ids: &[String], reply: Reply) -> String {
    let rows = match reply {
        Reply::Row(row) => row.into_iter().map(|row| *row).collect(),
        Reply::Rows(rows) => rows,
        other => return other.to_json(),
    };
    let rows: Vec<_> = ids.iter().zip(rows).collect();
    let mut out = String::with_capacity(rows.len() * 64);
    array(&mut out, &rows, |out, (id, row)| {
        if **id == row.id {
            write_new(out, row);
        } else {
            row.write_json(out);
        }
    });
    out
}

fn write_new(out: &mut String, row: &Task) {
    out.push('[');
    push_text(out, &row.id);
    out.push(',');
    push_display(out, row.created_at_ms);
    out.push(',');
    push_display(out, row.run_at_ms);
    out.push(']');
}
