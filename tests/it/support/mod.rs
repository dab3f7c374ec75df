//! What the tests share.

pub mod smtp;
