//! Whatever crosses the boundary, in either direction, arrives as it was sent or is refused: never a panic.

mod bridge;
mod delivery;
mod errors;
mod requests;
mod submits;
