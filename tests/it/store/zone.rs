//! Wall times in the tables are those of the column zone, whatever the zone of the process.

use xxl_job_admin::store::{DayCount, LogFilter, LogOrder, NewRun, NodeId, Removal};

use super::base::{Base, NOW, claim, new_run};

conformance!(shanghai_wall_time_is_stored, instants_come_back_across_a_change_of_clocks, fractions_of_a_second_are_cut,);

async fn shanghai_wall_time_is_stored(base: &Base) {
    let store = base.in_zone("Asia/Shanghai").await;
    assert_eq!(store.column_zone().name(), "Asia/Shanghai");
    let ids = store.insert_runs(&NodeId::random(), 1, &[new_run()]).await.expect("write a run");
    assert_eq!(base.column("trigger_time", "xxl_job_log").await, [Some("2026-12-01 08:00:00".to_owned())]);
    assert_eq!(store.find_log(ids[0]).await.expect("read").expect("the run").trigger_time, Some(NOW));
    assert_eq!(base.log(ids[0]).await.trigger_time, Some(NOW + 8 * 3_600_000), "another zone, another instant");

    // The claim's rows too, and every comparison.
    let mut claim = claim(&store).await;
    let fires = claim.insert(&NodeId::random(), 1, [(1, NOW + 1_000)]).await.expect("write rows");
    claim.commit().await.expect("commit");
    assert_eq!(store.find_log(fires[0].log_id).await.expect("read").expect("the run").trigger_time, Some(NOW + 1_000));
    let filter = LogFilter { from: Some(NOW + 1_000), to: Some(NOW + 1_000), ..LogFilter::default() };
    assert_eq!(store.page_logs(&filter, LogOrder::Id, 0, 10).await.expect("read").1, 1);
    assert_eq!(store.remove_logs(0, 0, Removal::Until(NOW)).await.expect("remove"), 1);
    store.save_day(NOW, DayCount::default(), None).await.expect("save");
    let days = base.column("trigger_day", "xxl_job_log_report").await;
    assert_eq!(days, [Some("2026-12-01 08:00:00".to_owned())], "midnight of the process zone");
}

async fn instants_come_back_across_a_change_of_clocks(base: &Base) {
    // New York, 2026: forward on March 8 at 07:00Z, back on November 1 at 06:00Z.
    let (forward, back) = (1_772_953_200_000, 1_793_512_800_000);
    let store = base.in_zone("America/New_York").await;
    let hour = 3_600_000;
    let instants = [forward - 1_000, forward, back - 1_000, back - hour - 1_000, back + hour, NOW];
    let runs = instants.map(|trigger_time| NewRun { trigger_time, ..new_run() });
    let ids = store.insert_runs(&NodeId::random(), 1, &runs).await.expect("write runs");
    let read = store.find_logs(&ids).await.expect("read");
    assert_eq!(read.iter().map(|log| log.trigger_time).collect::<Vec<_>>(), instants.map(Some));
    let walls = base.column("trigger_time", "xxl_job_log ORDER BY id LIMIT 3").await;
    let wanted = ["2026-03-08 01:59:59", "2026-03-08 03:00:00", "2026-11-01 01:59:59"];
    assert_eq!(walls, wanted.map(|wall| Some(wall.to_owned())));
    // The hour that comes twice is read as its first pass.
    let twice = NewRun { trigger_time: back, ..new_run() };
    let id = store.insert_runs(&NodeId::random(), 1, &[twice]).await.expect("write a run")[0];
    assert_eq!(store.find_log(id).await.expect("read").expect("the run").trigger_time, Some(back - hour));
}

async fn fractions_of_a_second_are_cut(base: &Base) {
    let late = NewRun { trigger_time: NOW + 999, ..new_run() };
    let id = base.store.insert_runs(&NodeId::random(), 1, &[late]).await.expect("write a run")[0];
    assert_eq!(base.column("trigger_time", "xxl_job_log").await, [Some("2026-12-01 00:00:00".to_owned())]);
    assert_eq!(base.log(id).await.trigger_time, Some(NOW));
    // Who asks for what was written finds it.
    let filter = LogFilter { from: Some(NOW + 999), to: Some(NOW + 999), ..LogFilter::default() };
    assert_eq!(base.store.page_logs(&filter, LogOrder::Id, 0, 10).await.expect("read").1, 1);
}
