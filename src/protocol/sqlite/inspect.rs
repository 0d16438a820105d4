//! The questions of an operator in this dialect. Each names its index, as the filters of `list` do.

use crate::protocol::inspect::{self, Dialect, sql, template};
use crate::store::inspect::{Ask, Question, Value};

const DIALECT: Dialect = Dialect {
    mark: "?",
    cast: "",
    clock: sql!("sqlite", "clock"),
    light: sql!("sqlite", "light"),
};

/// The text of a question on a database of this level, and its parameters. None for what only Postgres can be asked.
#[must_use]
pub fn question(question: &Question, level: u32) -> Option<(String, Vec<Value>)> {
    let template = template!(
        "sqlite",
        question.ask,
        Ask::Sessions | Ask::Trigger | Ask::Notify => return None,
    );
    Some(inspect::filled(template, question, level, &DIALECT))
}
