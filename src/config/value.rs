//! Text → value, for every kind of value that a setting can have. An error says what is wrong with the text; what
//! would be right stands in the table of keys.

use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use ipnet::IpNet;
use url::Url;

/// What is wrong with a text.
pub type Parsed<T> = Result<T, String>;

/// Puts a parsed value where it belongs.
pub fn put<T>(slot: &mut T, value: Parsed<T>) -> Parsed<()> {
    *slot = value?;
    Ok(())
}

/// A whole number.
pub fn number<T: FromStr>(text: &str) -> Parsed<T> {
    text.trim().parse().map_err(|_| format!("`{}` is not a whole number that fits here", text.trim()))
}

/// A whole number of this range.
pub fn number_in<T: FromStr + PartialOrd + std::fmt::Display>(text: &str, range: &RangeInclusive<T>) -> Parsed<T> {
    let value = number(text)?;
    if range.contains(&value) {
        Ok(value)
    } else {
        Err(format!("{value} is not between {} and {}", range.start(), range.end()))
    }
}

/// `true`, `on`, `yes`, `1` or their opposites, as Spring reads them.
pub fn boolean(text: &str) -> Parsed<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Ok(true),
        "false" | "off" | "no" | "0" => Ok(false),
        other => Err(format!("`{other}` is neither true nor false")),
    }
}

/// One of these words, whatever their case.
pub fn word<T: Copy>(text: &str, words: &[(&str, T)]) -> Parsed<T> {
    let text = text.trim();
    words
        .iter()
        .find(|(word, _)| word.eq_ignore_ascii_case(text))
        .map(|(_, value)| *value)
        .ok_or_else(|| format!("`{text}` is none of the words that it can be"))
}

/// `500ms`, `30s`, `10m`, `2h`, or a plain number of seconds.
pub fn duration(text: &str) -> Parsed<Duration> {
    duration_with(text, Duration::from_secs(1))
}

/// `500ms`, `30s`, `10m`, `2h`, or a plain number of milliseconds, as the Java pool counts.
pub fn milliseconds(text: &str) -> Parsed<Duration> {
    duration_with(text, Duration::from_millis(1))
}

fn duration_with(text: &str, plain_unit: Duration) -> Parsed<Duration> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (count, unit) = text.split_at(digits);
    let unit = match unit.trim() {
        "" => Some(plain_unit),
        "ms" => Some(Duration::from_millis(1)),
        "s" => Some(Duration::from_secs(1)),
        "m" => Some(Duration::from_mins(1)),
        "h" => Some(Duration::from_hours(1)),
        _ => None,
    };
    let (Some(unit), Ok(count)) = (unit, count.parse::<u32>()) else {
        return Err(format!("`{text}` is not a length of time"));
    };
    unit.checked_mul(count).ok_or_else(|| format!("`{text}` is too long a time"))
}

/// A length of time of this range.
pub fn duration_in(text: &str, range: &RangeInclusive<Duration>) -> Parsed<Duration> {
    let value = duration(text)?;
    if range.contains(&value) { Ok(value) } else { Err(format!("`{}` is too short or too long", text.trim())) }
}

/// Comma-separated items, without blanks around them.
pub fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty())
}

/// Networks such as `10.0.0.0/8`; a plain address is a network of one.
pub fn networks(text: &str) -> Parsed<Vec<IpNet>> {
    list(text)
        .map(|item| {
            item.parse::<IpNet>()
                .or_else(|_| item.parse::<IpAddr>().map(IpNet::from))
                .map_err(|_| format!("`{item}` is neither a network nor an address"))
        })
        .collect()
}

/// Origins such as `https://console.example.org:8443`, in the form in which browsers send them.
pub fn origins(text: &str) -> Parsed<Vec<String>> {
    list(text).map(|item| origin(item).ok_or_else(|| format!("`{item}` is not an origin"))).collect()
}

fn origin(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    (bare && url.origin().is_tuple()).then(|| url.origin().ascii_serialization())
}

/// An address to listen on.
pub fn address(text: &str) -> Parsed<IpAddr> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(IpAddr::from([127, 0, 0, 1]));
    }
    text.trim_matches(['[', ']']).parse().map_err(|_| format!("`{text}` is not an IP address"))
}

/// `/a/b` without a slash at the end; the root is empty. The flag says that the leading slash was missing.
pub fn path(text: &str) -> Parsed<(String, bool)> {
    let text = text.trim();
    let inner = text.trim_matches('/');
    if inner.contains(|c: char| c.is_whitespace() || c.is_control() || "?#%\\{}<>\"".contains(c))
        || inner.split('/').any(|part| part == "..")
        || inner.contains("//")
    {
        return Err(format!("`{text}` is not a plain path"));
    }
    if inner.is_empty() { Ok((String::new(), false)) } else { Ok((format!("/{inner}"), !text.starts_with('/'))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_two_plain_forms() {
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(duration(" 10m "), Ok(Duration::from_mins(10)));
        assert_eq!(duration("2h"), Ok(Duration::from_hours(2)));
        assert_eq!(duration("45"), Ok(Duration::from_secs(45)));
        assert_eq!(milliseconds("45"), Ok(Duration::from_millis(45)));
        assert_eq!(milliseconds("45s"), Ok(Duration::from_secs(45)));
        for wrong in ["", "s", "1.5s", "-1s", "1d", "99999999999", "ä"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        let range = Duration::from_secs(10)..=Duration::from_mins(10);
        assert!(duration_in("9s", &range).is_err());
        assert!(duration_in("601", &range).is_err());
        assert_eq!(duration_in("600", &range), Ok(Duration::from_mins(10)));
    }

    #[test]
    fn paths_are_brought_into_one_form() {
        assert_eq!(path("/xxl-job-admin"), Ok(("/xxl-job-admin".into(), false)));
        assert_eq!(path("xxl/job/"), Ok(("/xxl/job".into(), true)));
        assert_eq!(path("/"), Ok((String::new(), false)));
        for wrong in ["/a b", "/a?b", "/../x", "/a//b", "/{x}"] {
            assert!(path(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn addresses_networks_and_origins() {
        assert_eq!(address("localhost"), Ok(IpAddr::from([127, 0, 0, 1])));
        assert_eq!(address("[::1]"), Ok(std::net::Ipv6Addr::LOCALHOST.into()));
        assert!(address("console.example.org").is_err());
        assert_eq!(networks("10.0.0.0/8, ::1").map(|all| all.len()), Ok(2));
        assert!(networks("10.0.0.0/33").is_err());
        assert_eq!(
            origins("https://A.example.org:443, http://b"),
            Ok(vec!["https://a.example.org".into(), "http://b".into()])
        );
        for wrong in ["*", "https://a/b", "a.example.org", "file:///x", "https://u@a"] {
            assert!(origins(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn words_numbers_and_booleans() {
        assert_eq!(boolean("ON"), Ok(true));
        assert_eq!(boolean("no"), Ok(false));
        assert!(boolean("maybe").is_err());
        assert_eq!(number::<u16>(" 8080 "), Ok(8080));
        assert!(number::<u16>("65536").is_err());
        assert!(number_in::<u32>("0", &(1..=5)).is_err());
        assert_eq!(word("Auto", &[("auto", 1), ("off", 2)]), Ok(1));
        assert!(word("x", &[("auto", 1)]).is_err());
    }
}
