//! CPU time and memory of a process, from `/proc`, and signals to it.

use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal, kill_process};

/// What a process has used.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// CPU time of all its threads, user and system.
    pub cpu: Duration,
    /// Resident memory in KiB.
    pub rss_kib: u64,
    /// The most it was, in KiB.
    pub peak_kib: u64,
}

impl Usage {
    /// Of the process with this id.
    ///
    /// # Errors
    /// When there is no such process.
    pub fn of(pid: u32) -> Result<Self> {
        let read = |name: &str| {
            std::fs::read_to_string(format!("/proc/{pid}/{name}")).with_context(|| format!("process {pid}"))
        };
        let ticks = cpu_ticks(&read("stat")?).with_context(|| format!("stat of process {pid}"))?;
        let status = read("status")?;
        Ok(Self {
            cpu: Duration::from_micros(ticks * 1_000_000 / rustix::param::clock_ticks_per_second()),
            rss_kib: kib(&status, "VmRSS:"),
            peak_kib: kib(&status, "VmHWM:"),
        })
    }

    /// CPU time used since `earlier`.
    pub fn cpu_since(&self, earlier: &Self) -> Duration {
        self.cpu.saturating_sub(earlier.cpu)
    }
}

/// utime + stime; the command's name before them may hold blanks and brackets.
fn cpu_ticks(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

fn kib(status: &str, key: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Sends a signal.
///
/// # Errors
/// When there is no such process or it belongs to somebody else.
pub fn signal(pid: u32, signal: Signal) -> Result<()> {
    let pid = Pid::from_raw(pid.cast_signed()).context("process id 0")?;
    Ok(kill_process(pid, signal)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_system_time_are_added() {
        let stat = "42 (a (b) c) S 1 42 42 0 -1 4194560 100 0 0 0 17 5 0 0 20 0 3 0 100 1000 200";
        assert_eq!(cpu_ticks(stat), Some(22));
        assert_eq!(cpu_ticks("42 (a) S 1"), None);
    }

    #[test]
    fn memory_is_read_by_name() {
        let status = "Name:\ta\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!((kib(status, "VmRSS:"), kib(status, "VmHWM:"), kib(status, "VmSwap:")), (1024, 2048, 0));
    }

    #[test]
    fn this_process_uses_something() {
        let started = std::time::Instant::now();
        let before = Usage::of(std::process::id()).unwrap();
        while started.elapsed() < Duration::from_millis(50) {
            std::hint::spin_loop();
        }
        let after = Usage::of(std::process::id()).unwrap();
        assert!(after.cpu_since(&before) >= Duration::from_millis(10));
        assert!(after.rss_kib > 0 && after.peak_kib >= after.rss_kib);
        assert!(Usage::of(u32::MAX / 2).is_err());
    }
}
