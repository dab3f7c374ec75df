//! Integration tests: parts of the program, or all of it, on databases and sockets of their own.
//!
//! One binary, because each binary links everything. Servers for MariaDB and PostgreSQL are named by `TEST_MYSQL_URL` and
//! `TEST_POSTGRES_URL` (`make test-db` starts both); SQLite needs none.
#![expect(clippy::expect_used, reason = "a test that cannot go on fails with the sentence given")]

mod api_jobs;
mod console_access;
mod console_addresses;
mod console_areas;
mod console_bodies;
mod console_edge;
mod console_holes;
mod console_log_tail;
mod console_login;
mod console_origin;
mod console_replay;
mod console_replies;
mod console_rights;
mod console_security;
mod core;
mod cron_golden;
mod cron_properties;
mod direction;
mod fuzz;
mod mail;
mod protocol;
mod schema_facts;
mod store;
mod support;
