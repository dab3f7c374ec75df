//! What a due job does now: fire, go to the ring, skip – and when it is due next. Pure.
//!
//! Ports the three cases of `JobScheduleHelper`'s pass. Better on purpose: every occurrence within the pre-read window is
//! claimed in one pass (upstream puts at most one ahead, and since 2.5.0 not even that after a late fire), an occurrence
//! that is due exactly now fires now, and a schedule that cannot be computed stops that job alone.

use crate::model::{EpochMs, MisfireStrategy, TriggerType};
use crate::store::DueJob;

/// How far ahead occurrences are claimed, and how late a fire may be before it counts as missed. Consoles rely on it: a
/// start or an edit makes the first new fire at least this far ahead.
pub const PRE_READ_MS: i64 = 5_000;

/// Occurrences of one job claimed in one pass at the most; more cannot lie in the window, as fires are whole seconds.
const MOST_AHEAD: usize = 16;

/// What is to be done about one due job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Fire at once, for this reason.
    pub fire_now: Option<TriggerType>,
    /// Full seconds, as epoch milliseconds, at which to fire from the ring.
    pub ahead: Vec<EpochMs>,
    /// New `trigger_last_time`.
    pub last: EpochMs,
    /// New `trigger_next_time`; 0 = the job stops.
    pub next: EpochMs,
    /// A fire that was missed: its strategy and by how many milliseconds it was late.
    pub missed: Option<(MisfireStrategy, i64)>,
    /// Why the job stops, when its schedule could not be computed.
    pub fault: Option<String>,
}

impl Decision {
    /// New `trigger_status`.
    pub const fn status(&self) -> i32 {
        if self.next > 0 { 1 } else { 0 }
    }
}

/// Decides about a job that is due by `now` + [`PRE_READ_MS`]. `next_after` computes the schedule's next time after an
/// instant; none = there is none.
pub fn decide<E: std::fmt::Display>(
    job: &DueJob,
    now: EpochMs,
    mut next_after: impl FnMut(EpochMs) -> Result<Option<EpochMs>, E>,
) -> Decision {
    let mut decision =
        Decision { fire_now: None, ahead: Vec::new(), last: 0, next: job.next, missed: None, fault: None };
    let mut refresh = |decision: &mut Decision, from: EpochMs| match next_after(from) {
        Ok(Some(next)) if next > from => (decision.last, decision.next) = (decision.next, next),
        Ok(Some(_)) => {
            (decision.last, decision.next) = (0, 0);
            decision.fault = Some("the next time does not lie ahead".into());
        }
        Ok(None) => (decision.last, decision.next) = (0, 0),
        Err(error) => {
            (decision.last, decision.next) = (0, 0);
            decision.fault = Some(error.to_string());
        }
    };
    if now > job.next + PRE_READ_MS {
        let strategy = MisfireStrategy::parse(&job.misfire_strategy).unwrap_or(MisfireStrategy::DoNothing);
        decision.missed = Some((strategy, now - job.next));
        if strategy == MisfireStrategy::FireOnceNow {
            decision.fire_now = Some(TriggerType::Misfire);
        }
        refresh(&mut decision, now);
    } else if now >= job.next {
        decision.fire_now = Some(TriggerType::Cron);
        refresh(&mut decision, now);
    }
    while decision.next > 0 && decision.next <= now + PRE_READ_MS && decision.ahead.len() < MOST_AHEAD {
        let due = decision.next;
        decision.ahead.push(full_second(due));
        refresh(&mut decision, due);
    }
    decision
}

/// The next full second. Times with a fraction come from admins before 3.4, which fired them up to a second early.
const fn full_second(at: EpochMs) -> EpochMs {
    (at + 999).div_euclid(1000) * 1000
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    const NOW: EpochMs = 1_800_000_000_000;

    fn job(next: EpochMs, misfire: &str) -> DueJob {
        DueJob {
            id: 1,
            schedule_type: "FIX_RATE".into(),
            schedule_conf: Some("60".into()),
            misfire_strategy: misfire.into(),
            next,
        }
    }

    #[allow(clippy::unnecessary_wraps)]
    fn each_minute(from: EpochMs) -> Result<Option<EpochMs>, Infallible> {
        Ok(Some(from + 60_000))
    }

    #[test]
    fn the_three_cases_by_lateness() {
        let table = [
            (5_001, "FIRE_ONCE_NOW", Some(TriggerType::Misfire), false),
            (5_001, "DO_NOTHING", None, false),
            (5_001, "WHATEVER", None, false),
            (5_000, "DO_NOTHING", Some(TriggerType::Cron), false),
            (1, "DO_NOTHING", Some(TriggerType::Cron), false),
            (0, "DO_NOTHING", Some(TriggerType::Cron), false),
            (-1_000, "FIRE_ONCE_NOW", None, true),
            (-5_000, "FIRE_ONCE_NOW", None, true),
        ];
        for (late, misfire, fire_now, ahead) in table {
            let next = NOW - late;
            let decision = decide(&job(next, misfire), NOW, each_minute);
            assert_eq!(decision.fire_now, fire_now, "late by {late}, {misfire}");
            assert_eq!(decision.ahead, if ahead { vec![next] } else { vec![] }, "late by {late}");
            let from = if late >= 0 { NOW } else { next };
            assert_eq!((decision.last, decision.next, decision.status()), (next, from + 60_000, 1), "late by {late}");
            assert_eq!(decision.missed.is_some(), late > 5_000, "late by {late}");
        }
    }

    #[test]
    fn every_occurrence_in_the_window_is_claimed_at_once() {
        let each_second = |from: EpochMs| Ok::<_, Infallible>(Some(from + 1_000));
        let late = decide(&job(NOW - 500, "DO_NOTHING"), NOW, each_second);
        assert_eq!(late.fire_now, Some(TriggerType::Cron));
        assert_eq!(late.ahead, [1, 2, 3, 4, 5].map(|s| NOW + s * 1000));
        assert_eq!((late.last, late.next), (NOW + 5_000, NOW + 6_000));
    }

    #[test]
    fn the_last_occurrence_fires_and_then_the_job_stops() {
        let never = |_| Ok::<_, Infallible>(None);
        let decision = decide(&job(NOW + 2_000, "DO_NOTHING"), NOW, never);
        assert_eq!((decision.ahead.as_slice(), decision.status()), (&[NOW + 2_000][..], 0));
        assert_eq!((decision.last, decision.next), (0, 0));
    }

    #[test]
    fn a_schedule_that_cannot_be_computed_stops_the_job_with_its_reason() {
        let bad = |_| Err("no such thing");
        let decision = decide(&job(NOW - 1, "DO_NOTHING"), NOW, bad);
        assert_eq!(decision.fire_now, Some(TriggerType::Cron));
        assert_eq!((decision.status(), decision.fault.as_deref()), (0, Some("no such thing")));
    }

    #[test]
    fn a_fraction_of_a_second_is_never_fired_early() {
        let decision = decide(&job(NOW + 437, "DO_NOTHING"), NOW, each_minute);
        assert_eq!(decision.ahead, [NOW + 1_000]);
        assert_eq!(decision.next, NOW + 60_437);
    }
}
