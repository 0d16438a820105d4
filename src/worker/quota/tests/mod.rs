//! The scheduler against worlds of tasks and ceilings: invariants, a slow obvious model, and the cases the
//! contract spells out.

mod examples;
mod model;
mod properties;
mod world;
