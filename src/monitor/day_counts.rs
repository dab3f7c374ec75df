//! The runs of a day by outcome, counted without reading the whole day each time.
//!
//! A day is cut into slices of time. A slice whose runs have all ended does not change any more – but for late removals
//! and results that replace results – so its count is kept and only now and then made anew, the oldest counts first and
//! so many runs a round. Counted each time are the last minutes and the slices with open runs; a longer slice with open
//! runs is cut into pieces until the open ones stand nearly alone. The first count of a day reads it once.
//!
//! The sums are the same as those of one count over the day, which the Java admins make each minute: the slices share
//! their bounds and the database's clock has no part in them. On a day on which the clocks of the column zone are changed
//! wall times repeat, and the day is counted as one.

use crate::model::EpochMs;
use crate::store::{DayCount, Result, Store};

/// Runs younger than this belong to the part that is always counted.
const YOUNG_MS: i64 = 120_000;
/// The shortest slice.
const SHORT_MS: i64 = 60_000;
/// Pieces of a slice that is cut.
const PIECES: i64 = 8;
/// Age at which a kept count is made anew.
const KEEP_MS: i64 = 3_600_000;
/// A slice whose runs stay open for longer than this is counted less often.
const LONG_OPEN_MS: i64 = 2 * 3_600_000;
/// Time between two counts of such a slice.
const LONG_OPEN_EVERY_MS: i64 = 600_000;
/// Runs that are counted anew in one round without need.
const ANEW: i64 = 50_000;

/// A slice of a day, first and last instant included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slice {
    from: EpochMs,
    to: EpochMs,
    count: DayCount,
    counted_at: EpochMs,
}

impl Slice {
    const fn runs(&self) -> i64 {
        self.count.running as i64 + self.count.success as i64 + self.count.fail as i64
    }

    const fn has_open(&self) -> bool {
        self.count.running > 0
    }

    /// Whether it must be counted in this round.
    const fn is_due(&self, now: EpochMs) -> bool {
        let age = now - self.counted_at;
        self.has_open() && (now - self.to < LONG_OPEN_MS || age >= LONG_OPEN_EVERY_MS)
    }
}

/// The counts of one day.
#[derive(Debug)]
pub struct DayCounts {
    day: EpochMs,
    end: EpochMs,
    slices: Vec<Slice>,
    /// Removals that the counts know of.
    removals: u64,
}

impl DayCounts {
    /// A day that is not counted yet, first and last instant included.
    pub const fn new(day: EpochMs, end: EpochMs) -> Self {
        Self { day, end, slices: Vec::new(), removals: 0 }
    }

    /// The first instant of the day.
    pub const fn day(&self) -> EpochMs {
        self.day
    }

    /// The runs of the day.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn count(&mut self, store: &Store, now: EpochMs) -> Result<DayCount> {
        let removals = store.removals();
        if removals != self.removals {
            self.slices.clear();
            self.removals = removals;
        }
        if !store.is_even(self.day, self.end) {
            return store.count_runs(self.day, self.end).await;
        }
        self.recount(store, now).await?;
        let from = self.slices.last().map_or(self.day, |last| last.to + 1);
        // Whole minutes, so that no slice begins within a second.
        let old = ((now - YOUNG_MS).min(self.end + 1) - self.day).div_euclid(SHORT_MS) * SHORT_MS + self.day;
        if old > from {
            let slice = Self::slice(store, from, old - 1, now).await?;
            self.slices.push(slice);
        }
        let mut sum = DayCount::default();
        for slice in &self.slices {
            sum = plus(sum, slice.count);
        }
        let young = self.slices.last().map_or(self.day, |last| last.to + 1);
        if young <= self.end {
            sum = plus(sum, store.count_runs(young, self.end).await?);
        }
        Ok(sum)
    }

    async fn slice(store: &Store, from: EpochMs, to: EpochMs, now: EpochMs) -> Result<Slice> {
        Ok(Slice { from, to, count: store.count_runs(from, to).await?, counted_at: now })
    }

    async fn recount(&mut self, store: &Store, now: EpochMs) -> Result<()> {
        let mut anew = self.to_be_renewed(now);
        let mut slices = Vec::with_capacity(self.slices.len() + 8);
        for slice in &self.slices {
            if slice.is_due(now) {
                for (from, to) in pieces(slice) {
                    slices.push(Self::slice(store, from, to, now).await?);
                }
            } else if anew.remove(&slice.from) {
                slices.push(Self::slice(store, slice.from, slice.to, now).await?);
            } else {
                slices.push(*slice);
            }
        }
        self.slices = joined(&slices);
        Ok(())
    }

    /// The slices with the oldest counts, by their first instants: at least one, and no more than a round may read.
    fn to_be_renewed(&self, now: EpochMs) -> std::collections::HashSet<EpochMs> {
        let mut old: Vec<&Slice> = self.slices.iter().filter(|slice| now - slice.counted_at >= KEEP_MS).collect();
        old.sort_by_key(|slice| slice.counted_at);
        let mut runs = 0;
        old.into_iter()
            .take_while(|slice| {
                let first = runs == 0;
                runs += slice.runs().max(1);
                first || runs <= ANEW
            })
            .map(|slice| slice.from)
            .collect()
    }
}

/// The pieces into which a slice with open runs is cut.
fn pieces(slice: &Slice) -> Vec<(EpochMs, EpochMs)> {
    let minutes = (slice.to + 1 - slice.from) / SHORT_MS;
    let piece = (minutes.max(1) as u64).div_ceil(PIECES as u64) as i64 * SHORT_MS;
    let mut pieces = Vec::new();
    let mut from = slice.from;
    while from <= slice.to {
        let to = (from + piece - 1).min(slice.to);
        pieces.push((from, to));
        from = to + 1;
    }
    pieces
}

/// Neighbours without open runs as one, while that stays short enough to be counted anew in one round.
fn joined(slices: &[Slice]) -> Vec<Slice> {
    let mut out: Vec<Slice> = Vec::with_capacity(slices.len());
    for slice in slices {
        match out.last_mut() {
            Some(last) if !last.has_open() && !slice.has_open() && last.runs() + slice.runs() <= ANEW / 2 => {
                last.to = slice.to;
                last.count = plus(last.count, slice.count);
                last.counted_at = last.counted_at.min(slice.counted_at);
            }
            _ => out.push(*slice),
        }
    }
    out
}

const fn plus(one: DayCount, other: DayCount) -> DayCount {
    DayCount { running: one.running + other.running, success: one.success + other.success, fail: one.fail + other.fail }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(minutes: std::ops::Range<i64>, running: i32, success: i32) -> Slice {
        let count = DayCount { running, success, fail: 0 };
        Slice { from: minutes.start * SHORT_MS, to: minutes.end * SHORT_MS - 1, count, counted_at: 0 }
    }

    #[test]
    fn a_slice_is_cut_without_gap_or_overlap() {
        for minutes in [1, 2, 7, 8, 9, 1_438] {
            let whole = slice(0..minutes, 1, 5);
            let pieces = pieces(&whole);
            assert!(pieces.len() as i64 <= PIECES && (minutes == 1) == (pieces.len() == 1), "{minutes}");
            assert_eq!((pieces[0].0, pieces.last().unwrap().1), (whole.from, whole.to));
            assert!(pieces.windows(2).all(|two| two[0].1 + 1 == two[1].0 && two[1].0 % SHORT_MS == 0), "{minutes}");
        }
    }

    #[test]
    fn neighbours_without_open_runs_become_one() {
        let done = joined(&[slice(0..1, 0, 5), slice(1..2, 0, 6), slice(2..3, 1, 0), slice(3..4, 0, 24_990)]);
        assert_eq!(done.len(), 3);
        assert_eq!(done[0], Slice { to: 2 * SHORT_MS - 1, ..slice(0..2, 0, 11) });
        assert_eq!(joined(&[slice(0..1, 0, 5), slice(1..2, 0, 24_999)]).len(), 2, "too many to be counted at once");
    }

    #[test]
    fn slices_with_open_runs_are_counted_each_time_and_old_ones_less_often() {
        let open = slice(0..1, 1, 0);
        assert!(open.is_due(SHORT_MS + 1) && !slice(0..1, 0, 1).is_due(SHORT_MS + 1));
        let now = LONG_OPEN_MS + 2 * SHORT_MS;
        assert!(Slice { counted_at: now - LONG_OPEN_EVERY_MS, ..open }.is_due(now));
        assert!(!Slice { counted_at: now - LONG_OPEN_EVERY_MS + 1, ..open }.is_due(now));
    }

    #[test]
    fn old_counts_are_renewed_a_few_at_a_time() {
        let mut counts = DayCounts::new(0, 0);
        counts.slices = (0..10).map(|minute| slice(minute..minute + 1, 0, 20_000)).collect();
        assert_eq!(counts.to_be_renewed(KEEP_MS).len(), 2);
        assert!(counts.to_be_renewed(KEEP_MS - 1).is_empty());
        counts.slices = vec![slice(0..1, 0, 90_000)];
        assert_eq!(counts.to_be_renewed(KEEP_MS).len(), 1, "one at least");
    }
}
