//! The questions of an operator in this dialect. Which index answers is left to the planner, which our settings leave no
//! other choice.

use crate::protocol::inspect::{self, Dialect, sql, template};
use crate::store::inspect::{Ask, Question, Value};

const DIALECT: Dialect = Dialect {
    mark: "$",
    cast: "::text",
    clock: include_str!("../../../protocol/sql/postgres/clock.sql"),
    light: sql!("postgres", "light"),
};

/// The text of a question on a database of this level, and its parameters. It answers with one row: the time, and the
/// rows as one JSON text.
#[must_use]
pub fn question(question: &Question, level: u32) -> (String, Vec<Value>) {
    let template = template!(
        "postgres",
        question.ask,
        Ask::Sessions => sql!("postgres", "sessions"),
        Ask::Trigger => sql!("postgres", "trigger"),
        Ask::Notify => sql!("postgres", "notify"),
    );
    let whole = sql!("postgres", "answer").replace("{question}", template.trim_end());
    inspect::filled(&whole, question, level, &DIALECT)
}
