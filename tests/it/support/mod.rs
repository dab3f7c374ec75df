//! What tests stand on: counterparts of the program, and recorded traffic.

pub mod fake_executor;
pub mod recordings;
