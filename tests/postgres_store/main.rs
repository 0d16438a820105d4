//! The Postgres store against a real server, named by `CAIRNQ_TEST_PG_DSN` (a role that may create databases). Without it
//! the tests say so and pass.

mod claims;
mod faults;
mod handoff;
mod listening;
mod migrations;
mod plans;
mod proxy;
mod rounds;
mod support;
mod values;
