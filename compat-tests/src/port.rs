//! Free ports for executors, which must be told theirs.
use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};

use anyhow::{Result, bail};

/// Below the range from which the system takes ports for outgoing connections.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// A port on the loopback address that nobody listens on; never the same one twice in a run.
///
/// # Errors
/// When all are taken.
pub fn free() -> Result<u16> {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    // Two runs at the same time start their search in different places.
    let offset = std::process::id() % u32::from(COUNT);
    for _ in 0..COUNT {
        let nth = u32::from(TAKEN.fetch_add(1, Ordering::Relaxed));
        let port = FIRST + u16::try_from((offset + nth) % u32::from(COUNT))?;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("no free port from {FIRST} on")
}
