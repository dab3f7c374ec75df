//! The next fire: a cascade over the fields of the wall clock, from seconds up to years, that starts again whenever a
//! field had to move. Ports `CronExpression.getTimeAfter` on plain numbers.

use jiff::tz::TimeZone;

use super::field::{FieldSet, LAST_DAY};
use super::wall::{DAY, Date, Timeline, month_start, weekday};
use super::{Cron, DayRule, Next, Nominal};
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

/// What the day rule says to a date.
enum Day {
    /// Fires today.
    Today,
    /// Fires on this day (since 1970-01-01) at the time already reached; 3.4.
    AtTime(i64),
    /// Not today: go on from 00:00:00 of this day (since 1970-01-01).
    Restart(i64),
    /// No day at all.
    Never,
}

/// The first fire after an instant.
pub(super) fn next_after(cron: &Cron, tz: &TimeZone, from_ms: EpochMs) -> Next {
    let start = (from_ms.div_euclid(1_000) + 1).max(BEGINNING);
    if start > END + DAY {
        return Next::Never;
    }
    let (timeline, mut wall) = Timeline::at(tz, start);
    let mut cascade = Cascade { cron, timeline, start };
    for _ in 0..MOST_ROUNDS {
        match cascade.round(wall) {
            Some(Round::Restart(later)) => wall = later,
            Some(Round::Fire(wall)) => return Next::At(cascade.timeline.instant(wall) * 1_000),
            Some(Round::Never) => return Next::Never,
            None => return Next::Empty,
        }
    }
    Next::Never
}

struct Cascade<'a> {
    cron: &'a Cron,
    timeline: Timeline<'a>,
    /// The first second that may fire, as an instant.
    start: i64,
}

impl Cascade<'_> {
    /// One pass over all fields; none when a field that is needed is empty.
    fn round(&mut self, wall: i64) -> Option<Round> {
        let wall = self.timeline.resolve(wall);
        if wall >= END {
            return Some(Round::Never);
        }
        let wall = self.second(wall)?;
        if let Some(later) = self.minute(wall)? {
            return Some(Round::Restart(later));
        }
        if let Some(later) = self.hour(wall)? {
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
    fn minute(&mut self, wall: i64) -> Option<Option<i64>> {
        let (hour, minute) = (wall.rem_euclid(DAY) / HOUR, wall.rem_euclid(HOUR) / MINUTE);
        let (minute, hour) = match self.cron.minutes.at_or_above(minute) {
            Some(allowed) if allowed == minute => return Some(None),
            Some(allowed) => (allowed, hour),
            None => (self.cron.minutes.first()?, hour + 1),
        };
        Some(Some(self.set_hour(wall - wall.rem_euclid(DAY) + minute * MINUTE, hour)))
    }

    /// Where to restart for the smallest allowed hour; nothing if the present one is allowed.
    fn hour(&mut self, wall: i64) -> Option<Option<i64>> {
        let midnight = wall - wall.rem_euclid(DAY);
        let hour = (wall - midnight) / HOUR;
        match self.cron.hours.at_or_above(hour) {
            Some(allowed) if allowed == hour => Some(None),
            Some(allowed) => Some(Some(self.set_hour(midnight, allowed))),
            None => {
                let first = self.cron.hours.first()?;
                Some(Some(self.set_hour(midnight + DAY, first)))
            }
        }
    }

    /// Sets the hour on a wall time whose hour is 0. Where the clock skips that hour, upstream takes the one after.
    fn set_hour(&mut self, wall: i64, hour: i64) -> i64 {
        let wall = self.timeline.resolve(wall + hour * HOUR);
        let time = wall.rem_euclid(DAY);
        if time / HOUR == hour || hour == 24 { wall } else { wall - time + time % HOUR + (hour + 1) * HOUR }
    }

    /// Asks the day rule; none when it needs a number and has none.
    fn day(&mut self, wall: i64, today: Date) -> Option<Day> {
        let found = match &self.cron.days {
            DayRule::Weekdays(set) => {
                let weekday = today.weekday();
                let wanted = set.at_or_above(weekday).or(set.first())?;
                today.day + (wanted - weekday).rem_euclid(7)
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
        Some(if !self.is_ahead(shifted, wall) {
            Day::Restart(next_month(today, restart_day))
        } else if shifted == today.epoch_day {
            Day::Today
        } else {
            Day::Restart(shifted)
        })
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
