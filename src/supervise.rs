//! Long-lived tasks: whoever panics or ends early is said, counted and started again.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Runs a task until its token is cancelled and it has ended.
pub fn supervise<F>(name: &'static str, token: CancellationToken, mut start: impl FnMut() -> F + Send + 'static) -> Task
where
    F: Future<Output = ()> + Send + 'static,
{
    let stop = token.clone();
    let handle = tokio::spawn(async move {
        let mut pause = FIRST_PAUSE;
        loop {
            let panicked = AssertUnwindSafe(start()).catch_unwind().await.is_err();
            if token.is_cancelled() && !panicked {
                return;
            }
            metrics::counter!("xxl_task_restarts_total", "task" => name).increment(1);
            let how = if panicked { "panicked" } else { "ended early" };
            tracing::error!(task = name, "a task {how} and is started again");
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    });
    Task { name, stop, handle }
}

/// A task under supervision.
pub struct Task {
    name: &'static str,
    stop: CancellationToken,
    handle: JoinHandle<()>,
}

impl Task {
    /// Tells the task to stop and waits until it has, but no longer than `patience`.
    pub async fn stop(mut self, patience: Duration) {
        self.stop.cancel();
        if tokio::time::timeout(patience, &mut self.handle).await.is_err() {
            tracing::warn!(task = self.name, "a task did not stop in time and is given up");
            self.handle.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_is_started_again_until_it_is_told_to_stop() {
        let starts = Arc::new(AtomicU32::new(0));
        let token = CancellationToken::new();
        let task = supervise("test", token.clone(), {
            let (starts, token) = (starts.clone(), token.clone());
            move || {
                let (starts, token) = (starts.clone(), token.clone());
                async move {
                    assert!(starts.fetch_add(1, Ordering::Relaxed) > 1, "once more");
                    token.cancelled().await;
                }
            }
        });
        while starts.load(Ordering::Relaxed) < 3 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        task.stop(Duration::from_secs(1)).await;
        assert_eq!(starts.load(Ordering::Relaxed), 3);
    }
}
