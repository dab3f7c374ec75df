//! Reading JSON as leniently as the other side writes it: numbers as text, text as numbers, damaged characters.

use std::borrow::Cow;

use serde_json::Value;

/// Why the body of an executor's request could not be read; `Display` is a plain sentence for the answer.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The text is no JSON.
    #[error("the request body is not valid JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    /// The JSON is something else than expected.
    #[error("the request body must be {0}")]
    Shape(&'static str),
    /// A field is something else than expected.
    #[error("the field '{name}' must be {expected}")]
    Field {
        /// The field.
        name: &'static str,
        /// What it should be.
        expected: &'static str,
    },
}

/// Parses a body. A blank one is `null`, as for Gson. Bytes that are not UTF-8 and lone surrogates (`\ud83d` without its
/// other half, as Python writes them) become U+FFFD: a damaged character must not lose a result.
pub(super) fn parse(body: &[u8]) -> Result<Value, serde_json::Error> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Value::Null);
    }
    serde_json::from_slice(body).or_else(|error| match repaired(body) {
        Some(text) => serde_json::from_str(&text),
        None => Err(error),
    })
}

/// The body with damaged characters replaced; none when there were none.
fn repaired(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let whole = without_lone_surrogates(&text);
    match (&text, whole) {
        (Cow::Borrowed(_), None) => None,
        (_, None) => Some(text.into_owned()),
        (_, Some(whole)) => Some(whole),
    }
}

fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match escaped_unit(&bytes[at..]) {
            Some(0xD800..=0xDBFF) if matches!(escaped_unit(&bytes[at + 6..]), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                out.push_str(&text[copied..at]);
                out.push('\u{FFFD}');
                at += 6;
                copied = at;
            }
            _ => at += 2,
        }
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// The UTF-16 unit of `\uXXXX` at the start of these bytes.
fn escaped_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// A whole number as Gson takes it: a number without fraction, or such a number as text.
pub(super) fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().and_then(without_fraction)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn without_fraction(number: f64) -> Option<i64> {
    // 2^53: beyond it a double no longer tells whole numbers apart.
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
}

/// Text, or a scalar as text; none for null, arrays and objects.
pub(super) fn scalar_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Whether Java would call this text blank.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c <= ' ' || c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_come_as_number_or_text() {
        for (json, expected) in [
            ("7", Some(7)),
            ("\"5000000001\"", Some(5_000_000_001)),
            ("5.0", Some(5)),
            ("1.5", None),
            ("\"abc\"", None),
            ("1e300", None),
            ("true", None),
            ("null", None),
        ] {
            assert_eq!(whole(&serde_json::from_str(json).expect("test data")), expected, "{json}");
        }
    }

    #[test]
    fn damaged_characters_are_replaced() {
        assert_eq!(parse(b"\"a\xff\xc3\"").expect("repaired"), Value::String("a\u{FFFD}\u{FFFD}".into()));
        assert_eq!(parse(br#""a\ud83d""#).expect("repaired"), Value::String("a\u{FFFD}".into()));
        assert_eq!(
            parse(br#""\\ud83d\ude00\ud83d\ude00""#).expect("repaired"),
            Value::String("\\ud83d\u{FFFD}😀".into())
        );
    }

    #[test]
    fn a_blank_body_is_null_and_a_broken_one_an_error() {
        assert_eq!(parse(b" \r\n").expect("blank"), Value::Null);
        assert!(parse(b"[{").is_err());
        assert!(parse(b"[]]").is_err());
    }
}
