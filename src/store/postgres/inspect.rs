//! An operator's questions, answered over the pool: the server makes the JSON.

use sqlx::Row as _;

use super::attempts::{WhenLost, attempt};
use super::claim;
use super::conn::Conn;
use super::errors::Failure;
use super::open::Open;
use crate::error::Result;
use crate::protocol::postgres as sql;
use crate::store::command::Reply;
use crate::store::inspect::{Question, Value};

pub(super) async fn answer(open: &Open, question: &Question) -> Result<Reply> {
    let answer: std::result::Result<Reply, Failure> =
        attempt!(&open.pool, WhenLost::Resend, |conn, _resent| {
            read(conn, question).await
        });
    answer.map_err(Failure::into_error)
}

async fn read(conn: &mut Conn, question: &Question) -> std::result::Result<Reply, Failure> {
    conn.begin().await?;
    let level = conn
        .query(sql::META.as_str())
        .persistent(false)
        .bind("schema_version");
    // Read anew each time: another process may have migrated the database.
    let level = match level.fetch_optional(conn.driver()).await? {
        Some(row) => claim::level_of(row.try_get(0)?),
        None => 0,
    };
    let (text, values) = sql::question(question, level);
    let mut query = Conn::query_once(text);
    for value in values {
        query = match value {
            Value::Number(number) => query.bind(number),
            // No column can hold a NUL, nor U+FFFD in its place by any doing of ours: such a filter finds nothing.
            Value::Text(text) => query.bind(text.map(|text| text.replace('\0', "\u{fffd}"))),
        };
    }
    let row = query.fetch_one(conn.driver()).await?;
    conn.leave().await?;
    let (now_ms, rows): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
    Ok(Reply::Json(format!(
        "{{\"now_ms\":{now_ms},\"level\":{level},\"rows\":{rows}}}"
    )))
}
