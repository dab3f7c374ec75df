//! The claim transaction.

use std::collections::HashSet;

use xxl_job_admin::model::JobInfo;
use xxl_job_admin::store::{Advance, LockOutcome, Mark, NodeId};

use super::base::{Base, NOW, claim, job};
use crate::support::db::Engine;

conformance!(
    due_jobs_come_by_id_up_to_the_limit,
    advancing_leaves_changed_rows_alone,
    a_change_between_read_and_advance_wins,
    more_rows_than_a_statement_takes_are_advanced,
    each_claim_gets_its_row,
    a_dropped_claim_changes_nothing,
    surviving_claims_are_those_in_the_database,
    without_the_lock_row_nothing_is_claimed,
    a_second_claim_waits_for_the_first,
    console_changes_wait_for_the_claim,
);

/// The usual advance of a job that was read as due at `read_next`.
fn advance(id: i32, read_next: i64) -> Advance {
    Advance { id, read_next, last: read_next, next: read_next + 30_000, status: 1 }
}

async fn due_jobs_come_by_id_up_to_the_limit(base: &Base) {
    let late = base.scheduled(NOW).await;
    let early = base.scheduled(NOW - 60_000).await;
    let future = base.scheduled(NOW + 1).await;
    let stopped = JobInfo { trigger_next_time: NOW - 1, ..job() };
    base.store.insert_job(&stopped, NOW).await.expect("add a stopped job");

    let mut claim = claim(&base.store).await;
    let due = claim.due(NOW, 10).await.expect("read");
    assert_eq!(due.iter().map(|job| job.id).collect::<Vec<_>>(), [late, early]);
    assert_eq!(due[0].schedule_type, "FIX_RATE");
    assert_eq!(due[0].schedule_conf.as_deref(), Some("30"));
    assert_eq!(due[0].misfire_strategy, "FIRE_ONCE_NOW");
    assert_eq!(due[1].next, NOW - 60_000);
    assert_eq!(claim.due(NOW, 1).await.expect("read").len(), 1);
    assert_eq!(claim.due(NOW + 1, 10).await.expect("read").last().map(|job| job.id), Some(future));
}

async fn advancing_leaves_changed_rows_alone(base: &Base) {
    let ours = base.scheduled(NOW).await;
    let moved = base.scheduled(NOW).await;
    let stopped = base.scheduled(NOW).await;
    let ends = base.scheduled(NOW).await;
    base.sql(&format!("UPDATE xxl_job_info SET trigger_next_time = {} WHERE id = {moved}", NOW + 5)).await;
    base.sql(&format!("UPDATE xxl_job_info SET trigger_status = 0 WHERE id = {stopped}")).await;

    let mut claim = claim(&base.store).await;
    let mut advances = [ours, moved, stopped, ends, 999_999].map(|id| advance(id, NOW));
    advances[3] = Advance { id: ends, read_next: NOW, last: 0, next: 0, status: 0 };
    let won = claim.advance(&advances, 100).await.expect("advance");
    assert_eq!(won, HashSet::from([ours, ends]));
    claim.commit().await.expect("commit");

    let schedule = async |id| {
        let job = base.job(id).await;
        (job.trigger_status, job.trigger_last_time, job.trigger_next_time)
    };
    assert_eq!(schedule(ours).await, (1, NOW, NOW + 30_000));
    assert_eq!(schedule(moved).await, (1, 0, NOW + 5));
    assert_eq!(schedule(stopped).await, (0, 0, NOW));
    assert_eq!(schedule(ends).await, (0, 0, 0));
}

/// A console of an old release writes without the lock. SQLite has one writer, so there nobody can come in between.
async fn a_change_between_read_and_advance_wins(base: &Base) {
    let (ours, moved) = (base.scheduled(NOW).await, base.scheduled(NOW).await);
    let mut claim = claim(&base.store).await;
    let read = claim.due(NOW, 10).await.expect("read");
    assert_eq!(read.len(), 2);
    if base.db.engine() == Engine::Sqlite {
        return;
    }
    base.sql(&format!("UPDATE xxl_job_info SET trigger_next_time = {} WHERE id = {moved}", NOW + 5)).await;
    let advances: Vec<Advance> = read.iter().map(|job| advance(job.id, job.next)).collect();
    assert_eq!(claim.advance(&advances, 100).await.expect("advance"), HashSet::from([ours]));
    claim.commit().await.expect("commit");
    assert_eq!(base.job(moved).await.trigger_next_time, NOW + 5);
}

async fn more_rows_than_a_statement_takes_are_advanced(base: &Base) {
    let mut jobs = Vec::new();
    for _ in 0..7 {
        jobs.push(base.scheduled(NOW).await);
    }
    let mut claim = claim(&base.store).await;
    let advances: Vec<Advance> = jobs.iter().map(|id| advance(*id, NOW)).collect();
    assert!(claim.advance(&[], 3).await.expect("advance nothing").is_empty());
    assert_eq!(claim.advance(&advances, 3).await.expect("advance").len(), 7);
    assert_eq!(claim.due(NOW, 10).await.expect("read"), []);
}

async fn each_claim_gets_its_row(base: &Base) {
    let (a, b) = (base.scheduled(NOW).await, base.scheduled(NOW).await);
    let node = NodeId::random();
    let mut claim = claim(&base.store).await;
    let wanted = [(a, NOW), (b, NOW), (a, NOW + 1_000), (999_999, NOW + 2_000)];
    let fires = claim.insert(&node, 3, wanted).await.expect("write rows");
    assert!(claim.insert(&node, 4, []).await.expect("write none").is_empty());
    claim.commit().await.expect("commit");

    let written: HashSet<_> = fires.iter().map(|fire| (fire.job_id, fire.due)).collect();
    assert_eq!(written, HashSet::from([(a, NOW), (b, NOW), (a, NOW + 1_000)]), "a job that is gone gets no row");
    assert_eq!(fires.len(), 3);
    for fire in fires {
        let log = base.log(fire.log_id).await;
        assert_eq!((log.job_id, log.trigger_time), (fire.job_id, Some(fire.due)));
        assert_eq!((log.job_group, log.executor_fail_retry_count), (1, 2));
        assert_eq!(log.executor_handler.as_deref(), Some("report"));
        assert_eq!(log.executor_param.as_deref(), Some("p=1"));
        assert_eq!((log.trigger_code, log.handle_code, log.alarm_status), (0, 0, 0));
        assert_eq!(Mark::parse(log.trigger_msg.as_deref().expect("a mark")), Some(Mark::Claimed(node.clone())));
    }
}

async fn a_dropped_claim_changes_nothing(base: &Base) {
    let id = base.scheduled(NOW).await;
    let before = base.job(id).await;
    let mut first = claim(&base.store).await;
    assert_eq!(first.advance(&[advance(id, NOW)], 10).await.expect("advance").len(), 1);
    let fires = first.insert(&NodeId::random(), 1, [(id, NOW)]).await.expect("write rows");
    drop(first);
    // The lock is free again, and the next one sees the old row.
    let mut next = claim(&base.store).await;
    assert_eq!(next.due(NOW, 10).await.expect("read").len(), 1);
    drop(next);
    assert_eq!(base.job(id).await, before);
    assert_eq!(base.store.find_log(fires[0].log_id).await.expect("read"), None);
}

async fn surviving_claims_are_those_in_the_database(base: &Base) {
    let id = base.scheduled(NOW).await;
    let node = NodeId::random();
    let mut first = claim(&base.store).await;
    let kept = first.insert(&node, 1, [(id, NOW), (id, NOW + 1_000)]).await.expect("write rows");
    first.commit().await.expect("commit");
    let mut second = claim(&base.store).await;
    let lost = second.insert(&node, 2, [(id, NOW + 2_000)]).await.expect("write rows");
    drop(second);
    // The id of a row that was rolled back may be given again: the mark tells whose row it is.
    let all: Vec<_> = kept.iter().chain(&lost).copied().collect();
    let survivors = base.store.surviving_claims(&node, &all).await.expect("ask");
    assert_eq!(survivors, kept.iter().map(|fire| fire.log_id).collect());
    assert!(base.store.surviving_claims(&NodeId::random(), &all).await.expect("ask").is_empty());
    assert!(base.store.surviving_claims(&node, &[]).await.expect("ask").is_empty());
}

async fn without_the_lock_row_nothing_is_claimed(base: &Base) {
    assert!(base.store.lock_row_present().await.expect("look"));
    base.sql("DELETE FROM xxl_job_lock").await;
    assert!(matches!(base.store.begin_claim().await.expect("ask"), LockOutcome::NoRow));
    assert!(!base.store.lock_row_present().await.expect("look"));
    base.store.put_lock_row().await.expect("put it back");
    base.store.put_lock_row().await.expect("once more");
    assert_eq!(base.count("xxl_job_lock").await, 1);
    assert!(matches!(base.store.begin_claim().await.expect("ask"), LockOutcome::Held(_)));
}

async fn a_second_claim_waits_for_the_first(base: &Base) {
    let id = base.scheduled(NOW).await;
    let other = if base.db.engine() == Engine::Sqlite { base.store.clone() } else { base.another().await };
    let mut first = claim(&base.store).await;
    assert_eq!(first.due(NOW, 10).await.expect("read").len(), 1);
    let mut second = tokio::spawn(async move {
        let mut second = claim(&other).await;
        second.due(NOW, 10).await.expect("read")
    });
    assert!(super::base::waits(&mut second).await, "the lock is held");
    first.advance(&[advance(id, NOW)], 10).await.expect("advance");
    first.commit().await.expect("commit");
    assert_eq!(second.await.expect("the second gets the lock"), [], "and sees what the first wrote");
}

async fn console_changes_wait_for_the_claim(base: &Base) {
    let id = base.scheduled(NOW).await;
    let mut first = claim(&base.store).await;
    first.advance(&[advance(id, NOW)], 10).await.expect("advance");
    let store = base.store.clone();
    let mut change = tokio::spawn(async move {
        let (change, job) = store.begin_job_change(id).await.expect("begin a change");
        change.commit().await.expect("commit");
        job.expect("the job is there").trigger_next_time
    });
    assert!(super::base::waits(&mut change).await, "the lock is held");
    first.commit().await.expect("commit");
    assert_eq!(change.await.expect("the change goes on"), NOW + 30_000);
}
