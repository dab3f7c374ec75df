//! The catalogue's rows: nine bytes a run, in blocks of neighbouring ids.

use std::collections::{BTreeMap, HashMap};

use crate::model::JobLog;
use crate::store::log_page::LogOrder;

/// Ids of one block: the place in it fits 16 bits.
const BLOCK_BITS: u32 = 14;

/// handle_code 200.
pub(super) const SUCCESS: u8 = 1;
/// trigger_code or handle_code neither 0 nor 200.
pub(super) const FAILED: u8 = 2;
/// trigger_code 200 and handle_code 0.
pub(super) const RUNNING: u8 = 4;
/// No result and not refused: what becomes of it will be seen.
pub(super) const OPEN: u8 = 8;

/// The outcome of a run as flags.
pub(super) const fn outcome(trigger_code: i32, handle_code: i32) -> u8 {
    let refused = trigger_code != 0 && trigger_code != 200;
    let success = if handle_code == 200 { SUCCESS } else { 0 };
    let failed = if refused || (handle_code != 0 && handle_code != 200) { FAILED } else { 0 };
    let running = if trigger_code == 200 && handle_code == 0 { RUNNING } else { 0 };
    let open = if handle_code == 0 && !refused { OPEN } else { 0 };
    success | failed | running | open
}

/// What is known of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct Entry {
    pub id: i64,
    pub job_group: i32,
    pub job_id: i32,
    /// Wall time of the trigger in seconds; 0 = none.
    pub time: u32,
    /// See [`outcome`].
    pub outcome: u8,
}

impl Entry {
    pub fn of(log: &JobLog, time: u32) -> Self {
        let outcome = outcome(log.trigger_code, log.handle_code);
        Self { id: log.id, job_group: log.job_group, job_id: log.job_id, time, outcome }
    }
}

/// Which runs are sought.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::store) struct Criteria {
    /// 0 or less = all.
    pub job_group: i32,
    /// 0 or less = all.
    pub job_id: i32,
    /// One of these flags; 0 = all.
    pub outcome: u8,
    pub from: Option<u32>,
    pub to: Option<u32>,
}

impl Criteria {
    const fn owner_matches(&self, (group, job): (i32, i32)) -> bool {
        (self.job_group <= 0 || self.job_group == group) && (self.job_id <= 0 || self.job_id == job)
    }

    const fn rest_matches(&self, time: u32, outcome: u8) -> bool {
        (self.outcome == 0 || outcome & self.outcome != 0) && self.is_within(time)
    }

    const fn is_within(&self, time: u32) -> bool {
        let from = match self.from {
            Some(from) => time != 0 && time >= from,
            None => true,
        };
        let to = match self.to {
            Some(to) => time != 0 && time <= to,
            None => true,
        };
        from && to
    }

    /// Whether a block may hold such runs.
    fn may_match(&self, block: &Block) -> bool {
        self.from.is_none_or(|from| block.latest >= from) && self.to.is_none_or(|to| block.earliest <= to)
    }

    /// Whether a run is among those sought.
    pub const fn matches(&self, entry: &Entry) -> bool {
        self.owner_matches((entry.job_group, entry.job_id)) && self.rest_matches(entry.time, entry.outcome)
    }
}

/// More runs or owners than the catalogue takes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

#[derive(Debug, Default)]
struct Block {
    places: Vec<u16>,
    owners: Vec<u16>,
    times: Vec<u32>,
    outcomes: Vec<u8>,
    earliest: u32,
    latest: u32,
    open: u32,
}

impl Block {
    fn push(&mut self, place: u16, owner: u16, time: u32, outcome: u8) {
        self.earliest = if self.places.is_empty() { time } else { self.earliest.min(time) };
        self.latest = self.latest.max(time);
        self.open += u32::from(outcome & OPEN != 0);
        self.places.push(place);
        self.owners.push(owner);
        self.times.push(time);
        self.outcomes.push(outcome);
    }

    fn push_from(&mut self, other: &Self, range: std::ops::Range<usize>) {
        for at in range {
            self.push(other.places[at], other.owners[at], other.times[at], other.outcomes[at]);
        }
    }

    fn shrink(&mut self) {
        self.places.shrink_to_fit();
        self.owners.shrink_to_fit();
        self.times.shrink_to_fit();
        self.outcomes.shrink_to_fit();
    }
}

/// A page of what was sought.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct Selection {
    /// In the order asked for.
    pub ids: Vec<i64>,
    /// How many there are, exact up to what was enough.
    pub counted: usize,
}

/// Runs by id.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    by_number: BTreeMap<i64, Block>,
    /// Group and job by the number that stands for them.
    owners: Vec<(i32, i32)>,
    numbers: HashMap<(i32, i32), u16>,
    rows: usize,
}

const fn block_of(id: i64) -> i64 {
    id >> BLOCK_BITS
}

const fn place_of(id: i64) -> u16 {
    (id & ((1 << BLOCK_BITS) - 1)) as u16
}

const fn id_of(block: i64, place: u16) -> i64 {
    (block << BLOCK_BITS) | place as i64
}

impl Blocks {
    /// Runs in the catalogue.
    pub const fn len(&self) -> usize {
        self.rows
    }

    /// The lowest id.
    pub fn lowest(&self) -> Option<i64> {
        self.by_number.first_key_value().map(|(number, block)| id_of(*number, block.places[0]))
    }

    /// Makes the runs with ids above `after` and up to `until` be these, which are given by id.
    pub fn replace(&mut self, after: i64, until: i64, entries: &[Entry]) -> Result<(), Full> {
        let mut numbers: Vec<i64> =
            self.by_number.range(block_of(after)..=block_of(until)).map(|(at, _)| *at).collect();
        numbers.extend(entries.iter().map(|entry| block_of(entry.id)));
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            let old = self.by_number.remove(&number).unwrap_or_default();
            let mut block = Block::default();
            let kept_before = old.places.partition_point(|place| id_of(number, *place) <= after);
            let kept_after = old.places.partition_point(|place| id_of(number, *place) <= until);
            block.push_from(&old, 0..kept_before);
            let first = entries.partition_point(|entry| block_of(entry.id) < number);
            let last = entries.partition_point(|entry| block_of(entry.id) <= number);
            for entry in &entries[first..last] {
                let owner = self.number_of(entry.job_group, entry.job_id)?;
                block.push(place_of(entry.id), owner, entry.time, entry.outcome);
            }
            block.push_from(&old, kept_after.max(kept_before)..old.places.len());
            self.rows = self.rows + block.places.len() - old.places.len();
            if !block.places.is_empty() {
                block.shrink();
                self.by_number.insert(number, block);
            }
        }
        Ok(())
    }

    fn number_of(&mut self, job_group: i32, job_id: i32) -> Result<u16, Full> {
        if let Some(number) = self.numbers.get(&(job_group, job_id)) {
            return Ok(*number);
        }
        let number = u16::try_from(self.owners.len()).map_err(|_| Full)?;
        self.owners.push((job_group, job_id));
        self.numbers.insert((job_group, job_id), number);
        Ok(number)
    }

    /// Takes runs out; gives whether any of them was there.
    pub fn remove(&mut self, ids: &[i64]) -> bool {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        let before = self.rows;
        for same_block in ids.chunk_by(|one, other| block_of(*one) == block_of(*other)) {
            let number = block_of(same_block[0]);
            let Some(old) = self.by_number.remove(&number) else { continue };
            let mut block = Block::default();
            for at in 0..old.places.len() {
                if same_block.binary_search(&id_of(number, old.places[at])).is_err() {
                    block.push_from(&old, at..at + 1);
                }
            }
            self.rows = self.rows + block.places.len() - old.places.len();
            if !block.places.is_empty() {
                self.by_number.insert(number, block);
            }
        }
        self.rows != before
    }

    /// What is known of a run.
    pub fn get(&self, id: i64) -> Option<Entry> {
        let block = self.by_number.get(&block_of(id))?;
        let at = block.places.binary_search(&place_of(id)).ok()?;
        let (job_group, job_id) = self.owners[usize::from(block.owners[at])];
        Some(Entry { id, job_group, job_id, time: block.times[at], outcome: block.outcomes[at] })
    }

    /// A page of the runs that match, and their number: exact up to `enough` and up to the end of the page.
    pub fn select(
        &self,
        criteria: &Criteria,
        order: LogOrder,
        offset: usize,
        limit: usize,
        enough: usize,
    ) -> Selection {
        let enough = enough.max(offset.saturating_add(limit).saturating_add(1));
        let wanted: Vec<bool> = self.owners.iter().map(|owner| criteria.owner_matches(*owner)).collect();
        let mut blocks: Vec<(i64, &Block)> = self.by_number.iter().map(|(number, block)| (*number, block)).collect();
        match order {
            LogOrder::TriggerTime => blocks.sort_by_key(|(number, block)| (block.latest, *number)),
            LogOrder::Id => {}
        }
        // Found and not settled: a block that comes later may hold runs that stand before them.
        let mut pending: Vec<(u32, i64)> = Vec::new();
        // In their place: everything that was skipped stands before them, everything else behind.
        let mut settled: Vec<(u32, i64)> = Vec::new();
        let mut skipped = 0;
        while let Some((number, block)) = blocks.pop() {
            // Runs that no later block can stand before.
            let settles_after = match (order, blocks.last()) {
                (LogOrder::TriggerTime, Some((_, next))) => Some(next.latest),
                _ => None,
            };
            let is_settled = |time: u32| settles_after.is_none_or(|latest| time > latest);
            // Far before the page, counting is enough.
            let is_far = settled.is_empty() && skipped + pending.len() + block.places.len() <= offset;
            if criteria.may_match(block) {
                for at in (0..block.places.len()).rev() {
                    let time = block.times[at];
                    if !wanted[usize::from(block.owners[at])] || !criteria.rest_matches(time, block.outcomes[at]) {
                        continue;
                    }
                    if is_far && is_settled(time) {
                        skipped += 1;
                    } else {
                        pending.push((time, id_of(number, block.places[at])));
                    }
                }
            }
            settled.extend(pending.extract_if(.., |(time, _)| is_settled(*time)));
            if skipped + settled.len() <= offset {
                skipped += settled.len();
                settled.clear();
            } else if skipped + settled.len() >= enough {
                break;
            }
        }
        let counted = skipped + settled.len();
        match order {
            LogOrder::TriggerTime => settled.sort_unstable_by(|one, other| other.cmp(one)),
            LogOrder::Id => {}
        }
        let ids = settled.iter().skip(offset - skipped.min(offset)).take(limit).map(|(_, id)| *id).collect();
        Selection { ids, counted }
    }

    /// Ids of all runs that match, lowest first.
    pub fn ids(&self, criteria: &Criteria) -> Vec<i64> {
        let wanted: Vec<bool> = self.owners.iter().map(|owner| criteria.owner_matches(*owner)).collect();
        let mut ids = Vec::new();
        for (number, block) in &self.by_number {
            for at in 0..block.places.len() {
                if wanted[usize::from(block.owners[at])] && criteria.rest_matches(block.times[at], block.outcomes[at]) {
                    ids.push(id_of(*number, block.places[at]));
                }
            }
        }
        ids
    }

    /// The latest open runs up to an id, so many at most.
    pub fn open_until(&self, until: i64, most: usize) -> Vec<i64> {
        let mut ids = Vec::new();
        for (number, block) in self.by_number.range(..=block_of(until)).rev().filter(|(_, block)| block.open > 0) {
            for at in (0..block.places.len()).rev() {
                let id = id_of(*number, block.places[at]);
                if block.outcomes[at] & OPEN != 0 && id <= until {
                    ids.push(id);
                }
            }
            if ids.len() >= most {
                break;
            }
        }
        ids.truncate(most);
        ids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: i64, job_id: i32, time: u32) -> Entry {
        Entry { id, job_group: job_id / 10, job_id, time, outcome: SUCCESS }
    }

    /// The same answer by sorting everything.
    fn sorted(entries: &[Entry], criteria: &Criteria, order: LogOrder) -> Vec<i64> {
        let mut found: Vec<&Entry> = entries.iter().filter(|entry| criteria.matches(entry)).collect();
        found.sort_by_key(|entry| match order {
            LogOrder::TriggerTime => (entry.time, entry.id),
            LogOrder::Id => (0, entry.id),
        });
        found.iter().rev().map(|entry| entry.id).collect()
    }

    /// 60,000 runs of 40 jobs with gaps, ties and times out of order; `apart` times as far apart.
    fn many(apart: i64) -> Vec<Entry> {
        let mut seed = 1_u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed >> 8
        };
        let mut id = 0;
        (0..60_000)
            .map(|number| {
                id += apart * (1 + i64::from(random() % 7 / 6));
                let late = if random() % 1_000 == 0 { random() % 20_000 } else { random() % 4 };
                let outcome = [SUCCESS, FAILED, RUNNING | OPEN, SUCCESS | FAILED][(random() % 50 / 47) as usize];
                Entry { outcome, ..entry(id, 10 + (random() % 40) as i32, 1_000 + number / 3 + late) }
            })
            .collect()
    }

    #[test]
    fn pages_are_those_of_a_full_sort() {
        for apart in [1, 100] {
            check_pages(&many(apart));
        }
    }

    fn check_pages(entries: &[Entry]) {
        let mut blocks = Blocks::default();
        for page in entries.chunks(7_000) {
            blocks.replace(page[0].id - 1, page.last().unwrap().id, page).unwrap();
        }
        assert_eq!(blocks.len(), entries.len());
        for criteria in [
            Criteria::default(),
            Criteria { job_id: 17, ..Criteria::default() },
            Criteria { job_group: 2, outcome: FAILED, ..Criteria::default() },
            Criteria { from: Some(5_000), to: Some(5_100), ..Criteria::default() },
            Criteria { job_id: 99, ..Criteria::default() },
        ] {
            for order in [LogOrder::TriggerTime, LogOrder::Id] {
                let all = sorted(entries, &criteria, order);
                for offset in [0, 1, 500, 9_995, 30_000, all.len().saturating_sub(3), all.len(), all.len() + 5] {
                    let page = blocks.select(&criteria, order, offset, 10, 10_001);
                    let wanted: Vec<i64> = all.iter().skip(offset).take(10).copied().collect();
                    assert_eq!(page.ids, wanted, "{criteria:?} {order:?} {offset}");
                    let least = all.len().min(10_001.max(offset + 11));
                    assert!(page.counted >= least && page.counted <= all.len(), "{criteria:?} {order:?} {offset}");
                }
            }
        }
    }

    #[test]
    fn ranges_are_replaced_and_runs_removed() {
        let mut blocks = Blocks::default();
        let entries: Vec<Entry> = (1..=40_000).map(|id| entry(id, 1, 100)).collect();
        blocks.replace(0, 40_000, &entries).unwrap();
        blocks.replace(10, 20, &[entry(15, 2, 7)]).unwrap();
        assert_eq!(blocks.len(), 39_991);
        assert_eq!(blocks.get(15), Some(entry(15, 2, 7)));
        assert_eq!(blocks.get(14), None);
        assert_eq!(blocks.get(21), Some(entry(21, 1, 100)));
        blocks.replace(0, 30_000, &[]).unwrap();
        assert_eq!(blocks.len(), 10_000);
        assert!(blocks.remove(&[30_001, 40_000, 5]));
        assert!(!blocks.remove(&[5, 99_999]));
        assert_eq!(blocks.ids(&Criteria::default()).len(), 9_998);
    }

    #[test]
    fn outcomes_are_those_of_the_lists() {
        assert_eq!(outcome(0, 0), OPEN);
        assert_eq!(outcome(200, 0), RUNNING | OPEN);
        assert_eq!(outcome(200, 200), SUCCESS);
        assert_eq!(outcome(500, 200), SUCCESS | FAILED);
        assert_eq!(outcome(500, 0), FAILED);
        assert_eq!(outcome(0, 502), FAILED);
        let mut blocks = Blocks::default();
        let open = Entry { outcome: outcome(200, 0), ..entry(3, 1, 1) };
        blocks.replace(0, 9, &[entry(1, 1, 1), open, Entry { id: 5, ..open }]).unwrap();
        assert_eq!(blocks.open_until(4, 10), [3]);
        assert_eq!(blocks.open_until(9, 1), [5]);
    }
}
