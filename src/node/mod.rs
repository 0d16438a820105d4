//! The only place that knows napi: classes JavaScript holds, and texts both sides understand.
//!
//! No promise is made here. Every method returns at once; answers and events go through one [`bridge`] per JavaScript
//! thread, many in one crossing, and `lib/bridge.js` resolves the promises.

#![allow(
    clippy::needless_pass_by_value,
    reason = "napi hands arguments over by value"
)]

mod bridge;
mod delivery;
mod log;
mod messages;
mod requests;
mod store;
mod submits;
#[cfg(test)]
mod tests;
mod worker;

/// The version this was built as; the package takes no binary of another one.
#[napi_derive::napi]
#[must_use]
#[cfg_attr(
    test,
    allow(dead_code, reason = "napi registers nothing in a test build")
)]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// An argument JavaScript should not have let through, as an exception.
fn invalid(error: impl std::fmt::Display) -> napi::Error {
    napi::Error::from_reason(error.to_string())
}
