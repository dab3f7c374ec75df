//! `xxl-job-admin next`: the fire times of an expression, without a database.
//!
//! `--stdin` answers many expressions in the form of the compatibility table, so that another implementation can be held
//! against this one line by line.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};

use clap::Args;
use jiff::Timestamp;

use crate::clock::Zone;
use crate::config::CronFlavour;
use crate::cron::{Cron, Next};
use crate::model::EpochMs;

/// All is well, refused lines of `--stdin` included.
const DONE: u8 = 0;
/// The expression is refused or cannot be computed, or reading or writing failed.
const FAILED: u8 = 1;
/// An option is wrong.
const USAGE: u8 = 2;

/// Options of `next`.
#[derive(Debug, Clone, Args)]
pub struct NextArgs {
    /// Cron expression: second minute hour day month weekday, then a year if need be
    #[arg(value_name = "EXPR", required_unless_present = "stdin")]
    pub expr: Option<String>,
    /// Time zone [default: the zone of the process]
    #[arg(long, value_name = "ZONE", conflicts_with = "stdin")]
    pub zone: Option<String>,
    /// Start in milliseconds since the epoch, exclusive [default: now]
    #[arg(long, value_name = "MS", allow_negative_numbers = true, conflicts_with = "stdin")]
    pub from: Option<EpochMs>,
    /// Number of fires, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = parse_count)]
    pub count: usize,
    /// Grammar, 2.4 or 3.4 [default: compat.cron, else 2.4]
    #[arg(long, value_name = "FLAVOUR", value_parser = parse_flavour)]
    pub flavour: Option<CronFlavour>,
    /// Last year in which anything fires [default: this year + 100]
    #[arg(long, value_name = "YEAR")]
    pub max_year: Option<i32>,
    /// Read lines "expr TAB zone TAB start_ms" and answer each with one line
    #[arg(long, conflicts_with = "expr")]
    pub stdin: bool,
}

/// What holds where an option is not given.
#[derive(Debug, Clone)]
pub struct NextDefaults {
    /// Zone of the process.
    pub zone: Zone,
    /// Setting `compat.cron`, else 2.4.
    pub flavour: CronFlavour,
    /// Now, in milliseconds since the epoch.
    pub now_ms: EpochMs,
}

/// Runs the command; answers the exit status: 0 done, 1 bad expression or failed input or output, 2 bad option.
/// `resolve_zone` turns the name of a zone into the zone, as the settings do.
pub fn run(
    args: &NextArgs,
    defaults: &NextDefaults,
    resolve_zone: &dyn Fn(&str) -> Option<Zone>,
    stdin: impl BufRead,
    out: &mut impl Write,
    err: &mut impl Write,
) -> u8 {
    let this_year = i32::from(defaults.zone.wall(defaults.now_ms).year());
    let grammar = Grammar {
        flavour: args.flavour.unwrap_or(defaults.flavour),
        max_year: args.max_year.unwrap_or(this_year + 100),
        count: args.count,
    };
    let done = match &args.expr {
        Some(expr) => {
            let zone = match args.zone.as_deref().map(|name| (name, resolve_zone(name))) {
                None => defaults.zone.clone(),
                Some((_, Some(zone))) => zone,
                Some((name, None)) => return complain(err, &format!("unknown time zone: {name}"), USAGE),
            };
            grammar.list(expr, &zone, args.from.unwrap_or(defaults.now_ms), out)
        }
        None => grammar.answer_lines(resolve_zone, stdin, out).map(|()| None),
    };
    match done.and_then(|complaint| out.flush().map(|()| complaint)) {
        Ok(None) => DONE,
        Ok(Some(complaint)) => complain(err, &complaint, FAILED),
        Err(error) => complain(err, &format!("next: {error}"), FAILED),
    }
}

fn parse_count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=1_000).contains(count));
    count.ok_or_else(|| "must be a number from 1 to 1000".to_owned())
}

fn parse_flavour(text: &str) -> Result<CronFlavour, String> {
    CronFlavour::parse(text).ok_or_else(|| "must be 2.4 or 3.4".to_owned())
}

/// If even the complaint cannot be written, the exit status alone has to tell.
fn complain(err: &mut impl Write, complaint: &str, status: u8) -> u8 {
    let _ = writeln!(err, "{complaint}");
    status
}

/// How expressions are read, and how many fires are asked for.
struct Grammar {
    flavour: CronFlavour,
    max_year: i32,
    count: usize,
}

impl Grammar {
    /// One line a fire; answers a complaint if the expression is refused or cannot be computed.
    fn list(&self, expr: &str, zone: &Zone, from: EpochMs, out: &mut impl Write) -> io::Result<Option<String>> {
        let cron = match Cron::parse(expr, self.flavour, self.max_year) {
            Ok(cron) => cron,
            Err(refused) => return Ok(Some(refused.to_string())),
        };
        let mut from = from;
        for _ in 0..self.count {
            match cron.next_after(zone, from) {
                Next::At(at) => {
                    let wall =
                        Timestamp::from_millisecond(at).map_err(io::Error::other)?.to_zoned_datetime(zone.tz().clone());
                    writeln!(out, "{}", wall.strftime("%Y-%m-%d %H:%M:%S %:z"))?;
                    from = at;
                }
                Next::Never => break,
                Next::Empty => return Ok(Some("A field of the expression is empty: it can never be computed.".into())),
            }
        }
        Ok(None)
    }

    /// One line for each line of the input.
    fn answer_lines(
        &self,
        resolve_zone: &dyn Fn(&str) -> Option<Zone>,
        mut stdin: impl BufRead,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut line = Vec::new();
        while stdin.read_until(b'\n', &mut line)? > 0 {
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let answer = match str::from_utf8(text) {
                Ok(text) => self.answer(resolve_zone, text),
                Err(_) => Err("The line is not UTF-8.".to_owned()),
            };
            match answer {
                Ok(fires) => writeln!(out, "1\t{fires}")?,
                Err(message) => writeln!(out, "0\t{}", escape(&message))?,
            }
            line.clear();
        }
        Ok(())
    }

    /// The fires of one line, comma-joined, or what is wrong with it.
    fn answer(&self, resolve_zone: &dyn Fn(&str) -> Option<Zone>, line: &str) -> Result<String, String> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [expr, zone, start] = fields[..] else {
            return Err("A line has three fields: expression, zone and start.".to_owned());
        };
        let zone = resolve_zone(zone).ok_or_else(|| format!("Unknown time zone: {zone}"))?;
        let start = start.parse().map_err(|_| format!("The start is not a number of milliseconds: {start}"))?;
        let cron = Cron::parse(&unescape(expr), self.flavour, self.max_year).map_err(|error| error.to_string())?;
        Ok(self.join_fires(&cron, &zone, start))
    }

    fn join_fires(&self, cron: &Cron, zone: &Zone, start: EpochMs) -> String {
        let mut fires = String::new();
        let mut from = start;
        for index in 0..self.count {
            let comma = if index == 0 { "" } else { "," };
            let next = cron.next_after(zone, from);
            // Writing to a string cannot fail.
            let _ = match next {
                Next::At(at) => write!(fires, "{comma}{at}"),
                Next::Never => write!(fires, "{comma}null"),
                Next::Empty => write!(fires, "{comma}!empty"),
            };
            let Next::At(at) = next else { break };
            from = at;
        }
        fires
    }
}

/// Undoes [`escape`]; a backslash before any other character stands for itself.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = match chars.peek() {
            Some('t') if c == '\\' => Some('\t'),
            Some('n') if c == '\\' => Some('\n'),
            Some('r') if c == '\\' => Some('\r'),
            Some('\\') if c == '\\' => Some('\\'),
            _ => None,
        };
        if escaped.is_some() {
            chars.next();
        }
        plain.push(escaped.unwrap_or(c));
    }
    plain
}

/// Puts a text on one line without tabs.
fn escape(text: &str) -> String {
    text.replace('\\', r"\\").replace('\t', r"\t").replace('\n', r"\n").replace('\r', r"\r")
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use jiff::tz::TimeZone;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        next: NextArgs,
    }

    fn zone(name: &str) -> Option<Zone> {
        Some(Zone::new(name, TimeZone::get(name).ok()?))
    }

    /// Exit status, output and complaints of a command line.
    fn next(args: &[&str], stdin: &str) -> (u8, String, String) {
        let args = Command::try_parse_from(["next"].iter().chain(args)).map(|command| command.next);
        let args = match args {
            Ok(args) => args,
            Err(error) => return (error.exit_code() as u8, String::new(), error.to_string()),
        };
        let zone_of_process = zone("Asia/Shanghai").expect("embedded zone");
        let defaults = NextDefaults { zone: zone_of_process, flavour: CronFlavour::V2_4, now_ms: 1_796_070_773_121 };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let status = run(&args, &defaults, &zone, stdin.as_bytes(), &mut out, &mut err);
        (status, String::from_utf8(out).expect("UTF-8"), String::from_utf8(err).expect("UTF-8"))
    }

    #[test]
    fn a_fire_is_a_line_with_its_offset() {
        let out = "2026-12-02 02:00:00 +08:00\n2026-12-03 02:00:00 +08:00\n";
        assert_eq!(next(&["0 0 2 * * ?", "--count", "2"], ""), (0, out.into(), String::new()));
        let out = "2027-03-14 01:30:00 -05:00\n2027-03-14 03:30:00 -04:00\n";
        let args = ["0 30 * * * ?", "--zone=America/New_York", "--from=1805004000000", "--count=2"];
        assert_eq!(next(&args, ""), (0, out.into(), String::new()));
    }

    #[test]
    fn a_list_ends_with_the_expression_and_with_the_last_year() {
        assert_eq!(next(&["0 0 0 1 1 ? 2027"], "").1, "2027-01-01 00:00:00 +08:00\n");
        assert_eq!(next(&["0 0 0 1 1 ? 2016-2017"], ""), (0, String::new(), String::new()));
        assert_eq!(next(&["0 0 0 1 1 ?", "--count=1000"], "").1.lines().count(), 100);
        assert_eq!(next(&["0 0 0 1 1 ?", "--max-year=2028"], "").1.lines().count(), 2);
        assert_eq!(next(&["0 0 0 1 1 ?"], "").1.lines().count(), 5);
    }

    #[test]
    fn a_bad_expression_is_1_and_a_bad_option_is_2() {
        assert_eq!(next(&["0 0 25 * * ?"], ""), (1, String::new(), "Hour values must be between 0 and 23\n".into()));
        let (status, out, complaint) = next(&["0 , * * * ?"], "");
        assert_eq!((status, out.as_str()), (1, ""));
        assert!(complaint.contains("empty"), "{complaint}");
        assert_eq!(next(&["0 0 2 * * ?", "--zone=Asia/Beijing"], "").2, "unknown time zone: Asia/Beijing\n");
        let wrong: [&[&str]; 8] = [
            &["0 0 2 * * ?", "--zone=Asia/Beijing"],
            &["0 0 2 * * ?", "--count=0"],
            &["0 0 2 * * ?", "--count=1001"],
            &["0 0 2 * * ?", "--flavour=3.1"],
            &["0 0 2 * * ?", "--from=now"],
            &["0 0 2 * * ?", "--stdin"],
            &["--stdin", "--zone=UTC"],
            &[],
        ];
        for args in wrong {
            assert_eq!(next(args, "").0, 2, "{args:?}");
        }
    }

    #[test]
    fn each_line_of_the_input_gets_one_line() {
        let input = "0 0 0 1 1 ? 2027\tUTC\t0\n\
            0 0 0 30 2 ?\tUTC\t0\n\
            0 , * * * ?\tUTC\t0\n\
            0\\t0\\\\\tUTC\t0\n\
            0 0 0 1 1 ?\tAsia/Beijing\t0\n\
            0 0 0 1 1 ?\tUTC\t0\r\n\
            \n\
            0 0 0 1 1 ?\tUTC\t-1000";
        let (status, out, complaints) = next(&["--stdin", "--count", "2", "--max-year=2030"], input);
        let expected = "1\t1798761600000,null\n\
            1\tnull\n\
            1\t!empty\n\
            0\tUnexpected end of expression.\n\
            0\tUnknown time zone: Asia/Beijing\n\
            0\tThe start is not a number of milliseconds: 0\\r\n\
            0\tA line has three fields: expression, zone and start.\n\
            1\t0,31536000000\n";
        assert_eq!((status, out.as_str(), complaints.as_str()), (0, expected, ""));
    }

    #[test]
    fn messages_stay_on_their_line() {
        assert_eq!(next(&["--stdin"], "\\nX\tUTC\t0\n5,\\n5 * * * * ?\tUTC\t0").1.lines().nth(1), {
            Some("0\tUnexpected character: \\n")
        });
        assert_eq!(unescape(&escape("a\\\t\n\r\\t")), "a\\\t\n\r\\t");
        assert_eq!(unescape("\\x\\"), "\\x\\");
    }
}
