//! A drop-in replacement for the Java xxl-job admin: one binary on the unmodified eight tables, speaking the executor
//! protocol and the console's HTTP API of the releases 2.3 – 3.4.
//!
//! `docs/architecture.md` tells how the parts fit together and which Java class went where.

pub mod alarm;
pub mod app;
pub mod cli;
pub mod clock;
pub mod complete;
pub mod config;
pub mod cron;
pub mod health;
pub mod i18n;
pub mod metrics;
pub mod model;
pub mod monitor;
pub mod protocol;
pub mod registry;
pub mod schedule;
pub mod startup;
pub mod store;
pub mod supervise;
pub mod telemetry;
pub mod trigger;
pub mod web;
