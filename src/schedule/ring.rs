//! The 60-slot ring of fires that are claimed and not yet due.
//!
//! Ports the ring of `JobScheduleHelper`. Better on purpose: each entry knows its absolute second, so nothing fires a
//! minute late when a tick was missed, and one (job, second) fires once.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::model::EpochMs;
use crate::store::ClaimedFire;

const SLOTS: i64 = 60;
/// Slots before the present one that every tick looks into, as 3.3 does.
const LOOK_BACK: i64 = 2;

/// The ring.
#[derive(Debug)]
pub struct Ring {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    slots: Vec<Vec<ClaimedFire>>,
    /// Second of the last tick.
    ticked: Option<i64>,
    size: usize,
}

impl Default for Ring {
    fn default() -> Self {
        let slots = (0..SLOTS).map(|_| Vec::new()).collect();
        Self { inner: Mutex::new(Inner { slots, ticked: None, size: 0 }) }
    }
}

impl Ring {
    /// Puts fires into the slots of their seconds.
    pub fn push(&self, fires: impl IntoIterator<Item = ClaimedFire>) {
        let mut inner = self.lock();
        for fire in fires {
            // A second whose tick is over goes to the next one, not once around the ring.
            let second = fire.due.div_euclid(1000);
            let second = inner.ticked.map_or(second, |ticked| second.max(ticked + 1));
            let slot = second.rem_euclid(SLOTS);
            inner.slots[slot as usize].push(fire);
            inner.size += 1;
        }
    }

    /// Takes every fire that is due, in the order of the seconds and of their arrival.
    pub fn tick(&self, now: EpochMs) -> Vec<ClaimedFire> {
        let second = now.div_euclid(1000);
        let mut inner = self.lock();
        let since = inner.ticked.map_or(SLOTS - 1, |ticked| (second - ticked).abs()).clamp(LOOK_BACK, SLOTS - 1);
        inner.ticked = Some(second);
        let mut due = Vec::new();
        for back in (0..=since).rev() {
            let slot = &mut inner.slots[(second - back).rem_euclid(SLOTS) as usize];
            due.extend(slot.extract_if(.., |fire| fire.due.div_euclid(1000) <= second));
        }
        inner.size -= due.len();
        let mut seen = HashSet::with_capacity(due.len());
        due.retain(|fire| seen.insert((fire.job_id, fire.due)));
        due.sort_by_key(|fire| fire.due);
        due
    }

    /// Fires that wait.
    pub fn len(&self) -> usize {
        self.lock().size
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        // No code under the lock can panic half-way through a change.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fire(job_id: i32, due_s: i64) -> ClaimedFire {
        ClaimedFire { job_id, due: due_s * 1000, log_id: i64::from(job_id) }
    }

    fn jobs(fires: &[ClaimedFire]) -> Vec<i32> {
        fires.iter().map(|fire| fire.job_id).collect()
    }

    #[test]
    fn a_tick_takes_what_is_due_and_leaves_the_next_minute() {
        let ring = Ring::default();
        ring.push([fire(1, 100), fire(2, 101), fire(3, 160), fire(1, 100)]);
        assert_eq!(jobs(&ring.tick(100_999)), [1]);
        assert_eq!(jobs(&ring.tick(101_000)), [2]);
        assert_eq!(ring.len(), 1);
        assert_eq!(jobs(&ring.tick(159_000)), Vec::<i32>::new());
        assert_eq!(jobs(&ring.tick(160_000)), [3]);
        assert!(ring.is_empty());
    }

    #[test]
    fn ticks_that_were_missed_and_entries_that_came_late_are_made_up_for() {
        let ring = Ring::default();
        ring.push([fire(1, 100), fire(2, 130)]);
        ring.tick(99_000);
        assert_eq!(jobs(&ring.tick(150_000)), [1, 2]);
        ring.push([fire(3, 140), fire(4, 150)]);
        assert_eq!(jobs(&ring.tick(151_000)), [3, 4]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_doubled_or_early(
            dues in proptest::collection::vec(1_000_i64..1_050, 1..200),
            steps in proptest::collection::vec(1_i64..4, 30..60),
        ) {
            let ring = Ring::default();
            let mut at = 999;
            ring.tick(at * 1000);
            ring.push(dues.iter().enumerate().map(|(job, due)| fire(job as i32, *due)));
            let mut fired = Vec::new();
            for step in steps.iter().chain(&[60]) {
                at += step;
                for got in ring.tick(at * 1000) {
                    prop_assert!(got.due <= at * 1000);
                    fired.push(got.job_id);
                }
            }
            fired.sort_unstable();
            prop_assert_eq!(fired, (0..dues.len() as i32).collect::<Vec<_>>());
        }
    }
}
