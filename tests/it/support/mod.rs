//! What the tests stand on: databases of their own, of any engine and generation, and servers to talk to.

pub mod db;
pub mod participants;
pub mod schema;
pub mod smtp;
