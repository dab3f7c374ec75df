//! What the background loops ask for: failures, stuck alarms, lost and left runs, old rows.

use xxl_job_admin::model::{AlarmStatus, EXECUTOR_GROUP, JobLog, RegistryEntry};
use xxl_job_admin::store::{Mark, NewRun, NodeId, Removal};

use super::base::{Base, NOW, new_run};

conformance!(
    failures_are_found,
    failures_are_limited_and_sought_from_where_we_were,
    an_alarm_is_moved_once,
    stuck_alarms_are_freed,
    lost_runs_are_those_of_executors_that_are_gone,
    marked_runs_are_found,
    a_left_run_is_ended_once,
    old_runs_are_removed,
);

async fn failures_are_found(base: &Base) {
    let refused = base.run(NOW, 500, 0).await;
    let failed = base.run(NOW, 200, 500).await;
    let odd = base.run(NOW, 200, -1).await;
    let early = base.run(NOW, 0, 502).await;
    let warned = base.run(NOW, 200, 199).await;
    for (trigger_code, handle_code) in [(0, 0), (200, 0), (200, 200), (500, 200), (0, 200)] {
        base.run(NOW, trigger_code, handle_code).await;
    }
    let seen = base.run(NOW, 500, 0).await;
    base.sql(&format!("UPDATE xxl_job_log SET alarm_status = 2 WHERE id = {seen}")).await;
    assert_eq!(base.store.failed_runs(0, 100).await.expect("read"), [refused, failed, odd, early, warned]);
}

async fn failures_are_limited_and_sought_from_where_we_were(base: &Base) {
    let mut ids = Vec::new();
    for (trigger_code, handle_code) in [(500, 0), (200, 500), (500, 0), (200, 500)] {
        ids.push(base.run(NOW, trigger_code, handle_code).await);
    }
    assert_eq!(base.store.failed_runs(0, 3).await.expect("read"), ids[..3]);
    // A result may come late for an old run, a refusal comes with the trigger.
    assert_eq!(base.store.failed_runs(ids[0], 100).await.expect("read"), ids[1..]);
    assert_eq!(base.store.failed_runs(ids[3], 100).await.expect("read"), [ids[1], ids[3]]);
}

async fn an_alarm_is_moved_once(base: &Base) {
    let id = base.run(NOW, 500, 0).await;
    let other = base.another().await;
    let (one, two) = tokio::join!(
        base.store.move_alarm(id, AlarmStatus::Untouched, AlarmStatus::Locked),
        other.move_alarm(id, AlarmStatus::Untouched, AlarmStatus::Locked),
    );
    assert!(one.expect("move") ^ two.expect("move"), "one of them gets it");
    assert!(!base.store.move_alarm(id, AlarmStatus::Untouched, AlarmStatus::Sent).await.expect("move"));
    assert_eq!(base.log(id).await.alarm_status, -1);
    assert!(base.store.move_alarm(id, AlarmStatus::Locked, AlarmStatus::Failed).await.expect("move"));
    assert_eq!(base.log(id).await.alarm_status, 3);
    assert!(!base.store.move_alarm(999_999, AlarmStatus::Untouched, AlarmStatus::Locked).await.expect("move"));
}

async fn stuck_alarms_are_freed(base: &Base) {
    let before = NOW - 60_000;
    let stuck = base.run(before - 1_000, 500, 0).await;
    let stuck_with_result = base.run(before - 1_000, 200, 500).await;
    let late_result = base.run(before - 1_000, 200, 500).await;
    let young = base.run(before, 500, 0).await;
    let succeeded = base.run(before - 1_000, 200, 200).await;
    base.sql("UPDATE xxl_job_log SET alarm_status = -1").await;
    let sent = base.run(before - 1_000, 500, 0).await;
    base.sql(&format!("UPDATE xxl_job_log SET alarm_status = 2 WHERE id = {sent}")).await;
    for (id, time) in [(stuck_with_result, "2026-11-30 23:58:59"), (late_result, "2026-11-30 23:59:00")] {
        base.sql(&format!("UPDATE xxl_job_log SET handle_time = '{time}' WHERE id = {id}")).await;
    }
    assert_eq!(base.store.free_stuck_alarms(before - 3_600_000, before).await.expect("free"), 2);
    for (id, status) in [(stuck, 0), (stuck_with_result, 0), (late_result, -1), (young, -1), (succeeded, -1), (sent, 2)]
    {
        assert_eq!(base.log(id).await.alarm_status, status, "run {id}");
    }
}

async fn lost_runs_are_those_of_executors_that_are_gone(base: &Base) {
    let mut ids = Vec::new();
    for (time, address) in [
        (NOW, "'http://gone/'"),
        (NOW, "'http://here/'"),
        (NOW, "NULL"),
        (NOW + 1_000, "'http://gone/'"),
        (NOW - 1_000, "'http://gone/'"),
    ] {
        let id = base.run(time, 200, 0).await;
        base.sql(&format!("UPDATE xxl_job_log SET executor_address = {address} WHERE id = {id}")).await;
        ids.push(id);
    }
    base.run(NOW, 200, 200).await;
    base.run(NOW, 500, 0).await;
    base.run(NOW, 0, 0).await;
    let here = RegistryEntry {
        group: EXECUTOR_GROUP.into(),
        key: "app".into(),
        value: "http://here/".into(),
        update_time: None,
    };
    base.store.beat(&[here], NOW).await.expect("beat");
    let lost = base.store.lost_above(0, NOW).await.expect("read");
    assert_eq!(lost.iter().map(|log| log.id).collect::<Vec<_>>(), [ids[0], ids[2], ids[4]]);
    assert_eq!(lost[0], base.log(ids[0]).await);
    assert_eq!(base.store.lost_above(ids[2], NOW).await.expect("read"), lost[2..]);
    assert_eq!(base.store.lost_among(&ids[1..4], NOW).await.expect("read"), lost[1..2]);
}

async fn marked_runs_are_found(base: &Base) {
    let node = NodeId::random();
    let claimed = base.claimed(&node, 3).await;
    base.store.take(&node, &claimed[1..2]).await.expect("take");
    base.run(NOW, 200, 0).await;
    base.run(NOW, 0, 200).await;
    let java = base.run(NOW, 0, 0).await;
    base.sql(&format!("UPDATE xxl_job_log SET trigger_msg = NULL WHERE id = {java}")).await;
    let earlier = base.run(NOW - 1_000, 0, 0).await;
    let ids = async |after, from| {
        let runs = base.store.marked_runs(after, from).await.expect("read");
        runs.iter().map(|log| log.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(0, NOW).await, claimed);
    assert_eq!(ids(claimed[0], NOW).await, claimed[1..]);
    assert_eq!(ids(0, NOW - 1_000).await, [&claimed[..], &[earlier]].concat());
}

async fn a_left_run_is_ended_once(base: &Base) {
    let node = NodeId::random();
    let id = base.store.insert_runs(&node, 1, &[NewRun { retry: 3, ..new_run() }]).await;
    let id = id.expect("write a run")[0];
    let read = base.log(id).await;
    base.store.take(&node, &[id]).await.expect("take");
    assert!(!base.store.end_marked(&read, 500, "left").await.expect("end"), "its owner has taken it meanwhile");
    let read = base.log(id).await;
    assert_eq!(Mark::parse(read.trigger_msg.as_deref().expect("a mark")), Some(Mark::Taken(node)));
    assert!(base.store.end_marked(&read, 500, "left").await.expect("end"));
    assert!(!base.store.end_marked(&read, 500, "left").await.expect("end"), "it has no mark any more");
    let ended = JobLog { trigger_code: 500, trigger_msg: Some("left".into()), executor_fail_retry_count: 0, ..read };
    assert_eq!(base.log(id).await, ended);
    assert!(!base.store.end_marked(&JobLog { trigger_msg: None, ..ended }, 500, "x").await.expect("end"));
}

async fn old_runs_are_removed(base: &Base) {
    let mut ids = Vec::new();
    for time in [NOW - 2_000, NOW + 1_000, NOW, NOW - 1_000] {
        ids.push(base.run(time, 200, 200).await);
    }
    assert_eq!(base.store.remove_logs(0, 0, Removal::Until(NOW)).await.expect("remove"), 3);
    assert_eq!(base.store.remove_logs(0, 0, Removal::Until(NOW)).await.expect("remove"), 0);
    let left = base.store.find_logs(&ids).await.expect("read");
    assert_eq!(left.iter().map(|log| log.id).collect::<Vec<_>>(), [ids[1]]);
}
