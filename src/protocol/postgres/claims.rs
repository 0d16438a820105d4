//! Rounds and draws, whose texts follow the shape of a claim: each is built once and kept.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::filled;

/// Columns of a round's answer in front of a task's.
pub const ROUND_HEAD_COLUMNS: usize = 7;

/// Which names a draw takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameMatch {
    /// One walk per pair of a queue and a name, from two arrays that run in parallel.
    Paired,
    /// One walk per queue that leaves out names that are not in a set.
    Listed,
    /// Every name.
    Any,
}

/// What decides the text of a draw, and its parameters: lease, limit and queues, then names unless all are taken, then
/// bytes and whether the first row may pass them when there is a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DrawShape {
    /// Ordered walks to merge.
    pub walks: usize,
    /// The names.
    pub names: NameMatch,
    /// Whether the database orders claims by due time (level 8 on) instead of creation time.
    pub due_order: bool,
    /// Whether payload bytes are bounded.
    pub budget: bool,
}

/// What decides the text of a round, and its parameters: the outcomes' six if it settles, the worker, the draw's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RoundShape {
    /// Whether it brings outcomes.
    pub settles: bool,
    /// Whether expired leases are recovered, as they are before every draw.
    pub recovers: bool,
    /// The draw it ends with.
    pub draw: Option<DrawShape>,
}

/// Which columns a draw gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Columns {
    /// The whole row, as `task_columns.sql` has it.
    Task,
    /// What a worker needs to run it and to know its place, as `claimed_columns.sql` has it.
    Claimed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Text {
    Round(RoundShape),
    Draw(DrawShape, Columns),
}

/// Bytes of statement texts kept. Shapes are as many as a program has lists of queues, and their texts grow with those;
/// past this the texts are forgotten and built anew as they are asked for.
const KEPT_BYTES: usize = 4 << 20;

#[derive(Default)]
struct Texts {
    built: HashMap<Text, Arc<str>>,
    bytes: usize,
}

static TEXTS: LazyLock<Mutex<Texts>> = LazyLock::new(Mutex::default);

impl Texts {
    /// Built once per shape, so that a connection meets the same text again and prepares it once.
    fn get(&mut self, text: Text) -> Arc<str> {
        if let Some(built) = self.built.get(&text) {
            return Arc::clone(built);
        }
        let built: Arc<str> = match text {
            Text::Round(shape) => round_text(shape).into(),
            Text::Draw(shape, columns) => draw_only_text(shape, columns).into(),
        };
        if self.bytes + built.len() > KEPT_BYTES {
            *self = Self::default();
        }
        self.bytes += built.len();
        self.built.insert(text, Arc::clone(&built));
        built
    }
}

fn built(text: Text) -> Arc<str> {
    TEXTS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(text)
}

/// A round.
#[must_use]
pub fn round(shape: RoundShape) -> Arc<str> {
    built(Text::Round(shape))
}

/// A draw by itself: the worker comes first, the draw's parameters behind it.
#[must_use]
pub fn draw(shape: DrawShape, columns: Columns) -> Arc<str> {
    built(Text::Draw(shape, columns))
}

fn round_text(shape: RoundShape) -> String {
    let part = |there: bool, change: &str| {
        if there {
            format!("{change}\n{}", sql!("round_changed").trim_end())
        } else {
            sql!("round_unchanged").trim_end().to_owned()
        }
    };
    let worker = if shape.settles { 7 } else { 1 };
    let text = sql!("round")
        .replace("{settled}", &part(shape.settles, "{settle}"))
        .replace("{recovered}", &part(shape.recovers, "{recover}"));
    filled(&match shape.draw {
        None => text
            .replace("{draw}", "")
            .replace("{no_task}", "")
            .replace("{drawn}", ""),
        Some(draw) => text
            .replace("{no_task}", sql!("round_no_task").trim_end())
            .replace("{drawn}", sql!("round_drawn").trim_end())
            .replace("{claimed}", &claimed_columns(draw, "::text"))
            .replace("{draw}", &draw_text(draw, Columns::Claimed, worker)),
    })
}

fn draw_only_text(shape: DrawShape, columns: Columns) -> String {
    let text = sql!("draw_only").replace("{draw}", &draw_text(shape, columns, 1));
    filled(&text.replace(
        "{columns}",
        &match columns {
            Columns::Task => "{task}".to_owned(),
            Columns::Claimed => claimed_columns(shape, "::text"),
        },
    ))
}

/// JSON leaves the statement as text, and until then keeps its form: a large value may still be where it is stored.
fn claimed_columns(shape: DrawShape, json_as: &str) -> String {
    sql!("claimed_columns")
        .trim_end()
        .replace("{text}", json_as)
        .replace("{order}", order(shape))
}

fn order(shape: DrawShape) -> &'static str {
    if shape.due_order {
        "run_at_ms"
    } else {
        "created_at_ms"
    }
}

/// `worker` is the number of its parameter; the draw's come behind it.
fn draw_text(shape: DrawShape, columns: Columns, worker: usize) -> String {
    let first = worker + 1;
    let names = first + 3;
    let bytes = if shape.names == NameMatch::Any {
        names
    } else {
        names + 1
    };
    let name_filter = |branch: usize| match shape.names {
        NameMatch::Paired => format!(" and t.name = (${names}::text[])[{branch}]"),
        NameMatch::Listed => format!(" and t.name = any(${names}::text[])"),
        NameMatch::Any => String::new(),
    };
    let mut picked = if shape.walks == 1 {
        sql!("picked_one").replace("{name}", &name_filter(1))
    } else {
        let branches: Vec<String> = (1..=shape.walks)
            .map(|branch| {
                sql!("picked_branch")
                    .trim_end()
                    .replace("{name}", &name_filter(branch))
                    .replace("{branch}", &branch.to_string())
            })
            .collect();
        sql!("picked_merged").replace("{branches}", &branches.join("\n    union all\n"))
    };
    let size = if shape.budget {
        ", octet_length(t.payload::text) as bytes"
    } else {
        ""
    };
    picked = picked.replace("{size}", size);
    picked.push_str(if shape.budget {
        sql!("picked_budget")
    } else {
        sql!("picked_all")
    });
    sql!("draw")
        .trim_end()
        .replace("{picked}", picked.trim_end())
        .replace("{order}", order(shape))
        .replace(
            "{returned}",
            &match columns {
                Columns::Task => "t.*".to_owned(),
                Columns::Claimed => claimed_columns(shape, ""),
            },
        )
        .replace("{worker}", &format!("${worker}"))
        .replace("{lease}", &format!("${first}"))
        .replace("{limit}", &format!("${}", first + 1))
        .replace("{queues}", &format!("${}", first + 2))
        .replace("{bytes}", &format!("${bytes}"))
        .replace("{oversize_first}", &format!("${}", bytes + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statement_texts_are_kept_within_their_bound() {
        let mut texts = Texts::default();
        let text = |walks| {
            let shape = DrawShape {
                walks,
                names: NameMatch::Any,
                due_order: true,
                budget: true,
            };
            Text::Draw(shape, Columns::Task)
        };
        for walks in 1..1_000 {
            let first = texts.get(text(walks));
            assert!(Arc::ptr_eq(&first, &texts.get(text(walks))), "built twice");
            let kept: usize = texts.built.values().map(|text| text.len()).sum();
            assert_eq!(kept, texts.bytes);
            assert!(kept <= KEPT_BYTES, "{kept} bytes of {walks} walks");
        }
        assert!(texts.built.len() < 999, "nothing was forgotten");
    }
}
