//! The command line.

pub mod next;
