//! Whatever crosses the boundary, in either direction, arrives as it was sent or is refused: never a panic.

mod delivery;
mod errors;
mod messages;
mod requests;
mod submits;
