//! Calls that nobody would make, made up at random: nothing panics, nothing is answered with 5xx, and the program still
//! works afterwards. A failing call is reduced to its smallest form and printed.
//!
//! `FUZZ_SECONDS` is the time for each of the tests here (a few seconds unless set; `make fuzz` takes ten minutes).

mod console;
mod cron;
mod executors;
mod wire;

use std::time::{Duration, Instant};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use tokio::runtime::{Builder, Runtime};

/// Cases between two looks at the clock.
const ROUND: u32 = 64;

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

/// Tries cases until the time is up; gives how many.
fn try_all<S: Strategy>(strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) -> u64 {
    let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(3);
    let end = Instant::now() + Duration::from_secs(seconds);
    // A failure is printed whole, so nothing need be written to a file.
    let config = Config { cases: ROUND, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    let mut cases = 0;
    while Instant::now() < end {
        // A runner counts the cases of its whole life.
        let mut runner = TestRunner::new(config.clone());
        if let Err(failure) = runner.run(strategy, &test) {
            panic!("after {cases} cases: {failure}");
        }
        cases += u64::from(ROUND);
    }
    println!("{cases} cases in {seconds} s");
    cases
}
