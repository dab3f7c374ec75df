//! Counts of runs by day.

use xxl_job_admin::model::JobGroup;
use xxl_job_admin::store::{DayCount, Store, Totals};

use super::base::{Base, NOW};

conformance!(
    runs_are_counted_by_outcome,
    a_day_is_saved_once_with_its_key,
    a_day_is_saved_once_without_a_key,
    two_admins_save_the_same_day,
    days_are_listed_in_their_order,
    everything_is_summed_up,
);

async fn runs_are_counted_by_outcome(base: &Base) {
    let end = NOW + 86_400_000 - 1;
    assert_eq!(base.store.count_runs(NOW, end).await.expect("count"), DayCount::default());
    for (trigger_code, handle_code) in [(0, 0), (200, 0), (200, 200), (500, 200), (500, 0), (200, 500), (0, 502)] {
        base.run(NOW, trigger_code, handle_code).await;
    }
    base.run(end, 200, 200).await;
    base.run(NOW - 1_000, 200, 200).await;
    base.run(end + 1, 200, 200).await;
    let wanted = DayCount { running: 2, success: 3, fail: 3 };
    assert_eq!(base.store.count_runs(NOW, end).await.expect("count"), wanted);
}

const FIRST: DayCount = DayCount { running: 1, success: 2, fail: 3 };
const SECOND: DayCount = DayCount { running: 0, success: 5, fail: 4 };

async fn twice(base: &Base, store: &Store) {
    store.save_day(NOW, FIRST, None).await.expect("save");
    store.save_day(NOW + 86_400_000, FIRST, None).await.expect("save another day");
    assert_eq!(base.column("update_time", "xxl_job_log_report").await, [None, None]);
    store.save_day(NOW, SECOND, Some(NOW + 60_000)).await.expect("save again");
    // Saved again though nothing differs.
    store.save_day(NOW, SECOND, Some(NOW + 60_000)).await.expect("save again");
    let rows = "xxl_job_log_report ORDER BY trigger_day";
    let column =
        async |name| base.column(name, rows).await.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>();
    assert_eq!(column("trigger_day").await, ["2026-12-01 00:00:00", "2026-12-02 00:00:00"]);
    assert_eq!(column("running_count").await, ["0", "1"]);
    assert_eq!(column("suc_count").await, ["5", "2"]);
    assert_eq!(column("fail_count").await, ["4", "3"]);
    assert_eq!(column("update_time").await, ["2026-12-01 00:01:00", ""]);
}

async fn a_day_is_saved_once_with_its_key(base: &Base) {
    assert!(base.store.schema().report_unique);
    twice(base, &base.store).await;
}

async fn a_day_is_saved_once_without_a_key(base: &Base) {
    super::schema::drop_report_index(base).await;
    let store = base.another().await;
    assert!(!store.schema().report_unique);
    twice(base, &store).await;
}

async fn two_admins_save_the_same_day(base: &Base) {
    let other = base.another().await;
    for day in 0..5 {
        let day = NOW + day * 86_400_000;
        let (one, two) = tokio::join!(base.store.save_day(day, FIRST, None), other.save_day(day, FIRST, None));
        one.expect("the one saves");
        two.expect("the other saves");
    }
    assert_eq!(base.count("xxl_job_log_report").await, 5);
}

async fn days_are_listed_in_their_order(base: &Base) {
    const DAY: i64 = 86_400_000;
    for (day, count) in [(2, SECOND), (0, FIRST), (1, SECOND), (3, FIRST)] {
        base.store.save_day(NOW + day * DAY, count, None).await.expect("save");
    }
    let days = base.store.days(NOW, NOW + 2 * DAY).await.expect("read");
    assert_eq!(days, [(NOW, FIRST), (NOW + DAY, SECOND), (NOW + 2 * DAY, SECOND)]);
    assert!(base.store.days(NOW + 1_000, NOW + DAY - 1_000).await.expect("read").is_empty());
    assert!(base.store.days(NOW + DAY, NOW).await.expect("read").is_empty());
    let elsewhere = base.in_zone("Asia/Tokyo").await;
    elsewhere.save_day(NOW + 9 * DAY, FIRST, None).await.expect("save");
    let days = elsewhere.days(NOW + 9 * DAY, NOW + 9 * DAY).await.expect("read");
    assert_eq!(days, [(NOW + 9 * DAY, FIRST)], "the column's zone does not show");
}

async fn everything_is_summed_up(base: &Base) {
    let empty = Totals { jobs: 1, runs: 0, successful_runs: 0, executors: 0 };
    assert_eq!(base.store.totals().await.expect("read"), empty, "the seed job");
    base.scheduled(NOW).await;
    base.store.save_day(NOW, FIRST, None).await.expect("save");
    base.store.save_day(NOW + 86_400_000, SECOND, None).await.expect("save");
    for list in ["http://a/,http://b/", "http://b/,http://c/,"] {
        let group = JobGroup {
            app_name: "app".into(),
            title: "t".into(),
            address_list: Some(list.into()),
            ..JobGroup::default()
        };
        base.store.insert_group(&group, NOW).await.expect("add");
    }
    let wanted = Totals { jobs: 2, runs: 15, successful_runs: 7, executors: 3 };
    assert_eq!(base.store.totals().await.expect("read"), wanted);
}
