//! Integers as `Integer.parseInt` and `Long.parseLong` read them, which take the decimal digits of every script.

use super::{JavaException, ParseError};

/// The zeros of the Basic Multilingual Plane; each is followed by its script's other nine digits.
const ZEROS: [u32; 37] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0,
    0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620,
    0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
];

/// The value of a decimal digit.
fn digit(c: char) -> Option<i64> {
    let code = u32::from(c);
    let zero = ZEROS[..ZEROS.partition_point(|zero| *zero <= code)].last()?;
    (code - zero < 10).then(|| i64::from(code - zero))
}

/// Reads the whole text as a signed 64-bit number; none if it is not one. Surrounding blanks are not taken.
pub(crate) fn decimal(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes() {
        [b'-', ..] => (-1, &text[1..]),
        [b'+', ..] => (1, &text[1..]),
        _ => (1, text),
    };
    let mut value = (!digits.is_empty()).then_some(0_i64);
    for c in digits.chars() {
        value = value.zip(digit(c)).and_then(|(value, digit)| value.checked_mul(10)?.checked_add(sign * digit));
    }
    value
}

/// Reads the whole text as a signed 32-bit number.
pub(super) fn integer(text: &str) -> Result<i64, ParseError> {
    let value = decimal(text).filter(|value| i32::try_from(*value).is_ok());
    value.ok_or_else(|| JavaException::NumberFormat(text.to_owned()).into())
}

/// Reads the number that the list item `item` has at `position`: one digit of any script, then ASCII digits. Answers
/// the number and the rest of the item.
pub(super) fn number_at(item: &str, position: usize) -> Result<(i64, &str), ParseError> {
    let text = &item[position..];
    let Some(first) = text.chars().next() else {
        return Err(JavaException::CharAt(position).into());
    };
    let value = integer(&text[..first.len_utf8()])?;
    let (more, rest) = split_digits(&text[first.len_utf8()..]);
    if more.is_empty() { Ok((value, rest)) } else { Ok((integer(&format!("{value}{more}"))?, rest)) }
}

/// Cuts the leading ASCII digits off.
pub(super) fn split_digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_those_of_java() {
        for (text, value) in [
            ("0", 0),
            ("+7", 7),
            ("-7", -7),
            ("007", 7),
            ("2147483647", 2_147_483_647),
            ("-2147483648", -2_147_483_648),
            ("１２", 12),
            ("٣", 3),
        ] {
            assert_eq!(integer(text), Ok(value), "{text}");
        }
        for text in
            ["", "+", "-", "--1", "1 ", "2147483648", "-2147483649", "99999999999999999999", "½", "五", "/", ":"]
        {
            let error = integer(text).expect_err(text).to_string();
            let inner = format!("java.lang.NumberFormatException: For input string: \"{text}\"");
            assert_eq!(error, format!("Illegal cron expression format ({inner})"));
        }
    }

    #[test]
    fn decimals_have_64_bits() {
        assert_eq!(decimal("9223372036854775807"), Some(i64::MAX));
        assert_eq!(decimal("-9223372036854775808"), Some(i64::MIN));
        assert_eq!(decimal("9223372036854775808"), None);
        assert_eq!(decimal(" 5"), None);
    }

    #[test]
    fn a_number_ends_where_its_digits_end() {
        assert_eq!(number_at("5-17X", 2), Ok((17, "X")));
        assert_eq!(number_at("5-", 2), Err(JavaException::CharAt(2).into()));
        assert_eq!(number_at("5-X", 2), Err(JavaException::NumberFormat("X".into()).into()));
    }
}
