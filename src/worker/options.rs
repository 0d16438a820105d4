//! What a worker was told to do, as JavaScript has checked it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

/// Options of a worker; see `WorkerOptions` in index.d.ts for units, defaults and ranges.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the fields are documented once, in index.d.ts")]
pub struct Options {
    pub worker_id: String,
    pub queues: Vec<String>,
    pub lease_ms: f64,
    pub heartbeat_interval_ms: f64,
    pub poll_interval_ms: f64,
    pub claim_batch: Option<f64>,
    pub retry_backoff_ms: f64,
    pub retry_backoff_max_ms: f64,
    pub max_run_ms: Option<f64>,
    pub max_in_flight_bytes: Option<f64>,
    #[serde(default)]
    pub resources: BTreeMap<String, u32>,
    pub max_blocked_ms: f64,
    pub prefetch: Option<f64>,
}

/// A timer can be set no further ahead than this; a hundred years is forever here.
const FOREVER: Duration = Duration::from_hours(876_000);

/// A number of JavaScript milliseconds as a duration a timer takes.
#[must_use]
pub fn duration(ms: f64) -> Duration {
    Duration::try_from_secs_f64(ms.max(0.0) / 1000.0)
        .map_or(FOREVER, |duration| duration.min(FOREVER))
}

/// A number of JavaScript as the integer the database keeps.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float cast saturates, and beyond the ends nothing differs"
)]
pub fn whole(number: f64) -> i64 {
    number as i64
}

/// A count of JavaScript; what is larger than a count can be is as good as no limit.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast saturates, and beyond the ends nothing differs"
)]
pub fn count(number: f64) -> u32 {
    number as u32
}

/// A number of bytes of JavaScript.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast saturates, and beyond the ends nothing differs"
)]
pub fn bytes(number: f64) -> u64 {
    number as u64
}
