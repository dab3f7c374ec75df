//! What was seeded, as arithmetic: which job is due at which second. Seeding writes it, the statistics judge by it.

use std::ops::Range;

use anyhow::{Result, bail, ensure};
use chrono::{DateTime, Datelike, FixedOffset, Timelike};
use serde::Serialize;

/// Id of the executor group; far above what people create by hand.
pub const GROUP: u64 = 900_001;
/// Id of the first job.
pub const FIRST_JOB: u64 = 1_000_000;

/// How the jobs are scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
pub enum Kind {
    /// `CRON`, every so many seconds.
    #[value(name = "CRON")]
    Cron,
    /// `FIX_RATE`. An admin that sees such a job late moves its period; what was due on the old grid then counts as
    /// missing.
    #[value(name = "FIX_RATE")]
    FixRate,
    /// `CRON` with a year: once and never again.
    #[value(skip)]
    Once,
}

/// Which job is due when. All due times are whole seconds.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// How many jobs.
    pub jobs: u64,
    /// How they are scheduled.
    pub kind: Kind,
    /// Seconds between two fires of one job; without meaning for [`Kind::Once`].
    pub period_s: u64,
    /// Over how many seconds the first fires are spread.
    pub spread_s: u64,
    /// So many jobs, the first ones, are due one a second before all others: an admin that has found nothing to do
    /// looks only every five seconds, and these keep it looking every second.
    pub run_up: u64,
    /// The first due second of the jobs after the run-up, in ms.
    pub start_ms: u64,
}

impl Plan {
    /// Jobs that fire every `period_s` seconds, evenly spread over that period.
    ///
    /// # Errors
    /// When the period does not suit the kind: cron repeats only what divides a minute.
    pub fn recurring(kind: Kind, jobs: u64, period_s: u64, start_ms: u64) -> Result<Self> {
        ensure!(jobs > 0 && period_s > 0, "at least one job and one second");
        match kind {
            Kind::Cron if 60 % period_s != 0 => bail!("CRON every {period_s} s: must divide 60"),
            Kind::Once => bail!("a job that fires once has no period"),
            Kind::Cron | Kind::FixRate => {}
        }
        Ok(Self { jobs, kind, period_s, spread_s: period_s, run_up: 0, start_ms })
    }

    /// Jobs that fire once, spread over `spread_s` seconds (1 = all in the same second).
    pub fn once(jobs: u64, spread_s: u64, start_ms: u64) -> Self {
        Self { jobs, kind: Kind::Once, period_s: 0, spread_s: spread_s.max(1), run_up: 0, start_ms }
    }

    /// The same with `run_up` more jobs, due one a second before the others.
    pub fn after_run_up(self, run_up: u64) -> Self {
        Self { jobs: self.jobs + run_up, run_up, ..self }
    }

    /// The first due time of the job with this index, in ms.
    pub fn first_due(&self, index: u64) -> u64 {
        match index.checked_sub(self.run_up) {
            Some(index) => self.start_ms + index % self.spread_s * 1_000,
            None => self.start_ms - (self.run_up - index) * 1_000,
        }
    }

    /// The due times of the job with this index before `end_ms`, ascending, in ms.
    pub fn dues(&self, index: u64, end_ms: u64) -> Vec<u64> {
        let first = self.first_due(index);
        if first >= end_ms {
            return Vec::new();
        }
        if self.kind == Kind::Once {
            return vec![first];
        }
        (first..end_ms).step_by(self.period_s as usize * 1_000).collect()
    }

    /// Ids of the jobs.
    pub fn job_ids(&self) -> Range<u64> {
        FIRST_JOB..FIRST_JOB + self.jobs
    }

    /// Position of a job id in the plan; none when it is not ours.
    pub fn index(&self, job_id: u64) -> Option<u64> {
        job_id.checked_sub(FIRST_JOB).filter(|index| *index < self.jobs)
    }

    /// `schedule_type` and `schedule_conf` of a job; `zone` is the zone in which the admin reads cron.
    pub fn schedule(&self, index: u64, zone: FixedOffset) -> (&'static str, String) {
        match self.kind {
            Kind::FixRate => ("FIX_RATE", self.period_s.to_string()),
            Kind::Cron => {
                let offset = self.first_due(index) / 1_000 % self.period_s;
                ("CRON", format!("{offset}/{} * * * * ?", self.period_s))
            }
            Kind::Once => ("CRON", once_at(self.first_due(index), zone)),
        }
    }
}

/// A cron expression that matches this instant and no other.
fn once_at(due_ms: u64, zone: FixedOffset) -> String {
    let at = DateTime::from_timestamp_millis(due_ms as i64).unwrap_or_default().with_timezone(&zone);
    format!("{} {} {} {} {} ? {}", at.second(), at.minute(), at.hour(), at.day(), at.month(), at.year())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc() -> FixedOffset {
        FixedOffset::east_opt(0).unwrap()
    }

    #[test]
    fn recurring_jobs_share_the_period_out_among_its_seconds() {
        let plan = Plan::recurring(Kind::Cron, 10, 5, 1_700_000_003_000).unwrap();
        assert_eq!(plan.first_due(0), 1_700_000_003_000);
        assert_eq!(plan.first_due(4), 1_700_000_007_000);
        assert_eq!(plan.first_due(5), 1_700_000_003_000);
        assert_eq!(plan.dues(1, 1_700_000_014_001), [1_700_000_004_000, 1_700_000_009_000, 1_700_000_014_000]);
        assert_eq!(plan.dues(1, 1_700_000_004_000), [0u64; 0]);
        // 1_700_000_003 is 22:13:23 UTC: second 23 = 3 modulo 5.
        assert_eq!(plan.schedule(0, utc()), ("CRON", "3/5 * * * * ?".into()));
        assert_eq!(plan.schedule(2, utc()), ("CRON", "0/5 * * * * ?".into()));
    }

    #[test]
    fn a_job_that_fires_once_names_its_second_in_the_zone_of_the_admin() {
        let plan = Plan::once(3, 2, 1_700_000_003_000);
        let shanghai = FixedOffset::east_opt(8 * 3600).unwrap();
        assert_eq!(plan.schedule(0, utc()), ("CRON", "23 13 22 14 11 ? 2023".into()));
        assert_eq!(plan.schedule(1, shanghai), ("CRON", "24 13 6 15 11 ? 2023".into()));
        assert_eq!(plan.dues(2, u64::MAX), [1_700_000_003_000]);
    }

    #[test]
    fn fixed_rates_take_any_period_and_cron_only_parts_of_a_minute() {
        assert!(Plan::recurring(Kind::Cron, 1, 7, 0).is_err());
        let plan = Plan::recurring(Kind::FixRate, 1, 7, 0).unwrap();
        assert_eq!(plan.schedule(0, utc()), ("FIX_RATE", "7".into()));
    }

    #[test]
    fn a_run_up_comes_one_a_second_before_the_others() {
        let plan = Plan::once(4, 2, 100_000).after_run_up(3);
        let dues: Vec<u64> = (0..plan.jobs).map(|index| plan.first_due(index) / 1_000).collect();
        assert_eq!(dues, [97, 98, 99, 100, 101, 100, 101]);
    }

    #[test]
    fn only_seeded_jobs_have_a_place() {
        let plan = Plan::once(3, 1, 0);
        assert_eq!(plan.index(FIRST_JOB), Some(0));
        assert_eq!(plan.index(FIRST_JOB + 3), None);
        assert_eq!(plan.index(7), None);
        assert_eq!(plan.job_ids().count(), 3);
    }
}
