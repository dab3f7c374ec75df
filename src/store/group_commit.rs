//! Group commit: callers hand in items, one task writes all that have gathered in one go, everybody waits for the write
//! that holds his item. While the writer is idle an item is written at once; under load the batches grow by themselves.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use super::error::{Error, Result};

/// Writes a batch: the results come in the order of the items.
type Write<T, R> = Arc<dyn Fn(Vec<T>) -> BoxFuture<'static, Result<Vec<R>>> + Send + Sync>;

/// How often a batch that met a lock is tried again before its callers hear of it.
const LOCK_RETRIES: usize = 5;

struct Pending<T, R> {
    item: T,
    done: oneshot::Sender<Result<R>>,
}

/// The callers' side.
pub struct GroupCommit<T, R> {
    queue: mpsc::Sender<Pending<T, R>>,
}

impl<T, R> Clone for GroupCommit<T, R> {
    fn clone(&self) -> Self {
        Self { queue: self.queue.clone() }
    }
}

impl<T, R> GroupCommit<T, R> {
    /// Hands in an item and waits until the batch with it is committed. Waits too while the queue is full.
    ///
    /// # Errors
    /// The batch's error; an item that the database refuses fails alone.
    pub async fn submit(&self, item: T) -> Result<R> {
        let (done, answer) = oneshot::channel();
        let stopped = || Error::Unavailable("the writer has stopped".into());
        self.queue.send(Pending { item, done }).await.map_err(|_| stopped())?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Items that wait.
    pub fn waiting(&self) -> usize {
        self.queue.max_capacity() - self.queue.capacity()
    }
}

/// The writer's side; somebody must [`run`](GroupCommitTask::run) it.
pub struct GroupCommitTask<T, R> {
    queue: mpsc::Receiver<Pending<T, R>>,
    write: Write<T, R>,
    batch: usize,
}

/// A queue of at most `capacity` items and the task that writes up to `batch` of them at a time.
pub fn group_commit<T, R>(
    capacity: usize,
    batch: usize,
    write: impl Fn(Vec<T>) -> BoxFuture<'static, Result<Vec<R>>> + Send + Sync + 'static,
) -> (GroupCommit<T, R>, GroupCommitTask<T, R>)
where
    T: Clone + Send + 'static,
    R: Send + 'static,
{
    let (sender, queue) = mpsc::channel(capacity);
    (GroupCommit { queue: sender }, GroupCommitTask { queue, write: Arc::new(write), batch })
}

impl<T: Clone + Send + 'static, R: Send + 'static> GroupCommitTask<T, R> {
    /// Writes until every handle is gone and the queue is empty.
    pub async fn run(&mut self) {
        let mut pending = Vec::new();
        while self.queue.recv_many(&mut pending, self.batch).await > 0 {
            let batch = AssertUnwindSafe(self.commit(std::mem::take(&mut pending)));
            if batch.catch_unwind().await.is_err() {
                // Its callers hear that the writer has stopped, and try again.
                tracing::error!("a writer panicked over a batch and goes on");
            }
        }
    }

    async fn commit(&self, pending: Vec<Pending<T, R>>) {
        let (items, done): (Vec<T>, Vec<_>) = pending.into_iter().map(|p| (p.item, p.done)).unzip();
        match self.write_through_locks(items.clone()).await {
            Ok(results) => {
                for (done, result) in done.into_iter().zip(results) {
                    // A caller that no longer waits is no loss: its item is written.
                    let _ = done.send(Ok(result));
                }
            }
            Err(Error::Refused(_) | Error::Conflict(_)) if items.len() > 1 => self.commit_singly(items, done).await,
            Err(error) => {
                let text = error.to_string();
                for done in done {
                    let _ = done.send(Err(again(&error, &text)));
                }
            }
        }
    }

    /// One bad item must not take the others with it.
    async fn commit_singly(&self, items: Vec<T>, done: Vec<oneshot::Sender<Result<R>>>) {
        for (item, done) in items.into_iter().zip(done) {
            let result = self.write_through_locks(vec![item]).await;
            let result = result.and_then(|mut results| {
                results.pop().ok_or_else(|| Error::Refused("the database gave no result for the row".into()))
            });
            let _ = done.send(result);
        }
    }

    async fn write_through_locks(&self, items: Vec<T>) -> Result<Vec<R>> {
        let mut tries = 0;
        loop {
            match (self.write)(items.clone()).await {
                Err(Error::Locked(text)) if tries < LOCK_RETRIES => {
                    tries += 1;
                    tracing::debug!(tries, "a batch met a lock and is tried again: {text}");
                }
                result => return result,
            }
        }
    }
}

/// The same error once more, for the next caller.
fn again(error: &Error, text: &str) -> Error {
    match error {
        Error::Unavailable(text) => Error::Unavailable(text.clone()),
        Error::Locked(text) => Error::Locked(text.clone()),
        Error::Conflict(text) => Error::Conflict(text.clone()),
        Error::Schema(text) => Error::Schema(text.clone()),
        Error::TooLong { column, limit } => Error::TooLong { column, limit: limit.clone() },
        Error::Refused(_) => Error::Refused(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[tokio::test]
    async fn items_that_wait_are_written_together_and_a_bad_one_fails_alone() {
        let batches = Arc::new(Mutex::new(Vec::new()));
        let seen = batches.clone();
        let (commit, mut task) = group_commit(100, 100, move |items: Vec<i32>| {
            seen.lock().unwrap().push(items.len());
            Box::pin(async move {
                if items.contains(&13) {
                    return Err(Error::Refused("13".into()));
                }
                Ok(items.into_iter().map(|item| item * 2).collect())
            })
        });
        let calls = [1, 2, 13, 4].map(|item| {
            let commit = commit.clone();
            tokio::spawn(async move { commit.submit(item).await })
        });
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        drop(commit);
        task.run().await;
        let mut results = Vec::new();
        for call in calls {
            results.push(call.await.unwrap().ok());
        }
        assert_eq!(results, [Some(2), Some(4), None, Some(8)]);
        assert_eq!(*batches.lock().unwrap(), [4, 1, 1, 1, 1]);
    }
}
