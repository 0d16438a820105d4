//! The durable task worker behind `@cairnq/native`.
//!
//! The map of the house: `model` is a task, `store` the seam to the database that keeps it (one folder per
//! dialect), `protocol` every SQL text and the database's level, `worker` what decides which task runs when,
//! `node` the only place that knows napi.

/// A place where a test may break the program; nothing at all in a release.
macro_rules! crash_point {
    ($name:literal) => {
        #[cfg(debug_assertions)]
        $crate::crash::reached($name);
    };
}

pub mod backoff;
pub mod clock;
#[cfg(debug_assertions)]
mod crash;
pub mod error;
pub mod ids;
pub mod model;
mod node;
pub mod protocol;
pub mod runtime;
pub mod store;
pub mod worker;

pub use error::{Error, Result};
