//! The claim scheduler: which names to claim next, and how many rows of them.
//!
//! It takes numbers and gives numbers. It never waits, reads no clock and knows no database, so a whole
//! world of tasks, ceilings and completions can be played against it in a test.
//!
//! One round of the worker goes like this:
//!
//! 1. [`sources`] splits the registered names into [`Source`]s, once per registration.
//! 2. [`Turns::order`] says which source goes first, [`Room`] what is free at this moment.
//! 3. [`Session::next_draw`] and [`Session::record`] alternate until there is no further draw.
//! 4. Once the claim is committed, [`Turns::served`] moves the sources that got rows to the back.
//!
//! Every ceiling counts handler *calls* (a batch is one call), because a call is what holds a slot, a
//! name's place and a resource unit. Only prefetch counts tasks: it bounds what waits, not what runs.
//!
//! The byte budget is not here: how large rows are is known only once they have been claimed. Whoever
//! runs the session stops asking for draws when the budget is gone; a session may end at any draw.

mod session;
mod source;
#[cfg(test)]
mod tests;
mod turns;

pub use session::{Draw, Room, Session};
pub use source::{NameRules, Source, sources};
pub use turns::Turns;
