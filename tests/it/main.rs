//! Integration tests, one binary for all of them.

mod cron_golden;
