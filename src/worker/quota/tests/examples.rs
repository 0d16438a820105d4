//! The rules of the contract, one by one.

use std::sync::Arc;

use crate::worker::quota::{Draw, NameRules, Room, Session, Source, Turns, sources};

const PLAIN: NameRules = NameRules {
    batch: None,
    concurrency: None,
    resource: None,
};

fn batch(rows: u32) -> NameRules {
    NameRules {
        batch: Some(rows),
        ..PLAIN
    }
}

fn concurrency(calls: u32) -> NameRules {
    NameRules {
        concurrency: Some(calls),
        ..PLAIN
    }
}

fn resource(index: usize) -> NameRules {
    NameRules {
        resource: Some(index),
        ..PLAIN
    }
}

fn session(names: &[NameRules], room: Room) -> Session {
    let sources = sources(names);
    let order = Turns::default().order(&sources);
    Session::new(sources, order, room)
}

fn free(free_calls: u32) -> Room {
    Room {
        free_calls,
        ..Room::default()
    }
}

/// Runs a session in which every draw brings at most `queued` rows; gives the limits asked for.
fn limits(mut session: Session, queued: u32) -> Vec<(usize, u32)> {
    let mut asked = Vec::new();
    while let Some(draw) = session.next_draw() {
        asked.push((draw.source, draw.limit_rows));
        let rows = queued.min(draw.limit_rows);
        session.record(draw, rows);
    }
    asked
}

#[test]
fn plain_names_share_a_source_and_ruled_names_have_their_own() {
    let all = sources(&[PLAIN, batch(1), PLAIN, concurrency(2), resource(0)]);
    let names: Vec<&[usize]> = all.iter().map(Source::names).collect();
    assert_eq!(names, [&[0, 2][..], &[1], &[3], &[4]]);
}

#[test]
fn no_name_claims_nothing() {
    assert_eq!(session(&[], free(8)).next_draw(), None);
}

#[test]
fn no_free_slot_claims_nothing() {
    assert_eq!(session(&[PLAIN], free(0)).next_draw(), None);
}

#[test]
fn a_batch_is_one_call() {
    assert_eq!(limits(session(&[batch(10)], free(3)), 100), [(0, 30)]);
}

#[test]
fn a_source_with_little_queued_leaves_the_rest_to_the_next() {
    // 15 rows are two calls of ten, so two of the four slots are left for the other source.
    assert_eq!(
        limits(session(&[batch(10), batch(1)], free(4)), 15),
        [(0, 40), (1, 2)]
    );
}

#[test]
fn a_source_with_nothing_queued_costs_nothing() {
    assert_eq!(
        limits(session(&[PLAIN, batch(2)], free(4)), 0),
        [(0, 4), (1, 8)]
    );
}

#[test]
fn a_draw_never_recorded_costs_nothing() {
    let mut session = session(&[PLAIN, batch(2)], free(1));
    assert_eq!(
        session.next_draw(),
        Some(Draw {
            source: 0,
            limit_rows: 1
        })
    );
    assert_eq!(
        session.next_draw(),
        Some(Draw {
            source: 1,
            limit_rows: 2
        })
    );
}

#[test]
fn claim_batch_is_rounded_down_to_whole_calls_but_not_below_one() {
    let room = |rows| Room {
        claim_batch: Some(rows),
        ..free(100)
    };
    assert_eq!(limits(session(&[PLAIN], room(7)), 100), [(0, 7)]);
    assert_eq!(limits(session(&[batch(3)], room(7)), 100), [(0, 6)]);
    assert_eq!(limits(session(&[batch(50)], room(7)), 100), [(0, 50)]);
}

#[test]
fn calls_in_flight_count_against_the_concurrency_of_their_name() {
    let room = Room {
        name_calls: vec![3, 1],
        ..free(100)
    };
    assert_eq!(
        limits(session(&[concurrency(2), concurrency(5)], room), 100),
        [(1, 4)]
    );
}

#[test]
fn sources_drawn_in_one_session_share_what_is_left_of_a_resource() {
    let room = Room {
        resource_left: vec![5],
        ..free(100)
    };
    let names = [
        NameRules {
            batch: Some(4),
            ..resource(0)
        },
        resource(0),
    ];
    // Nine rows are three calls of four.
    assert_eq!(limits(session(&names, room), 9), [(0, 20), (1, 2)]);
}

#[test]
fn the_source_served_longest_ago_goes_first() {
    let all = sources(&[batch(1), batch(2), batch(3)]);
    let mut turns = Turns::default();
    turns.served(&all, &[0]);
    assert_eq!(turns.order(&all), [1, 2, 0]);
    turns.served(&all, &[2, 1]);
    assert_eq!(turns.order(&all), [0, 2, 1]);
}

#[test]
fn turns_outlive_a_new_registration() {
    let mut turns = Turns::default();
    let before = sources(&[batch(1), batch(2)]);
    turns.served(&before, &[0]);
    // A plain name puts a source in front of the others.
    let after = sources(&[batch(1), batch(2), PLAIN]);
    assert_eq!(after[1].names(), [0]);
    assert_eq!(turns.order(&after), [0, 2, 1]);
}

#[test]
fn two_names_on_one_resource_take_turns_beside_a_busy_third() {
    // With a turn that moves on by one a round, the rounds in which the unit is free would all be the first
    // name's: every other round only frees the third name's slot.
    let all = sources(&[resource(0), resource(0), PLAIN]);
    let mut turns = Turns::default();
    let mut served = [0, 0, 0];
    for round in 0..40 {
        let unit = u32::from(round % 2 == 0);
        let room = Room {
            resource_left: vec![unit],
            ..free(1)
        };
        let mut session = Session::new(Arc::clone(&all), turns.order(&all), room);
        while let Some(draw) = session.next_draw() {
            served[draw.source] += 1;
            session.record(draw, 1);
        }
        turns.served(&all, session.served());
    }
    assert!(served.iter().all(|&times| times >= 9), "{served:?}");
}

#[test]
fn prefetch_holds_tasks_beyond_the_free_slots() {
    let room = Room {
        extra_tasks: 20,
        ..free(2)
    };
    assert_eq!(limits(session(&[PLAIN], room.clone()), 100), [(0, 22)]);
    assert_eq!(limits(session(&[batch(8)], room), 100), [(0, 32)]);
}

#[test]
fn prefetch_counts_the_tasks_held_and_not_those_started() {
    let mut session = session(
        &[batch(8), PLAIN],
        Room {
            extra_tasks: 20,
            ..free(2)
        },
    );
    // Plain names come first in the list of sources.
    let draw = session.next_draw().expect("a draw");
    assert_eq!((draw.source, draw.limit_rows), (0, 22));
    session.record(draw, 12);
    assert_eq!(
        session.next_draw(),
        Some(Draw {
            source: 1,
            limit_rows: 8
        })
    );
}

#[test]
fn nothing_is_held_of_a_source_whose_own_ceiling_binds() {
    let room = Room {
        extra_tasks: 20,
        resource_left: vec![4],
        ..free(2)
    };
    assert_eq!(
        limits(session(&[concurrency(4)], room.clone()), 100),
        [(0, 2),]
    );
    assert_eq!(limits(session(&[resource(0)], room.clone()), 100), [(0, 2)]);
    assert_eq!(limits(session(&[concurrency(22)], room), 100), [(0, 22)]);
}

#[test]
fn a_source_that_cannot_be_prefetched_still_gets_its_turn_when_no_slot_is_free() {
    let room = Room {
        extra_tasks: 5,
        ..Room::default()
    };
    assert_eq!(
        limits(session(&[concurrency(2)], room.clone()), 100),
        [(0, 1)]
    );
    assert_eq!(limits(session(&[batch(9)], room.clone()), 100), [(0, 9)]);
    let full = Room {
        name_calls: vec![2],
        ..room
    };
    assert_eq!(limits(session(&[concurrency(2)], full), 100), []);
}

#[test]
fn numbers_at_the_end_of_their_range_do_not_overflow() {
    let room = Room {
        extra_tasks: u32::MAX,
        ..free(u32::MAX)
    };
    let mut session = session(&[batch(u32::MAX), concurrency(u32::MAX)], room);
    let draw = session.next_draw().expect("a draw");
    assert_eq!(draw.limit_rows, u32::MAX);
    assert_eq!(session.record(draw, u32::MAX), 1);
    let draw = session.next_draw().expect("a draw");
    session.record(draw, u32::MAX);
}

#[test]
fn more_rows_than_asked_for_only_spend_what_there_is() {
    let mut session = session(
        &[concurrency(2), batch(1)],
        Room {
            resource_left: vec![1],
            ..free(3)
        },
    );
    let draw = session.next_draw().expect("a draw");
    assert_eq!(session.record(draw, 50), 50);
    assert_eq!(session.next_draw(), None);
}
