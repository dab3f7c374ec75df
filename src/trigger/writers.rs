//! The group commits through which triggers reach the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;

use crate::store::{GroupCommit, NewRun, NodeId, Store, TriggerResult, group_commit};

/// Items that may wait for a writer before callers wait in turn.
const QUEUE: usize = 20_000;
/// Items written at once.
const BATCH: usize = 1_000;

/// The callers' sides.
#[derive(Clone)]
pub struct Writers {
    /// Writes the row of a run; gives its id.
    pub runs: GroupCommit<NewRun, i64>,
    /// Takes a claimed run for its call; gives whether it still was ours.
    pub take: GroupCommit<i64, bool>,
    /// Writes what became of a trigger.
    pub results: GroupCommit<TriggerResult, ()>,
}

/// A writer at work; ends when every handle is gone.
pub type WriterTask = BoxFuture<'static, ()>;

/// The writers of a node. The tasks must be run for anything to be written.
pub fn writers(store: &Store, node: &NodeId, batches: Arc<AtomicU64>) -> (Writers, Vec<(&'static str, WriterTask)>) {
    let (runs, mut runs_task) = {
        let (store, node) = (store.clone(), node.clone());
        group_commit(QUEUE, BATCH, move |items: Vec<NewRun>| {
            let (store, node, batch) = (store.clone(), node.clone(), batches.fetch_add(1, Ordering::Relaxed));
            Box::pin(async move { store.insert_runs(&node, batch, &items).await })
        })
    };
    let (take, mut take_task) = {
        let (store, node) = (store.clone(), node.clone());
        group_commit(QUEUE, BATCH, move |ids: Vec<i64>| {
            let (store, node) = (store.clone(), node.clone());
            Box::pin(async move {
                let taken = store.take(&node, &ids).await?;
                Ok(ids.iter().map(|id| taken.contains(id)).collect())
            })
        })
    };
    let (results, mut results_task) = {
        let store = store.clone();
        group_commit(QUEUE, BATCH, move |items: Vec<TriggerResult>| {
            let store = store.clone();
            Box::pin(async move {
                store.save_trigger_results(&items).await?;
                Ok(vec![(); items.len()])
            })
        })
    };
    let tasks: Vec<(&'static str, WriterTask)> = vec![
        ("run writer", Box::pin(async move { runs_task.run().await })),
        ("claim taker", Box::pin(async move { take_task.run().await })),
        ("trigger result writer", Box::pin(async move { results_task.run().await })),
    ];
    (Writers { runs, take, results }, tasks)
}
