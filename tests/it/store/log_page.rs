//! Lists of runs for the console, and the removal of runs by hand.

use xxl_job_admin::store::{LogFilter, LogOrder, LogStatus, NewRun, NodeId, Removal};

use super::base::{Base, NOW, new_run};

conformance!(
    runs_are_filtered_by_group_job_and_time,
    runs_are_filtered_by_outcome,
    runs_are_paged_in_either_order,
    runs_until_an_instant_are_removed,
    all_but_the_latest_are_removed,
);

impl Base {
    /// Writes a run of this group and job; its id.
    async fn run_of(&self, job_group: i32, job_id: i32, trigger_time: i64) -> i64 {
        let run = NewRun { job_group, job_id, trigger_time, ..new_run() };
        self.store.insert_runs(&NodeId::random(), 1, &[run]).await.expect("write a run")[0]
    }

    /// Ids that the filter shows.
    async fn shown(&self, filter: LogFilter) -> Vec<i64> {
        let (logs, total) = self.store.page_logs(&filter, LogOrder::Id, 0, 100).await.expect("read");
        assert_eq!(logs.len() as i64, total);
        logs.iter().map(|log| log.id).collect()
    }

    /// All ids, lowest first.
    async fn left(&self) -> Vec<i64> {
        let mut ids = self.shown(LogFilter::default()).await;
        ids.reverse();
        ids
    }
}

async fn runs_are_filtered_by_group_job_and_time(base: &Base) {
    assert!(base.shown(LogFilter::default()).await.is_empty());
    let a = base.run_of(1, 1, NOW).await;
    let b = base.run_of(1, 2, NOW + 1_000).await;
    let c = base.run_of(2, 3, NOW + 2_000).await;
    let all = LogFilter::default();
    assert_eq!(base.shown(LogFilter { job_group: -1, job_id: -1, ..all }).await, [c, b, a]);
    assert_eq!(base.shown(LogFilter { job_group: 1, ..all }).await, [b, a]);
    assert_eq!(base.shown(LogFilter { job_group: 1, job_id: 2, ..all }).await, [b]);
    assert_eq!(base.shown(LogFilter { job_group: 2, job_id: 2, ..all }).await, [0_i64; 0]);
    assert_eq!(base.shown(LogFilter { from: Some(NOW + 1_000), ..all }).await, [c, b]);
    assert_eq!(base.shown(LogFilter { to: Some(NOW + 1_999), ..all }).await, [b, a]);
    assert_eq!(base.shown(LogFilter { from: Some(NOW + 1_000), to: Some(NOW + 1_000), ..all }).await, [b]);
}

async fn runs_are_filtered_by_outcome(base: &Base) {
    let waiting = base.run(NOW, 0, 0).await;
    let running = base.run(NOW, 200, 0).await;
    let done = base.run(NOW, 200, 200).await;
    let failed = base.run(NOW, 200, 500).await;
    let refused = base.run(NOW, 500, 0).await;
    let both = base.run(NOW, 500, 200).await;
    let of = |status| LogFilter { status, ..LogFilter::default() };
    assert_eq!(base.shown(of(LogStatus::All)).await, [both, refused, failed, done, running, waiting]);
    assert_eq!(base.shown(of(LogStatus::Success)).await, [both, done]);
    assert_eq!(base.shown(of(LogStatus::Failed)).await, [both, refused, failed]);
    assert_eq!(base.shown(of(LogStatus::Running)).await, [running]);
}

async fn runs_are_paged_in_either_order(base: &Base) {
    let mut ids = Vec::new();
    for offset in [2_000, 0, 1_000, 1_000, 3_000] {
        ids.push(base.run_of(1, 1, NOW + offset).await);
    }
    let page = async |order, offset, limit| {
        let (logs, total) = base.store.page_logs(&LogFilter::default(), order, offset, limit).await.expect("read");
        assert_eq!(total, 5);
        logs.iter().map(|log| ids.iter().position(|id| *id == log.id).expect("one of ours")).collect::<Vec<_>>()
    };
    assert_eq!(page(LogOrder::Id, 0, 2).await, [4, 3]);
    assert_eq!(page(LogOrder::Id, 2, 2).await, [2, 1]);
    assert_eq!(page(LogOrder::Id, 4, 2).await, [0]);
    assert!(page(LogOrder::Id, 6, 2).await.is_empty());
    assert_eq!(page(LogOrder::TriggerTime, 0, 10).await, [4, 0, 3, 2, 1]);
}

async fn runs_until_an_instant_are_removed(base: &Base) {
    let old = base.run_of(1, 1, NOW - 1_000).await;
    let edge = base.run_of(1, 2, NOW).await;
    let young = base.run_of(1, 1, NOW + 1_000).await;
    let elsewhere = base.run_of(2, 3, NOW - 1_000).await;
    let until = Removal::Until(NOW);
    assert_eq!(base.store.remove_logs(1, 2, Removal::Until(NOW - 1_000)).await.expect("remove"), 0);
    assert_eq!(base.store.remove_logs(1, 1, until).await.expect("remove"), 1);
    assert_eq!(base.left().await, [edge, young, elsewhere]);
    assert_eq!(base.store.remove_logs(1, 0, until).await.expect("remove"), 1);
    assert_eq!(base.store.remove_logs(0, 0, until).await.expect("remove"), 1);
    assert_eq!(base.left().await, [young]);
    assert!(old < edge);
}

async fn all_but_the_latest_are_removed(base: &Base) {
    // The latest by trigger time are not those with the highest ids.
    let mut ids = Vec::new();
    for offset in [3_000, 1_000, 2_000, 2_000] {
        ids.push(base.run_of(1, 1, NOW + offset).await);
    }
    let elsewhere = base.run_of(1, 2, NOW).await;
    assert_eq!(base.store.remove_logs(1, 1, Removal::KeepLatest(4)).await.expect("remove"), 0);
    assert_eq!(base.store.remove_logs(1, 1, Removal::KeepLatest(2)).await.expect("remove"), 2);
    assert_eq!(base.left().await, [ids[0], ids[3], elsewhere]);
    assert_eq!(base.store.remove_logs(0, 0, Removal::KeepLatest(0)).await.expect("remove"), 3);
    // More than one statement removes.
    base.claimed(&NodeId::random(), 2_100).await;
    assert_eq!(base.store.remove_logs(0, 0, Removal::KeepLatest(50)).await.expect("remove"), 2_050);
    assert_eq!(base.left().await.len(), 50);
}
