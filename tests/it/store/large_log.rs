//! Lists, searches and removals on a log that is too large to be read for each of them: the same answers by every way,
//! and – by the counters of MariaDB – how few rows are read for them.

use std::collections::BTreeMap;

use xxl_job_admin::model::JobLog;
use xxl_job_admin::monitor::day_counts::DayCounts;
use xxl_job_admin::monitor::failed_search::FailedSearch;
use xxl_job_admin::store::{EXTRA_INDEXES, LogFilter, LogOrder, LogStatus, Removal, Store};

use super::base::{Base, NOW, settings};
use crate::support::db::Engine;
use crate::support::schema::Generation;

conformance!(
    every_way_gives_the_same_lists,
    what_others_change_is_seen,
    a_client_that_pages_sees_all,
    runs_are_removed_by_the_catalogue,
    indexes_are_made_and_removed_once,
);

/// Runs of the past: far apart, so that the table counts as large.
const RUNS: i64 = 120;

/// Codes of trigger and result, in turn.
const CODES: [(i32, i32); 7] = [(200, 200), (200, 200), (500, 0), (200, 0), (200, 500), (0, 0), (500, 200)];

impl Base {
    /// Puts a run there behind the store's back.
    async fn put(&self, id: i64, job_id: i32, second: i64, (trigger_code, handle_code): (i32, i32)) {
        let time = format!("2026-12-01 00:{:02}:{:02}", second / 60, second % 60);
        self.sql(&format!(
            "INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code, alarm_status) \
             VALUES ({id}, {}, {job_id}, '{time}', {trigger_code}, {handle_code}, 0)",
            job_id / 10
        ))
        .await;
    }

    /// A log whose times tie and are not quite in the order of the ids.
    async fn large_log(&self) {
        for number in 0..RUNS {
            let codes = CODES[(number % 7) as usize];
            self.put(1 + number * 1_000, 10 + (number % 25) as i32, number * 7 / 3 + 9 * (number % 3), codes).await;
        }
    }

    async fn all_runs(&self) -> Vec<JobLog> {
        let ids: Vec<i64> =
            self.column("id", "xxl_job_log").await.into_iter().flatten().filter_map(|id| id.parse().ok()).collect();
        self.store.find_logs(&ids).await.expect("read")
    }
}

fn matches(log: &JobLog, filter: &LogFilter) -> bool {
    let by_status = match filter.status {
        LogStatus::All => true,
        LogStatus::Success => log.handle_code == 200,
        LogStatus::Failed => ![0, 200].contains(&log.trigger_code) || ![0, 200].contains(&log.handle_code),
        LogStatus::Running => log.trigger_code == 200 && log.handle_code == 0,
    };
    let time = log.trigger_time.expect("a time");
    by_status
        && (filter.job_group <= 0 || filter.job_group == log.job_group)
        && (filter.job_id <= 0 || filter.job_id == log.job_id)
        && filter.from.is_none_or(|from| time >= from)
        && filter.to.is_none_or(|to| time <= to)
}

fn filters() -> Vec<LogFilter> {
    let all = LogFilter::default();
    let of = |status| LogFilter { status, ..all };
    vec![
        all,
        LogFilter { job_id: 13, ..all },
        LogFilter { job_group: 2, ..all },
        LogFilter { job_group: 2, job_id: 13, ..all },
        LogFilter { job_id: 999, ..all },
        LogFilter { from: Some(NOW + 60_000), to: Some(NOW + 120_000), ..all },
        LogFilter { job_group: 1, from: Some(NOW + 60_000), ..all },
        of(LogStatus::Success),
        of(LogStatus::Failed),
        of(LogStatus::Running),
        LogFilter { job_group: 1, ..of(LogStatus::Failed) },
    ]
}

/// Compares every list with one that is sorted here. Totals must be exact where `exact` says so, and never end a list
/// early.
async fn check_lists(base: &Base, store: &Store, exact: bool) {
    let runs = base.all_runs().await;
    for filter in filters() {
        for order in [LogOrder::TriggerTime, LogOrder::Id] {
            let mut wanted: Vec<&JobLog> = runs.iter().filter(|log| matches(log, &filter)).collect();
            wanted.sort_by_key(|log| (if order == LogOrder::Id { None } else { log.trigger_time }, log.id));
            wanted.reverse();
            for offset in [0, 7, 40, 500] {
                let (page, total) = store.page_logs(&filter, order, offset, 10).await.expect("a page");
                let expected: Vec<&JobLog> = wanted.iter().skip(offset as usize).take(10).copied().collect();
                assert_eq!(page.iter().collect::<Vec<_>>(), expected, "{filter:?} {order:?} {offset}");
                let shown = offset + page.len() as i64;
                let count = wanted.len() as i64;
                if exact {
                    assert_eq!(total, count, "{filter:?} {order:?} {offset}");
                } else if !page.is_empty() {
                    assert!(
                        total == count || (shown < count && total > shown),
                        "{filter:?} {order:?} {offset}: {total}"
                    );
                }
            }
        }
    }
}

async fn every_way_gives_the_same_lists(base: &Base) {
    base.large_log().await;
    check_lists(base, &base.store, false).await;
    assert!(base.store.read_catalogue().await.expect("read"));
    check_lists(base, &base.store, true).await;
    let made = Store::add_indexes(&settings(&base.db)).await.expect("make indexes");
    assert!(made.contains(&"rs_log_job"));
    let indexed = base.another().await;
    assert!(indexed.schema().indexes.job_time && indexed.schema().indexes.group_time && indexed.schema().indexes.alarm);
    check_lists(base, &indexed, false).await;
    assert!(indexed.read_catalogue().await.expect("read"));
    check_lists(base, &indexed, true).await;
}

async fn what_others_change_is_seen(base: &Base) {
    base.large_log().await;
    assert!(base.store.read_catalogue().await.expect("read"));
    // Runs that come, also with a lower id than some that are there; runs that end; runs that go.
    base.put(RUNS * 1_000, 13, 500, (200, 0)).await;
    base.put(RUNS * 1_000 - 1, 13, 501, (200, 200)).await;
    check_lists(base, &base.store, true).await;
    base.sql("UPDATE xxl_job_log SET handle_code = 500 WHERE trigger_code = 200 AND handle_code = 0").await;
    check_lists(base, &base.store, true).await;
    base.sql("DELETE FROM xxl_job_log WHERE id < 20000").await;
    check_lists(base, &base.store, true).await;
    // What is removed in the middle is never shown, though a total may know of it later.
    base.sql("DELETE FROM xxl_job_log WHERE id = 62001").await;
    let runs = base.all_runs().await;
    for filter in filters() {
        let count = runs.iter().filter(|log| matches(log, &filter)).count();
        let mut seen = BTreeMap::new();
        for offset in (0..150).step_by(10) {
            let (page, _) = base.store.page_logs(&filter, LogOrder::Id, offset, 10).await.expect("a page");
            seen.extend(page.into_iter().map(|log| (log.id, log)));
        }
        assert_eq!(seen.len(), count, "{filter:?}");
        assert!(!seen.contains_key(&62_001));
    }
    base.sql("DELETE FROM xxl_job_log").await;
    check_lists(base, &base.store, true).await;
}

async fn a_client_that_pages_sees_all(base: &Base) {
    base.large_log().await;
    for with_catalogue in [false, true] {
        if with_catalogue {
            assert!(base.store.read_catalogue().await.expect("read"));
        }
        for filter in filters() {
            let count = base.all_runs().await.iter().filter(|log| matches(log, &filter)).count();
            let (mut seen, mut total) = (0, 1);
            while seen < total {
                let (page, told) = base.store.page_logs(&filter, LogOrder::TriggerTime, seen, 9).await.expect("a page");
                total = told;
                if page.is_empty() {
                    break;
                }
                seen += page.len() as i64;
            }
            assert_eq!(seen as usize, count, "{filter:?}");
        }
    }
}

async fn runs_are_removed_by_the_catalogue(base: &Base) {
    base.large_log().await;
    assert!(base.store.read_catalogue().await.expect("read"));
    let of = |job_group, job_id| LogFilter { job_group, job_id, ..LogFilter::default() };
    let runs = base.all_runs().await;
    let count = |filter: LogFilter| runs.iter().filter(|log| matches(log, &filter)).count() as u64;
    assert_eq!(base.store.remove_logs(0, 13, Removal::KeepLatest(0)).await.expect("remove"), count(of(0, 13)));
    assert_eq!(base.store.remove_logs(2, 0, Removal::KeepLatest(5)).await.expect("remove"), count(of(2, 0)) - 5);
    let old = LogFilter { to: Some(NOW + 60_000), ..of(3, 0) };
    assert_eq!(base.store.remove_logs(3, 0, Removal::Until(NOW + 60_000)).await.expect("remove"), count(old));
    check_lists(base, &base.store, true).await;
    base.store.remove_logs(0, 0, Removal::KeepLatest(10)).await.expect("remove");
    check_lists(base, &base.store, true).await;
    assert_eq!(base.all_runs().await.len(), 10);
}

async fn indexes_are_made_and_removed_once(base: &Base) {
    let settings = settings(&base.db);
    let all: Vec<&str> = EXTRA_INDEXES.iter().map(|index| index.name).collect();
    assert_eq!(Store::add_indexes(&settings).await.expect("make"), all);
    assert!(Store::add_indexes(&settings).await.expect("again").is_empty());
    assert_eq!(Store::drop_indexes(&settings).await.expect("drop"), all);
    assert!(Store::drop_indexes(&settings).await.expect("again").is_empty());
    let schema = base.another().await;
    let indexes = schema.schema().indexes;
    assert!(!indexes.job_time && !indexes.group_time && !indexes.alarm);
    assert_eq!(indexes.job, base.generation != Generation::V2_4);
}

/// A log of 30,000 runs on MariaDB with the tables of 2.4, a third of them failures that are dealt with.
async fn counted() -> Option<Base> {
    let base = Base::create(Engine::MariaDb, Generation::V2_4).await?;
    base.sql("SET GLOBAL userstat = 1").await;
    base.sql(
        "INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code, alarm_status) \
         SELECT seq * 2, 1 + seq % 5, 1 + seq % 50, '2026-12-01 00:00:00' + INTERVAL seq SECOND, 200, \
         IF(seq % 3 = 0, 500, 200), IF(seq % 3 = 0, 2, 0) FROM seq_1_to_30000",
    )
    .await;
    base.sql("ANALYZE TABLE xxl_job_log").await;
    Some(base)
}

impl Base {
    /// Rows of the log that anybody has read so far.
    async fn rows_read(&self) -> i64 {
        let rows = self
            .column(
                "SUM(ROWS_READ)",
                "information_schema.TABLE_STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'xxl_job_log'",
            )
            .await;
        rows.into_iter().flatten().next().and_then(|rows| rows.parse().ok()).unwrap_or_default()
    }
}

/// Rows read by a call.
macro_rules! reading {
    ($base:expr, $call:expr) => {{
        let before = $base.rows_read().await;
        let outcome = $call.await.expect("the database answers");
        (outcome, $base.rows_read().await - before)
    }};
}

#[tokio::test]
async fn a_list_reads_few_rows() {
    let Some(base) = counted().await else { return };
    let all = LogFilter::default();
    let page = async |filter: LogFilter, order, offset| base.store.page_logs(&filter, order, offset, 10).await;
    // The exact count of the first ten thousand, by the index alone, and a page.
    for order in [LogOrder::TriggerTime, LogOrder::Id] {
        let ((rows, total), read) = reading!(base, page(all, order, 0));
        assert_eq!((rows.len(), total), (10, 10_001));
        assert!(read <= 10_100, "{order:?}: {read}");
    }
    let hour = LogFilter { from: Some(NOW + 3_600_000), to: Some(NOW + 7_199_000), ..all };
    let ((_, total), read) = reading!(base, page(hour, LogOrder::TriggerTime, 0));
    assert_eq!(total, 3_600);
    assert!(read <= 3_700, "{read}");

    let (_, read) = reading!(base, base.store.read_catalogue());
    assert!((30_000..30_100).contains(&read), "{read}");
    let of_job = LogFilter { job_id: 7, ..all };
    let of_group = LogFilter { job_group: 3, ..all };
    let failed = LogFilter { status: LogStatus::Failed, ..all };
    for (filter, offset, total) in
        [(of_job, 0, 600), (of_group, 0, 6_000), (failed, 0, 10_000), (failed, 9_000, 10_000), (all, 25_000, 25_011)]
    {
        let ((rows, told), read) = reading!(base, page(filter, LogOrder::TriggerTime, offset));
        assert_eq!((rows.len(), told), (10, total), "{filter:?}");
        // The last 5,000 ids are read again for some seconds after the first reading: 2,500 rows.
        assert!(read <= 2_600, "{filter:?} {offset}: {read}");
    }
}

#[tokio::test]
async fn a_list_by_an_index_reads_few_rows() {
    let Some(base) = counted().await else { return };
    Store::add_indexes(&settings(&base.db)).await.expect("make");
    let store = base.another().await;
    for filter in [LogFilter { job_id: 7, ..LogFilter::default() }, LogFilter { job_group: 3, ..LogFilter::default() }]
    {
        let ((rows, total), read) = reading!(base, store.page_logs(&filter, LogOrder::TriggerTime, 0, 10));
        assert_eq!(rows.len(), 10);
        assert!(read <= total + 50, "{filter:?}: {read}");
    }
    let (found, read) = reading!(base, store.unhandled_failures_by_index(1_000));
    assert!(found.is_empty() && read <= 20, "{read}");
}

#[tokio::test]
async fn a_search_for_failures_does_not_read_those_of_the_past() {
    let Some(base) = counted().await else { return };
    let mut search = FailedSearch::default();
    let (found, first) = reading!(base, search.find(&base.store, NOW, 1_000));
    assert!(found.is_empty() && first >= 10_000, "{first}");
    // Two minutes later all of this is settled.
    let (_, _) = reading!(base, search.find(&base.store, NOW + 121_000, 1_000));
    let (found, later) = reading!(base, search.find(&base.store, NOW + 131_000, 1_000));
    assert!(found.is_empty() && later <= 5_500, "{later}");
    // Nothing is missed: new ones, old ones that were open, and – on the slow way – ones that nobody could foresee.
    base.put(70_000, 10, 1, (500, 0)).await;
    assert_eq!(search.find(&base.store, NOW + 141_000, 1_000).await.expect("search"), [70_000]);
    base.put(70_001, 10, 1, (200, 0)).await;
    for round in 0..30 {
        search.find(&base.store, NOW + 151_000 + round * 10_000, 1_000).await.expect("search");
    }
    base.sql("UPDATE xxl_job_log SET alarm_status = 2 WHERE id = 70000").await;
    base.sql("UPDATE xxl_job_log SET handle_code = 502 WHERE id = 70001").await;
    assert_eq!(search.find(&base.store, NOW + 461_000, 1_000).await.expect("search"), [70_001]);
    base.sql("UPDATE xxl_job_log SET handle_code = 500, alarm_status = 0 WHERE id IN (8, 70001)").await;
    let mut seen = Vec::new();
    for round in 0..4 {
        seen.append(&mut search.find(&base.store, NOW + 471_000 + round * 10_000, 1_000).await.expect("search"));
    }
    assert!(seen.contains(&8) && seen.contains(&70_001), "{seen:?}");
}

#[tokio::test]
async fn a_day_is_counted_once() {
    let Some(base) = counted().await else { return };
    let end = NOW + 86_400_000 - 1;
    let mut counts = DayCounts::new(NOW, end);
    let now = NOW + 30_000_000;
    let (first, read) = reading!(base, counts.count(&base.store, now));
    assert_eq!(first, base.store.count_runs(NOW, end).await.expect("count"));
    assert!(read >= 29_000, "{read}");
    // A run that is open at the start of the day costs its own surroundings alone, once they are found.
    base.put(90_000, 10, 5, (200, 0)).await;
    base.store.remove_logs(1, 1, Removal::KeepLatest(599)).await.expect("remove one");
    for minute in 1..8 {
        counts.count(&base.store, now + minute * 60_000).await.expect("count");
    }
    let (later, read) = reading!(base, counts.count(&base.store, now + 480_000));
    assert!(read <= 3_000, "{read}");
    assert_eq!(later, base.store.count_runs(NOW, end).await.expect("count"));
    assert_eq!(later.running, 1);
}

#[tokio::test]
async fn a_removal_reads_each_row_once() {
    let Some(base) = counted().await else { return };
    // One group by stretches of ids: each row is looked at, once for the stretch's end, and those that go are deleted.
    let (removed, read) = reading!(base, base.store.remove_logs(3, 0, Removal::KeepLatest(0)));
    assert_eq!(removed, 6_000);
    assert!(read <= 75_000, "{read}");
    // All but the latest: the bound by the index, and what goes. MariaDB reads so small a table whole for each of the
    // three stretches, instead of the index; a large one it does not.
    let (removed, read) = reading!(base, base.store.remove_logs(0, 0, Removal::KeepLatest(1_000)));
    assert_eq!(removed, 23_000);
    assert!(read <= 1_100 + 23_100 + 24_000 + 14_000 + 4_000, "{read}");
    let (removed, read) = reading!(base, base.store.remove_logs(0, 0, Removal::Until(NOW)));
    assert_eq!(removed, 0);
    assert!(read <= 10, "{read}");
}
