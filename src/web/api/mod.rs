//! What machines call: the executors, and whoever watches us.

pub mod actuator;
pub mod executor;
