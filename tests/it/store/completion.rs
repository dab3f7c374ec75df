//! The transaction in which results of runs are written.

use xxl_job_admin::model::JobInfo;
use xxl_job_admin::store::{Completion, NodeId, Store, TEXT_BYTES};

use super::base::{Base, NOW, job, waits};
use crate::support::db::Engine;

conformance!(
    open_runs_are_read_with_what_completion_needs,
    results_equal_and_differing_are_written,
    a_dropped_completion_changes_nothing,
    long_results_are_cut,
    many_long_results_are_written,
    the_first_of_two_results_wins,
    completions_of_other_runs_do_not_wait,
);

fn completion(log_id: i64, handle_code: i32, msg: &str) -> Completion {
    Completion { log_id, handle_code, handle_msg: msg.into() }
}

async fn write(store: &Store, completions: &[Completion]) {
    let ids: Vec<i64> = completions.iter().map(|done| done.log_id).collect();
    let (mut tx, _) = store.begin_completion(&ids).await.expect("begin");
    tx.write(completions, NOW).await.expect("write");
    tx.commit().await.expect("commit");
}

async fn open_runs_are_read_with_what_completion_needs(base: &Base) {
    let parent = JobInfo { child_jobid: Some("1,2".into()), ..job() };
    let parent = base.store.insert_job(&parent, NOW).await.expect("add a job");
    let ids = base.claimed(&NodeId::random(), 3).await;
    base.sql(&format!("UPDATE xxl_job_log SET job_id = {parent}, trigger_msg = 'sent' WHERE id = {}", ids[0])).await;
    base.sql(&format!("UPDATE xxl_job_log SET handle_code = 500, handle_msg = 'm' WHERE id = {}", ids[1])).await;
    base.sql(&format!("UPDATE xxl_job_log SET job_id = 999999 WHERE id = {}", ids[2])).await;

    let (tx, runs) = base.store.begin_completion(&[ids[2], 999_999, ids[0], ids[1], ids[0]]).await.expect("begin");
    drop(tx);
    assert_eq!(runs.iter().map(|run| run.log_id).collect::<Vec<_>>(), ids, "by id, once each");
    assert_eq!((runs[0].job_id, runs[0].handle_code, &runs[0].handle_msg), (parent, 0, &None));
    assert_eq!(runs[0].children.as_deref(), Some("1,2"));
    assert_eq!(runs[0].trigger_msg.as_deref(), Some("sent"));
    assert_eq!((runs[1].handle_code, runs[1].handle_msg.as_deref()), (500, Some("m")));
    assert_eq!((&runs[1].children, &runs[1].trigger_msg), (&None, &None), "the seed job has no children");
    assert_eq!((runs[2].job_id, &runs[2].children), (999_999, &None), "the job is gone");
    assert!(base.store.begin_completion(&[]).await.expect("begin").1.is_empty());
}

async fn results_equal_and_differing_are_written(base: &Base) {
    let ids = base.claimed(&NodeId::random(), 450).await;
    let completions: Vec<Completion> = ids
        .iter()
        .enumerate()
        .map(|(number, id)| match number % 2 {
            0 => completion(*id, 200, "done"),
            _ => completion(*id, 500 + number as i32, &format!("failed {number} ' \\ ? ☕")),
        })
        .collect();
    let before = base.log(ids[0]).await;
    write(&base.store, &completions).await;
    for (done, log) in completions.iter().zip(base.store.find_logs(&ids).await.expect("read")) {
        assert_eq!((log.handle_code, log.handle_msg.as_ref()), (done.handle_code, Some(&done.handle_msg)));
        assert_eq!(log.handle_time, Some(NOW));
        assert_eq!((log.trigger_code, &log.trigger_msg, log.alarm_status), (0, &before.trigger_msg, 0));
    }
    // Written over what is there: the caller has looked.
    write(&base.store, &completions[..1].iter().map(|done| completion(done.log_id, 500, "killed")).collect::<Vec<_>>())
        .await;
    assert_eq!(base.log(ids[0]).await.handle_msg.as_deref(), Some("killed"));
}

async fn a_dropped_completion_changes_nothing(base: &Base) {
    let id = base.claimed(&NodeId::random(), 1).await[0];
    let (mut tx, _) = base.store.begin_completion(&[id]).await.expect("begin");
    tx.write(&[completion(id, 200, "done")], NOW).await.expect("write");
    drop(tx);
    // Another one gets the row, open as before.
    let (tx, runs) = base.store.begin_completion(&[id]).await.expect("begin");
    drop(tx);
    assert_eq!((runs[0].handle_code, &runs[0].handle_msg), (0, &None));
}

async fn long_results_are_cut(base: &Base) {
    let ids = base.claimed(&NodeId::random(), 4).await;
    let texts = ["x", "x", "日", "y"].map(|letter| letter.repeat(70_000));
    let completions: Vec<Completion> = ids.iter().zip(&texts).map(|(id, text)| completion(*id, 500, text)).collect();
    write(&base.store, &completions).await;
    for (id, text) in ids.iter().zip(&texts) {
        let stored = base.log(*id).await.handle_msg.expect("a message");
        assert_eq!(stored.len(), TEXT_BYTES);
        assert!(text.starts_with(&stored));
    }
}

/// Together they are longer than what a server takes in one statement (MySQL: `max_allowed_packet`).
async fn many_long_results_are_written(base: &Base) {
    let ids = base.claimed(&NodeId::random(), 300).await;
    let completions: Vec<Completion> =
        ids.iter().map(|id| completion(*id, 200, &format!("{id}{}", "日".repeat(21_000)))).collect();
    write(&base.store, &completions).await;
    assert_eq!(base.log(ids[299]).await.handle_msg.as_ref(), Some(&completions[299].handle_msg));
    assert_eq!(base.count("xxl_job_log WHERE handle_code = 200").await, 300);
}

async fn the_first_of_two_results_wins(base: &Base) {
    let id = base.claimed(&NodeId::random(), 1).await[0];
    let other = if base.db.engine() == Engine::Sqlite { base.store.clone() } else { base.another().await };
    let (mut first, runs) = base.store.begin_completion(&[id]).await.expect("begin");
    assert_eq!(runs[0].handle_code, 0);
    let mut second = tokio::spawn(async move {
        let (_tx, runs) = other.begin_completion(&[id]).await.expect("begin");
        (runs[0].handle_code, runs[0].handle_msg.clone())
    });
    assert!(waits(&mut second).await, "the row is locked");
    first.write(&[completion(id, 200, "done")], NOW).await.expect("write");
    first.commit().await.expect("commit");
    assert_eq!(second.await.expect("the second goes on"), (200, Some("done".into())), "and sees the first's result");
}

/// Only SQLite, which has one writer, lets everybody wait.
async fn completions_of_other_runs_do_not_wait(base: &Base) {
    if base.db.engine() == Engine::Sqlite {
        return;
    }
    let ids = base.claimed(&NodeId::random(), 2).await;
    let (first, _) = base.store.begin_completion(&ids[..1]).await.expect("begin");
    write(&base.store, &[completion(ids[1], 200, "done")]).await;
    assert_eq!(base.log(ids[1]).await.handle_code, 200);
    drop(first);
}
