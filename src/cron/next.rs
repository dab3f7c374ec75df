//! The next fire: a cascade over the fields of the wall clock, from seconds up to years, that starts again whenever a
//! field had to move. Ports `CronExpression.getTimeAfter` on plain numbers.

use std::ops::ControlFlow;

use jiff::tz::TimeZone;

use super::day::Day;
use super::wall::{DAY, Date, Timeline, month_start};
use super::{Cron, Next};
use crate::model::EpochMs;

const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;
/// Nothing fires from here on: 3000-01-01 00:00:00 of any wall clock.
const END: i64 = month_start(3_000, 1) * DAY;
/// Earlier starts count as this one: 0001-01-01 00:00:00 UTC.
const BEGINNING: i64 = month_start(1, 1) * DAY;
/// Restarts after which an expression counts as one that never fires. No known one needs a third of it.
const MOST_ROUNDS: u32 = 20_000;

/// What one round of the cascade came to.
enum Round {
    /// A field moved: go on from this wall time.
    Restart(i64),
    /// Every field agrees with this wall time.
    Fire(i64),
    /// No later time can fire.
    Never,
}

/// The first fire after an instant.
pub(super) fn next_after(cron: &Cron, tz: &TimeZone, from_ms: EpochMs) -> Next {
    search(cron, tz, from_ms).unwrap_or(Next::Never)
}

/// The first fire after an instant; none when the rounds are used up.
fn search(cron: &Cron, tz: &TimeZone, from_ms: EpochMs) -> Option<Next> {
    let start = (from_ms.div_euclid(1_000) + 1).max(BEGINNING);
    if start > END + DAY {
        return Some(Next::Never);
    }
    let (timeline, mut wall) = Timeline::at(tz, start);
    let mut cascade = Cascade { cron, timeline, start, went_back_to: None };
    for _ in 0..MOST_ROUNDS {
        match cascade.round(wall) {
            Some(Round::Restart(later)) => wall = later,
            Some(Round::Fire(wall)) => return Some(Next::At(cascade.timeline.instant(wall) * 1_000)),
            Some(Round::Never) => return Some(Next::Never),
            None => return Some(Next::Empty),
        }
    }
    None
}

/// The state of a search.
pub(super) struct Cascade<'a> {
    pub(super) cron: &'a Cron,
    pub(super) timeline: Timeline<'a>,
    /// The first second that may fire, as an instant.
    pub(super) start: i64,
    /// The day (since 1970-01-01) that 2.4's nearest weekday last went back to.
    pub(super) went_back_to: Option<i64>,
}

impl Cascade<'_> {
    /// One pass over all fields; none when a field that is needed is empty.
    fn round(&mut self, wall: i64) -> Option<Round> {
        let wall = self.timeline.resolve(wall);
        if wall >= END {
            return Some(Round::Never);
        }
        let wall = self.second(wall)?;
        if let ControlFlow::Break(later) = self.minute(wall)? {
            return Some(Round::Restart(later));
        }
        if let ControlFlow::Break(later) = self.hour(wall)? {
            return Some(Round::Restart(later));
        }
        let date = Date::of(wall);
        let day = self.day(wall, date)?;
        // Years only grow, so there is no use in going on.
        if date.year > self.cron.max_year {
            return Some(Round::Never);
        }
        match day {
            Day::Today => self.month_and_year(wall, date),
            Day::AtTime(epoch_day) => {
                let wall = self.timeline.resolve(epoch_day * DAY + wall.rem_euclid(DAY));
                self.month_and_year(wall, Date::of(wall))
            }
            Day::Restart(epoch_day) => Some(Round::Restart(epoch_day * DAY)),
            Day::Never => Some(Round::Never),
        }
    }

    /// Moves to the smallest allowed second, if need be that of the next minute.
    fn second(&mut self, wall: i64) -> Option<i64> {
        let second = wall.rem_euclid(MINUTE);
        match self.cron.seconds.at_or_above(second) {
            Some(allowed) if allowed == second => Some(wall),
            Some(allowed) => Some(self.timeline.resolve(wall - second + allowed)),
            None => Some(self.timeline.resolve(wall - second + MINUTE + self.cron.seconds.first()?)),
        }
    }

    /// Where to restart for the smallest allowed minute; nothing if the present one is allowed.
    fn minute(&mut self, wall: i64) -> Option<ControlFlow<i64>> {
        let (hour, minute) = (wall.rem_euclid(DAY) / HOUR, wall.rem_euclid(HOUR) / MINUTE);
        let (minute, hour) = match self.cron.minutes.at_or_above(minute) {
            Some(allowed) if allowed == minute => return Some(ControlFlow::Continue(())),
            Some(allowed) => (allowed, hour),
            None => (self.cron.minutes.first()?, hour + 1),
        };
        Some(ControlFlow::Break(self.set_hour(wall - wall.rem_euclid(DAY) + minute * MINUTE, hour)))
    }

    /// Where to restart for the smallest allowed hour; nothing if the present one is allowed.
    fn hour(&mut self, wall: i64) -> Option<ControlFlow<i64>> {
        let midnight = wall - wall.rem_euclid(DAY);
        let hour = (wall - midnight) / HOUR;
        match self.cron.hours.at_or_above(hour) {
            Some(allowed) if allowed == hour => Some(ControlFlow::Continue(())),
            Some(allowed) => Some(ControlFlow::Break(self.set_hour(midnight, allowed))),
            None => {
                let first = self.cron.hours.first()?;
                Some(ControlFlow::Break(self.set_hour(midnight + DAY, first)))
            }
        }
    }

    /// Sets the hour on a wall time whose hour is 0. Where the clock skips that hour, upstream takes the one after.
    fn set_hour(&mut self, wall: i64, hour: i64) -> i64 {
        let wall = self.timeline.resolve(wall + hour * HOUR);
        let time = wall.rem_euclid(DAY);
        if time / HOUR == hour || hour == 24 { wall } else { wall - time + time % HOUR + (hour + 1) * HOUR }
    }

    /// The last two fields.
    fn month_and_year(&self, wall: i64, date: Date) -> Option<Round> {
        let month = self.cron.months.at_or_above(date.month);
        if month != Some(date.month) {
            let (year, month) = match month {
                Some(month) => (date.year, month),
                None => (date.year + 1, self.cron.months.first()?),
            };
            return Some(Round::Restart(month_start(year, month) * DAY));
        }
        Some(match self.cron.years.at_or_above(date.year) {
            Some(year) if year == date.year => Round::Fire(wall),
            Some(year) => Round::Restart(month_start(year, 1) * DAY),
            None => Round::Never,
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use jiff::Timestamp;
    use proptest::prelude::*;

    use super::*;
    use crate::config::CronFlavour::{self, V2_4, V3_4};

    fn tz(name: &str) -> TimeZone {
        TimeZone::get(name).expect("embedded zone")
    }

    /// The first fires after a wall time, as wall times.
    pub(in crate::cron) fn fires<const N: usize>(
        expr: &str,
        flavour: CronFlavour,
        zone: &str,
        from: &str,
    ) -> [String; N] {
        let (cron, tz) = (Cron::parse(expr, flavour, 2126).expect(expr), tz(zone));
        let from: jiff::civil::DateTime = from.parse().expect("a wall time");
        let mut from = tz.to_timestamp(from).expect("in range").as_millisecond();
        std::array::from_fn(|_| match next_after(&cron, &tz, from) {
            Next::At(at) => {
                from = at;
                tz.to_datetime(Timestamp::from_millisecond(at).expect("in range")).to_string()
            }
            end => format!("{end:?}"),
        })
    }

    #[test]
    fn the_start_is_exclusive_to_the_second() {
        let cron = Cron::parse("0 0 10 * * ?", V2_4, 2126).expect("an expression");
        let ten = 1_796_119_200_000;
        assert_eq!(next_after(&cron, &TimeZone::UTC, ten - 999), Next::At(ten));
        assert_eq!(next_after(&cron, &TimeZone::UTC, ten), Next::At(ten + DAY * 1_000));
    }

    #[test]
    fn a_gap_is_skipped_and_an_overlap_fires_in_its_second_pass() {
        let new_york = "America/New_York";
        assert_eq!(fires("0 30 2 * * ?", V2_4, new_york, "2027-03-13T12:00"), ["2027-03-15T02:30:00"]);
        let hourly = fires("0 30 * * * ?", V2_4, new_york, "2027-03-14T01:00");
        assert_eq!(hourly, ["2027-03-14T01:30:00", "2027-03-14T03:30:00"]);
        let cron = Cron::parse("0 0/30 * * * ?", V2_4, 2126).expect("an expression");
        // From 00:30 EDT the next half hour is 01:00 EST, 90 minutes later.
        let from = 1_793_507_400_000;
        assert_eq!(next_after(&cron, &tz(new_york), from), Next::At(from + 90 * 60_000));
        let sao_paulo = fires("0 0 0 ? * SUN", V2_4, "America/Sao_Paulo", "2018-11-01T00:00");
        assert_eq!(sao_paulo, ["2018-11-11T00:00:00"]);
    }

    #[test]
    fn what_hangs_upstream_ends_here() {
        for expr in ["0 0 0 0W * ?", "0 0 0 ? * 8#1", "0 0 0 ? * 200#3", "0 0 0 30 2 ?", "0 0 0 31 4,6,9,11 ?"] {
            for flavour in [V2_4, V3_4] {
                assert_eq!(fires(expr, flavour, "Asia/Shanghai", "2026-12-01T00:00"), ["Never"], "{expr} {flavour:?}");
            }
        }
        assert_eq!(fires("0 0 0 , * ?", V3_4, "UTC", "2026-12-01T00:00"), ["Never"]);
        // February has too few days but in leap years.
        assert_eq!(fires("0 0 0 L-28W 2 ?", V2_4, "UTC", "2026-12-01T00:00"), ["2028-02-01T00:00:00"]);
        assert_eq!(fires("0 0 0 L-30W * ?", V2_4, "UTC", "2027-01-31T00:00"), ["2027-03-01T00:00:00"]);
    }

    #[test]
    fn an_empty_field_is_told_from_one_that_never_fires() {
        for (expr, end) in [("0 , * * * ?", "Empty"), ("0 0 0 1 L ?", "Empty"), ("0 0 0 1 1 ? L", "Never")] {
            assert_eq!(fires(expr, V2_4, "UTC", "2026-12-01T00:00"), [end], "{expr}");
        }
    }

    #[test]
    fn instants_at_the_ends_of_time_are_answered() {
        let cron = Cron::parse("0 0 0 1 1 ? 1970-2126", V2_4, 2126).expect("an expression");
        for zone in ["UTC", "America/New_York", "Pacific/Kiritimati"] {
            let first = next_after(&cron, &tz(zone), i64::MIN);
            assert!(matches!(first, Next::At(-86_400_000..86_400_000)), "{zone}: {first:?}");
            assert_eq!(next_after(&cron, &tz(zone), i64::MAX), Next::Never, "{zone}");
        }
        let ages = Cron::parse("0 0 0 1 1 ? 1-2000000000", V2_4, i32::MAX).expect("an expression");
        assert_eq!(next_after(&ages, &TimeZone::UTC, END * 1_000 - 1_000), Next::Never);
        assert_eq!(next_after(&ages, &TimeZone::UTC, i64::MIN), Next::At(BEGINNING * 1_000));
    }

    proptest! {
        #[test]
        fn the_rounds_are_never_used_up(
            time in "(0|[0-5]?[0-9](,[0-5]?[0-9])?|\\*/[1-5][0-9]?) ([0-5]?[0-9]|\\*/[1-5][0-9]?) (2?[0-3]|1?[0-9]|\\*/1?[1-9])",
            days in "(3[01]|29|[12]?[1-9]W?|L(-[12]?[0-9])?W?|30,31W) (2|4|6|9|11|\\*|[1-9]|4,6,9,11|2/2) \\?|\\? (2|\\*|[1-9]) ([1-7]|[0-9]#[1-5]|[1-7]L)",
            year in "|( 20[0-9][0-9](-21[0-2][0-9])?)",
            from in 0..4_000_000_000_000_i64,
            zone in prop::sample::select(vec!["UTC", "Asia/Shanghai", "America/New_York", "Australia/Lord_Howe"]),
        ) {
            for flavour in [V2_4, V3_4] {
                if let Ok(cron) = Cron::parse(&format!("{time} {days}{year}"), flavour, 2126) {
                    prop_assert!(search(&cron, &tz(zone), from).is_some());
                }
            }
        }
    }
}
