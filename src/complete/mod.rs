//! From an executor's result to the end of a run: what is stored about it and which jobs follow.

pub mod message;
