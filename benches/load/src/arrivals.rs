//! What reached the executor, and when.

use std::sync::{Mutex, PoisonError};

/// One `/run` that arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Job id.
    pub job: u64,
    /// Log id.
    pub log: u64,
    /// Wall time of the arrival in µs.
    pub at_us: u64,
}

/// The record of all arrivals.
#[derive(Debug, Default)]
pub struct Arrivals(Mutex<Vec<Arrival>>);

impl Arrivals {
    /// Adds one.
    pub fn record(&self, arrival: Arrival) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(arrival);
    }

    /// How many so far.
    pub fn count(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len() as u64
    }

    /// All so far, in order of arrival.
    pub fn snapshot(&self) -> Vec<Arrival> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
