//! From text to [`Cron`]. The order of the checks is upstream's, since the first error wins.
//!
//! Upstream's parser looks at an item's first character and then takes what it understands; much of what follows is
//! ignored (`5X` is 5, `MONDAY` is MON). Users have such expressions stored, so all of it is kept.

use super::field::{ALL, Field, LAST_DAY, UNSPECIFIED};
use super::number::{integer, number_at, split_digits};
use super::sets::Sets;
use super::{Cron, JavaException, ParseError};
use crate::config::CronFlavour;

/// Reads an expression.
pub(super) fn parse(text: &str, flavour: CronFlavour, max_year: i64) -> Result<Cron, ParseError> {
    let text = text.to_uppercase();
    let fields = || text.split([' ', '\t']).filter(|field| !field.is_empty());
    let count = fields().count();
    if flavour == CronFlavour::V3_4 && count > Field::ALL.len() {
        return Err(ParseError::TooManyTerms(text));
    }
    let mut parser = Parser { flavour, sets: Sets::new(flavour, max_year) };
    for (field, list) in Field::ALL.into_iter().zip(fields()) {
        // As `String.trim` does it: control characters go as well.
        parser.list(field, list.trim_matches(|c| c <= ' '))?;
    }
    if count < 6 {
        return Err(ParseError::EndOfExpression);
    }
    if count == 6 {
        parser.item(Field::Year, "*")?;
    }
    parser.sets.finish()
}

/// The grammar, filling the sets.
struct Parser {
    flavour: CronFlavour,
    sets: Sets,
}

impl Parser {
    /// A whole field: items between commas.
    fn list(&mut self, field: Field, list: &str) -> Result<(), ParseError> {
        let last_in_list = list.contains('L') && list.contains(',');
        if field == Field::DayOfMonth && last_in_list && self.flavour == CronFlavour::V2_4 {
            return Err(ParseError::LastInDayList);
        }
        if field == Field::DayOfWeek && last_in_list {
            return Err(ParseError::LastInWeekdayList);
        }
        if field == Field::DayOfWeek && list.bytes().filter(|byte| *byte == b'#').count() > 1 {
            return Err(ParseError::MultipleNth);
        }
        list.split(',').try_for_each(|item| self.item(field, item))
    }

    fn item(&mut self, field: Field, item: &str) -> Result<(), ParseError> {
        match item.chars().next() {
            None => Ok(()),
            Some('A'..='Z') if !is_last_day(item) => self.name(field, item),
            Some('?') => self.question_mark(field, item),
            Some('*' | '/') => self.every(field, item),
            Some('L') => self.last(field, item),
            Some('0'..='9') => self.number(field, item),
            Some(other) => Err(ParseError::UnexpectedCharacter(other)),
        }
    }

    /// `MON`, `MON-FRI`, `MON#2`, `MONL`, `JAN`, `JAN-MAR`.
    fn name(&mut self, field: Field, item: &str) -> Result<(), ParseError> {
        let start = field.number_of(letters(item, 0)?)?;
        let rest = &item[3..];
        let end = match rest.as_bytes().first() {
            Some(b'-') => Some(field.number_of(letters(item, 4)?)?),
            Some(b'#') if field == Field::DayOfWeek => {
                self.sets.nth = Some(nth(&rest[1..])?);
                None
            }
            Some(b'L') if field == Field::DayOfWeek => {
                self.sets.last_weekday = true;
                None
            }
            _ => None,
        };
        self.sets.insert(field, start, end, i64::from(end.is_some()))
    }

    fn question_mark(&mut self, field: Field, item: &str) -> Result<(), ParseError> {
        // Upstream wants two characters after the mark before it looks at the first of them.
        let mut after = item.chars().skip(1);
        if let (Some(c), Some(_)) = (after.next(), after.next()) {
            return Err(ParseError::TextAfterQuestionMark(c));
        }
        if !field.may_be_unspecified() {
            return Err(ParseError::MisplacedQuestionMark);
        }
        if field == Field::DayOfWeek && self.sets.last_day.is_none() {
            match self.sets.days.last() {
                None if self.flavour == CronFlavour::V2_4 => return Err(JavaException::NoSuchElement.into()),
                Some(UNSPECIFIED) => return Err(ParseError::NoDayField),
                _ => {}
            }
        }
        self.sets.insert(field, UNSPECIFIED, None, 0)
    }

    /// `*`, `*/n`, `/n`.
    fn every(&mut self, field: Field, item: &str) -> Result<(), ParseError> {
        let step = match item.strip_prefix('*') {
            Some("") => 0,
            Some(rest) => match rest.strip_prefix('/') {
                Some("") => return Err(ParseError::EndOfItem),
                Some(step) => self.sets.checked_step(field, integer(step)?)?,
                None => 1,
            },
            None if item == "/" => return Err(ParseError::StepMissing),
            None => self.sets.checked_step(field, integer(&item[1..])?)?,
        };
        self.sets.insert(field, ALL, None, step)
    }

    /// `L`, `L-n`, `LW`, `L-nW`.
    fn last(&mut self, field: Field, item: &str) -> Result<(), ParseError> {
        match field {
            Field::DayOfMonth => self.last_day_of_month(item),
            // The field's last value, Saturday, and not the last of a month.
            Field::DayOfWeek => self.sets.insert(field, 7, None, 0),
            Field::Month | Field::Year => Ok(()),
            Field::Second | Field::Minute | Field::Hour => match self.flavour {
                CronFlavour::V2_4 => Ok(()),
                CronFlavour::V3_4 => Err(ParseError::LastInTimeField),
            },
        }
    }

    fn last_day_of_month(&mut self, item: &str) -> Result<(), ParseError> {
        let (offset, rest) = match item.strip_prefix("L-") {
            Some("") => return Err(JavaException::CharAt(2).into()),
            Some(rest) => {
                let (digits, rest) = split_digits(rest);
                (integer(&format!("0{digits}"))?, rest)
            }
            None => (0, &item[1..]),
        };
        if offset > 30 {
            return Err(ParseError::LastDayOffset);
        }
        let nearest = rest == "W";
        match (self.flavour, nearest) {
            (CronFlavour::V2_4, _) => {
                self.sets.last_day = Some(offset);
                self.sets.nearest |= nearest;
            }
            (CronFlavour::V3_4, false) => self.sets.days.insert(LAST_DAY - offset),
            (CronFlavour::V3_4, true) => self.sets.nearest_days.insert(LAST_DAY - offset),
        }
        Ok(())
    }

    /// Whatever starts with a digit.
    fn number(&mut self, field: Field, item: &str) -> Result<(), ParseError> {
        let (value, rest) = number_at(item, 0)?;
        let position = item.len() - rest.len();
        match rest.chars().next() {
            Some('L') if field == Field::DayOfWeek => {
                if !(1..=7).contains(&value) {
                    return field.check_range(0, None);
                }
                self.sets.last_weekday = true;
                self.sets.weekdays.insert(value);
                Ok(())
            }
            Some('W') if field == Field::DayOfMonth => self.nearest_weekday(value),
            Some('#') if field == Field::DayOfWeek => {
                self.sets.nth = Some(nth(&rest[1..])?);
                // Every weekday beyond the seventh never comes; the two that are markers must stay what they are.
                self.sets.weekdays.insert(value.min(127));
                Ok(())
            }
            Some(option @ ('L' | 'W' | '#')) => Err(ParseError::MisplacedOption { option, position }),
            Some('-') => self.range(field, value, item, position + 1),
            Some('/') => self.stepped(field, value, item, position + 1),
            _ => self.sets.insert(field, value, None, 0),
        }
    }

    /// `nW`.
    fn nearest_weekday(&mut self, day: i64) -> Result<(), ParseError> {
        if day > 31 {
            return Err(ParseError::NearestWeekdayOfDay);
        }
        match self.flavour {
            CronFlavour::V2_4 => {
                self.sets.nearest = true;
                self.sets.days.insert(day);
            }
            CronFlavour::V3_4 => self.sets.nearest_days.insert(day),
        }
        Ok(())
    }

    /// `a-b` or `a-b/n` from the `b` on. The step of a range is not checked.
    fn range(&mut self, field: Field, start: i64, item: &str, position: usize) -> Result<(), ParseError> {
        let (end, rest) = number_at(item, position)?;
        let step = if rest.starts_with('/') { number_at(item, item.len() - rest.len() + 1)?.0 } else { 1 };
        self.sets.insert(field, start, Some(end), step)
    }

    /// `a/n` from the `n` on.
    fn stepped(&mut self, field: Field, start: i64, item: &str, position: usize) -> Result<(), ParseError> {
        let text = &item[position..];
        let Some(first) = text.chars().next() else {
            return Err(ParseError::StepMissing);
        };
        let (step, rest) = number_at(item, position)?;
        // Only the character after the first digit is looked at; after a second digit all is ignored.
        if rest.len() + first.len_utf8() == text.len()
            && let Some(c) = rest.chars().next()
        {
            return Err(ParseError::UnexpectedInStep(c));
        }
        let step = self.sets.checked_step(field, step)?;
        self.sets.insert(field, start, None, step)
    }
}

/// Whether the item is `L`, `LW`, `L-n` or `L-nW`, and so not a name; the digits may be missing.
fn is_last_day(item: &str) -> bool {
    match item.strip_prefix("L-") {
        Some(rest) => matches!(split_digits(rest).1, "" | "W"),
        None => matches!(item, "L" | "LW"),
    }
}

/// Three letters of the item from `begin` on.
fn letters(item: &str, begin: usize) -> Result<&str, ParseError> {
    let text = &item[begin..];
    let last = text.char_indices().nth(2).map(|(last, c)| last + c.len_utf8());
    last.map(|end| &text[..end]).ok_or_else(|| {
        let length = item.encode_utf16().count();
        JavaException::Substring { begin, end: begin + 3, length }.into()
    })
}

/// The n of `#n`.
fn nth(text: &str) -> Result<i64, ParseError> {
    integer(text).ok().filter(|nth| (1..=5).contains(nth)).ok_or(ParseError::Nth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cron::field::FieldSet;
    use crate::cron::{DayRule, Nominal};

    fn message(text: &str, flavour: CronFlavour) -> String {
        parse(text, flavour, 2126).expect_err(text).to_string()
    }

    fn values(set: FieldSet) -> Vec<i64> {
        std::iter::successors(set.first(), |value| set.at_or_above(value + 1)).collect()
    }

    fn seconds(list: &str) -> Vec<i64> {
        values(parse(&format!("{list} * * * * ?"), CronFlavour::V2_4, 2126).expect(list).seconds)
    }

    #[test]
    fn ranges_wrap_and_steps_go_across_the_seam() {
        assert_eq!(seconds("50-10/7"), [4, 50, 57]);
        assert_eq!(seconds("5-10/0"), [5]);
        assert_eq!(seconds("0/0"), [0]);
        assert_eq!(seconds("5X"), [5]);
        assert_eq!(seconds("*/-3").len(), 61, "all and the marker");
        assert_eq!(seconds("0/２"), seconds("0/2"));
    }

    #[test]
    fn the_sides_of_a_step_are_read_as_upstream_reads_them() {
        assert_eq!(seconds("5/10X"), seconds("5/10"));
        assert_eq!(message("5/1X * * * * ?", CronFlavour::V2_4), "Unexpected character 'X' after '/'");
    }

    #[test]
    fn day_rules_follow_the_flavour() {
        let rule = |text: &str, flavour| parse(text, flavour, 2126).expect(text).days;
        let old = CronFlavour::V2_4;
        assert_eq!(rule("0 0 0 LW * ?", old), DayRule::NearestWeekday(Nominal::BeforeLast(0)));
        assert_eq!(rule("0 0 0 L-W * ?", old), DayRule::NearestWeekday(Nominal::BeforeLast(0)));
        assert_eq!(rule("0 0 0 15W,20 * ?", old), DayRule::NearestWeekday(Nominal::Day(Some(15))));
        assert_eq!(rule("0 0 0 L-3 * ?", old), DayRule::LastDay(3));
        assert_eq!(rule("0 0 0 ? * 6,2#1", old), DayRule::NthWeekday { weekday: 2, nth: 1 });
        assert_eq!(rule("0 0 0 ? * FRIL", old), DayRule::LastWeekday(6));
        assert!(matches!(rule("0 0 0 ? * FRIDAYL", old), DayRule::Weekdays(set) if values(set) == [6]));
        let new = rule("0 0 0 1,L-2,15W * ?", CronFlavour::V3_4);
        assert!(
            matches!(new, DayRule::Mixed { plain, nearest } if values(plain) == [1, 60] && values(nearest) == [15])
        );
    }

    #[test]
    fn a_day_field_without_any_item_is_refused_by_the_old_flavour_only() {
        let frame = "Illegal cron expression format (java.util.NoSuchElementException)";
        assert_eq!(message("0 0 0 , * ?", CronFlavour::V2_4), frame);
        assert!(parse("0 0 0 , * ?", CronFlavour::V3_4, 2126).is_ok());
    }

    #[test]
    fn huge_years_cost_nothing() {
        for text in ["0 0 0 1 1 ? 1-2000000000", "0 0 0 1 1 ? 5/2147483647", "0 0 0 1 1 ? 2000000000"] {
            assert!(parse(text, CronFlavour::V2_4, 2126).is_ok(), "{text}");
        }
        let frame = "java.lang.IllegalArgumentException: Start year must be less than stop year";
        let error = message("0 0 0 1 1 ? 2127/1", CronFlavour::V2_4);
        assert_eq!(error, format!("Illegal cron expression format ({frame})"));
    }
}
