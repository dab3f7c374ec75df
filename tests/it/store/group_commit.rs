//! Group commit over real tables.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::task::JoinSet;
use xxl_job_admin::store::{Error, NewRun, NodeId, group_commit};

use super::base::{Base, new_run};
use crate::support::db::Engine;

conformance!(callers_get_the_ids_of_their_own_rows, a_row_that_the_database_refuses_fails_alone);

/// Submits the runs at once, each by a caller of its own; what each heard, in the order of the runs.
async fn submit(base: &Base, runs: Vec<NewRun>) -> Vec<Result<i64, Error>> {
    let (store, node, batch) = (base.store.clone(), NodeId::random(), Arc::new(AtomicU64::new(0)));
    let (commit, mut task) = group_commit(10, 100, move |runs: Vec<NewRun>| {
        let (store, node, batch) = (store.clone(), node.clone(), batch.fetch_add(1, Ordering::Relaxed));
        Box::pin(async move { store.insert_runs(&node, batch, &runs).await })
    });
    let mut calls = JoinSet::new();
    for (place, run) in runs.into_iter().enumerate() {
        let commit = commit.clone();
        calls.spawn(async move { (place, commit.submit(run).await) });
    }
    drop(commit);
    let (heard, ()) = tokio::join!(calls.join_all(), task.run());
    let mut heard = heard;
    heard.sort_by_key(|(place, _)| *place);
    heard.into_iter().map(|(_, result)| result).collect()
}

async fn callers_get_the_ids_of_their_own_rows(base: &Base) {
    let runs = (1..=250).map(|job_id| NewRun { job_id, ..new_run() }).collect();
    for (place, id) in submit(base, runs).await.into_iter().enumerate() {
        assert_eq!(base.log(id.expect("written")).await.job_id, place as i32 + 1);
    }
    assert_eq!(base.count("xxl_job_log").await, 250);
}

async fn a_row_that_the_database_refuses_fails_alone(base: &Base) {
    // A rule of the table's own, in the words of each engine.
    base.sql(match base.db.engine() {
        Engine::Sqlite => {
            "CREATE TRIGGER no_13 BEFORE INSERT ON xxl_job_log WHEN NEW.job_id = 13 \
             BEGIN SELECT RAISE(ABORT, 'no 13'); END"
        }
        Engine::MariaDb | Engine::Postgres => "ALTER TABLE xxl_job_log ADD CONSTRAINT no_13 CHECK (job_id <> 13)",
    })
    .await;
    let runs = (1..=30).map(|job_id| NewRun { job_id, ..new_run() }).collect();
    for (place, heard) in submit(base, runs).await.into_iter().enumerate() {
        match (place + 1, heard) {
            (13, heard) => assert!(matches!(heard, Err(Error::Refused(_))), "{heard:?}"),
            (job_id, heard) => assert_eq!(base.log(heard.expect("written")).await.job_id, job_id as i32),
        }
    }
    assert_eq!(base.count("xxl_job_log").await, 29);
}
