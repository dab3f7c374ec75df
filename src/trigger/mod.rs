//! From "a job is due" to "its executor was called": what is said about it, where it goes, and how many go at once.

mod fire;
pub mod message;
mod pool;
pub mod route;
mod slots;
mod slow_jobs;
mod writers;

pub use pool::{Parts, Refused, Start, TriggerHandle};
pub use writers::WriterTask;
