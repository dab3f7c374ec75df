//! Cron expressions, Quartz-exact.
