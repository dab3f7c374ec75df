//! Every row of `compat-tests/golden/cron/cases.tsv` in both flavours: what the Java admin answers, we answer.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use jiff::tz::TimeZone;
use xxl_job_admin::cli::next::{NextArgs, NextDefaults, run};
use xxl_job_admin::clock::Zone;
use xxl_job_admin::config::CronFlavour;
use xxl_job_admin::cron::{Cron, Next};

/// The table was recorded in 2026.
const MAX_YEAR: i32 = 2126;
/// Fires that a row lists at most.
const COUNT: usize = 12;
const ROWS: usize = 2_500;

/// What a row says of one flavour.
#[derive(Debug, PartialEq, Eq, Clone)]
enum Answer {
    /// The message.
    Refused(String),
    /// The column of instants.
    Fires(String),
}

struct Case {
    /// As in the table, in escapes.
    escaped: String,
    expr: String,
    zone: String,
    start_ms: i64,
    old: Answer,
    new: Answer,
}

impl Case {
    fn answer(&self, flavour: CronFlavour) -> &Answer {
        match flavour {
            CronFlavour::V2_4 => &self.old,
            CronFlavour::V3_4 => &self.new,
        }
    }
}

fn unescape(text: &str) -> String {
    let mut chars = text.chars();
    let mut plain = String::new();
    while let Some(c) = chars.next() {
        plain.push(match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('t')) => '\t',
            ('\\', Some('n')) => '\n',
            ('\\', Some('r')) => '\r',
            ('\\', Some('\\')) => '\\',
            ('\\', other) => panic!("unknown escape {other:?} in {text}"),
            (c, _) => c,
        });
    }
    plain
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("compat-tests/golden/cron/cases.tsv");
    let table = fs::read_to_string(path).expect("the golden table");
    let cases: Vec<Case> = table.lines().skip(1).map(case).collect();
    assert_eq!(cases.len(), ROWS);
    cases
}

fn case(line: &str) -> Case {
    let columns: Vec<&str> = line.split('\t').collect();
    let [expr, zone, start, valid, error, fires, same, valid_new, error_new, fires_new, _tag] = columns[..] else {
        panic!("not eleven columns: {line}");
    };
    let answer = |valid: &str, error: &str, fires: &str| match valid {
        "1" => Answer::Fires(fires.to_owned()),
        "0" => Answer::Refused(unescape(error)),
        _ => panic!("neither valid nor invalid: {line}"),
    };
    let old = answer(valid, error, fires);
    Case {
        escaped: expr.to_owned(),
        expr: unescape(expr),
        zone: zone.to_owned(),
        start_ms: start.parse().expect("a start"),
        new: if same == "1" { old.clone() } else { answer(valid_new, error_new, fires_new) },
        old,
    }
}

fn zone(name: &str) -> Option<Zone> {
    Some(Zone::new(name, TimeZone::get(name).ok()?))
}

/// Our answer, in the table's form.
fn ours(case: &Case, zone: &Zone, flavour: CronFlavour) -> Answer {
    let cron = match Cron::parse(&case.expr, flavour, MAX_YEAR) {
        Ok(cron) => cron,
        Err(error) => return Answer::Refused(error.to_string()),
    };
    let mut fires = Vec::new();
    let mut from = case.start_ms;
    while fires.len() < COUNT {
        match cron.next_after(zone, from) {
            Next::At(at) => {
                fires.push(at.to_string());
                from = at;
            }
            end => {
                fires.push(if end == Next::Never { "null" } else { "!empty" }.to_owned());
                break;
            }
        }
    }
    Answer::Fires(fires.join(","))
}

fn every_row_agrees(flavour: CronFlavour) {
    let mut zones = HashMap::new();
    let (mut agreeing, mut valid) = (0, 0);
    for case in cases() {
        let zone = zones.entry(case.zone.clone()).or_insert_with(|| zone(&case.zone).expect("an embedded zone"));
        let ours = ours(&case, zone, flavour);
        if ours == *case.answer(flavour) {
            agreeing += 1;
            valid += usize::from(matches!(ours, Answer::Fires(_)));
        } else {
            println!("{} [{} {}]\n  {:?}\n  {ours:?}", case.escaped, case.zone, case.start_ms, case.answer(flavour));
        }
    }
    println!("{flavour:?}: {agreeing} of {ROWS} rows agree ({valid} with fires, {} refused)", agreeing - valid);
    assert_eq!(agreeing, ROWS);
}

#[test]
fn every_row_agrees_as_in_2_4() {
    every_row_agrees(CronFlavour::V2_4);
}

#[test]
fn every_row_agrees_as_in_3_4() {
    every_row_agrees(CronFlavour::V3_4);
}

fn every_row_agrees_through_the_command(flavour: CronFlavour) {
    let cases = cases();
    let mut input = String::new();
    for case in &cases {
        writeln!(input, "{}\t{}\t{}", case.escaped, case.zone, case.start_ms).expect("a string takes all");
    }
    let args = NextArgs {
        stdin: true,
        count: COUNT,
        flavour: Some(flavour),
        max_year: Some(MAX_YEAR),
        expr: None,
        zone: None,
        from: None,
    };
    let defaults = NextDefaults { zone: Zone::utc(), flavour: CronFlavour::V2_4, now_ms: 0 };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = run(&args, &defaults, &zone, input.as_bytes(), &mut out, &mut err);
    assert_eq!((status, err.as_slice()), (0, &b""[..]));
    let out = String::from_utf8(out).expect("UTF-8");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), ROWS);
    let agreeing = cases.iter().zip(lines).filter(|(case, line)| {
        let theirs = match case.answer(flavour) {
            Answer::Fires(fires) => format!("1\t{fires}"),
            Answer::Refused(message) => format!("0\t{message}"),
        };
        let (valid, rest) = line.split_once('\t').expect("two columns");
        theirs == format!("{valid}\t{}", unescape(rest))
    });
    let agreeing = agreeing.count();
    println!("{flavour:?}: {agreeing} of {ROWS} rows agree through next --stdin");
    assert_eq!(agreeing, ROWS);
}

#[test]
fn every_row_agrees_through_next_stdin() {
    every_row_agrees_through_the_command(CronFlavour::V2_4);
    every_row_agrees_through_the_command(CronFlavour::V3_4);
}
