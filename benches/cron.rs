//! Time of one `next_after` and of one `parse`, for the expressions that schedulers live on and for the dear ones.

use divan::{Bencher, black_box};
use jiff::tz::TimeZone;
use xxl_job_admin::clock::Zone;
use xxl_job_admin::config::CronFlavour;
use xxl_job_admin::cron::{Cron, Next};

const EXPRESSIONS: [&str; 10] = [
    "0/5 * * * * ?",
    "0 0/5 * * * ?",
    "0 0 2 * * ?",
    "0 30 9 ? * MON-FRI",
    "0 0 0 1 * ?",
    "0 0 0 29 2 ?",
    "0 0 0 L * ?",
    "0 15 10 15W * ?",
    "0 0 12 ? * 6#3",
    // Never comes.
    "0 0 0 30 2 ?",
];
/// 2026-12-01 04:32:53.121 in Shanghai.
const START: i64 = 1_796_070_773_121;
const MAX_YEAR: i32 = 2126;

fn main() {
    divan::main();
}

fn parsed(expr: &str) -> Cron {
    Cron::parse(expr, CronFlavour::V2_4, MAX_YEAR).unwrap_or_else(|error| panic!("{expr}: {error}"))
}

/// Walks from fire to fire, so that no two calls are alike.
fn next(bencher: Bencher, expr: &str, zone: &str) {
    let cron = parsed(expr);
    let tz = TimeZone::get(zone).unwrap_or_else(|error| panic!("{zone}: {error}"));
    let zone = Zone::new(zone, tz);
    let mut from = START;
    bencher.bench_local(|| {
        from = match black_box(&cron).next_after(&zone, black_box(from)) {
            Next::At(at) => at,
            Next::Never | Next::Empty => START,
        };
        from
    });
}

#[divan::bench(args = EXPRESSIONS)]
fn next_in_shanghai(bencher: Bencher, expr: &str) {
    next(bencher, expr, "Asia/Shanghai");
}

#[divan::bench(args = EXPRESSIONS)]
fn next_in_new_york(bencher: Bencher, expr: &str) {
    next(bencher, expr, "America/New_York");
}

#[divan::bench(args = EXPRESSIONS)]
fn parse(expr: &str) -> Cron {
    parsed(black_box(expr))
}
