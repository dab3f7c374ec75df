//! The day rules: which date of a month fires next.
//!
//! The two flavours part here. 2.4 takes one nearest weekday for the whole field; 3.4 holds plain days and nearest
//! weekdays side by side, with oddities that its users have come to see.

use super::field::{FieldSet, LAST_DAY};
use super::next::Cascade;
use super::wall::{DAY, Date, weekday};
use super::{DayRule, Nominal};

/// What the day rule says to a date.
pub(super) enum Day {
    /// Fires today.
    Today,
    /// Fires on this day (since 1970-01-01) at the time already reached; 3.4.
    AtTime(i64),
    /// Not today: go on from 00:00:00 of this day (since 1970-01-01).
    Restart(i64),
    /// No day at all.
    Never,
}

impl Cascade<'_> {
    /// Asks the day rule; none when it needs a number and has none.
    pub(super) fn day(&mut self, wall: i64, today: Date) -> Option<Day> {
        let found = match &self.cron.days {
            DayRule::Weekdays(set) => {
                let weekday = today.weekday();
                let wanted = set.at_or_above(weekday).or(set.first())?;
                today.day + wanted - weekday + if wanted < weekday { 7 } else { 0 }
            }
            DayRule::LastWeekday(wanted) => {
                let last = today.last_day();
                last - (weekday(today.epoch_day_of(last)) - wanted).rem_euclid(7)
            }
            // Upstream looks for such a weekday for ever.
            DayRule::NthWeekday { weekday: 8.., .. } => return Some(Day::Never),
            DayRule::NthWeekday { weekday: wanted, nth } => {
                1 + (wanted - weekday(today.epoch_day_of(1))).rem_euclid(7) + 7 * (nth - 1)
            }
            DayRule::Days(set) => match set.at_or_above(today.day) {
                Some(day) if day <= today.last_day() => day,
                _ => return Some(Day::Restart(next_month(today, set.first()?))),
            },
            DayRule::LastDay(offset) => today.last_day() - offset,
            DayRule::NearestWeekday(nominal) => return self.nearest_weekday(wall, today, *nominal),
            DayRule::Mixed { plain, nearest } => return Some(self.mixed(wall, today, *plain, *nearest)),
        };
        Some(if found < today.day || found > today.last_day() {
            Day::Restart(today.next_month())
        } else if found > today.day {
            Day::Restart(today.epoch_day_of(found))
        } else {
            Day::Today
        })
    }

    /// `nW`, `LW` and `L-nW` as 2.4 counts them.
    fn nearest_weekday(&mut self, wall: i64, today: Date, nominal: Nominal) -> Option<Day> {
        let (day, restart_day) = match nominal {
            Nominal::Day(day) => (day?, day?),
            Nominal::BeforeLast(offset) => (today.last_day() - offset, 1),
        };
        // From such a day upstream comes back to where it was, for ever.
        if day < 1 {
            return Some(Day::Restart(today.next_month()));
        }
        let shifted = shift_to_weekday(today, day);
        Some(if !self.is_ahead(shifted, wall) || self.goes_back_again(shifted, today) {
            Day::Restart(next_month(today, restart_day))
        } else if shifted == today.epoch_day {
            Day::Today
        } else {
            Day::Restart(shifted)
        })
    }

    /// Whether the cascade comes back to one earlier day a second time: the clock skips each of that day's times, and
    /// upstream turns in this circle for ever.
    fn goes_back_again(&mut self, shifted: i64, today: Date) -> bool {
        shifted < today.epoch_day && self.went_back_to.replace(shifted) == Some(shifted)
    }

    /// Days and nearest weekdays as 3.4 counts them.
    fn mixed(&mut self, wall: i64, today: Date, plain: FieldSet, nearest: FieldSet) -> Day {
        if plain.is_empty() && nearest.is_empty() {
            return Day::Never;
        }
        let plain = smallest_day(plain, today).map(|day| today.epoch_day_of(day));
        let shifted = smallest_day(nearest, today).map(|day| shift_to_weekday(today, day));
        let shifted = shifted.filter(|epoch_day| self.is_ahead(*epoch_day, wall));
        match (plain, shifted) {
            (Some(plain), shifted) if shifted.is_none_or(|shifted| plain < shifted) => {
                if plain == today.epoch_day {
                    Day::Today
                } else {
                    Day::Restart(plain)
                }
            }
            (_, Some(shifted)) => Day::AtTime(shifted),
            (_, None) => Day::Restart(today.next_month()),
        }
    }

    /// Whether the time of day that is reached lies ahead of the start, or at it, on another day.
    fn is_ahead(&mut self, epoch_day: i64, wall: i64) -> bool {
        self.timeline.instant(epoch_day * DAY + wall.rem_euclid(DAY)) >= self.start
    }
}

/// A day of the month after this date's, as days since 1970-01-01; one that the month lacks counts on.
const fn next_month(today: Date, day: i64) -> i64 {
    today.next_month() + day - 1
}

/// The nearest weekday to a day of this month, as days since 1970-01-01: not into the month before, and from the last
/// day not into the month after.
const fn shift_to_weekday(month: Date, day: i64) -> i64 {
    let epoch_day = month.epoch_day_of(day);
    match weekday(epoch_day) {
        7 if day == 1 => epoch_day + 2,
        7 => epoch_day - 1,
        1 if day == month.last_day() => epoch_day - 2,
        1 => epoch_day + 1,
        _ => epoch_day,
    }
}

/// 3.4's choice among the days and `L-n` from today to the end of the month.
fn smallest_day(set: FieldSet, today: Date) -> Option<i64> {
    let last = today.last_day();
    let day = set.at_or_above(today.day).filter(|day| *day <= last);
    let offset =
        set.at_or_above(LAST_DAY - (last - today.day)).filter(|bit| *bit <= LAST_DAY).map(|bit| LAST_DAY - bit);
    match (day, offset) {
        // Upstream compares as if every month had 31 days.
        (Some(day), Some(offset)) if day >= 31 - offset => Some(last - offset),
        (None, Some(offset)) => Some(last - offset),
        (day, _) => day,
    }
}

#[cfg(test)]
mod tests {
    use crate::config::CronFlavour::{V2_4, V3_4};
    use crate::cron::next::tests::fires;

    #[test]
    fn a_nearest_weekday_stays_in_its_month() {
        let fires_old = |expr| fires::<3>(expr, V2_4, "UTC", "2027-01-01T00:00");
        assert_eq!(fires_old("0 0 0 1W * ?"), ["2027-02-01T00:00:00", "2027-03-01T00:00:00", "2027-04-01T00:00:00"]);
        assert_eq!(fires_old("0 0 0 LW * ?"), ["2027-01-29T00:00:00", "2027-02-26T00:00:00", "2027-03-31T00:00:00"]);
        assert_eq!(fires("0 0 0 31W * ?", V2_4, "UTC", "2027-04-02T00:00"), ["2027-04-30T00:00:00"]);
        assert_eq!(fires("0 0 0 29W * ?", V2_4, "UTC", "2031-02-01T00:00"), ["2031-02-28T00:00:00"]);
    }

    /// As the Java class answers: a number beyond 7, which only the marker 99 with an end can make, is counted in days.
    #[test]
    fn a_weekday_beyond_the_week_is_so_many_days_ahead() {
        let marker = fires("0 43 1 ? * 99-99/17", V2_4, "America/Sao_Paulo", "2065-12-12T07:00");
        assert_eq!(marker, ["2065-12-13T01:43:00", "2066-08-01T01:43:00", "2067-05-01T01:43:00"]);
    }

    #[test]
    fn the_new_flavour_keeps_the_time_that_it_had_reached() {
        let expr = "0 0/30 9-17 15W * ?";
        assert_eq!(fires(expr, V2_4, "UTC", "2026-12-01T10:10"), ["2026-12-15T09:00:00"]);
        assert_eq!(fires(expr, V3_4, "UTC", "2026-12-01T10:10"), ["2026-12-15T10:30:00"]);
        let list = fires("0 0 0 1,L * ?", V3_4, "UTC", "2027-01-02T00:00");
        assert_eq!(list, ["2027-01-31T00:00:00", "2027-02-01T00:00:00"]);
        assert_eq!(fires("0 0 0 28,L-2 2 ?", V3_4, "UTC", "2027-02-01T00:00"), ["2027-02-28T00:00:00"]);
    }

    #[test]
    fn a_nearest_weekday_that_the_clock_skips_is_left_out() {
        // 28 April 2023 starts at 01:00 in Cairo; Samoa left out 30 December 2011.
        let cairo = fires("0 37 0 28W * ?", V2_4, "Africa/Cairo", "2023-04-01T00:00");
        assert_eq!(cairo, ["2023-05-29T00:37:00", "2023-06-28T00:37:00"]);
        let apia = fires("0 15 3 LW * ?", V2_4, "Pacific/Apia", "2011-12-01T00:00");
        assert_eq!(apia, ["2012-01-31T03:15:00", "2012-02-29T03:15:00"]);
    }
}
