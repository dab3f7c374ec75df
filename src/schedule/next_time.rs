//! When a job fires next. Ports `JobScheduleHelper.generateNextValidTime`.
//!
//! Better on purpose: a period is counted in 64 bits (to 3.0 it overflows into the past), and rounded up to the whole
//! second in every profile (only from 3.4 on upstream), since a fire that is cut to its second comes early.

use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;

use crate::clock::Zone;
use crate::config::CronFlavour;
use crate::cron::{Cron, Next, ParseError, decimal};
use crate::model::EpochMs;

/// Why no next time can be computed: the job has to stop. `Display` is the message of upstream's exception, which the
/// console shows.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NextTimeError {
    /// The cron expression is refused.
    #[error(transparent)]
    Cron(#[from] ParseError),
    /// A job of type CRON has no expression at all.
    #[error("cronExpression cannot be null")]
    NoExpression,
    /// The cron expression has an empty field; upstream's exception has no message.
    #[error("null")]
    EmptyField,
    /// The period is no number.
    #[error("For input string: \"{0}\"")]
    Period(String),
    /// A job of type FIX_RATE has no period at all (wording of JDK 17).
    #[error("Cannot parse null string")]
    NoPeriod,
}

/// The next fire after an instant; none if there is none, or the type knows no fires (`NONE` and whatever is unknown).
///
/// A period is not checked: 0 answers the start itself, a negative one a time before it, as upstream's preview of fire
/// times does. Whoever goes on from the answer has to look whether it lies ahead.
///
/// # Errors
/// [`NextTimeError`] if the expression or the period cannot be read.
pub fn next_time(
    schedule_type: &str,
    conf: Option<&str>,
    from_ms: EpochMs,
    zone: &Zone,
    flavour: CronFlavour,
    max_year: i32,
) -> Result<Option<EpochMs>, NextTimeError> {
    compute(schedule_type, conf, from_ms, zone, |text| Cron::parse(text, flavour, max_year).map(Arc::new))
}

fn compute(
    schedule_type: &str,
    conf: Option<&str>,
    from_ms: EpochMs,
    zone: &Zone,
    parse: impl FnOnce(&str) -> Result<Arc<Cron>, ParseError>,
) -> Result<Option<EpochMs>, NextTimeError> {
    match schedule_type {
        "CRON" => {
            let cron = parse(conf.ok_or(NextTimeError::NoExpression)?)?;
            match cron.next_after(zone, from_ms) {
                Next::At(at) => Ok(Some(at)),
                Next::Never => Ok(None),
                Next::Empty => Err(NextTimeError::EmptyField),
            }
        }
        "FIX_RATE" => {
            let conf = conf.ok_or(NextTimeError::NoPeriod)?;
            let seconds = decimal(conf).ok_or_else(|| NextTimeError::Period(conf.to_owned()))?;
            Ok(after_period(from_ms, seconds))
        }
        _ => Ok(None),
    }
}

/// `from_ms` plus the period, rounded up to the whole second; none beyond 64 bits.
fn after_period(from_ms: EpochMs, seconds: i64) -> Option<EpochMs> {
    let at = seconds.checked_mul(1_000)?.checked_add(from_ms)?;
    match at.rem_euclid(1_000) {
        0 => Some(at),
        ms => at.checked_add(1_000 - ms),
    }
}

/// Parsed expressions, so that a loop does not parse anew each second what it parsed before.
///
/// Holds two generations of up to `capacity` expressions each: when the young one is full it becomes the old one, and
/// the old one goes; what is asked for again comes back. Refused expressions are kept as well, since a loop asks for
/// those again, too.
#[derive(Debug)]
pub struct CronCache {
    flavour: CronFlavour,
    max_year: i32,
    capacity: usize,
    young: HashMap<Box<str>, Result<Arc<Cron>, ParseError>>,
    old: HashMap<Box<str>, Result<Arc<Cron>, ParseError>>,
}

impl CronCache {
    /// An empty cache for one flavour and one last year.
    pub fn new(flavour: CronFlavour, max_year: i32, capacity: usize) -> Self {
        Self { flavour, max_year, capacity: capacity.max(1), young: HashMap::new(), old: HashMap::new() }
    }

    /// The parsed expression.
    ///
    /// # Errors
    /// [`ParseError`] if the expression is refused.
    pub fn get(&mut self, text: &str) -> Result<Arc<Cron>, ParseError> {
        if let Some(known) = self.young.get(text) {
            return known.clone();
        }
        let parsed = match self.old.remove(text) {
            Some(known) => known,
            None => Cron::parse(text, self.flavour, self.max_year).map(Arc::new),
        };
        if self.young.len() >= self.capacity {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(text.into(), parsed.clone());
        parsed
    }

    /// [`next_time`] with the cache's flavour and last year.
    ///
    /// # Errors
    /// [`NextTimeError`] if the expression or the period cannot be read.
    pub fn next_time(
        &mut self,
        schedule_type: &str,
        conf: Option<&str>,
        from_ms: EpochMs,
        zone: &Zone,
    ) -> Result<Option<EpochMs>, NextTimeError> {
        compute(schedule_type, conf, from_ms, zone, |text| self.get(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-12-01 04:32:53.121 in Shanghai.
    const NOW: EpochMs = 1_796_070_773_121;

    fn next(schedule_type: &str, conf: Option<&str>) -> Result<Option<EpochMs>, String> {
        let direct = next_time(schedule_type, conf, NOW, &Zone::utc(), CronFlavour::V2_4, 2126);
        let mut cache = CronCache::new(CronFlavour::V2_4, 2126, 4);
        for _ in 0..2 {
            assert_eq!(cache.next_time(schedule_type, conf, NOW, &Zone::utc()), direct);
        }
        direct.map_err(|error| error.to_string())
    }

    #[test]
    fn cron_fires_at_whole_seconds() {
        assert_eq!(next("CRON", Some("* * * * * ?")), Ok(Some(1_796_070_774_000)));
        assert_eq!(next("CRON", Some("0 0 0 1 1 ? 2016-2017")), Ok(None));
    }

    #[test]
    fn errors_carry_the_message_of_upstream() {
        assert_eq!(next("CRON", Some(" ")), Err("Unexpected end of expression.".into()));
        assert_eq!(next("CRON", None), Err("cronExpression cannot be null".into()));
        assert_eq!(next("CRON", Some("0 , * * * ?")), Err("null".into()));
        assert_eq!(next("FIX_RATE", Some("abc")), Err("For input string: \"abc\"".into()));
        assert_eq!(next("FIX_RATE", Some(" 5")), Err("For input string: \" 5\"".into()));
        assert_eq!(next("FIX_RATE", None), Err("Cannot parse null string".into()));
    }

    #[test]
    fn a_period_is_rounded_up_to_the_whole_second() {
        assert_eq!(next("FIX_RATE", Some("30")), Ok(Some(1_796_070_804_000)));
        assert_eq!(next("FIX_RATE", Some("+1")), Ok(Some(1_796_070_775_000)));
        assert_eq!(after_period(1_796_070_773_000, 30), Some(1_796_070_803_000));
        assert_eq!(after_period(-1, 0), Some(0));
    }

    #[test]
    fn a_period_beyond_32_bits_stays_ahead_and_one_beyond_64_is_none() {
        assert_eq!(next("FIX_RATE", Some("2147484")), Ok(Some(1_796_070_774_000 + 2_147_484_000)));
        assert_eq!(next("FIX_RATE", Some("9223372036854775")), Ok(None));
        assert_eq!(next("FIX_RATE", Some("9223372036854775807")), Ok(None));
    }

    #[test]
    fn other_types_never_fire() {
        for schedule_type in ["NONE", "", "FIX_DELAY", "cron"] {
            assert_eq!(next(schedule_type, Some("30")), Ok(None), "{schedule_type}");
        }
    }

    #[test]
    fn the_cache_keeps_what_is_used_and_stays_small() {
        let mut cache = CronCache::new(CronFlavour::V2_4, 2126, 10);
        let kept = cache.get("0 0 0 * * ?").expect("an expression");
        for round in 0..1_000 {
            let text = format!("{} {} * * * ?", round % 60, round / 60);
            cache.get(&text).expect("an expression");
            cache.get("bad").expect_err("no expression");
            assert!(Arc::ptr_eq(&kept, &cache.get("0 0 0 * * ?").expect("an expression")), "round {round}");
            assert!(cache.young.len() + cache.old.len() <= 20);
        }
    }
}
