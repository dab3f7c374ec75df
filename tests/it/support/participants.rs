//! The roll of what took part in a test run, for the summary at its end.

use std::fs::OpenOptions;
use std::io::Write as _;

/// Adds a line `kind<TAB>name` to the file that `TEST_PARTICIPANTS` names; nothing without it.
///
/// The tests that use a database or an executor say so themselves, so the summary cannot name one that was not there.
pub fn note(kind: &str, name: &str) {
    let Some(path) = std::env::var_os("TEST_PARTICIPANTS") else { return };
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("open the file of TEST_PARTICIPANTS");
    // One write a line: appends of several processes do not mix.
    file.write_all(format!("{kind}\t{name}\n").as_bytes()).expect("write to the file of TEST_PARTICIPANTS");
}
