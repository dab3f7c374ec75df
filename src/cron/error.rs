//! Why an expression is refused. `Display` gives the message of the Java admin letter by letter, since the console shows
//! it to users.

use thiserror::Error;

/// Why an expression is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseError {
    /// More than seven fields; 3.4 only.
    #[error("Invalid expression has too many terms: {0}")]
    TooManyTerms(String),
    /// Fewer than six fields.
    #[error("Unexpected end of expression.")]
    EndOfExpression,
    /// `L` in a list of days of the month; 2.4 only.
    #[error("Support for specifying 'L' and 'LW' with other days of the month is not implemented")]
    LastInDayList,
    /// `L` in a list of weekdays.
    #[error("Support for specifying 'L' with other days of the week is not implemented")]
    LastInWeekdayList,
    /// More than one `#` in the weekday field.
    #[error("Support for specifying multiple \"nth\" days is not implemented.")]
    MultipleNth,
    /// Neither or both of the two day fields are `?`.
    #[error("Support for specifying both a day-of-week AND a day-of-month parameter is not implemented.")]
    BothDayFields,
    /// `?` in both day fields.
    #[error("'?' can only be specified for Day-of-Month -OR- Day-of-Week.")]
    NoDayField,
    /// `?` outside of the day fields.
    #[error("'?' can only be specified for Day-of-Month or Day-of-Week.")]
    MisplacedQuestionMark,
    /// Text after `?`.
    #[error("Illegal character after '?': {0}")]
    TextAfterQuestionMark(char),
    /// `L` in seconds, minutes or hours; 3.4 only.
    #[error("'L' not expected in seconds, minutes or hours fields.")]
    LastInTimeField,
    /// `L`, `W` or `#` after a number of a field that does not know it.
    #[error("'{option}' option is not valid here. (pos={position})")]
    MisplacedOption {
        /// The letter.
        option: char,
        /// Where in the list item it stands, from 0.
        position: usize,
    },
    /// `L-n` with an n that is too large.
    #[error("Offset from last day must be <= 30")]
    LastDayOffset,
    /// `nW` with an n that is too large.
    #[error("The 'W' option does not make sense with values larger than 31 (max number of days in a month)")]
    NearestWeekdayOfDay,
    /// No number from 1 to 5 after `#`.
    #[error("A numeric value between 1 and 5 must follow the '#' option")]
    Nth,
    /// A number outside of the field's range; carries the field's sentence.
    #[error("{0}")]
    OutOfRange(&'static str),
    /// A step that is larger than the field.
    #[error("Increment {relation} {limit} : {step}")]
    StepTooLarge {
        /// `>` or, since 3.4, `>=`.
        relation: &'static str,
        /// The limit as the message names it.
        limit: i64,
        /// The step that was asked for.
        step: i64,
    },
    /// Nothing after `/`.
    #[error("'/' must be followed by an integer.")]
    StepMissing,
    /// Nothing after `*/`.
    #[error("Unexpected end of string.")]
    EndOfItem,
    /// No digit where the step goes on.
    #[error("Unexpected character '{0}' after '/'")]
    UnexpectedInStep(char),
    /// Three letters that name no month or weekday.
    #[error("Invalid {field} value: '{name}'")]
    UnknownName {
        /// `Month` or `Day-of-Week`.
        field: &'static str,
        /// The letters.
        name: String,
    },
    /// Letters in a field that has no names.
    #[error("Illegal characters for this position: '{0}'")]
    IllegalCharacters(String),
    /// An item that starts with a character of no meaning.
    #[error("Unexpected character: {0}")]
    UnexpectedCharacter(char),
    /// The Java parser fell over the text; carries the exception as Java prints it.
    #[error("Illegal cron expression format ({0})")]
    Format(#[from] JavaException),
}

/// An exception that the Java parser does not foresee and that reaches users by name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JavaException {
    /// Not a number, or beyond 32 bits.
    #[error("java.lang.NumberFormatException: For input string: \"{0}\"")]
    NumberFormat(String),
    /// The text ends where three letters should be (wording of JDK 17).
    #[error("java.lang.StringIndexOutOfBoundsException: begin {begin}, end {end}, length {length}")]
    Substring {
        /// Where the letters should start.
        begin: usize,
        /// Where they should end.
        end: usize,
        /// Length of the text.
        length: usize,
    },
    /// The text ends where one more character should be (wording of JDK 17).
    #[error("java.lang.StringIndexOutOfBoundsException: String index out of range: {0}")]
    CharAt(usize),
    /// A range of years that runs backwards.
    #[error("java.lang.IllegalArgumentException: Start year must be less than stop year")]
    YearsBackwards,
    /// `?` in the weekday field after a day field without any item; 2.4 only.
    #[error("java.util.NoSuchElementException")]
    NoSuchElement,
}
