//! Cron expressions: whatever the text, it is refused or its times rise.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use xxl_job_admin::clock::Zone;
use xxl_job_admin::config::CronFlavour;
use xxl_job_admin::cron::{Cron, Next};

use super::try_all;

fn expression() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        8 => "[0-9*?/,LW#-]{1,8}",
        2 => prop::sample::select(vec!["MON", "SUN-SAT", "JAN", "FEB-DEC/2", "6#3", "LW", "L-3", "15W", "*/5"]).prop_map(str::to_owned),
        1 => "[^ ]{0,6}",
    ];
    prop_oneof![
        8 => prop::collection::vec(field, 5..8).prop_map(|fields| fields.join(" ")),
        1 => ".{0,60}",
    ]
}

#[test]
fn no_expression_breaks_the_clock() {
    let flavour = prop::sample::select(vec![CronFlavour::V2_4, CronFlavour::V3_4]);
    let start = 0i64..4_102_444_800_000;
    let cases = try_all(&(expression(), flavour, start), |(text, flavour, start)| {
        let Ok(cron) = Cron::parse(&text, flavour, 2126) else { return Ok(()) };
        let mut at = start;
        for _ in 0..3 {
            match cron.next_after(&Zone::utc(), at) {
                Next::At(next) if next > at => at = next,
                Next::At(next) => return Err(TestCaseError::fail(format!("{next} is not after {at}"))),
                _ => break,
            }
        }
        Ok(())
    });
    assert!(cases > 0);
}
