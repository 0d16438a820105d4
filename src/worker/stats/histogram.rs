//! Durations counted in buckets that double: the same for every worker, so that figures of many can be added up.

use std::time::Duration;

use serde::{Serialize, Serializer, ser::SerializeStruct as _};

/// The first bucket ends here; each further one at twice the bound before it.
const FIRST_BOUND_US: u64 = 125;

/// Buckets with an end: from 0.125 ms to 65.536 s. One more takes what is longer.
const BOUNDS: usize = 20;

/// How often which duration was seen.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    counts: [u64; BOUNDS + 1],
    sum_us: u64,
}

impl Histogram {
    /// Counts one duration.
    pub fn record(&mut self, duration: Duration) {
        let us = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.counts[bucket(us)] += 1;
        self.sum_us = self.sum_us.saturating_add(us);
    }

    /// How many durations were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// The first bucket whose bound is not below `us`.
fn bucket(us: u64) -> usize {
    let times_first = us.div_ceil(FIRST_BOUND_US).max(1);
    let doublings = u64::BITS - (times_first - 1).leading_zeros();
    (doublings as usize).min(BOUNDS)
}

fn bound_ms(bucket: usize) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "the largest bound is below 2^27"
    )]
    let bound_us = (FIRST_BOUND_US << bucket) as f64;
    bound_us / 1000.0
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bounds: Vec<f64> = (0..BOUNDS).map(bound_ms).collect();
        #[expect(clippy::cast_precision_loss, reason = "exact up to 285 years")]
        let sum_ms = self.sum_us as f64 / 1000.0;
        let mut fields = serializer.serialize_struct("Histogram", 4)?;
        fields.serialize_field("count", &self.count())?;
        fields.serialize_field("sumMs", &sum_ms)?;
        fields.serialize_field("boundsMs", &bounds)?;
        fields.serialize_field("counts", &self.counts)?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_bound_belongs_to_its_own_bucket() {
        assert_eq!(bucket(0), 0);
        for index in 0..BOUNDS {
            let bound = FIRST_BOUND_US << index;
            assert_eq!((bucket(bound), bucket(bound + 1)), (index, index + 1));
        }
        assert_eq!(bucket(u64::MAX), BOUNDS);
        assert!((bound_ms(BOUNDS - 1) - 65_536.0).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn every_duration_lies_in_its_bucket(us in 0u64..200_000_000) {
            let index = bucket(us);
            prop_assert!(index == BOUNDS || us <= FIRST_BOUND_US << index);
            prop_assert!(index == 0 || us > FIRST_BOUND_US << (index - 1));
        }
    }
}
