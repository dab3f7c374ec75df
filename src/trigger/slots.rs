//! Limits on open calls: so many in a lane, so many to one address.
//!
//! The Java admin has ten threads a lane until a queue of thousands is full, so one slow executor stalls every job.
//! Here a call that waits for its address holds no slot of a lane, and waiting costs no thread.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::config::settings::Trigger;
use crate::i18n::{Key, Locale, format, text};

/// Addresses remembered before idle ones are forgotten.
const REMEMBERED: usize = 4096;

/// The two lanes of Java's trigger pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// For jobs that are taken quickly.
    Fast,
    /// For jobs whose triggers were slow more than ten times in the running minute.
    Slow,
}

impl Lane {
    /// Name in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Slow => "slow",
        }
    }
}

/// Leave for one open call.
#[derive(Debug)]
pub struct CallSlot {
    _address: OwnedSemaphorePermit,
    _lane: OwnedSemaphorePermit,
}

/// Why a call was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSlot {
    /// The address was busy for too long; so long was waited.
    Busy(Duration),
    /// The admin stops.
    Stopping,
}

impl NoSlot {
    /// The sentence for the run's message.
    pub fn tell(self, locale: Locale) -> String {
        match self {
            Self::Busy(waited) => format(text(locale, Key::OwnWaitTooLong), &[waited.as_secs().to_string().as_str()]),
            Self::Stopping => text(locale, Key::OwnStopped).to_owned(),
        }
    }
}

/// All slots.
#[derive(Debug)]
pub struct Slots {
    fast: Arc<Semaphore>,
    slow: Arc<Semaphore>,
    per_address: usize,
    max_wait: Duration,
    addresses: Mutex<HashMap<String, Arc<Semaphore>>>,
    give_up: CancellationToken,
}

impl Slots {
    /// Slots by the settings; waiting ends when `give_up` is cancelled.
    pub fn new(limits: &Trigger, give_up: CancellationToken) -> Self {
        Self {
            fast: Arc::new(Semaphore::new(limits.in_flight_fast)),
            slow: Arc::new(Semaphore::new(limits.in_flight_slow)),
            per_address: limits.per_address,
            max_wait: limits.max_wait,
            addresses: Mutex::default(),
            give_up,
        }
    }

    /// Waits, in the order of arrival, until a call to the address may be made.
    ///
    /// # Errors
    /// When it was not the call's turn within `trigger.max-wait`, or the admin stops.
    pub async fn acquire(&self, lane: Lane, address: &str) -> Result<CallSlot, NoSlot> {
        let address = self.of_address(address);
        let lane = match lane {
            Lane::Fast => &self.fast,
            Lane::Slow => &self.slow,
        };
        let both = async {
            let address = address.acquire_owned().await;
            let lane = lane.clone().acquire_owned().await;
            // The semaphores are never closed.
            Some(CallSlot { _address: address.ok()?, _lane: lane.ok()? })
        };
        tokio::select! {
            biased;
            // First, since a stop frees the slots of the calls it gives up: nobody is to begin a call with one.
            () = self.give_up.cancelled() => Err(NoSlot::Stopping),
            slot = tokio::time::timeout(self.max_wait, both) => match slot {
                Ok(Some(slot)) => Ok(slot),
                Ok(None) => Err(NoSlot::Stopping),
                Err(_) => Err(NoSlot::Busy(self.max_wait)),
            },
        }
    }

    fn of_address(&self, address: &str) -> Arc<Semaphore> {
        let mut known = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slots) = known.get(address) {
            return slots.clone();
        }
        if known.len() >= REMEMBERED {
            // Whoever waits or calls holds a clone; the others' semaphores are full and may be made anew.
            known.retain(|_, slots| Arc::strong_count(slots) > 1 || slots.available_permits() < self.per_address);
        }
        known.entry(address.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(self.per_address))).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(in_flight_fast: usize, per_address: usize) -> Trigger {
        Trigger {
            in_flight_fast,
            in_flight_slow: 1,
            per_address,
            queue: 10,
            max_wait: Duration::from_millis(50),
            child_depth: 0,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_address_holds_nobody_else_up() {
        let slots = Slots::new(&limits(2, 1), CancellationToken::new());
        let held = slots.acquire(Lane::Fast, "a").await.unwrap();
        let busy = slots.acquire(Lane::Fast, "a").await.unwrap_err();
        assert_eq!(busy, NoSlot::Busy(Duration::from_millis(50)));
        let other = slots.acquire(Lane::Fast, "b").await;
        assert!(other.is_ok());
        drop(held);
        assert!(slots.acquire(Lane::Fast, "a").await.is_ok());
    }

    #[tokio::test]
    async fn waiting_ends_with_the_admin() {
        let give_up = CancellationToken::new();
        let slots = Slots::new(&limits(1, 1), give_up.clone());
        let _held = slots.acquire(Lane::Fast, "a").await.unwrap();
        give_up.cancel();
        assert_eq!(slots.acquire(Lane::Fast, "b").await.unwrap_err(), NoSlot::Stopping);
    }
}
