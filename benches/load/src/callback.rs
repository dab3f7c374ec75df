//! Results go back as executors send them: every sender posts what is waiting, up to a batch, and waits for the
//! answer; a batch that was not accepted is sent again later, whole.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::time::Instant;
use url::Url;

use crate::client::Client;

/// How results are sent.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Base address of the admin, context path included.
    pub admin: Url,
    /// Access token.
    pub token: String,
    /// Senders at work at the same time.
    pub senders: usize,
    /// Most results in one request.
    pub batch: usize,
    /// Wait before a refused batch is sent again.
    pub retry_after: Duration,
}

/// The result of a run.
#[derive(Debug, Clone, Copy)]
pub struct Finished {
    /// Log id.
    pub log: u64,
    /// Trigger time as it came with the run, in ms.
    pub log_time: u64,
}

/// Counters of results.
#[derive(Debug, Default)]
pub struct Tally {
    requests: AtomicU64,
    accepted: AtomicU64,
    refused: AtomicU64,
}

/// What the counters showed at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Requests sent.
    pub requests: u64,
    /// Results accepted.
    pub accepted: u64,
    /// Results refused or unanswered, each try counted.
    pub refused: u64,
}

impl Tally {
    /// The counters now.
    pub fn read(&self) -> Count {
        Count {
            requests: self.requests.load(Ordering::Relaxed),
            accepted: self.accepted.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
        }
    }
}

/// Results that wait to be sent, each until its run is over.
#[derive(Debug, Default)]
pub struct Outbox {
    // All runs take equally long, so this order is also the order of their ends.
    waiting: Mutex<VecDeque<(Instant, Finished)>>,
    filled: Notify,
}

impl Outbox {
    /// Puts a result in, to be sent from `ready` on.
    pub fn put(&self, ready: Instant, finished: Finished) {
        self.lock().push_back((ready, finished));
        self.filled.notify_one();
    }

    /// Puts a refused batch back, in front.
    fn put_back(&self, batch: Vec<Finished>) {
        let now = Instant::now();
        let mut waiting = self.lock();
        for finished in batch.into_iter().rev() {
            waiting.push_front((now, finished));
        }
        drop(waiting);
        self.filled.notify_one();
    }

    /// How many results wait.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Waits for results and takes up to `most` that are ready.
    async fn take(&self, most: usize) -> Vec<Finished> {
        loop {
            let next = match self.take_ready(most) {
                Ok(batch) => return batch,
                Err(next) => next,
            };
            match next {
                None => self.filled.notified().await,
                Some(ready) => tokio::time::sleep_until(ready).await,
            }
        }
    }

    /// Takes what is ready, or says when the next result will be.
    fn take_ready(&self, most: usize) -> Result<Vec<Finished>, Option<Instant>> {
        let mut waiting = self.lock();
        let now = Instant::now();
        let ready = waiting.iter().take(most).take_while(|(ready, _)| *ready <= now).count();
        if ready == 0 {
            return Err(waiting.front().map(|(ready, _)| *ready));
        }
        let batch = waiting.drain(..ready).map(|(_, finished)| finished).collect();
        if !waiting.is_empty() {
            self.filled.notify_one();
        }
        Ok(batch)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<(Instant, Finished)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts the senders on the current runtime.
///
/// # Errors
/// When the token cannot be sent.
pub fn start_senders(settings: &Settings, outbox: &Arc<Outbox>, tally: &Arc<Tally>) -> Result<()> {
    for _ in 0..settings.senders {
        let client = Client::new(&settings.admin, &settings.token)?;
        tokio::spawn(send(client, settings.clone(), Arc::clone(outbox), Arc::clone(tally)));
    }
    Ok(())
}

async fn send(mut client: Client, settings: Settings, outbox: Arc<Outbox>, tally: Arc<Tally>) {
    loop {
        let batch = outbox.take(settings.batch).await;
        tally.requests.fetch_add(1, Ordering::Relaxed);
        let answer = client.post("api/callback", body(&batch)).await;
        if answer.is_ok_and(|(status, json)| status == 200 && accepted(&json)) {
            tally.accepted.fetch_add(batch.len() as u64, Ordering::Relaxed);
            continue;
        }
        tally.refused.fetch_add(batch.len() as u64, Ordering::Relaxed);
        let outbox = Arc::clone(&outbox);
        tokio::spawn(async move {
            tokio::time::sleep(settings.retry_after).await;
            outbox.put_back(batch);
        });
    }
}

fn body(batch: &[Finished]) -> Bytes {
    let mut json = String::with_capacity(batch.len() * 64 + 2);
    for (index, Finished { log, log_time }) in batch.iter().enumerate() {
        json.push(if index == 0 { '[' } else { ',' });
        // Writing to a string cannot fail.
        write!(json, r#"{{"logId":{log},"logDateTim":{log_time},"handleCode":200}}"#).ok();
    }
    json.push(']');
    json.into()
}

fn accepted(json: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Answer {
        code: i32,
    }
    serde_json::from_slice::<Answer>(json).is_ok_and(|answer| answer.code == 200)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(log: u64) -> Finished {
        Finished { log, log_time: 5 }
    }

    #[tokio::test(start_paused = true)]
    async fn results_leave_in_batches_once_their_run_is_over() {
        let outbox = Outbox::default();
        let start = Instant::now();
        for (log, seconds) in [(1, 0), (2, 0), (3, 0), (4, 7)] {
            outbox.put(start + Duration::from_secs(seconds), finished(log));
        }
        let logs = |batch: Vec<Finished>| batch.iter().map(|f| f.log).collect::<Vec<_>>();
        assert_eq!(logs(outbox.take(2).await), [1, 2]);
        assert_eq!(logs(outbox.take(2).await), [3]);
        assert_eq!(start.elapsed(), Duration::ZERO);
        outbox.put_back(vec![finished(8), finished(9)]);
        assert_eq!(logs(outbox.take(9).await), [8, 9]);
        assert_eq!(logs(outbox.take(9).await), [4]);
        assert_eq!(start.elapsed().as_secs(), 7);
        assert_eq!(outbox.len(), 0);
    }

    #[test]
    fn the_body_is_the_array_that_executors_send() {
        let json = body(&[finished(7), finished(8)]);
        assert_eq!(
            json,
            r#"[{"logId":7,"logDateTim":5,"handleCode":200},{"logId":8,"logDateTim":5,"handleCode":200}]"#
        );
    }

    #[test]
    fn only_code_200_is_success() {
        assert!(accepted(br#"{"code":200,"msg":null,"content":null}"#));
        assert!(!accepted(br#"{"code":500,"msg":"no"}"#));
        assert!(!accepted(b"<html>"));
    }
}
