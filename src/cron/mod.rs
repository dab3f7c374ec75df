//! Cron expressions as the Java admin reads them, second for second and message for message.
//!
//! Ports `CronExpression`, the Java admin's copy of Quartz' class: version 2.3 up to xxl-job 3.0, version 2.5.2 from 3.4
//! on. [`CronFlavour`] chooses. Everything that a stored expression can mean there it means here: ranges that run
//! backwards, `L`, `W`, `#`, names with trailing text, the markers `98` and `99`, second passes at the end of summer time.
//!
//! Better on purpose: nothing hangs. Where upstream counts for ever the answer is [`Next::Never`], years are kept as a
//! bit mask instead of one tree node each, and computing a fire time allocates nothing.

mod day;
mod error;
mod field;
mod next;
mod number;
mod parser;
mod sets;
mod wall;

pub use error::{JavaException, ParseError};
pub(crate) use number::decimal;

use crate::clock::Zone;
use crate::config::CronFlavour;
use crate::model::EpochMs;
use field::{FieldSet, YearSet};

/// A parsed expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cron {
    seconds: FieldSet,
    minutes: FieldSet,
    hours: FieldSet,
    days: DayRule,
    months: FieldSet,
    years: YearSet,
    max_year: i64,
}

/// What comes after an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The next fire, in milliseconds since the epoch; always a whole second.
    At(EpochMs),
    /// There is no further fire.
    Never,
    /// A field came out empty (as in `0 , * * * ?`): upstream throws an exception without a message, which stops the job.
    Empty,
}

/// How days are chosen: the two day fields boiled down.
#[derive(Debug, Clone, PartialEq, Eq)]
enum DayRule {
    /// Each of these weekdays.
    Weekdays(FieldSet),
    /// The last such weekday of the month.
    LastWeekday(i64),
    /// The n-th such weekday of the month.
    NthWeekday { weekday: i64, nth: i64 },
    /// Each of these days of the month.
    Days(FieldSet),
    /// So many days before the last of the month.
    LastDay(i64),
    /// The weekday nearest to a day of the month; 2.4.
    NearestWeekday(Nominal),
    /// Days and nearest weekdays side by side; 3.4. Both sets hold `L-n` as 62 − n.
    Mixed { plain: FieldSet, nearest: FieldSet },
}

/// The day that a nearest weekday is counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nominal {
    /// A day of the month; none if the field has no number (which shows only when a time is computed).
    Day(Option<i64>),
    /// So many days before the last of the month.
    BeforeLast(i64),
}

impl Cron {
    /// Reads an expression. `max_year` is the last year that `*` and `a/n` reach and in which anything fires; upstream
    /// takes the year in which the process started plus 100.
    ///
    /// # Errors
    /// [`ParseError`], whose `Display` is upstream's message.
    pub fn parse(text: &str, flavour: CronFlavour, max_year: i32) -> Result<Self, ParseError> {
        parser::parse(text, flavour, max_year.into())
    }

    /// The first fire after an instant (milliseconds since the epoch) on the wall clock of a zone. The start is
    /// exclusive and its milliseconds are cut: from 10:00:00.000 a fire at 10:00:00 is over.
    pub fn next_after(&self, zone: &Zone, from_ms: EpochMs) -> Next {
        next::next_after(self, zone.tz(), from_ms)
    }
}

const _: () = {
    const fn shared_between_threads<T: Send + Sync>() {}
    shared_between_threads::<Cron>();
};
