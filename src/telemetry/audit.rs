//! The file of the setting `audit.file`: a JSON object a line for each line of the target `audit`.
//!
//! Lines are written by a thread of their own, so that a slow disk holds nobody up. What cannot be written is counted in
//! `xxl_audit_lines_lost_total` and told: in the log, and in the file as soon as it takes lines again. A file that has been
//! moved away or removed is made anew within a second.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

use crate::clock::{Clock as _, SystemClock};

/// Target of the lines that are written.
pub const TARGET: &str = "audit";
/// Counter of lines that could not be written.
pub const LOST: &str = "xxl_audit_lines_lost_total";

/// Lines that wait to be written; more are lost.
const QUEUE: usize = 65_536;
/// How often it is looked whether the file is still in its place.
const LOOK: Duration = Duration::from_secs(1);

enum Order {
    Write(String),
    Stop,
}

/// Hands audit lines to the thread that writes them.
pub struct AuditLayer {
    orders: SyncSender<Order>,
    lost: Arc<AtomicU64>,
}

/// Writes out what waits when it is dropped.
pub struct Guard {
    orders: SyncSender<Order>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Fails only when the thread has ended.
        let _ = self.orders.send(Order::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Opens the file and starts the thread.
///
/// # Errors
/// When the file cannot be opened.
pub fn start(path: &Path) -> io::Result<(AuditLayer, Guard)> {
    start_with(path, QUEUE)
}

fn start_with(path: &Path, queue: usize) -> io::Result<(AuditLayer, Guard)> {
    let (orders, received) = sync_channel(queue);
    let lost = Arc::new(AtomicU64::new(0));
    let writer = Writer { file: Some(open(path)?), path: path.to_owned(), looked: Instant::now(), lost: lost.clone() };
    let thread = std::thread::Builder::new().name("audit file".into()).spawn(move || writer.run(&received))?;
    Ok((AuditLayer { orders: orders.clone(), lost }, Guard { orders, thread: Some(thread) }))
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

impl AuditLayer {
    fn hand_in(&self, line: String) {
        if self.orders.try_send(Order::Write(line)).is_err() {
            count_lost(&self.lost);
        }
    }
}

fn count_lost(lost: &AtomicU64) {
    lost.fetch_add(1, Ordering::Relaxed);
    metrics::counter!(LOST).increment(1);
}

impl<S: Subscriber> Layer<S> for AuditLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == TARGET {
            self.hand_in(line(event));
        }
    }
}

/// The line of an event. JSON has no line breaks in its texts, so nobody's name can end the line.
fn line(event: &Event<'_>) -> String {
    let mut fields = Fields(Map::new());
    fields.0.insert("time".into(), now().into());
    event.record(&mut fields);
    Value::Object(fields.0).to_string()
}

fn now() -> String {
    Timestamp::from_millisecond(SystemClock.now_ms()).map(|time| time.to_string()).unwrap_or_default()
}

struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().into(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().into(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().into(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name().into(), format!("{value:?}").into());
    }
}

struct Writer {
    path: PathBuf,
    /// None after it could not be opened.
    file: Option<File>,
    looked: Instant,
    lost: Arc<AtomicU64>,
}

impl Writer {
    fn run(mut self, orders: &Receiver<Order>) {
        loop {
            match orders.recv_timeout(LOOK) {
                Ok(Order::Write(line)) => {
                    self.look();
                    self.tell_lost();
                    self.write(line);
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.look();
                    self.tell_lost();
                }
                Ok(Order::Stop) | Err(RecvTimeoutError::Disconnected) => return self.tell_lost(),
            }
        }
    }

    /// Opens the file anew when it is no longer the one in its place.
    fn look(&mut self) {
        if self.looked.elapsed() < LOOK {
            return;
        }
        self.looked = Instant::now();
        let place = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let held = self.file.as_ref().and_then(|file| file.metadata().ok()).map(place);
        if held.is_none() || std::fs::metadata(&self.path).ok().map(place) != held {
            match open(&self.path) {
                Ok(file) => self.file = Some(file),
                Err(error) => tracing::error!(path = %self.path.display(), "the audit file cannot be opened: {error}"),
            }
        }
    }

    fn write(&mut self, mut line: String) {
        line.push('\n');
        let written = match &mut self.file {
            Some(file) => file.write_all(line.as_bytes()),
            None => Err(io::Error::other("the file is not open")),
        };
        if let Err(error) = written {
            if self.file.take().is_some() {
                tracing::error!(path = %self.path.display(), "the audit file cannot be written: {error}");
            }
            count_lost(&self.lost);
        }
    }

    /// Says in the file how many lines are missing from it.
    fn tell_lost(&mut self) {
        let lost = self.lost.load(Ordering::Relaxed);
        let Some(file) = self.file.as_mut().filter(|_| lost > 0) else { return };
        let line = json!({"time": now(), "action": "audit lines lost", "lines": lost}).to_string() + "\n";
        if file.write_all(line.as_bytes()).is_ok() {
            self.lost.fetch_sub(lost, Ordering::Relaxed);
            tracing::error!(lines = lost, "lines are missing from the audit file");
        }
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    fn lines(path: &Path) -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn audit(what: &str) {
        tracing::info!(target: "audit", user = "eve\n\"", from = "192.0.2.1", action = "login", what);
    }

    #[test]
    fn audit_lines_alone_are_written_and_nobody_forges_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.json");
        std::fs::write(&path, "{\"what\":\"before\"}\n").unwrap();
        let (layer, guard) = start(&path).unwrap();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            audit("a\r\n{\"user\":\"admin\"}");
            tracing::info!("something else");
            tracing::info!(target: "audit", job = 7, "by {}", "message");
        });
        drop(guard);
        let lines = lines(&path);
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0]["what"], "before");
        assert_eq!(lines[1]["what"], "a\r\n{\"user\":\"admin\"}");
        assert_eq!(
            (&lines[1]["user"], &lines[1]["from"], &lines[1]["action"]),
            (&json!("eve\n\""), &json!("192.0.2.1"), &json!("login"))
        );
        assert!(lines[1]["time"].as_str().unwrap().parse::<Timestamp>().is_ok());
        assert_eq!((&lines[2]["job"], &lines[2]["message"]), (&json!(7), &json!("by message")));
    }

    fn writer(path: &Path) -> Writer {
        let looked = Instant::now().checked_sub(LOOK).unwrap();
        Writer { file: Some(open(path).unwrap()), path: path.to_owned(), looked, lost: Arc::default() }
    }

    #[test]
    fn a_file_that_was_moved_away_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (path, moved) = (folder.path().join("audit.json"), folder.path().join("audit.json.1"));
        let mut writer = writer(&path);
        writer.write("{\"n\":1}".into());
        std::fs::rename(&path, &moved).unwrap();
        writer.look();
        writer.write("{\"n\":2}".into());
        assert_eq!((lines(&moved), lines(&path)), (vec![json!({"n": 1})], vec![json!({"n": 2})]));
    }

    #[test]
    fn lost_lines_are_counted_and_told_once_the_file_takes_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.json");
        let mut writer = writer(&path);
        writer.file = None;
        writer.write("{}".into());
        writer.write("{}".into());
        writer.look();
        writer.tell_lost();
        writer.write("{\"n\":3}".into());
        writer.tell_lost();
        let lines = lines(&path);
        assert_eq!(lines.len(), 2);
        assert_eq!((&lines[0]["lines"], &lines[1]["n"]), (&json!(2), &json!(3)));
    }

    #[test]
    fn what_a_full_queue_does_not_take_is_lost_and_counted() {
        let (orders, received) = sync_channel(1);
        let layer = AuditLayer { orders, lost: Arc::default() };
        layer.hand_in("{}".into());
        layer.hand_in("{}".into());
        assert_eq!(layer.lost.load(Ordering::Relaxed), 1);
        assert!(matches!(received.try_recv(), Ok(Order::Write(_))));
    }

    #[test]
    fn a_file_that_cannot_be_opened_is_told_at_start() {
        let folder = tempfile::tempdir().unwrap();
        assert!(start(&folder.path().join("none/audit.json")).is_err());
    }
}
