//! What the tests stand on: databases of their own, of any engine and generation.

pub mod db;
pub mod participants;
pub mod schema;
