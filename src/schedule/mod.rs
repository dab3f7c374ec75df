//! The scheduling core.

pub mod next_time;
