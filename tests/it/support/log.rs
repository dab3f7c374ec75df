//! What the program logs, of all tests of this process together.
//!
//! One subscriber for all threads: one a test would have to fight with the others over whether a log line is wanted at
//! all. A test looks for lines that name something of its own.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn lines() -> MutexGuard<'static, Vec<u8>> {
    LINES.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Writer;

impl std::io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        lines().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Begins to keep what is logged, if that has not begun yet.
pub fn keep() {
    static KEPT: OnceLock<()> = OnceLock::new();
    KEPT.get_or_init(|| {
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(|| Writer).finish();
        tracing::subscriber::set_global_default(subscriber).expect("nobody else sets one");
    });
}

/// The lines kept so far that contain this text.
pub fn lines_with(text: &str) -> String {
    let all = String::from_utf8_lossy(&lines()).into_owned();
    all.lines().filter(|line| line.contains(text)).collect::<Vec<_>>().join("\n")
}

/// Everything kept so far.
pub fn all() -> String {
    String::from_utf8_lossy(&lines()).into_owned()
}
