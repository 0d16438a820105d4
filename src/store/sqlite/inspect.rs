//! An operator's questions, answered by a reader: the rows become JSON by the names of their columns.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Row, ToSql, params_from_iter};

use super::read;
use super::transaction::Tx;
use crate::error::{Error, Result};
use crate::model::{push_display, push_text};
use crate::protocol::sqlite as sql;
use crate::store::command::Reply;
use crate::store::inspect::{Question, Value};

/// Columns that hold JSON: spliced in as they are.
const JSON_COLUMNS: [&str; 4] = ["payload", "result", "error", "metadata"];

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Number(number) => number.to_sql(),
            Self::Text(text) => text.to_sql(),
        }
    }
}

pub(super) fn answer(tx: &Tx<'_, '_>, question: &Question) -> Result<Reply> {
    let level = read::level(tx)?;
    let (text, values) = sql::question(question, level)
        .ok_or_else(|| Error::Invalid(format!("only Postgres knows {:?}", question.ask)))?;
    let rows = tx.all(&text, params_from_iter(&values), object)?;
    Ok(Reply::Json(format!(
        "{{\"now_ms\":{},\"level\":{level},\"rows\":[{}]}}",
        tx.now_ms,
        rows.join(",")
    )))
}

fn object(row: &Row<'_>) -> rusqlite::Result<String> {
    let statement = row.as_ref();
    let mut out = String::from("{");
    for column in 0..statement.column_count() {
        let name = statement.column_name(column)?;
        if column > 0 {
            out.push(',');
        }
        // A column's name is an identifier of ours: there is nothing to escape.
        out.push('"');
        out.push_str(name);
        out.push_str("\":");
        match row.get_ref(column)? {
            ValueRef::Integer(number) => push_display(&mut out, number),
            ValueRef::Real(number) if number.is_finite() => push_display(&mut out, number),
            ValueRef::Null | ValueRef::Real(_) => out.push_str("null"),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                let text = String::from_utf8_lossy(bytes);
                if JSON_COLUMNS.contains(&name) {
                    out.push_str(&text);
                } else {
                    push_text(&mut out, &text);
                }
            }
        }
    }
    out.push('}');
    Ok(out)
}
