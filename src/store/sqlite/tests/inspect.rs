//! An operator's questions: each prepares at every level, and none reads a table whole.

use super::Place;
use super::plans::{in_every_state, plan};
use crate::protocol::sqlite as sql;
use crate::store::Backend;
use crate::store::command::Command;
use crate::store::inspect::{Access, Ask, Filter, Question, Value};

const ASKED: [Ask; 16] = [
    Ask::Queues,
    Ask::Counts,
    Ask::Groups,
    Ask::Tally,
    Ask::Finished,
    Ask::FinishedByName,
    Ask::Activity,
    Ask::Walk,
    Ask::Boundary,
    Ask::Keys,
    Ask::Family,
    Ask::Running,
    Ask::SilentAttempts,
    Ask::LeaseFailures,
    Ask::Matching,
    Ask::Gather,
];

const ACCESSES: [Access; 6] = [
    Access::Root,
    Access::Correlation,
    Access::QueueName,
    Access::Queue,
    Access::Name,
    Access::Status,
];

fn filter(status: bool) -> Filter {
    let word = Some("word".to_owned());
    Filter {
        status: status.then_some(crate::model::Status::Failed),
        queue: word.clone(),
        name: word.clone(),
        root_id: word.clone(),
        correlation_id: word.clone(),
        parent_id: word,
    }
}

fn question(ask: Ask, by: Option<Access>, filter: Filter) -> Question {
    // As many as its text has in front of the filter's.
    let values = match ask {
        Ask::Matching | Ask::Queues | Ask::Running => 1,
        Ask::Groups
        | Ask::Tally
        | Ask::Finished
        | Ask::FinishedByName
        | Ask::Boundary
        | Ask::Keys
        | Ask::Family
        | Ask::LeaseFailures => 2,
        _ => 3,
    };
    Question {
        ask,
        values: vec![Value::Number(1); values],
        filter,
        by,
        full: true,
    }
}

fn questions() -> Vec<Question> {
    let mut all = Vec::new();
    for ask in ASKED {
        if matches!(ask, Ask::Matching | Ask::Gather) {
            for by in ACCESSES {
                for status in [true, false] {
                    if status || by != Access::Status {
                        all.push(question(ask, Some(by), filter(status)));
                    }
                }
            }
        } else {
            all.push(question(ask, None, filter(true)));
        }
    }
    all
}

/// What a plan may scan: results of its own making, and lists a caller gave.
const SCANNED: [&str; 12] = [
    "SCAN q",
    "SCAN s",
    "SCAN g",
    "SCAN json_each",
    "SCAN p",
    "SCAN f",
    "SCAN m",
    "SCAN queues",
    "SCAN found",
    "SCAN t",
    "SCAN (subquery",
    "SCAN CONSTANT ROW",
];

#[test]
fn every_question_reaches_an_index() {
    in_every_state(|connection, migrate, state| {
        for question in questions() {
            let (text, values) =
                sql::question(&question, migrate.level()).expect("both dialects have it");
            let prepared = connection
                .prepare(&text)
                .unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(prepared.parameter_count(), values.len(), "{text}");
            let plan = plan(connection, &text);
            for step in plan.split("; ").filter(|step| step.starts_with("SCAN")) {
                let known = SCANNED.iter().any(|known| step.starts_with(known));
                // `t` is a table in some texts and a subquery in `family`; a scan of the table names no index.
                let table = step.starts_with("SCAN t") && question.ask != Ask::Family;
                assert!(known && !table, "{state}: {step}: {plan}: {text}");
            }
        }
    });
}

#[test]
fn what_only_postgres_knows_is_refused_here() {
    let place = Place::new();
    let store = place.opened(crate::protocol::MigrateTo::Default);
    let question = question(Ask::Sessions, None, Filter::default());
    let answer = super::run(store.execute(Command::Inspect(Box::new(question))));
    assert!(answer.is_err());
}

#[test]
fn no_filter_text_becomes_sql() {
    let odd = Some("'; drop table cairnq_tasks; --".to_owned());
    let filter = Filter {
        status: None,
        queue: odd.clone(),
        name: odd.clone(),
        root_id: odd.clone(),
        correlation_id: odd.clone(),
        parent_id: odd,
    };
    for ask in [Ask::Gather, Ask::Walk] {
        let by = (ask == Ask::Gather).then_some(Access::Root);
        let (text, _) = sql::question(&question(ask, by, filter.clone()), 6).expect("a text");
        assert!(!text.contains("drop"), "{text}");
    }
}
