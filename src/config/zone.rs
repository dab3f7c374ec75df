//! Names of time zones in all the forms in which sites have them: `TZ` as the JVM reads it, and the zone of a JDBC URL.
//!
//! Where the JVM falls back to GMT without a word on a name that it does not know, we refuse it: a scheduler that
//! silently runs eight hours off is worse than one that says why it does not start.

use std::path::Path;

use jiff::tz::{Offset, TimeZone};

use crate::clock::Zone;

/// The short names that Java knows beside the IANA list, each with what Java takes it for.
const JAVA_SHORT_NAMES: [(&str, &str); 25] = [
    ("ACT", "Australia/Darwin"),
    ("AET", "Australia/Sydney"),
    ("AGT", "America/Argentina/Buenos_Aires"),
    ("ART", "Africa/Cairo"),
    ("AST", "America/Anchorage"),
    ("BET", "America/Sao_Paulo"),
    ("BST", "Asia/Dhaka"),
    ("CAT", "Africa/Harare"),
    ("CNT", "America/St_Johns"),
    ("CST", "America/Chicago"),
    ("CTT", "Asia/Shanghai"),
    ("EAT", "Africa/Addis_Ababa"),
    ("ECT", "Europe/Paris"),
    ("IET", "America/Indiana/Indianapolis"),
    ("IST", "Asia/Kolkata"),
    ("JST", "Asia/Tokyo"),
    ("MIT", "Pacific/Apia"),
    ("NET", "Asia/Yerevan"),
    ("NST", "Pacific/Auckland"),
    ("PLT", "Asia/Karachi"),
    ("PNT", "America/Phoenix"),
    ("PRT", "America/Puerto_Rico"),
    ("PST", "America/Los_Angeles"),
    ("SST", "Pacific/Guadalcanal"),
    ("VST", "Asia/Ho_Chi_Minh"),
];

/// A name that no zone has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no time zone `{0}`")]
pub struct UnknownZone(pub String);

/// A zone as `TZ` or `-Duser.timezone` names it: an IANA name (`Asia/Shanghai`, `PRC`, `Etc/GMT-8`), a Java offset
/// east of Greenwich (`GMT+8`, `GMT+08:00`), or a POSIX name whose sign is reversed (`CST-8`, `UTC-8` are +08:00).
///
/// # Errors
/// The name when it is none of these.
pub fn parse_zone(name: &str) -> Result<Zone, UnknownZone> {
    let name = name.trim();
    // `TZ=:Asia/Shanghai` and `TZ=/usr/share/zoneinfo/Asia/Shanghai` are the same to the C library.
    let bare = name.strip_prefix(':').unwrap_or(name);
    let bare = bare.split_once("zoneinfo/").map_or(bare, |(_, inner)| inner);
    named(bare)
        .or_else(|| bare.strip_prefix("GMT").and_then(java_offset))
        .or_else(|| posix(bare))
        .map(|tz| Zone::new(bare, tz))
        .ok_or_else(|| UnknownZone(name.to_owned()))
}

/// A zone as `serverTimezone` or `connectionTimeZone` names it: as [`parse_zone`], but as Java's `ZoneId` reads it a
/// sign always counts east of Greenwich (`UTC+8`, `GMT+8` and `+08:00` are one), and there are no POSIX names.
///
/// # Errors
/// The name when it is none of these.
pub fn parse_zone_id(name: &str) -> Result<Zone, UnknownZone> {
    let name = name.trim();
    let offset = ["GMT", "UTC", "UT"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    named(name)
        .or_else(|| java_offset(offset))
        .map(|tz| Zone::new(name, tz))
        .ok_or_else(|| UnknownZone(name.to_owned()))
}

/// The zone of the machine: the link, the name file or the rules that the distribution keeps below this folder
/// (`/etc`); UTC when it has none.
pub fn system_zone(etc: &Path) -> Zone {
    let localtime = etc.join("localtime");
    let linked = std::fs::read_link(&localtime).ok().and_then(|target| {
        let target = target.to_string_lossy().into_owned();
        target.split_once("zoneinfo/").and_then(|(_, name)| parse_zone(name).ok())
    });
    linked
        .or_else(|| std::fs::read_to_string(etc.join("timezone")).ok().and_then(|name| parse_zone(&name).ok()))
        .or_else(|| {
            let rules = std::fs::read(&localtime).ok()?;
            TimeZone::tzif("localtime", &rules).ok().map(|tz| Zone::new("localtime", tz))
        })
        .unwrap_or_else(Zone::utc)
}

/// A name of the IANA list or one of Java's short ones, case as written there.
fn named(name: &str) -> Option<TimeZone> {
    match name {
        "UTC" | "GMT" | "UT" | "Z" => return Some(TimeZone::UTC),
        _ => {}
    }
    let name = JAVA_SHORT_NAMES.iter().find(|(short, _)| *short == name).map_or(name, |(_, full)| full);
    TimeZone::get(name).ok().filter(|tz| tz.iana_name() == Some(name))
}

/// `+8`, `-08`, `+0530` or `+05:30`, east of Greenwich, at most 23:59 as in Java.
fn java_offset(text: &str) -> Option<TimeZone> {
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) if minutes.len() == 2 => (hours, minutes),
        Some(_) => return None,
        None if digits.len() > 2 => digits.split_at_checked(digits.len() - 2)?,
        None => (digits, "0"),
    };
    fixed(sign, hours, minutes)
}

/// `CST-8` or `UTC-5:30`: a name of letters and an offset **west** of Greenwich. Names with summer time rules are left
/// to the IANA list, and `GMT` to [`java_offset`], where the sign counts the other way.
fn posix(text: &str) -> Option<TimeZone> {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (_, offset) = text.split_at_checked(letters).filter(|(name, _)| letters >= 3 && *name != "GMT")?;
    let (sign, digits) = match offset.split_at_checked(1)? {
        ("-", digits) => (1, digits),
        ("+", digits) => (-1, digits),
        _ => (-1, offset),
    };
    let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "0"));
    fixed(sign, hours, minutes)
}

fn fixed(sign: i32, hours: &str, minutes: &str) -> Option<TimeZone> {
    let count = |text: &str, below: i32| {
        let plain = !text.is_empty() && text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<i32>().ok().filter(|value| plain && *value < below)
    };
    let seconds = count(hours, 24)? * 3600 + count(minutes, 60)? * 60;
    Offset::from_seconds(sign * seconds).ok().map(TimeZone::fixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hours east of Greenwich on 2026-01-01.
    fn east(zone: &Zone) -> f64 {
        let at = jiff::Timestamp::from_second(1_767_225_600).expect("in range");
        f64::from(zone.tz().to_offset(at).seconds()) / 3600.0
    }

    #[test]
    fn every_form_of_tz_means_what_the_jvm_makes_of_it() {
        for (name, hours) in [
            ("Asia/Shanghai", 8.0),
            ("PRC", 8.0),
            (":PRC", 8.0),
            ("/usr/share/zoneinfo/Asia/Tokyo", 9.0),
            ("Etc/GMT-8", 8.0),
            ("Etc/GMT+8", -8.0),
            ("GMT+8", 8.0),
            ("GMT+08", 8.0),
            ("GMT+0800", 8.0),
            ("GMT+08:00", 8.0),
            ("GMT-5:30", -5.5),
            ("GMT", 0.0),
            ("GMT0", 0.0),
            ("UTC", 0.0),
            ("Z", 0.0),
            ("CST-8", 8.0),
            ("UTC-8", 8.0),
            ("UTC+8", -8.0),
            ("IST-5:30", 5.5),
            ("CST", -6.0),
            ("CTT", 8.0),
            ("EST", -5.0),
        ] {
            let zone = parse_zone(name).unwrap_or_else(|e| panic!("{e}"));
            assert!((east(&zone) - hours).abs() < 1e-9, "{name} is {}", east(&zone));
        }
    }

    #[test]
    fn every_form_of_a_zone_in_a_url_counts_east() {
        for (name, hours) in [
            ("Asia/Shanghai", 8.0),
            ("GMT+8", 8.0),
            ("UTC+8", 8.0),
            ("UTC-3", -3.0),
            ("+08:00", 8.0),
            ("-0330", -3.5),
            ("Etc/GMT-8", 8.0),
            ("CTT", 8.0),
            ("UTC", 0.0),
            ("UT", 0.0),
        ] {
            let zone = parse_zone_id(name).unwrap_or_else(|e| panic!("{e}"));
            assert!((east(&zone) - hours).abs() < 1e-9, "{name} is {}", east(&zone));
        }
    }

    #[test]
    fn what_is_no_zone_is_refused_instead_of_being_gmt() {
        for name in ["Asia/Beijing", "asia/shanghai", "", "8", "GMT+24", "GMT+8:5", "CST-", "CST-8CDT", "Ä-8", "GMT+"]
        {
            assert_eq!(parse_zone(name), Err(UnknownZone(name.into())), "{name}");
        }
        assert!(parse_zone_id("CST-8").is_err());
        assert!(parse_zone_id("").is_err());
    }

    #[test]
    fn the_machines_zone_is_a_link_a_name_or_rules() {
        let etc = tempfile::tempdir().expect("folder");
        assert_eq!(system_zone(etc.path()), Zone::utc());
        std::fs::write(etc.path().join("timezone"), "Asia/Tokyo\n").expect("file");
        assert_eq!(system_zone(etc.path()).name(), "Asia/Tokyo");
        std::os::unix::fs::symlink("/usr/share/zoneinfo/Europe/Paris", etc.path().join("localtime")).expect("link");
        assert_eq!(system_zone(etc.path()).name(), "Europe/Paris");
    }
}
