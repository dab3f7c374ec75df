//! What the parser has read so far, in upstream's terms: a set of numbers a field, and flags for the two day fields.

use super::field::{ALL, Field, FieldSet, UNSPECIFIED, YearSet};
use super::{Cron, DayRule, JavaException, Nominal, ParseError};
use crate::config::CronFlavour;

/// The sets as they fill up.
pub(super) struct Sets {
    flavour: CronFlavour,
    max_year: i64,
    seconds: FieldSet,
    minutes: FieldSet,
    hours: FieldSet,
    pub(super) days: FieldSet,
    months: FieldSet,
    pub(super) weekdays: FieldSet,
    years: YearSet,
    /// `L` or `L-n` in the days, as n; 2.4.
    pub(super) last_day: Option<i64>,
    /// Some `W` in the days; 2.4.
    pub(super) nearest: bool,
    /// Days with `W`; 3.4.
    pub(super) nearest_days: FieldSet,
    /// `nL` in the weekdays.
    pub(super) last_weekday: bool,
    /// The n of `#n` in the weekdays.
    pub(super) nth: Option<i64>,
}

impl Sets {
    pub(super) fn new(flavour: CronFlavour, max_year: i64) -> Self {
        Self {
            flavour,
            max_year,
            seconds: FieldSet::default(),
            minutes: FieldSet::default(),
            hours: FieldSet::default(),
            days: FieldSet::default(),
            months: FieldSet::default(),
            weekdays: FieldSet::default(),
            years: YearSet::EMPTY,
            last_day: None,
            nearest: false,
            nearest_days: FieldSet::default(),
            last_weekday: false,
            nth: None,
        }
    }

    /// The expression, once every field is read.
    pub(super) fn finish(self) -> Result<Cron, ParseError> {
        Ok(Cron {
            days: self.day_rule()?,
            seconds: self.seconds,
            minutes: self.minutes,
            hours: self.hours,
            months: self.months,
            years: self.years,
            max_year: self.max_year,
        })
    }

    fn day_rule(&self) -> Result<DayRule, ParseError> {
        match (self.days.contains(UNSPECIFIED), self.weekdays.contains(UNSPECIFIED)) {
            (true, false) => Ok(self.weekday_rule()),
            (false, true) => Ok(self.day_of_month_rule()),
            _ => Err(ParseError::BothDayFields),
        }
    }

    fn weekday_rule(&self) -> DayRule {
        // `L` and `#` hold for the whole field and take its smallest number.
        match (self.weekdays.first(), self.nth) {
            (Some(weekday), _) if self.last_weekday => DayRule::LastWeekday(weekday),
            (Some(weekday), Some(nth)) => DayRule::NthWeekday { weekday, nth },
            _ => DayRule::Weekdays(self.weekdays),
        }
    }

    fn day_of_month_rule(&self) -> DayRule {
        match (self.flavour, self.last_day) {
            (CronFlavour::V3_4, _) => DayRule::Mixed { plain: self.days, nearest: self.nearest_days },
            (CronFlavour::V2_4, Some(offset)) if self.nearest => DayRule::NearestWeekday(Nominal::BeforeLast(offset)),
            (CronFlavour::V2_4, Some(offset)) => DayRule::LastDay(offset),
            (CronFlavour::V2_4, None) if self.nearest => DayRule::NearestWeekday(Nominal::Day(self.days.first())),
            (CronFlavour::V2_4, None) => DayRule::Days(self.days),
        }
    }

    /// The step, unless it is larger than the field.
    pub(super) fn checked_step(&self, field: Field, step: i64) -> Result<i64, ParseError> {
        let (largest, limit) = match field {
            Field::Second | Field::Minute => (59, 60),
            Field::Hour => (23, 24),
            Field::DayOfMonth => (31, 31),
            Field::Month => (12, 12),
            Field::DayOfWeek => (7, 7),
            Field::Year => return Ok(step),
        };
        let relation = match self.flavour {
            CronFlavour::V2_4 => ">",
            CronFlavour::V3_4 => ">=",
        };
        if step > largest { Err(ParseError::StepTooLarge { relation, limit, step }) } else { Ok(step) }
    }

    /// Adds the numbers from `start` to `end` (none: the top of the field) in steps; a step of 0 adds `start` alone.
    pub(super) fn insert(&mut self, field: Field, start: i64, end: Option<i64>, step: i64) -> Result<(), ParseError> {
        field.check_range(start, end)?;
        if start == ALL && step <= 0 {
            self.add(field, ALL);
        } else if step == 0 {
            self.add(field, start);
            return Ok(());
        }
        let start = if start == ALL { field.lowest() } else { start };
        let end = end.unwrap_or(field.highest(self.max_year));
        let step = step.max(1) as usize;
        if start <= end {
            (start..=end.min(YearSet::END)).step_by(step).for_each(|value| self.add(field, value));
            return Ok(());
        }
        let Some(modulus) = field.modulus() else {
            return Err(JavaException::YearsBackwards.into());
        };
        let zero = if field.lowest() == 0 { 0 } else { modulus };
        for value in (start..=end + modulus).step_by(step) {
            self.add(field, if value % modulus == 0 { zero } else { value % modulus });
        }
        Ok(())
    }

    fn add(&mut self, field: Field, value: i64) {
        match field {
            Field::Second => self.seconds.insert(value),
            Field::Minute => self.minutes.insert(value),
            Field::Hour => self.hours.insert(value),
            Field::DayOfMonth => self.days.insert(value),
            Field::Month => self.months.insert(value),
            Field::DayOfWeek => self.weekdays.insert(value),
            Field::Year => self.years.insert(value),
        }
    }
}
