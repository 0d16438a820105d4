//! What is known of the order of a tie: rows that share their place in the claim order, where only the id says which
//! comes first and no index holds it.
//!
//! A draw of few rows has to look at the ids of those that follow. Mostly they rise with the rowids, and the next draw
//! would look at the same ones again.

use std::cmp::Reverse;
use std::collections::VecDeque;

/// The place of a row in the claim order, but for the id: priority, and the time its level goes by.
pub(super) type Place = (Reverse<i64>, i64);

/// Which rows are meant: of a queue, or of one name in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scope<'s> {
    pub(super) queue: &'s str,
    pub(super) name: Option<&'s str>,
}

/// Rows of one tie whose ids rise with their rowids.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    queue: String,
    name: Option<String>,
    place: Option<Place>,
    rowids: VecDeque<i64>,
    last_id: String,
}

impl Sorted {
    /// How many rows are known to come after the row `rowid`, and the last of them. That row itself when nothing is
    /// known of it: then it is the first that is.
    pub(super) fn following(
        &mut self,
        scope: Scope<'_>,
        place: Place,
        rowid: i64,
        id: &str,
    ) -> (usize, i64) {
        let known = Scope {
            queue: &self.queue,
            name: self.name.as_deref(),
        };
        if self.place == Some(place) && known == scope {
            while self.rowids.front().is_some_and(|&first| first < rowid) {
                self.rowids.pop_front();
            }
            if let (Some(first), Some(last)) = (self.rowids.front(), self.rowids.back())
                && *first == rowid
            {
                return (self.rowids.len() - 1, *last);
            }
        }
        scope.queue.clone_into(&mut self.queue);
        self.name = scope.name.map(ToOwned::to_owned);
        self.place = Some(place);
        self.rowids.clear();
        self.push(rowid, id);
        (0, rowid)
    }

    /// Adds the row that follows the last. Whether its id is greater; if not, all is forgotten.
    pub(super) fn add(&mut self, rowid: i64, id: &str) -> bool {
        let rises = *self.last_id < *id;
        if rises {
            self.push(rowid, id);
        } else {
            self.place = None;
        }
        rises
    }

    fn push(&mut self, rowid: i64, id: &str) {
        self.rowids.push_back(rowid);
        id.clone_into(&mut self.last_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCOPE: Scope<'static> = Scope {
        queue: "q",
        name: Some("n"),
    };
    const PLACE: Place = (Reverse(0), 7);

    fn sorted() -> Sorted {
        let mut sorted = Sorted::default();
        assert_eq!(sorted.following(SCOPE, PLACE, 10, "a"), (0, 10));
        assert!(sorted.add(12, "b"));
        assert!(sorted.add(15, "d"));
        sorted
    }

    #[test]
    fn rows_that_rise_are_known_until_they_are_passed() {
        let mut sorted = sorted();
        assert_eq!(sorted.following(SCOPE, PLACE, 10, "a"), (2, 15));
        assert_eq!(sorted.following(SCOPE, PLACE, 12, "b"), (1, 15));
        assert_eq!(sorted.following(SCOPE, PLACE, 10, "a"), (0, 10), "back");
    }

    #[test]
    fn a_row_never_looked_at_is_not_known() {
        assert_eq!(sorted().following(SCOPE, PLACE, 13, "c"), (0, 13));
    }

    #[test]
    fn what_is_known_of_one_tie_says_nothing_of_another() {
        let every = Scope {
            name: None,
            ..SCOPE
        };
        assert_eq!(sorted().following(every, PLACE, 10, "a"), (0, 10));
        let other = (Reverse(1), 7);
        assert_eq!(sorted().following(SCOPE, other, 10, "a"), (0, 10));
    }

    #[test]
    fn one_out_of_order_ends_it() {
        let mut sorted = sorted();
        assert!(!sorted.add(16, "c"));
        assert_eq!(sorted.following(SCOPE, PLACE, 10, "a"), (0, 10));
    }
}
