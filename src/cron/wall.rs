//! Wall-clock seconds: calendar arithmetic on plain numbers and the way between a zone's wall time and instants.
//!
//! A wall time is the number of seconds from 1970-01-01 00:00:00 on a clock that knows no zone. What happens at a change
//! of the offset follows `java.util.GregorianCalendar`: a wall time that comes twice is the second one, a wall time that
//! never comes is moved on by the length of the gap.

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

/// Seconds of a day.
pub(super) const DAY: i64 = 86_400;

/// A date, with its number of days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: i64,
    /// 1 to 12.
    pub(super) month: i64,
    /// 1 to 31.
    pub(super) day: i64,
    pub(super) epoch_day: i64,
}

impl Date {
    /// The date of a wall time (proleptic Gregorian, after Howard Hinnant's `civil_from_days`).
    pub(super) const fn of(wall: i64) -> Self {
        let epoch_day = wall.div_euclid(DAY);
        let shifted = epoch_day + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
        let year = era * 400 + year_of_era + if month <= 2 { 1 } else { 0 };
        Self { year, month, day, epoch_day }
    }

    /// 1 (Sunday) to 7 (Saturday).
    pub(super) const fn weekday(self) -> i64 {
        weekday(self.epoch_day)
    }

    /// Number of days of the month.
    pub(super) const fn last_day(self) -> i64 {
        match self.month {
            4 | 6 | 9 | 11 => 30,
            2 if self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0) => 29,
            2 => 28,
            _ => 31,
        }
    }

    /// Day `day` of this month as days since 1970-01-01; a day beyond the month counts on into its neighbours.
    pub(super) const fn epoch_day_of(self, day: i64) -> i64 {
        self.epoch_day - self.day + day
    }

    /// The first of the next month as days since 1970-01-01.
    pub(super) const fn next_month(self) -> i64 {
        self.epoch_day_of(self.last_day() + 1)
    }
}

/// Weekday of a number of days since 1970-01-01: 1 (Sunday) to 7 (Saturday).
pub(super) const fn weekday(epoch_day: i64) -> i64 {
    (epoch_day + 4).rem_euclid(7) + 1
}

/// Days since 1970-01-01 of the first of a month; month 13 is January of the next year, and so on.
pub(super) const fn month_start(year: i64, month: i64) -> i64 {
    let year = year + (month - 1).div_euclid(12);
    let march_month = (month + 9).rem_euclid(12);
    let year = if march_month >= 10 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * march_month + 2) / 5;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// A zone, with the stretch of wall times around the last question in which its offset stays the same: there nothing
/// has to be looked up.
#[derive(Debug)]
pub(super) struct Timeline<'z> {
    tz: &'z TimeZone,
    /// Seconds east of UTC in `quiet`.
    offset: i64,
    quiet: Range<i64>,
}

impl<'z> Timeline<'z> {
    /// The timeline around an instant in seconds, and the wall time then.
    pub(super) fn at(tz: &'z TimeZone, instant: i64) -> (Self, i64) {
        let mut timeline = Self { tz, offset: 0, quiet: 0..0 };
        let offset = tz.to_offset(timestamp(instant));
        let wall = timeline.settle(instant, offset);
        (timeline, wall)
    }

    /// The wall time that a wall time comes to: itself but for gaps.
    pub(super) fn resolve(&mut self, wall: i64) -> i64 {
        if self.quiet.contains(&wall) {
            return wall;
        }
        let (before, after) = match self.tz.to_ambiguous_timestamp(date_time(wall)).offset() {
            AmbiguousOffset::Unambiguous { offset } => (offset, offset),
            AmbiguousOffset::Fold { after, .. } => (after, after),
            AmbiguousOffset::Gap { before, after } => (before, after),
        };
        self.settle(wall - i64::from(before.seconds()), after)
    }

    /// The instant of a wall time, in seconds.
    pub(super) fn instant(&mut self, wall: i64) -> i64 {
        self.resolve(wall) - self.offset
    }

    /// Remembers what holds from this instant until the offset changes; answers the wall time of the instant.
    fn settle(&mut self, instant: i64, offset: Offset) -> i64 {
        self.offset = i64::from(offset.seconds());
        let wall = instant + self.offset;
        let end = self.tz.following(timestamp(instant)).next().map_or(i64::MAX, |change| {
            let later = i64::from(change.offset().seconds());
            change.timestamp().as_second() + later.min(self.offset)
        });
        self.quiet = wall..end;
        wall
    }
}

/// An instant for the zone library; beyond its range the nearest end, which the evaluator never asks for.
fn timestamp(instant: i64) -> Timestamp {
    Timestamp::from_second(instant).unwrap_or(if instant < 0 { Timestamp::MIN } else { Timestamp::MAX })
}

/// A wall time for the zone library; beyond its range the nearest end, which the evaluator never asks for.
fn date_time(wall: i64) -> DateTime {
    Offset::UTC.to_datetime(timestamp(wall))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_go_there_and_back() {
        let mut epoch_day = month_start(-1, 1);
        for year in -1..3_001 {
            for month in 1..=12 {
                assert_eq!(epoch_day, month_start(year, month));
                let first = Date::of(epoch_day * DAY);
                assert_eq!(first, Date { year, month, day: 1, epoch_day });
                let last = Date::of(first.next_month() * DAY - 1);
                assert_eq!((last.year, last.month, last.day), (year, month, first.last_day()));
                epoch_day = first.next_month();
            }
        }
        assert_eq!(month_start(1970, 1), 0);
        assert_eq!(month_start(2027, 13), month_start(2028, 1));
        assert_eq!(month_start(2027, 27), month_start(2029, 3));
    }

    #[test]
    fn the_epoch_was_a_thursday() {
        assert_eq!(Date::of(0).weekday(), 5);
        assert_eq!(Date::of(-1).weekday(), 4);
    }

    fn resolved(zone: &str, wall: &str) -> (String, i64) {
        let tz = TimeZone::get(zone).expect("embedded zone");
        let seconds = |wall: DateTime| Offset::UTC.to_timestamp(wall).expect("in range").as_second();
        let wall = seconds(wall.parse().expect("a wall time"));
        let (mut timeline, _) = Timeline::at(&tz, wall - 10 * DAY);
        let wall = timeline.resolve(wall);
        (date_time(wall).to_string(), timeline.instant(wall))
    }

    #[test]
    fn a_gap_moves_on_and_an_overlap_is_the_second_pass() {
        let spring = resolved("America/New_York", "2027-03-14T02:30:00");
        assert_eq!(spring, ("2027-03-14T03:30:00".into(), 1_805_009_400));
        let autumn = resolved("America/New_York", "2026-11-01T01:30:00");
        assert_eq!(autumn, ("2026-11-01T01:30:00".into(), 1_793_514_600));
        let half_hour = resolved("Australia/Lord_Howe", "2026-10-04T02:10:00");
        assert_eq!(half_hour.0, "2026-10-04T02:40:00");
        assert_eq!(resolved("UTC", "2026-10-04T02:10:00").0, "2026-10-04T02:10:00");
    }

    #[test]
    fn a_start_in_the_first_pass_is_not_quiet() {
        let tz = TimeZone::get("America/New_York").expect("embedded zone");
        // 2026-11-01 01:10 EDT; the same wall time comes again an hour later.
        let (mut timeline, wall) = Timeline::at(&tz, 1_793_509_800);
        assert_eq!(timeline.resolve(wall), wall);
        assert_eq!(timeline.instant(wall), 1_793_513_400);
    }
}
