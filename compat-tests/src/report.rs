//! Runs named cases, prints how each went, and sums them up at the end.
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::Result;

/// Adds a line `kind<TAB>name` (of kind `executor` or `client`) to the file that `TEST_PARTICIPANTS` names, from which
/// the summary of all stages tells what took part; nothing without it.
///
/// # Errors
/// When the file cannot be written.
pub fn took_part(kind: &str, name: &str) -> Result<()> {
    if let Some(path) = std::env::var_os("TEST_PARTICIPANTS") {
        let mut file = std::fs::File::options().create(true).append(true).open(path)?;
        file.write_all(format!("{kind}\t{name}\n").as_bytes())?;
    }
    Ok(())
}

/// What came of the cases so far. A case is named `suite/case`.
#[derive(Default)]
pub struct Report {
    filters: Vec<String>,
    suites: Mutex<BTreeMap<String, Tally>>,
}

#[derive(Default)]
struct Tally {
    passed: u32,
    failed: Vec<String>,
}

impl Report {
    /// Only cases whose name contains one of `filters` are run; no filter = all.
    pub fn new(filters: Vec<String>) -> Self {
        Self { filters, suites: Mutex::default() }
    }

    /// Is any case of this suite wanted, as far as its name tells?
    pub fn wants(&self, suite: &str) -> bool {
        self.filters.is_empty()
            || self.filters.iter().any(|filter| suite.contains(filter.split('/').next().unwrap_or_default()))
    }

    /// Runs a case if it is wanted.
    pub async fn case(&self, suite: &str, case: &str, run: impl Future<Output = Result<()>>) {
        let name = format!("{suite}/{case}");
        if self.filters.is_empty() || self.filters.iter().any(|filter| name.contains(filter)) {
            self.needed(suite, case, run).await;
        }
    }

    /// Runs a case that others build on, wanted or not; gives what it made, or nothing if it failed.
    pub async fn needed<T>(&self, suite: &str, case: &str, run: impl Future<Output = Result<T>>) -> Option<T> {
        let begin = Instant::now();
        let outcome = run.await;
        let took = begin.elapsed().as_secs_f32();
        let mut suites = self.suites.lock().unwrap_or_else(PoisonError::into_inner);
        let tally = suites.entry(suite.to_owned()).or_default();
        match outcome {
            Ok(made) => {
                tally.passed += 1;
                println!("ok      {suite}/{case} ({took:.1} s)");
                Some(made)
            }
            Err(error) => {
                tally.failed.push(format!("{suite}/{case}: {error:#}"));
                println!("FAILED  {suite}/{case} ({took:.1} s): {error:#}");
                None
            }
        }
    }

    /// Notes that a whole suite ended early, e.g. by a panic.
    pub fn broke(&self, suite: &str, why: &anyhow::Error) {
        let mut suites = self.suites.lock().unwrap_or_else(PoisonError::into_inner);
        suites.entry(suite.to_owned()).or_default().failed.push(format!("{suite}: {why:#}"));
    }

    /// Prints the failures again, one line a suite, and the totals; says whether cases ran and none failed.
    pub fn finish(self) -> bool {
        let suites = self.suites.into_inner().unwrap_or_else(PoisonError::into_inner);
        let failures: Vec<&String> = suites.values().flat_map(|tally| &tally.failed).collect();
        if !failures.is_empty() {
            println!("\nfailures:");
            for failure in &failures {
                println!("  {failure}");
            }
        }
        println!("\nsummary:");
        for (suite, tally) in &suites {
            println!("  {suite:<20} {:>4} passed, {} failed", tally.passed, tally.failed.len());
        }
        let passed: u32 = suites.values().map(|tally| tally.passed).sum();
        println!("\n{passed} passed, {} failed", failures.len());
        failures.is_empty() && passed > 0
    }
}
