//! Which fire answers which due second, and what that says: lateness, missing, doubled.
//!
//! A run does not say for which second it was due, so due times and arrivals of each job are brought together: as many
//! pairs as possible, no fire before its due time, and among all such pairings the one with the least lateness in sum.
//! A job that is always 1.5 s late is therefore late and misses nothing; a job that skips one second misses that one
//! and is not late from there on. This needs the due times that the admin took up, no more: `ends` bounds them.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use crate::arrivals::Arrival;
use crate::plan::Plan;

/// A fire that is so little early is on time: clocks are read at both ends.
const EARLY_US: u64 = 20_000;

/// One due second of one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// Job id.
    pub job: u64,
    /// Due time in ms.
    pub at_ms: u64,
    /// When it was fired, in µs since 1970; none = never.
    pub fired_us: Option<u64>,
}

impl Due {
    /// Lateness in µs.
    pub fn late_us(&self) -> Option<u64> {
        Some(self.fired_us?.saturating_sub(self.at_ms * 1_000))
    }
}

/// What came of a plan.
#[derive(Debug, Default)]
pub struct Assessment {
    /// Every due second of every job before its end.
    pub dues: Vec<Due>,
    /// Runs that answer no due second, or one that was answered already.
    pub doubled: u64,
    /// Runs beyond the first with the same log id.
    pub same_log_id: u64,
    /// Runs beyond the first of one job within one second of the clock. Lateness alone can cause some.
    pub same_clock_second: u64,
    /// Runs of jobs that are not in the plan.
    pub foreign: u64,
}

/// The due seconds of a time window.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// How many fires were due.
    pub expected: u64,
    /// How many of them came.
    pub fired: u64,
    /// (job id, due ms) that never came.
    pub missing: Vec<(u64, u64)>,
    /// Jobs that were due and never fired.
    pub silent_jobs: u64,
    /// How many of them came before their second, by the little that is allowed.
    pub early: u64,
    /// Lateness of those that came, ascending, in µs.
    pub lateness_us: Vec<u64>,
}

/// The due seconds of a window that lie behind the end of their job, so that nobody ever took them up.
pub fn owed(plan: &Plan, end_of: impl Fn(u64) -> u64, window: &Range<u64>) -> Vec<(u64, u64)> {
    let mut owed = Vec::new();
    for (index, job) in plan.job_ids().enumerate() {
        let from = end_of(job).max(window.start);
        let late = plan.dues(index as u64, window.end).into_iter().filter(|due| *due >= from);
        owed.extend(late.map(|due| (job, due)));
    }
    owed
}

/// Judges `arrivals` by `plan`; `end_of` tells for a job id before which time (ms) its due seconds were taken up.
pub fn assess(plan: &Plan, end_of: impl Fn(u64) -> u64, arrivals: &[Arrival]) -> Assessment {
    let mut fires: HashMap<u64, Vec<u64>> = HashMap::new();
    let mut assessment = Assessment {
        same_log_id: repeated(arrivals.iter().map(|arrival| arrival.log)),
        same_clock_second: repeated(arrivals.iter().map(|arrival| (arrival.job, arrival.at_us / 1_000_000))),
        ..Assessment::default()
    };
    for arrival in arrivals {
        match plan.index(arrival.job) {
            Some(_) => fires.entry(arrival.job).or_default().push(arrival.at_us),
            None => assessment.foreign += 1,
        }
    }
    for (index, job) in plan.job_ids().enumerate() {
        let dues = plan.dues(index as u64, end_of(job));
        let mut at = fires.remove(&job).unwrap_or_default();
        at.sort_unstable();
        let fired = pair(&dues, &at);
        assessment.doubled += (at.len() - fired.iter().flatten().count()) as u64;
        assessment.dues.extend(dues.iter().zip(fired).map(|(at_ms, fired_us)| Due { job, at_ms: *at_ms, fired_us }));
    }
    assessment
}

/// For every due time (ms, ascending) the fire (µs, ascending) that answers it.
///
/// The set of due times in a largest pairing with the least lateness is found from the end, the set of fires from the
/// start; a pairing that covers both exists (Mendelsohn and Dulmage), and then the one in order of time does.
fn pair(dues: &[u64], fires: &[u64]) -> Vec<Option<u64>> {
    let answers = |due: u64, fire: u64| due * 1_000 <= fire + EARLY_US;

    let mut answered = vec![false; dues.len()];
    let mut latest = fires.iter().rev().peekable();
    for (index, due) in dues.iter().enumerate().rev() {
        if latest.next_if(|fire| answers(*due, **fire)).is_some() {
            answered[index] = true;
        }
    }

    let mut earliest_dues = dues.iter().peekable();
    let used: Vec<u64> =
        fires.iter().copied().filter(|fire| earliest_dues.next_if(|due| answers(**due, *fire)).is_some()).collect();

    let mut used = used.into_iter();
    answered.into_iter().map(|answered| if answered { used.next() } else { None }).collect()
}

impl Assessment {
    /// What was due in `[from, to)`, ms.
    pub fn window(&self, due: &Range<u64>) -> Window {
        let mut window = Window::default();
        let mut job_fired: HashMap<u64, bool> = HashMap::new();
        for each in self.dues.iter().filter(|each| due.contains(&each.at_ms)) {
            window.expected += 1;
            *job_fired.entry(each.job).or_default() |= each.fired_us.is_some();
            window.early += u64::from(each.fired_us.is_some_and(|fired_us| fired_us < each.at_ms * 1_000));
            match each.late_us() {
                Some(late) => window.lateness_us.push(late),
                None => window.missing.push((each.job, each.at_ms)),
            }
        }
        window.fired = window.lateness_us.len() as u64;
        window.lateness_us.sort_unstable();
        window.silent_jobs = job_fired.values().filter(|fired| !**fired).count() as u64;
        window
    }

    /// The first due second (ms) from `from_ms` on after which every due fire came less than `limit_us` late.
    pub fn steady_from(&self, from_ms: u64, limit_us: u64) -> Option<u64> {
        let mut dues: Vec<_> = self.dues.iter().filter(|due| due.at_ms >= from_ms).collect();
        dues.sort_unstable_by_key(|due| std::cmp::Reverse(due.at_ms));
        let late = |due: &Due| due.late_us().is_none_or(|late| late >= limit_us);
        let last_bad = dues.iter().find(|due| late(due)).map_or(0, |due| due.at_ms);
        dues.iter().map(|due| due.at_ms).take_while(|at_ms| *at_ms > last_bad).last()
    }
}

impl Window {
    /// Adds due seconds that were never taken up: expected and missing.
    pub fn owe(&mut self, owed: Vec<(u64, u64)>) {
        self.expected += owed.len() as u64;
        self.missing.extend(owed);
    }

    /// Share of the due fires that came.
    pub fn done_ratio(&self) -> f64 {
        if self.expected == 0 { 1.0 } else { self.fired as f64 / self.expected as f64 }
    }

    /// The lateness in ms that this share (0–1) of the fires did not exceed; none without a fire.
    pub fn late_ms(&self, share: f64) -> Option<f64> {
        let rank = (self.lateness_us.len() as f64 * share).ceil() as usize;
        self.lateness_us.get(rank.saturating_sub(1)).map(|late| *late as f64 / 1_000.0)
    }
}

/// How many items repeat an earlier one.
pub fn repeated<T: Hash + Eq>(items: impl Iterator<Item = T>) -> u64 {
    let mut seen = std::collections::HashSet::new();
    items.map(|item| u64::from(!seen.insert(item))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{FIRST_JOB, Kind};

    const START: u64 = 1_700_000_000_000;

    /// Arrivals of job 0 at these ms after the start.
    fn arrivals(at_ms: &[u64]) -> Vec<Arrival> {
        let arrival =
            |(log, at): (usize, &u64)| Arrival { job: FIRST_JOB, log: log as u64, at_us: (START + at) * 1_000 };
        at_ms.iter().enumerate().map(arrival).collect()
    }

    /// One job each second for `seconds`, which fired at these ms.
    fn judged(seconds: u64, at_ms: &[u64]) -> (Assessment, Window) {
        let plan = Plan::recurring(Kind::Cron, 1, 1, START).unwrap();
        let end = START + seconds * 1_000;
        let assessment = assess(&plan, |_| end, &arrivals(at_ms));
        let window = assessment.window(&(START..end));
        (assessment, window)
    }

    #[test]
    fn on_time() {
        let (assessment, window) = judged(4, &[50, 1_010, 2_000, 3_900]);
        assert_eq!((window.expected, window.fired, window.silent_jobs), (4, 4, 0));
        assert_eq!(window.lateness_us, [0, 10_000, 50_000, 900_000]);
        assert_eq!((assessment.doubled, window.missing.len()), (0, 0));
    }

    #[test]
    fn more_than_a_second_late_is_late_and_not_missing() {
        let (assessment, window) = judged(4, &[1_500, 2_500, 3_500, 4_500]);
        assert_eq!(window.lateness_us, [1_500_000; 4]);
        assert_eq!((assessment.doubled, window.missing.len()), (0, 0));
    }

    #[test]
    fn a_skipped_second_is_missing_and_makes_nothing_late() {
        let (assessment, window) = judged(5, &[100, 1_100, 3_100, 4_100]);
        assert_eq!(window.missing, [(FIRST_JOB, START + 2_000)]);
        assert_eq!(window.lateness_us, [100_000; 4]);
        assert_eq!(assessment.doubled, 0);
        assert!((window.done_ratio() - 0.8).abs() < 1e-9);
    }

    #[test]
    fn a_second_fire_for_one_second_is_doubled() {
        let (assessment, window) = judged(3, &[100, 1_100, 1_200, 2_100]);
        assert_eq!((assessment.doubled, assessment.same_clock_second), (1, 1));
        assert_eq!(window.lateness_us, [100_000; 3]);
    }

    #[test]
    fn doubled_and_missing_do_not_cancel_out() {
        let (assessment, window) = judged(4, &[100, 1_100, 1_200, 3_100]);
        assert_eq!(assessment.doubled, 1);
        assert_eq!(window.missing, [(FIRST_JOB, START + 2_000)]);
    }

    #[test]
    fn a_fire_before_anything_was_due_is_doubled_and_one_a_little_early_is_on_time() {
        let plan = Plan::once(1, 1, START + 5_000);
        let far = assess(&plan, |_| u64::MAX, &arrivals(&[4_900]));
        assert_eq!((far.doubled, far.window(&(0..u64::MAX)).missing.len()), (1, 1));
        let near = assess(&plan, |_| u64::MAX, &arrivals(&[4_990]));
        let window = near.window(&(0..u64::MAX));
        assert_eq!((near.doubled, window.early, window.lateness_us), (0, 1, vec![0]));
    }

    #[test]
    fn an_outage_in_the_middle_is_missing() {
        let (assessment, window) = judged(10, &[20, 1_020, 7_020, 8_020, 9_020]);
        let missing: Vec<u64> = window.missing.iter().map(|(_, due)| (due - START) / 1_000).collect();
        assert_eq!(missing, [2, 3, 4, 5, 6]);
        assert_eq!(window.lateness_us, [20_000; 5]);
        assert_eq!(assessment.steady_from(START + 2_000, 500_000), Some(START + 7_000));
        assert_eq!(assessment.steady_from(START + 8_000, 500_000), Some(START + 8_000));
        assert_eq!(assessment.steady_from(START, 10_000), None);
    }

    #[test]
    fn a_compensation_answers_the_latest_second_that_was_missed() {
        // Fired once at 7.3 s for all that was missed from 2 s on; 7 s itself came as well.
        let (assessment, window) = judged(9, &[20, 1_020, 7_020, 7_300, 8_020]);
        let missing: Vec<u64> = window.missing.iter().map(|(_, due)| (due - START) / 1_000).collect();
        assert_eq!(missing, [2, 3, 4, 5]);
        assert_eq!((assessment.doubled, window.fired), (0, 5));
    }

    #[test]
    fn the_window_looks_at_due_times_only() {
        let plan = Plan::recurring(Kind::FixRate, 1, 1, START).unwrap();
        let assessment = assess(&plan, |_| START + 6_000, &arrivals(&[900, 1_900, 2_900, 4_900, 5_900]));
        let window = assessment.window(&(START + 1_000..START + 4_000));
        assert_eq!((window.expected, window.fired), (3, 2));
        assert_eq!(window.missing, [(FIRST_JOB, START + 3_000)]);
    }

    #[test]
    fn what_was_not_taken_up_by_the_end_of_the_window_is_owed() {
        let plan = Plan::recurring(Kind::Cron, 2, 1, START).unwrap();
        let end_of = |job| START + if job == FIRST_JOB { 2_000 } else { 9_000 };
        let span = START + 1_000..START + 4_000;
        let mut window = assess(&plan, end_of, &arrivals(&[10, 1_010])).window(&span);
        assert_eq!((window.expected, window.fired), (4, 1));
        window.owe(owed(&plan, end_of, &span));
        assert_eq!((window.expected, window.missing.len()), (6, 5));
        assert!(window.missing.contains(&(FIRST_JOB, START + 3_000)));
    }

    #[test]
    fn jobs_are_judged_one_by_one() {
        let plan = Plan::once(4, 2, START);
        let at = |job, log, ms: u64| Arrival { job, log, at_us: (START + ms) * 1_000 };
        let arrived = [
            at(FIRST_JOB, 1, 5),
            at(FIRST_JOB + 1, 2, 1_010),
            at(FIRST_JOB + 1, 2, 1_020),
            at(FIRST_JOB + 3, 3, 1_030),
            at(7, 4, 0),
        ];
        let assessment = assess(&plan, |_| u64::MAX, &arrived);
        let window = assessment.window(&(0..u64::MAX));
        assert_eq!((assessment.foreign, assessment.doubled, assessment.same_log_id), (1, 1, 1));
        assert_eq!((window.expected, window.fired, window.silent_jobs), (4, 3, 1));
        assert_eq!(window.missing, [(FIRST_JOB + 2, START)]);
        assert_eq!(window.lateness_us, [5_000, 10_000, 30_000]);
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let window = Window { lateness_us: (1..=200).map(|n| n * 1_000).collect(), ..Window::default() };
        let ms = [0.5, 0.9, 0.99, 1.0].map(|share| window.late_ms(share));
        assert_eq!(ms, [100.0, 180.0, 198.0, 200.0].map(Some));
        assert_eq!(Window::default().late_ms(0.99), None);
    }

    #[test]
    fn the_pairing_is_the_largest_with_the_least_lateness() {
        // Checked against every subset of pairs for all small cases.
        for due_bits in 0u32..64 {
            for fire_bits in 0u32..64 {
                let dues: Vec<u64> = (0..6).filter(|n| due_bits >> n & 1 == 1).map(|n| n * 1_000).collect();
                let fires: Vec<u64> =
                    (0..6).filter(|n| fire_bits >> n & 1 == 1).map(|n| n * 1_000_000 + 500_000).collect();
                let pairs = pair(&dues, &fires);
                let late = |due: u64, fire: u64| fire as i64 - due as i64 * 1_000;
                let sum = dues.iter().zip(&pairs).filter_map(|(d, f)| Some(late(*d, (*f)?))).sum::<i64>();
                assert!(dues.iter().zip(&pairs).all(|(d, f)| f.is_none_or(|f| late(*d, f) >= 0)));
                let size = pairs.iter().flatten().count();
                assert_eq!((size, -sum), best(&dues, &fires), "{dues:?} {fires:?}");
            }
        }
    }

    /// Size and negative lateness of the best pairing in order of time.
    fn best(dues: &[u64], fires: &[u64]) -> (usize, i64) {
        let (Some((due, dues_left)), Some((fire, fires_left))) = (dues.split_first(), fires.split_first()) else {
            return (0, 0);
        };
        let mut found = best(dues_left, fires).max(best(dues, fires_left));
        if due * 1_000 <= *fire {
            let (size, gain) = best(dues_left, fires_left);
            found = found.max((size + 1, gain - (*fire as i64 - *due as i64 * 1_000)));
        }
        found
    }
}
