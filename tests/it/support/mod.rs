//! What the tests stand on: databases of their own, of any engine and generation, servers to talk to, and recorded
//! traffic.

pub mod app;
pub mod db;
pub mod fake_executor;
pub mod html;
pub mod log;
pub mod participants;
pub mod recordings;
pub mod running;
pub mod schema;
pub mod smtp;
