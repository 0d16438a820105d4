//! Whether a thread that has done its work looks for the next a moment longer before it sleeps: to be put to sleep and
//! woken again costs some 50 us, which is most of what a small write takes.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// How long it looks: a turn of JavaScript that takes the answers to some 32 submits and makes as many takes less.
const LOOK: Duration = Duration::from_micros(200);
/// After so many looks in vain in a row it looks once in 2 to that power.
const MISSES_MAX: u32 = 8;

/// What the last looks brought.
#[derive(Debug, Default)]
pub(super) struct Alert {
    misses: u32,
    skips: u32,
}

impl Alert {
    /// With one core nobody looks: that would keep the work from being made.
    pub(super) fn new() -> Option<Self> {
        available_parallelism()
            .is_ok_and(|cores| cores > NonZeroUsize::MIN)
            .then(Self::default)
    }

    /// Looks whether something `came`, if it has been worth it lately.
    pub(super) fn look(&mut self, came: impl Fn() -> bool) {
        if self.skips > 0 {
            self.skips -= 1;
            return;
        }
        let until = Instant::now() + LOOK;
        while !came() {
            if Instant::now() >= until {
                self.misses = (self.misses + 1).min(MISSES_MAX);
                self.skips = (1 << self.misses) - 1;
                return;
            }
            std::hint::spin_loop();
        }
        self.misses = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// How many of so many times it looked for what never came.
    fn looks(alert: &mut Alert, times: u32) -> usize {
        let looks = |alert: &mut Alert| {
            let looked = Cell::new(false);
            alert.look(|| {
                looked.set(true);
                false
            });
            looked.get()
        };
        (0..times).filter(|_| looks(alert)).count()
    }

    #[test]
    fn looking_in_vain_makes_it_rare() {
        let mut alert = Alert::default();
        assert_eq!(looks(&mut alert, 2 + 4 + 8), 3, "after 1, 3 and 7 without");
        assert!(looks(&mut alert, 10_000) < 60, "at last one in 256");
    }

    #[test]
    fn finding_something_makes_it_usual_again() {
        let mut alert = Alert::default();
        looks(&mut alert, 1_000);
        let found = Cell::new(0);
        while found.get() == 0 {
            alert.look(|| {
                found.set(found.get() + 1);
                true
            });
        }
        assert_eq!(looks(&mut alert, 1), 1);
    }
}
