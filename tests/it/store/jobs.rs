//! Jobs: added, listed, changed under the schedule lock, removed.

use xxl_job_admin::model::{JobGroup, JobInfo};
use xxl_job_admin::store::{Error, Generation, JobFilter, NodeId, ScheduleChange};

use super::base::{Base, NOW, job};

conformance!(
    a_job_is_kept_whole,
    jobs_are_filtered_and_paged,
    an_edit_leaves_the_schedule_alone,
    a_schedule_change_leaves_the_rest_alone,
    a_dropped_change_changes_nothing,
    a_change_puts_a_missing_lock_row_back,
    a_job_goes_with_its_runs,
    children_are_told,
    texts_longer_than_their_columns_are_refused,
);

async fn a_job_is_kept_whole(base: &Base) {
    let wanted = JobInfo { trigger_status: 1, trigger_last_time: NOW - 5, trigger_next_time: NOW + 1_234, ..job() };
    let id = base.store.insert_job(&wanted, NOW + 999).await.expect("add");
    assert_eq!(base.job(id).await, JobInfo { id, ..wanted }, "times are cut to the second");
    let bare = JobInfo {
        author: None,
        alarm_email: None,
        schedule_conf: None,
        executor_route_strategy: None,
        executor_handler: None,
        executor_param: None,
        executor_block_strategy: None,
        glue_source: None,
        glue_remark: None,
        ..job()
    };
    let other = base.store.insert_job(&bare, NOW).await.expect("add");
    assert_eq!(base.job(other).await, JobInfo { id: other, ..bare });
    assert_eq!(base.store.find_jobs(&[other, id, 999_999]).await.expect("read").len(), 2);
    assert!(base.store.find_jobs(&[]).await.expect("read").is_empty());
    let ids: Vec<i32> = base.store.jobs_of_group(1).await.expect("read").iter().map(|job| job.id).collect();
    assert_eq!(ids, [1, id, other]);
}

async fn jobs_are_filtered_and_paged(base: &Base) {
    let add = async |job: JobInfo| base.store.insert_job(&job, NOW).await.expect("add");
    let a = add(JobInfo { job_desc: "Daily report".into(), trigger_status: 1, ..job() }).await;
    let b = add(JobInfo { job_desc: "daily mail".into(), job_group: 2, author: Some("Bob".into()), ..job() }).await;
    let c = add(JobInfo { job_desc: "x".into(), job_group: 3, executor_handler: Some("Mailer".into()), ..job() }).await;
    let all = || JobFilter { trigger_status: -1, ..JobFilter::default() };
    let ids = async |filter: JobFilter| {
        let (jobs, total) = base.store.page_jobs(&filter, 0, 100).await.expect("read");
        assert_eq!(jobs.len() as i64, total);
        jobs.iter().map(|job| job.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(all()).await, [c, b, a, 1], "newest first");
    assert_eq!(ids(JobFilter { job_group: 2, ..all() }).await, [b]);
    assert_eq!(ids(JobFilter { trigger_status: 1, ..all() }).await, [a]);
    assert_eq!(ids(JobFilter { trigger_status: 0, ..all() }).await, [c, b, 1]);
    assert_eq!(ids(JobFilter { job_desc: "DAILY".into(), ..all() }).await, [b, a]);
    assert_eq!(ids(JobFilter { executor_handler: "mail".into(), ..all() }).await, [c]);
    assert_eq!(ids(JobFilter { author: "bob".into(), job_desc: "mail".into(), ..all() }).await, [b]);
    assert_eq!(ids(JobFilter { among: Some(vec![2, 3]), ..all() }).await, [c, b]);
    assert!(ids(JobFilter { among: Some(Vec::new()), ..all() }).await.is_empty(), "who may use no group sees nothing");
    let (page, total) = base.store.page_jobs(&all(), 1, 2).await.expect("read");
    assert_eq!((page.iter().map(|job| job.id).collect::<Vec<_>>(), total), (vec![b, a], 4));
}

async fn an_edit_leaves_the_schedule_alone(base: &Base) {
    let id = base.scheduled(NOW + 30_000).await;
    let before = base.job(id).await;
    let edited = JobInfo {
        job_group: 2,
        job_desc: "other".into(),
        schedule_conf: Some("60".into()),
        child_jobid: Some("1".into()),
        // What a person may not edit.
        glue_source: Some("rm".into()),
        trigger_status: 0,
        trigger_last_time: 7,
        trigger_next_time: 7,
        ..before.clone()
    };
    let (mut change, read) = base.store.begin_job_change(id).await.expect("begin");
    assert_eq!(read.as_ref(), Some(&before));
    change.save_edit(&edited, None, NOW + 60_000).await.expect("save");
    change.commit().await.expect("commit");
    let wanted = JobInfo {
        glue_source: before.glue_source.clone(),
        trigger_status: 1,
        trigger_last_time: before.trigger_last_time,
        trigger_next_time: before.trigger_next_time,
        update_time: Some(NOW + 60_000),
        ..edited.clone()
    };
    assert_eq!(base.job(id).await, wanted);

    let (mut change, _) = base.store.begin_job_change(id).await.expect("begin");
    change.save_edit(&edited, Some(NOW + 90_000), NOW + 60_000).await.expect("save");
    change.commit().await.expect("commit");
    assert_eq!(base.job(id).await, JobInfo { trigger_next_time: NOW + 90_000, ..wanted });
}

async fn a_schedule_change_leaves_the_rest_alone(base: &Base) {
    let before = base.job(1).await;
    let (mut change, read) = base.store.begin_job_change(1).await.expect("begin");
    assert!(read.is_some());
    let start = ScheduleChange { status: 1, last: 0, next: NOW + 5_000 };
    change.save_schedule(1, start, NOW).await.expect("save");
    change.commit().await.expect("commit");
    let wanted = JobInfo { trigger_status: 1, trigger_next_time: NOW + 5_000, update_time: Some(NOW), ..before };
    assert_eq!(base.job(1).await, wanted);
    let (change, read) = base.store.begin_job_change(999_999).await.expect("begin");
    assert_eq!(read, None);
    change.commit().await.expect("commit");
}

async fn a_dropped_change_changes_nothing(base: &Base) {
    let before = base.job(1).await;
    let (mut change, _) = base.store.begin_job_change(1).await.expect("begin");
    change.save_schedule(1, ScheduleChange { status: 1, last: 1, next: 2 }, NOW).await.expect("save");
    drop(change);
    let (change, read) = base.store.begin_job_change(1).await.expect("the lock is free");
    drop(change);
    assert_eq!(read, Some(before));
}

async fn a_change_puts_a_missing_lock_row_back(base: &Base) {
    base.sql("DELETE FROM xxl_job_lock").await;
    let (change, _) = base.store.begin_job_change(1).await.expect("begin");
    change.commit().await.expect("commit");
    assert!(base.store.lock_row_present().await.expect("look"));
}

async fn a_job_goes_with_its_runs(base: &Base) {
    let id = base.scheduled(NOW).await;
    let runs = base.claimed(&NodeId::random(), 3).await;
    base.sql(&format!("UPDATE xxl_job_log SET job_id = {id} WHERE id > {}", runs[0])).await;
    base.sql(&format!("INSERT INTO xxl_job_logglue (job_id, glue_remark) VALUES ({id}, 'v1'), (1, 'v1')")).await;
    base.store.remove_job(id).await.expect("remove");
    base.store.remove_job(id).await.expect("a job that is gone is no error");
    assert_eq!(base.store.find_job(id).await.expect("read"), None);
    assert_eq!(base.count("xxl_job_logglue").await, 1);
    assert_eq!(base.store.newest_log().await.expect("look"), runs[0]);
    assert!(base.store.find_job(1).await.expect("read").is_some());
}

async fn children_are_told(base: &Base) {
    let parent = JobInfo { child_jobid: Some("1, 5".into()), ..job() };
    let parent = base.store.insert_job(&parent, NOW).await.expect("add");
    let none = base.store.insert_job(&job(), NOW).await.expect("add");
    let children = base.store.children_of(&[1, parent, none, 999_999]).await.expect("read");
    assert_eq!(children, [(parent, "1, 5".to_owned())]);
    assert!(base.store.children_of(&[]).await.expect("read").is_empty());
}

/// In the same words on every database, also on those that would cut the text or take it.
async fn texts_longer_than_their_columns_are_refused(base: &Base) {
    let is_3_4 = base.store.schema().generation == Generation::G3_4;
    let param = if is_3_4 { 65_535 } else { 512 };
    let long = |length: usize| Some("x".repeat(length));
    type Set = fn(&mut JobInfo, Option<String>);
    let cases: [(&str, usize, Set); 8] = [
        ("job_desc", 255, |job, text| job.job_desc = text.unwrap_or_default()),
        ("author", 64, |job, text| job.author = text),
        ("alarm_email", 255, |job, text| job.alarm_email = text),
        ("schedule_conf", 128, |job, text| job.schedule_conf = text),
        ("executor_handler", 255, |job, text| job.executor_handler = text),
        ("executor_param", param, |job, text| job.executor_param = text),
        ("child_jobid", 255, |job, text| job.child_jobid = text),
        ("glue_remark", 128, |job, text| job.glue_remark = text),
    ];
    for (name, limit, set) in cases {
        let mut wanted = job();
        set(&mut wanted, long(limit));
        base.store.insert_job(&wanted, NOW).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        set(&mut wanted, long(limit + 1));
        let refused = base.store.insert_job(&wanted, NOW).await;
        assert!(matches!(refused, Err(Error::TooLong { column, .. }) if column == name), "{name}: {refused:?}");
        if name != "glue_remark" {
            let (mut change, _) = base.store.begin_job_change(1).await.expect("begin");
            let refused = change.save_edit(&JobInfo { id: 1, ..wanted }, None, NOW).await;
            assert!(matches!(refused, Err(Error::TooLong { column, .. }) if column == name), "{name}: {refused:?}");
        }
    }
    let title = if is_3_4 { 64 } else { 12 };
    let group = |length: usize| JobGroup { app_name: "app".into(), title: "中".repeat(length), ..JobGroup::default() };
    base.store.insert_group(&group(title), NOW).await.expect("add");
    let refused = base.store.insert_group(&group(title + 1), NOW).await;
    assert!(matches!(refused, Err(Error::TooLong { column: "title", .. })), "{refused:?}");
    let refused = base.store.update_group(&JobGroup { id: 1, ..group(title + 1) }, NOW).await;
    assert!(matches!(refused, Err(Error::TooLong { column: "title", .. })), "{refused:?}");
}
