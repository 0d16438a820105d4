//! How long a failed attempt waits before the next one.

/// The longest delay there is: the largest integer that JavaScript numbers hold exactly.
const LONGEST_MS: f64 = 9_007_199_254_740_991.0;

/// Milliseconds from the failure of `attempt` (the first is 1) to the next one.
///
/// The window doubles from `base_ms` with each attempt up to `max_ms`; half of it is always waited, the other
/// half is drawn with `rand` (0 up to but not including 1), so that tasks which failed together do not come
/// back together. A base of 0 or less retries at once.
///
/// The numbers are floating point because the options are JavaScript's: fractions and `Infinity` are allowed
/// there, and the exported `retryDelayMs` has to give the same.
#[must_use]
pub fn retry_delay_ms(attempt: i64, base_ms: f64, max_ms: f64, rand: f64) -> i64 {
    // Also true of NaN, which is no reason to wait.
    if !(base_ms > 0.0 && max_ms > 0.0) {
        return 0;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "no window is below its maximum at an attempt that large"
    )]
    let doublings = attempt as f64 - 1.0;
    // A large exponent becomes infinity, never an overflow.
    let window = (base_ms * doublings.exp2()).min(max_ms).min(LONGEST_MS);
    let half = (window / 2.0).floor();
    let delay = half + (rand * (window - half)).floor();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number within an i64"
    )]
    let delay_ms = delay.clamp(0.0, LONGEST_MS) as i64;
    delay_ms
}

#[cfg(test)]
mod tests {
    use super::retry_delay_ms;

    const ALMOST_ONE: f64 = 1.0 - f64::EPSILON;

    #[test]
    fn the_window_doubles_up_to_the_maximum() {
        let shortest: Vec<i64> = (1..=7)
            .map(|n| retry_delay_ms(n, 1000.0, 30_000.0, 0.0))
            .collect();
        assert_eq!(shortest, [500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
        let longest: Vec<i64> = (1..=7)
            .map(|n| retry_delay_ms(n, 1000.0, 30_000.0, ALMOST_ONE))
            .collect();
        assert_eq!(longest, [999, 1999, 3999, 7999, 15_999, 29_999, 29_999]);
    }

    #[test]
    fn the_draw_moves_within_the_upper_half() {
        assert_eq!(retry_delay_ms(1, 1000.0, 30_000.0, 0.5), 750);
        // An odd window: floor(7 / 2) is always waited, the other 4 are drawn from.
        assert_eq!(retry_delay_ms(1, 7.0, 100.0, 0.0), 3);
        assert_eq!(retry_delay_ms(1, 7.0, 100.0, 0.5), 5);
        assert_eq!(retry_delay_ms(1, 7.0, 100.0, ALMOST_ONE), 6);
    }

    #[test]
    fn no_base_and_no_maximum_mean_no_delay() {
        for none in [0.0, -1.0, f64::NAN] {
            assert_eq!(retry_delay_ms(3, none, 30_000.0, 0.5), 0);
            assert_eq!(retry_delay_ms(3, 1000.0, none, 0.5), 0);
        }
    }

    #[test]
    fn fractions_are_windows_too() {
        assert_eq!(retry_delay_ms(1, 0.5, 100.0, ALMOST_ONE), 0);
        assert_eq!(retry_delay_ms(4, 0.5, 100.0, 0.0), 2);
    }

    #[test]
    fn an_attempt_past_any_exponent_waits_the_maximum() {
        for attempt in [64, 1025, 4_000_000_000, i64::MAX] {
            assert_eq!(retry_delay_ms(attempt, 1000.0, 30_000.0, 0.0), 15_000);
        }
    }

    #[test]
    fn without_a_maximum_the_delay_still_fits_the_database() {
        let longest = 9_007_199_254_740_991;
        for rand in [0.0, 0.5, ALMOST_ONE, 1.0] {
            let delay = retry_delay_ms(4_000_000_000, f64::MAX, f64::INFINITY, rand);
            assert!((longest / 2..=longest).contains(&delay), "{delay}");
        }
    }

    #[test]
    fn attempt_zero_is_half_the_first_window() {
        assert_eq!(retry_delay_ms(0, 1000.0, 30_000.0, 0.0), 250);
    }
}
