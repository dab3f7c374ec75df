//! From "a job is due" to "its executor was called": what is said about it and where it goes.

pub mod message;
pub mod route;
