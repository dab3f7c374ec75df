//! The seven fields of an expression and the sets of numbers they hold.

use super::ParseError;

/// Marker in a set: "every value". Leaks from the Java code: a user who writes `99` gets it too.
pub(super) const ALL: i64 = 99;
/// Marker in a set: `?`. Leaks in the same way as `98` in both day fields.
pub(super) const UNSPECIFIED: i64 = 98;
/// In 3.4's set of days the number 62 − n stands for `L-n`.
pub(super) const LAST_DAY: i64 = 62;

const MONTHS: [&str; 12] = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/// A field of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Second,
    Minute,
    Hour,
    DayOfMonth,
    Month,
    DayOfWeek,
    Year,
}

impl Field {
    /// Every field in the order of an expression.
    pub(super) const ALL: [Self; 7] =
        [Self::Second, Self::Minute, Self::Hour, Self::DayOfMonth, Self::Month, Self::DayOfWeek, Self::Year];

    /// Smallest value of the field.
    pub(super) const fn lowest(self) -> i64 {
        match self {
            Self::Second | Self::Minute | Self::Hour => 0,
            Self::DayOfMonth | Self::Month | Self::DayOfWeek => 1,
            Self::Year => 1970,
        }
    }

    /// Largest value of the field.
    pub(super) const fn highest(self, max_year: i64) -> i64 {
        match self {
            Self::Second | Self::Minute => 59,
            Self::Hour => 23,
            Self::DayOfMonth => 31,
            Self::Month => 12,
            Self::DayOfWeek => 7,
            Self::Year => max_year,
        }
    }

    /// The number of values, at which a range that runs backwards starts again; none for years.
    pub(super) const fn modulus(self) -> Option<i64> {
        match self {
            Self::Second | Self::Minute => Some(60),
            Self::Hour => Some(24),
            Self::DayOfMonth => Some(31),
            Self::Month => Some(12),
            Self::DayOfWeek => Some(7),
            Self::Year => None,
        }
    }

    /// Whether the field may be `?`.
    pub(super) const fn may_be_unspecified(self) -> bool {
        matches!(self, Self::DayOfMonth | Self::DayOfWeek)
    }

    /// The error if a value or the end of a range lies outside of the field. The end is held against the top only.
    pub(super) const fn check_range(self, value: i64, end: Option<i64>) -> Result<(), ParseError> {
        let sentence = match self {
            Self::Second | Self::Minute => "Minute and Second values must be between 0 and 59",
            Self::Hour => "Hour values must be between 0 and 23",
            Self::DayOfMonth => "Day of month values must be between 1 and 31",
            Self::Month => "Month values must be between 1 and 12",
            Self::DayOfWeek => "Day-of-Week values must be between 1 and 7",
            Self::Year => return Ok(()),
        };
        if value == ALL || (value == UNSPECIFIED && self.may_be_unspecified()) {
            return Ok(());
        }
        let top = self.highest(0);
        let end = match end {
            Some(end) => end,
            None => top,
        };
        if value < self.lowest() || value > top || end > top {
            return Err(ParseError::OutOfRange(sentence));
        }
        Ok(())
    }

    /// The number behind three letters. Fields without names refuse every letter.
    pub(super) fn number_of(self, name: &str) -> Result<i64, ParseError> {
        let (field, names): (_, &[&str]) = match self {
            Self::Month => ("Month", &MONTHS),
            Self::DayOfWeek => ("Day-of-Week", &WEEKDAYS),
            _ => return Err(ParseError::IllegalCharacters(name.to_owned())),
        };
        let index = names.iter().position(|known| *known == name);
        index.map(|index| index as i64 + 1).ok_or_else(|| ParseError::UnknownName { field, name: name.to_owned() })
    }
}

/// A set of small numbers as a bit mask. Numbers beyond 127, which only the marker `99` with an explicit end can make,
/// are left out: they lie beyond every field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FieldSet(u128);

impl FieldSet {
    /// Adds a number.
    pub(super) const fn insert(&mut self, value: i64) {
        if value >= 0 && value < 128 {
            self.0 |= 1 << value;
        }
    }

    /// Whether the number is in the set.
    pub(super) const fn contains(self, value: i64) -> bool {
        value >= 0 && value < 128 && self.0 >> value & 1 == 1
    }

    /// Whether there is no number at all.
    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The smallest number.
    pub(super) const fn first(self) -> Option<i64> {
        self.at_or_above(0)
    }

    /// The largest number.
    pub(super) const fn last(self) -> Option<i64> {
        if self.0 == 0 { None } else { Some(127 - self.0.leading_zeros() as i64) }
    }

    /// The smallest number that is not below `value`.
    pub(super) const fn at_or_above(self, value: i64) -> Option<i64> {
        if value > 127 {
            return None;
        }
        let value = if value < 0 { 0 } else { value };
        let left = self.0 >> value;
        if left == 0 { None } else { Some(value + left.trailing_zeros() as i64) }
    }
}

/// A set of years from 0 to 3007 as a bit mask; no fire lies beyond 2999, so later years are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct YearSet([u64; Self::WORDS]);

impl YearSet {
    const WORDS: usize = 47;
    /// The first number that the set cannot hold.
    pub(super) const END: i64 = Self::WORDS as i64 * 64;

    /// The set without any year.
    pub(super) const EMPTY: Self = Self([0; Self::WORDS]);

    /// Adds a year.
    pub(super) const fn insert(&mut self, year: i64) {
        if year >= 0 && year < Self::END {
            self.0[(year / 64) as usize] |= 1 << (year % 64);
        }
    }

    /// The smallest year that is not below `year`.
    pub(super) fn at_or_above(&self, year: i64) -> Option<i64> {
        let year = year.max(0);
        let start = (year / 64) as usize;
        let word = self.0.get(start)? & (u64::MAX << (year % 64));
        if word != 0 {
            return Some(start as i64 * 64 + i64::from(word.trailing_zeros()));
        }
        let index = start + 1 + self.0[start + 1..].iter().position(|word| *word != 0)?;
        Some(index as i64 * 64 + i64::from(self.0[index].trailing_zeros()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_set_finds_its_neighbours() {
        let mut set = FieldSet::default();
        assert_eq!((set.first(), set.last(), set.is_empty()), (None, None, true));
        for value in [5, 31, 98, 127, 128, -1] {
            set.insert(value);
        }
        assert_eq!((set.first(), set.last(), set.is_empty()), (Some(5), Some(127), false));
        assert_eq!(set.at_or_above(5), Some(5));
        assert_eq!(set.at_or_above(6), Some(31));
        assert_eq!(set.at_or_above(99), Some(127));
        assert_eq!(set.at_or_above(128), None);
        assert!(set.contains(98) && !set.contains(99) && !set.contains(-1));
    }

    #[test]
    fn a_year_set_finds_the_next_year() {
        let mut set = YearSet::EMPTY;
        assert_eq!(set.at_or_above(0), None);
        for year in [0, 1999, 2000, 2027, 3007, 3008, -4] {
            set.insert(year);
        }
        let after = [-9, 0, 1, 1999, 2001, 2027, 2028, 3008, 9999].map(|year| set.at_or_above(year));
        let expected = [Some(0), Some(0), Some(1999), Some(1999), Some(2027), Some(2027), Some(3007), None, None];
        assert_eq!(after, expected);
    }

    #[test]
    fn the_markers_pass_the_range_check_where_upstream_lets_them_pass() {
        for field in Field::ALL {
            assert!(field.check_range(ALL, Some(2_000)).is_ok());
            let may = field.may_be_unspecified() || field == Field::Year;
            assert_eq!(field.check_range(UNSPECIFIED, None).is_ok(), may, "{field:?}");
        }
        assert!(Field::DayOfMonth.check_range(5, Some(0)).is_ok());
        assert!(Field::DayOfMonth.check_range(5, Some(32)).is_err());
        assert!(Field::Hour.check_range(24, None).is_err());
    }
}
