//! The span of time in the filter of the log page: `2026-11-30 00:00:00 - 2026-12-01 23:59:59`, read as Java's lenient
//! `SimpleDateFormat` reads it.

use jiff::civil::Date;

use crate::clock::Zone;
use crate::model::EpochMs;

/// A span of time; an open end is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeSpan {
    /// From this instant on.
    pub from: Option<EpochMs>,
    /// To this instant, included.
    pub to: Option<EpochMs>,
    /// An end was given that cannot be read: it is open, or from 3.3 on the call fails.
    pub has_unreadable_end: bool,
}

/// Both ends of a span; a text that is no span is none at all.
pub fn parse(text: &str, zone: &Zone) -> TimeSpan {
    let mut parts: Vec<&str> = text.split(" - ").collect();
    while parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    let [from, to] = parts[..] else { return TimeSpan::default() };
    let (from, to) = (instant(from, zone), instant(to, zone));
    TimeSpan { from, to, has_unreadable_end: from.is_none() || to.is_none() }
}

/// `yyyy-MM-dd HH:mm:ss`; fields beyond their range roll over, and what follows is not looked at.
fn instant(text: &str, zone: &Zone) -> Option<EpochMs> {
    let mut rest = text;
    let mut fields = [0i64; 6];
    for (field, separator) in fields.iter_mut().zip(["", "-", "-", " ", ":", ":"]) {
        rest = rest.strip_prefix(separator)?.trim_start_matches([' ', '\t']);
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        *field = rest[..end].parse().ok()?;
        rest = &rest[end..];
    }
    let [year, month, day, hour, minute, second] = fields;
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    let first = Date::new(months.div_euclid(12).try_into().ok()?, (months.rem_euclid(12) + 1) as i8, 1).ok()?;
    let seconds = hour.checked_mul(3600)?.checked_add(minute.checked_mul(60)?)?.checked_add(second)?;
    let days = day.checked_sub(1)?.checked_add(seconds.div_euclid(86_400))?;
    let seconds = seconds.rem_euclid(86_400);
    let span = jiff::Span::new().try_days(days).ok()?;
    let date = first.checked_add(span).ok()?;
    let wall = date.at((seconds / 3600) as i8, (seconds / 60 % 60) as i8, (seconds % 60) as i8, 0);
    Some(zone.instant(wall))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        instant(text, &Zone::utc()).map(|at| Zone::utc().format(at))
    }

    #[test]
    fn fields_roll_over() {
        assert_eq!(read("2026-11-30 20:39:43").as_deref(), Some("2026-11-30 20:39:43"));
        assert_eq!(read("2026-13-41 25:61:61").as_deref(), Some("2027-02-11 02:02:01"));
        assert_eq!(read("2026-1-1 0:0:0 and more").as_deref(), Some("2026-01-01 00:00:00"));
        assert_eq!(read("2026-00-01 00:00:00").as_deref(), Some("2025-12-01 00:00:00"));
        for bad in ["", "abc", "2026-11-30", "2026/11/30 00:00:00", "99999999999999999999-1-1 0:0:0", "2026-1-1T0:0:0"]
        {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_span_has_two_parts() {
        let ends = |text: &str| {
            let span = parse(text, &Zone::utc());
            (span.from, span.to, span.has_unreadable_end)
        };
        assert_eq!(ends("1970-01-01 00:00:00 - 1970-01-01 00:00:01"), (Some(0), Some(1000), false));
        assert_eq!(ends("abc - 1970-01-01 00:00:01"), (None, Some(1000), true));
        assert_eq!(ends("a - b"), (None, None, true));
        for none in ["", "0", "1970-01-01 00:00:00", "1970-01-01 00:00:00 - ", "a - b - c"] {
            assert_eq!(ends(none), (None, None, false), "{none}");
        }
    }
}
