//! What machines call: the executors, programs that manage jobs, and whoever watches us.

pub mod actuator;
pub mod bucket;
pub mod executor;
mod job;
