//! Ids of tasks and workers: `task_` or `worker_` and 26 characters of Crockford base32 over 128 bits, of
//! which the first 48 are the milliseconds since 1970 and the other 80 are random.
//!
//! Ids of one process sort in the order in which they were made, because the claim order falls back on the
//! id when two tasks have the same priority and the same time: tasks submitted within one millisecond then
//! run in the order of their submits.

use std::sync::{LazyLock, Mutex, PoisonError};

use rand::Rng;
use rand::rngs::StdRng;

use crate::clock;

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 26;
const RANDOM_BITS: u32 = 80;
const RANDOM_MASK: u128 = (1 << RANDOM_BITS) - 1;
const TIME_MASK: u64 = (1 << 48) - 1;

/// How far the clock may step back before ids follow it: a slew by a time daemon is ridden out in order, a
/// clock that was set an hour back is believed, or ids would carry a time that is wrong for an hour.
const STEP_BACK_MS: u64 = 1_000;

static SEQUENCE: LazyLock<Mutex<Sequence>> =
    LazyLock::new(|| Mutex::new(Sequence::new(rand::make_rng())));

/// An id for a new task.
#[must_use]
pub fn task_id() -> String {
    lines_of_ids("task_", 1)
}

/// Ids for so many new tasks in the order of their claims, one a line.
#[must_use]
pub fn task_ids(count: usize) -> String {
    lines_of_ids("task_", count)
}

/// An id for a worker.
#[must_use]
pub fn worker_id() -> String {
    lines_of_ids("worker_", 1)
}

fn lines_of_ids(prefix: &str, count: usize) -> String {
    let mut ids = String::with_capacity(count * (prefix.len() + LENGTH + 1));
    // A panic elsewhere cannot leave the sequence half changed.
    let mut sequence = SEQUENCE.lock().unwrap_or_else(PoisonError::into_inner);
    // Read under the lock, so that times reach the sequence in the order in which they were read.
    let now_ms = u64::try_from(clock::now_ms()).unwrap_or(0);
    for number in 0..count {
        if number > 0 {
            ids.push('\n');
        }
        ids.push_str(prefix);
        push_base32(&mut ids, sequence.next(now_ms));
    }
    ids
}

/// The five-bit digits of `bits`, highest first; two leading zero bits fill the first digit.
fn push_base32(text: &mut String, bits: u128) {
    for digit in (0..LENGTH).rev() {
        text.push(char::from(ALPHABET[(bits >> (5 * digit)) as usize & 31]));
    }
}

/// Makes numbers that grow.
struct Sequence {
    last_ms: u64,
    last_random: u128,
    rng: StdRng,
}

impl Sequence {
    fn new(rng: StdRng) -> Self {
        Self {
            last_ms: 0,
            last_random: 0,
            rng,
        }
    }

    /// The next 128 bits. In a new millisecond the random part is drawn afresh; in the same one, and while
    /// the clock is behind by no more than [`STEP_BACK_MS`], it goes up by a random step, which keeps the
    /// order and the ids of two processes apart. Past the end of the 80 bits (one millisecond in
    /// billions) the next millisecond is borrowed.
    fn next(&mut self, now_ms: u64) -> u128 {
        let now_ms = now_ms & TIME_MASK;
        let continues = now_ms <= self.last_ms && self.last_ms - now_ms <= STEP_BACK_MS;
        let stepped = self.last_random + 1 + u128::from(self.rng.next_u32());
        if continues && stepped <= RANDOM_MASK {
            self.last_random = stepped;
        } else {
            self.last_ms = if continues {
                (self.last_ms + 1) & TIME_MASK
            } else {
                now_ms
            };
            self.last_random = self.fresh();
        }
        (u128::from(self.last_ms) << RANDOM_BITS) | self.last_random
    }

    fn fresh(&mut self) -> u128 {
        ((u128::from(self.rng.next_u64()) << 64) | u128::from(self.rng.next_u64())) & RANDOM_MASK
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::SeedableRng;

    use super::*;

    fn sequence() -> Sequence {
        Sequence::new(StdRng::seed_from_u64(7))
    }

    fn ms(bits: u128) -> u64 {
        u64::try_from(bits >> RANDOM_BITS).expect("48 bits")
    }

    fn base32(bits: u128) -> String {
        let mut text = String::new();
        push_base32(&mut text, bits);
        text
    }

    #[test]
    fn an_id_is_a_prefix_and_26_digits() {
        for (id, prefix) in [(task_id(), "task_"), (worker_id(), "worker_")] {
            let digits = id.strip_prefix(prefix).expect("the prefix");
            assert_eq!(digits.len(), 26);
            assert!(
                digits.bytes().all(|digit| ALPHABET.contains(&digit)),
                "{digits}"
            );
            assert!(digits.as_bytes()[0] <= b'7', "130 bits hold 128");
        }
    }

    #[test]
    fn many_ids_are_lines_that_rise() {
        let ids = task_ids(1_000);
        let ids: Vec<&str> = ids.split('\n').collect();
        assert_eq!(ids.len(), 1_000);
        assert!(ids.is_sorted_by(|a, b| a < b));
        assert_eq!(task_ids(0), "");
    }

    #[test]
    fn the_digits_are_crockford_base32() {
        assert_eq!(base32(0), "00000000000000000000000000");
        assert_eq!(base32(31), "0000000000000000000000000Z");
        assert_eq!(base32(u128::MAX), "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
        // The first ten digits are the time: 1,469,918,176,385 ms as the ULID specification writes it.
        assert_eq!(&base32(1_469_918_176_385 << 80)[..10], "01ARYZ6S41");
    }

    #[test]
    fn the_time_is_the_one_of_the_clock() {
        let before = u64::try_from(clock::now_ms()).expect("after 1970");
        let id = task_id();
        let after = u64::try_from(clock::now_ms()).expect("after 1970");
        let time = id["task_".len()..][..10].bytes().fold(0, |time, digit| {
            let value = ALPHABET
                .iter()
                .position(|&one| one == digit)
                .expect("a digit");
            time << 5 | value as u64
        });
        // Another test may have borrowed a millisecond.
        assert!(
            (before..=after + 1).contains(&time),
            "{before} {time} {after}"
        );
    }

    #[test]
    fn one_millisecond_gives_growing_ids() {
        let mut sequence = sequence();
        let ids: Vec<u128> = (0..10_000).map(|_| sequence.next(1_000)).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(ids.iter().all(|&id| ms(id) == 1_000));
        assert!(
            ids.windows(2).any(|pair| pair[1] - pair[0] > 1 << 16),
            "steps can be guessed"
        );
    }

    #[test]
    fn a_new_millisecond_is_drawn_afresh() {
        let mut sequence = sequence();
        let first = sequence.next(1_000);
        let second = sequence.next(1_001);
        assert_eq!((ms(first), ms(second)), (1_000, 1_001));
        assert!((second & RANDOM_MASK).abs_diff(first & RANDOM_MASK) > 1 << 40);
    }

    #[test]
    fn a_small_step_back_keeps_the_order() {
        let mut sequence = sequence();
        let ids = [5_000, 4_999, 4_000, 5_000, 5_001].map(|now| sequence.next(now));
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:x?}");
        assert_eq!(ids.map(ms), [5_000, 5_000, 5_000, 5_000, 5_001]);
    }

    #[test]
    fn a_clock_set_back_is_followed() {
        let mut sequence = sequence();
        sequence.next(5_000_000);
        let ids = [1_400_000, 1_400_000, 1_400_001].map(|now| sequence.next(now));
        assert_eq!(ids.map(ms), [1_400_000, 1_400_000, 1_400_001]);
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:x?}");
    }

    #[test]
    fn the_end_of_the_random_part_borrows_the_next_millisecond() {
        let mut sequence = sequence();
        sequence.next(1_000);
        sequence.last_random = RANDOM_MASK;
        let ids = [1_000, 1_000, 1_001].map(|now| sequence.next(now));
        assert_eq!(ids.map(ms), [1_001, 1_001, 1_001]);
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:x?}");
    }

    #[test]
    fn threads_get_different_ids_each_in_its_order() {
        let threads: Vec<_> = (0..8)
            .map(|_| std::thread::spawn(|| (0..5_000).map(|_| task_id()).collect::<Vec<_>>()))
            .collect();
        let mut all = HashSet::new();
        for thread in threads {
            let ids = thread.join().expect("the thread");
            assert!(ids.is_sorted_by(|a, b| a < b));
            all.extend(ids);
        }
        assert_eq!(all.len(), 40_000);
    }
}
